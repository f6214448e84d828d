"""What went wrong, in words that the parent can sort."""

import traceback

# The device that a script insists on is not here. Each is the beginning of a message of torch or of a driver.
_NO_DEVICE = (
    "Torch not compiled with CUDA enabled",
    "Found no NVIDIA driver",
    "No CUDA GPUs are available",
    "CUDA driver version is insufficient",
    "PyTorch was compiled without",
    "PyTorch is not linked with support for",
    "No XPU devices are available",
    "No HIP GPUs are available",
)
_NO_MEMORY = ("can't allocate memory", "out of memory", "Cannot allocate memory", "bad_alloc")
_LONGEST = 2000


class NeedsKernel(Exception):
    """A reference or a setup used the kernel, so it cannot run where there is none."""


class NoOutput(Exception):
    """What should hold the output does not."""


def describe(error):
    """The answer to a question that failed."""
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    return {"event": "error", "kind": _kind(error, text), "message": text[-_LONGEST:], "place": _place(error)}


def _kind(error, text):
    if isinstance(error, NeedsKernel):
        return "needs-kernel"
    if isinstance(error, NoOutput):
        return "no-output"
    if isinstance(error, MemoryError) or any(words in text for words in _NO_MEMORY):
        return "out-of-memory"
    if any(words in text for words in _NO_DEVICE):
        return "unsupported"
    return "raised"


def _place(error):
    """The innermost line outside of this package and of installed packages: most likely the user's own."""
    frames = traceback.extract_tb(error.__traceback__)
    for frame in reversed(frames):
        if "kernel_builder_bench" not in frame.filename and "site-packages" not in frame.filename:
            return f"{frame.filename}:{frame.lineno}"
    return None
