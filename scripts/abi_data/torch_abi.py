"""Torch's C shims (the stable ABI), from the headers and libraries of the `torch` wheel.

One line per function: name, the Torch version that introduced it (`base` for
those without a guard in the headers, which every Torch with a stable ABI has),
the header that declares it and the library of this wheel that exports it (`-`
where this build of Torch has none, as for XPU or MPS).
"""

import pathlib
import re

from . import elf
from .packages import Package, Packages
from .tables import write_table

ROOT = "torch/include/torch/csrc/"
FOLDERS = ("stable/c/", "inductor/aoti_torch/c/", "inductor/aoti_torch/generated/")
LIBRARIES = ("c10", "torch_cpu", "torch_cuda", "torch_python")
GUARD = re.compile(r"#\s*if\s+TORCH_FEATURE_VERSION\s*>=\s*TORCH_VERSION_(\d+)_(\d+)_0\s*$")
DECLARATION = re.compile(r"\bAOTI_TORCH_EXPORT\b([^;{]*?)\b(\w+)\s*\(", re.DOTALL)
BASE = (0, 0)


def update(packages: Packages, crates: pathlib.Path) -> list[pathlib.Path]:
    wheel = packages.wheel("torch")
    exporters = exporting_libraries(wheel)
    declared: dict[str, tuple[tuple[int, int], str]] = {}
    for folder in FOLDERS:
        for header in wheel.members(ROOT + folder):
            for name, version in declarations(wheel.read(header).decode()):
                # Declared twice, once guarded: what the more generous header offers is there.
                known = declared.setdefault(name, (version, header.removeprefix("torch/include/")))
                declared[name] = min(known, (version, known[1]))
    rows = [
        (name, "base" if version == BASE else f"{version[0]}.{version[1]}", header, exporters.get(name, "-"))
        for name, (version, header) in declared.items()
    ]
    path = crates / "kernel-abi/src/data/torch_stable_abi.tsv"
    write_table(path, [wheel.provenance("BSD-3-Clause")], ("symbol", "introduced", "header", "library"), rows)
    return [path]


def exporting_libraries(wheel: Package) -> dict[str, str]:
    exporters: dict[str, str] = {}
    for library in LIBRARIES:
        for symbol in elf.exported(wheel.read(f"torch/lib/lib{library}.so")):
            exporters.setdefault(symbol.name, library)
    return exporters


def declarations(header: str) -> list[tuple[str, tuple[int, int]]]:
    """The exported functions of a header with the newest version guard around each."""
    header = re.sub(r"/\*.*?\*/|//[^\n]*", lambda found: "\n" * found[0].count("\n"), header, flags=re.DOTALL)
    guards: list[tuple[int, int]] = []
    parts: list[tuple[tuple[int, int], str]] = []
    for line in header.replace("\\\n", " ").splitlines():
        text = line.strip()
        if re.match(r"#\s*if", text):
            guard = GUARD.match(text)
            if "TORCH_FEATURE_VERSION" in text and not guard:
                raise ValueError(f"version guard of an unknown form: {text}")
            guards.append((int(guard[1]), int(guard[2])) if guard else BASE)
        elif re.match(r"#\s*el", text):
            guards[-1] = BASE
        elif re.match(r"#\s*endif", text):
            guards.pop()
        elif not text.startswith("#"):
            version = max(guards, default=BASE)
            if parts and parts[-1][0] == version:
                parts[-1] = (version, parts[-1][1] + "\n" + line)
            else:
                parts.append((version, line))
    return [(found[2], version) for version, text in parts for found in DECLARATION.finditer(text)]
