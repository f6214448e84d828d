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

# The kernels that were let through: by directory, the pins that they are.
_verified = {}
# The versions that a commit was found by, by repository and commit.
_versions = {}
# What was asked for, by repository and revision, or by directory.
_wanted = {}


def patches():
    if CONFIGURATION["pinned"] is None:
        return {}
    return {
        "kernels._rust": _guard_metadata,
        "kernels._versions": _note_versions,
        "kernels.deps": _note_requests,
        "kernels.importer": _patch,
    }


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


def _key(name):
    """A kernel's name, `OWNER/NAME@REVISION`, as what is compared: repositories are the same in any case of letters."""
    repository, _, revision = name.rpartition("@")
    return repository.lower(), revision


def _asked(root, arguments):
    """The repository that the program asked for and what of it, as far as it did: a local directory may hold any kernel."""
    for argument in arguments:
        if hasattr(argument, "repo_id") and hasattr(argument, "revision"):
            return argument.repo_id, _wanted.get((argument.repo_id, argument.revision), set())
    # Without the network the loader passes on only the place in its cache.
    return _cached(root), _wanted.get(root, set())


def _cached(root):
    """The repository of a directory in the loader's cache."""
    for folder in reversed(root.split(os.sep)):
        if cached := re.fullmatch("(?:kernel|model)s--(.+?)--(.+)", folder):
            return "/".join(cached.groups())
    return None


def _as_asked(kernels, repository, wanted):
    """The one of the kernels with this content that was asked for; another one's content, however genuine, is an error."""
    if repository is None:
        return kernels[0]
    own = {_key(name): name for name in kernels if _key(name)[0] == repository.lower()}
    if not own or not wanted <= set(own):
        words = "` and `".join("@".join(key) for key in sorted(wanted)) or repository
        raise ImportError(f"it is `{kernels[0]}`, and `{words}` was asked for")
    return own[min(wanted, default=min(own))]


def _note_versions(module):
    """Remembers which version led to a commit: layers ask for the version, and load by the commit alone."""
    original = module.resolve_version_spec_as_ref

    def resolve_version_spec_as_ref(repo_id, version_spec, *arguments, **named):
        found = original(repo_id, version_spec, *arguments, **named)
        _versions.setdefault((repo_id.lower(), found.target_commit), set()).add(f"v{version_spec}")
        return found

    module.resolve_version_spec_as_ref = resolve_version_spec_as_ref


def _names(kernel):
    """The pins that a request is held to: a version, or the branch or the commit of a pin."""
    repository = kernel.repo_id.lower()
    version = getattr(kernel.version, "version", None)
    if version is not None:
        return {(repository, f"v{version}")}
    revision = kernel.version.revision
    branch = revision.removeprefix("refs/heads/")
    revisions = set(_versions.get((repository, revision), ()))
    if re.fullmatch("v[0-9]+", branch):
        revisions.add(branch)
    is_commit = re.fullmatch("[0-9a-f]{7,40}", revision) is not None
    for name, commit in CONFIGURATION["commits"].items():
        of, pinned = _key(name)
        if of == repository and (pinned == branch or (is_commit and commit.startswith(revision))):
            revisions.add(pinned)
    return {(repository, revision) for revision in revisions}


def _note_requests(module):
    """Remembers what each kernel was asked for as: the importer is told the commit at most."""
    original = module.resolve_kernel_tree

    def resolve_kernel_tree(*arguments, **named):
        kernel = named.get("kernel", arguments[1] if len(arguments) > 1 else None)
        node = original(*arguments, **named)
        path = getattr(node.location, "variant_path", None)
        if path is None:
            found = (node.location.repo_id, node.location.revision)
        else:
            found = os.path.abspath(path)
            # What is asked for by a path is no version of a repository.
            if (_cached(found) or "").lower() != kernel.repo_id.lower():
                return node
        _wanted.setdefault(found, set()).update(_names(kernel))
        return node

    module.resolve_kernel_tree = resolve_kernel_tree


def _check(root, asked):
    """The kernels that a directory holds, by the pins, and which of them was asked for; whatever is not exactly that is an
    error."""
    text = _metadata(os.path.join(root, "metadata.json"))
    pinned = CONFIGURATION["pinned"].get(os.path.basename(root), {})
    kernels = pinned.get(hashlib.sha256(text).hexdigest())
    if not kernels:
        raise ImportError("its metadata are not those of any pin")
    kernel = _as_asked(kernels, *asked)
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
    return kernels, kernel


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
        root = os.path.abspath(variant_path)
        try:
            asked = _asked(root, [*arguments, *named.values()])
            if variant_path in module._loaded_kernels and root in _verified:
                _as_asked(_verified[root], *asked)
            else:
                kernels, kernel = _check(root, asked)
                _verified[root] = kernels
                emit("verified", path=root, kernel=kernel)
        except Exception as error:
            raise _refuse(root, error) from error
        return original(variant_path, *arguments, **named)

    module._import_from_path = import_from_path
