"""Measure builds against the same commands without the program: a change of one source, many variants at once.

    benchmark_builds.py PROGRAM DIR

Needs the environment of the tests (`VIRTUAL_ENV`); with a `clang++-19` in PATH it is measured beside g++. It judges nothing.
"""

import concurrent.futures
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

INDEX = Path(__file__).resolve().parent.parent / "crates/kernel-builder/tests/it/index.py"
VARIANTS = 12
RUNS = 5

GENERAL = '[general]\nname = "many-ways"\nversion = 1\nedition = 5\nlicense = "Apache-2.0"\nbackends = ["cpu"]\n\n'
TORCH = GENERAL + '[torch]\nsrc = ["binding.cpp"]\n\n[kernel.own]\nbackend = "cpu"\ndepends = ["torch"]\nsrc = ["own.cpp"]\n'
BINDING = """#include <torch/library.h>
#include "registration.h"
int64_t own(at::Tensor x);
TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops) { ops.def("own(Tensor x) -> int", &own); }
REGISTER_EXTENSION(TORCH_EXTENSION_NAME)
"""
LEAN = "#include <ATen/core/Tensor.h>\nint64_t own(at::Tensor x) { return x.numel(); }\n"
ALL = "#include <torch/all.h>\nint64_t own(at::Tensor x) { return x.numel(); }\n"
SMALL = 'extern "C" __attribute__((visibility("default"))) int __tvm_ffi_%s() { return %d; }\n'


def run(arguments, directory, **variables):
    begin = time.perf_counter()
    environment = {**os.environ, **variables}
    ran = subprocess.run(arguments, cwd=directory, env=environment, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"benchmark: {arguments} failed:\n{ran.stdout}{ran.stderr}")
    return time.perf_counter() - begin, ran.stdout


def say(title, seconds):
    print(f"{title:<72} {seconds * 1000:9.1f} ms", flush=True)


def write(directory, files):
    for path, text in files.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_text(text)


def changed_source(program, directory):
    """A warm rebuild after a change of one source that includes torch's headers, and the compiler alone on that source."""
    for compiler in filter(shutil.which, ["g++", "clang++-19"]):
        for name, source in (("lean headers", LEAN), ("torch/all.h", ALL)):
            project = directory / f"{compiler}-{name.replace('/', '-').replace(' ', '-')}"
            package = {"torch-ext/many_ways/__init__.py": "from ._ops import ops\n"}
            write(project, {"build.toml": TORCH, "binding.cpp": BINDING, "own.cpp": source, **package})
            build = [program, "build", "--dev"]
            run(build, project, CXX=compiler)
            write(project, {"own.cpp": source + "// changed\n"})
            warm, _ = run(build, project, CXX=compiler)
            ninja = shutil.which("ninja") or Path(os.environ["VIRTUAL_ENV"]) / "bin/ninja"
            _, commands = run([ninja, "-f", ".kernel-builder/build.ninja", "-t", "commands"], project)
            command = next(line for line in commands.splitlines() if " -c own.cpp" in line)
            alone, _ = run(["sh", "-c", command], project)
            say(f"{compiler}, {name}: rebuild after a change of one source", warm)
            say(f"{compiler}, {name}: the compiler alone on that source", alone)


def index(directory, versions):
    wheels = {
        f"apache_tvm_ffi-0.{minor}.0-py3-none-any.whl": {
            "files": {"tvm_ffi/include/stand_in.h": "", "tvm_ffi/_version.py": f"__version__ = '0.{minor}.0'\n"}
        }
        for minor in versions
    }
    arguments = [sys.executable, INDEX, directory, json.dumps({"wheels": wheels, "ranges": True})]
    server = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    return server, f"http://127.0.0.1:{server.stdout.readline().strip()}/simple"


def many_variants(program, directory):
    """Twelve variants without anything to do; four at once against the same commands started by a pool of processes."""
    versions = range(1, VARIANTS + 1)
    matrix = "schema = 1\n" + "".join(
        f'[[tvm-ffi]]\nversion = "0.{minor}"\nbackend = "cpu"\nsystems = ["{os.uname().machine}-linux"]\n' for minor in versions
    )
    sources = [f"unit_{number}.cpp" for number in range(20)]
    listed = ", ".join(f'"{source}"' for source in sources)
    manifest = f'{GENERAL}[tvm-ffi]\nsrc = ["binding.cpp"]\n\n[kernel.own]\nbackend = "cpu"\ndepends = []\nsrc = [{listed}]\n'
    project = directory / "many"
    write(project, {"build.toml": manifest, "matrix.toml": matrix, "binding.cpp": SMALL % ("binding", 0)})
    write(project, {"tvm-ffi-ext/many_ways/__init__.py": "from ._ops import ops\n"})
    write(project, {source: "#include <regex>\n" + SMALL % (source[:-4], 1) for source in sources})
    server, address = index(directory / "index", versions)
    variables = {
        "KERNEL_BUILDER_MATRIX": str(project / "matrix.toml"), "KERNEL_BUILDER_CACHE_DIR": str(directory / "cache"),
        "UV_DEFAULT_INDEX": address, "UV_NO_CACHE": "1",
    }
    try:
        names = [f"tvm-ffi0{minor}-cpu-{os.uname().machine}-linux" for minor in versions]
        chosen = lambda some: [word for name in some for word in ("--variant", name)]
        run([program, "build", *chosen(names[:1])], project, **variables)
        four = names[1:5]
        run([program, "toolchain", "fetch", *(f"tvm-ffi-0.{minor}" for minor in versions)], project, **variables)
        together, _ = run([program, "build", *chosen(four)], project, **variables)
        say("four variants of 20 sources, by the program", together)
        say("the same compiles without the links, by a pool of as many processes", pool(project, four))
        run([program, "build", *chosen(names)], project, **variables)
        idle = [run([program, "build", *chosen(names)], project, **variables)[0] for _ in range(RUNS)]
        say(f"{VARIANTS} variants with nothing to do", statistics.median(idle))
    finally:
        server.kill()


def pool(project, names):
    """As `make -j` would: compiles side by side, then the links."""
    ninja = shutil.which("ninja") or Path(os.environ["VIRTUAL_ENV"]) / "bin/ninja"
    targets = [f".kernel-builder/{name}/all" for name in names]
    commands = [ninja, "-f", ".kernel-builder/build.ninja", "-t", "commands", *targets]
    _, listed = run(commands, project)
    run([ninja, "-f", ".kernel-builder/build.ninja", "-t", "clean"], project)
    # The links are left out: their arguments are in files that Ninja removes.
    compiles = [line for line in dict.fromkeys(listed.splitlines()) if " -c " in line]
    begin = time.perf_counter()
    for line in compiles:
        output = Path(line.rsplit(" -o ", 1)[1].strip())
        (project / output).parent.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        list(workers.map(lambda line: run(["sh", "-c", line], project), compiles))
    return time.perf_counter() - begin


def main():
    program, directory = Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute() / "builds"
    shutil.rmtree(directory, ignore_errors=True)
    many_variants(program, directory)
    changed_source(program, directory)


if __name__ == "__main__":
    main()
