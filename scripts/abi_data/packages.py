"""Fetches the packages that the data is made from and records where each came from.

Wheels come through pip, Debian packages through apt-get with private state, so
that nothing of this machine's package databases is read or changed. The mirror
is the one that this machine's own apt uses.
"""

import hashlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import time
import zipfile

WHEELS = {
    "auditwheel": "6.8.2",
    "abi3info": "2026.9.25",
    "torch": "2.15.0",
    "apache-tvm-ffi": "0.1.15.post2",
    "nvidia-cuda-runtime-cu12": "12.9.79",
    "nvidia-cuda-runtime": "13.2.86",
}
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


class Package:
    """A package file on disk: its origin for the record, and its members."""

    def __init__(self, path: pathlib.Path, name: str, version: str, architecture: str = ""):
        self.path, self.name, self.version, self.architecture = path, name, version, architecture

    def provenance(self, licence: str) -> dict[str, str]:
        record = {"package": self.name, "version": self.version}
        if self.architecture:
            record["architecture"] = self.architecture
        digest = hashlib.sha256()
        with self.path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
        return {**record, "date": self.date(), "sha256": digest.hexdigest(), "licence": licence}

    def date(self) -> str:
        """The day on which the package was made, not the day of this run."""
        if self.path.suffix == ".deb":
            return time.strftime("%Y-%m-%d", time.gmtime(int(self._header()[16:28])))
        with zipfile.ZipFile(self.path) as wheel:
            year, month, day = max(info.date_time for info in wheel.infolist())[:3]
        return f"{year:04}-{month:02}-{day:02}"

    def _header(self) -> bytes:
        with self.path.open("rb") as file:
            return file.read(8 + 60)[8:]

    def read(self, member: str) -> bytes:
        """The bytes of one member of a wheel."""
        with zipfile.ZipFile(self.path) as wheel:
            return wheel.read(member)

    def members(self, prefix: str) -> list[str]:
        with zipfile.ZipFile(self.path) as wheel:
            return sorted(name for name in wheel.namelist() if name.startswith(prefix))

    def files(self) -> dict[str, bytes]:
        """All regular files of a Debian package, links resolved, by file name."""
        with tarfile.open(fileobj=io.BytesIO(self._data_archive())) as archive:
            found, links = {}, {}
            for member in archive:
                name = os.path.basename(member.name)
                if member.isfile():
                    found[name] = archive.extractfile(member).read()
                elif member.issym():
                    links[name] = os.path.basename(member.linkname)
        return found | {name: found[target] for name, target in links.items() if target in found}

    def _data_archive(self) -> bytes:
        """`data.tar.*` of the `ar` archive that a Debian package is."""
        content, offset = self.path.read_bytes(), 8
        while offset < len(content):
            name = content[offset : offset + 16].decode().strip()
            size = int(content[offset + 48 : offset + 58])
            offset += 60
            if name.startswith("data.tar"):
                return content[offset : offset + size]
            offset += size + size % 2
        raise ValueError(f"{self.path} has no data archive")


class Packages:
    def __init__(self, downloads: pathlib.Path, latest: bool):
        self.downloads, self.latest = downloads, latest
        downloads.mkdir(parents=True, exist_ok=True)

    def wheel(self, name: str) -> Package:
        version = "" if self.latest else WHEELS[name]
        stem = re.sub(r"[-.]+", "_", name)
        found = sorted(self.downloads.glob(f"{stem}-{version or '*'}-*.whl"))
        if not found:
            requirement = f"{name}=={version}" if version else name
            run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
                 "--disable-pip-version-check", "--dest", str(self.downloads), requirement])
            found = sorted(self.downloads.glob(f"{stem}-{version or '*'}-*.whl"))
        return Package(found[-1], name, found[-1].name.split("-")[1])

    def wheel_for(self, name: str, version: str, platform: str) -> Package:
        """A wheel of a release for a platform other than this one."""
        pattern = f"{re.sub(r'[-.]+', '_', name)}-{version}-*{platform}.whl"
        if not list(self.downloads.glob(pattern)):
            run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
                 "--disable-pip-version-check", "--implementation=cp", "--python-version=3.12", "--abi=cp312",
                 f"--platform={platform}", "--dest", str(self.downloads), f"{name}=={version}"])
        return Package(next(self.downloads.glob(pattern)), name, version)

    def debian(self, suite: str, architecture: str, names: list[str]) -> list[Package]:
        """The named packages of a Debian suite, downloaded into a private folder."""
        folder = self.downloads / f"{suite}-{architecture}"
        if not all(list(folder.glob(f"{name}_*.deb")) for name in names):
            environment = os.environ | {"APT_CONFIG": str(apt_configuration(folder.resolve(), suite, architecture))}
            run(["apt-get", "update", "--quiet=2"], env=environment)
            run(["apt-get", "download", "--quiet=2", *names], env=environment, cwd=folder)
        found = [max(folder.glob(f"{name}_*.deb")) for name in names]
        return [Package(path, name, path.name.split("_")[1].replace("%3a", ":"), architecture)
                for name, path in zip(names, found)]


def apt_configuration(folder: pathlib.Path, suite: str, architecture: str) -> pathlib.Path:
    """Writes an apt configuration whose every file lies below `folder`."""
    for part in ("state/lists/partial", "cache/archives/partial", "etc/parts"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "state/status").touch()
    (folder / "etc/sources.list").write_text(f"deb [signed-by={KEYRING}] {mirror()} {suite} main\n")
    configuration = folder / "etc/apt.conf"
    # An old or unstable suite's Release file may have expired on a mirror; it is signed all the same.
    configuration.write_text(f"""
Dir::State "{folder}/state";
Dir::State::status "{folder}/state/status";
Dir::Cache "{folder}/cache";
Dir::Etc "{folder}/etc";
Dir::Etc::sourceparts "{folder}/etc/parts";
Dir::Etc::parts "{folder}/etc/parts";
APT::Architecture "{architecture}";
APT::Architectures {{ "{architecture}"; }};
APT::Sandbox::User "";
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
""")
    return configuration


def mirror() -> str:
    """The Debian mirror that this machine's apt is configured with."""
    sources = [pathlib.Path("/etc/apt/sources.list"), *pathlib.Path("/etc/apt/sources.list.d").glob("*")]
    for path in sources:
        if path.is_file():
            found = re.search(r"https?://\S+/debian/?(?=\s|$)", path.read_text(errors="replace"), re.MULTILINE)
            if found:
                return found[0]
    raise SystemExit("no Debian mirror in this machine's apt sources: run this on Debian or set one up")


def run(command: list[str], **options) -> None:
    completed = subprocess.run(command, capture_output=True, text=True, **options)
    if completed.returncode:
        raise SystemExit(f"{' '.join(command)}\n{completed.stderr}{completed.stdout}")


def closure(folder: pathlib.Path, suite: str, architecture: str, names: list[str]) -> list[pathlib.Path]:
    """Downloads packages of a Debian suite with everything they depend on."""
    environment = os.environ | {"APT_CONFIG": str(apt_configuration(folder.resolve(), suite, architecture))}
    run(["apt-get", "update", "--quiet=2"], env=environment)
    run(["apt-get", "install", "--quiet=2", "--yes", "--download-only", "--no-install-recommends", *names], env=environment)
    return sorted((folder / "cache/archives").glob("*.deb"))
