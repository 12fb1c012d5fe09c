"""Feeding and steering a crawl, while it runs or between two runs: actions on its frontier, and the crawl that obeys them.

A request and its answer are JSON objects, handed to the process that has the frontier open (:mod:`mailbox`). What applies to all
workers of a crawl, and to its next run, is saved in the frontier: orders under "control", marked texts in portions, "marks 1" and
so on. :class:`Control` obeys them.
"""

from __future__ import annotations

import logging
import math
import uuid
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from topical_crawler.crawl.mailbox import Answer, Mailbox
from topical_crawler.frontier.base import SEED_PRIORITY, Entry, Frontier, State
from topical_crawler.topic.files import MOST, MarkedText, marked_text
from topical_crawler.topic.topic_folder import MARKED
from topical_crawler.web.listings import said
from topical_crawler.web.page import Candidate
from topical_crawler.web.urls import REDIRECTED, fingerprint, host, without_user

if TYPE_CHECKING:
    from topical_crawler.strategies import Strategy

logger = logging.getLogger(__name__)

Request = Mapping[str, Any]
Refusal = Callable[[str, int], str | None]  # see LinkPolicy.refusal
Explain = Callable[[Candidate], Mapping[str, float]]  # see Strategy.explain
Facts = Callable[[], Mapping[str, Any]]  # see Crawl.facts

PURGED = "purged"  # why links are dropped that a person purged from the queue
LAST_PAGES = 1000  # finished pages that ``stats`` counts by default
MAX_SHOWN = 10_000  # most entries that ``top`` shows
MOST_LOOKED_AT = 100_000  # entries that ``top`` searches for one host: up to a second, in which the crawl stands still
MOST_MARKS = 100  # marked texts of one request
_CONTROL = "control"
_NO_ADDRESS = fingerprint("")


class SteeringError(ValueError):
    """A request cannot be performed; the message says why."""


class Known(NamedTuple):
    """What is known of the crawl beside its frontier; nothing where its strategy is not at hand."""

    refusal: Refusal | None = None
    explain: Explain | None = None
    facts: Facts | None = None


_NOTHING = Known()


def seed_entry(url: str, priority: float = SEED_PRIORITY) -> Entry:
    """A start URL as an entry, by default before every link."""
    url = without_user(url)
    return Entry(fingerprint(url), url, host(url), priority)


def control_state(frontier: Frontier) -> dict[str, Any]:
    """Orders to all workers: "paused", "stop" (a new text with every order to stop), "page_threshold" (None: the topic's)."""
    return {"paused": False, "stop": "", "page_threshold": None, **(frontier.journal.load(_CONTROL) or {})}


def perform(frontier: Frontier, request: Request, crawl: Known = _NOTHING) -> Answer:
    """Perform ``request["action"]``, one of :data:`ACTIONS`; its further keys are described by the action's function.

    Raises:
        SteeringError: no such action, or a value that cannot be used; then nothing has changed.
    """
    action = ACTIONS.get(str(request.get("action")))
    if action is None:
        raise SteeringError(f"no action {request.get('action')!r} (this version knows {', '.join(ACTIONS)})")
    return action(frontier, request, crawl)


def _stats(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """Counts; and of the last ``pages`` finished pages (0: all) how many were kept, and why the others were not."""
    last = _count(request, "pages", LAST_PAGES, at_least=0)
    status = frontier.status()
    control = control_state(frontier)
    # Every finished page has an outcome, one that was fetched again has several: these are the last ones, or more.
    outcomes = frontier.journal.outcomes(max(0, status.counts[State.DONE] - last) if last else 0)
    finished = (outcome.reason for _, outcome in outcomes if outcome.reason != REDIRECTED)
    reasons = Counter(deque(finished, last) if last else finished)
    return {
        **{state.name.lower(): status.counts[state] for state in State},
        "hosts": status.hosts,
        "dropped_because": dict(Counter(status.dropped).most_common()),
        "last_pages": reasons.total(),
        "last_kept": reasons.pop("", 0),
        "last_rejected_because": dict(reasons.most_common()),
        "paused": control["paused"],
        "page_threshold": control["page_threshold"],
        "marked": len(Marks(frontier).urls),
        "details": status.details,
        **(crawl.facts() if crawl.facts is not None else {}),
    }


def _top(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """The best ``n`` waiting entries as "entries"; of one ``host``, those among the best :data:`MOST_LOOKED_AT` of all hosts.
    With ``reasons`` each has the parts of its present priority, if the strategy is at hand."""
    n, wanted = _count(request, "n", 20), str(request.get("host") or "").lower()
    explain = crawl.explain if request.get("reasons") is True else None
    best = frontier.waiting(MOST_LOOKED_AT if wanted else n)
    chosen = [entry for entry in best if not wanted or entry.host == wanted][:n]
    return {"looked_at": len(best), "entries": [_shown(entry, explain) for entry in chosen]}


def _find(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """Where ``urls`` stand, as "entries": each with what ``top`` shows, its "state", "unknown" where the crawl has not seen it,
    and as "dropped" the reason why it is not fetched or, if unknown, would not be; "" if none is known."""
    explain = crawl.explain if request.get("reasons") is True else None
    entries = []
    for url in _urls(request):
        found = frontier.find(fingerprint(url))
        state, entry = found or (None, seed_entry(url))
        refused = crawl.refusal(url, 1) if crawl.refusal is not None and found is None else entry.dropped
        shown = _shown(entry, explain if state is State.WAITING else None)
        entries.append(
            {**shown, "url": url, "state": state.name.lower() if state is not None else "unknown", "dropped": refused or ""}
        )
    return {"entries": entries, "page_threshold": control_state(frontier)["page_threshold"]}


def _hosts(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """The hosts of the best ``n`` waiting entries as "hosts": how many entries each has, and the priority of its best."""
    entries = frontier.waiting(_count(request, "n", 1000))
    best = {entry.host: entry.priority for entry in reversed(entries)}
    counted = Counter(entry.host for entry in entries).most_common()
    return {"looked_at": len(entries), "hosts": [{"host": name, "waiting": n, "priority": best[name]} for name, n in counted]}


def _push(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """Push ``urls`` as seeds, at the front of the queue or with a ``priority``. Of the answer, "new" were unknown, "again" had
    been dropped or had a lower priority, "known" stay as they were."""
    priority = request.get("priority")
    entries = [seed_entry(url, SEED_PRIORITY if priority is None else _number("priority", priority)) for url in _urls(request)]
    for entry in entries:
        entry.dropped = crawl.refusal(entry.url, entry.depth) if crawl.refusal is not None else None
    pushed = frontier.push(entries)
    return {"new": pushed.new, "again": pushed.raised, "known": pushed.known, "dropped": pushed.dropped}


def _pause(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """Fetch nothing more, over restarts, until ``resume``."""
    _change(frontier, paused=True)
    counts = frontier.status().counts
    return {"paused": True, "waiting": counts[State.WAITING], "in_flight": counts[State.IN_FLIGHT]}


def _resume(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """Go on after a pause."""
    was_paused = control_state(frontier)["paused"]
    _change(frontier, paused=False)
    return {"paused": False, "was_paused": was_paused, "waiting": len(frontier)}


def _stop(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """End every worker that runs now, in good order."""
    _change(frontier, stop=uuid.uuid4().hex)
    counts = frontier.status().counts
    return {"stopping": True, "waiting": counts[State.WAITING], "in_flight": counts[State.IN_FLIGHT]}


def _threshold(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """Set the page threshold to ``value``; None: the topic's own."""
    value = request.get("value")
    if value is not None and _number("page_threshold", value) < 0:
        raise SteeringError(f"page_threshold must be a number of 0 or more, not {value!r}")
    before = control_state(frontier)["page_threshold"]
    _change(frontier, page_threshold=value)
    return {"page_threshold": value, "before": before}


def _requeue(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """Have finished or dropped entries wait again: ``urls``, or the finished pages whose latest outcome has the ``reason``."""
    if (reason := request.get("reason")) is None:
        urls = {fingerprint(url): url for url in _urls(request)}
    else:
        urls = {}
        for _, outcome in frontier.journal.outcomes():
            if outcome.reason == reason:
                urls[fingerprint(outcome.url)] = outcome.url
            elif urls:
                urls.pop(fingerprint(outcome.url), None)
    return {"asked": len(urls), "requeued": frontier.revive(urls)}


def _purge(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """Drop waiting entries: of a ``host``, of a priority ``below`` a number, or both; or ``all``."""
    name, below = request.get("host"), request.get("below")
    if (name is None and below is None) == (request.get("all") is not True):
        raise SteeringError("say what to purge: a host, what is below a priority, or else all")
    lowest = None if below is None else _number("below", below)
    purged = frontier.discard(PURGED, host=None if name is None else str(name).lower(), below=lowest)
    return {"purged": purged, "waiting": len(frontier)}


def _mark(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """Have all workers learn marked ``texts``, objects with the fields of :class:`MarkedText`; one replaces an earlier one of the
    same address. Of the answer, "texts" is the number of marked texts now."""
    texts = request.get("texts")
    if not isinstance(texts, list) or not 0 < len(texts) <= MOST_MARKS:
        raise SteeringError(f"texts must be a list of 1 to {MOST_MARKS} marked texts")
    new = [marked_text(fields, f"text {number}") for number, fields in enumerate(texts, 1)]
    marks = Marks(frontier)
    known = {text.url: text for _, texts in marks.due for text in texts}
    if not (new := [text for text in new if known.get(text.url) != text]):
        return {"texts": len(marks.urls)}
    if len(marks.urls.union(text.url for text in new)) > MOST:
        raise SteeringError(f"the crawl would have more than {MOST:,} marked texts. Remedy: put texts into the topic's {MARKED}")
    counts = frontier.status().counts
    done = counts[State.DONE]
    finished = max((number for number, _ in frontier.journal.outcomes(done)), default=done)  # a page may have several outcomes
    if counts[State.IN_FLIGHT] and not frontier.shared:
        finished += 1  # that page may have been judged already
    portion = [finished, [[text.url, text.title, text.text, text.mark] for text in new]]
    number = marks.number + 1
    while frontier.journal.agree(f"marks {number}", portion) != portion:
        number += 1
    marks.read()
    return {"texts": len(marks.urls)}


class Marks:
    """The texts marked for a crawl, in portions. Each is for the strategy to learn once a number of pages is finished, so a crawl
    that is resumed learns them between the same two pages.

    Attributes:
        number: portions read so far.
        due: those that were not given yet, with the number of pages.
        urls: of all marked texts.
    """

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier
        self.due: deque[tuple[int, list[MarkedText]]] = deque()
        self.number = 0
        self.urls: set[str] = set()
        self.read()

    def read(self) -> None:
        """Read portions that were saved since the last time."""
        while portion := self._frontier.journal.load(f"marks {self.number + 1}"):
            self.number += 1
            texts = [MarkedText(*fields) for fields in portion[1]]
            self.urls.update(text.url for text in texts)
            self.due.append((int(portion[0]), texts))

    def give(self, strategy: Strategy, finished: int) -> int:
        """Give a strategy the texts that are due after so many finished pages. Returns their number."""
        given = 0
        while self.due and self.due[0][0] <= finished:
            _, texts = self.due.popleft()
            strategy.mark(texts)
            given += len(texts)
        return given


ACTIONS: Mapping[str, Callable[[Frontier, Request, Known], Answer]] = {
    "stats": _stats,
    "top": _top,
    "find": _find,
    "hosts": _hosts,
    "push": _push,
    "pause": _pause,
    "resume": _resume,
    "stop": _stop,
    "threshold": _threshold,
    "requeue": _requeue,
    "purge": _purge,
    "mark": _mark,
}


def _change(frontier: Frontier, **values: Any) -> None:
    frontier.journal.save(_CONTROL, control_state(frontier) | values)


def _shown(entry: Entry, explain: Explain | None) -> Answer:
    """An entry of the queue for people. A seed has no reasons: it has its place because it is a seed."""
    place = next((e for e in entry.evidence if e.anchor), entry.evidence[0] if entry.evidence else None)
    shown = {
        "url": entry.url,
        "host": entry.host,
        "priority": entry.priority,
        "depth": entry.depth,
        "anchor": place.anchor if place else "",
        "parent": place.parent if place else "",
        "parents": len(entry.evidence),
        "rescored": entry.rescored,
    }
    if place and (listing := said(place.path)):
        shown["listing"] = listing
    if explain is not None:
        reasons = explain(entry.candidate()) if entry.evidence else {}
        shown["reasons"] = {name: float(part) for name, part in reasons.items()}
    return shown


def _urls(request: Request) -> list[str]:
    urls = request.get("urls")
    if not isinstance(urls, list) or not urls:
        raise SteeringError("no URLs were given")
    for url in urls:
        if not isinstance(url, str) or fingerprint(url) == _NO_ADDRESS:
            raise SteeringError(f"{url!r} is no URL that can be fetched. Remedy: start it with http:// or https://")
    return urls


def _number(name: str, value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise SteeringError(f"{name} must be a number, not {value!r}")
    return float(value)


def _count(request: Request, name: str, default: int, at_least: int = 1) -> int:
    value = request.get(name, default)
    most, bound = (MAX_SHOWN, f" to {MAX_SHOWN:,}") if name == "n" else (math.inf, " or more")
    if not isinstance(value, int) or isinstance(value, bool) or not at_least <= value <= most:
        raise SteeringError(f"{name} must be a whole number of {at_least}{bound}, not {value!r}")
    return value


class Control:
    """The orders to a running crawl: it answers its mailbox and reads the orders in its frontier.

    Args:
        strategy: gets the page threshold.
        mailbox: for requests to this process; None for a shared frontier, which commands open themselves.
        known: what is known of the crawl; the strategy explains priorities.

    Attributes:
        marks: the texts marked for the crawl.
        paused: nothing is to be fetched.
        stopping: the crawl is to end in good order.
        page_threshold: as set by a person; None: the topic's own.
    """

    def __init__(self, frontier: Frontier, strategy: Strategy, mailbox: Mailbox | None = None, known: Known = _NOTHING) -> None:
        self._frontier = frontier
        self._strategy = strategy
        self._mailbox = mailbox
        self._known = known._replace(explain=strategy.explain)
        self._own = strategy.page_threshold
        self._at_start = control_state(frontier)["stop"]
        self.marks = Marks(frontier)
        self.paused = False
        self.stopping = False
        self.page_threshold: float | None = None
        self._read()

    def poll(self) -> None:
        """Perform the requests in the mailbox and read the orders in the frontier. To be called about once a second."""
        if self._mailbox is not None:
            self._mailbox.serve(self._perform)
        if self._frontier.shared:
            self._read()

    def learn_marks(self, finished: int) -> None:
        """Have the strategy learn the marks that are due after so many finished pages."""
        if given := self.marks.give(self._strategy, finished):
            logger.info("Learning from %d marks; %d texts are marked by now", given, len(self.marks.urls))

    def mark(self, texts: Sequence[MarkedText]) -> None:
        """Have all workers learn marked texts, at most :data:`MOST_MARKS`. Those that are too many for the crawl are given up,
        which is logged: no page is lost for its mark."""
        try:
            self._perform({"action": "mark", "texts": [asdict(text) for text in texts]})
        except SteeringError as error:
            logger.error("%s", error)

    def _perform(self, request: Request) -> Answer:
        before = self._strategy.page_threshold
        if request.get("action") == "threshold":
            self._set(request.get("value"))  # raises where the strategy refuses the value
            self._strategy.page_threshold = before
        answer = perform(self._frontier, request, self._known)
        self._read()
        if "page_threshold" in answer:
            answer["page_threshold"] = self._strategy.page_threshold
        if "before" in answer:
            answer["before"] = before
        return answer

    def _read(self) -> None:
        self.marks.read()
        state = control_state(self._frontier)
        if state["paused"] != self.paused:
            self.paused = state["paused"]
            logger.warning("Paused. To go on: topical-crawler frontier resume" if self.paused else "No longer paused")
        if not self.stopping and state["stop"] != self._at_start:
            self.stopping = True
            logger.warning("Stopping, as asked by topical-crawler frontier stop")
        if state["page_threshold"] != self.page_threshold:
            self.page_threshold = state["page_threshold"]
            try:
                self._set(self.page_threshold)
                logger.warning("The page threshold is %g", self._strategy.page_threshold)
            except ValueError as error:
                logger.error("The page threshold stays %g: %s", self._strategy.page_threshold, error)

    def _set(self, value: float | None) -> None:
        """Set the strategy's threshold. Raises ValueError for one that it refuses."""
        self._strategy.page_threshold = self._own if value is None else value
