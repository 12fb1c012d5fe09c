"""How a crawl is reached: through Redis, through the mailbox of a crawl that runs, or through its file."""

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

BATCH = 1000  # URLs of one request: a crawl does nothing else while it performs one
_T = TypeVar("_T")
_LOOK_EVERY = 0.05


class Reached(Protocol):
    """A crawl that can be asked."""

    name: str  # for people
    runs: bool | None  # whether it ran when it was asked last; None where that is not known

    def ask(self, request: Request) -> Answer:
        """See :func:`topical_crawler.crawl.steering.perform`."""

    def claim(self) -> Mapping[str, Any]:
        """What the crawl wrote down when it began: its "topic", the topic's "source", its "strategy", its "seed"; empty where
        it wrote nothing that can be read."""

    def look(self, see: Callable[[Frontier], _T]) -> _T:
        """What ``see`` makes of the crawl's frontier. Raises CrawlError where the crawl has it to itself."""


class LocalCrawl:
    """A crawl in a data directory of this machine; one that runs must answer in ``wait`` seconds."""

    def __init__(self, folder: CrawlFolder, wait: float) -> None:
        self.name = str(folder.path)
        self.runs: bool | None = None
        self._folder = folder
        self._wait = wait

    def ask(self, request: Request) -> Answer:
        """Of the crawl that runs here; where none does, of its file. Raises SteeringError where the crawl refuses the request,
        CrawlError where nobody can perform it."""
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
                f"{self.name}: the crawl runs, and has what it has learned to itself. Remedy: wait for its end or stop it; "
                f"topical-crawler frontier top shows the reasons of a crawl that runs"
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
                f"A crawl over Redis is reached with -s TOPICAL_FRONTIER=redis"
            )
        return SqliteFrontier(self._folder.frontier)

    def _no_answer(self, withdrawn: bool) -> str:
        if not withdrawn:
            return f"{self.name}: the crawl has taken the request, and has not answered yet. See topical-crawler frontier stats"
        return (
            f"{self.name}: no answer in {self._wait:g} s, and nothing was changed. The crawl is starting or busy, or it is one "
            f"over Redis (-s TOPICAL_FRONTIER=redis) or of a version without a mailbox. Remedy: try again, with a longer --wait"
        )


class RedisCrawl:
    """A crawl of any number of workers."""

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
    """The crawl that ``name`` and the settings stand for. Raises CrawlError where there is none, it cannot be reached, or the
    name is missing and could mean several."""
    if not uses_redis(settings):
        yield LocalCrawl(find_folder(settings, name), wait)
        return
    if not (known := name or crawl_name(settings, "")):
        raise CrawlError("which crawl? Remedy: its name (TOPICAL_CRAWL of its workers, else that of the topic)")
    try:
        frontier = open_redis_frontier(settings, known)
        try:
            yield RedisCrawl(known, frontier)
        finally:
            frontier.close()
    except FrontierServerError as error:
        raise CrawlError(str(error)) from None


def ask_in_batches(crawl: Reached, request: Mapping[str, object], urls: Sequence[str]) -> Answer:
    """The sum of the answers; a crawl fetches on between two batches."""
    total: Answer = {}
    for start in range(0, len(urls), BATCH):
        for name, value in crawl.ask({**request, "urls": list(urls[start : start + BATCH])}).items():
            total[name] = (
                dict(Counter(total.get(name, {})) + Counter(value)) if isinstance(value, dict) else total.get(name, 0) + value
            )
    return total
