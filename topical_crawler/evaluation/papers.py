"""The crawling experiments of three papers: what was crawled by which methods, what the papers print, what they say of it.

Sun et al. 2018 (Figures 4-6), Zhang et al. (Figures 3-5, and the numbers of books in section 5.4), Chen & Zhu 2011 (Table 1). Of
the figures, only what the text says of them is known as numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from topical_crawler.evaluation.paper_claims import Claim, Least, Order


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
    """What one paper tried.

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
