"""Compares every kernel with the pins before its code is imported."""

import base64
import hashlib
import json
import os

from . import CONFIGURATION, emit

_UNHASHED = ("metadata.json", "metadata.json.sigstore")


def patches():
    return {} if CONFIGURATION["pinned"] is None else {"kernels.importer": _patch}


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
    pinned = CONFIGURATION["pinned"].get(os.path.basename(root), {})
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


def _patch(module):
    if not hasattr(module, "_import_from_path") or not hasattr(module, "_loaded_kernels"):
        raise ImportError("this version of `kernels` cannot be verified")
    original = module._import_from_path

    def import_from_path(variant_path, *arguments, **named):
        if variant_path not in module._loaded_kernels:
            root = os.path.abspath(variant_path)
            try:
                kernel = _check(root)
            except Exception as error:
                emit("refused", path=root, reason=str(error))
                raise ImportError(f"the kernel in `{root}` was refused: {error}") from error
            emit("verified", path=root, kernel=kernel)
        return original(variant_path, *arguments, **named)

    module._import_from_path = import_from_path
