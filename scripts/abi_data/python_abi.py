"""CPython's limited API and stable ABI, from the `abi3info` package.

One line per symbol: name, kind, the CPython version that added it, and the
condition under which a build of CPython has it (`-` where it always has).
"""

import importlib
import pathlib
import sys

from .packages import Packages
from .tables import write_table


def update(packages: Packages, crates: pathlib.Path) -> list[pathlib.Path]:
    wheel = packages.wheel("abi3info")
    sys.path.insert(0, str(wheel.path))
    try:
        abi3info = importlib.import_module("abi3info")
    finally:
        sys.path.pop(0)
    rows = [
        (item.symbol.name, kind, f"{item.added.major}.{item.added.minor}", item.ifdef.name if item.ifdef else "-")
        for kind, table in (("function", abi3info.FUNCTIONS), ("data", abi3info.DATAS))
        for item in table.values()
    ]
    path = crates / "kernel-abi/src/data/python_limited_api.tsv"
    write_table(path, [wheel.provenance("MIT")], ("symbol", "kind", "added", "condition"), rows)
    return [path]
