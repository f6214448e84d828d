"""The pytest plugin of `kernel-builder test`.

It makes a project's own suite run against one *built* variant, the way users load it: `get_kernel(<repo id>)` and
`get_local_kernel` answer with the artifact through the real `kernels` loader, and a plain `import <package>` finds the
same module. What happened is written as JSON Lines to the file named in the configuration, never to standard output,
because that belongs to the tests.

Configuration: the JSON object in the environment variable `KERNEL_BUILDER_TEST`:
    events        path of the file for the events
    root          directory that holds `build/<variant>`
    variant       name of the variant
    variant_path  the variant's directory as the loader will see it
    backend       backend of the variant
    package       name of the project's Python package
"""

import importlib
import importlib.abc
import importlib.machinery
import json
import os
import sys
import traceback
from pathlib import Path

import pytest

_CONFIGURATION = json.loads(os.environ["KERNEL_BUILDER_TEST"])


class _Events:
    """Writes one JSON object a line; each line is flushed, so a crash loses nothing that happened before it."""

    def __init__(self, path):
        self._file = open(path, "a", encoding="utf-8")

    def __call__(self, event, **fields):
        self._file.write(json.dumps({"event": event, **fields}) + "\n")
        self._file.flush()


_emit = _Events(_CONFIGURATION["events"])


def _replace(module, name, make):
    """Replaces a function of the loader everywhere the loader's own modules refer to it."""
    original = getattr(module, name)
    replacement = make(original)
    for known in list(sys.modules.values()):
        if getattr(known, "__name__", "").split(".")[0] == "kernels" and getattr(known, name, None) is original:
            setattr(known, name, replacement)


def _choose_backend():
    """Makes the loader choose the variant's backend where it would not by itself.

    The loader decides by what torch was compiled for: with the ordinary torch wheel it looks for CUDA variants even
    on a machine without a GPU. Only `cpu` can be asked for beside that backend.
    """
    from kernels import backends, load

    detected = backends._backend().name
    wanted = _CONFIGURATION["backend"]
    if detected == wanted or wanted != "cpu":
        return
    _replace(
        load,
        "get_kernel_with_resolver",
        lambda resolve: lambda *, backend, **arguments: resolve(
            backend=wanted if backend is None else backend, **arguments
        ),
    )
    _emit("backend", detected=detected, chosen=wanted)


_uses = 0


def _count_uses():
    """Counts how often the project's tests get the artifact: a suite that never does proves nothing about it."""
    from kernels import importer

    artifact = os.path.realpath(_CONFIGURATION["variant_path"])

    def counting(import_from_path):
        def import_and_count(variant_path, *arguments, **keywords):
            global _uses
            if os.path.realpath(variant_path) == artifact:
                _uses += 1
            return import_from_path(variant_path, *arguments, **keywords)

        return import_and_count

    _replace(importer, "_import_from_path", counting)


def _load_artifact():
    """The built variant as a module, through the loader."""
    from kernels import get_local_kernel

    return get_local_kernel(Path(_CONFIGURATION["root"]))


class _PackageFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers `import <package>` and `import <package>.<module>` with the loaded artifact's own modules.

    The loader keeps the package under its id. A second copy under the plain name would register the kernel's
    operators twice, so the plain names are made aliases.
    """

    def __init__(self, package):
        self._package = package
        self._own_specs = {}

    def find_spec(self, fullname, path=None, target=None):
        if fullname == self._package or fullname.startswith(self._package + "."):
            return importlib.machinery.ModuleSpec(fullname, self)
        return None

    def create_module(self, spec):
        name = _load_artifact().__name__ + spec.name[len(self._package) :]
        module = importlib.import_module(name)
        self._own_specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module):
        # The module was executed under its own name already; the import system has just put the alias's spec on it.
        module.__spec__ = self._own_specs[module.__spec__.name]


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config, parser, args):
    """Before any file of the project is imported."""
    try:
        _choose_backend()
        artifact = _load_artifact()
    except BaseException as error:  # noqa: B902 - whatever it is, the parent has to hear of it
        _emit("load-failed", error=f"{type(error).__name__}: {error}", trace=traceback.format_exc())
        raise pytest.UsageError(f"the built variant could not be loaded: {type(error).__name__}: {error}")
    _emit("loaded", id=artifact.__name__)
    _count_uses()
    sys.meta_path.insert(0, _PackageFinder(_CONFIGURATION["package"]))


def pytest_configure(config):
    config.addinivalue_line("markers", "kernels_ci: small tests that run for every build of the kernel")


def pytest_collectreport(report):
    if report.failed:
        _emit("collect-failed", id=report.nodeid, message=_text(report.longrepr))
    elif report.skipped:
        _emit("test", id=report.nodeid, outcome="skipped", phase="collect", seconds=0.0, message=_reason(report))


def pytest_runtest_logreport(report):
    xfail = hasattr(report, "wasxfail")
    if report.when == "call" or report.outcome != "passed":
        outcome = report.outcome
        if xfail:
            outcome = "xfailed" if report.skipped else "xpassed"
        elif report.failed and report.when != "call":
            outcome = "error"
        message = report.wasxfail if xfail else _reason(report) if report.skipped else _text(report.longrepr)
        _emit(
            "test",
            id=report.nodeid,
            outcome=outcome,
            phase=report.when,
            seconds=report.duration,
            message=message if outcome != "passed" else "",
        )


def pytest_sessionfinish(session, exitstatus):
    _emit("finished", status=int(exitstatus), uses=_uses, versions=_versions())


def _versions():
    from importlib import metadata

    versions = {"python": ".".join(str(part) for part in sys.version_info[:3])}
    for name in ("kernels", "torch", "apache-tvm-ffi", "jax", "numpy", "pytest", "triton"):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            pass
    return versions


def _reason(report):
    """Why a test was skipped, without the place pytest puts before it."""
    longrepr = report.longrepr
    if isinstance(longrepr, tuple):
        return str(longrepr[2]).removeprefix("Skipped: ")
    return _text(longrepr)


def _text(longrepr):
    """The end of a failure's text: the assertion and what led to it."""
    text = str(longrepr) if longrepr is not None else ""
    return text if len(text) <= 4000 else "…" + text[-4000:]
