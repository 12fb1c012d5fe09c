"""The folder of a crawl: what its files are called, whether a crawl lies there, and who has it open.

It imports nothing of the crawl, so that a command that only names a folder starts at once.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from filelock import FileLock

CORPUS = "corpus.sqlite"
_FRONTIER, _CLAIM, _ARGUMENTS = "frontier.sqlite", "crawl.json", "workbench.json"


class CrawlFolder:
    """The folder of one crawl, which need not be there yet.

    >>> folder = CrawlFolder("data/党建")
    >>> folder.corpus.name, folder.has_crawl, folder.read_claim()
    ('corpus.sqlite', False, {})

    Attributes:
        path: of the folder.
        corpus: the corpus, unless ``TOPICAL_CORPUS`` names another place.
        frontier: the links that wait and the log of finished pages, unless they are in Redis.
        aside: rejected pages that wait for a second look.
        mailbox: a folder, by which commands reach the crawl while it runs.
        archive: a folder of WARC files, unless ``TOPICAL_ARCHIVE`` names another one.
        log: what the crawl said that the workbench started.
        arguments: what the workbench started it with.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).expanduser()
        self.corpus = self.path / CORPUS
        self.frontier = self.path / _FRONTIER
        self.aside = self.path / "aside.sqlite"
        self.mailbox = self.path / "mailbox"
        self.archive = self.path / "archive"
        self.log = self.path / "crawl.log"
        self.arguments = self.path / _ARGUMENTS
        self.claim_file = self.path / _CLAIM

    @classmethod
    def all_in(cls, parent: Path | str = "data") -> list[CrawlFolder]:
        """The folders directly below ``parent`` in which a crawl or its corpus lies, by name."""
        names = (_CLAIM, _FRONTIER, CORPUS, _ARGUMENTS)
        return [cls(path) for path in sorted({file.parent for name in names for file in Path(parent).glob(f"*/{name}")})]

    @property
    def has_crawl(self) -> bool:
        """Whether a crawl began here, and not only its corpus lies here."""
        return self.claim_file.is_file() or self.frontier.is_file()

    def read_claim(self) -> dict[str, Any]:
        """What the crawl noted when it began: topic, source, strategy, seed …; empty where nothing can be read."""
        try:
            return dict(json.loads(self.claim_file.read_bytes()))
        except (OSError, ValueError, TypeError):
            return {}

    def lock(self, seconds: float = 0.0) -> FileLock | None:
        """Have the crawl to oneself, until the lock is released. None where another process has it for so many seconds."""
        from filelock import FileLock, Timeout  # takes longer to import than most commands need

        lock = FileLock(self.path / "crawl.lock")
        try:
            lock.acquire(timeout=seconds)
        except Timeout:
            return None
        return lock


def claim_of(corpus: str) -> dict[str, Any]:
    """What the crawl of a corpus noted when it began; empty of a database."""
    return {} if "://" in corpus else CrawlFolder(Path(corpus).parent).read_claim()


def corpus_at(place: Path | str) -> Path:
    """The file of a corpus that is named by the folder of its crawl, or by itself.

    >>> corpus_at("texts.sqlite").name
    'texts.sqlite'
    """
    path = Path(place).expanduser()
    return CrawlFolder(path).corpus if path.is_dir() else path
