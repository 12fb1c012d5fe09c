"""The crawling experiments of three papers: topics, methods, printed numbers, and the papers' claims.

Sun et al. 2018 (Figures 4-6), Zhang et al. (Figures 3-5, and the numbers of books in section 5.4), Chen & Zhu 2011 (Table 1). No
numbers are printed for the figures; only the claims of the text are known.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from experiments.comparison import ORACLE, RunFigures, RunKey, measure, measure_path
from topical_crawler.corpus.record import Record
from topical_crawler.evaluation.labels import Label

# -- Claims: whether what a paper says holds here


FORMS = {"books": ".0f", "relevant texts": ".0f", "pages fetched": ",.0f", "mean relevance": ".3f", "harvest rate": ".2%"}
"""Formats of quantities that are not shares in per cent with one decimal."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A number of ours and the printed one.

    Attributes:
        item: figure or table of the paper.
        quantity: what the number is.
        pages: after which it was taken; 0: where that says itself from the item.
        topic: its name, or ``mean``.
        method: its name.
        printed: what the paper prints, as it stands there; "": nothing.
        ours: the number.
    """

    item: str
    quantity: str
    pages: int
    topic: str
    method: str
    printed: str
    ours: float

    @property
    def written(self) -> str:
        """Our number as text."""
        return in_words(self.quantity, self.ours)


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict on a claim: its item in the paper, a sentence, whether it holds here."""

    item: str
    sentence: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Claim(ABC):
    """A statement of a paper about a quantity after so many pages; see :class:`Measurement`."""

    item: str
    quantity: str
    pages: int

    @abstractmethod
    def check(self, rows: Sequence[Measurement], topic: str) -> Finding:
        """The verdict.

        Args:
            rows: of the paper; those that the claim is about are among them.
            topic: whose figures decide, ``mean`` or the only topic; where it is the mean, the topics are counted beside.
        """

    def _of(self, rows: Sequence[Measurement], method: str) -> dict[str, float]:
        """Our figures of a method by topic."""
        wanted = (self.item, self.quantity, self.pages, method)
        return {r.topic: r.ours for r in rows if (r.item, r.quantity, r.pages, r.method) == wanted}

    def _where(self) -> str:
        return f"{self.quantity} at {self.pages:,} pages" if self.pages else self.quantity


@dataclass(frozen=True, slots=True)
class Order(Claim):
    """One method is above another.

    Attributes:
        first, second: names of methods.
        equal: whether being equal is enough.
        margin: by how much, as a part of the second's figure.

    >>> rows = [Measurement("Figure 5", "harvest rate", 500, "mean", m, "", x) for m, x in (("esvsm", 0.5), ("vsm", 0.4))]
    >>> Order("Figure 5", "harvest rate", 500, "esvsm", "vsm").check(rows, "mean").sentence
    'esvsm > vsm in harvest rate at 500 pages: holds, 50.00% against 40.00%'
    """

    first: str
    second: str
    equal: bool = False
    margin: float = 0.0

    def check(self, rows: Sequence[Measurement], topic: str) -> Finding:
        first, second = self._of(rows, self.first), self._of(rows, self.second)
        holds = self._holds(first[topic], second[topic])
        sign = f"at least {self.margin:.0%} above" if self.margin else "≥" if self.equal else ">"
        numbers = f"{in_words(self.quantity, first[topic])} against {in_words(self.quantity, second[topic])}"
        if self.margin and second[topic]:
            numbers += f" ({first[topic] / second[topic] - 1:+.0%})"
        others = [t for t in first if t != topic]
        counted = f"; in {sum(self._holds(first[t], second[t]) for t in others)} of {len(others)} topics" if others else ""
        said = f"{self.first} {sign} {self.second} in {self._where()}: {_verdict(holds)}, {numbers}{counted}"
        return Finding(self.item, said, holds)

    def _holds(self, first: float, second: float) -> bool:
        if self.margin:
            return first >= second * (1 + self.margin) and first > second
        return first > second or (self.equal and first == second)


@dataclass(frozen=True, slots=True)
class Least(Claim):
    """A method is above a number.

    >>> rows = [Measurement("Figure 6", "mean relevance", 500, "mean", "esvsm", "", 0.5)]
    >>> Least("Figure 6", "mean relevance", 500, "esvsm", 0.85).check(rows, "mean").sentence
    'esvsm above 0.850 in mean relevance at 500 pages: does not hold, 0.500'
    """

    method: str
    least: float

    def check(self, rows: Sequence[Measurement], topic: str) -> Finding:
        found = self._of(rows, self.method)
        holds = found[topic] > self.least
        others = [t for t in found if t != topic]
        counted = f"; in {sum(found[t] > self.least for t in others)} of {len(others)} topics" if others else ""
        least, ours = in_words(self.quantity, self.least), in_words(self.quantity, found[topic])
        return Finding(self.item, f"{self.method} above {least} in {self._where()}: {_verdict(holds)}, {ours}{counted}", holds)


def in_words(quantity: str, value: float) -> str:
    """A number as text, shares in per cent.

    >>> in_words("books", 501.0), in_words("precision", 0.628)
    ('501', '62.8%')
    """
    return format(value, FORMS.get(quantity, ".1%"))


def _verdict(holds: bool) -> str:
    return "holds" if holds else "does not hold"


# -- The experiments as printed


@dataclass(frozen=True, slots=True)
class Method:
    """One of the methods that a paper compares.

    Attributes:
        name: in tables and pictures.
        strategy: that crawls.
        printed: what the paper calls it.
        parameters: of the strategy, where they are not those of the topic.
    """

    name: str
    strategy: str
    printed: str
    parameters: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PaperTopic:
    """A topic of a paper, with what stands for it here.

    Attributes:
        name: of the topic folder.
        printed: what the paper calls it.
        grade: column of the labels.
    """

    name: str
    printed: str
    grade: str


@dataclass(frozen=True, slots=True)
class Experiment:
    """The experiment of one paper.

    Attributes:
        name: short name, the one of the command line.
        paper: whose, and what of it.
        topics, methods: every method crawls for every topic.
        pages: that a crawl may fetch unless told otherwise.
        arguments: further ones of the spider.
    """

    name: str
    paper: str
    topics: tuple[PaperTopic, ...]
    methods: tuple[Method, ...]
    pages: int
    arguments: Mapping[str, str] = field(default_factory=dict)


SUN = Experiment(
    "sun",
    "Sun et al. 2018, Figures 4-6",
    (
        PaperTopic("core-processors", "酷睿", "HW"),
        PaperTopic("computing", "计算机", "OS"),
        PaperTopic("text-mining", "文本挖掘", "NLP"),
        PaperTopic("operating-systems", "操作系统", "OSstrict"),
        PaperTopic("artificial-intelligence", "人工智能", "ML"),
    ),
    (
        Method("breadth_first", "breadth_first", "BF"),
        Method("vsm", "vsm", "VSM"),
        Method("ssrm", "ssrm", "SSRM"),
        Method("svsm", "svsm", "SVSM"),
        Method("esvsm", "esvsm", "ESVSM"),
    ),
    5000,
)
"""Figures 5 and 6."""

UNREPLACED = "esvsm, word kept"
"""ESVSM without replacement in Figure 4."""
NARROW_WORD = "递归神经网络"
"""The whole topic of Figure 4: a word of few of the texts, whose hypernym (神经网络) leads to the labelled topic."""
NARROW = Experiment(
    "sun",
    SUN.paper,
    (PaperTopic("narrow-topic", "作者姓名", "ML"),),
    (*SUN.methods, Method(UNREPLACED, "esvsm", "ESVSM without replacement", {"max_replacements": 0})),
    SUN.pages,
)
"""Figure 4. The paper's topic is an author's name, replaced by school and department."""

ZHANG = Experiment(
    "zhang",
    "Zhang et al., Figures 3-5 and section 5.4",
    (PaperTopic("data-mining-books", "数据挖掘", "grade"),),
    (
        Method("breadth_first", "breadth_first", "plain crawler"),
        Method("keyword_vsm", "keyword_vsm", "keyword VSM"),
        Method("category_vsm", "category_vsm", "ODP VSM"),
        Method("odp2evsm", "odp2evsm", "ODP2EVSM"),
    ),
    2000,
    {"keywords": "1"},
)
"""One search, for the heaviest keyword. The budget is more than the shop has pages."""
PLAIN = "breadth_first"
"""The method that collects every book it comes by."""
BOOKS = {"breadth_first": 899, "keyword_vsm": 625, "category_vsm": 575, "odp2evsm": 501}
"""Books collected (section 5.4)."""
BOOK_STEP, MOST_BOOKS = 50, 500
"""Figures 3-5: from 50 pages in steps of 50 to 500."""

CHEN = Experiment(
    "chen",
    "Chen & Zhu 2011, Table 1",
    (
        PaperTopic("weather", "天气", "weather"),
        PaperTopic("entertainment", "娱乐", "entertainment"),
        PaperTopic("finance", "财经", "finance"),
        PaperTopic("sports", "体育", "sports"),
        PaperTopic("partybuilding", "", "grade"),
    ),
    (Method("content", "content", "T"), Method("content_url", "content_url", "T&L")),
    2000,
)
"""Shopping is left out, for which the web has no channel; party building, which has one, stands under its own name."""
TABLE_1 = {
    "天气": {"content_url": (62.7, 72.3), "content": (44.1, 53.3)},
    "购物": {"content_url": (61.4, 73.2), "content": (45.6, 52.1)},
    "娱乐": {"content_url": (65.1, 77.6), "content": (50.1, 54.9)},
    "财经": {"content_url": (60.6, 71.8), "content": (43.7, 47.7)},
    "体育": {"content_url": (64.0, 75.5), "content": (47.5, 55.3)},
}
"""Precision (Eq. 3) and recall (Eq. 4) in per cent."""
TABLE_1_MEAN = {"content_url": (62.8, 74.1), "content": (46.2, 52.7)}

MEAN = "mean"
"""Stands for a topic where a figure is the mean over all topics."""


def pages_per_target() -> float:
    """How many pages a crawl of Table 1 fetched for each target page that there was. It is not printed but follows: Eq. 3 and 4
    have one numerator, so recall / precision = pages crawled / target pages.

    >>> round(pages_per_target(), 2)
    1.16
    """
    shares = [recall / precision for methods in TABLE_1.values() for precision, recall in methods.values()]
    return sum(shares) / len(shares)


def sun_claims(budget: int) -> list[Claim]:
    """What is said of Figures 5 and 6, at 5,000 pages or as many as the crawls have; the order of methods also at a fifth of
    them, where less of a small web is used up."""
    harvest, relevance = ("Figure 5", "harvest rate"), ("Figure 6", "mean relevance")
    pairs = (("esvsm", "svsm"), ("svsm", "ssrm"), ("svsm", "vsm"), ("ssrm", "breadth_first"), ("vsm", "breadth_first"))
    others = [m.name for m in SUN.methods if m.name != "esvsm"]
    fifth, tenth = budget // 5, budget // 10
    return [
        *(Order(*harvest, pages, *pair, equal=pair[0] == "esvsm") for pages in (fifth, budget) for pair in pairs),
        *(Order(*harvest, budget, "esvsm", other, margin=0.2) for other in others),
        *(Order(*harvest, tenth, "vsm", m.name) for m in SUN.methods if m.name != "vsm"),
        Least(*relevance, budget, "esvsm", 0.85),
        *(Order(*relevance, budget, "esvsm", other) for other in others),
    ]


def narrow_claims(budget: int) -> list[Claim]:
    """What is said of Figure 4, at a fifth of the pages, too."""
    others = [m.name for m in NARROW.methods if m.name != "esvsm"]
    pages = (budget // 5, budget)
    return [Order("Figure 4", "relevant texts", k, "esvsm", other) for k in pages for other in reversed(others)]


def zhang_claims(pages: int) -> list[Claim]:
    """What is said of Figures 3-5 at their end, and of the numbers of books."""
    pairs = (("odp2evsm", "category_vsm"), ("category_vsm", "keyword_vsm"))
    figures = (("Figure 5", "F"), ("Figure 3", "precision"), ("Figure 4", "recall"))
    return [
        *(Order(*figure, pages, *pair) for figure in figures for pair in pairs),
        *(Order("Section 5.4", "books", 0, *pair) for pair in pairwise(BOOKS)),
    ]


def chen_claims() -> list[Claim]:
    """What is said of Table 1."""
    return [Order("Table 1", quantity, 0, "content_url", "content") for quantity in ("precision", "recall")]


# -- Results: curves, and numbers beside the printed ones


Labels = Mapping[bytes, Label]
Crawls = Mapping[tuple[str, str], Sequence[Record]]
"""What crawls fetched, rejected pages too, in the order of fetching; by names of topic and method."""
Curves = dict[str, list[tuple[float, float]]]
"""Points by method."""
Runs = dict[str, dict[str, list[RunFigures]]]
"""Figures of crawls that ended at every checkpoint, by names of topic and method."""

STEPS = 10
"""Points of a curve over a budget: with the 5,000 pages of Sun et al. 2018, every 500 pages, as they report them."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure of a paper, ours.

    Attributes:
        key: of its file.
        title, x, y: what it shows, and the names of its axes.
        panels: curves by topic.
    """

    key: str
    title: str
    x: str
    y: str
    panels: Mapping[str, Curves]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The results of a paper's experiment.

    Attributes:
        name, paper: of the experiment.
        notes: for the reader of the figures.
        charts, rows, findings: see their classes.
    """

    name: str
    paper: str
    notes: Sequence[str]
    charts: Sequence[Chart]
    rows: Sequence[Measurement]
    findings: Sequence[Finding]


def checkpoints(budget: int) -> list[int]:
    """The numbers of pages at which curves have their points.

    >>> checkpoints(5000)[:3], checkpoints(7)
    ([500, 1000, 1500], [1, 2, 3, 4, 5, 6, 7])
    """
    return sorted({budget * i // STEPS for i in range(1, STEPS + 1)} - {0})


def run_key(topic: str, method: str) -> RunKey:
    """Identity of a crawl of an experiment."""
    return RunKey(method, topic, "seeds")


def measure_crawls(experiment: Experiment, crawls: Crawls, labels: Mapping[str, Labels], budget: int) -> Runs:
    """Every crawl of an experiment as it was at every checkpoint.

    Args:
        experiment: names topics and methods.
        crawls, labels: of each topic.
        budget: pages that a crawl could fetch.
    """
    return {
        t.name: {
            m.name: [measure(run_key(t.name, m.name), crawls[t.name, m.name], labels[t.name], k) for k in checkpoints(budget)]
            for m in experiment.methods
        }
        for t in experiment.topics
    }


def add_oracles(runs: Runs, ways: Mapping[str, Sequence[str]], labels: Mapping[str, Labels], budget: int) -> Runs:
    """Runs with those of the oracle added; ``ways``: its pages by topic."""
    found = {}
    for topic, methods in runs.items():
        oracle = [measure_path(run_key(topic, ORACLE), ways[topic], labels[topic], k) for k in checkpoints(budget)]
        found[topic] = {**methods, ORACLE: oracle}
    return found


def curves(runs: Runs, value: Callable[[RunFigures], float]) -> dict[str, Curves]:
    """One figure of all runs over pages, by topic."""
    return {
        topic: {name: [(float(run.budget), value(run)) for run in found] for name, found in methods.items()}
        for topic, methods in runs.items()
    }


def with_mean(panels: Mapping[str, Curves]) -> dict[str, Curves]:
    """The panels, before them the mean over all topics.

    >>> with_mean({"a": {"vsm": [(1, 0.0)]}, "b": {"vsm": [(1, 0.5)]}})["mean"]
    {'vsm': [(1, 0.25)]}
    """
    mean: Curves = {}
    for name in next(iter(panels.values())):
        columns = zip(*(found[name] for found in panels.values()), strict=True)
        mean[name] = [(points[0][0], sum(y for _, y in points) / len(points)) for points in columns]
    return {MEAN: mean, **panels}


def rows_of(item: str, quantity: str, panels: Mapping[str, Curves], printed: Mapping[tuple[str, int], str]) -> list[Measurement]:
    """The points of curves as rows; ``printed``: by method and pages, for the first panel."""
    first = next(iter(panels))
    return [
        Measurement(item, quantity, int(x), topic, name, printed.get((name, int(x)), "") if topic == first else "", y)
        for topic, found in panels.items()
        for name, points in found.items()
        for x, y in points
    ]
