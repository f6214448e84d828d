"""Which names the releases of Torch export, as hashes: tens of thousands of names, and a judge only asks whether one is there.

After the lines that say where the data came from, and an empty one, six bytes for each name, sorted so that they can be
searched as they are: the first four bytes of the name's SHA-256 and a mask, its high byte first. A bit of the mask stands for
a package, in the order of the lines; the highest one means that only the libraries for CUDA have the name. Hashes hardly get
smaller when they are packed, and take long to unpack.
"""

import hashlib
import pathlib
import re

from . import elf
from .packages import Packages
from .tables import provenance_line

RELEASES = ("2.11.0", "2.12.1", "2.13.0", "2.14.1", "2.15.0")
ARCHITECTURES = ("x86_64", "aarch64")
ONLY_CUDA = 0x8000
# All names of these count, for nobody else has them; of the others those of Torch's namespaces and of its C interface.
OWN = ("c10", "torch_python")
OTHERS = ("torch", "torch_cpu", "c10_cuda", "torch_cuda", "torch_cuda_linalg")
NAMESPACES = re.compile(r"_Z(?:T[VISTWH]|TC|GV|GR|T[hvc][n0-9_]*_)?N[rVKRO]*(?:2at|3c10|4c10d|5torch|6caffe2)|aoti_|torch_")


def update(packages: Packages, crates: pathlib.Path) -> list[pathlib.Path]:
    provenance, masks, shared = [], {}, set()
    for bit, (version, architecture) in enumerate((v, a) for v in RELEASES for a in ARCHITECTURES):
        wheel = packages.wheel_for("torch", version, f"manylinux_2_28_{architecture}")
        record = wheel.provenance("BSD-3-Clause")
        provenance.append(provenance_line({"package": record.pop("package"), "architecture": architecture} | record))
        for library in OWN + OTHERS:
            for symbol in elf.exported(wheel.read(f"torch/lib/lib{library}.so")):
                if symbol.name.startswith("_ZNS") or symbol.name.startswith("_ZNKS"):
                    continue
                if library in OWN or NAMESPACES.match(symbol.name):
                    masks[symbol.name] = masks.get(symbol.name, 0) | 1 << bit
                    if "cuda" not in library:
                        shared.add(symbol.name)
    keys = {name: hashlib.sha256(name.encode()).digest()[:4] for name in masks}
    with_others = {keys[name] for name in shared}
    rows: dict[bytes, int] = {}
    for name, mask in masks.items():
        rows[keys[name]] = rows.get(keys[name], 0 if keys[name] in with_others else ONLY_CUDA) | mask
    head = "".join(line + "\n" for line in [*provenance, ""])
    path = crates / "kernel-core/data/link/torch.names"
    path.write_bytes(head.encode() + b"".join(key + mask.to_bytes(2) for key, mask in sorted(rows.items())))
    return [path]
