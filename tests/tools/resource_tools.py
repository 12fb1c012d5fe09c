"""Archives of our own making that pip fetches as it does those of the language resources."""

import dataclasses
import hashlib
import io
import json
import runpy
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from topical_crawler.resources.registry import RESOURCES, Archive, Resource

GROUPS = "Aa01A01= 党员 同志\n".encode() * 1000


def wheel(folder: Path, project: str, members: dict[str, bytes]) -> Archive:
    path = folder / f"{project}-1.0-py3-none-any.whl"
    info = f"{project}-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as packed:
        for name, data in members.items():
            packed.writestr(name, data)
        packed.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {project}\nVersion: 1.0\n")
        packed.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        packed.writestr(f"{info}/RECORD", "")
    return Archive(project, "1.0", path.name, hashlib.sha256(path.read_bytes()).hexdigest())


def sdist(folder: Path, project: str, members: dict[str, bytes]) -> Archive:
    path = folder / f"{project}-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as packed:
        for name, data in members.items():
            entry = tarfile.TarInfo(f"{project}-1.0/{name}")
            entry.size = len(data)
            packed.addfile(entry, io.BytesIO(data))
    return Archive(project, "1.0", path.name, hashlib.sha256(path.read_bytes()).hexdigest())


def pinned(name: str, archive: Archive, member: str, data: bytes) -> Resource:
    digest = hashlib.sha256(data).hexdigest()
    return dataclasses.replace(RESOURCES[name], archive=archive, member=member, size=len(data), sha256=digest)


def without_archive(*names: str) -> dict[str, Resource]:
    return {name: dataclasses.replace(RESOURCES[name], archive=None) for name in names}


def write_resources(entries: Mapping[str, Resource], file: Path) -> None:
    """For a process that runs this file as a script."""
    file.write_text(json.dumps({name: dataclasses.asdict(entry) for name, entry in entries.items()}), "utf-8")


def main(file: str) -> None:
    """Run ``topical_crawler`` with the resources of a file."""
    for name, fields in json.loads(Path(file).read_text("utf-8")).items():
        archive = Archive(**fields["archive"]) if fields["archive"] else None
        RESOURCES[name] = Resource(**fields | {"archive": archive})  # type: ignore[index]
    runpy.run_module("topical_crawler", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv.pop(1))
