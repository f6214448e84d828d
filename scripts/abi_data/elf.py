"""Reads the dynamic symbols of a 64-bit little-endian ELF library, with their versions."""

import struct
from typing import Iterator, NamedTuple

SHT_DYNSYM, SHT_GNU_VERDEF, SHT_GNU_VERSYM = 11, 0x6FFFFFFD, 0x6FFFFFFF
TYPES = {0: "notype", 1: "object", 2: "function", 6: "tls", 10: "function"}  # 10: IFUNC is linked like a function
BINDINGS = {1: "global", 2: "weak", 10: "unique"}
SHN_UNDEF, SHN_ABS = 0, 0xFFF1
HIDDEN = 0x8000


class Symbol(NamedTuple):
    name: str
    version: str  # "" where the library does not version it
    default: bool  # `name@@version`
    type: str
    size: int
    binding: str


def exported(library: bytes) -> Iterator[Symbol]:
    """Every symbol that `library` defines for others."""
    sections = _sections(library)
    dynsym = next((section for section in sections if section["type"] == SHT_DYNSYM), None)
    if dynsym is None:
        raise ValueError("no dynamic symbol table")
    names = sections[dynsym["link"]]["offset"]
    versym = next((section["offset"] for section in sections if section["type"] == SHT_GNU_VERSYM), None)
    versions = _definitions(library, sections)
    for index in range(1, dynsym["size"] // 24):
        name, info, other, section, _, size = struct.unpack_from("<IBBHQQ", library, dynsym["offset"] + 24 * index)
        binding, kind = BINDINGS.get(info >> 4), TYPES.get(info & 15)
        if section in (SHN_UNDEF, SHN_ABS) or not binding or not kind or other & 3 in (1, 2):
            continue
        number = struct.unpack_from("<H", library, versym + 2 * index)[0] if versym else 1
        yield Symbol(
            _string(library, names + name),
            versions.get(number & ~HIDDEN, ""),
            not number & HIDDEN,
            kind,
            size,
            binding,
        )


def _sections(library: bytes) -> list[dict[str, int]]:
    if library[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit little-endian ELF file")
    (table,) = struct.unpack_from("<Q", library, 40)
    size, count = struct.unpack_from("<HH", library, 58)
    sections = []
    for index in range(count):
        _, kind, _, _, offset, length, link, info = struct.unpack_from("<IIQQQQII", library, table + size * index)
        sections.append({"type": kind, "offset": offset, "size": length, "link": link, "info": info})
    return sections


def _definitions(library: bytes, sections: list[dict[str, int]]) -> dict[int, str]:
    """Version number → name; number 1 is the library itself, which means unversioned."""
    found = {}
    for section in sections:
        if section["type"] != SHT_GNU_VERDEF:
            continue
        names, offset = sections[section["link"]]["offset"], section["offset"]
        for _ in range(section["info"]):
            _, flags, number, _, _, names_at, following = struct.unpack_from("<HHHHIII", library, offset)
            if not flags & 1:
                (name,) = struct.unpack_from("<I", library, offset + names_at)
                found[number] = _string(library, names + name)
            offset += following
    return found


def _string(library: bytes, offset: int) -> str:
    return library[offset : library.index(b"\0", offset)].decode()
