"""The text form of a table: `#` lines that say where it came from, then tab-separated rows."""

import pathlib


def table_text(provenance: list[dict[str, str]], columns: tuple[str, ...], rows) -> str:
    lines = ["# " + " ".join(f"{key}={value}" for key, value in record.items()) for record in provenance]
    lines.append("# columns: " + " ".join(columns))
    names = [row[0] for row in rows]
    if not names or len(names) != len(set(names)):
        raise ValueError("a table needs rows, and each name once")
    lines += ["\t".join(row) for row in sorted(rows)]
    return "\n".join(lines) + "\n"


def write_table(path: pathlib.Path, provenance: list[dict[str, str]], columns: tuple[str, ...], rows) -> None:
    path.write_text(table_text(provenance, columns, rows))
