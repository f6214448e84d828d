"""What auditwheel itself says about every library of wheels, as JSON for the test that compares our judge with it.

Usage: wheel_verdicts.py DIRECTORY WHEEL... ; needs auditwheel. The wheels are unpacked under DIRECTORY. One line per
library: its path, the oldest policy that auditwheel's own functions accept (null where none does), and the names of all
libraries of the wheel, which count as provided.
"""

import json
import pathlib
import sys
import zipfile

from auditwheel import elfutils, lddtree
from auditwheel.architecture import Architecture
from auditwheel.libc import Libc
from auditwheel.policy import WheelPolicies
from elftools.elf.elffile import ELFFile

POLICIES = WheelPolicies(libc=Libc.GLIBC, arch=Architecture.x86_64)


def bare(policy):
    """The name without architecture; nothing where only the generic policy is left."""
    return None if policy == POLICIES.linux else policy.name.removesuffix("_x86_64")


def oldest(policies):
    """auditwheel gives older policies a higher priority."""
    return max(policies, key=lambda policy: policy.priority, default=POLICIES.linux)


def by_libraries(needed):
    def outside(policy):
        loader = lambda name: "ld-linux" in name or name in ("ld64.so.1", "ld64.so.2")
        return [name for name in needed if not loader(name) and name not in policy.whitelist]

    return oldest(policy for policy in POLICIES if policy != POLICIES.linux and not outside(policy))


def by_symbols(path, needed):
    def hidden(policy):
        lists = {name: policy.blacklist[name] for name in set(policy.blacklist) & set(needed)}
        return elfutils.filter_undefined_symbols(path, lists)

    return oldest(policy for policy in POLICIES if policy != POLICIES.linux and not hidden(policy))


def verdict(path, own):
    """The verdict on one library; nothing where it is no shared library for this processor."""
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        if elf.get_section_by_name(".dynamic") is None:
            return None
        versions = {}
        for library, version in elfutils.elf_find_versioned_symbols(elf):
            versions.setdefault(library, set()).add(version)
        platform = lddtree._get_platform(elf)
    needed = [name for name in elfutils.elf_read_dt_needed(path) if name not in own]
    policies = [POLICIES.versioned_symbols_policy(versions), by_libraries(needed), by_symbols(path, needed)]
    if platform.extended_architecture is not None:
        policies.append(POLICIES.linux)
    return bare(min(policies, key=lambda policy: policy.priority))


def main(directory, wheels):
    for wheel in map(pathlib.Path, wheels):
        root = directory / wheel.name
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(root)
        files = [path for path in sorted(root.rglob("*")) if path.is_file()]
        libraries = [path for path in files if path.open("rb").read(4) == b"\x7fELF"]
        own = sorted({path.name for path in libraries})
        for path in libraries:
            result = verdict(path, own)
            print(json.dumps({"wheel": wheel.name, "path": str(path), "policy": result, "own": own}))


main(pathlib.Path(sys.argv[1]), sys.argv[2:])
