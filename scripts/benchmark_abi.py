"""Measure `check-abi` and `hash` on large files: median wall time, largest resident memory, and ratios.

    benchmark_abi.py PROGRAM DIR [PEER]
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from benchmark import measure

MEGABYTE = 1 << 20
LIBRARY = 400 * MEGABYTE
FILES, FILE = 64, 8 * MEGABYTE
VARIANT = "torch213-cxx11-cu130-x86_64-linux"
SOURCE = """
extern int puts(const char *);
__attribute__((visibility("default"))) void *PyInit__big_cuda_0(void) { return (void *)puts; }
"""
DATA = SOURCE + """
__asm__(".section .payload,\\"a\\",@progbits\\n.incbin \\"payload\\"\\n.previous");
"""
# One machine code for 9.0, as the run time of CUDA finds it: a wrapper, a container, an entry.
GPU = SOURCE + f"""
__asm__(".section .nv_fatbin,\\"a\\",@progbits\\n.hidden code\\n.globl code\\ncode: .long 0xba55ed50\\n"
        ".short 1, 16\\n.quad {LIBRARY + 64}\\n"
        ".short 2, 0x101\\n.long 64\\n.quad {LIBRARY}\\n.long 0, 0, 0, 90\\n.zero 32\\n.incbin \\"payload\\"\\n.previous");
extern const char code[] __attribute__((visibility("hidden")));
struct {{ unsigned magic, version; const void *code, *unused; }} wrapper
    __attribute__((used, visibility("hidden"), section(".nvFatBinSegment"))) = {{ 0x466243b1, 1, code, 0 }};
"""


def random_bytes(path, size):
    with open(path, "wb") as file:
        for _ in range(size // MEGABYTE):
            file.write(os.urandom(MEGABYTE))


def big_library(folder, source):
    """A library of which 400 MB are one section that is loaded: as GPU code or as ordinary read-only data."""
    random_bytes(folder / "payload", LIBRARY)
    (folder / "big.c").write_text(source)
    subprocess.run(["gcc", "-shared", "-fPIC", "-fvisibility=hidden", "big.c", "-o", "_big_cuda_0.abi3.so"], cwd=folder, check=True)
    (folder / "payload").unlink()
    (folder / "big.c").unlink()


def judge(title, project, programs, ends=(0,)):
    """Our `check-abi` on a project, the peer's, and how they compare."""
    ours, *others = [measure(f"{words}, {title}", [program, "check-abi", project], project, ends=ends)
                     for words, program in zip(("check-abi", "  the peer's"), programs)]
    for theirs in others:
        print(f"  the peer takes {theirs / ours:.1f} times as long")
    shutil.rmtree(project)


def variant(root, sizes):
    """Makes a project with one built variant that holds files of these sizes."""
    folder = root / "build" / VARIANT
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "metadata.json").write_text('{"name": "big", "id": "_big_cuda_0", "version": 1, "license": "Apache-2.0",'
                                          ' "python-depends": [], "backend": {"type": "cuda"}}\n')
    files = []
    for number, size in enumerate(sizes):
        files.append(folder / f"payload{number}.bin")
        random_bytes(files[-1], size)
    return files


def main():
    program, directory = sys.argv[1], Path(sys.argv[2]).absolute()
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    print(f"{os.cpu_count()} processors")
    programs = [program, *sys.argv[3:4]]
    place = directory / "big"
    folder = place / "build" / VARIANT
    for title, source in (("GPU code", GPU), ("data", DATA)):
        variant(place, [])
        big_library(folder, source)
        judge(f"400 MB of {title}", place, programs)
    # A library that exists: most of it is GPU code. As a kernel it is none, so how the programs end does not count.
    for library in Path(".environment").glob("lib/*/site-packages/torch/lib/libtorch_cuda.so"):
        variant(place, [])
        shutil.copy(library, folder / "_big_cuda_0.abi3.so")
        judge(f"{library.name} of {library.stat().st_size // MEGABYTE} MB", place, programs, ends=(0, 1, 6))
    for title, sizes in ((f"one file of {LIBRARY // MEGABYTE} MB", [LIBRARY]),
                         (f"{FILES} files of {FILE // MEGABYTE} MB", [FILE] * FILES)):
        place = directory / f"hash-{len(sizes)}"
        files = variant(place, sizes)
        ours = measure(f"hash, {title}", [program, "hash", place], directory)
        theirs = measure("  openssl dgst -sha256", ["openssl", "dgst", "-sha256", *files], directory)
        print(f"  {theirs / ours:.2f} times the speed of openssl")
        shutil.rmtree(place)
    shutil.rmtree(directory)


if __name__ == "__main__":
    main()
