"""Constants of the strategies for books (Zhang et al.): what a topic's tables ``[strategy.odp2evsm]`` and so on may set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from topical_crawler.relevance.extension import LAMBDA, Pairs
from topical_crawler.relevance.text_and_anchor import check_count, check_number

THRESHOLDS: Mapping[Pairs, float] = {"all": 0.2, "best": 0.08}
"""u for either reading of Eq. 5 between vectors. Precision / recall before any expansion on the books of the recorded bookshop:
0.39 / 1.0 and 0.88 / 0.96; on texts of 14 real sites, half of them about machine learning: 0.58 / 0.85 and 0.97 / 0.33."""


@dataclass(frozen=True)
class Odp2evsmParameters:
    """Constants of the method; the table ``[strategy.odp2evsm]`` of a topic sets them. The paper prints λ alone.

    Attributes:
        category: code or name of the topic's category; "": the category of the topic's title.
        tree: path of a ``structure.rdf.u8`` of the Open Directory; "": the Chinese Library Classification.
        own_terms: whether the topic's own terms join those of the category; False, as in the paper: where there is a category,
            they do not.
        keyword_threshold: initial keywords weigh at least this, 0 to 1.
        lam: λ of Eq. 5, 0 to 1.
        pairs: the ``best`` pair for each of the page's keywords counts, or ``all`` pairs with the topic's; see
            :meth:`~topical_crawler.relevance.extension.TopicExtension.between`. The paper does not say. In 2,000 pages of 14
            real sites, ``best`` reached 69 % of the texts on machine learning and ``all`` 30 %.
        page_keywords: n, keywords of a page.
        page_threshold: u, as a part of the extension degree of the topic's keywords to themselves; None: that of
            :data:`THRESHOLDS`.
        learned_keywords: m, keywords that a relevant page gives to the buffer; 0: no expansion.
        batch: relevant pages after which the buffer joins the topic's keywords.
        max_keywords: χ, keywords of the topic at most, the initial ones among them.
    """

    category: str = ""
    tree: str = ""
    own_terms: bool = True
    keyword_threshold: float = 0.1
    lam: float = LAMBDA
    pairs: Pairs = "best"
    page_keywords: int = 30
    page_threshold: float | None = None
    learned_keywords: int = 5
    batch: int = 10
    max_keywords: int = 100

    def __post_init__(self) -> None:
        _check_texts(self, "category", "tree")
        _check_switches(self, "own_terms")
        _check_shares(self, "keyword_threshold", "lam")
        if self.page_threshold is not None:
            check_number("page_threshold", self.page_threshold)
        for name, least in (("page_keywords", 1), ("learned_keywords", 0), ("batch", 1), ("max_keywords", 1)):
            check_count(name, getattr(self, name), least)
        if self.pairs not in ("all", "best"):
            raise ValueError(f'pairs must be "all" or "best", not {self.pairs!r}')


@dataclass(frozen=True)
class CategoryVsmParameters:
    """The table ``[strategy.category_vsm]``.

    Attributes:
        category, tree, own_terms, keyword_threshold, max_keywords: as of :class:`Odp2evsmParameters`.
        page_threshold: a page is relevant when its cosine with the topic is above this.
    """

    category: str = ""
    tree: str = ""
    own_terms: bool = True
    keyword_threshold: float = 0.1
    max_keywords: int = 100
    page_threshold: float = 0.02

    def __post_init__(self) -> None:
        _check_texts(self, "category", "tree")
        _check_switches(self, "own_terms")
        _check_shares(self, "keyword_threshold")
        check_number("page_threshold", self.page_threshold)
        check_count("max_keywords", self.max_keywords, 1)


@dataclass(frozen=True)
class KeywordVsmParameters:
    """The table ``[strategy.keyword_vsm]``.

    Attributes:
        keywords: so many of the topic's heaviest terms are the topic.
        page_threshold: a page is relevant when its cosine with them is above this.
    """

    keywords: int = 20
    page_threshold: float = 0.02

    def __post_init__(self) -> None:
        check_number("page_threshold", self.page_threshold)
        check_count("keywords", self.keywords, 1)


def _check_texts(parameters: object, *names: str) -> None:
    for name in names:
        if not isinstance(value := getattr(parameters, name), str):
            raise ValueError(f"{name} must be a text, not {value!r}")


def _check_switches(parameters: object, *names: str) -> None:
    for name in names:
        if not isinstance(value := getattr(parameters, name), bool):
            raise ValueError(f"{name} must be true or false, not {value!r}")


def _check_shares(parameters: object, *names: str) -> None:
    for name in names:
        value = getattr(parameters, name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
            raise ValueError(f"{name} must be a number from 0 to 1, not {value!r}")
