"""The base class of all strategies, what one is made from, and what several of them share.

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
(Verdict(relevance=0.5, keep=True, why={}, inherited=None, lesson=None, read={}, near=None), {})
"""

from __future__ import annotations

import dataclasses
import re
from abc import ABC, abstractmethod
from base64 import b64decode, b64encode
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import blake2b
from math import fsum, isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from topical_crawler.meaning.encoder import Encoder
from topical_crawler.resources.registry import Resources
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.files import MarkedText, TopicError
from topical_crawler.topic.topic import Topic, topic_line
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict, description_of

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
        encoder: what tells how near texts are in meaning; None: nothing does.
        progress: called with the finished share (0 to 1) and a description while a table is computed.
    """

    strategy: str
    topic: Topic
    segmenter: Segmenter
    resources: Resources
    cache_dir: Path | None = None
    seed: int = 0
    progress: Progress | None = None
    encoder: Encoder | None = None

    def parameters(self, kind: type[_T]) -> _T:
        """The topic's table ``[strategy.NAME]`` as a ``kind``; see :func:`read_parameters`."""
        table = self.topic.parameters.get(self.strategy, {})
        return read_parameters(kind, table, self.topic, f"strategy.{self.strategy}")


class Strategy(ABC):
    """Judges pages and scores links: one published method, or one of ours.

    Page relevance and link priority are separate questions (:meth:`judge`, :meth:`score`), and answering them does not change the
    strategy. Only :meth:`learn` does; it is called once for each judged page, before the page's links are scored.

    Attributes:
        name: how ``-a strategy=NAME`` and the topic's table ``[strategy.NAME]`` call it.
        parameters_type: a frozen dataclass with a ``page_threshold``: the keys of that table.
        needs: the language resources that its verdicts are worse without: a crawl says which are missing.
        wants_around: whether to read the text around links (:attr:`Evidence.around`).
        wants_paths: whether to read where links stand in the elements of their page (:attr:`Evidence.path`).
        wants_meaning: whether an encoder is to be opened for it (:attr:`Setup.encoder`).
        wants_text: whether :meth:`judge` reads the text of every page (:func:`~topical_crawler.web.page.full_text`). It is then
            read together with the links.
        drop_reason: why a link of an off-topic page is dropped when :meth:`score` gives None.
        learns_links: whether the strategy learns what links lead to and drops none. Barren hosts then fall behind by themselves,
            and the crawl ends when nothing has come for long (:class:`LinkPolicy`).
        relevance_is_probability: whether relevances and scores of links are meant as probabilities. Then kept texts are judged
            again at the end, and taken back where they are off topic by then.
        search_words: words that the topic is to be searched for by now, besides its terms: ``{keyword}`` in start URLs stands for
            each of them, too. May grow while the crawl runs.
        has_enough: whether the crawl has found all that the method asks for, and is to end.
        revision: changes whenever learning may have *raised* scores of waiting links: the crawl then scores the best of them
            again. A fall needs no notice: a link is scored again when its turn comes, and goes back if it has fallen.
        asks_server: whether it needs answers of a server: :meth:`prepare` is then awaited before each :meth:`judge`.

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
    wants_meaning: bool = False
    wants_text: bool = False
    drop_reason: str = PAGE_OFF_TOPIC
    learns_links: bool = False
    relevance_is_probability: bool = False
    search_words: Sequence[str] = ()
    has_enough: bool = False
    revision: int = 0
    asks_server: bool = False
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

    async def prepare(self, page: Page, anchors: Sequence[str]) -> None:  # noqa: B027
        """Get what :meth:`judge` needs of a page, and :meth:`score` of links with these anchors, without holding up others."""

    @abstractmethod
    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        """How relevant ``page`` is, and whether it belongs to the corpus. Deterministic; never raises on odd pages.

        Args:
            page: as fetched.
            found: the places where the link to the page was found; () for a seed.
        """

    @property
    def kept_per_score(self) -> tuple[float, float] | None:
        """Pages kept per unit of the scores that their links had, at least and at most, by the latest pages; None where scores
        promise nothing of the kind. With it the crawl tells what the waiting links may still give."""
        return None

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

    def mark(self, texts: Sequence[MarkedText]) -> None:
        """Take texts that a person has marked while the crawl runs, besides those of the topic. A text replaces an earlier one of
        the same address; one marked as boilerplate takes it away. The next learned page may change what is known.

        Marks are no part of :meth:`state_dict`: whoever keeps them gives them again to a restored strategy, in any portions,
        before it goes on. The same marks again change nothing, so the crawl goes on as if it had not been interrupted."""
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

    def may_reconsider(self, lesson: Any) -> bool:
        """Whether :meth:`reconsider` gives a verdict for a lesson, if that is cheaper to tell."""
        return self.reconsider([lesson])[0] is not None

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


def check_number(name: str, value: object) -> None:
    """Raises ValueError, naming the parameter, for what is no finite number of 0 or more."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not (isfinite(value) and value >= 0):
        raise ValueError(f"{name} must be a number of 0 or more, not {value!r}")


def check_fields(parameters: Any, shares: Collection[str] = (), least: Mapping[str, int] = MappingProxyType({})) -> None:
    """Check the fields of a parameter class by the types of their defaults: a switch, a whole number, a number of 0 or more, or a
    text; fields of other types are left alone.

    Args:
        parameters: an instance of a dataclass.
        shares: numbers that must be from 0 to 1.
        least: the least value of whole numbers; 0 for others.

    Raises:
        ValueError: a value that does not fit; names the field.
    """
    for field in fields(parameters):
        name, value, kind = field.name, getattr(parameters, field.name), type(field.default)
        if name in shares:
            if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
                raise ValueError(f"{name} must be a number from 0 to 1, not {value!r}")
        elif kind is bool and not isinstance(value, bool):
            raise ValueError(f"{name} must be true or false, not {value!r}")
        elif kind is str and not isinstance(value, str):
            raise ValueError(f"{name} must be a text, not {value!r}")
        elif kind is int:
            minimum = least.get(name, 0)
            if not isinstance(value, int) or isinstance(value, bool) or value < minimum:
                raise ValueError(f"{name} must be a whole number of {minimum} or more, not {value!r}")
        elif kind is float:
            check_number(name, value)


# -- What several methods share

MOST_REASONS = 8
"""Words named at most."""


def shares(parts: Mapping[str, float]) -> dict[str, float]:
    """The words that carry a relevance, with their shares of it, the heaviest first.

    Args:
        parts: what each word adds (> 0), in any unit.

    >>> shares({"支部": 1.0, "党建": 3.0})
    {'党建': 0.75, '支部': 0.25}
    """
    total = fsum(parts.values())
    heaviest = sorted(parts.items(), key=lambda item: (-item[1], item[0]))[:MOST_REASONS]
    return {word: round(part / total, 4) for word, part in heaviest}


def packed(numbers: NDArray[Any], kind: str) -> str:
    """The numbers as a numpy ``kind`` that names its byte order (``<i4``), in base64."""
    return b64encode(numbers.astype(kind).tobytes()).decode()


def unpacked(text: str, kind: str) -> NDArray[Any]:
    """What :func:`packed` wrote; an array that cannot be written to.

    >>> unpacked(packed(np.array([3, 1, 2]), "<i4"), "<i4").tolist()
    [3, 1, 2]
    """
    return np.frombuffer(b64decode(text), dtype=kind)


class KeywordJudge(Strategy):
    """The judge of pages that several baselines share: relevance is the share of topic terms among the words of a page's
    description information. The default threshold is 0: one term is enough."""

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        words = self.segmenter.words(description_of(page))
        matching = [w for w in words if w in self.topic.terms]
        relevance = len(matching) / len(words) if words else 0.0
        return Verdict(relevance, relevance > self.page_threshold, {w: round(1 / len(matching), 4) for w in matching})


# -- Words of a site


MAX_SITES = 50_000
"""Most sites remembered: the first ones met, about 150 bytes each."""

_SEPARATORS = re.compile(r"\s*[|｜_–—·•»]\s*|\s+-\s+")  # 支部动态 | 青河党建网
_KEYWORDS = re.compile(r"[,，、;；|\s]+")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_NAME_WORDS = 3
"""Words at either end of a title that may be the site's name (青河党建网 支部动态), where they have Chinese characters."""


class SiteWords:
    """Digests of what the home pages of sites say.

    A site repeats its name in titles and its description in heads; its home page tells which words these are. On another page
    they tell nothing about where links lead: a blog on everything with 机器学习 in its description would make all its lists
    promising.

    >>> words = SiteWords()
    >>> home = Page("http://a.cn/", title="小林的博客", description="机器学习与生活")
    >>> words.learn(home.url, words.lesson(home))
    >>> words.own(Page("http://a.cn/7", title="春游 | 小林的博客", description="机器学习与生活")).title
    '春游'
    """

    def __init__(self) -> None:
        self._sites: dict[str, frozenset[str]] = {}

    def lesson(self, page: Page) -> list[str] | None:
        """The lesson of a page: digests of its texts if it is a home page, else None."""
        if not _is_home(page.url):
            return None
        parts, words = _SEPARATORS.split(page.title), page.title.split()
        texts = {page.description, page.heading, page.lead, page.title, *parts, *_KEYWORDS.split(page.keywords)}
        candidates = {*words[:_NAME_WORDS], *words[-_NAME_WORDS:], *parts}
        names = {_digest_of_name(word) for word in candidates if _HAN.search(word)}
        return sorted(names.union(_digest(text) for text in texts if text))

    def learn(self, url: str, lesson: Iterable[str] | None) -> None:
        """Learn the lesson of a page; only the first home page of a site counts."""
        if lesson is not None and len(self._sites) < MAX_SITES:
            self._sites.setdefault(_site(url), frozenset(lesson))

    def own(self, page: Page) -> Page:
        """The page without what its site's home page says in the same words: parts of the title, single keywords, whole heading,
        description and first lines, and the site's name among its labels (党建研究 > 要闻 > 正文). The page itself where there
        is nothing of the kind, and for home pages."""
        known = self._sites.get(_site(page.url))
        if not known or _is_home(page.url):
            return page
        parts = _SEPARATORS.split(page.title)
        kept = [_without_name(part, known) for part in parts if not part or _digest(part) not in known]
        words = _KEYWORDS.split(page.keywords)
        own_words = [word for word in words if _digest(word) not in known]
        heads: dict[str, Any] = {n: "" for n in ("description", "heading", "lead") if _digest(getattr(page, n)) in known}
        own = dataclasses.replace(
            page,
            title=page.title if kept == parts else " ".join(filter(None, kept)),
            keywords=page.keywords if own_words == words else ",".join(filter(None, own_words)),
            labels=tuple(label for label in page.labels if _digest_of_name(label) not in known),
            **heads,
        )
        return page if own == page else own

    def state_dict(self) -> dict[str, list[str]]:
        """What was learned, as JSON data."""
        return {site: sorted(known) for site, known in self._sites.items()}

    def load_state_dict(self, state: Mapping[str, Iterable[str]]) -> None:
        """Restore what :meth:`state_dict` gave."""
        self._sites = {site: frozenset(known) for site, known in state.items()}


def _site(url: str) -> str:
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:  # brackets that are no IPv6 address
        return ""


def _is_home(url: str) -> bool:
    site = _site(url)
    return bool(site) and url.partition("://")[2].lower() in (site, f"{site}/")


def _without_name(part: str, known: frozenset[str]) -> str:
    """A part of a title without the site's name at its beginning and its end."""
    words = part.split()
    first, last = 0, len(words)
    while first < last and _digest_of_name(words[first]) in known:
        first += 1
    while first < last and _digest_of_name(words[last - 1]) in known:
        last -= 1
    return part if last - first == len(words) else " ".join(words[first:last])


def _digest_of_name(word: str) -> str:
    return _digest(f"name {word}")


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
