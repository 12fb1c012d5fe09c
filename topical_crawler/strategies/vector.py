"""Three baselines of Sun et al. 2018 that measure the topic's keywords against a text: ``vsm``, ``ssrm``, ``svsm``.

All of them judge pages by the full text and put links in order by Eq. 9; they differ in the measure alone. The topic is the
keywords with their weights, as it is for the strategy ``svsm`` in the paper; documents of the topic are read by ``esvsm`` only.
"""

from __future__ import annotations

from topical_crawler.relevance.ssrm import Ssrm
from topical_crawler.relevance.svsm import SvsmParameters, svsm
from topical_crawler.relevance.term_similarity import TermSimilarity
from topical_crawler.relevance.text_and_anchor import Measure, TextAndAnchor, TextAndAnchorParameters
from topical_crawler.relevance.tfidf import Idf, Vsm, keyword_vector
from topical_crawler.strategies.base import Fixed, Setup
from topical_crawler.text import Segmenter

VSM = TextAndAnchorParameters(page_threshold=0.01)
SSRM = TextAndAnchorParameters(page_threshold=0.001)
SVSM = SvsmParameters(page_threshold=0.05)
"""No paper prints a threshold. A cosine is the smaller the more terms a topic has: of 20 terms (machine learning, operating
systems) 0.01 is near the best for VSM, and 0.1 for SVSM; of 200 and more (party building) 0.01 for both. SVSM's is between the
two, on the side of keeping. SSRM has no good one: with HowNet, nearly every text is as similar to a topic as any other."""


class Vector(TextAndAnchor, Fixed):
    """A strategy that learns nothing: Eq. 9 by one measure.

    Args:
        name: of the strategy.
        measure, segmenter, parameters: see :class:`TextAndAnchor`.

    >>> from topical_crawler import Page, strategies
    >>> vsm = strategies.create("partybuilding", "vsm", resources=None)
    >>> [vsm.judge(Page("http://a.cn/", title=title)).keep for title in ("学习贯彻党章 严肃党内政治生活", "球队升至榜首")]
    [True, False]
    """

    def __init__(self, name: str, measure: Measure, segmenter: Segmenter, parameters: TextAndAnchorParameters) -> None:
        super().__init__(measure, segmenter, parameters)
        self.name = name


def make_vsm(setup: Setup) -> Vector:
    """The vector space model: the cosine of TF-IDF vectors."""
    idf = Idf.load()
    parameters = setup.parameters(TextAndAnchorParameters, VSM)
    return Vector(setup.strategy, Vsm(keyword_vector(setup.topic.terms, idf), idf), setup.segmenter, parameters)


def make_ssrm(setup: Setup) -> Vector:
    """The semantic similarity retrieval model: the mean similarity of the words of both sides."""
    idf = Idf.load()
    parameters = setup.parameters(TextAndAnchorParameters, SSRM)
    topic = keyword_vector(setup.topic.terms, idf)
    measure = Ssrm(topic, TermSimilarity.of_terms(list(topic), setup.resources), idf)
    return Vector(setup.strategy, measure, setup.segmenter, parameters)


def make_svsm(setup: Setup) -> Vector:
    """The semantic vector space model without a topic model and without replacement of the topic word."""
    idf = Idf.load()
    parameters = setup.parameters(SvsmParameters, SVSM)
    topic = keyword_vector(setup.topic.terms, idf)
    measure = svsm(topic, TermSimilarity.of_terms(list(topic), setup.resources), idf, parameters.reading)
    return Vector(setup.strategy, measure, setup.segmenter, parameters)
