"""A package index on this machine for tests: makes the wheels that a description asks for, then serves them.

    index.py DIRECTORY DESCRIPTION

DESCRIPTION is JSON: wheels by file name, each {"files": {path: text}, "requires": [...], "fault": null | "hash" | "record"},
and "ranges": whether parts of files are handed out. The first line printed is the port; `requests` in DIRECTORY gets a line
for each answer: the file and the bytes sent.
"""

import base64
import hashlib
import http.server
import json
import random
import re
import sys
import zipfile
from pathlib import Path

directory, description = Path(sys.argv[1]), json.loads(sys.argv[2])
directory.mkdir(parents=True)
requests = open(directory / "requests", "w", buffering=1)


def make(name, wheel):
    """A wheel, its list of files included; padding makes it large, as the real ones are."""
    package, version = name.split("-")[:2]
    info = f"{package}-{version}.dist-info"
    files = {path: text.encode() for path, text in wheel["files"].items()}
    files[f"{info}/METADATA"] = "\n".join(
        ["Metadata-Version: 2.1", f"Name: {package}", f"Version: {version}"]
        + [f"Requires-Dist: {requirement}" for requirement in wheel.get("requires", [])]
        + [f"Provides-Extra: {extra}" for extra in wheel.get("extras", [])]
    ).encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n"
    lines = []
    for path, content in files.items():
        stated = b"something else" if wheel.get("fault") == "record" and "dist-info" not in path else content
        digest = base64.urlsafe_b64encode(hashlib.sha256(stated).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}")
    files[f"{info}/RECORD"] = "\n".join([*lines, f"{info}/RECORD,,", ""]).encode()
    with zipfile.ZipFile(directory / name, "w", zipfile.ZIP_DEFLATED) as archive:
        if padding := wheel.get("padding"):
            archive.writestr(zipfile.ZipInfo(f"{package}/padding"), random.Random(0).randbytes(padding))
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o755 if "/bin/" in path else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


pages = {}
for name, wheel in description["wheels"].items():
    make(name, wheel)
    digest = hashlib.sha256((directory / name).read_bytes()).hexdigest()
    if wheel.get("fault") == "hash":
        digest = "0" * 64
    page = re.sub(r"[-_.]+", "-", name.split("-")[0]).lower()
    pages.setdefault(page, []).append(f'<a href="/files/{name}#sha256={digest}">{name}</a>')


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        path = self.path.split("?")[0]
        if path.startswith("/simple/"):
            page = pages.get(path[len("/simple/"):].strip("/"))
            self.answer(200 if page else 404, "".join(page or []).encode(), {"content-type": "text/html"})
            return
        file = directory / Path(path).name
        content = file.read_bytes() if file.suffix == ".whl" and file.exists() else None
        wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("range") or "")
        if content is None:
            self.answer(404, b"", {})
        elif wanted and description["ranges"]:
            first, last = wanted.groups()
            start = int(first) if first else len(content) - int(last)
            end = min(int(last), len(content) - 1) if first and last else len(content) - 1
            part = content[start:end + 1]
            self.answer(206, part, {"content-range": f"bytes {start}-{end}/{len(content)}"})
            requests.write(f"{file.name} {len(part)}\n")
        else:
            self.answer(200, content, {"accept-ranges": "bytes" if description["ranges"] else "none"})
            requests.write(f"{file.name} {len(content)}\n")

    def answer(self, status, body, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
