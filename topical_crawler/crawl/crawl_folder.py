"""The folder of a crawl: file names, presence of a crawl, and its lock.

This module imports nothing of the crawl, so commands in need of a folder name start at once.
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
    """The folder of one crawl. It need not exist yet.

    >>> folder = CrawlFolder("data/党建")
    >>> folder.corpus.name, folder.has_crawl, folder.read_claim()
    ('corpus.sqlite', False, {})

    Attributes:
        path: path of the folder.
        corpus: the corpus, unless ``TOPICAL_CORPUS`` names another place.
        frontier: waiting links and the log of finished pages, unless they are in Redis.
        aside: rejected pages waiting for a second look.
        mailbox: folder for commands to a running crawl.
        archive: folder of WARC files, unless ``TOPICAL_ARCHIVE`` names another one.
        log: log of a crawl started by the workbench.
        arguments: arguments of a crawl started by the workbench.
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
        """Return the folders directly below ``parent`` with a crawl or a corpus, by name."""
        names = (_CLAIM, _FRONTIER, CORPUS, _ARGUMENTS)
        return [cls(path) for path in sorted({file.parent for name in names for file in Path(parent).glob(f"*/{name}")})]

    @property
    def has_crawl(self) -> bool:
        """True if a crawl began here. A corpus alone does not count."""
        return self.claim_file.is_file() or self.frontier.is_file()

    def read_claim(self) -> dict[str, Any]:
        """Return the crawl's claim, written at its start: topic, source, strategy, seed …. Return {} if it is missing or
        unreadable.
        """
        try:
            return dict(json.loads(self.claim_file.read_bytes()))
        except (OSError, ValueError, TypeError):
            return {}

    def lock(self, seconds: float = 0.0) -> FileLock | None:
        """Lock the crawl and return the lock, or None if another process holds it for more than ``seconds``."""
        from filelock import FileLock, Timeout  # slow to import, and most commands do without

        lock = FileLock(self.path / "crawl.lock")
        try:
            lock.acquire(timeout=seconds)
        except Timeout:
            return None
        return lock


def claim_of(corpus: str) -> dict[str, Any]:
    """Return the claim of a corpus's crawl, see :meth:`CrawlFolder.read_claim`. Return {} for a corpus in a database."""
    return {} if "://" in corpus else CrawlFolder(Path(corpus).parent).read_claim()


def corpus_at(place: Path | str) -> Path:
    """Return the corpus file for a crawl's folder, or for the corpus file itself.

    >>> corpus_at("texts.sqlite").name
    'texts.sqlite'
    """
    path = Path(place).expanduser()
    return CrawlFolder(path).corpus if path.is_dir() else path
