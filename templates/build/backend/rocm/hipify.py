"""Translates sources of CUDA to HIP with torch's hipify: `hipify.py HIPIFY OUT LIST`.

HIPIFY is the directory of torch's hipify, which is loaded by itself: torch is not imported. LIST is JSON: each input with the name
of its translation, which of them are sources of CUDA, and the include directories. Everything happens in copies below OUT, where
each input has both names afterwards; a file there is replaced only when it changes, so that nothing is compiled without need.
"""

import contextlib
import importlib.util
import io
import json
import os
import shutil
import sys
from pathlib import Path


def load(directory):
    location = directory / "__init__.py"
    places = [str(directory)]
    spec = importlib.util.spec_from_file_location("hipify", location, submodule_search_locations=places)
    sys.modules["hipify"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["hipify"])
    return importlib.import_module("hipify.hipify_python")


def translate(hipify, fresh, wanted):
    for path in wanted["inputs"]:
        target = fresh / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        hipify.hipify(
            project_directory=str(fresh),
            output_directory=str(fresh),
            includes=[f"{fresh}/*"],
            extra_files=[str(fresh / path) for path in wanted["sources"]],
            header_include_dirs=[str(fresh / path) for path in wanted["include"]],
            hipify_extra_files_only=True,
            is_pytorch_extension=True,
            show_progress=False,
        )
    for path, translated in wanted["inputs"].items():
        if (fresh / translated).is_file():
            continue
        if path in wanted["sources"]:
            sys.exit(f"hipify did not make {translated} of {path}\n{said.getvalue()}")
        (fresh / translated).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, fresh / translated)


def settle(fresh, out):
    """Brings what changed, and takes away what is no longer made."""
    made = {path.relative_to(fresh) for path in fresh.rglob("*") if path.is_file()}
    for path in [path for path in out.rglob("*") if path.is_file()]:
        if path.relative_to(out) not in made:
            path.unlink()
    for path in made:
        target = out / path
        if not target.is_file() or target.read_bytes() != (fresh / path).read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(fresh / path, target)
    shutil.rmtree(fresh)


def main():
    sys.dont_write_bytecode = True
    directory, out, listing = (Path(argument).absolute() for argument in sys.argv[1:4])
    fresh = out.with_name(out.name + ".fresh")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    translate(load(directory), fresh, json.loads(listing.read_text(encoding="utf-8")))
    settle(fresh, out)


main()
