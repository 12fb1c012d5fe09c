"""Access to a crawl: through Redis, through the mailbox of a running crawl, or through its file."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any, Protocol, TypeVar

from topical_crawler.config import crawl_name, open_redis_frontier, uses_redis
from topical_crawler.crawl.crawl_folder import CrawlFolder
from topical_crawler.crawl.mailbox import Answer, Mailbox
from topical_crawler.crawl.options import CrawlError
from topical_crawler.crawl.steering import Request, SteeringError, perform
from topical_crawler.frontier.base import Frontier, FrontierServerError
from topical_crawler.frontier.sqlite import SqliteFrontier
from topical_crawler.project import AnySettings
from topical_crawler.services.places import find_folder

BATCH = 1000  # URLs per request: a crawl does nothing else while performing one
_T = TypeVar("_T")
_LOOK_EVERY = 0.05


class Reached(Protocol):
    """A crawl open to requests."""

    name: str  # for people
    runs: bool | None  # True if it was running at the last request; None if unknown

    def ask(self, request: Request) -> Answer:
        """Perform a request, see :func:`topical_crawler.crawl.steering.perform`."""

    def claim(self) -> Mapping[str, Any]:
        """Return the crawl's notes from its start: "topic", the topic's "source", "strategy", "seed". Empty if there are none."""

    def look(self, see: Callable[[Frontier], _T]) -> _T:
        """Return the result of ``see`` on the crawl's frontier. Raise CrawlError if a running crawl holds it."""


class LocalCrawl:
    """A crawl in a data directory of this machine. A running one must answer within ``wait`` seconds."""

    def __init__(self, folder: CrawlFolder, wait: float) -> None:
        self.name = str(folder.path)
        self.runs: bool | None = None
        self._folder = folder
        self._wait = wait

    def ask(self, request: Request) -> Answer:
        """Ask the running crawl, or its file if none runs.

        Raises:
            SteeringError: the crawl refuses the request.
            CrawlError: no crawl can perform it.
        """
        deadline = time.monotonic() + self._wait
        number = ""
        while True:
            if (lock := self._folder.lock()) is not None:
                try:
                    if not number or self._mailbox().withdraw(number):
                        return self._perform(request)
                finally:
                    lock.release()
            elif not number:
                number = self._mailbox().post(request, self._wait)
            self.runs = True
            if (answer := self._mailbox().answer(number)) is not None:
                if "error" in answer:
                    raise SteeringError(answer["error"])
                return answer
            if time.monotonic() > deadline:
                raise CrawlError(self._no_answer(self._mailbox().withdraw(number)))
            time.sleep(_LOOK_EVERY)

    def claim(self) -> Mapping[str, Any]:
        return self._folder.read_claim()

    def look(self, see: Callable[[Frontier], _T]) -> _T:
        if (lock := self._folder.lock()) is None:
            raise CrawlError(
                f"{self.name}: the crawl is running and holds its learned state. Wait for its end or stop it. "
                f"topical-crawler frontier top shows the reasons of a running crawl"
            )
        try:
            self.runs = False
            with closing(self._frontier()) as frontier:
                return see(frontier)
        finally:
            lock.release()

    def _mailbox(self) -> Mailbox:
        return Mailbox(self._folder.mailbox)

    def _perform(self, request: Request) -> Answer:
        self.runs = False
        with closing(self._frontier()) as frontier:
            if request.get("action") == "stop":
                raise CrawlError(f"{self.name}: no crawl runs here, there is nothing to stop")
            return perform(frontier, request)

    def _frontier(self) -> SqliteFrontier:
        if not self._folder.frontier.is_file():
            raise CrawlError(
                f"{self.name}: no crawl runs here, and there is no frontier.sqlite. "
                f"Reach a crawl over Redis with -s TOPICAL_FRONTIER=redis"
            )
        return SqliteFrontier(self._folder.frontier)

    def _no_answer(self, withdrawn: bool) -> str:
        if not withdrawn:
            return f"{self.name}: the crawl has taken the request, but not answered yet. See topical-crawler frontier stats"
        return (
            f"{self.name}: no answer in {self._wait:g} s, and nothing was changed. The crawl is starting or busy, or it is one "
            f"over Redis (-s TOPICAL_FRONTIER=redis) or of a version without a mailbox. Try again with a longer --wait"
        )


class RedisCrawl:
    """A crawl over Redis with any number of workers."""

    runs: bool | None = None

    def __init__(self, name: str, frontier: Frontier) -> None:
        self.name = name
        self._frontier = frontier

    def ask(self, request: Request) -> Answer:
        return perform(self._frontier, request)

    def claim(self) -> Mapping[str, Any]:
        return dict(self._frontier.journal.load("claim") or {})

    def look(self, see: Callable[[Frontier], _T]) -> _T:
        return see(self._frontier)


@contextmanager
def reach(settings: AnySettings, name: str | None, wait: float) -> Iterator[Reached]:
    """Open the crawl given by ``name`` and the settings.

    Raises:
        CrawlError: there is no such crawl, it is unreachable, or a missing name is ambiguous.
    """
    if not uses_redis(settings):
        yield LocalCrawl(find_folder(settings, name), wait)
        return
    if not (known := name or crawl_name(settings, "")):
        raise CrawlError("which crawl? Give its name (TOPICAL_CRAWL of its workers, else the topic's)")
    try:
        frontier = open_redis_frontier(settings, known)
        try:
            yield RedisCrawl(known, frontier)
        finally:
            frontier.close()
    except FrontierServerError as error:
        raise CrawlError(str(error)) from None


def ask_in_batches(crawl: Reached, request: Mapping[str, object], urls: Sequence[str]) -> Answer:
    """Perform a request in batches of URLs and return the sum of the answers. The crawl continues between two batches."""
    total: Answer = {}
    for start in range(0, len(urls), BATCH):
        for name, value in crawl.ask({**request, "urls": list(urls[start : start + BATCH])}).items():
            total[name] = (
                dict(Counter(total.get(name, {})) + Counter(value)) if isinstance(value, dict) else total.get(name, 0) + value
            )
    return total
