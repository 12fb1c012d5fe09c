"""The strategy ``semantic`` (Zhou et al. 2019): the flow of Figure 1 (§3.1) and the priority of Eq. 5 (§4.5).

A page is judged by its *description information* (title, meta keywords, meta description) with Eq. 3. A link of a relevant page
gets the priority of Eq. 5; of an irrelevant page only those links are followed whose anchor holds a topic term.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Self

import numpy as np

from topical_crawler.strategies.base import (
    NO_TOPIC_WORD,
    Parameters,
    Setup,
    SiteWords,
    Strategy,
    check_fields,
    read_parameters,
    shares,
)
from topical_crawler.strategies.semantic.score_table import ScoreTable
from topical_crawler.strategies.semantic.similarity import SimilarityParameters
from topical_crawler.strategies.semantic.url_structure import History, StructureParameters, site, struct
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import Topic, topic_line
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict, description_of

SIMILARITY = SimilarityParameters(alpha=0.5, beta=0.5, th1=0.7, th2=0.7)
"""Constants of Algorithm 1 for Eq. 3: near-synonyms only, lest a hundred faint similarities outweigh one right word. 0.7 was best
on three topics and two recorded webs (docs/decisions.md)."""
HISTORY_SIZE = 200  # history URLs kept of each site, or of all; Algorithm 3 draws from them
_CACHED_ANCHORS = 50_000

Comparison = int | float | str


@dataclass(frozen=True)
class SemanticParameters(Parameters):
    """Constants of the method; the table ``[strategy.semantic]`` of a topic sets them. docs/decisions.md has the measurements."""

    page_threshold: float = 0.1  # a page is relevant when Eq. 3 over its description is above this. Not printed
    # A link of a relevant page is queued when Eq. 5 is above this. Printed: 0.2, from where precision is stable (Figure 2).
    link_threshold: float = 0.2
    # Whether Eq. 5 takes each Rel as Rel/(1 + Rel), in [0, 1), as its weights suppose, which sum to 1 beside a structure of 0 or
    # 1. Printed: false. Eq. 3 has no upper bound, and on the scale of our weights it leaves the structure no say.
    bounded: bool = True
    # A kept page stays in the corpus when Eq. 3 over its extracted main text is above this; 0: no such check. Printed: none; the
    # paper judges by the description alone.
    text_threshold: float = 0.0
    # How many pages off topic may be passed in a row: their links are then followed without a topic term in the anchor, at the
    # low place that Eq. 5 gives them. Printed: 0 (§3.1, plain word match only).
    tunnel: int = 0
    # Whether what a page says in the same words as its site's home page (`SiteWords`) counts for what its links inherit. Printed:
    # true. False: the page's description without those words stands for Rel in Eq. 5; all of it decides whether the page is kept.
    site_words: bool = False
    # Whether a page without a meta description is described by its first heading and first 90 characters. Printed: false.
    first_lines: bool = True
    # Draw the history URLs of Algorithm 3 from the link's own site. Printed: true; the paper crawls each site by itself. False:
    # from all sites of the crawl, of which hardly any URL has more than half on its side.
    own_site: bool = True
    history_sample: int = 15  # n of Algorithm 3. Not printed; an odd number has a clear majority
    # Pairwise comparison of (page description, anchor, URL structure), from which α, β and λ of Eq. 5 follow. Not printed; ours
    # holds the anchor for somewhat more telling than the page, and both for more telling than the structure.
    comparisons: Sequence[Sequence[Comparison]] = ((1, "1/2", 3), (2, 1, 5), ("1/3", "1/5", 1))
    structure: StructureParameters = field(default_factory=StructureParameters)  # constants of Algorithm 2
    as_printed: bool = False  # take the constants and rules of the paper (`PRINTED`) where this table says nothing else

    def __post_init__(self) -> None:
        check_fields(self, least={"history_sample": 1})
        if self.bounded and self.link_threshold >= 1:
            raise ValueError(
                f"link_threshold is {self.link_threshold}, and no priority reaches 1: give less than 1, or set bounded = false"
            )
        if not isinstance(self.comparisons, Sequence) or len(self.comparisons) != 3:
            raise ValueError("comparisons is a 3 × 3 matrix over page description, anchor and URL structure")


PRINTED = SemanticParameters(
    as_printed=True,
    link_threshold=0.2,  # Figure 2
    text_threshold=0.0,  # §3.1: the description alone decides
    tunnel=0,  # §3.1: of a page off topic, plain word match only
    bounded=False,  # Eq. 5
    site_words=True,  # §3.1
    first_lines=False,  # §3.1
    own_site=True,  # §4.4 and Table 8: each site is crawled by itself
    structure=StructureParameters(threshold=0.1, within_host=False),  # Table 6; Algorithm 2, step 2
)
"""What ``as_printed = true`` stands for, with :data:`PRINTED_SIMILARITY`. What the paper does not print is as ever."""
PRINTED_SIMILARITY = SimilarityParameters(th1=0.1, th2=0.1, synonyms=False, parts=False)  # Table 5


def read_semantic_parameters(topic: Topic) -> tuple[SemanticParameters, SimilarityParameters]:
    """The parameters that a topic sets for the strategy and for Algorithm 1. Raises TopicError for one that cannot be used."""
    table = dict(topic.parameters.get("semantic", {}))
    printed = table.get("as_printed") is True
    defaults, of_words = (PRINTED, PRINTED_SIMILARITY) if printed else (SemanticParameters(), SIMILARITY)
    section = "strategy.semantic"
    similarity = read_parameters(SimilarityParameters, table.pop("similarity", {}), topic, f"{section}.similarity", of_words)
    structure = table.get("structure", {})
    table["structure"] = read_parameters(StructureParameters, structure, topic, f"{section}.structure", defaults.structure)
    return read_parameters(SemanticParameters, table, topic, section, defaults), similarity


class Semantic(Strategy):
    """The strategy ``semantic``. ``table`` is the paper's inverted index, word → Σ_t w_t·Sim(d,t)², made once per topic; ``seed``
    is of the draws of Algorithm 3.

    >>> from topical_crawler import Page, strategies
    >>> semantic = strategies.create("partybuilding", "semantic", resources=None)
    >>> semantic.judge(Page("http://a.cn/", title="开展主题教育 推进全面从严治党")).keep
    True
    >>> semantic.judge(Page("http://a.cn/", title="主场三比一取胜 球队升至榜首")).keep
    False
    """

    name = "semantic"
    parameters_type = SemanticParameters
    needs = ("hownet", "hownet_tree", "vectors")
    drop_reason = NO_TOPIC_WORD
    parameters: SemanticParameters
    revision = 0  # a longer history turns struct of some links from 0 to 1; they come up soon enough by what else they have

    def __init__(
        self, topic: Topic, table: ScoreTable, segmenter: Segmenter, parameters: SemanticParameters | None = None, seed: int = 0
    ) -> None:
        super().__init__(topic, segmenter, parameters)
        self.alpha, self.beta, self.lam = ahp_weights(self.parameters.comparisons)
        self._table = table
        self._seed = seed
        self._contribution: dict[str, tuple[float, str]] = {}
        self._histories: dict[str, History] = {}  # of each site, or of all under ""
        self._sites = SiteWords()
        self._of_anchor = functools.lru_cache(_CACHED_ANCHORS)(self._read_anchor)

    @classmethod
    def make(cls, setup: Setup) -> Self:
        topic = setup.topic
        parameters, similarity = read_semantic_parameters(topic)
        scores = ScoreTable.load_or_build(topic.terms, setup.resources, similarity, setup.cache_dir, setup.progress)
        try:
            return cls(topic, scores, setup.segmenter, parameters, setup.seed)
        except ValueError as error:
            raise TopicError(f"{topic_line(topic, 'comparisons')}: {error}") from None

    def factors(self, word: str) -> tuple[float, float, str]:
        """What Eq. 3 knows of a normalised word: w_d, Σ_t w_t·Sim(d,t)², and the term with the greatest part in that sum ("" for
        a word that is like no term)."""
        score, term = self._table.get(word) or (0.0, "")
        return self.topic.weight(word), score, term

    def relevance(self, words: Sequence[str]) -> float:
        """Eq. 3: Σ_d Σ_t w_d·w_t·Sim(d,t)² / M over the M distinct ``words`` of a text; 0 for no words, no upper bound."""
        return sum(self._part(w)[0] for w in words) / len(words) if words else 0.0

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        words = self.segmenter.words(self._description(page))
        relevance = self.relevance(words)
        keep, why = relevance > self.page_threshold, self._shares(words)
        if self.parameters.site_words:
            return Verdict(relevance, keep, why)
        own = self._sites.own(page)
        inherited = None if own is page else self.relevance(self.segmenter.words(self._description(own)))
        return Verdict(relevance, keep, why, inherited, self._sites.lesson(page))

    def _description(self, page: Page) -> str:
        if self.parameters.first_lines:
            return description_of(page)
        return "\n".join(filter(None, (page.title, page.keywords, page.description)))

    def learn(self, url: str, verdict: Verdict) -> None:
        if verdict.keep:
            self._remember(url)
        self._sites.learn(url, verdict.lesson)

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        return [None if best is None else best[0] for best in map(self._best, candidates)]

    def confirm(self, text: str) -> tuple[float, bool]:
        relevance, threshold = self.relevance(self.segmenter.words(text)), self.parameters.text_threshold
        return relevance, threshold == 0 or relevance > threshold

    def explain(self, candidate: Candidate) -> dict[str, float]:
        return self.parts(candidate.url, best[1]) if (best := self._best(candidate)) else {}

    def priority(self, url: str, evidence: Evidence) -> float:
        """Eq. 5: p = α·Rel(description of the page that holds the link) + β·Rel(anchor) + λ·struct."""
        return self._priority(evidence, self.struct(url))

    def _priority(self, evidence: Evidence, structure: int) -> float:
        of_page, of_anchor = self.bound(evidence.relevance), self._of_anchor(evidence.anchor)[0]
        return self.alpha * of_page + self.beta * of_anchor + self.lam * structure

    def parts(self, url: str, evidence: Evidence) -> dict[str, float]:
        """What Eq. 5 weighs, for a link on one page: ``parent``, ``anchor`` and ``struct``."""
        of_anchor = self._of_anchor(evidence.anchor)[0]
        return {"parent": self.bound(evidence.relevance), "anchor": of_anchor, "struct": self.struct(url)}

    def bound(self, relevance: float) -> float:
        """A Rel of Eq. 3 as Eq. 5 takes it: in [0, 1), unless ``bounded = false``."""
        return relevance / (1 + relevance) if self.parameters.bounded else relevance

    def struct(self, url: str) -> int:
        """Algorithm 3 for a link against a sample of the history; 0 while there is none."""
        history = self._histories.get(self._site(url))
        return struct(url, history.sample(self.parameters.history_sample), self.parameters.structure) if history else 0

    def _site(self, url: str) -> str:
        """Of which history a page is part, and a link is compared with."""
        return site(url) if self.parameters.own_site else ""

    def _remember(self, url: str) -> None:
        self._histories.setdefault(self._site(url), History(HISTORY_SIZE, self._seed)).add(url)

    def state_dict(self) -> dict[str, Any]:
        history = [url for history in self._histories.values() for url in history.urls()]
        return {"history": history, "sites": self._sites.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        for url in state["history"]:
            self._remember(url)
        self._sites.load_state_dict(state.get("sites", {}))

    def _best(self, candidate: Candidate) -> tuple[float, Evidence] | None:
        """The best priority over all places where the link was found, as if it were met anew on each of them, with the place."""
        best: tuple[float, Evidence] | None = None
        structure: int | None = None  # looked at when a place of the link counts, once
        for evidence in candidate.evidence:
            if evidence.on_topic or 0 < evidence.distance <= self.parameters.tunnel or self._of_anchor(evidence.anchor)[1]:
                structure = self.struct(candidate.url) if structure is None else structure
                priority = self._priority(evidence, structure)
                # The plain-match path of Figure 1 queues whatever its anchor matches: Eq. 5 only gives it its place.
                queued = not evidence.on_topic or priority > self.parameters.link_threshold
                if queued and (best is None or priority > best[0]):
                    best = priority, evidence
        return best

    def _read_anchor(self, anchor: str) -> tuple[float, bool]:
        """Rel(anchor) as Eq. 5 takes it, and whether the anchor holds a topic term."""
        words = self.segmenter.words(anchor)
        return self.bound(self.relevance(words)), any(w in self.topic.terms for w in words)

    def _part(self, word: str) -> tuple[float, str]:
        """w_d·Σ_t w_t·Sim(d,t)² of one word, and the topic term nearest to it."""
        if word not in self._contribution:
            weight, score, term = self.factors(word)
            self._contribution[word] = weight * score, term
        return self._contribution[word]

    def _shares(self, words: Sequence[str]) -> dict[str, float]:
        """The words that carry the relevance, with their share of it, as ``word`` or ``word~nearest term``."""
        parts = [(word, *self._part(word)) for word in words]
        return shares({(word if word == term else f"{word}~{term}"): part for word, part, term in parts if part > 0})


# -- The analytic hierarchy process (§4.5; Saaty 1980)

MAX_INCONSISTENCY = 0.1  # largest consistency ratio that is accepted (Saaty's rule)
RANDOM_INDEX = (0.0, 0.0, 0.58, 0.90, 1.12, 1.24, 1.32, 1.41, 1.45, 1.49)  # mean consistency index by size, 1 to 10 (Saaty 1980)


def ahp_weights(matrix: Sequence[Sequence[Comparison]]) -> list[float]:
    """Weights of the things compared: the principal eigenvector, scaled to sum 1. ``matrix[i][j]`` of n × n, 1 <= n <= 10, says
    how many times more important thing i is than thing j (Saaty's scale, 1 to 9 and its inverses), as a number or as a fraction
    in text ("1/3"). Raises ValueError where it is not square, not positive, not reciprocal, or its consistency ratio is above
    0.1.

    >>> [round(w, 3) for w in ahp_weights([[1, "1/2", 3], [2, 1, 5], ["1/3", "1/5", 1]])]
    [0.309, 0.582, 0.109]
    """
    if (ratio := consistency_ratio(matrix)) > MAX_INCONSISTENCY:
        raise ValueError(
            f"the comparisons contradict each other: consistency ratio {ratio:.2f}, allowed {MAX_INCONSISTENCY}. "
            f"Remedy: if a is x times b and b is y times c, then a should be about x·y times c"
        )
    eigenvalues, vectors = np.linalg.eig(_matrix(matrix))
    principal = np.abs(vectors[:, int(np.argmax(eigenvalues.real))].real)
    return [float(w) for w in principal / principal.sum()]


def consistency_ratio(matrix: Sequence[Sequence[Comparison]]) -> float:
    """How far the comparisons contradict each other: 0 for not at all, about 1 for random ones.

    >>> round(consistency_ratio([[1, 2, 4], ["1/2", 1, 2], ["1/4", "1/2", 1]]), 6)
    0.0
    """
    n, eigenvalue = len(matrix), float(np.max(np.linalg.eigvals(_matrix(matrix)).real))
    return 0.0 if n < 3 else max(0.0, (eigenvalue - n) / (n - 1)) / RANDOM_INDEX[n - 1]


def _matrix(matrix: Sequence[Sequence[Comparison]]) -> np.ndarray:
    n = len(matrix)
    sizes = [len(row) if hasattr(row, "__len__") else 0 for row in matrix]
    if not 1 <= n <= len(RANDOM_INDEX) or any(size != n for size in sizes):
        raise ValueError(f"a comparison matrix has as many columns as rows, 1 to {len(RANDOM_INDEX)}; got rows of {sizes}")
    try:
        values = np.array([[float(Fraction(cell)) for cell in row] for row in matrix])
    except (ValueError, TypeError, ArithmeticError) as error:
        raise ValueError(f'a comparison is a number or a fraction such as "1/3": {error}') from None
    if not (np.isfinite(values).all() and (values > 0).all()):
        raise ValueError("every comparison is above 0: write 1/3, not -3, for the less important of two")
    if not np.allclose(values * values.T, 1.0, rtol=0.02):
        raise ValueError('row i, column j must be the inverse of row j, column i (3 faces "1/3"), and 1 stands on the diagonal')
    return values
