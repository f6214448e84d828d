"""What one call really ran: Python code and operators of the variant, and whose operators otherwise. Never timed."""

import os
import sys

import torch


def observe(call, variant_path):
    return {"files": _files(call, variant_path), "operators": _operators(call)}


def _files(call, variant_path):
    """The Python files of a variant in which a function was entered."""
    below = os.path.realpath(variant_path) + os.sep
    files = set()

    def trace(frame, event, _argument):
        if event == "call":
            path = os.path.realpath(frame.f_code.co_filename)
            if path.startswith(below):
                files.add(path[len(below) :])

    before = sys.getprofile()
    sys.setprofile(trace)
    try:
        call()
    finally:
        sys.setprofile(before)
    return sorted(files)


def _operators(call):
    with torch.autograd.profiler.profile() as profile:
        call()
    return sorted({event.name for event in profile.function_events if "::" in event.name})
