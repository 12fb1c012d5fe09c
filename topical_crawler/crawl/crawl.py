"""One crawl, ``spider.crawl``, shared by Scrapy's components: what to fetch next, and what became of each page."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from http import HTTPStatus
from itertools import islice
from typing import Any

from filelock import FileLock

from topical_crawler import strategies
from topical_crawler.corpus.clean import Changes, Done, LateCleaning, put_back, take_back
from topical_crawler.corpus.dedup import PART
from topical_crawler.corpus.record import CorpusError
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.checkpoints import COUNTED, checkpoint_due, learn_again, load_checkpoint, save_checkpoint
from topical_crawler.crawl.crawl_folder import CrawlFolder
from topical_crawler.crawl.estimate import Estimate, estimate
from topical_crawler.crawl.host_counts import Store
from topical_crawler.crawl.link_policy import MOVED, LinkPolicy, Moves, follow_parts, linking_hosts
from topical_crawler.crawl.mailbox import Mailbox
from topical_crawler.crawl.opening import claim_folder, log_progress, open_frontier, warn_missing
from topical_crawler.crawl.options import CrawlError, CrawlOptions, search_urls
from topical_crawler.crawl.outages import Outages
from topical_crawler.crawl.progress import Progress
from topical_crawler.crawl.refresh import NOT_MODIFIED, SUNK, Visited, due
from topical_crawler.crawl.rescoring import last_expected, look_ahead, rescoring_due
from topical_crawler.crawl.second_look import SecondLook, SetAside
from topical_crawler.crawl.steering import ESTIMATE, Control, Known, seed_entry
from topical_crawler.frontier import (
    KEPT,
    REDIRECTED,
    SEED_PRIORITY,
    Entry,
    Frontier,
    FrontierFileError,
    FrontierServerError,
    LeaseLost,
    Outcome,
    Pushed,
    SqliteFrontier,
    State,
)
from topical_crawler.frontier.redis_seeds import RedisFeed
from topical_crawler.items import LEFT, LISTED, STAYS, PageItem, now_utc
from topical_crawler.recordings.writer import ArchiveError
from topical_crawler.resources.registry import Resources
from topical_crawler.strategies import OFF_TOPIC, Strategy
from topical_crawler.strategies.models import open_adviser
from topical_crawler.topic.topic import Topic
from topical_crawler.web.listings import FEED, NO_LISTING, SITEMAP, is_listing, may_list, of_host
from topical_crawler.web.page import Evidence, Verdict
from topical_crawler.web.urls import fingerprint, host

logger = logging.getLogger(__name__)

STORAGE_ERRORS = (FrontierServerError, FrontierFileError, CorpusError, ArchiveError)  # their messages name the remedy
_JUDGED_AT_ONCE = 500  # pages that are judged again at once, and texts taken back in one transaction
REST_SECONDS = 60.0  # without a page, after which a worker that waits for seeds takes a second look
LEASE_LOST = "lease lost"  # counted when a page comes in whose lease ran out: another worker has it
_LOOKED_AT = 2.0  # seconds for which a command may have a crawl open that does not run
_SUNK, _REFRESHING, _REFRESHED = "sunk", "refreshing", "refreshed"
_CONDITIONS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
_FOR_GOOD = (HTTPStatus.MOVED_PERMANENTLY, HTTPStatus.PERMANENT_REDIRECT)
_GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)

# -- The crawl


class Crawl:
    """One crawl, which knows nothing of Scrapy. Made by :meth:`open`.

    Attributes:
        in_flight: entries being fetched or on their way through the pipelines, by key.
        finished: pages of the log of finished pages that this worker has read.
        failed: why the crawl cannot go on; "" while it can.
        estimate: what the corpus holds, once the crawl is closed; None before, and where nothing can be said.
        cleaned: the texts that :meth:`cleaning` has cleaned; None before it.
        taken_back: those that it has taken back.
        moves: sites that redirect everything to another address.
        outages: hosts that do not answer, and how long they rest.
        adviser: asks the topic's model; None where it has none.
    """

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
        self.adviser = open_adviser(topic, options.model, options.cache_dir and options.cache_dir / "model-answers.sqlite")
        self.progress = Progress()
        self.in_flight: dict[bytes, Entry] = {}
        self.finished = 0
        wanted = {SITEMAP: options.sitemaps, FEED: options.feeds}
        self._listings = {kind: least for kind, least in wanted.items() if least > 0}
        self._searched: set[str] = set()  # words that the strategy has come to search for
        self._checked = 0  # finished pages at the last look at what is due
        self._counted = 0  # finished pages that the last checkpoint has, as far as is known
        self.failed = ""
        self._closed = False
        self.estimate: Estimate | None = None
        self.cleaned: LateCleaning | None = None
        self.taken_back = Done()
        self._put_back = Changes()
        self._lock = lock
        self._renewed = self._busy = time.monotonic()
        shared = frontier.journal if isinstance(frontier.journal, Store) else None
        self.policy = LinkPolicy(options, strategy.learns_links, shared)
        self.moves = Moves(frontier.journal.load, frontier.journal.save)
        self.outages = Outages(options.rest, options.seed)
        folder = CrawlFolder(options.data_dir)
        # Persist only with SQLite: other workers cannot resume it.
        aside = SetAside(folder.aside if options.frontier == "sqlite" else None, options.second_look_megabytes)
        self.second_look = SecondLook(aside, strategy, store)
        mailbox = None if frontier.shared else Mailbox(folder.mailbox)
        self.control = Control(frontier, strategy, mailbox, Known(self._refusal_of_order, facts=self.facts))
        self._feed = None
        if options.redis is not None:
            self._feed = RedisFeed(options.redis, options.start_urls_key, options.patience)
        self._resume()
        self._again: set[bytes] = set()  # pages that this run visits again
        if options.refresh is not None:
            self._refresh(options.refresh)
        elif isinstance(frontier, SqliteFrontier) and frontier.journal.load(_SUNK):
            frontier.shift(SUNK, -SUNK / 2)
            frontier.journal.save(_SUNK, "")

    @classmethod
    def open(cls, options: CrawlOptions, topic: Topic, resources: Resources | None) -> Crawl:
        """Open a new crawl, or the one that already lies in ``options.data_dir``.

        Raises:
            CrawlError: the directory is in use by another crawl, belongs to another topic, or holds what another version of the
                program has learned.
            ValueError: a topic, a resource or a file of the crawl cannot be read.
        """
        shared = options.frontier == "redis"
        folder = CrawlFolder(options.data_dir)
        if not shared or not options.corpus:
            folder.path.mkdir(parents=True, exist_ok=True)
        with ExitStack() as undo:
            lock = None
            if not shared:
                lock = _lock(folder)
                undo.callback(lock.release)
                claim_folder(folder, topic, options)
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
                place = options.corpus or str(folder.corpus)
                store = undo.enter_context(CorpusStore(place, patience=options.patience))
                crawl = cls(options, topic, strategy, frontier, store, lock)
                _check_corpus(crawl)
                crawl._put_back = put_back(store)
            except STORAGE_ERRORS as error:
                raise CrawlError(str(error)) from None
            undo.pop_all()
            return crawl

    def _resume(self) -> None:
        self.control.learn_marks(learned := load_checkpoint(self.strategy, self.frontier, self.policy))
        self.finished = self._counted = self.policy.begun
        self._read_log(learned)
        self._checked = self.finished
        if rescoring_due(self.finished) and self._is_first("rescoring", self.finished):
            look_ahead(self.strategy, self.policy, self.frontier)  # the last run may have ended right before it
        self.policy.expected = last_expected(self.frontier)
        if self.finished:
            logger.info(
                "Resuming %s: %d pages fetched, %d links waiting, %d were in flight when the last run ended",
                self.options.name if self.frontier.shared else self.options.data_dir,
                self.policy.fetched, len(self.frontier), self.frontier.recovered,
            )  # fmt: skip

    def cleaning(self) -> Iterator[None]:
        """Take back the texts that are off topic by what is known now, and clean those that were stored before the lines of their
        sites were learned, step by step. May be left at any step: the end of the next run, or for lines an export, does the rest.

        A crawl that cannot store any more changes nothing, nor does a worker whose corpus others go on writing to. Raises as
        the frontier and the corpus do.
        """
        if self.failed or not self._is_last():
            return
        try:
            yield from self._take_back()
            self.cleaned = LateCleaning(self.store, self.options.cleaning)
            yield from self.cleaned.steps()
        finally:
            lines = self.cleaned.done.changes() if self.cleaned else Changes()
            for changes in (self._put_back, self.taken_back.changes(), lines):
                self.progress.note_changes(changes.gains, changes.rejected)

    def _take_back(self) -> Iterator[None]:
        found: dict[str, float] = {}
        yield from self.find_off_topic(found)
        keys = iter(found)
        while batch := list(islice(keys, _JUDGED_AT_ONCE)):
            take_back(self.store, OFF_TOPIC, {key: found[key] for key in batch}, self.taken_back)
            yield

    def find_off_topic(self, found: dict[str, float]) -> Iterator[None]:
        """Find the kept texts that are off topic by what is known now, step by step: relevances by key. A text that a person has
        marked is not among them, nor is any where relevances are no probabilities."""
        if not self.strategy.relevance_is_probability:
            return
        marked, texts = self.control.marks.urls, set[str]()
        log = (outcome for _, outcome in self.frontier.journal.outcomes() if outcome.reason in ("", OFF_TOPIC))
        while some := list(islice(log, _JUDGED_AT_ONCE)):
            visits = [(fingerprint(o.url).hex(), o) for o in some if o.lesson is not None and o.url not in marked]
            kept = set(self.store.kept_among([key for key, _ in visits]))
            judged = []
            for key, outcome in visits:
                if not outcome.reason:
                    texts.add(key)
                # A page that was off topic when it was visited again still has the text of the visit before.
                if key in kept and (not outcome.reason or key not in texts):
                    judged.append((key, outcome.lesson))
            verdicts = self.strategy.reconsider([lesson for _, lesson in judged])
            for (key, _), verdict in zip(judged, verdicts, strict=True):
                found.pop(key, None)  # it is another text now
                if verdict and not verdict.keep:
                    found[key] = verdict.relevance
            yield

    def _refresh(self, seconds: float) -> None:
        """Have what may have something new wait before all else, and all that waits already behind. A refresh that was broken off
        goes on: its links wait in front."""
        if not self.finished:
            raise CrawlError(
                f"{self.frontier.details()['place']} has no pages to refresh. Remedy: crawl first, without -a refresh"
            )
        assert isinstance(self.frontier, SqliteFrontier)  # others are refused with the arguments
        if self.frontier.journal.load(_SUNK) != _REFRESHING:
            self.frontier.shift(-SUNK, -SUNK / 2)
            self.frontier.journal.save(_SUNK, _REFRESHING)
        kinds = tuple(self._listings)  # those that are read
        listings = [outcome.url for _, outcome in self.frontier.journal.outcomes() if outcome.reason in kinds]
        visits = (Visited(url, at, on, date, not depth, keep) for url, at, depth, keep, date, on in self.store.visits())
        urls = [*dict.fromkeys(listings), *due(visits, self.policy.fetched, seconds, datetime.now(UTC))]
        places = {fingerprint(url): (url, SEED_PRIORITY + number) for number, url in enumerate(reversed(urls), 1)}
        self._again.update(places)
        self.frontier.revive({key: url for key, (url, _) in places.items()})
        self.frontier.reprice({key: priority for key, (_, priority) in places.items()})
        self.policy.before = self.policy.fetched
        logger.info("Refreshing: %d of %d pages are visited again", len(places), self.policy.fetched)

    @property
    def refreshes(self) -> bool:
        """Whether this run only fetches what is new."""
        return self.options.refresh is not None

    def _has_fresh(self) -> bool:
        """Whether anything waits that a refresh fetches."""
        best = self.frontier.waiting(1)
        return bool(best) and best[0].priority > -SUNK / 2

    def conditions(self, entry: Entry) -> dict[str, str]:
        """Headers that ask for a page that is visited again only if it has changed."""
        if entry.key not in self._again:
            return {}
        if (row := self.store.get(entry.key.hex())) is not None:
            known = row.why.get("validators", {})
        else:
            known = self.frontier.journal.load(f"validators {entry.key.hex()}") or {}
        return {header: known[name] for name, header in _CONDITIONS.items() if name in known}

    def _is_last(self) -> bool:
        """Whether no other worker writes to the corpus, or nothing is left to write."""
        if not self.frontier.shared or not self.options.corpus or self.frontier.details()["workers"] <= 1:
            return True
        counts = self.frontier.counts()
        return not (counts[State.WAITING] or counts[State.IN_FLIGHT])

    def close(self) -> None:
        """Save what was learned and close the files; where they cannot be written, the crawl has failed. Twice is harmless."""
        if self._closed:
            return
        self._closed = True
        with self._reporting():
            if not self.failed:
                self.control.mark_last()
                if self._is_first("checkpoint", self.finished):
                    self._save_checkpoint()
                with suppress(FrontierFileError, CorpusError):  # nothing is said then
                    self.estimate = self._estimated()
                    self.frontier.journal.save(ESTIMATE, asdict(self.estimate) if self.estimate else None)
        for part in (self.frontier, self.second_look, self.store, self.adviser):
            with self._reporting():
                if part is not None:
                    part.close()
        if self._lock is not None:
            self._lock.release()

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        try:
            yield
        except FrontierServerError as error:  # its leases will run out
            logger.error("%s", error)
        except (FrontierFileError, CorpusError) as error:
            self.fail(error)

    def _estimated(self) -> Estimate | None:
        return estimate(self.strategy, self.frontier, self.policy, self.store, self.finished)

    def facts(self, expected: bool = False) -> dict[str, Any]:
        """For people, as JSON data: hosts that are "resting", with the seconds left, "slowed" or "left"; with ``expected`` what
        the corpus holds by an :class:`~topical_crawler.crawl.estimate.Estimate` of now, None where nothing can be said."""
        hosts = {
            "resting": {name: round(seconds) for name, seconds in self.outages.resting().items()},
            "slowed": sorted(self.policy.slowed - self.policy.left),
            "left": sorted(self.policy.left),
        }
        found = self._estimated() if expected else None
        return hosts | ({"expected": found and asdict(found)} if expected else {})

    def tick(self) -> None:
        """Obey orders, keep the leases, learn what other workers have finished, take new seeds; about once a second."""
        self.control.poll()
        self.control.learn_marks(self.finished)
        if not self.frontier.shared:
            return
        if self.in_flight:
            self._busy = time.monotonic()
        if time.monotonic() - self._renewed > self.options.lease / 4:
            self._renewed = time.monotonic()
            for key in self.frontier.renew():
                self._lose(key)
        self._read_log()
        self._after_pages()
        if checkpoint_due(self._counted, self.finished) and (known := self.frontier.journal.load(COUNTED)):
            self._counted = known["after"]
            self.policy.written(self._counted, known["counts"])
        self.policy.expected = last_expected(self.frontier)
        if self._feed is not None and self._feed.poll(self._take_seeds):
            self._busy = time.monotonic()

    def catch_up(self) -> None:
        """Learn what other workers have finished, if the server is there."""
        if self.frontier.shared:
            with suppress(FrontierServerError):  # reported where the frontier is asked for more than advice
                self._read_log()

    def _read_log(self, learned: int = 0) -> None:
        """Count the pages finished since the last time, by whichever worker, and learn from those after number ``learned``;
        learning again from a page that this worker judged changes nothing."""
        for number, outcome in self.frontier.journal.outcomes(self.finished):
            if number > self.finished + 1:
                self._check_gap()
            self.policy.count(outcome, number)
            self.finished = number
            if number > learned:
                learn_again(self.strategy, outcome, self.frontier)
                self.control.learn_marks(self.finished)

    def _check_gap(self) -> None:
        """Raises FrontierServerError where what comes next in the log was not damaged, but forgotten."""
        known = self.frontier.journal.load(COUNTED)
        if known and known["after"] - self.finished > KEPT:
            raise FrontierServerError(
                f"this worker was away for more than {KEPT:,} pages, and what came of them is forgotten. Remedy: start it again"
            )

    def _take_seeds(self, urls: list[str]) -> None:
        pushed = self.push([replace(seed_entry(url), dropped=self._refusal_of_order(url, 0)) for url in urls])
        logger.info("%d start URLs were fed, %d of them new", len(urls), pushed.new)

    def _refusal_of_order(self, url: str, depth: int) -> str | None:
        self.policy.name([url])
        return self.policy.refusal(url, depth)

    def _is_first(self, what: str, number: int) -> bool:
        """Whether this worker is the one that does what is due at a number of finished pages."""
        return not self.frontier.shared or self.frontier.journal.first(what, number)

    def _lose(self, key: bytes) -> None:
        if (entry := self.in_flight.pop(key, None)) is not None:
            self.progress.links[LEASE_LOST] += 1
            logger.warning("%s: its lease ran out; it waits again, or another worker has it", entry.url)

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be fetched, whatever waits."""
        if self.refreshes:
            return self.policy.limit_reached(len(self.in_flight))
        return self.policy.is_over(len(self.in_flight)) or self.strategy.has_enough

    @property
    def has_more(self) -> bool:
        """Whether there is, or may come, something to fetch, by whichever worker."""
        if self.control.stopping or self.is_over:
            return False
        if self.control.paused:
            return True  # a person looks at it, and may feed it
        if self.refreshes:
            if not (more := self._has_fresh()) and not self.in_flight:
                self.frontier.journal.save(_SUNK, _REFRESHED)
            return more
        if not self.frontier.shared:
            return len(self.frontier) > 0
        counts = self.frontier.counts()
        if counts[State.WAITING] or counts[State.IN_FLIGHT]:
            self._busy = time.monotonic()
            return True
        return self.options.idle < 0 or time.monotonic() - self._busy < self.options.idle

    @property
    def rests(self) -> bool:
        """Whether a worker that may be fed seeds has had nothing to do for some time."""
        return self.frontier.shared and time.monotonic() - self._busy > REST_SECONDS

    @property
    def still_waiting(self) -> tuple[int, int] | None:
        """How many links wait, on how many hosts; None where the frontier cannot be asked any more."""
        if self.failed:
            return None
        try:
            return len(self.frontier), self.frontier.hosts()
        except STORAGE_ERRORS:
            return None

    def push(self, entries: Iterable[Entry]) -> Pushed:
        """Add entries that do not come from a page in flight: seeds, requests of a user's own spider."""
        return self.progress.note_links(self.frontier.push(entries))

    def next(self, now: float) -> Entry | None:
        """The next entry to fetch: the best among the hosts whose turn it is, judged by what is known now."""
        if self.control.paused or self.control.stopping or self.outages.holds():
            return None
        while True:
            if self.refreshes and ((best := self.frontier.best(now)) is None or best < -SUNK / 2):
                return None
            if (entry := self.frontier.pop(now, self.options.in_flight - len(self.in_flight))) is None:
                return None
            try:
                if self._is_next(entry, now):
                    self.outages.tries()
                    return entry
            except LeaseLost:  # it was reserved for too long
                continue

    def _is_next(self, entry: Entry, now: float) -> bool:
        """Whether a popped entry is to be fetched now; else it is dropped, or waits again."""
        stays = not entry.evidence or entry.priority >= SEED_PRIORITY or entry.key in self._again or STAYS in entry.meta
        if not stays and (url := self.moves.of(entry.url, ask=True)) != entry.url:
            self.push([self._at(url, entry, {**entry.meta, LEFT: entry.url})])  # first: a process that dies here leaves both
            self.frontier.drop(entry.key, MOVED)
            self.progress.links[MOVED] += 1
            return False
        if self.frontier.shared and self.options.max_pages_per_host:
            self._read_log()  # others fetch from the host too
        in_flight = sum(e.host == entry.host for e in self.in_flight.values())
        reason = self.policy.late_refusal(entry, in_flight, again=entry.key in self._again)
        if reason is not None:
            self.frontier.drop(entry.key, reason)
            self.progress.links[reason] += 1
            return False
        if entry.evidence and entry.priority < SEED_PRIORITY:
            # Whether the link is worth a visit was decided when its page was judged; only its place can change here.
            if entry.rescored < self.options.rescore:
                score = self.strategy.score([entry.candidate()])[0]
                priority = entry.priority if score is None else self.policy.place(score, entry.host)
            else:
                priority = self.policy.place_again(entry.priority, entry.host)
            if priority < entry.priority and (best := self.frontier.best(now)) is not None and priority < best:
                self.frontier.put_back(entry, priority)
                return False
        self.in_flight[entry.key] = entry
        self.progress.best = entry.priority
        return True

    def retry(self, entry: Entry, url: str, meta: dict[str, Any]) -> None:
        """Fetch an entry in flight again, at ``url``."""
        try:
            self.frontier.requeue(entry.key, url=url, meta=meta)
            del self.in_flight[entry.key]
        except LeaseLost:
            self._lose(entry.key)

    def redirect(self, entry: Entry, url: str, meta: dict[str, Any], status: int) -> None:
        """Finish an entry in flight whose answer was a redirect: its target takes its place, unless that is known already."""
        if fingerprint(url) == entry.key:
            self.retry(entry, url, meta)
            return
        target = self._at(url, entry, meta)
        self.finish(PageItem(entry, url, now_utc(), status=status, reason=REDIRECTED, links=[target], duplicate_of=url))

    def _at(self, url: str, entry: Entry, meta: dict[str, Any]) -> Entry:
        """What waits at ``url`` in place of an entry that leads there."""
        target = Entry(fingerprint(url), url, host(url), entry.priority, entry.depth, entry.evidence, meta)
        if LISTED not in entry.meta:
            target.dropped = self.policy.refusal(url, entry.depth)
        else:  # a home page in place of a feed that there is not stays what it is
            target.dropped = self.policy.refusal_of_listing(target) if may_list(url) else NO_LISTING
        return target

    @property
    def reads_listings(self) -> bool:
        """Whether sitemaps or feeds of hosts are read."""
        return bool(self._listings)

    def listing_entries(self, kind: str, urls: Iterable[str], found_on: Entry) -> list[Entry]:
        """Sitemaps or feeds as entries, to be fetched before all links, those that are refused with the reason."""
        nested = LISTED in found_on.meta
        where = (Evidence(found_on.url, 0.0, not nested, distance=int(nested), path=kind),)
        new = ((key, url) for url in urls if not self.frontier.is_settled(key := fingerprint(url)))
        entries = [Entry(key, url, host(url), SEED_PRIORITY, found_on.depth, where, {LISTED: kind}) for key, url in new]
        for entry in entries:
            entry.dropped = self.policy.refusal_of_listing(entry)
        return entries

    def _listings_of(self, item: PageItem) -> list[Entry]:
        """Where the host of a text may have listings, once it has given as many texts as it takes to look for them. What was
        asked for before is known to the frontier: nothing else is remembered, so a resumed crawl and further workers do the same.
        """
        announced = {SITEMAP: item.sitemaps, FEED: item.page.feeds if item.page is not None else ()}
        texts = self.policy.texts(item.entry.host) + 1
        kinds = (kind for kind, least in self._listings.items() if texts >= least)
        return [e for kind in kinds for e in self.listing_entries(kind, of_host(item.url, kind, announced[kind]), item.entry)]

    def store_row(self, item: PageItem) -> None:
        """Write an item's row to the corpus and note in the item how it was stored; :meth:`finish` follows, so that a crash in
        between gives the page back. An item that is finished, whose lease is lost, or that is no page is left alone.

        Raises:
            ValueError: the item is kept and has no text.
            CorpusError: it could not be written.
        """
        if (item.first is None and item.entry.key not in self.in_flight) or item.is_listing:
            return
        if item.reason == NOT_MODIFIED:
            self.store.visited(item.entry.key.hex(), item.fetched)
            return
        if not item.reason and (item.verdict is None or not item.verdict.keep):
            item.reason = OFF_TOPIC
        if item.verdict is None and item.entry.evidence:
            item.reasons = self.strategy.explain(item.entry.candidate())
        put = self.store.put_again if item.entry.key in self._again else self.store.put
        stored = put(item.record(self.options.worker if self.frontier.shared else ""), item.prose)
        item.reason, item.duplicate_of, item.stored = stored.reason, stored.duplicate_of, stored

    def finish(self, item: PageItem) -> None:
        """Mark an item's page done, together with its links. A row that no pipeline has written is written before."""
        entry, verdict = item.entry, item.verdict
        if item.first is None and entry.key not in self.in_flight:
            return  # finished already: an error was reported after the item had passed; or its lease is lost
        if item.is_listing and not (is_listing(item.reason) or item.reason in (REDIRECTED, NOT_MODIFIED)):
            item.reason = f"{NO_LISTING}: {item.reason}"  # HTTP 404, for most
        if item.stored is None:
            self.store_row(item)
        if item.first is not None:  # its links wait since it came, and the log goes on to say what was known then
            self.second_look.done(item)
            if item.stored is not None:
                self.progress.note_second_look(item.first.reason, item.stored)
                if item.stored.keep:
                    self.progress.latest = item.title
            return
        if item.parts and item.reason in ("", PART):
            follow_parts(item.links, item.parts, item.found["series"], self.strategy.drop_reason)
        if item.reason in ("", PART) and self._listings:
            item.links += self._listings_of(item)
        if item.status in _GONE and (old := entry.meta.get(LEFT)):  # it may still be there
            item.links.append(self._at(old, entry, {STAYS: True}))
        self.second_look.set_aside(item)
        if verdict is None:
            nothing_missed = item.is_listing or item.reason in (REDIRECTED, NOT_MODIFIED)
            lesson = None if nothing_missed else self.strategy.missed(entry.url, entry.evidence)
            outcome = Outcome(entry.url, False, reason=item.reason, lesson=lesson)
            if lesson is not None:
                self.strategy.learn(entry.url, Verdict(0.0, False, lesson=lesson))
        else:
            led_by = linking_hosts(entry) if item.reason in ("", PART) else ()
            outcome = Outcome(entry.url, verdict.keep, verdict.relevance, item.reason, verdict.lesson, led_by)
        try:
            self.progress.note_links(self.frontier.done(entry.key, outcome, item.links))
        except LeaseLost:
            self._lose(entry.key)
            return
        if item.reason == REDIRECTED:
            self.moves.note(entry.url, item.duplicate_of, item.status in _FOR_GOOD)
        elif item.status == HTTPStatus.OK:
            self.moves.note(entry.url)
        if item.is_listing and item.validators:
            self.frontier.journal.save(f"validators {entry.key.hex()}", item.validators)
        del self.in_flight[entry.key]  # only now: what cannot be stored is still in flight
        self.progress.note_page(item)
        if not self.frontier.shared:  # the log of a shared frontier is read by tick()
            self.finished += 1
            self.policy.count(outcome)
            self.control.learn_marks(self.finished)
            self._after_pages()

    def _after_pages(self) -> None:
        """Do what is due at certain numbers of finished pages. Of many workers one does it."""
        before, after = self._checked, self.finished
        self._checked = after
        if checkpoint_due(before, after) and self._is_first("checkpoint", after):
            self._save_checkpoint()
        if any(rescoring_due(n) for n in range(before + 1, after + 1)):
            if self.frontier.shared:
                self.moves.ask_again()
            if self._is_first("rescoring", after):
                look_ahead(self.strategy, self.policy, self.frontier)
        self.second_look.judge_again(after)
        self._search()

    def _save_checkpoint(self) -> None:
        """Keep what was learned and counted."""
        counts = self.policy.checkpoint(self.finished) if self.frontier.shared else None
        save_checkpoint(self.strategy, self.frontier, self.finished, counts)

    def _search(self) -> None:
        """Ask the searches of the start URLs for words that the strategy has come to search for."""
        words = [word for word in self.strategy.search_words if word not in self._searched]
        if words and self.options.searches:
            self._searched.update(words)
            self._take_seeds(search_urls(self.options.searches, words))

    def fail(self, error: Exception) -> None:
        """Note that the frontier, the corpus or the archive cannot be written. Whoever runs the crawl ends it."""
        if not self.failed:
            details = None if isinstance(error, STORAGE_ERRORS) else error
            logger.critical("Cannot store what was fetched; the crawl ends and can be resumed: %s", error, exc_info=details)
            self.failed = str(error) or type(error).__name__
            self.progress.storage_failures += 1


def _check_corpus(crawl: Crawl) -> None:
    """Raises CrawlError where the corpus has none of the pages that the frontier finished last.

    A worker with a corpus file of its own has only the pages that it fetched itself.
    """
    if crawl.frontier.shared and not crawl.options.corpus:
        return
    latest = crawl.frontier.journal.outcomes(max(0, crawl.finished - 50))
    last = [outcome.url for _, outcome in latest if not is_listing(outcome.reason)][-10:]
    if last and not any(crawl.store.get(fingerprint(url).hex()) for url in last):
        raise CrawlError(
            f"{crawl.store.name} lacks the pages that this crawl fetched last, such as {last[-1]}: it was moved, emptied "
            "or replaced by an older one. Remedy: put it back, or begin anew with another TOPICAL_DATA_DIR (Redis: TOPICAL_CRAWL)"
        )


def _lock(folder: CrawlFolder) -> FileLock:
    if (lock := folder.lock(_LOOKED_AT)) is None:
        raise CrawlError(
            f"{folder.path}: another crawl is running here. Remedy: wait for it, stop it, or choose another directory "
            f"(-s TOPICAL_DATA_DIR=DIR)"
        )
    return lock
