"""Loads two kernels as Torch loads them and uses both, and Torch, from several threads."""

import ctypes
import sys
import threading

import torch

kernels = []
for path in sys.argv[1:]:
    torch.ops.load_library(path)
    kernels.append(ctypes.CDLL(path))

CALLS, THREADS = 50, 4
EXPECTED = [b"1,234,567", b"1.234.567"]
faults = []


def work():
    for _ in range(CALLS):
        for kernel, expected in zip(kernels, EXPECTED):
            result = ctypes.create_string_buffer(32)
            if kernel.kernel_run(b"id 1234567;", result, 32) < 0 or result.value != expected:
                faults.append((expected, result.value))
            if kernel.kernel_bad_pattern() != 1:
                faults.append("regex_error")
        if "CPU" not in torch.__config__.show() or str(torch.arange(3) @ torch.ones(3, dtype=torch.long)) != "tensor(3)":
            faults.append("torch")
        try:
            torch.ops.aten.add(torch.ones(2), torch.ones(3))
            faults.append("no error")
        except RuntimeError:
            pass


threads = [threading.Thread(target=work) for _ in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not faults, faults[:3]

# Both counters count twice per call, for their own kernel alone. The last call of each tells.
result = ctypes.create_string_buffer(32)
one = kernels[0].kernel_run(b"1", result, 32)
for _ in range(5):
    kernels[1].kernel_run(b"1", result, 32)
assert kernels[0].kernel_run(b"1", result, 32) == one + 2, "the kernels share a counter"
print("PASS")
