"""Plain keywords: which words of a text are topic terms, and what share of the text they are."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from topical_crawler.page import Page, Verdict, description_of
from topical_crawler.relevance.text_and_anchor import check_number
from topical_crawler.text import Segmenter

_CACHED_TEXTS = 50_000


class Keywords:
    """The judgement that strategies share which bring an order of visits, but no measure of relevance of their own.

    Args:
        terms: the topic terms.
        segmenter: must know them.

    Attributes:
        threshold: a page is kept when the share of topic terms is above this; 0: when there is one at all.

    >>> keywords = Keywords(["党建", "支部"], Segmenter(["党建", "支部"]))
    >>> keywords.verdict(Page("http://a.cn/", title="支部生活")).keep, keywords.share("农村党建要闻")
    (True, 0.3333333333333333)
    """

    def __init__(self, terms: Collection[str], segmenter: Segmenter) -> None:
        self._terms = terms
        self._segmenter = segmenter
        self.threshold = 0.0
        self.share = lru_cache(_CACHED_TEXTS)(self._share)

    def verdict(self, page: Page) -> Verdict:
        """A page is kept when its description information holds a topic term; its relevance is the :meth:`share` of them, which
        may be asked to be above a threshold."""
        words = self._segmenter.words(description_of(page))
        matching = [w for w in words if w in self._terms]
        relevance = len(matching) / len(words) if words else 0.0
        return Verdict(relevance, relevance > self.threshold, {w: round(1 / len(matching), 4) for w in matching})

    def _share(self, text: str) -> float:
        """The share of topic terms among the distinct content words of a short text, 0 to 1; 0 for no words."""
        words = self._segmenter.words(text)
        return sum(w in self._terms for w in words) / len(words) if words else 0.0


class JudgedByKeywords:
    """For a strategy whose pages are judged by ``_keywords``: its threshold is 0 unless it is set."""

    _keywords: Keywords

    @property
    def page_threshold(self) -> float:
        """A page is kept when the share of topic terms in its description is above this.

        Raises:
            ValueError: set to what is no number of 0 or more.
        """
        return self._keywords.threshold

    @page_threshold.setter
    def page_threshold(self, value: float) -> None:
        check_number("page_threshold", value)
        self._keywords.threshold = float(value)
