"""The `Benchmark` classes of the loader's own benchmark command, unchanged: how they are found, set up and called.

Scripts are `benchmarks/benchmark*.py`, imported as the module `benchmark_module` from the project's directory; a class counts if
the script itself defines it. Each workload gets a new instance, with the seed applied before its setup.
"""

import importlib.util
import inspect
import random
import sys

import torch

from . import tensors
from .failure import NeedsKernel, NoOutput

_MODULE = "benchmark_module"


class Absent:
    """Stands for the kernel where there must be none: any use of it says so."""

    def __getattr__(self, name):
        raise NeedsKernel(f"`self.kernel.{name}` was used")

    def __call__(self, *_arguments, **_keywords):
        raise NeedsKernel("`self.kernel` was called")


def discover(path):
    """The classes of a script, with their workloads, and a comparison of its own that it put in place of torch's."""
    original = torch.allclose
    spec = importlib.util.spec_from_file_location(_MODULE, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[_MODULE] = module
    spec.loader.exec_module(module)
    found = [_describe(getattr(module, name)) for name in dir(module) if _counts(getattr(module, name))]
    return {"classes": found, "comparison": None if torch.allclose is original else _place(torch.allclose)}


def _counts(member):
    from kernels.benchmark import Benchmark

    inherits = isinstance(member, type) and issubclass(member, Benchmark) and member is not Benchmark
    return inherits and member.__module__ == _MODULE


def _describe(cls):
    names = [name for name in dir(cls) if name.startswith("benchmark_") and callable(getattr(cls, name))]
    workload = [name.replace("benchmark_", "") for name in names]
    return {
        "name": cls.__name__,
        "workloads": [{"name": name, "verify": hasattr(cls, f"verify_{name}")} for name in workload],
    }


def _place(function):
    try:
        return f"{inspect.getsourcefile(function)}:{inspect.getsourcelines(function)[1]}"
    except (TypeError, OSError):
        return repr(function)


class ScriptCase:
    """One instance of a class, set up for one workload."""

    def __init__(self, question, kernel):
        cls = getattr(sys.modules[_MODULE], question["class"])
        workload = question["workload"]
        self.instance = cls()
        self.instance.kernel = Absent() if kernel is None else kernel
        self.instance.device = question["device"]
        _seed(question["seed"])
        (getattr(self.instance, f"setup_{workload}", None) or self.instance.setup)()
        out = getattr(self.instance, "out", None)
        # What a script allocates itself can be poisoned; what its method binds anew can only be taken away.
        self.preallocated = out if isinstance(out, torch.Tensor) else None
        self.candidate = getattr(self.instance, f"benchmark_{workload}")
        self.baseline = getattr(self.instance, f"verify_{workload}", None)

    def inputs(self):
        """Every tensor that the setup left, but for the output."""
        held = {name: value for name, value in vars(self.instance).items() if name not in ("kernel", "out", "device")}
        own = self.preallocated
        return [(name, tensor) for name, tensor in tensors.walk(held) if tensor is not own]

    def state(self):
        """What else the setup left, as far as it can be compared."""
        plain = (bool, int, float, str, type(None))
        return sorted((name, repr(value)) for name, value in vars(self.instance).items() if isinstance(value, plain))

    def poison(self):
        if self.preallocated is not None:
            tensors.poison(self.preallocated)
            self.instance.out = self.preallocated
        else:
            self.instance.out = None

    def overrun(self):
        """Scripts allocate their tensors themselves, without guards."""
        return []

    def outputs(self):
        return outputs_of(self.instance.out)

    def reference(self):
        return outputs_of(self.baseline())

    def widen(self):
        """Makes every floating-point input float64, so that the reference is computed to far more digits than needed."""
        _widen(vars(self.instance))

    def script_agrees(self):
        """What the script's own comparison says."""
        return bool(torch.allclose(self.instance.out, self.baseline(), atol=1e-2))


def outputs_of(value):
    members = value if isinstance(value, (list, tuple)) else [value]
    if not all(isinstance(member, torch.Tensor) for member in members):
        kinds = ", ".join(type(member).__name__ for member in members)
        raise NoOutput(f"the output is no tensor, but {kinds}")
    return list(members)


def _seed(seed):
    torch.manual_seed(seed)
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % 2**32)


def _widen(holder, depth=3):
    for key, value in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
        if isinstance(value, torch.Tensor):
            if value.is_floating_point():
                holder[key] = value.detach().double()
        elif isinstance(value, torch.nn.Module):
            value.double()
        elif isinstance(value, (dict, list)) and depth:
            _widen(value, depth - 1)
        elif isinstance(value, tuple) and depth:
            members = list(value)
            _widen(members, depth - 1)
            holder[key] = tuple(members) if type(value) is tuple else type(value)(*members)
