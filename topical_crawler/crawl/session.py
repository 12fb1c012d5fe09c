"""One crawl: its topic, strategy, frontier and corpus, opened from settings and resumed from where it stopped.

The Scrapy components (scheduler, middleware, pipelines, display) are thin: what they share is this object, ``spider.crawl``.
"""

from __future__ import annotations

import dataclasses
import logging
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from topical_crawler import strategies
from topical_crawler.corpus.dedup import PART
from topical_crawler.corpus.record import Record
from topical_crawler.corpus.schema import CorpusError
from topical_crawler.corpus.stats import Yield
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.link_policy import LinkRules, led_by_others
from topical_crawler.crawl.mailbox import FOLDER, Mailbox
from topical_crawler.crawl.opening import claim_directory, log_progress, now_iso, open_frontier, warn_missing
from topical_crawler.crawl.options import CrawlError, CrawlOptions
from topical_crawler.crawl.progress import Progress
from topical_crawler.crawl.second_look import FILE as ASIDE
from topical_crawler.crawl.second_look import SecondLook, SetAside
from topical_crawler.crawl.steering import SEED_PRIORITY, Control, control_state, seed_entry
from topical_crawler.frontier import (
    REDIRECTED,
    Entry,
    Frontier,
    FrontierFileError,
    FrontierServerError,
    LeaseLost,
    Outcome,
    Pushed,
    State,
)
from topical_crawler.frontier.redis_seeds import RedisFeed
from topical_crawler.items import PART_OF, PageItem
from topical_crawler.resources.registry import Resources
from topical_crawler.strategies import OFF_TOPIC, Strategy
from topical_crawler.topic.topic import Topic
from topical_crawler.web.page import Evidence, Link, Page, Verdict
from topical_crawler.web.urls import fingerprint, host

__all__ = ["Crawl"]


# -- What a strategy has learned, as its crawl's frontier keeps it: a checkpoint now and then, and the log of finished pages


_CHECKPOINT = "strategy"


def save_checkpoint(strategy: Strategy, frontier: Frontier, pages: int) -> None:
    """Keep what ``strategy`` has learned from the first ``pages`` finished pages."""
    frontier.save(_CHECKPOINT, {"name": strategy.name, "after": pages, "state": strategy.state_dict()})


def load_checkpoint(strategy: Strategy, frontier: Frontier) -> int:
    """Give ``strategy`` what was kept last. Returns the number of the finished page up to which it has learned then; 0 where
    nothing was kept."""
    saved = frontier.load(_CHECKPOINT)
    if saved is None:
        return 0
    strategy.load_state_dict(saved["state"])
    return int(saved["after"])


def learn_again(strategy: Strategy, outcome: Outcome) -> None:
    """Have ``strategy`` learn from a page of the log what it learned when the page was judged, or did not come; of others
    there is nothing to learn."""
    if outcome.keep or outcome.reason == OFF_TOPIC or outcome.lesson is not None:
        strategy.learn(outcome.url, Verdict(outcome.relevance, outcome.keep, lesson=outcome.lesson))


def restore(strategy: Strategy, frontier: Frontier) -> None:
    """Bring a new strategy to where that of the frontier's crawl stands: its checkpoint, the pages finished since, and the page
    threshold that was set by a person."""
    for _, outcome in frontier.outcomes(load_checkpoint(strategy, frontier)):
        learn_again(strategy, outcome)
    threshold = control_state(frontier)["page_threshold"]
    if threshold is not None:
        with suppress(ValueError):  # one that it refuses holds for the crawl neither
            strategy.page_threshold = threshold


# -- One crawl: its topic, strategy, frontier and corpus, opened from settings and resumed from where it stopped


logger = logging.getLogger(__name__)

CHECKPOINT_PAGES = 1000
"""Pages between two checkpoints of the strategy; what it learned since is replayed from the frontier on resume."""
RESCORED = 20_000
"""Waiting links that are scored again at most when a strategy has learned what may raise them: the best ones."""
STORAGE_ERRORS = (FrontierServerError, FrontierFileError, CorpusError)
"""What says by itself what is wrong with the frontier or the corpus, and what to do."""
REST_SECONDS = 60.0
"""After so long without a page a worker that waits for seeds looks again at what it has set aside: its end may be far."""
LOST_FROM_SIGHT = "lease lost"
"""What is counted when a page comes in whose lease ran out: another worker has it."""
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
        self._looked_after = 0
        self.fetched = 0
        self.failed = ""
        self._lock = lock
        self._renewed = self._busy = time.monotonic()
        self.rules = LinkRules(options, learns=strategy.learns_links)
        # A file that is found again, where the crawl is found again: of several workers nobody goes on where one has ended.
        aside = SetAside(options.data_dir / ASIDE if options.frontier == "sqlite" else None, options.second_look_megabytes)
        self.second_look = SecondLook(aside, strategy, store)
        mailbox = None if frontier.shared else Mailbox(options.data_dir / FOLDER)
        self.control = Control(frontier, strategy, mailbox, self.rules.refusal)
        self._feed = RedisFeed(options.redis, options.start_urls_key) if frontier.shared and options.redis is not None else None
        self._resume()

    @classmethod
    def open(cls, options: CrawlOptions, topic: Topic, resources: Resources | None) -> Crawl:
        """Open a new crawl, or the one that already lies in ``options.data_dir``.

        Raises:
            CrawlError: the directory is in use by another crawl or belongs to another topic.
            ValueError: a topic, a resource or a file of the crawl cannot be read.
        """
        shared = options.frontier == "redis"
        directory = options.data_dir
        if not shared or not options.corpus:
            directory.mkdir(parents=True, exist_ok=True)
        with ExitStack() as undo:
            lock = None if shared else undo.enter_context(_lock(directory))
            if not shared:
                claim_directory(directory, topic, options)
            strategy = strategies.create(
                topic,
                options.strategy,
                resources=resources,
                cache_dir=options.cache_dir,
                segmenter=options.segmenter,
                seed=options.seed,
                progress=log_progress(),
            )
            if resources is not None:
                warn_missing(strategy, resources)
            try:
                frontier = undo.enter_context(closing(open_frontier(options, topic)))
                store = undo.enter_context(
                    CorpusStore(options.corpus or str(directory / "corpus.sqlite"), patience=options.patience)
                )
                crawl = cls(options, topic, strategy, frontier, store, lock)
            except STORAGE_ERRORS as error:
                raise CrawlError(str(error)) from None
            undo.pop_all()
            return crawl

    def _resume(self) -> None:
        self._read_log(load_checkpoint(self.strategy, self.frontier))
        self._looked_after = self.finished
        if is_due(self.finished) and self._is_first("rescoring", self.finished):
            self._rescore_waiting()  # where the last run ended between the page and this
        if self.finished:
            logger.info(
                "Resuming %s: %d pages fetched, %d links waiting, %d were in flight when the last run ended",
                self.options.name if self.frontier.shared else self.options.data_dir,
                self.fetched, len(self.frontier), self.frontier.recovered,
            )  # fmt: skip

    def _read_log(self, learned: int) -> None:
        """Take note of the pages that were finished since the last time, by whichever worker, and learn from those after number
        ``learned``; what was learned already when the page was judged changes nothing a second time."""
        for number, outcome in self.frontier.outcomes(self.finished):
            self._count(outcome)
            self.finished = number
            if number > learned:
                learn_again(self.strategy, outcome)

    def tick(self) -> None:
        """What is to be done about once a second: obey, keep the leases, learn from what other workers have finished, take seeds
        that were fed."""
        self.control.poll()
        if not self.frontier.shared:
            return
        if self.in_flight:
            self._busy = time.monotonic()
        if time.monotonic() - self._renewed > self.options.lease / 4:
            self._renewed = time.monotonic()
            for key in self.frontier.renew():
                self._lose(key)
        self._read_log(0)
        self._after_pages()
        if self._feed is not None and self._feed.poll(self._take_seeds):
            self._busy = time.monotonic()

    def _take_seeds(self, urls: list[str]) -> None:
        entries = [seed_entry(url) for url in urls]
        for entry in entries:
            entry.dropped = self.rules.refusal(entry.url, 0)
        pushed = self.push(entries)
        logger.info("%d start URLs were fed, %d of them new", len(urls), pushed.new)

    @property
    def has_more(self) -> bool:
        """Whether there is, or may come, something to fetch: over all workers, where there are several."""
        if self.control.stopping or self.is_over:
            return False
        if self.control.paused:
            return True  # a person looks at it, and may feed it
        if not self.frontier.shared:
            return len(self.frontier) > 0
        counts = self.frontier.counts()
        if counts[State.WAITING] or counts[State.IN_FLIGHT]:
            self._busy = time.monotonic()
            return True
        return self.options.idle < 0 or time.monotonic() - self._busy < self.options.idle

    # -- what a page leads to

    def judge(self, item: PageItem) -> None:
        """Judge an item's page and turn its links into entries for the frontier (Figure 1 of Zhou et al. 2019)."""
        assert item.page is not None
        page = self.options.thinning.of(item.page, self.options.max_links)
        item.verdict = verdict = self.strategy.judge(page, item.entry.evidence)
        if not verdict.keep and PART_OF in item.entry.meta:
            item.verdict = verdict = dataclasses.replace(verdict, keep=True)
            item.as_part = True
        if not verdict.keep:
            item.reason = OFF_TOPIC
        if self.frontier.shared:
            with suppress(FrontierServerError):  # told where the frontier is asked for more than advice
                self._read_log(0)  # the links are scored by what all workers have found out
        if item.entry.evidence:
            item.reasons = dict(self.strategy.explain(item.entry.candidate()))
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
            evidence = (evidence_of(link, parent.url, verdict, distance),)
            entry = Entry(key, link.url, host(link.url), 0.0, depth, evidence, dropped=self.rules.refusal(link.url, depth))
            entries.append(entry)
            if entry.dropped is None:
                open_entries.append(entry)
        for entry, priority in zip(open_entries, self.strategy.score([e.candidate() for e in open_entries]), strict=True):
            if priority is None:
                entry.dropped = BELOW_THRESHOLD if verdict.keep else self.strategy.closed
            else:
                entry.priority = self.rules.place(priority, entry.host)
        if (left := len(page.links) - self.options.max_links) > 0:
            self.progress.links["too many links on a page"] += left
        return entries

    # -- fetching

    def push(self, entries: Iterable[Entry]) -> Pushed:
        """Add entries that do not come from a page in flight (seeds, requests of a spider of one's own)."""
        return self._note(self.frontier.push(entries))

    def next(self, now: float) -> Entry | None:
        """The next entry to fetch: the best among the hosts whose turn it is, judged by what is known now."""
        if self.control.paused or self.control.stopping:
            return None
        while (entry := self.frontier.pop(now, self.options.in_flight - len(self.in_flight))) is not None:
            try:
                if self._is_next(entry, now):
                    return entry
            except LeaseLost:  # it was reserved for too long
                continue
        return None

    def _is_next(self, entry: Entry, now: float) -> bool:
        """Whether a popped entry is to be fetched now; else it is dropped, or waits again."""
        if self.frontier.shared and self.options.max_pages_per_host:
            self._read_log(0)  # others fetch from the host too
        reason = self.rules.late_refusal(entry, sum(e.host == entry.host for e in self.in_flight.values()))
        if reason is not None:
            self.frontier.drop(entry.key, reason)
            self.progress.links[reason] += 1
            return False
        if entry.evidence and entry.priority < SEED_PRIORITY:
            # Whether a link is worth a visit was decided when it was found; here only its place can change.
            priority = self._place_now(entry)
            if priority < entry.priority:
                next_best = self.frontier.best(now)
                if next_best is not None and priority < next_best:
                    self.frontier.put_back(entry, priority)
                    return False
        self.in_flight[entry.key] = entry
        self.progress.best = entry.priority
        return True

    def _place_now(self, entry: Entry) -> float:
        """The priority of a popped link by what is known now; one that was put back often enough keeps its own."""
        if entry.rescored < self.options.rescore:
            score = self.strategy.score([entry.candidate()])[0]
            return entry.priority if score is None else self.rules.place(score, entry.host)
        return self.rules.place_again(entry.priority, entry.host)

    @property
    def still_waiting(self) -> tuple[int, int] | None:
        """How many links wait, on how many hosts; None where the frontier cannot be asked any more."""
        if self.failed:
            return None
        try:
            return len(self.frontier), self.frontier.hosts()
        except STORAGE_ERRORS:
            return None

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be fetched, whatever waits."""
        return self.limit_reached or self.rules.barren

    @property
    def limit_reached(self) -> bool:
        """Whether as many pages as the crawl may fetch are fetched or in flight."""
        return bool(self.options.max_pages) and self.fetched + len(self.in_flight) >= self.options.max_pages

    def retry(self, entry: Entry, url: str, meta: dict[str, Any]) -> None:
        """An entry in flight is to be fetched again, at ``url``."""
        try:
            self.frontier.requeue(entry.key, url=url, meta=meta)
            del self.in_flight[entry.key]
        except LeaseLost:
            self._lose(entry.key)

    def redirect(self, entry: Entry, url: str, meta: dict[str, Any], status: int) -> None:
        """An entry in flight answered with a redirect: it is done, and its target takes its place, unless that is known."""
        key = fingerprint(url)
        if key == entry.key:
            self.retry(entry, url, meta)
            return
        target = Entry(
            key, url, host(url), entry.priority, entry.depth, entry.evidence, meta, dropped=self.rules.refusal(url, entry.depth)
        )
        item = PageItem(entry, url, now_iso(), status=status, reason=REDIRECTED, links=[target], duplicate_of=url)
        self.finish(item)

    def finish(self, item: PageItem) -> None:
        """Store an item's outcome: the row of the corpus first, then the frontier; a crash in between gives the page back."""
        entry = item.entry
        if item.first is not None:
            self._finish_second_look(item, item.first)
            return
        if entry.key not in self.in_flight:
            return  # finished already: an error was reported after the item had passed; or its lease is lost
        if not item.reason and (item.verdict is None or not item.verdict.keep):
            item.reason = OFF_TOPIC
        stored = self.store.put(self._record(item), item.lines)
        item.reason, item.duplicate_of = stored.reason, stored.duplicate_of
        if item.parts and item.reason in ("", PART):
            self._follow_parts(item)
        verdict = item.verdict
        self.second_look.set_aside(item)
        if verdict is None:
            lesson = None if item.reason == REDIRECTED else self.strategy.missed(entry.url, entry.evidence)
            outcome = Outcome(entry.url, False, reason=item.reason, lesson=lesson)
            if lesson is not None:
                self.strategy.learn(entry.url, Verdict(0.0, False, lesson=lesson))
        else:
            led_by = led_by_others(entry) if item.reason in ("", PART) else ()
            outcome = Outcome(entry.url, verdict.keep, verdict.relevance, item.reason, verdict.lesson, led_by)
        try:
            self._note(self.frontier.done(entry.key, outcome, item.links))
        except LeaseLost:
            self._lose(entry.key)
            return
        del self.in_flight[entry.key]  # only now: what cannot be stored is still in flight
        if not self.frontier.shared:  # a shared one is read by tick()
            self.finished += 1
            self._count(outcome)
        if item.reason != REDIRECTED:
            kept = not item.reason
            page = Yield(1, int(kept), item.size, len(item.text) if kept or item.reason == PART else 0, item.seconds)
            self.progress.note(entry.host, page, time.monotonic() - item.arrived)
        if item.reason:
            self.progress.reasons[item.reason] += 1
        else:
            self.progress.latest = item.title
        if not self.frontier.shared:
            self._after_pages()

    def _finish_second_look(self, item: PageItem, first: Record) -> None:
        """Store what has become of a page that was rejected. Its links wait since it came, and are scored by what is known now.
        The log of finished pages goes on to say what was known then."""
        why = {**first.why, "first_relevance": first.relevance}
        stored = self.store.put(dataclasses.replace(self._record(item), why=why, worker=first.worker), item.lines)
        item.reason = stored.reason
        self.second_look.done(item)
        if stored.keep:
            self.progress.note_second_look(stored.host, stored.characters)
            self.progress.latest = item.title

    def _follow_parts(self, item: PageItem) -> None:
        """The other parts of an article that was kept come before everything else, and belong to it whatever they say."""
        wanted = {fingerprint(url) for url in item.parts}
        for link in item.links:
            if link.key in wanted and link.dropped in (None, BELOW_THRESHOLD, self.strategy.closed):
                link.dropped, link.priority = None, SEED_PRIORITY
                link.meta = {**link.meta, PART_OF: item.found["series"]}

    def article_of(self, entry: Entry) -> str:
        """The article that an entry is taken to be a further part of, "" if none."""
        return str(entry.meta.get(PART_OF, ""))

    def _after_pages(self) -> None:
        """What is due at certain numbers of finished pages. Of many workers one does it."""
        before, after = self._looked_after, self.finished
        self._looked_after = after
        if after // CHECKPOINT_PAGES > before // CHECKPOINT_PAGES and self._is_first("checkpoint", after):
            self._checkpoint()
        if any(is_due(n) for n in range(before + 1, after + 1)) and self._is_first("rescoring", after):
            self._rescore_waiting()

    def _is_first(self, what: str, number: int) -> bool:
        return not self.frontier.shared or self.frontier.first(what, number)

    @property
    def rests(self) -> bool:
        """Whether a worker that may be fed seeds has had nothing to do for some time."""
        return self.frontier.shared and time.monotonic() - self._busy > REST_SECONDS

    def _lose(self, key: bytes) -> None:
        entry = self.in_flight.pop(key, None)
        if entry is not None:
            self.progress.links[LOST_FROM_SIGHT] += 1
            logger.warning("%s: its lease ran out; it waits again, or another worker has it", entry.url)

    def _record(self, item: PageItem) -> Record:
        entry, verdict = item.entry, item.verdict
        why: dict[str, Any] = {"terms": dict(verdict.why)} if verdict else {}
        if entry.evidence:
            first = entry.evidence[0]
            reasons = item.reasons if verdict else self.strategy.explain(entry.candidate())
            why |= {"link": dict(reasons), "anchor": first.anchor, "parent": first.parent}
        return Record(
            key=entry.key.hex(),
            url=entry.url,
            final_url=item.url,
            host=entry.host,
            title=item.title or (item.page.title if item.page else ""),
            text=item.text if not item.reason else None,
            fetched=item.fetched,
            **with_foreign_canonical(item.found, entry.key, item.url),
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
            worker=self.options.worker if self.frontier.shared else "",
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
        revision = self.strategy.revision + self.rules.revision
        if revision == (self.frontier.load("rescored") or 0):
            return
        entries = [e for e in self.frontier.waiting(RESCORED) if e.evidence and e.priority < SEED_PRIORITY]
        scores = self.strategy.score([e.candidate() for e in entries])
        places = {e.key: self.rules.place(s, e.host) for e, s in zip(entries, scores, strict=True) if s is not None}
        self.frontier.reprice({e.key: places[e.key] for e in entries if places.get(e.key, e.priority) != e.priority})
        self.frontier.save("rescored", revision)

    def _checkpoint(self) -> None:
        save_checkpoint(self.strategy, self.frontier, self.finished)

    def close(self) -> None:
        """Save what was learned and let go of the files."""
        try:
            if self._is_first("checkpoint", self.finished):
                self._checkpoint()
            self.frontier.close()
        except FrontierServerError as error:  # its leases will run out
            logger.error("%s", error)
        self.second_look.close()
        self.store.close()
        if self._lock is not None:
            self._lock.release(force=True)  # it was acquired, and then entered


def evidence_of(link: Link, parent: str, verdict: Verdict, distance: int) -> Evidence:
    """What is remembered of a link on the page ``parent``; ``distance`` as in :class:`~topical_crawler.web.page.Evidence`."""
    return Evidence(parent, verdict.handed_on, verdict.keep, link.anchor, distance, link.around, link.path)


def with_foreign_canonical(found: Mapping[str, Any], key: bytes, final_url: str) -> dict[str, Any]:
    """``found`` of a page, its canonical address only where that is another than those by which it was asked for and came."""
    canonical = found.get("canonical", "")
    own = canonical and fingerprint(canonical) in (key, fingerprint(final_url))
    return {**found, "canonical": "" if own else canonical}


def is_due(pages: int) -> bool:
    """Whether waiting links are to be scored again after so many finished pages, if their scores may have risen: every 16 pages
    at first, then at steps of 3 to 6 % of the pages. A function of their number alone, so that a resumed crawl does the same.

    >>> [n for n in range(1, 700) if is_due(n)][-4:]
    [576, 608, 640, 672]
    """
    return pages > 0 and pages % max(16, (1 << pages.bit_length()) >> 5) == 0


def _lock(directory: Path) -> FileLock:
    lock = FileLock(directory / "crawl.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise CrawlError(
            f"{directory}: another crawl is running here. Remedy: wait for it, stop it, or choose another directory "
            f"(-s TOPICAL_DATA_DIR=DIR)"
        ) from None
    return lock
