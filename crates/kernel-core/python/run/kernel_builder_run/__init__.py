"""What `kernel-builder run` does inside the program: it verifies, switches, times and explains kernels.

Beside this package lies `configuration.json`:
    events     path of the file for what happened, one JSON object a line
    pinned     SHA-256 of the metadata of each variant, by the variant's name: {"torch-cpu": {"<sha256>": ["acme/relu@v1"]}};
               null where nothing is verified
    commits    the commit of each pin: {"acme/relu@v1": "<commit>"}
    use        "auto", "kernel" or "baseline"; null where nothing is switched
    baselines  the file that stands for a kernel, by the name that the program gets it by
    absent     the kernels that are not there, by the same name
    share      whether operations are timed
    explain    whether it is said what ran
    memory     whether the peak of memory is said
    documents  where a project keeps the last result of `bench` of each variant
    large      bytes from which tensors are large; see `explain`
    vector     elements that an even size is a multiple of
"""

import json
import os

DIRECTORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

with open(os.path.join(DIRECTORY, "configuration.json"), encoding="utf-8") as _file:
    CONFIGURATION = json.load(_file)

_said = set()


def emit(event, **fields):
    """Says what happened. A line is one write, so that lines of several processes do not mix."""
    line = json.dumps({"event": event, "process": os.getpid(), **fields}) + "\n"
    try:
        events = os.open(CONFIGURATION["events"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except FileNotFoundError:
        return  # The run is over, and this process outlives it.
    try:
        os.write(events, line.encode())
    finally:
        os.close(events)


def emit_once(event, **fields):
    """Says it where this process has not said the same before."""
    key = json.dumps([event, fields], sort_keys=True)
    if key not in _said:
        _said.add(key)
        emit(event, **fields)


def start():
    """Puts everything that was asked for in place."""
    from . import hook, memory, operations, switch, verify

    patches = {}
    for part in (verify, switch, operations, memory):
        for name, patch in part.patches().items():
            patches.setdefault(name, []).append(patch)
    hook.install(patches)
    emit("started")
