"""Changes modules right after Python has executed them, before anybody else sees them."""

import importlib.abc
import importlib.machinery
import os
import sys

from . import CONFIGURATION, emit


class _Loader(importlib.abc.Loader):
    def __init__(self, original, patches):
        self._original = original
        self._patches = patches

    def create_module(self, spec):
        return self._original.create_module(spec)

    def exec_module(self, module):
        self._original.exec_module(module)
        for patch in self._patches:
            patch(module)

    def __getattr__(self, name):
        # Resources and sources of the module are asked for through its loader.
        return getattr(self._original, name)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, patches):
        self._patches = patches

    def find_spec(self, name, path=None, target=None):
        if name not in self._patches and name != "kernels":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        if name == "kernels":
            _look(spec)
        else:
            spec.loader = _Loader(spec.loader, self._patches[name])
        return spec


def _look(spec):
    """Whether this version of the library has the modules that are changed."""
    places = spec.submodule_search_locations or []
    has = lambda *parts: any(os.path.exists(os.path.join(place, *parts)) for place in places)
    if CONFIGURATION["pinned"] is not None and not all(map(has, ("importer.py", "deps.py", "_versions.py"))):
        raise ImportError("this version of `kernels` cannot be verified")
    if CONFIGURATION["use"] is not None and not (has("load.py") and has("layer", "layer.py")):
        emit("kept", name="kernels", reason="this version of the library cannot be switched")


def install(patches):
    """Applies each function to the module of its name."""
    sys.meta_path.insert(0, _Finder(patches))
