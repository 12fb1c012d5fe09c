"""One crawl, ``spider.crawl``, shared by Scrapy's components: the choice of the next URL, and the outcome of each page."""

from __future__ import annotations

import logging
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from topical_crawler import strategies
from topical_crawler.corpus.record import CorpusError
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.checkpoints import PageLog, checkpoint_due
from topical_crawler.crawl.crawl_folder import CrawlFolder
from topical_crawler.crawl.feeding import Feeding
from topical_crawler.crawl.host_counts import Store
from topical_crawler.crawl.link_policy import LinkPolicy, follow_parts, is_link, linking_hosts
from topical_crawler.crawl.listings import Listings
from topical_crawler.crawl.mailbox import Mailbox
from topical_crawler.crawl.moves import MOVED, Moves
from topical_crawler.crawl.nothing_kept import ENOUGH, FEW, describe, nothing_kept, nowhere
from topical_crawler.crawl.opening import claim_folder, log_missing, log_progress, open_frontier
from topical_crawler.crawl.options import CrawlError, CrawlOptions
from topical_crawler.crawl.outages import Outages
from topical_crawler.crawl.progress import Progress
from topical_crawler.crawl.refresh import NOT_MODIFIED, Refresh
from topical_crawler.crawl.rescoring import last_expected, look_ahead, rescoring_due
from topical_crawler.crawl.second_look import SecondLook, SetAside
from topical_crawler.crawl.steering import Control, Known
from topical_crawler.crawl.survey import Section, survey
from topical_crawler.crawl.taking_back import TakingBack
from topical_crawler.frontier.base import Entry, Frontier, FrontierServerError, LeaseLost, Outcome, Pushed, State
from topical_crawler.frontier.sqlite import FrontierFileError
from topical_crawler.items import LEFT, STAYS, PageItem, now_utc
from topical_crawler.recordings.writer import ArchiveError
from topical_crawler.resources.registry import Resources
from topical_crawler.strategies import OFF_TOPIC, Strategy
from topical_crawler.strategies.models import open_adviser
from topical_crawler.strategies.semantic.url_structure import site
from topical_crawler.topic.topic import Topic
from topical_crawler.web.listings import NO_LISTING, is_listing
from topical_crawler.web.page import Verdict
from topical_crawler.web.urls import REDIRECTED, fingerprint

if TYPE_CHECKING:
    from filelock import FileLock

logger = logging.getLogger(__name__)

STORAGE_ERRORS = (FrontierServerError, FrontierFileError, CorpusError, ArchiveError)  # their messages name the fix
REST_SECONDS = 60.0  # idle time before a worker waiting for seeds takes a second look
MOST_RESTS = 60  # first back-offs (an hour) before a crawl ends while all its hosts are backing off
SLOW = 5.0  # seconds before a request counts as slow and gives its slot to another
LEASE_LOST = "lease lost"  # reason counted for pages with an expired lease: another worker has them
_LOOKED_AT = 2.0  # seconds for which a command may hold the lock of a stopped crawl
_GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)


class Crawl:
    """One crawl, independent of Scrapy. Created by :meth:`open`.

    Attributes:
        in_flight: entries being fetched or on their way through the pipelines, by key.
        log: the log of finished pages, as far as this worker has read it.
        failed: reason the crawl cannot continue, "" while it can.
        is_looking: True if the last :meth:`next` reached its limit of entries, with more to look at.
        taking_back: revision of stored texts by :meth:`cleaning`.
        refresh: refresh run for new content, if active.
        listings: sitemaps and feeds of hosts.
        feeding: seeds added to the running crawl.
        moves: sites redirecting everything to another address.
        outages: back-off of unreachable hosts.
        adviser: the topic's model, or None.
        slow: requests slower than :data:`SLOW`, by registered domain. One domain may have half as many as the crawl's in-flight
            limit.
        surveyed: sections of its sites, once a survey has ended.
        in_vain: diagnosis of an ended crawl with no or hardly any kept texts, else "".
        nowhere: descriptions of this run's start pages without text and links.
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
        self.failed = self.in_vain = ""
        self.is_looking = False
        self.surveyed: list[Section] = []
        self.slow: Counter[str] = Counter()  # requests that take long, by registered domain
        site("")  # read the list of suffixes before the event loop starts
        self._closed = self._in_vain = False
        self._ahead: Iterator[None] | None = None  # rescoring of waiting links in progress
        self._redirected: list[tuple[Entry, str, dict[str, Any], int]] = []  # arguments of `redirect` until its end
        self.nowhere: list[str] = []
        self._lock = lock
        self._renewed = self._busy = self._asked = time.monotonic()
        shared = frontier.journal if isinstance(frontier.journal, Store) else None
        self.policy = LinkPolicy(options, strategy.learns_links, shared)
        self.listings = Listings(options, self.policy, frontier)
        self.moves = Moves(frontier.journal.load, frontier.journal.save)
        self.outages = Outages(options.rest, options.seed)
        folder = CrawlFolder(options.data_dir)
        # Persist only with SQLite, since other workers cannot resume it.
        aside = SetAside(folder.aside if options.frontier == "sqlite" else None, options.second_look_megabytes)
        self.second_look = SecondLook(aside, strategy, store)
        self.taking_back = TakingBack(strategy, frontier, store, options.cleaning)
        self.refresh = Refresh(frontier, store)
        self.feeding = Feeding(options, self.policy, self.push)
        mailbox = None if frontier.shared else Mailbox(folder.mailbox)
        self.control = Control(frontier, strategy, mailbox, Known(self.feeding.refusal, facts=self.facts))
        self.log = PageLog(strategy, frontier, self.policy, self.control)
        self.log.resume()
        self._checked = self.log.finished  # at the last check for due tasks
        if rescoring_due(self._checked):
            self._look_ahead()  # the last run may have ended just before it
        self.policy.expected = last_expected(frontier)
        if self.log.finished:
            logger.info(
                "Resuming %s: %d pages fetched, %d links waiting, %d were in flight when the last run ended",
                options.name if frontier.shared else options.data_dir,
                self.policy.fetched, len(frontier), frontier.status().recovered,
            )  # fmt: skip
        if options.refresh is None:
            self.refresh.lift()
        else:
            self.refresh.begin(options.refresh, self.policy.fetched, self.listings.kinds)
            self.policy.before = self.policy.fetched

    @classmethod
    def open(cls, options: CrawlOptions, topic: Topic, resources: Resources | None) -> Crawl:
        """Open a new crawl, or the existing one in ``options.data_dir``.

        Raises:
            CrawlError: the directory is in use by another crawl, belongs to another topic, or holds the learned state of
                another version of the program.
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
                encoder=options.encoder,
                seed=options.seed,
                progress=log_progress(),
            )
            if resources is not None:
                log_missing(strategy, resources)
            try:
                frontier = undo.enter_context(closing(open_frontier(options, topic)))
                place = options.corpus or str(folder.corpus)
                store = undo.enter_context(CorpusStore(place, patience=options.patience))
                crawl = cls(options, topic, strategy, frontier, store, lock)
                _check_corpus(crawl)
                crawl.taking_back.put_back()
            except STORAGE_ERRORS as error:
                raise CrawlError(str(error)) from None
            undo.pop_all()
            return crawl

    def cleaning(self) -> Iterator[None]:
        """Take back and clean texts, step by step (:class:`TakingBack`).

        No-op after a storage failure, and while other workers write to the corpus. Raises the errors of the frontier and the
        corpus.
        """
        if self.failed or not self._is_last():
            return
        self.control.learn_marks(self.log.finished)
        try:
            yield from self.taking_back.steps(self.control.marks.urls)
        finally:
            for changes in self.taking_back.changes():
                self.progress.note_changes(changes.gains, changes.rejected)

    def _is_last(self) -> bool:
        """Return True if no other worker writes to the corpus, or nothing is left to write."""
        if not self.frontier.shared or not self.options.corpus or self.frontier.status().details["workers"] <= 1:
            return True
        counts = self.frontier.status().counts
        return not (counts[State.WAITING] or counts[State.IN_FLIGHT])

    def close(self) -> None:
        """Save the learned state and close the files. The crawl fails if they cannot be written. Idempotent."""
        if self._closed:
            return
        self._closed = True
        with self._reporting():
            if not self.failed:
                self.log.save()
                self.in_vain = self._nothing_kept()
                self.surveyed = survey(self.store, self.frontier, self.strategy) if self.options.survey else []
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

    def facts(self) -> dict[str, Any]:
        """Return JSON data for people: the hosts "resting", with the seconds left, "slowed" and "left"."""
        return {
            "resting": {name: round(seconds) for name, seconds in self.outages.resting().items()},
            "slowed": sorted(self.policy.slowed - self.policy.left),
            "left": sorted(self.policy.left),
        }

    def tick(self) -> None:
        """Obey orders, renew leases, learn from other workers' pages, and take new seeds. Called about once a second."""
        self.control.poll()
        if not self.frontier.shared:
            return
        if self.in_flight:
            self._busy = time.monotonic()
        if time.monotonic() - self._renewed > self.options.lease / 4:
            self._renewed = time.monotonic()
            for key in self.frontier.renew():
                self._lose(key)
        self.log.read()
        self._after_pages()
        self.log.follow()
        self.policy.expected = last_expected(self.frontier)
        if self.feeding.poll():
            self._busy = time.monotonic()

    def catch_up(self) -> None:
        """Learn from other workers' pages, if the server is reachable."""
        if self.frontier.shared:
            with suppress(FrontierServerError):  # reported where the frontier is asked for more than advice
                self.log.read()

    def _lose(self, key: bytes) -> None:
        if (entry := self.in_flight.pop(key, None)) is not None:
            self.progress.note_dropped(LEASE_LOST, 1)
            logger.warning("%s: its lease ran out; it waits again, or another worker has it", entry.url)

    def advance(self) -> bool:
        """Run one step of the rescoring in progress, if any, and return True if there was one.

        Until the rescoring ends, nothing new is fetched and no page is finished, so the crawl depends on the order of its pages
        alone. Waiting callers continue in the order of their calls.
        """
        if self._ahead is None:
            return False
        if next(self._ahead, self) is self:
            self._ahead, redirected, self._redirected = None, self._redirected, []
            for arguments in redirected:
                self.redirect(*arguments)
        return True

    @property
    def rescores(self) -> bool:
        """True while the rescoring of waiting links is in progress."""
        return self._ahead is not None

    def _settle(self) -> None:
        while self.advance():
            pass

    @property
    def is_over(self) -> bool:
        """True if nothing more is to be fetched, even with links waiting."""
        if self.rescores:  # it may find more
            return False
        if self.refresh.active:
            return self.policy.limit_reached(len(self.in_flight))
        return self.policy.is_over(len(self.in_flight)) or self.strategy.has_enough

    @property
    def has_more(self) -> bool:
        """True if there is, or may come, something to fetch, for any worker."""
        if self.control.stopping or self.is_over:
            return False
        if self.control.paused:
            return True  # a person is watching, and may feed it
        if self.refresh.active:
            return self.refresh.goes_on(len(self.in_flight))
        if not self.frontier.shared:
            return len(self.frontier) > 0 and not self._waits_in_vain()
        counts = self.frontier.status().counts
        if counts[State.WAITING] or counts[State.IN_FLIGHT]:
            self._busy = time.monotonic()
            return counts[State.IN_FLIGHT] > 0 or not self._waits_in_vain()
        return self.options.idle < 0 or time.monotonic() - self._busy < self.options.idle

    def _waits_in_vain(self) -> bool:
        """Return True if nothing could be fetched for :data:`MOST_RESTS` first back-offs, since all hosts with waiting links
        are backing off.

        During a network outage it is False, since the network comes back.
        """
        resting = self.outages.resting()
        seconds = time.monotonic() - self._asked
        if not resting or self.outages.away or self.options.idle < 0 or seconds < MOST_RESTS * self.options.rest:
            return False
        if not self._in_vain:
            self._in_vain = True
            names = ", ".join(sorted(resting, key=resting.__getitem__)[:5])
            logger.warning(
                "For %.0f s all hosts left have been backing off (%s): the crawl ends, with %d links waiting. Run it again once "
                "they answer", seconds, names, len(self.frontier),
            )  # fmt: skip
        return True

    @property
    def rests(self) -> bool:
        """True if a worker open to further seeds has been idle for some time."""
        return self.frontier.shared and time.monotonic() - self._busy > REST_SECONDS

    def push(self, entries: Iterable[Entry]) -> Pushed:
        """Push entries from outside a page in flight: seeds, and requests of a user's own spider."""
        return self.progress.note_links(self.frontier.push(entries))

    def next(self, now: float, most: int = sys.maxsize) -> Entry | None:
        """Return the next entry to fetch, or None: the best among the ready hosts, by current knowledge.

        After ``most`` entries without a suitable one, it also returns None, with ``is_looking`` set.
        """
        self._settle()
        self.is_looking = False
        self.control.learn_marks(self.log.finished)  # not by the clock: a model's marks come while pages are looked at again
        if self.control.paused or self.control.stopping or self.outages.holds():
            return None
        for _ in range(most):
            if self.refresh.active and not self.refresh.has_turn(now):
                return None
            if (entry := self.frontier.pop(now, self.options.in_flight - len(self.in_flight))) is None:
                return None
            try:
                if self._is_next(entry, now):
                    self.outages.tries()
                    return entry
            except LeaseLost:  # it was reserved for too long
                continue
        self.is_looking = True
        return None

    def _is_next(self, entry: Entry, now: float) -> bool:
        """Return True if a popped entry is to be fetched now. Otherwise it is dropped or requeued."""
        again = entry.key in self.refresh.again
        may_move = is_link(entry) and not again and STAYS not in entry.meta
        if may_move and (url := self.moves.of(entry.url, ask=True)) != entry.url:
            # Push first: a process that dies here leaves both.
            self.push([self.policy.instead(url, entry, {**entry.meta, LEFT: entry.url})])
            self.frontier.drop(entry.key, MOVED)
            self.progress.note_dropped(MOVED, 1)
            return False
        if self.frontier.shared and self.options.max_pages_per_host:
            self.log.read()  # others fetch from the host too
        if self.slow and 2 * self.slow[site(entry.url)] >= self.options.in_flight > 1:
            self.frontier.sent(entry.key, now + SLOW)
            self.frontier.requeue(entry.key)
            return False
        in_flight = sum(e.host == entry.host for e in self.in_flight.values())
        if (reason := self.policy.late_refusal(entry, in_flight, again)) is not None:
            self.frontier.drop(entry.key, reason)
            self.progress.note_dropped(reason, 1)
            return False
        place = self.policy.place_now(entry, self.strategy.score)
        if place < entry.priority and (best := self.frontier.next(now).best) is not None and place < best:
            self.frontier.put_back(entry, place)
            return False
        self.in_flight[entry.key] = entry
        self._asked = time.monotonic()
        self.progress.best = entry.priority
        return True

    def retry(self, entry: Entry, url: str, meta: dict[str, Any]) -> None:
        """Fetch an entry in flight again, at ``url``."""
        try:
            self.frontier.requeue(entry.key, url=url, meta=meta)
            del self.in_flight[entry.key]
            self._asked = time.monotonic()
        except LeaseLost:
            self._lose(entry.key)

    def redirect(self, entry: Entry, url: str, meta: dict[str, Any], status: int) -> None:
        """Finish an entry in flight after a redirect, once no rescoring is in progress. Its target takes its place, unless
        already known.
        """
        if self.rescores:
            self._redirected.append((entry, url, meta, status))
            return
        if fingerprint(url) == entry.key:
            self.retry(entry, url, meta)
            return
        target = self.policy.instead(url, entry, meta)
        item = PageItem(entry, url, now_utc(), status=status, reason=REDIRECTED, links=[target], duplicate_of=url)
        self.store_row(item)
        self.finish(item)

    def store_row(self, item: PageItem) -> None:
        """Write an item's row to the corpus, and the result to the item.

        :meth:`finish` follows, so a crash in between requeues the page. No-op for a finished item, a lost lease, or a listing.

        Raises:
            ValueError: the item is kept and has no text.
            CorpusError: the row cannot be written.
        """
        if (item.first is None and item.entry.key not in self.in_flight) or item.is_listing:
            return
        if item.reason == NOT_MODIFIED:
            self.store.visited(item.entry.key.hex(), item.fetched)
            return
        if not item.reason and not item.keep:
            item.reason = OFF_TOPIC
        if item.verdict is None and item.entry.evidence:
            item.reasons = self.strategy.explain(item.entry.candidate())
        put = self.store.put_again if item.entry.key in self.refresh.again else self.store.put
        stored = put(item.record(self.options.worker if self.frontier.shared else ""), item.prose)
        item.reason, item.duplicate_of, item.stored = stored.reason, stored.duplicate_of, stored

    def finish(self, item: PageItem) -> None:
        """Mark an item's page done, together with its links, once its row is stored.

        Raises:
            CorpusError: the row is not stored.
        """
        self._settle()
        entry = item.entry
        if item.first is None and entry.key not in self.in_flight:
            return  # already finished, by an error reported after the item had passed, or its lease is lost
        if item.is_listing and not (is_listing(item.reason) or item.reason in (REDIRECTED, NOT_MODIFIED)):
            item.reason = f"{NO_LISTING}: {item.reason}"  # HTTP 404, for most
        if item.stored is None and not item.is_listing and item.reason != NOT_MODIFIED:
            raise CorpusError(
                f"{entry.url} came through the item pipelines, and none has stored it. Add "
                "topical_crawler.pipelines.StorePipeline to ITEM_PIPELINES, as the last one"
            )
        if item.first is not None:  # its links were pushed on arrival, and its log entry stays
            assert item.stored is not None
            self.second_look.done(item)
            self.progress.note_second_look(item.first.reason, item.stored)
            if item.stored.keep:
                self.progress.latest = item.title
            return
        if item.gave_text:
            follow_parts(item, self.strategy.drop_reason)
            item.links += self.listings.for_text(item)
        if item.status in _GONE and (old := entry.meta.get(LEFT)):  # it may still be at its old URL
            item.links.append(self.policy.instead(old, entry, {STAYS: True}))
        self.second_look.set_aside(item)
        outcome = self._outcome(item)
        try:
            self.progress.note_links(self.frontier.done(entry.key, outcome, item.links))
        except LeaseLost:
            self._lose(entry.key)
            return
        if not (entry.evidence or item.is_listing or item.gave_text or item.reason in (REDIRECTED, NOT_MODIFIED)):
            self.nowhere += filter(None, [nowhere(item.url, item.reason, item.size, item.page)])
        self.moves.learn(item)
        if item.is_listing:
            self.refresh.remember(entry.key, item.validators)
        del self.in_flight[entry.key]  # only now: after a storage failure it is still in flight
        self.progress.note_page(item)
        if not self.frontier.shared:
            self.log.add(outcome)
            self._after_pages()
        elif self.options.in_flight == 1:  # else tick() reads the log of a shared frontier, at the clock's pace
            self.log.read()
            self._after_pages()

    def _outcome(self, item: PageItem) -> Outcome:
        """Return the log entry of a page. The strategy learns from a page it did not judge, if that page is a miss."""
        entry, verdict = item.entry, item.verdict
        asked_by = () if entry.evidence else (entry.host,)
        if verdict is not None:
            led_by = asked_by or (linking_hosts(entry) if item.gave_text else ())
            return Outcome(entry.url, verdict.keep, verdict.relevance, item.reason, verdict.lesson, led_by)
        lesson = None
        if not item.is_listing and item.reason not in (REDIRECTED, NOT_MODIFIED):
            lesson = self.strategy.missed(entry.url, entry.evidence)
        if lesson is not None:
            self.strategy.learn(entry.url, Verdict(0.0, False, lesson=lesson))
        return Outcome(entry.url, False, reason=item.reason, lesson=lesson, led_by=asked_by)

    def _after_pages(self) -> None:
        """Perform the tasks due at certain numbers of finished pages. One of many workers does each."""
        before, after = self._checked, self.log.finished
        self._checked = after
        if checkpoint_due(before, after):
            self.log.save()
        if any(rescoring_due(n) for n in range(before + 1, after + 1)):
            if self.frontier.shared:
                self.moves.ask_again()
            self._look_ahead()
        self.second_look.judge_again(after)
        self.feeding.search(self.strategy.search_words)
        if before < ENOUGH <= after and (advice := self._nothing_kept()):
            logger.warning("%s", advice)

    def _nothing_kept(self) -> str:
        """Describe the crawl so far in plain words, or return "" if its corpus has texts, or no page."""
        found = nothing_kept(self.store, self.topic) if self.progress.total.kept <= FEW else None
        return describe(found, self.topic, self.place, self.nowhere) if found is not None else ""

    @property
    def place(self) -> str:
        """Name of the corpus in a command."""
        return shlex.quote(self.store.name if self.options.corpus else str(self.options.data_dir))

    def _look_ahead(self) -> None:
        """Start rescoring waiting links, unless another worker does."""
        if not self.frontier.shared or self.frontier.journal.first("rescoring", self.log.finished):
            self._settle()
            self._ahead = look_ahead(self.strategy, self.policy, self.frontier)

    def fail(self, error: Exception) -> None:
        """Record a storage failure of the frontier, the corpus or the archive. The caller then ends the crawl."""
        if not self.failed:
            details = None if isinstance(error, STORAGE_ERRORS) else error
            logger.critical("Cannot store what was fetched; the crawl ends and can be resumed: %s", error, exc_info=details)
            self.failed = str(error) or type(error).__name__
            self.progress.storage_failures += 1


def _check_corpus(crawl: Crawl) -> None:
    """Raise CrawlError if the corpus has none of the last pages finished by the frontier.

    A worker with its own corpus file has only its own pages.
    """
    if crawl.frontier.shared and not crawl.options.corpus:
        return
    latest = crawl.frontier.journal.outcomes(max(0, crawl.log.finished - 50))
    last = [outcome.url for _, outcome in latest if not is_listing(outcome.reason)][-10:]
    if last and not any(crawl.store.get(fingerprint(url).hex()) for url in last):
        raise CrawlError(
            f"{crawl.store.name} lacks the last pages of this crawl, such as {last[-1]}: it was moved, emptied or replaced by an "
            "older one. Put it back, or start a new crawl with another TOPICAL_DATA_DIR (Redis: TOPICAL_CRAWL)"
        )


def _lock(folder: CrawlFolder) -> FileLock:
    if (lock := folder.lock(_LOOKED_AT)) is None:
        raise CrawlError(
            f"{folder.path}: another crawl is running here. Wait for it, stop it, or choose another directory "
            f"(-s TOPICAL_DATA_DIR=DIR)"
        )
    return lock
