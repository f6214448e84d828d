"""The hook of `kernel-builder run --verified`: every kernel is compared with the pins before its code is imported.

Python imports `sitecustomize` by itself, before the program. Configuration: the JSON object in `KERNEL_BUILDER_VERIFY`:
    pinned  SHA-256 of the metadata of each variant, by the variant's name: {"torch-cpu": {"<sha256>": "acme/relu@v1"}}
    events  path of the file for what happened, one JSON object a line
    own     the directory of this file
"""

import base64
import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import sys

_CONFIGURATION = json.loads(os.environ["KERNEL_BUILDER_VERIFY"])
_UNHASHED = ("metadata.json", "metadata.json.sigstore")


def _emit(event, **fields):
    with open(_CONFIGURATION["events"], "a", encoding="utf-8") as events:
        events.write(json.dumps({"event": event, **fields}) + "\n")


def _files(root):
    """Every file of a variant but byte code in its own folders, which this process does not read."""
    found = {}
    for directory, folders, files in os.walk(root, onerror=_fail):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in folders:
            if os.path.islink(os.path.join(directory, name)):
                raise ImportError(f"`{name}` is a link to a directory")
        for name in files:
            path = os.path.join(directory, name)
            found[os.path.relpath(path, root).replace(os.sep, "/")] = path
    return found


def _fail(error):
    raise error


def _hash(path, algorithm):
    digest = hashlib.new(algorithm)
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return base64.b64encode(digest.digest()).decode()


def _check(root):
    """The kernel that a directory holds, by the pins; whatever is not exactly that is an error."""
    with open(os.path.join(root, "metadata.json"), "rb") as file:
        text = file.read()
    pinned = _CONFIGURATION["pinned"].get(os.path.basename(root), {})
    kernel = pinned.get(hashlib.sha256(text).hexdigest())
    if kernel is None:
        raise ImportError("its metadata are not those of any pin")
    digest = json.loads(text)["digest"]
    if digest["algorithm"] not in ("sha256", "sha512"):
        raise ImportError(f"its digest is by `{digest['algorithm']}`")
    expected = dict(digest["files"])
    for name, path in sorted(_files(root).items()):
        if name in _UNHASHED:
            continue
        if name.endswith(".pyc"):
            raise ImportError(f"`{name}` is byte code that nothing vouches for")
        if expected.pop(name, None) != _hash(path, digest["algorithm"]):
            raise ImportError(f"`{name}` is not what the pins vouch for")
    if expected:
        raise ImportError(f"`{sorted(expected)[0]}` is missing")
    return kernel


def _checked(module):
    original = module._import_from_path

    def import_from_path(variant_path, *arguments, **named):
        if variant_path not in module._loaded_kernels:
            root = os.path.abspath(variant_path)
            try:
                kernel = _check(root)
            except Exception as error:
                _emit("refused", path=root, reason=str(error))
                raise ImportError(f"the kernel in `{root}` was refused: {error}") from error
            _emit("verified", path=root, kernel=kernel)
        return original(variant_path, *arguments, **named)

    module._import_from_path = import_from_path


class _Loader(importlib.abc.Loader):
    """Loads the loader's own module, then puts the check before its import."""

    def __init__(self, original):
        self._original = original

    def create_module(self, spec):
        return self._original.create_module(spec)

    def exec_module(self, module):
        self._original.exec_module(module)
        if not hasattr(module, "_import_from_path") or not hasattr(module, "_loaded_kernels"):
            raise ImportError("this version of `kernels` cannot be verified")
        _checked(module)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name not in ("kernels", "kernels.importer"):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        if name == "kernels.importer":
            spec.loader = _Loader(spec.loader)
        elif not any(os.path.exists(os.path.join(place, "importer.py")) for place in spec.submodule_search_locations or []):
            raise ImportError("this version of `kernels` cannot be verified")
        return spec


sys.meta_path.insert(0, _Finder())
_emit("started", pid=os.getpid())

# The environment's own file of this name, if it has one.
_others = [place for place in sys.path if os.path.abspath(place or ".") != _CONFIGURATION["own"]]
_other = importlib.machinery.PathFinder.find_spec("sitecustomize", _others)
if _other is not None and _other.loader is not None:
    _other.loader.exec_module(importlib.util.module_from_spec(_other))
