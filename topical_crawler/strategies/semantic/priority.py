"""The three parts of Eq. 5 (Zhou et al. 2019, §4.5): relevance of a description and of an anchor (both Eq. 3), and URL
structure (Algorithm 3).

p = α·Rel(description of the page holding the link) + β·Rel(anchor) + λ·struct
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Self

from topical_crawler.strategies.base import Setup
from topical_crawler.strategies.semantic.parameters import SemanticParameters, ahp_weights, read_semantic_parameters
from topical_crawler.strategies.semantic.score_table import ScoreTable
from topical_crawler.strategies.semantic.url_structure import History, UrlParts, site, struct, struct_of_host
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import Topic, topic_line

HISTORY_SIZE = 200
"""Number of history URLs kept per site, or for all sites together. Algorithm 3 draws from them."""


def share(relevance: float) -> float:
    """Map a Rel of Eq. 3, with no upper bound, to [0, 1).

    >>> share(0.0), share(3.0)
    (0.0, 0.75)
    """
    return relevance / (1 + relevance)


class Priority:
    """Eq. 3 and Eq. 5 for a topic.

    Args:
        topic: provides the weights of words.
        table: the paper's inverted index, word → Σ_t w_t·Sim(d,t)², computed once per topic.
        parameters: None: the defaults.
        seed: seed of the draws of Algorithm 3.
        history_size: history URLs to keep per site. None: the sample size, so Algorithm 3 uses them all.

    Attributes:
        alpha, beta, lam: the weights of Eq. 5, with a sum of 1.

    >>> topic = Topic("t", "党建", {"党建": 1.0})
    >>> eq5 = Priority(topic, ScoreTable({"党建": (1.0, "党建")}))
    >>> eq5.relevance(["党建", "要闻"]), eq5.struct("http://a.cn/2.html")
    (0.5, 0)
    >>> eq5.remember("http://a.cn/1.html")
    >>> eq5.struct("http://a.cn/2.html"), round(eq5.of(0.5, 0.5, 1), 3)
    (1, 0.555)
    """

    def __init__(
        self,
        topic: Topic,
        table: ScoreTable,
        parameters: SemanticParameters | None = None,
        seed: int = 0,
        history_size: int | None = HISTORY_SIZE,
    ) -> None:
        self.parameters = parameters or SemanticParameters()
        self.alpha, self.beta, self.lam = ahp_weights(self.parameters.comparisons)
        self._topic = topic
        self._table = table
        self._seed = seed
        self._parts: dict[str, tuple[float, str]] = {}
        self._history_size = history_size or self.parameters.history_sample
        self._histories: dict[str, History] = {}  # by site, or under "" for all sites

    @classmethod
    def make(cls, setup: Setup, history_size: int | None = HISTORY_SIZE) -> Self:
        """Build the priority from the topic's table ``[strategy.semantic]``.

        Raises:
            TopicError: the table cannot be used.
        """
        topic = setup.topic
        parameters, similarity = read_semantic_parameters(topic)
        table = ScoreTable.load_or_build(topic.terms, setup.resources, similarity, setup.cache_dir, setup.progress)
        try:
            return cls(topic, table, parameters, setup.seed, history_size)
        except ValueError as error:
            raise TopicError(f"{topic_line(topic, 'comparisons')}: {error}") from None

    def part(self, word: str) -> tuple[float, str]:
        """Return w_d·Σ_t w_t·Sim(d,t)² of one normalised word, and the term with the greatest part of that sum ("" if no term
        is similar)."""
        if word not in self._parts:
            score, term = self._table.get(word) or (0.0, "")
            self._parts[word] = self._topic.weight(word) * score, term
        return self._parts[word]

    def relevance(self, words: Sequence[str]) -> float:
        """Return Eq. 3: Σ_d Σ_t w_d·w_t·Sim(d,t)² / M over the M distinct ``words`` of a text. 0 for no words, no upper bound."""
        return sum(self.part(w)[0] for w in words) / len(words) if words else 0.0

    def bound(self, relevance: float) -> float:
        """Return a Rel of Eq. 3 as used in Eq. 5: in [0, 1), unless ``bounded = false``."""
        return share(relevance) if self.parameters.bounded else relevance

    def of(self, description: float, anchor: float, structure: int) -> float:
        """Return Eq. 5 from its three parts."""
        return self.alpha * description + self.beta * anchor + self.lam * structure

    def struct(self, url: str) -> int:
        """Return Algorithm 3 for a link against a sample of the history, 0 without a history."""
        history = self._histories.get(self._site(url))
        return struct(url, history.sample(self.parameters.history_sample), self.parameters.structure) if history else 0

    def struct_of_host(self, name: str) -> int | Callable[[str], int]:
        """Return the struct of every URL of a host, or a function of the URL if it depends on the path."""
        parts = UrlParts.of(f"http://{name}/")
        history = self._histories.get(self._site(f"http://{name}/"))
        sample = history.sample(self.parameters.history_sample) if history else ()
        return struct_of_host(parts.host, sample, self.parameters.structure)

    def _site(self, url: str) -> str:
        """Return the key of the history for a page or link."""
        return site(url) if self.parameters.own_site else ""

    def remember(self, url: str) -> None:
        """Add a relevant page's URL to the history."""
        self._histories.setdefault(self._site(url), History(self._history_size, self._seed)).add(url)

    def history(self) -> list[str]:
        """Return the history URLs as JSON data."""
        return [url for history in self._histories.values() for url in history.urls()]

    def load(self, history: Iterable[str]) -> None:
        """Restore the result of :meth:`history`."""
        self._histories.clear()
        for url in history:
            self.remember(url)
