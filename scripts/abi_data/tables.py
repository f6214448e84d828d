"""The text form of a table: `#` lines that say where it came from, then tab-separated rows."""

import pathlib


def provenance_line(record: dict[str, str]) -> str:
    return "# " + " ".join(f"{key}={value.replace(' ', '_')}" for key, value in record.items())


def write_table(path: pathlib.Path, provenance: list[dict[str, str]], columns: tuple[str, ...], rows) -> None:
    names = [row[0] for row in rows]
    if not names or len(names) != len(set(names)):
        raise ValueError("a table needs rows, and each name once")
    lines = [provenance_line(record) for record in provenance]
    lines.append("# columns: " + " ".join(columns))
    lines += ["\t".join(row) for row in sorted(rows)]
    path.write_text("\n".join(lines) + "\n")
