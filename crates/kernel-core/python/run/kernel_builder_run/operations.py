"""The operations of kernels, each call of which is timed or explained.

An operation is a public function of a kernel, the `forward` of a layer in it, or a layer of the program that `kernelize`
went over. Where one calls another, only the outer counts. What `torch.compile` compiles is left alone.
"""

import functools
import sys
import threading
import types

from . import CONFIGURATION, explain, share

_WANTED = CONFIGURATION["share"] or CONFIGURATION["explain"]
_thread = threading.local()
_seen = {}


def patches():
    return share.patches() if CONFIGURATION["share"] else {}


class Operation:
    """One operation by its name, and which implementation of it runs."""

    def __init__(self, name, implementation, directory):
        self.name = name
        self.implementation = implementation
        self.directory = directory
        self.clock = share.Clock()


def _never():
    return False


def observed(function, name, implementation, directory):
    """The function, with every call of it seen, where that was asked for."""
    if not _WANTED:
        return function
    operation = share.known(Operation(name, implementation, directory))
    torch = sys.modules.get("torch")
    compiling = torch.compiler.is_compiling if torch is not None else _never

    def call(*arguments, **named):
        if compiling() or getattr(_thread, "inside", False):
            return function(*arguments, **named)
        _thread.inside = True
        try:
            if CONFIGURATION["share"]:
                result = share.timed(operation, function, arguments, named)
            else:
                result = function(*arguments, **named)
            if CONFIGURATION["explain"]:
                explain.tell(operation, arguments, named, result)
            return result
        finally:
            _thread.inside = False

    functools.update_wrapper(call, function)
    call.kernel_builder_directory = directory
    return call


class _Callable:
    """A callable object with every call of it seen; everything else of it is its own."""

    def __init__(self, original, call):
        self._original, self._call = original, call

    def __call__(self, *arguments, **named):
        return self._call(*arguments, **named)

    def __getattr__(self, name):
        return getattr(self._original, name)


def observe(module, kernel, implementation, directory, foreign=False):
    """Sees every call of the public operations of a kernel; of `foreign` ones too, which it has from elsewhere."""
    if _WANTED and id(module) not in _seen:
        _seen[id(module)] = module
        _observe(module, "" if foreign else module.__name__, f"{kernel}: ", (implementation, directory))


def _observe(module, root, prefix, about):
    # A name of the kernel itself before the same in one of its modules.
    for name, value in sorted(vars(module).items(), key=lambda one: (isinstance(one[1], types.ModuleType), one[0])):
        if name.startswith("_"):
            continue
        if isinstance(value, types.ModuleType):
            if root and value.__name__.startswith(root + ".") and id(value) not in _seen:
                _seen[id(value)] = value
                _observe(value, root, f"{prefix}{name}.", about)
        elif id(value) in _seen and callable(value) and not isinstance(value, type):
            setattr(module, name, _seen[id(value)][1])
        elif isinstance(value, type):
            if _is_own(value, root) and id(value) not in _seen and _is_layer(value):
                _seen[id(value)] = value
                value.forward = observed(value.forward, f"{prefix}{name}", *about)
        elif callable(value) and (not isinstance(value, types.FunctionType) or _is_own(value, root)):
            call = observed(value, f"{prefix}{name}", *about)
            plain = isinstance(value, (types.FunctionType, types.BuiltinFunctionType))
            call = call if plain else _Callable(value, call)
            # The original is kept, so that its number stays its own.
            _seen[id(value)] = (value, call)
            setattr(module, name, call)


def _is_own(value, root):
    """Whether it was made in the kernel, whose modules' names begin with `root`; without one, everything was."""
    if not root:
        return True
    module = getattr(value, "__module__", None) or ""
    return module == root or module.startswith(root + ".")


def _is_layer(kind):
    torch = sys.modules.get("torch")
    return torch is not None and issubclass(kind, torch.nn.Module) and "forward" in vars(kind)
