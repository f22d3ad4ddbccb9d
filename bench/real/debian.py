"""Source packages of Debian, fetched once, checked, and unpacked with Debian's patches.

A package is pinned by version and by the SHA-256 of its .dsc file, which in turn has the sums of all
other files: nothing unpinned is ever unpacked. Needs dpkg-dev (dpkg-source), xz-utils and bzip2.

  $PHOTOFINISH_REAL/            by default build/real in the repository
    sources/pigz_2.8-1.dsc      as downloaded; under another name until its sum has been checked
    sources/pigz_2.8-1/         as unpacked and patched; under another name until it is complete
    inputs/                     what the programs work on, generated (inputs.py)
"""

import contextlib
import dataclasses
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request

from workload import ROOT, Trouble

CACHE = pathlib.Path(os.environ.get("PHOTOFINISH_REAL") or ROOT / "build/real")
SECONDS_WITHOUT_DATA = 30

# A version that is superseded leaves the pool; the snapshot archive keeps everything, as of a day.
DAY = "20261115T000000Z"
POOLS = ("http://deb.debian.org/debian/pool/main",
         "http://deb.debian.org/debian-security/pool/updates/main",
         f"https://snapshot.debian.org/archive/debian/{DAY}/pool/main",
         f"https://snapshot.debian.org/archive/debian-security/{DAY}/pool/updates/main")


@contextlib.contextmanager
def completed(path):
    """A name beside path to write a file or folder under; it becomes path if all goes well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".partial-") as folder:
        partial = pathlib.Path(folder) / path.name
        yield partial
        try:
            partial.rename(path)
        except OSError:
            if not path.is_dir():  # a folder that another process has completed meanwhile is as good
                raise


@dataclasses.dataclass(frozen=True)
class Source:
    """One version of a source package."""

    package: str
    version: str
    sha256: str  # of the .dsc

    def unpack(self, folder):
        """A fresh copy of the patched source at folder/package."""
        target = folder / self.package
        shutil.rmtree(target, ignore_errors=True)
        # With their times: a generated file must stay newer than what it was generated from.
        shutil.copytree(self.unpacked(), target, symlinks=True)
        return target

    def unpacked(self):
        """The patched source in the cache."""
        path = CACHE / "sources" / f"{self.package}_{self.version}"
        if path.is_dir():
            return path
        if not shutil.which("dpkg-source"):
            raise Trouble("missing", "dpkg-source: install dpkg-dev")
        description = self.fetched()
        with completed(path) as partial:
            done = subprocess.run(["dpkg-source", "--no-check", "-x", description, partial], text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            if done.returncode:
                last = (done.stderr.strip().splitlines() or ["no output"])[-1]
                raise Trouble("does not build", f"{description.name}: {last}")
        return path

    def fetched(self):
        """The .dsc in the cache, with every file that it names beside it."""
        description = self.fetch_file(f"{self.package}_{self.version}.dsc", self.sha256)
        in_sums = False
        for line in description.read_text().splitlines():
            if in_sums and line.startswith(" "):
                sha256, _, name = line.split()
                self.fetch_file(name, sha256)
            else:
                in_sums = line.startswith("Checksums-Sha256:")
        return description

    def fetch_file(self, name, sha256):
        path = CACHE / "sources" / name
        if path.exists():
            return path
        letter = self.package[:4] if self.package.startswith("lib") else self.package[0]
        problems = []
        for pool in POOLS:
            url = f"{pool}/{letter}/{self.package}/{urllib.parse.quote(name)}"
            try:
                with completed(path) as partial:
                    download(url, partial, sha256)
                return path
            except (OSError, ValueError) as problem:  # URLError is an OSError
                problems.append(f"{urllib.parse.urlsplit(url).hostname}: {problem}")
        raise Trouble("missing", f"cannot download {name} ({problems[0]}); with a network, run again, "
                      f"or put the file into {path.parent}")


def download(url, path, sha256):
    """ValueError if the file is not the one with this sum."""
    seen = hashlib.sha256()
    with urllib.request.urlopen(url, timeout=SECONDS_WITHOUT_DATA) as answer, open(path, "wb") as file:
        while piece := answer.read(1 << 16):
            seen.update(piece)
            file.write(piece)
    if seen.hexdigest() != sha256:
        raise ValueError("another file than the pinned one")
