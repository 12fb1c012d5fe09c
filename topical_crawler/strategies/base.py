"""What every strategy is: a judge of pages and a scorer of waiting links."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

from topical_crawler.resources.registry import Resources
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import Topic, topic_line
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict

_T = TypeVar("_T")

OFF_TOPIC = "off topic"
"""Why a page is rejected that the strategy does not find relevant."""
NO_TOPIC_WORD = "no topic word in anchor"
"""Why a link of a page off topic is dropped by a strategy that follows such links by their anchors."""
PAGE_OFF_TOPIC = "its page is off topic"
"""Why a link is dropped by a strategy that follows no link of a page off topic."""


@runtime_checkable
class Strategy(Protocol):
    """One published method, or one of ours.

    Page relevance and link priority are separate questions (:meth:`judge`, :meth:`score`); neither changes the strategy.
    :meth:`learn` is the only method that does, and it is called once for each judged page, before the page's links are scored.

    Attributes:
        name: under which it is chosen.
        page_threshold: a page is kept when its relevance is above this. It may be set at any time and holds for the pages judged
            from then on; ValueError for a value that the strategy's parameters refuse.
        wants_around: whether the text around links is to be read (:attr:`Evidence.around`).
        wants_paths: whether the place of links in their page's elements is to be read (:attr:`Evidence.path`).
        closed: the reason under which a link of a page off topic is dropped that :meth:`score` gives None.
        learns_links: whether the strategy learns what links lead to, and drops none of them. Links of hosts that give nothing
            fall behind by themselves then, and the crawl ends when nothing has come for long (:class:`LinkRules`).
    """

    name: str
    page_threshold: float
    wants_around: bool
    wants_paths: bool
    closed: str
    learns_links: bool

    @property
    def revision(self) -> int:
        """Another number whenever what was learned may have *raised* the score of waiting links: the crawl then scores the best
        of them again. A fall needs no notice: a link is scored again when its turn comes, and goes back if it has fallen."""
        ...

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        """How relevant ``page`` is, and whether it belongs to the corpus. Deterministic; never raises on odd pages.

        Args:
            page: what was fetched.
            found: the places where the page itself had been found; () for a seed.
        """
        ...

    def missed(self, url: str, found: Sequence[Evidence]) -> Any:
        """A page that did not come (unreachable, an error, no page): the lesson of it, as JSON data, that :meth:`learn` then gets
        with a relevance of 0; None where there is nothing to learn from it."""
        ...

    def reconsider(self, lessons: Sequence[Any]) -> list[Verdict | None]:
        """Judgements of pages by what is known now, from the lessons of their first verdicts; None for each of which the first is
        final. Pages off topic for which it gives one are set aside for a second look."""
        ...

    def learn(self, url: str, verdict: Verdict) -> None:
        """Take note of a judged page. Learning the same page twice is the same as learning it once. When a crawl is resumed, the
        verdict has only relevance, keep and lesson."""
        ...

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        """A priority for each candidate, in their order; None: not worth a visit. The same function serves at discovery and
        when a waiting link comes up: what has been learned in between counts."""
        ...

    def confirm(self, text: str) -> tuple[float, bool]:
        """After the extraction of a kept page's main text: its relevance, and whether it belongs to the corpus after all."""
        ...

    def explain(self, candidate: Candidate) -> Mapping[str, float]:
        """The parts of a candidate's priority by name, for people (``anchor``, ``parent``, ``struct`` …)."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """What was learned, as JSON data."""
        ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what :meth:`state_dict` gave."""
        ...


class Fixed:
    """What a strategy answers that learns nothing, keeps every text of a page that it keeps, and has nothing to explain."""

    wants_around = False
    wants_paths = False
    closed = PAGE_OFF_TOPIC
    learns_links = False
    revision = 0

    def missed(self, url: str, found: Sequence[Evidence]) -> Any:
        """Nothing is learned."""
        return None

    def reconsider(self, lessons: Sequence[Any]) -> list[Verdict | None]:
        """Every judgement is final."""
        return [None] * len(lessons)

    def learn(self, url: str, verdict: Verdict) -> None:
        """Nothing is learned."""

    def confirm(self, text: str) -> tuple[float, bool]:
        """Every text belongs."""
        return 1.0, True

    def explain(self, candidate: Candidate) -> dict[str, float]:
        """There is nothing to explain."""
        return {}

    def state_dict(self) -> dict[str, Any]:
        """There is no state."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """There is no state."""


@dataclass(frozen=True)
class NoParameters:
    """Of a strategy that has none: whatever a topic sets for it is refused."""


@dataclass(frozen=True)
class Setup:
    """What a strategy is made from.

    Attributes:
        strategy: its name.
        topic: what the crawl is about.
        segmenter: knows the topic's terms.
        resources: the language resources that there are.
        cache_dir: where tables that take long to make are kept; None: nowhere.
        seed: of every random choice.
        progress: called with the part done (0 to 1) and a word on what is going on, while a table is made.
    """

    strategy: str
    topic: Topic
    segmenter: Segmenter
    resources: Resources
    cache_dir: Path | None = None
    seed: int = 0
    progress: Progress | None = None

    def parameters(self, kind: type[_T], defaults: _T | None = None) -> _T:
        """The topic's table ``[strategy.NAME]`` as a ``kind``; see :func:`read_parameters`."""
        table = self.topic.parameters.get(self.strategy, {})
        return read_parameters(kind, table, self.topic, f"strategy.{self.strategy}", defaults)


def read_parameters(kind: type[_T], table: object, topic: Topic, section: str, defaults: _T | None = None) -> _T:
    """A parameter class filled from a table of ``topic.toml``; what it leaves out is as in ``defaults``, else as in the class.

    Raises:
        TopicError: no table, a key that the class does not have, or a value that it refuses; with the file and the line.
    """
    if not isinstance(table, Mapping):
        where = topic_line(topic, section.rsplit(".", 1)[-1])
        raise TopicError(f"{where}: write [{section}] and its parameters below it, not {table!r}")
    known = [f.name for f in dataclasses.fields(kind)]  # type: ignore[arg-type]
    for key in table:
        if key not in known:
            raise TopicError(
                f"{topic_line(topic, key)}: [{section}] has no parameter {key!r}. Known: {', '.join(known) or 'none'}"
            )
    try:
        return kind(**table) if defaults is None else dataclasses.replace(defaults, **table)  # type: ignore[type-var]
    except (TypeError, ValueError) as error:
        named = next((k for k in table if k in str(error)), section.rsplit(".", 1)[-1])
        raise TopicError(f"{topic_line(topic, named)}: {error}") from None


Progress = Callable[[float, str], None]
