"""Feeding and steering a crawl, while it runs or between two runs: actions on its frontier, and the crawl's reaction.

Requests and answers are JSON objects, handed to the process with the frontier open (:mod:`mailbox`). State for all workers and
for the next run is saved in the frontier: orders under "control", marked texts in portions under "marks 1" and so on.
:class:`Control` obeys them.
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
from topical_crawler.web.listings import listing_kind
from topical_crawler.web.page import Candidate
from topical_crawler.web.urls import REDIRECTED, fingerprint, host, without_user

if TYPE_CHECKING:
    from topical_crawler.strategies import Strategy

logger = logging.getLogger(__name__)

Request = Mapping[str, Any]
Refusal = Callable[[str, int], str | None]  # see LinkPolicy.refusal
Explain = Callable[[Candidate], Mapping[str, float]]  # see Strategy.explain
Facts = Callable[[], Mapping[str, Any]]  # see Crawl.facts

PURGED = "purged"  # reason of links purged from the queue by a person
LAST_PAGES = 1000  # finished pages counted by ``stats`` by default
MAX_SHOWN = 10_000  # most entries shown by ``top``
MOST_LOOKED_AT = 100_000  # entries searched by ``top`` for one host: up to a second, during which the crawl stands still
MOST_MARKS = 100  # marked texts of one request
_CONTROL = "control"
_NO_ADDRESS = fingerprint("")


class SteeringError(ValueError):
    """A request cannot be performed. The message gives the reason."""


class Known(NamedTuple):
    """Callables that describe the crawl beyond its frontier. All are None if its strategy is not at hand."""

    refusal: Refusal | None = None
    explain: Explain | None = None
    facts: Facts | None = None


_NOTHING = Known()


def seed_entry(url: str, priority: float = SEED_PRIORITY) -> Entry:
    """Return a start URL as an entry, by default ahead of every link."""
    url = without_user(url)
    return Entry(fingerprint(url), url, host(url), priority)


def control_state(frontier: Frontier) -> dict[str, Any]:
    """Return the orders to all workers.

    Keys: "paused", "stop" (a new text for every order to stop), "page_threshold" (None: the topic's own).
    """
    return {"paused": False, "stop": "", "page_threshold": None, **(frontier.journal.load(_CONTROL) or {})}


def perform(frontier: Frontier, request: Request, crawl: Known = _NOTHING) -> Answer:
    """Perform ``request["action"]``, one of :data:`ACTIONS`. The action's function documents the other keys.

    Raises:
        SteeringError: unknown action or unusable value. Nothing has changed.
    """
    action = ACTIONS.get(str(request.get("action")))
    if action is None:
        raise SteeringError(f"no action {request.get('action')!r} (this version knows {', '.join(ACTIONS)})")
    return action(frontier, request, crawl)


def _stats(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """Return counts, and for the last ``pages`` finished pages (0: all) the number kept and the reasons of the others."""
    last = _count(request, "pages", LAST_PAGES, at_least=0)
    status = frontier.status()
    control = control_state(frontier)
    # Every finished page has one outcome or more, so these cover at least the last ones.
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
    """Return the best ``n`` waiting entries as "entries". For one ``host``, search the best :data:`MOST_LOOKED_AT` of all
    hosts.

    With ``reasons`` each entry has the parts of its current priority, if the strategy is at hand.
    """
    n, wanted = _count(request, "n", 20), str(request.get("host") or "").lower()
    explain = crawl.explain if request.get("reasons") is True else None
    best = frontier.waiting(MOST_LOOKED_AT if wanted else n)
    chosen = [entry for entry in best if not wanted or entry.host == wanted][:n]
    return {"looked_at": len(best), "entries": [_shown(entry, explain) for entry in chosen]}


def _find(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """Return the states of ``urls`` as "entries", each with the keys of ``top``, "state" and "dropped".

    "state" is "unknown" for a URL new to the crawl. "dropped" is the reason not to fetch the URL, present or expected, or "".
    """
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
    """Return the hosts of the best ``n`` waiting entries as "hosts", each with its number of entries and its best priority."""
    entries = frontier.waiting(_count(request, "n", 1000))
    best = {entry.host: entry.priority for entry in reversed(entries)}
    counted = Counter(entry.host for entry in entries).most_common()
    return {"looked_at": len(entries), "hosts": [{"host": name, "waiting": n, "priority": best[name]} for name, n in counted]}


def _push(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """Push ``urls`` as seeds, at the front of the queue or with a ``priority``.

    The answer counts "new" for unknown URLs, "again" for those dropped before or with a lower priority, "known" for unchanged
    ones.
    """
    priority = request.get("priority")
    entries = [seed_entry(url, SEED_PRIORITY if priority is None else _number("priority", priority)) for url in _urls(request)]
    for entry in entries:
        entry.dropped = crawl.refusal(entry.url, entry.depth) if crawl.refusal is not None else None
    pushed = frontier.push(entries)
    return {"new": pushed.new, "again": pushed.raised, "known": pushed.known, "dropped": pushed.dropped}


def _pause(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """Pause fetching until ``resume``, across restarts."""
    _change(frontier, paused=True)
    counts = frontier.status().counts
    return {"paused": True, "waiting": counts[State.WAITING], "in_flight": counts[State.IN_FLIGHT]}


def _resume(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """Resume after a pause."""
    was_paused = control_state(frontier)["paused"]
    _change(frontier, paused=False)
    return {"paused": False, "was_paused": was_paused, "waiting": len(frontier)}


def _stop(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """Shut down every running worker cleanly."""
    _change(frontier, stop=uuid.uuid4().hex)
    counts = frontier.status().counts
    return {"stopping": True, "waiting": counts[State.WAITING], "in_flight": counts[State.IN_FLIGHT]}


def _threshold(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """Set the page threshold to ``value``. None: the topic's own."""
    value = request.get("value")
    if value is not None and _number("page_threshold", value) < 0:
        raise SteeringError(f"page_threshold must be a number of 0 or more, not {value!r}")
    before = control_state(frontier)["page_threshold"]
    _change(frontier, page_threshold=value)
    return {"page_threshold": value, "before": before}


def _requeue(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """Requeue finished or dropped entries: ``urls``, or all pages with the latest outcome ``reason``."""
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
    """Drop waiting entries of a ``host``, of a priority ``below`` a number, or both. ``all`` drops everything."""
    name, below = request.get("host"), request.get("below")
    if (name is None and below is None) == (request.get("all") is not True):
        raise SteeringError("say what to purge: a host, what is below a priority, or else all")
    lowest = None if below is None else _number("below", below)
    purged = frontier.discard(PURGED, host=None if name is None else str(name).lower(), below=lowest)
    return {"purged": purged, "waiting": len(frontier)}


def _mark(frontier: Frontier, request: Request, crawl: Known) -> Answer:
    """Have all workers learn marked ``texts``, objects with the fields of :class:`MarkedText`.

    A text replaces an earlier one with the same URL. The answer has "texts", the number of marked texts now.
    """
    texts = request.get("texts")
    if not isinstance(texts, list) or not 0 < len(texts) <= MOST_MARKS:
        raise SteeringError(f"texts must be a list of 1 to {MOST_MARKS} marked texts")
    new = [marked_text(fields, f"text {number}") for number, fields in enumerate(texts, 1)]
    marks = Marks(frontier)
    known = {text.url: text for _, texts in marks.due for text in texts}
    if not (new := [text for text in new if known.get(text.url) != text]):
        return {"texts": len(marks.urls)}
    if len(marks.urls.union(text.url for text in new)) > MOST:
        raise SteeringError(f"the crawl would have more than {MOST:,} marked texts. Put texts into the topic's {MARKED}")
    counts = frontier.status().counts
    done = counts[State.DONE]
    finished = max((number for number, _ in frontier.journal.outcomes(done)), default=done)  # a page may have several outcomes
    if counts[State.IN_FLIGHT] and not frontier.shared:
        finished += 1  # the page in flight may have been judged already
    portion = [finished, [[text.url, text.title, text.text, text.mark] for text in new]]
    number = marks.number + 1
    while frontier.journal.agree(f"marks {number}", portion) != portion:
        number += 1
    marks.read()
    return {"texts": len(marks.urls)}


class Marks:
    """The texts marked for a crawl, in portions. The strategy learns each portion after a recorded number of finished pages, so
    a resumed crawl learns it between the same two pages.

    Attributes:
        number: portions read so far.
        due: portions not given yet, with their number of pages.
        urls: URLs of all marked texts.
    """

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier
        self.due: deque[tuple[int, list[MarkedText]]] = deque()
        self.number = 0
        self.urls: set[str] = set()
        self.read()

    def read(self) -> None:
        """Read portions saved since the last call."""
        while portion := self._frontier.journal.load(f"marks {self.number + 1}"):
            self.number += 1
            texts = [MarkedText(*fields) for fields in portion[1]]
            self.urls.update(text.url for text in texts)
            self.due.append((int(portion[0]), texts))

    def give(self, strategy: Strategy, finished: int) -> int:
        """Give a strategy the texts due after ``finished`` pages. Return their number."""
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
    """Return a queue entry for display. A seed has no reasons, since its place follows from being a seed."""
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
    if place and (listing := listing_kind(place.path)):
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
            raise SteeringError(f"{url!r} is not a URL to fetch. Start it with http:// or https://")
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
    """Executes orders to a running crawl from its mailbox and its frontier.

    Args:
        strategy: receives the page threshold.
        mailbox: for requests to this process. None for a shared frontier, opened by the commands themselves.
        known: callables that describe the crawl. The strategy explains priorities.

    Attributes:
        marks: the texts marked for the crawl.
        paused: True while fetching is paused.
        stopping: True once the crawl is to shut down cleanly.
        page_threshold: threshold set by a person. None: the topic's own.
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
        """Perform the requests in the mailbox and read the orders in the frontier. Call it about once a second."""
        if self._mailbox is not None:
            self._mailbox.serve(self._perform)
        if self._frontier.shared:
            self._read()

    def learn_marks(self, finished: int) -> None:
        """Have the strategy learn the marks due after ``finished`` pages."""
        if given := self.marks.give(self._strategy, finished):
            logger.info("Learned %d marks; %d texts are marked by now", given, len(self.marks.urls))

    def mark(self, texts: Sequence[MarkedText]) -> None:
        """Have all workers learn marked texts, at most :data:`MOST_MARKS`.

        If the crawl has too many already, log an error and ignore them: no page is lost for its mark.
        """
        try:
            self._perform({"action": "mark", "texts": [asdict(text) for text in texts]})
        except SteeringError as error:
            logger.error("%s", error)

    def _perform(self, request: Request) -> Answer:
        before = self._strategy.page_threshold
        if request.get("action") == "threshold":
            self._set(request.get("value"))  # raises if the strategy refuses the value
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
            logger.warning("Paused. To continue: topical-crawler frontier resume" if self.paused else "No longer paused")
        if not self.stopping and state["stop"] != self._at_start:
            self.stopping = True
            logger.warning("Stopping on request of topical-crawler frontier stop")
        if state["page_threshold"] != self.page_threshold:
            self.page_threshold = state["page_threshold"]
            try:
                self._set(self.page_threshold)
                logger.warning("The page threshold is %g", self._strategy.page_threshold)
            except ValueError as error:
                logger.error("The page threshold stays %g: %s", self._strategy.page_threshold, error)

    def _set(self, value: float | None) -> None:
        """Set the strategy's threshold. Raise ValueError if the strategy refuses it."""
        self._strategy.page_threshold = self._own if value is None else value
