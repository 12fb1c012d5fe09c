"""Revision of stored texts at the end of a crawl: off-topic texts are taken back, and texts with site boilerplate learned too
late are cleaned once more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from topical_crawler.cleaning.cleaner import CleaningOptions
from topical_crawler.corpus.clean import Changes, Done, LateCleaning, put_back, take_back
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.frontier.base import Frontier
from topical_crawler.strategies import OFF_TOPIC, Strategy
from topical_crawler.web.urls import fingerprint

_AT_ONCE = 500  # pages judged again per step, and texts taken back per transaction


class TakingBack:
    """Takes back and cleans texts at the end of a run. The next run undoes this at its start.

    Attributes:
        done: texts taken back.
        cleaned: texts cleaned, None before :meth:`steps` reaches this stage.
    """

    def __init__(self, strategy: Strategy, frontier: Frontier, store: CorpusStore, options: CleaningOptions) -> None:
        self._strategy = strategy
        self._frontier = frontier
        self._store = store
        self._options = options
        self._put_back = Changes()
        self.done = Done()
        self.cleaned: LateCleaning | None = None

    def put_back(self) -> None:
        """Undo the revision of the last run, so that the crawl continues as if it had never ended."""
        self._put_back = put_back(self._store)

    def steps(self, marked: Collection[str]) -> Iterator[None]:
        """Take back and clean texts step by step, except texts with a URL in ``marked``.

        The caller may stop after any step: the end of the next run, or for boilerplate an export, completes the rest. Raises
        the errors of the frontier and the corpus.
        """
        found: dict[str, float] = {}
        yield from self.find(marked, found)
        keys = iter(found)
        while batch := list(islice(keys, _AT_ONCE)):
            take_back(self._store, OFF_TOPIC, {key: found[key] for key in batch}, self.done)
            yield
        self.cleaned = LateCleaning(self._store, self._options)
        yield from self.cleaned.steps()

    def find(self, marked: Collection[str], found: dict[str, float]) -> Iterator[None]:
        """Find kept texts judged off topic now, step by step, and add their relevance by key to ``found``.

        Texts with a URL in ``marked`` are exempt. Nothing is found if relevances are not probabilities.
        """
        if not self._strategy.relevance_is_probability:
            return
        texts = set[str]()
        log = (outcome for _, outcome in self._frontier.journal.outcomes() if outcome.reason in ("", OFF_TOPIC))
        while some := list(islice(log, _AT_ONCE)):
            visits = [(fingerprint(o.url).hex(), o) for o in some if o.lesson is not None and o.url not in marked]
            kept = set(self._store.kept_among([key for key, _ in visits]))
            judged = []
            for key, outcome in visits:
                if not outcome.reason:
                    texts.add(key)
                # A page judged off topic on a revisit still has the text of the visit before.
                if key in kept and (not outcome.reason or key not in texts):
                    judged.append((key, outcome.lesson))
            verdicts = self._strategy.reconsider([lesson for _, lesson in judged])
            for (key, _), verdict in zip(judged, verdicts, strict=True):
                found.pop(key, None)  # its text has changed
                if verdict and not verdict.keep:
                    found[key] = verdict.relevance
            yield

    def changes(self) -> list[Changes]:
        """Return the changes to the corpus since this run began."""
        cleaned = self.cleaned.done.changes() if self.cleaned else Changes()
        return [self._put_back, self.done.changes(), cleaned]
