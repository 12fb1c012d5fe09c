"""The crawls on the workbench, with their open files and processes."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from scrapy.settings import BaseSettings

from topical_crawler.config import cache_dir, segmenter, uses_redis
from topical_crawler.corpus.connections import sqlite_file
from topical_crawler.corpus.search import SearchIndex, open_index
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.crawl_folder import CrawlFolder, claim_of
from topical_crawler.crawl.options import CrawlError
from topical_crawler.services import MistakeError
from topical_crawler.services.asking import Questions
from topical_crawler.services.places import Place, find_corpus, place_of, topic_of
from topical_crawler.services.reach import Reached, reach
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.topic import Topic
from topical_crawler.topic.topic_folder import CONFIG, TopicFolder
from topical_crawler.workbench.apart import Apart
from topical_crawler.workbench.jobs import Job, Jobs

_PATIENCE = 5.0  # seconds for a running crawl to answer
_STARTING = 0.5  # seconds for one without an answer since its start


class Bench:
    """State shared by the operations of the workbench.

    Args:
        settings: the project's.
        names: crawls by topic, folder, or name in Redis. None given: those below ``data``.
        given: settings of the command line as options, passed on to crawls started here.
        data: folder of the crawls started here.
        topics: folder of the topics made here.
    """

    def __init__(
        self,
        settings: BaseSettings,
        names: Sequence[str] = (),
        given: Sequence[str] = (),
        data: Path = Path("data"),
        topics: Path = Path("topics"),
    ) -> None:
        self.settings = settings
        self.given, self.data, self.topics = tuple(given), data, topics
        self.processes: dict[str, subprocess.Popen[bytes]] = {}  # crawls started here
        self.answered: set[str] = set()  # those with an answer since their start
        self.jobs = Jobs()
        self.apart = Apart()
        self._names = list(names)
        self._stores: dict[str, CorpusStore] = {}
        self._indexes: dict[str, SearchIndex] = {}
        self._topics: dict[str, tuple[Any, Topic | None]] = {}
        self._segmenters: dict[str, tuple[Topic | None, Segmenter]] = {}
        self._lock = threading.Lock()
        self.judging = threading.Lock()
        self.learned: list[str] = []  # results of the marks, once closed
        self.open: dict[str, Questions] = {}  # open questions by crawl
        self.fetching: tuple[Job, int, int] | None = None  # of resources: job, bytes present before, bytes wanted
        self.indexed: set[str] = set()  # crawls with indexed texts

    # -- Crawls

    def crawls(self) -> dict[str, Place]:
        """Return the crawls by name."""
        if self._names:
            return {place.name: place for place in map(self._named, self._names)}
        return {folder.path.name: self._in(folder) for folder in CrawlFolder.all_in(self.data)}

    def _in(self, folder: CrawlFolder) -> Place:
        return Place(folder.path.name, folder, str(folder.corpus) if folder.corpus.is_file() else "")

    def _named(self, name: str) -> Place:
        try:
            return place_of(name, find_corpus(name, self.settings), self.settings)
        except FileNotFoundError:
            if not uses_redis(self.settings) and Path(name).is_dir() and not TopicFolder(Path(name)).is_topic:
                return self._in(CrawlFolder(name))
            return place_of(name, "", self.settings)

    def started(self, name: str) -> None:
        """Add a crawl started here to the workbench, even if others were named."""
        if self._names and name not in self.crawls():
            self._names.append(name if uses_redis(self.settings) else str(self.data / name))

    def place(self, name: str) -> Place:
        """Return the crawl of this name. Raise MistakeError if there is none."""
        crawls = self.crawls()
        if name not in crawls:
            known = f"There are: {', '.join(crawls)}" if crawls else "There is none yet"
            raise MistakeError(f"there is no crawl {name!r}. {known}", 404)
        return crawls[name]

    @contextmanager
    def reached(self, name: str) -> Iterator[Reached]:
        """Access a crawl like ``topical-crawler frontier``."""
        place = self.place(name)
        if self.is_running(name) and (lock := place.folder.lock()) is not None:
            lock.release()
            raise CrawlError(f"{name} is starting or ending; ask again in a moment")
        patience = _STARTING if self.is_starting(name) else _PATIENCE
        with reach(self.settings, name if uses_redis(self.settings) else str(place.folder.path), patience) as crawl:
            yield crawl

    def is_starting(self, name: str) -> bool:
        """Return True if a crawl started here is running and has not answered yet."""
        return self.is_running(name) and name not in self.answered

    def is_running(self, name: str) -> bool:
        """Return True if the process of a crawl started here is alive."""
        process = self.processes.get(name)
        return process is not None and process.poll() is None

    def topic(self, name: str) -> Topic | None:
        """Return the topic of a crawl, if it is still readable. It is reloaded after changes to its folder."""
        place = self.place(name)
        claim = claim_of(place.corpus) if place.corpus else {}
        source = Path(str(claim.get("source", "")))
        stamp = (str(claim), *((file.name, file.stat().st_mtime_ns) for file in sorted(source.glob("*.t*"))))
        if self._topics.get(name, ("",))[0] != stamp:
            self._topics[name] = (stamp, topic_of(None, claim or {"topic": name}))
        return self._topics[name][1]

    # -- Corpora, kept open

    def corpus(self, name: str) -> CorpusStore:
        """Return the corpus of a crawl. Raise MistakeError if it has none yet."""
        place = self.place(name).corpus
        if not place:
            raise MistakeError(f"{name} has no corpus yet. Let its crawl fetch some pages", 404)
        with self._lock:
            if place not in self._stores:
                self._stores[place] = CorpusStore(place, read_only=True)
            return self._stores[place]

    def index(self, name: str) -> SearchIndex:
        """Return the search index of a crawl's corpus, as far as built."""
        place = self.place(name).corpus
        self.corpus(name)  # raises for an unusable corpus
        with self._lock:
            if place not in self._indexes:
                self._indexes[place] = open_index(place, cache_dir(self.settings))
            return self._indexes[place]

    def version(self, name: str) -> tuple[Any, ...]:
        """Return a value that changes with the corpus."""
        place = self.place(name).corpus
        if place and (file := sqlite_file(place)) is not None:
            files = (file, file.with_name(file.name + "-wal"))
            return (place, *((f.stat().st_mtime_ns, f.stat().st_size) if f.is_file() else () for f in files))
        with self.corpus(name).reading() as connection:
            counts = "SELECT n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_user_tables WHERE relname = 'pages'"
            last = connection.scalar(sa.text("SELECT max(id) FROM pages"))
            return (place, last, *(connection.execute(sa.text(counts)).one_or_none() or ()))

    def own_topics(self) -> dict[str, Path]:
        """Return the folders of the user's topics by name: those made here, and those in the working folder."""
        files = (*Path().glob(f"*/{CONFIG}"), *self.topics.glob(f"*/{CONFIG}"))
        return {file.parent.name: file.parent for file in sorted(files, key=lambda file: file.parent.name)}

    def segmenter(self, name: str) -> Segmenter:
        """Return the word segmenter for a crawl's texts. Terms of its topic are kept whole."""
        topic = self.topic(name)
        with self._lock:
            if name not in self._segmenters or self._segmenters[name][0] is not topic:
                terms = topic.terms if topic else ()
                made = Segmenter(terms, backend=segmenter(self.settings), cache_dir=cache_dir(self.settings))
                self._segmenters[name] = (topic, made)
            return self._segmenters[name][1]

    def close(self) -> None:
        """Close everything."""
        self.jobs.close()
        self.apart.close()
        for questions in self.open.values():
            self.learned += filter(None, (questions.close(),))
        for index in self._indexes.values():
            index.close()
        for store in self._stores.values():
            store.close()
