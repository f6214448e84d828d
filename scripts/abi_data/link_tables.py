"""Link tables: what glibc, libstdc++, libgcc_s and libatomic export, from Debian packages.

One table per architecture, over several Debian releases: an old release shows
what an old system has (and in which library: glibc moved libpthread, libdl,
librt and libutil into libc in 2.34), the newest one tells a user which release
a missing symbol came with. One row per symbol and version:

    symbol  version  type  binding  size  releases

`releases` has one character per release in the order of the `# release` lines:
`@` the version that a link takes there, `-` kept for old programs only, `.` not
there. The size is that of data; code is linked by name alone. The table is
deflated (zlib format).
"""

import pathlib
import zlib

from . import elf
from .packages import Package, Packages
from .tables import provenance_line

RELEASES = {"debian11": "bullseye", "debian12": "bookworm", "newest": "sid"}
ARCHITECTURES = {"x86_64": ("amd64", "ld-linux-x86-64.so.2"), "aarch64": ("arm64", "ld-linux-aarch64.so.1")}
GCC_LICENCE = "GPL-3.0-or-later WITH GCC-exception-3.1"
PACKAGES = {"libc6": "LGPL-2.1-or-later", "libgcc-s1": GCC_LICENCE, "libstdc++6": GCC_LICENCE, "libatomic1": GCC_LICENCE}
# In the order in which compilers name them to a linker.
LIBRARIES = ("libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libmvec.so.1", "libatomic.so.1", "libpthread.so.0",
             "libdl.so.2", "librt.so.1", "libutil.so.1", "libc.so.6")
# Not an interface: it changes with every release of glibc.
PRIVATE = "GLIBC_PRIVATE"

Row = tuple[str, str, str, str, int]


def update(packages: Packages, crates: pathlib.Path) -> list[pathlib.Path]:
    folder = crates / "kernel-core/data/link"
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for architecture, (debian, loader) in ARCHITECTURES.items():
        text = table(packages, debian, (*LIBRARIES, loader))
        path = folder / f"{architecture}.tsv.zlib"
        path.write_bytes(zlib.compress(text.encode(), 9))
        written.append(path)
    return written


def table(packages: Packages, debian: str, libraries: tuple[str, ...]) -> str:
    lines: list[str] = []
    found: dict[str, dict[tuple[str, str], list]] = {library: {} for library in libraries}
    for number, (release, suite) in enumerate(RELEASES.items()):
        archives = packages.debian(suite, debian, list(PACKAGES))
        lines.append(f"# release {release} glibc={glibc(archives[0])}")
        lines += [provenance_line(archive.provenance(PACKAGES[archive.name])) for archive in archives]
        files = {name: content for archive in archives for name, content in archive.files().items()}
        # aarch64 has libmvec only since glibc 2.38.
        for library in filter(files.__contains__, libraries):
            for symbol in elf.exported(files[library]):
                if symbol.version in ("", PRIVATE):
                    continue
                add(found[library], symbol, number)
    lines.append("# columns: symbol version type binding size releases")
    for library, symbols in found.items():
        if not symbols:
            raise ValueError(f"no release has {library}")
        lines.append(f"= {library}")
        for (name, version), (kind, binding, size, releases) in sorted(symbols.items()):
            lines.append("\t".join((name, version, kind[0], binding[0], str(size or ""), "".join(releases))))
    return "\n".join(lines) + "\n"


def add(symbols: dict[tuple[str, str], list], symbol: elf.Symbol, release: int) -> None:
    """Newest release last: its type wins, the size is the largest (older code may copy no more than it knew)."""
    size = symbol.size if symbol.type in ("object", "tls") else 0
    entry = symbols.setdefault((symbol.name, symbol.version), [symbol.type, symbol.binding, size, ["."] * len(RELEASES)])
    entry[0], entry[1], entry[2] = symbol.type, symbol.binding, max(entry[2], size)
    entry[3][release] = "@" if symbol.default else "-"


def glibc(package: Package) -> str:
    return package.version.split("-")[0].split(":")[-1]
