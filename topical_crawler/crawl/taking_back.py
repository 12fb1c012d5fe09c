"""What becomes of stored texts when a crawl ends: those that are off topic by what is known now are taken back, and those that
were stored before the lines of their sites were learned are cleaned once more."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from topical_crawler.cleaning.cleaner import CleaningOptions
from topical_crawler.corpus.clean import Changes, Done, LateCleaning, put_back, take_back
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.frontier.base import Frontier
from topical_crawler.strategies import OFF_TOPIC, Strategy
from topical_crawler.web.urls import fingerprint

_AT_ONCE = 500  # pages that are judged again at once, and texts taken back in one transaction


class TakingBack:
    """Takes texts back and cleans texts at the end of a run; the next run puts them back before it goes on.

    Attributes:
        done: the texts that were taken back.
        cleaned: those that were cleaned; None before :meth:`steps` comes to it.
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
        """Undo what the last run did, so that the crawl goes on as if it had never ended."""
        self._put_back = put_back(self._store)

    def steps(self, marked: Collection[str]) -> Iterator[None]:
        """Do both, step by step, but leave the texts whose addresses a person has ``marked``. It may be left at any step: the end
        of the next run, or for lines an export, does the rest. Raises as the frontier and the corpus do."""
        found: dict[str, float] = {}
        yield from self.find(marked, found)
        keys = iter(found)
        while batch := list(islice(keys, _AT_ONCE)):
            take_back(self._store, OFF_TOPIC, {key: found[key] for key in batch}, self.done)
            yield
        self.cleaned = LateCleaning(self._store, self._options)
        yield from self.cleaned.steps()

    def find(self, marked: Collection[str], found: dict[str, float]) -> Iterator[None]:
        """Find the kept texts that are off topic by what is known now, step by step: relevances by key. Texts that a person has
        ``marked`` are not among them, nor are any where relevances are no probabilities."""
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
                # A page that was off topic when it was visited again still has the text of the visit before.
                if key in kept and (not outcome.reason or key not in texts):
                    judged.append((key, outcome.lesson))
            verdicts = self._strategy.reconsider([lesson for _, lesson in judged])
            for (key, _), verdict in zip(judged, verdicts, strict=True):
                found.pop(key, None)  # it is another text now
                if verdict and not verdict.keep:
                    found[key] = verdict.relevance
            yield

    def changes(self) -> list[Changes]:
        """What is different of the corpus since this run began."""
        cleaned = self.cleaned.done.changes() if self.cleaned else Changes()
        return [self._put_back, self.done.changes(), cleaned]
