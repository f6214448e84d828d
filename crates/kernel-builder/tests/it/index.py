"""A package index on this machine for tests: makes the wheels that a description asks for, then serves them.

    index.py DIRECTORY DESCRIPTION

DESCRIPTION is JSON: wheels by file name, each {"files": {path: text, or bytes of noise}, "requires": [...],
"fault": null | "hash" | "record" | "missing" | "stalled"} (the last: half of each answer comes when there is a file `go`),
"folder" and "only": files of a folder that some patterns match; "padding": bytes of something else. Besides
"password": NAME:PASSWORD that every request must have, "ranges": whether parts of files are handed out, and perhaps "real": a folder of wheels to serve as they are. The first line printed is the port; `requests` in DIRECTORY gets a line
for each answer: the file and the bytes sent.
"""

import base64
import hashlib
import http.server
import json
import random
import re
import sys
import time
import zipfile
from pathlib import Path

directory, description = Path(sys.argv[1]), json.loads(sys.argv[2])
directory.mkdir(parents=True)
requests = open(directory / "requests", "w", buffering=1)


def make(name, wheel):
    """A wheel, its list of files included; padding makes it large, as the real ones are."""
    package, version = name.split("-")[:2]
    info = f"{package}-{version}.dist-info"
    noise = random.Random(1).randbytes
    files = {path.relative_to(folder).as_posix(): path.read_bytes()
             for folder in [Path(wheel.get("folder", "/nonexistent"))] for only in wheel.get("only", [])
             for path in sorted(folder.glob(only)) if path.is_file()}
    files |= {path: noise(text) if isinstance(text, int) else text.encode() for path, text in wheel["files"].items()}
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
wheels = dict(description["wheels"])
if real := description.get("real"):
    for path in Path(real).glob("*.whl"):
        (directory / path.name).symlink_to(path.resolve())
        wheels[path.name] = {}
for name, wheel in wheels.items():
    if "files" in wheel:
        make(name, wheel)
    digest = hashlib.sha256((directory / name).read_bytes()).hexdigest()
    if wheel.get("fault") == "hash":
        digest = "0" * 64
    page = re.sub(r"[-_.]+", "-", name.split("-")[0]).lower()
    pages.setdefault(page, []).append(f'<a href="/files/{name}#sha256={digest}" data-core-metadata="true">{name}</a>')


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        password = description.get("password")
        if password and self.headers.get("authorization") != "Basic " + base64.b64encode(password.encode()).decode():
            return self.answer(401, b"", {"www-authenticate": "Basic"})
        path = self.path.split("?")[0]
        if path.startswith("/simple/"):
            page = pages.get(path[len("/simple/"):].strip("/"))
            self.answer(200 if page else 404, "".join(page or []).encode(), {"content-type": "text/html"})
            return
        if path.endswith(".metadata"):
            with zipfile.ZipFile(directory / Path(path).stem) as archive:
                name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
                self.answer(200, archive.read(name), {})
            return
        file = directory / Path(path).name
        fault = wheels.get(file.name, {}).get("fault")
        content = file.read_bytes() if file.suffix == ".whl" and file.exists() and fault != "missing" else None
        wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("range") or "")
        if content is None:
            self.answer(404, b"", {})
        elif wanted and description["ranges"]:
            first, last = wanted.groups()
            start = int(first) if first else len(content) - int(last)
            end = min(int(last), len(content) - 1) if first and last else len(content) - 1
            part = content[start:end + 1]
            requests.write(f"{file.name} {len(part)}\n")
            self.answer(206, part, {"content-range": f"bytes {start}-{end}/{len(content)}"}, fault == "stalled" and start)
        else:
            requests.write(f"{file.name} {0 if self.command == 'HEAD' else len(content)}\n")
            self.answer(200, content, {"accept-ranges": "bytes" if description["ranges"] else "none"})

    def answer(self, status, body, headers, stalled=False):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if stalled:
            self.wfile.write(body[: len(body) // 2])
            while not (directory / "go").exists():
                time.sleep(0.01)
            body = body[len(body) // 2:]
        self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
