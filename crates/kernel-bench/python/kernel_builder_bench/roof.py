"""What this machine can do at most, by what the framework does best: copies for memory, matrix products for arithmetic."""

import torch

from . import clock

# Bytes that a copy reads and writes together: in the caches nearest to a core, in shared ones, and in memory.
_COPIES = (1 << 18, 1 << 21, 1 << 24, 1 << 28)
_SIDES = (256, 512, 1024, 2048)
# Nanoseconds that one measurement may take.
_LIMIT = 25_000_000


def copies(device, wait):
    """Bytes of a copy, read and written, and how many of them a second moves."""
    found = []
    for size in _COPIES:
        source = torch.zeros(size // 8, dtype=torch.float32, device=device)
        target = torch.zeros_like(source)
        best = _best(lambda: target.copy_(source), wait)
        found.append((size, size / best * 1e9))
    return found


def products(types, device, wait):
    """Floating point operations a second in a product of square matrices, for each type that has one here."""
    found = {}
    for name in types:
        dtype = getattr(torch, name, None)
        if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
            continue
        speed = 0.0
        for side in _SIDES:
            try:
                left = torch.ones(side, side, dtype=dtype, device=device)
                best = _best(lambda: torch.mm(left, left), wait)
            except RuntimeError:  # this framework multiplies no matrices of this type
                break
            speed = max(speed, 2 * side**3 / best * 1e9)
            # The next one takes eight times as long.
            if 8 * best > _LIMIT:
                break
        if speed:
            found[name] = speed
    return found


def call(device, wait):
    """Nanoseconds of the shortest call there is."""
    one = torch.zeros(1, device=device)
    times = 200
    return min(clock.sample(one.neg_, times, wait) for _ in range(20)) / times


def _best(work, wait):
    """Nanoseconds of the fastest of some calls."""
    begin = clock.now()
    best = clock.sample(work, 1, wait)
    while clock.now() - begin < _LIMIT:
        best = min(best, clock.sample(work, 1, wait))
    return best
