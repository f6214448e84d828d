"""The operations of `benchmarks/workloads.toml`, as the parent read them: which tensors a call has, what it is given, and what
its reference makes of the same.

Files of the project are imported when one of their functions is needed first; a child that only runs the kernel on inputs that
it is handed never sees a reference.
"""

import functools
import importlib.util
import os
import sys

import torch

from . import layouts, tensors, values
from .failure import NoOutput

_READ = ("input", "inout", "constant")
_WRITTEN = ("output", "inout")
_NARROW = (torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2)


class Declared:
    """The declared operations, with the functions beside them."""

    def __init__(self, directory, operations):
        self._directory = directory
        self.operations = {operation["name"]: operation for operation in operations}

    def function(self, named):
        return getattr(_module(os.path.join(self._directory, named["file"])), named["name"])

    def make(self, operation, case, device, generator):
        """The inputs that the operation's own function makes."""
        dtype = getattr(torch, case["dtype"])
        made = self.function(operation["inputs"])(rng=generator, dims=dict(case["sizes"]), dtype=dtype, device=device)
        wanted = [spec["name"] for spec in case["tensors"] if spec["role"] in _READ and not spec["name"].startswith("grad_")]
        if not isinstance(made, dict) or sorted(made) != sorted(wanted):
            names = sorted(made) if isinstance(made, dict) else type(made).__name__
            raise ValueError(f"`{operation['inputs']['name']}` returns {names}, but {sorted(wanted)} are wanted")
        return made


@functools.cache
def _module(path):
    name = "kernel_builder_declared_" + os.path.basename(path).removesuffix(".py")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class DeclaredCase:
    """One call of an operation, with its tensors."""

    def __init__(self, declared, case, device, seed, kernel):
        self._declared, self._case, self._kernel = declared, case, kernel
        self._operation = declared.operations[case["operation"]]
        self._wide = False
        self._returned = None
        self._before = {}
        call = self._operation["call"]
        self._passed = {*call["positional"], *(name for _, name in call["keyword"])}
        self._specs = {spec["name"]: spec for spec in case["tensors"]}
        self._places = self._allocate(device, torch.Generator().manual_seed(seed))
        self.tensors = {name: place.tensor for name, place in self._places.items()}
        if case["alias"]:
            output, source = case["alias"]
            self.tensors[output] = self.tensors[source]
        self.preallocated = self._poisonable() or None

    def _allocate(self, device, generator):
        case, places = self._case, {}
        drawn = {}
        if self._operation["inputs"] and not case["given"]:
            drawn = self._declared.make(self._operation, case, device, generator)
        for name, spec in self._specs.items():
            read = spec["role"] in _READ
            if not read and name not in self._passed:
                continue
            if name in drawn:
                content = drawn[name]
            elif case["given"] or not read:
                content = torch.zeros(spec["shape"], dtype=getattr(torch, spec["dtype"]))
            else:
                content = values.draw(spec, case["values"], generator)
            layout = case["layout"] if spec["role"] == "input" else case["output_layout"] if not read else "contiguous"
            places[name] = layouts.Place(content, layout, device, case["guarded"])
        return places

    def _poisonable(self):
        aliased = (self._case["alias"] or [None])[0]
        return [name for name in self.tensors if self._specs[name]["role"] in ("output", "workspace") and name != aliased]

    def inputs(self):
        return [(name, tensor) for name, tensor in self.tensors.items() if self._specs[name]["role"] in _READ]

    def state(self):
        return []

    def poison(self):
        for name in self.preallocated or ():
            tensors.poison(self.tensors[name])
        self._returned = None
        self._before = {name: place.snapshot() for name, place in self._places.items() if place.guarded}

    def overrun(self):
        """Tensors around which memory was written that is not theirs."""
        return [name for name, before in self._before.items() if self._places[name].is_overrun(before)]

    def candidate(self):
        self._returned = self._prepared_candidate()

    # Both arms are timed: each call costs the same, whatever it calls.

    @functools.cached_property
    def _prepared_candidate(self):
        call = self._bound(self.tensors)
        if self._case["gradient"]:
            return lambda: self._backward(lambda given: self._bound(given)(), self.tensors)
        if self._case["poisoned_memory"]:
            return lambda: _in_poisoned_memory(call)
        return call

    def _bound(self, given):
        call, known = self._operation["call"], {**self._case["arguments"], **given}
        function = functools.reduce(getattr, call["function"], self._kernel)
        keyword = {key: known[name] for key, name in call["keyword"]}
        return functools.partial(function, *[known[name] for name in call["positional"]], **keyword)

    def outputs(self):
        if self._case["gradient"]:
            return list(self._returned)
        written = [name for name, spec in self._specs.items() if spec["role"] in _WRITTEN]
        wanted = [name for name in written if name not in self.tensors]
        returned = _members(self._returned) if wanted else []
        if len(returned) != len(wanted):
            raise NoOutput(f"the call returns {len(returned)} tensors, but {len(wanted)} are declared: {', '.join(wanted)}")
        named = dict(zip(wanted, returned, strict=True))
        return [self.tensors[name] if name in self.tensors else named[name] for name in written]

    def baseline(self):
        """The reference as it would run in the kernel's place."""
        return self._prepared_baseline()

    @functools.cached_property
    def _prepared_baseline(self):
        if self._case["gradient"]:
            return lambda: self._backward(lambda given: self._bound_reference(given)(), self.tensors)
        return self._bound_reference(self.tensors)

    def reference(self):
        """What is written, by the reference: in float64 once widened, before that in no less than float32, rounded once."""
        given = {name: self._widened(tensor) for name, tensor in self.inputs()}
        refer = lambda given: _members(self._bound_reference(given)())  # noqa: E731
        made = self._backward(refer, given) if self._case["gradient"] else refer(given)
        if self._wide:
            return [tensor.double() if tensor.is_floating_point() else tensor for tensor in made]
        if self._case["gradient"]:
            return [tensor.to(self.tensors[name].dtype) for tensor, name in zip(made, self._operation["grad"], strict=True)]
        dtypes = [getattr(torch, spec["dtype"]) for spec in self._specs.values() if spec["role"] in _WRITTEN]
        if len(made) != len(dtypes):
            raise ValueError(f"the reference returns {len(made)} tensors, but {len(dtypes)} are written")
        return [tensor.to(dtype) if tensor.is_floating_point() else tensor for tensor, dtype in zip(made, dtypes, strict=True)]

    def _widened(self, tensor):
        tensor = tensor.detach().clone()
        if self._wide and tensor.is_floating_point():
            return tensor.double()
        if self._wide and tensor.is_complex():
            return tensor.to(torch.complex128)
        return tensor.float() if tensor.dtype in _NARROW else tensor

    def _bound_reference(self, given):
        """The reference with everything that is read, by name, and with the arguments."""
        read = {name: tensor for name, tensor in given.items() if name in self._passed and self._specs[name]["role"] in _READ}
        function = self._declared.function(self._operation["reference"])
        return functools.partial(function, **read, **self._case["arguments"])

    def _backward(self, call, given):
        wanted = self._operation["grad"]
        leaves = {name: given[name].detach().requires_grad_(True) for name in wanted}
        made = _members(call({**given, **leaves}))
        written = [name for name, spec in self._specs.items() if spec["role"] == "output"]
        pairs = [(tensor, given["grad_" + name]) for name, tensor in zip(written, made, strict=True) if tensor.requires_grad]
        if not pairs:
            raise NoOutput("no output depends on the inputs by autograd: it has no gradient")
        outputs, gradients = [tensor for tensor, _ in pairs], [gradient.to(tensor.dtype) for tensor, gradient in pairs]
        return torch.autograd.grad(outputs, [leaves[name] for name in wanted], gradients)

    def widen(self):
        self._wide = True

    def script_agrees(self):
        return False


def _members(value):
    members = list(value) if isinstance(value, (list, tuple)) else [value]
    wrong = [type(member).__name__ for member in members if not isinstance(member, torch.Tensor)]
    if wrong:
        raise NoOutput(f"a tensor is wanted, and it is {', '.join(wrong)}")
    return members


def _in_poisoned_memory(call):
    """Calls while memory that nobody has written to holds NaN, also in code that is not Python."""
    was = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    filled = torch.utils.deterministic.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = True
    try:
        return call()
    finally:
        torch.utils.deterministic.fill_uninitialized_memory = filled
        torch.use_deterministic_algorithms(was[0], warn_only=was[1])
