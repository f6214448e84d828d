"""Compares every kernel with the pins before its code is imported."""

import base64
import hashlib
import importlib
import json
import os
import re
import stat

from . import CONFIGURATION, emit

_UNHASHED = ("metadata.json", "metadata.json.sigstore")

# Most bytes of metadata, and of any other file: more than kernels have, and little enough to be read to the end.
_LARGEST_METADATA = 64 << 20
_LARGEST_FILE = 16 << 30

# Directories of the kernels that were let through.
_verified = set()
# The versions that were asked for, by repository and commit, or by directory.
_versions = {}


def patches():
    if CONFIGURATION["pinned"] is None:
        return {}
    return {"kernels._rust": _guard_metadata, "kernels.importer": _patch, "kernels.deps": _note_versions}


def _pieces(path, name, most):
    """What a regular file holds. Links are followed, because the loader's cache consists of them; nothing is waited for, as
    a pipe would want it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            raise ImportError(f"`{name}` is no regular file")
        if state.st_size > most:
            raise ImportError(f"`{name}` is larger than {most >> 20} MiB")
        left = state.st_size
        while left and (piece := os.read(descriptor, min(left, 1 << 20))):
            left -= len(piece)
            yield piece
        if left or os.read(descriptor, 1):
            raise ImportError(f"`{name}` changed while it was read")
    finally:
        os.close(descriptor)


def _metadata(path):
    return b"".join(_pieces(path, "metadata.json", _LARGEST_METADATA))


def _files(root):
    """Every file of a variant but byte code in its own folders, which is not read: earlier runs without pins leave it there."""
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


def _is_byte_code(name):
    """Whether the loader's digest leaves a file out as byte code: the same rule as that of `pin`."""
    folders, last = name.split("/"), name.rpartition("/")[2]
    return "__pycache__" in folders or (last.endswith(".pyc") and last != ".pyc")


def _hash(path, name):
    digest = hashlib.sha256()
    for piece in _pieces(path, name, _LARGEST_FILE):
        digest.update(piece)
    return base64.b64encode(digest.digest()).decode()


def _asked(root, arguments):
    """The repository that the program asked for and its versions, as far as it did: a local directory may hold any kernel."""
    for argument in arguments:
        if hasattr(argument, "repo_id") and hasattr(argument, "revision"):
            return argument.repo_id, _versions.get((argument.repo_id, argument.revision), set())
    # Without the network the loader passes on only the place in its cache.
    for folder in reversed(root.split(os.sep)):
        if cached := re.fullmatch("(?:kernel|model)s--(.+?)--(.+)", folder):
            return "/".join(cached.groups()), _versions.get(root, set())
    return None, set()


def _as_asked(kernels, repository, versions):
    """The one of the kernels with this content that was asked for; another one's content, however genuine, is an error."""
    if repository is None:
        return kernels[0]
    own = {name.lower(): name for name in kernels if name.rpartition("@")[0].lower() == repository.lower()}
    wanted = {f"{repository}@v{version}".lower() for version in versions}
    if not own or not wanted <= set(own):
        words = " and ".join(sorted(wanted)) or repository
        raise ImportError(f"it is `{kernels[0]}`, and `{words}` was asked for")
    return own[min(wanted, default=min(own))]


def _note_versions(module):
    """Remembers which version what was found was asked for as: the loader passes on only the commit."""
    original = module.resolve_kernel_tree

    def resolve_kernel_tree(*arguments, **named):
        kernel = named.get("kernel", arguments[1] if len(arguments) > 1 else None)
        node = original(*arguments, **named)
        version = getattr(getattr(kernel, "version", None), "version", None)
        if version is not None:
            path = getattr(node.location, "variant_path", None)
            found = os.path.abspath(path) if path else (node.location.repo_id, node.location.revision)
            _versions.setdefault(found, set()).add(version)
        return node

    module.resolve_kernel_tree = resolve_kernel_tree


def _check(root, arguments):
    """The kernel that a directory holds, by the pins; whatever is not exactly that is an error."""
    text = _metadata(os.path.join(root, "metadata.json"))
    pinned = CONFIGURATION["pinned"].get(os.path.basename(root), {})
    kernels = pinned.get(hashlib.sha256(text).hexdigest())
    if not kernels:
        raise ImportError("its metadata are not those of any pin")
    kernel = _as_asked(kernels, *_asked(root, arguments))
    digest = json.loads(text).get("digest")
    if not digest:
        raise ImportError("it has no digest")
    if digest["algorithm"] != "sha256":
        raise ImportError("its digest is not by SHA-256")
    expected = dict(digest["files"])
    files = _files(root)
    for name in sorted({*files, *expected}):
        if name not in _UNHASHED and _is_byte_code(name):
            raise ImportError(f"`{name}` is byte code that nothing vouches for")
    for name, path in sorted(files.items()):
        if name in _UNHASHED:
            continue
        if name not in expected:
            raise ImportError(f"nothing vouches for `{name}`")
        if expected.pop(name) != _hash(path, name):
            raise ImportError(f"`{name}` was changed")
    if expected:
        raise ImportError(f"`{sorted(expected)[0]}` is missing")
    return kernel


def _refuse(root, error):
    emit("refused", path=root, reason=str(error))
    return ImportError(f"the kernel in `{root}` was refused: {error}")


def _guard_metadata(module):
    """The loader reads metadata long before it imports, and would wait for a pipe in their place."""
    original = module.Metadata

    def read_from_file(path):
        try:
            text = _metadata(path)
        except ImportError as error:
            raise _refuse(os.path.dirname(os.path.abspath(path)), error) from error
        return original.from_bytes(text)

    try:
        original.read_from_file = staticmethod(read_from_file)
    except (AttributeError, TypeError) as error:
        raise ImportError("this version of `kernels` cannot be verified") from error


def _ignore_bytecode():
    """Keeps Python from the byte code beside the sources of verified kernels, which nothing vouches for. A variable that leads
    Python elsewhere for it would not do: a program can change that, and all of its libraries would be compiled anew."""
    machinery = importlib._bootstrap_external
    original = machinery.cache_from_source

    def cache_from_source(path, *arguments, **named):
        place = os.path.abspath(path)
        if any(place.startswith(root + os.sep) for root in _verified):
            # The loaders of sources take this for a Python without byte code.
            raise NotImplementedError("verified kernels are compiled from their sources")
        return original(path, *arguments, **named)

    machinery.cache_from_source = cache_from_source


def _patch(module):
    if not hasattr(module, "_import_from_path") or not hasattr(module, "_loaded_kernels"):
        raise ImportError("this version of `kernels` cannot be verified")
    _ignore_bytecode()
    original = module._import_from_path

    def import_from_path(variant_path, *arguments, **named):
        if variant_path not in module._loaded_kernels:
            root = os.path.abspath(variant_path)
            try:
                kernel = _check(root, [*arguments, *named.values()])
            except Exception as error:
                raise _refuse(root, error) from error
            _verified.add(root)
            emit("verified", path=root, kernel=kernel)
        return original(variant_path, *arguments, **named)

    module._import_from_path = import_from_path
