"""The base class of all strategies, and what one is made from.

A method needs a :attr:`~Strategy.name`, :meth:`~Strategy.judge` and :meth:`~Strategy.score`; most also have parameters of their
own (:attr:`~Strategy.parameters_type`), use language resources (:attr:`~Strategy.needs`) and explain their scores
(:meth:`~Strategy.explain`). One that learns during the crawl overrides :meth:`~Strategy.learn` and :meth:`~Strategy.state_dict`
with its counterpart. Everything else has a default.

>>> class ShortAddresses(Strategy):
...     name = "short"
...     def judge(self, page, found=()):
...         words = self.segmenter.words(page.title)
...         relevance = sum(word in self.topic.terms for word in words) / max(1, len(words))
...         return Verdict(relevance, relevance > self.page_threshold)
...     def score(self, candidates):
...         return [1 / (1 + len(candidate.url)) for candidate in candidates]
>>> short = ShortAddresses(Topic("t", "党建", {"党建": 1.0}), Segmenter(["党建"]))
>>> short.judge(Page("http://a.cn/", title="党建要闻")), short.state_dict()
(Verdict(relevance=0.5, keep=True, why={}, inherited=None, lesson=None), {})
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from topical_crawler.resources.registry import Resources
from topical_crawler.strategies.common import check_number
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import Topic, topic_line
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict

_T = TypeVar("_T")
Progress = Callable[[float, str], None]

OFF_TOPIC = "off topic"
"""Why a page is rejected that the strategy judges not to be relevant."""
BELOW_THRESHOLD = "below threshold"
"""Why a link of a page on topic is dropped: its score is not above the threshold for links."""
NO_TOPIC_WORD = "no topic word in anchor"
"""Why a strategy that follows links of off-topic pages by their anchors drops a link."""
PAGE_OFF_TOPIC = "its page is off topic"
"""Why a strategy that follows no link of off-topic pages drops a link."""


@dataclass(frozen=True)
class Parameters:
    """Constants of a method, as the table ``[strategy.NAME]`` of a topic sets them. A method with more of them derives from this.

    Attributes:
        page_threshold: a page is kept when its relevance is above this, >= 0.
    """

    page_threshold: float = 0.0

    def __post_init__(self) -> None:
        check_number("page_threshold", self.page_threshold)


@dataclass(frozen=True)
class Setup:
    """What a strategy is made from.

    Attributes:
        strategy: its name.
        topic: what the crawl is about.
        segmenter: knows the topic's terms.
        resources: the installed language resources.
        cache_dir: where tables are kept that take long to compute; None: nowhere.
        seed: of every random choice.
        progress: called with the finished share (0 to 1) and a description while a table is computed.
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


class Strategy(ABC):
    """Judges pages and scores links: one published method, or one of ours.

    Page relevance and link priority are separate questions (:meth:`judge`, :meth:`score`), and answering them does not change the
    strategy. Only :meth:`learn` does; it is called once for each judged page, before the page's links are scored.

    Attributes:
        name: how ``-a strategy=NAME`` and the topic's table ``[strategy.NAME]`` call it.
        parameters_type: a frozen dataclass with a ``page_threshold``: the keys of that table.
        needs: the language resources that it uses where they are installed.
        wants_around: whether to read the text around links (:attr:`Evidence.around`).
        wants_paths: whether to read where links stand in the elements of their page (:attr:`Evidence.path`).
        drop_reason: why a link of an off-topic page is dropped when :meth:`score` gives None.
        learns_links: whether the strategy learns what links lead to and drops none. Barren hosts then fall behind by themselves,
            and the crawl ends when nothing has come for long (:class:`LinkPolicy`).
        revision: changes whenever learning may have *raised* scores of waiting links: the crawl then scores the best of them
            again. A fall needs no notice: a link is scored again when its turn comes, and goes back if it has fallen.

    Args:
        topic: what the crawl is about.
        segmenter: must know the topic's terms.
        parameters: of ``parameters_type``; None: its defaults.
    """

    name: str
    parameters_type: ClassVar[type[Any]] = Parameters
    needs: ClassVar[tuple[str, ...]] = ()
    wants_around: bool = False
    wants_paths: bool = False
    drop_reason: str = PAGE_OFF_TOPIC
    learns_links: bool = False
    revision: int = 0
    parameters: Any

    def __init__(self, topic: Topic, segmenter: Segmenter, parameters: Any = None) -> None:
        self.topic = topic
        self.segmenter = segmenter
        self.parameters = parameters or self.parameters_type()

    @classmethod
    def make(cls, setup: Setup) -> Self:
        """The strategy for a topic. Override it for a constructor of your own.

        Raises:
            TopicError: a parameter, or another part of the topic, cannot be used.
        """
        return cls(setup.topic, setup.segmenter, setup.parameters(cls.parameters_type))

    @abstractmethod
    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        """How relevant ``page`` is, and whether it belongs to the corpus. Deterministic; never raises on odd pages.

        Args:
            page: as fetched.
            found: the places where the link to the page was found; () for a seed.
        """

    @abstractmethod
    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        """A priority for each candidate, in their order; None: not worth a visit. Called when links are found and again when a
        waiting link comes up: what has been learned in between counts."""

    def explain(self, candidate: Candidate) -> Mapping[str, float]:
        """The parts of a candidate's priority by name, for people (``anchor``, ``parent``, ``struct`` …)."""
        return {}

    @property
    def page_threshold(self) -> float:
        """A page is kept when its relevance is above this. It may be set at any time, for the pages judged from then on.

        Raises:
            ValueError: set to a value that the parameters refuse.
        """
        return float(self.parameters.page_threshold)

    @page_threshold.setter
    def page_threshold(self, value: float) -> None:
        check_number("page_threshold", value)
        self.parameters = dataclasses.replace(self.parameters, page_threshold=value)

    def learn(self, url: str, verdict: Verdict) -> None:
        """Learn from a judged page. Learning a page twice is the same as learning it once. When a crawl is resumed, the verdict
        has only relevance, keep and lesson."""
        return

    def state_dict(self) -> dict[str, Any]:
        """What was learned, as JSON data."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what :meth:`state_dict` gave."""
        return

    def missed(self, url: str, found: Sequence[Evidence]) -> Any:
        """The lesson of a page that could not be fetched, as JSON data: :meth:`learn` then gets it with a relevance of 0. None:
        there is nothing to learn from it."""
        return None

    def reconsider(self, lessons: Sequence[Any]) -> list[Verdict | None]:
        """Judge pages again by what is known now, from the lessons of their first verdicts. None: the first verdict is final.
        An off-topic page whose verdict is not final is set aside for a second look."""
        return [None] * len(lessons)

    def confirm(self, text: str) -> tuple[float, bool]:
        """Relevance of a kept page's extracted main text, and whether the page stays in the corpus."""
        return 1.0, True


def read_parameters(kind: type[_T], table: object, topic: Topic, section: str, defaults: _T | None = None) -> _T:
    """A parameter class filled from a table of ``topic.toml``; missing keys are as in ``defaults``, else as in the class.

    Raises:
        TopicError: no table, a key that the class does not have, or a value that it refuses; with the file and the line.
    """
    if not isinstance(table, Mapping):
        where = topic_line(topic, section.rsplit(".", 1)[-1])
        raise TopicError(f"{where}: write [{section}] and its parameters below it, not {table!r}")
    known = [f.name for f in dataclasses.fields(kind)]  # type: ignore[arg-type]
    for key in table:
        if key not in known:
            raise TopicError(f"{topic_line(topic, key)}: [{section}] has no parameter {key!r}. Known: {', '.join(known)}")
    try:
        return kind(**table) if defaults is None else dataclasses.replace(defaults, **table)  # type: ignore[type-var]
    except (TypeError, ValueError) as error:
        named = next((k for k in table if k in str(error)), section.rsplit(".", 1)[-1])
        raise TopicError(f"{topic_line(topic, named)}: {error}") from None
