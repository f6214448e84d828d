"""Measure the program: wall and processor time (medians of several runs) and the largest memory of any child.

    benchmark.py PROGRAM DIR
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

RUNS = 9
SOURCES = 3500


def run(arguments, directory, ends=(0,)):
    begin = time.perf_counter()
    child = subprocess.Popen(arguments, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    words = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) not in ends:
        sys.exit(f"benchmark: {arguments} failed:\n{words.decode(errors='replace')}")
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(title, arguments, directory, before=lambda: None, ends=(0,)):
    results = []
    for _ in range(RUNS):
        before()
        results.append(run(arguments, directory, ends))
    seconds, processor = (statistics.median(column) for column in list(zip(*results))[:2])
    memory = max(memory for *_, memory in results)
    print(f"{title:<52} {seconds * 1000:8.1f} ms {processor * 1000:8.1f} ms of CPU  {memory:6.0f} MiB", flush=True)
    return seconds


def many_sources(project):
    """A project whose manifest lists thousands of small sources in many components."""
    names = [f"src/part{number % 50}/unit_{number:04}.cpp" for number in range(SOURCES)]
    for number, name in enumerate(names):
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"int unit_{number}() {{ return {number}; }}\n")
    text = (project / "build.toml").read_text()
    for part in range(50):
        sources = ", ".join(f'"{name}"' for name in names[part::50])
        text += f'\n[kernel.part{part}]\nbackend = "cpu"\ndepends = ["torch"]\nsrc = [{sources}]\n'
    (project / "build.toml").write_text(text)


def overhead(program, sample):
    """The same compiler commands with the program around them, and run by Ninja alone."""
    shutil.rmtree(sample / ".kernel-builder")
    around, *_ = run([program, "build"], sample)
    ninja = shutil.which("ninja") or Path(os.environ["VIRTUAL_ENV"]) / "bin" / "ninja"
    by_hand = [ninja, "-f", ".kernel-builder/build.ninja"]
    os.environ["PWD"] = "/proc/self/cwd"
    run([*by_hand, "-t", "clean"], sample)
    alone, *_ = run(by_hand, sample)
    print(f"{'build of everything, by the program':<52} {around * 1000:8.1f} ms")
    print(f"{'the same commands, by Ninja alone':<52} {alone * 1000:8.1f} ms  {(around / alone - 1) * 100:+.1f} %")


def main():
    program, directory = Path(sys.argv[1]).absolute(), Path(sys.argv[2])
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    init = [program, "init", "sample", "--name", "demo/sample"]
    measure("init", init, directory, lambda: shutil.rmtree(directory / "sample", ignore_errors=True))

    sample = directory / "sample"
    first, *_ = run([program, "build"], sample)
    print(f"{'first build':<52} {first * 1000:8.1f} ms")
    measure("build with nothing to do", [program, "build"], sample)

    subprocess.run([program, "init", "many", "--name", "demo/many"], cwd=directory, check=True, capture_output=True)
    many_sources(directory / "many")
    for words in (["--help"], ["check"], ["variants"]):
        measure(f"{' '.join(words)} on {SOURCES} sources", [program, *words], directory / "many")

    overhead(program, sample)


if __name__ == "__main__":
    main()
