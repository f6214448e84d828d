"""Which implementation a program gets: its kernels, or what was there before them.

A layer goes back to its own `forward` by the library's own switch. A kernel that the program gets directly is replaced by
a file of the user's with functions of the same names, or is not there, so that the program does what it does without it.
"""

import functools
import importlib.util
import os
import sys
import types

from . import CONFIGURATION, emit_once, operations

USE = CONFIGURATION["use"]
_BASELINES = CONFIGURATION["baselines"]
_ABSENT = CONFIGURATION["absent"]
_stand_ins = {}


def patches():
    if USE is None:
        return {}
    import atexit

    atexit.register(_past_the_loader)
    return {"kernels.load": _patch_load, "kernels.layer.layer": _patch_layers}


class _StandIn(types.ModuleType):
    """A baseline in a kernel's place. What it lacks is the kernel's own."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        of, load = self.__dict__["kernel_builder_stands_for"]
        emit_once("kept", name=of, reason=f"its baseline has no `{name}`")
        return getattr(load(), name)


def _stand_in(name, load):
    if name not in _stand_ins:
        path = _BASELINES[name]
        spec = importlib.util.spec_from_file_location(f"kernel_builder_baseline_{len(_stand_ins)}", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        operations.observe(module, name, "baseline", None, foreign=True)
        module.kernel_builder_stands_for = (name, functools.lru_cache(load))
        module.__class__ = _StandIn
        _stand_ins[name] = module
    return _stand_ins[name]


def _patch_load(module):
    """Of `kernels.load`: every kernel that a program or a layer gets comes through one function."""
    get, has = module.get_kernel_with_resolver, module.has_kernel

    def load(kernel, named):
        try:
            loaded = get(kernel=kernel, **named)
        except Exception as error:
            emit_once("fallback", name=kernel.repo_id, reason=str(error).split("\n")[0])
            raise
        directory = _directory(loaded)
        emit_once("loaded", name=kernel.repo_id, path=directory)
        operations.observe(loaded, kernel.repo_id, "kernel", directory)
        return loaded

    @functools.wraps(get)
    def get_kernel_with_resolver(*, kernel, **named):
        name = kernel.repo_id
        if USE == "baseline" and name in _ABSENT:
            emit_once("switched", name=name, to="absent")
            raise FileNotFoundError(f"Cannot find a build variant in {name}: `kernel-builder run` was told to go without it")
        if USE == "baseline" and name in _BASELINES:
            emit_once("switched", name=name, to="baseline")
            return _stand_in(name, lambda: load(kernel, named))
        if USE == "baseline":
            emit_once("kept", name=name, reason="no baseline was named for it")
        return load(kernel, named)

    @functools.wraps(has)
    def has_kernel(repo_id, **named):
        if USE == "baseline" and repo_id in _ABSENT:
            emit_once("switched", name=repo_id, to="absent")
            return False
        return has(repo_id, **named)

    module.get_kernel_with_resolver, module.has_kernel = get_kernel_with_resolver, has_kernel


def _directory(loaded):
    """Where a kernel was loaded from."""
    kernels = sys.modules["kernels.importer"]._loaded_kernels
    return next((os.path.abspath(path) for path, kernel in kernels.items() if kernel.module is loaded), None)


def _patch_layers(module):
    """Of `kernels.layer.layer`: `kernelize` gives each layer its `forward` through one function."""
    if USE != "auto":
        module._DISABLE_KERNEL_MAPPING = USE == "baseline"
    kernelize = module.kernelize_layer

    @functools.wraps(kernelize)
    def kernelize_layer(layer, **named):
        kernelize(layer, **named)
        kind = type(layer)
        name = f"layer {kind.kernel_layer_name}"
        function = getattr(layer.forward, "__func__", None)
        if function is None:
            return
        own = function is kind.forward
        directory = getattr(function, "kernel_builder_directory", None)
        if not own:
            emit_once("loaded", name=name, path=None)
        elif USE == "baseline":
            emit_once("switched", name=name, to="baseline")
        else:
            emit_once("fallback", name=name, reason=_why(module, kind, **named))
        observed = operations.observed(function, name, "baseline" if own else "kernel", directory)
        if observed is not function:
            layer.forward = types.MethodType(observed, layer)

    module.kernelize_layer = kernelize_layer


def _why(module, kind, *, device_type, mode, **_named):
    """Why a layer keeps its own `forward`."""
    if module._DISABLE_KERNEL_MAPPING:
        return "`DISABLE_KERNEL_MAPPING` is set"
    mapped = module._KERNEL_MAPPING.get().get(str(kind.kernel_layer_name))
    if mapped is None:
        return "no kernel is mapped to it"
    if mapped.get(device_type.type) is None:
        return f"no kernel is mapped to it for `{device_type.type}`"
    return f"no kernel that is mapped to it does {mode}, or it could not be loaded"


def _past_the_loader():
    """At the end: kernels that were imported like any other module."""
    importer = sys.modules.get("kernels.importer")
    through = {kernel.module for kernel in getattr(importer, "_loaded_kernels", {}).values()}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if "." in name or not file or module in through or os.path.basename(file) != "__init__.py":
            continue
        directory = os.path.dirname(os.path.abspath(file))
        for place in (directory, os.path.dirname(directory)):
            if os.path.basename(os.path.dirname(place)) == "build" and os.path.exists(os.path.join(place, "metadata.json")):
                emit_once("kept", name=name, reason="it was imported past the loader")
                break
