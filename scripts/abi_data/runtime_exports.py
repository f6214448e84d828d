"""What the run-time libraries that a kernel may name export: CUDA, HIP, OpenMP and TVM FFI.

A kernel is linked to them through stubs that carry nothing but a name, so the
linker cannot see a misspelled or missing function; the check after the link
looks here. Versions are left out: references to these libraries carry none.
Torch's names are elsewhere, by release (`torch_names.py`).
"""

import fnmatch
import pathlib
import zlib

from . import elf
from .packages import Package, Packages
from .tables import provenance_line

NVIDIA = "LicenseRef-NVIDIA-Proprietary"
# Library, wheel, member of the wheel, licence. Torch carries the libgomp that is in the process.
WHEELS = (
    ("libcudart.so.12", "nvidia-cuda-runtime-cu12", "*/libcudart.so.12", NVIDIA),
    ("libcudart.so.13", "nvidia-cuda-runtime", "*/libcudart.so.13", NVIDIA),
    ("libgomp.so.1", "torch", "torch/lib/libgomp.so.1", "GPL-3.0-or-later WITH GCC-exception-3.1"),
    ("libtvm_ffi.so", "apache-tvm-ffi", "tvm_ffi/lib/libtvm_ffi.so", "Apache-2.0"),
)
# The newest HIP run time in reach; HIP keeps old functions, so this stands for later versions too.
HIP = ("libamdhip64.so", "sid", "libamdhip64-6", "MIT")


def update(packages: Packages, crates: pathlib.Path) -> list[pathlib.Path]:
    provenance, sections = [], []
    for library, name, member, licence in WHEELS:
        wheel = packages.wheel(name)
        found = [entry for entry in wheel.members("") if fnmatch.fnmatch(entry, member)]
        provenance.append(provenance_line(wheel.provenance(licence)))
        sections += section(library, wheel.read(found[0]), c_only=library == "libtvm_ffi.so")
    library, suite, name, licence = HIP
    package: Package = packages.debian(suite, "amd64", [name])[0]
    provenance.append(provenance_line(package.provenance(licence)))
    files = package.files()
    sections += section(library, next(files[file] for file in sorted(files) if file.startswith(library)), c_only=False)
    path = crates / "kernel-core/data/link/runtimes.txt.zlib"
    path.write_bytes(zlib.compress(("\n".join(provenance + sections) + "\n").encode(), 9))
    return [path]


def section(library: str, content: bytes, c_only: bool) -> list[str]:
    names = {symbol.name for symbol in elf.exported(content)}
    return [f"= {library}", *sorted(name for name in names if not (c_only and name.startswith("_Z")))]
