"""The clock and the waiting for a device, taken before any code of the project could replace them."""

import resource
from time import perf_counter_ns as now

_RUSAGE_THREAD = getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF)
_getrusage = resource.getrusage


def switches():
    """How often this thread was taken off its processor against its will."""
    return _getrusage(_RUSAGE_THREAD).ru_nivcsw


def resident():
    """Bytes of memory that the process holds (proc(5)); 0 where the system does not say."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return 0


def waiter(device):
    """A function that waits for the device to have done everything."""
    import torch

    if device == "cpu":
        return _nothing
    module = getattr(torch, device.split(":")[0], None)
    return getattr(module, "synchronize", None) or _nothing


def _nothing():
    pass


def sample(call, times, wait):
    """Nanoseconds of `times` calls, until the device has done them."""
    begin = now()
    for _ in range(times):
        call()
    wait()
    return now() - begin


def tick():
    """Nanoseconds between two readings that differ."""
    smallest = None
    for _ in range(200):
        first = now()
        second = now()
        while second == first:
            second = now()
        smallest = second - first if smallest is None else min(smallest, second - first)
    return smallest
