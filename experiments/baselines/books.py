"""The strategies ``category_vsm`` and ``keyword_vsm``: baselines of Zhang et al. with the pages and links of ``odp2evsm``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from topical_crawler.strategies.base import Parameters, Setup, shares
from topical_crawler.strategies.odp2evsm.page_keywords import Measured
from topical_crawler.strategies.odp2evsm.strategy import (
    BookCrawl,
    CategoryParameters,
    Odp2evsm,
    category_keywords,
    whole_keywords,
)
from topical_crawler.strategies.odp2evsm.topic_keywords import own_keywords
from topical_crawler.text.segment import Segmenter
from topical_crawler.text.statistics import Idf, Vsm, keyword_vector

KEYWORDS = 20


class CosineMeasure:
    """All content words of a page, by the cosine of TF-IDF weights: the vector space model of the paper's baselines.

    >>> measure = CosineMeasure({"数据挖掘": 1.0}, Segmenter(["数据挖掘"]), Idf({"数据挖掘": 8.0}))
    >>> measure.of_anchor("数据挖掘"), measure.of_page("数据挖掘", "聚类与分类").shares
    (1.0, {'数据挖掘': 1.0})
    """

    def __init__(self, keywords: Mapping[str, float], segmenter: Segmenter, idf: Idf) -> None:
        self._vsm = Vsm(keyword_vector(keywords, idf), idf)
        self._segmenter = segmenter

    def of_page(self, title: str, text: str) -> Measured:
        words = [*self._segmenter.content(title), *self._segmenter.content(text)]
        return Measured(self._vsm.of(words), shares(self._vsm.parts(words)))

    def of_anchor(self, anchor: str) -> float:
        return self._vsm.of(self._segmenter.content(anchor))


@dataclass(frozen=True)
class CategoryVsmParameters(CategoryParameters):
    """The table ``[strategy.category_vsm]``."""

    page_threshold: float = 0.02  # a page is relevant when its cosine with the topic is above this


@dataclass(frozen=True)
class KeywordVsmParameters(Parameters):
    """The table ``[strategy.keyword_vsm]``."""

    keywords: int | None = None  # so many of the topic's heaviest terms are the topic; None: `KEYWORDS`, of a topic of books 1
    page_threshold: float = 0.02  # a page is relevant when its cosine with them is above this

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.keywords is not None and not (type(self.keywords) is int and self.keywords >= 1):
            raise ValueError(f"keywords must be a whole number of 1 or more, not {self.keywords!r}")


class CategoryVsm(BookCrawl):
    """The strategy ``category_vsm``: the initial keywords of ``odp2evsm``, by their cosine with the page."""

    name = "category_vsm"
    parameters_type = CategoryVsmParameters
    needs = ("clc",)

    @classmethod
    def make(cls, setup: Setup) -> Self:
        parameters = setup.parameters(CategoryVsmParameters)
        return cls(_cosine(setup, category_keywords(setup, parameters)), parameters)


class KeywordVsm(BookCrawl):
    """The strategy ``keyword_vsm``: the topic's heaviest terms, by their cosine with the page."""

    name = "keyword_vsm"
    parameters_type = KeywordVsmParameters

    @classmethod
    def make(cls, setup: Setup) -> Self:
        parameters = setup.parameters(KeywordVsmParameters)
        of_books = setup.topic.default_strategy == Odp2evsm.name
        keywords = parameters.keywords or (1 if of_books else KEYWORDS)
        return cls(_cosine(setup, own_keywords(setup.topic, keywords)), parameters)


def _cosine(setup: Setup, keywords: Mapping[str, float]) -> CosineMeasure:
    return CosineMeasure(keywords, whole_keywords(setup, keywords), Idf.load())
