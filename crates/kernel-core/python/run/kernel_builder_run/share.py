"""How long a program is in the operations of kernels.

Wall time in which at least one thread is in one. A device is waited for before and after each call, since its work would
otherwise fall to whoever waits next. What a process knows is said now and then, so that a program that is ended says it too.
"""

import atexit
import os
import sys
import threading
import time

from . import emit

# Nanoseconds between two reports at least, and as a share of the time that went by: a long program writes few lines.
_PAUSE, _PAUSE_SHARE = 200_000_000, 20
_now = time.perf_counter_ns


class Clock:
    """Time in which at least one thread was inside."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.calls = self.active = self.since = self.total = 0

    def enter(self, now):
        if self.active == 0:
            self.since = now
        self.active += 1
        self.calls += 1

    def leave(self, now):
        self.active -= 1
        if self.active == 0:
            self.total += now - self.since

    def nanoseconds(self, now):
        return self.total + (now - self.since if self.active else 0)


_operations = {}
_all = Clock()
_lock = threading.Lock()
_begin = _now()
_first = _last = _next = 0
_backward = False


def patches():
    atexit.register(report)
    os.register_at_fork(after_in_child=_forked)
    return {"multiprocessing.util": _patch_multiprocessing}


def known(operation):
    """The operation that stands for all of the same name and implementation."""
    return _operations.setdefault((operation.name, operation.implementation), operation)


def timed(operation, function, arguments, named):
    """Calls it and counts the time."""
    global _first, _last, _backward
    _settle()
    with _lock:
        now = _now()
        _first = _first or now
        _all.enter(now)
        operation.clock.enter(now)
    try:
        result = function(*arguments, **named)
        _settle()
    finally:
        with _lock:
            now = _last = _now()
            _all.leave(now)
            operation.clock.leave(now)
    if not _backward and getattr(result, "requires_grad", False):
        _backward = True
    if now >= _next:
        report()
    return result


def report():
    """Says what is known so far."""
    global _next
    with _lock:
        now = _now()
        _next = now + max(_PAUSE, (now - _begin) // _PAUSE_SHARE)
        rows = [
            {"name": one.name, "implementation": one.implementation, "calls": one.clock.calls, "ns": one.clock.nanoseconds(now)}
            for one in _operations.values()
            if one.clock.calls
        ]
        fields = {"busy_ns": _all.nanoseconds(now), "span_ns": max(_last - _first, 0), "operations": rows}
    emit("share", backward=_backward, compiled=_has_compiled(), **fields)


def _has_compiled():
    """Whether `torch.compile` compiled anything, in which no operation is seen."""
    utils = sys.modules.get("torch._dynamo.utils")
    return utils is not None and bool(utils.counters["stats"])


def _settle():
    torch = sys.modules.get("torch")
    for name in ("cuda", "xpu"):
        device = getattr(torch, name, None)
        if device is None or not device.is_initialized():
            continue
        # Nothing can be waited for while a graph is recorded.
        if name == "cuda" and device.is_current_stream_capturing():
            return
        device.synchronize()


def _forked():
    """A forked process begins at nothing."""
    global _lock, _begin, _first, _last, _next
    _lock = threading.Lock()
    _begin, _first, _last, _next = _now(), 0, 0, 0
    for clock in (_all, *(one.clock for one in _operations.values())):
        clock.reset()


def _patch_multiprocessing(util):
    """A worker of `multiprocessing` that was forked ends without the functions of `atexit`."""
    util.register_after_fork(_all, lambda _clock: util.Finalize(None, report, exitpriority=0))
