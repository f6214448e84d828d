"""Make stand-ins for the shared libraries that a torch wheel needs and this environment lacks.

The ordinary torch wheel links against 1.9 GB of NVIDIA libraries that a machine without a GPU never calls. What the
dynamic loader wants of them is small: a file of each name, the symbol versions it was linked with, and an address for each
symbol. This program reads those wants from the wheel's own libraries and compiles exactly that. Every function of a
stand-in returns 100, which is CUDA's "no device", so a call that happens all the same is refused, not miscomputed.

    stand_in_libraries.py SITE_PACKAGES

The stand-ins go to SITE_PACKAGES/nvidia/cu13/lib, a folder on the run path of every library of the wheel: no environment
variable is needed to find them. Only the standard library and a C compiler are used.
"""

import mmap
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

SHT_DYNAMIC, SHT_DYNSYM, SHT_VERNEED, SHT_VERSYM = 6, 11, 0x6FFFFFFE, 0x6FFFFFFF
DT_NEEDED = 1
# Libraries of the operating system, the compiler and the GPU driver: never replaced. The driver's belongs to the machine, and
# torch opens the one library that needs it only where there is a GPU.
SYSTEM = re.compile(r"(lib(c|m|dl|pthread|rt|z|util|stdc\+\+|gcc_s|gomp|gfortran|quadmath|cuda)|ld-linux[-\w]*)\.so(\.|$)")


class SharedLibrary:
    """What one 64-bit little-endian ELF library needs: `needed`, `undefined` as (name, version, file), `defined`."""

    def __init__(self, path):
        self.needed, self.undefined, self.defined = [], set(), set()
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as image:
            self.image = image
            table, = struct.unpack_from("<Q", image, 0x28)
            size, count = struct.unpack_from("<HH", image, 0x3A)
            sections = [struct.unpack_from("<IIQQQQIIQQ", image, table + n * size) for n in range(count)]
            by_type = {section[1]: section for section in sections}
            self._strings = sections[by_type[SHT_DYNSYM][6]][4]
            self._read_needed(by_type[SHT_DYNAMIC])
            self._read_symbols(by_type[SHT_DYNSYM], by_type.get(SHT_VERSYM), self._versions(by_type.get(SHT_VERNEED)))
            del self.image

    def _text(self, offset):
        start = self._strings + offset
        return self.image[start:self.image.find(b"\0", start)].decode()

    def _read_needed(self, section):
        for offset in range(section[4], section[4] + section[5], 16):
            tag, value = struct.unpack_from("<qQ", self.image, offset)
            if tag == DT_NEEDED:
                self.needed.append(self._text(value))

    def _versions(self, section):
        """Version index -> (version, file that must define it)."""
        versions = {}
        if section is None:
            return versions
        entry = section[4]
        while True:
            _, count, file, aux, following = struct.unpack_from("<HHIII", self.image, entry)
            item = entry + aux
            for _ in range(count):
                _, _, index, name, step = struct.unpack_from("<IHHII", self.image, item)
                versions[index & 0x7FFF] = (self._text(name), self._text(file))
                item += step
            if following == 0:
                return versions
            entry += following

    def _read_symbols(self, section, versym, versions):
        for n in range(1, section[5] // 24):
            name, _, _, index = struct.unpack_from("<IBBH", self.image, section[4] + n * 24)
            if index != 0:
                self.defined.add(self._text(name))
                continue
            mark = struct.unpack_from("<H", self.image, versym[4] + 2 * n)[0] & 0x7FFF if versym else 0
            version, file = versions.get(mark, ("", ""))
            self.undefined.add((self._text(name), version, file))


def wanted(libraries, present):
    """Absent library -> version ("" for none) -> symbols that some library of the wheel expects of it."""
    defined = set().union(*(library.defined for library in libraries))
    wants = {}
    for library in libraries:
        absent = [name for name in library.needed if name not in present and not SYSTEM.match(name)]
        for name in absent:
            wants.setdefault(name, {})
        for symbol, version, file in library.undefined:
            if file in absent:
                wants[file].setdefault(version, set()).add(symbol)
            elif not version and absent and symbol not in defined and re.match(r"_*(cu|nccl|nvrtc|nvshmem)", symbol):
                # An unversioned symbol is looked up in the whole set of loaded libraries, so any stand-in may hold it.
                wants[absent[0]].setdefault("", set()).add(symbol)
    return wants


def compile_stand_in(name, versions, folder, compiler):
    """Write `folder/name`: the given symbols under their versions, each a function that returns 100."""
    symbols = sorted(set().union(*versions.values()))
    with tempfile.TemporaryDirectory() as scratch:
        source, script, result = (Path(scratch, part) for part in ("stand_in.c", "versions.map", "result"))
        source.write_text("".join(f"int {symbol}(void) {{ return 100; }}\n" for symbol in symbols))
        blocks = [(version, names) for version, names in sorted(versions.items()) if version]
        script.write_text("".join(
            f"{version} {{ global: {' '.join(s + ';' for s in sorted(names))} }};\n" for version, names in blocks))
        command = [compiler, "-shared", "-fPIC", "-nostdlib", "-w", "-fno-builtin", f"-Wl,-soname,{name}", "-o", result, source]
        if blocks:
            command.append(f"-Wl,--version-script,{script}")
        subprocess.run(command, check=True)
        shutil.move(result, folder / name)
    return len(symbols)


def main(site_packages):
    site = Path(site_packages)
    compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        sys.exit("stand_in_libraries: no C compiler found (looked for $CC, gcc and cc)")
    files = sorted(site.glob("torch/lib/*.so*"))
    if not files:
        sys.exit(f"stand_in_libraries: no torch in {site}")
    folder = site / "nvidia" / "cu13" / "lib"
    folder.mkdir(parents=True, exist_ok=True)
    present = {file.name for file in files} | {file.name for file in site.glob("nvidia/*/lib/*.so*")}
    wants = wanted([SharedLibrary(file) for file in files], present)
    total = sum(compile_stand_in(name, wants[name], folder, compiler) for name in sorted(wants))
    print(f"stand-in libraries: {len(wants)} files, {total} symbols in {folder}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
