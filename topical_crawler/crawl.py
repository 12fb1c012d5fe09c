"""One crawl: its topic, strategy, frontier and corpus, opened from settings and resumed from where it stopped.

The Scrapy components (scheduler, middleware, pipelines, display) are thin: what they share is this object, ``spider.crawl``.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from topical_crawler import __version__, strategies
from topical_crawler.corpus.export import replacing
from topical_crawler.corpus.record import Record
from topical_crawler.corpus.schema import CorpusError
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.frontier import Entry, Frontier, FrontierFileError, MemoryFrontier, Outcome, Pushed, SqliteFrontier
from topical_crawler.items import PageItem
from topical_crawler.link_rules import LinkRules
from topical_crawler.options import CrawlError, CrawlOptions
from topical_crawler.page import Evidence, Page, Verdict
from topical_crawler.progress import Progress
from topical_crawler.semantics.resources import Resources
from topical_crawler.strategies import OFF_TOPIC, Strategy
from topical_crawler.topic import Topic
from topical_crawler.urls import fingerprint, host

logger = logging.getLogger(__name__)

SEED_PRIORITY = 1e6
"""Seeds go before everything else."""
CHECKPOINT_PAGES = 1000
"""Pages between two checkpoints of the strategy; what it learned since is replayed from the frontier on resume."""
RESCORED = 20_000
"""Waiting links that are scored again at most when a strategy has learned what may raise them: the best ones."""
REDIRECTED = "redirected"
BELOW_THRESHOLD = "below threshold"


class Crawl:
    """See the module. Made by :meth:`open`."""

    def __init__(
        self,
        options: CrawlOptions,
        topic: Topic,
        strategy: Strategy,
        frontier: Frontier,
        store: CorpusStore,
        lock: FileLock | None,
    ) -> None:
        self.options = options
        self.topic = topic
        self.strategy = strategy
        self.frontier = frontier
        self.store = store
        self.progress = Progress()
        self.in_flight: dict[bytes, Entry] = {}
        self.finished = 0
        self.fetched = 0
        self._lock = lock
        self.rules = LinkRules(options)
        self._resume()

    @classmethod
    def open(cls, options: CrawlOptions, topic: Topic, resources: Resources | None) -> Crawl:
        """Open a new crawl, or the one that already lies in ``options.data_dir``.

        Raises:
            CrawlError: the directory is in use by another crawl or belongs to another topic.
            ValueError: a topic, a resource or a file of the crawl cannot be read.
        """
        directory = options.data_dir
        directory.mkdir(parents=True, exist_ok=True)
        lock = FileLock(directory / "crawl.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise CrawlError(
                f"{directory}: another crawl is running here. Remedy: wait for it, stop it, or choose another directory "
                f"(-s TOPICAL_DATA_DIR=DIR)"
            ) from None
        try:
            _claim(directory, topic, options)
            if resources is not None:
                _say_missing(options.strategy or topic.default_strategy, resources)
            strategy = strategies.create(
                topic,
                options.strategy,
                resources=resources,
                cache_dir=options.cache_dir,
                segmenter=options.segmenter,
                seed=options.seed,
                progress=log_progress(),
            )
            frontier = _open_frontier(options)
            store = CorpusStore(options.corpus or str(directory / "corpus.sqlite"))
            return cls(options, topic, strategy, frontier, store, lock)
        except (CorpusError, FrontierFileError) as error:
            lock.release()
            raise CrawlError(str(error)) from None
        except BaseException:
            lock.release()
            raise

    def _resume(self) -> None:
        saved = self.frontier.load("strategy")
        after = 0
        if saved is not None:
            after = int(saved["after"])
            self.strategy.load_state_dict(saved["state"])
        for number, outcome in self.frontier.outcomes():
            self._count(outcome)
            self.finished = number
            if number > after and (outcome.keep or outcome.reason == OFF_TOPIC):
                self.strategy.learn(outcome.url, Verdict(outcome.relevance, outcome.keep, lesson=outcome.lesson))
        if is_due(self.finished):
            self._rescore_waiting()  # where the last run ended between the page and this
        if self.finished:
            logger.info(
                "Resuming %s: %d pages fetched, %d links waiting, %d were in flight when the last run ended",
                self.options.data_dir, self.fetched, len(self.frontier), self.frontier.recovered,
            )  # fmt: skip

    # -- what a page leads to

    def judge(self, item: PageItem) -> None:
        """Judge an item's page and turn its links into entries for the frontier (Figure 1 of Zhou et al. 2019)."""
        page = item.page
        assert page is not None
        item.verdict = verdict = self.strategy.judge(page, item.entry.evidence)
        if not verdict.keep:
            item.reason = OFF_TOPIC
        self.strategy.learn(item.entry.url, verdict)
        item.links = self._entries(page, item.entry, verdict)

    def _entries(self, page: Page, parent: Entry, verdict: Verdict) -> list[Entry]:
        depth = parent.depth + 1
        distance = 0 if verdict.keep else 1 + min((e.distance for e in parent.evidence), default=0)
        entries: list[Entry] = []
        open_entries: list[Entry] = []
        for link in page.links[: self.options.max_links]:
            key = fingerprint(link.url)
            if key == parent.key:
                continue
            evidence = (Evidence(parent.url, verdict.handed_on, verdict.keep, link.anchor, distance, link.around),)
            entry = Entry(key, link.url, host(link.url), 0.0, depth, evidence, dropped=self.rules.refusal(link.url, depth))
            entries.append(entry)
            if entry.dropped is None:
                open_entries.append(entry)
        for entry, priority in zip(open_entries, self.strategy.score([e.candidate() for e in open_entries]), strict=True):
            if priority is None:
                entry.dropped = BELOW_THRESHOLD if verdict.keep else self.strategy.closed
            else:
                entry.priority = priority
        if (left := len(page.links) - self.options.max_links) > 0:
            self.progress.links["too many links on a page"] += left
        return entries

    # -- fetching

    def push(self, entries: Iterable[Entry]) -> Pushed:
        """Add entries that do not come from a page in flight (seeds, requests of a spider of one's own)."""
        return self._note(self.frontier.push(entries))

    def next(self, now: float) -> Entry | None:
        """The next entry to fetch: the best among the hosts whose turn it is, judged by what is known now."""
        while (entry := self.frontier.pop(now)) is not None:
            reason = self.rules.late_refusal(entry, sum(e.host == entry.host for e in self.in_flight.values()))
            if reason is not None:
                self.frontier.drop(entry.key, reason)
                self.progress.links[reason] += 1
                continue
            if entry.evidence and entry.priority < SEED_PRIORITY and entry.rescored < self.options.rescore:
                # Whether a link is worth a visit was decided when it was found; here only its place can change.
                priority = self.strategy.score([entry.candidate()])[0]
                next_best = self.frontier.best(now)
                if priority is not None and priority < entry.priority and next_best is not None and priority < next_best:
                    self.frontier.put_back(entry, priority)
                    continue
            self.in_flight[entry.key] = entry
            self.progress.best = entry.priority
            return entry
        return None

    @property
    def limit_reached(self) -> bool:
        """Whether as many pages as the crawl may fetch are fetched or in flight."""
        return bool(self.options.max_pages) and self.fetched + len(self.in_flight) >= self.options.max_pages

    def retry(self, entry: Entry, url: str, meta: dict[str, Any]) -> None:
        """An entry in flight is to be fetched again, at ``url``."""
        del self.in_flight[entry.key]
        self.frontier.requeue(entry.key, url=url, meta=meta)

    def redirect(self, entry: Entry, url: str, meta: dict[str, Any], status: int) -> None:
        """An entry in flight answered with a redirect: it is done, and its target takes its place, unless that is known."""
        key = fingerprint(url)
        if key == entry.key:
            self.retry(entry, url, meta)
            return
        target = Entry(
            key, url, host(url), entry.priority, entry.depth, entry.evidence, meta, dropped=self.rules.refusal(url, entry.depth)
        )
        item = PageItem(entry, url, now_iso(), status=status, reason=REDIRECTED, links=[target])
        self.finish(item)

    def finish(self, item: PageItem) -> None:
        """Store an item's outcome: the row of the corpus first, then the frontier; a crash in between gives the page back."""
        entry = item.entry
        if entry.key not in self.in_flight:
            return  # finished already: an error was reported after the item had passed
        if not item.reason and (item.verdict is None or not item.verdict.keep):
            item.reason = OFF_TOPIC
        stored = self.store.put(self._record(item))
        item.reason, item.duplicate_of = stored.reason, stored.duplicate_of
        verdict = item.verdict
        if verdict is None:
            outcome = Outcome(entry.url, False, reason=item.reason)
        else:
            outcome = Outcome(entry.url, verdict.keep, verdict.relevance, item.reason, verdict.lesson)
        self._note(self.frontier.done(entry.key, outcome, item.links))
        del self.in_flight[entry.key]  # only now: what cannot be stored is still in flight
        self.finished += 1
        self._count(outcome)
        if item.reason != REDIRECTED:
            self.progress.note(entry.host, not item.reason, item.seconds)
        if item.reason:
            self.progress.reasons[item.reason] += 1
        else:
            self.progress.latest = item.title
        if self.finished % CHECKPOINT_PAGES == 0:
            self._checkpoint()
        if is_due(self.finished):
            self._rescore_waiting()

    def _record(self, item: PageItem) -> Record:
        entry, verdict = item.entry, item.verdict
        why: dict[str, Any] = {"terms": dict(verdict.why)} if verdict else {}
        if entry.evidence:
            first = entry.evidence[0]
            why |= {"link": dict(self.strategy.explain(entry.candidate())), "anchor": first.anchor, "parent": first.parent}
        return Record(
            key=entry.key.hex(),
            url=entry.url,
            final_url=item.url,
            host=entry.host,
            title=item.title or (item.page.title if item.page else ""),
            text=item.text if not item.reason else None,
            fetched=item.fetched,
            date=item.date,
            author=item.author,
            encoding=item.page.encoding if item.page else "",
            status=item.status,
            size=item.size,
            relevance=verdict.relevance if verdict else 0.0,
            priority=entry.priority,
            depth=entry.depth,
            keep=not item.reason,
            reason=item.reason,
            duplicate_of=item.duplicate_of,
            why=why,
        )

    def _note(self, pushed: Pushed) -> Pushed:
        self.progress.links["new"] += pushed.new
        self.progress.links.update(pushed.dropped)
        return pushed

    def _count(self, outcome: Outcome) -> None:
        if outcome.reason == REDIRECTED:
            return
        self.fetched += 1
        self.rules.count(outcome)

    def _rescore_waiting(self) -> None:
        """Score the best waiting links again, where what was learned since the last time may have raised some of them."""
        revision = self.strategy.revision
        if revision == (self.frontier.load("rescored") or 0):
            return
        entries = [e for e in self.frontier.waiting(RESCORED) if e.evidence and e.priority < SEED_PRIORITY]
        scores = self.strategy.score([e.candidate() for e in entries])
        changed = {e.key: s for e, s in zip(entries, scores, strict=True) if s is not None and s != e.priority}
        self.frontier.reprice(changed)
        self.frontier.save("rescored", revision)

    def _checkpoint(self) -> None:
        state = {"name": self.strategy.name, "after": self.finished, "state": self.strategy.state_dict()}
        self.frontier.save("strategy", state)

    def close(self) -> None:
        """Save what was learned and let go of the files."""
        self._checkpoint()
        self.frontier.close()
        self.store.close()
        if self._lock is not None:
            self._lock.release()


def is_due(pages: int) -> bool:
    """Whether waiting links are to be scored again after so many finished pages, if their scores may have risen: every 16 pages
    at first, then at steps of 3 to 6 % of the pages. A function of their number alone, so that a resumed crawl does the same.

    >>> [n for n in range(1, 700) if is_due(n)][-4:]
    [576, 608, 640, 672]
    """
    return pages > 0 and pages % max(16, (1 << pages.bit_length()) >> 5) == 0


def _claim(directory: Path, topic: Topic, options: CrawlOptions) -> None:
    """Write down whose crawl lies here; refuse a directory that holds the crawl of another topic or strategy."""
    file = directory / "crawl.json"
    strategy = options.strategy or topic.default_strategy
    if file.is_file():
        try:
            known = dict(json.loads(file.read_text(encoding="utf-8")))
        except (ValueError, TypeError):
            raise CrawlError(f"{file}: damaged. Remedy: delete it; the crawl beside it goes on all the same") from None
        if known.get("topic") != topic.name:
            raise CrawlError(
                f"{directory} holds a crawl of the topic {known.get('topic')!r}, not {topic.name!r}. "
                f"Remedy: choose another directory (-s TOPICAL_DATA_DIR=DIR)"
            )
        if known.get("strategy") != strategy:
            raise CrawlError(
                f"{directory} holds a crawl by the strategy {known.get('strategy')!r}, not {strategy!r}: what one has learned "
                f"says nothing to the other. Remedy: choose another directory (-s TOPICAL_DATA_DIR=DIR)"
            )
        return
    made = {
        "topic": topic.name,
        "source": topic.source,
        "strategy": strategy,
        "seed": options.seed,
        "version": __version__,
        "started": now_iso(),
    }
    with replacing(file) as out:
        out.write(json.dumps(made, ensure_ascii=False, indent=1) + "\n")


def _say_missing(strategy: str, resources: Resources) -> None:
    """A crawl goes on with the resources that there are; it says which are not, what that costs, and how to get them."""
    needed = strategies.NEEDS.get(strategy, ())
    for resource in resources.missing():
        if resource.name in needed:
            level = logging.WARNING if resource.archive else logging.INFO  # what no command can fetch is worth a word only
            logger.log(level, "Going on without %s (%s). %s", resource.name, resource.title, resource.cost)


def _open_frontier(options: CrawlOptions) -> Frontier:
    if options.frontier == "memory":
        return MemoryFrontier(options.delay, options.in_flight_per_host)
    if options.frontier == "sqlite":
        return SqliteFrontier(options.data_dir / "frontier.sqlite", options.delay, options.in_flight_per_host)
    raise CrawlError(f"TOPICAL_FRONTIER={options.frontier!r}: there is no such frontier. Remedy: sqlite or memory")


def log_progress(every: float = 5.0) -> Callable[[float, str], None]:
    """A progress callback that logs a line at most every few seconds."""
    last = [time.monotonic()]

    def note(part: float, what: str) -> None:
        if time.monotonic() - last[0] >= every:
            last[0] = time.monotonic()
            logger.info("%s: %.0f %%", what, 100 * part)

    return note


def now_iso() -> str:
    """The time now, UTC, ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def seed_entry(url: str) -> Entry:
    """A start URL as an entry: it goes before every link."""
    return Entry(fingerprint(url), url, host(url), SEED_PRIORITY)
