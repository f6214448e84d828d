"""The peak of memory of this process: of the devices where it used any, of the processor otherwise."""

import atexit
import resource
import sys

from . import CONFIGURATION, emit


def patches():
    if not CONFIGURATION["memory"]:
        return {}
    atexit.register(report)
    return {}


def report():
    """Says it."""
    device = _of_devices()
    emit("memory", bytes=device or _of_processor(), device=bool(device))


def _of_devices():
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is None or not cuda.is_initialized():
        return 0
    return sum(cuda.max_memory_allocated(number) for number in range(cuda.device_count()))


def _of_processor():
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass  # Only Linux has it.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10
