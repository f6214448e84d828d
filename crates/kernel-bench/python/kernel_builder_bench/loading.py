"""Loads the built variant through the real loader, as users do, and says what really got loaded."""

import os
import sys
from pathlib import Path


def load(root, backend):
    """The kernel below `root/build`, as a module."""
    from kernels import backends, get_local_kernel

    # The loader looks for what torch was compiled for; with the ordinary wheel that is CUDA on a machine without a GPU.
    # Only `cpu` can be asked for beside it.
    if backend == "cpu" and backends._backend().name != "cpu":
        return get_local_kernel(Path(root), backend="cpu")
    return get_local_kernel(Path(root))


def device_of(backend):
    """The name of torch's device for a backend."""
    return {"rocm": "cuda", "metal": "mps", "cann": "npu"}.get(backend, backend)


def mapped(variant_path):
    """The libraries of a variant that this process has mapped, by path."""
    found = set()
    try:
        with open("/proc/self/maps") as maps:
            for line in maps:
                path = line.split(maxsplit=5)[5:]
                if path and _is_below(path[0].strip(), variant_path):
                    found.add(path[0].strip())
    except OSError:
        pass
    return sorted(found)


def modules(variant_path):
    """The Python files of a variant that this process has imported."""
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return sorted({file for file in files if file and _is_below(file, variant_path)})


def _is_below(path, directory):
    return os.path.realpath(path).startswith(os.path.realpath(directory) + os.sep)
