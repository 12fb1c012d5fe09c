"""Why a text has the relevance that it has, word by word (Zhou et al. 2019, Eq. 3), and a link its priority (Eq. 5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from topical_crawler.page import Candidate, Evidence, Page, Verdict
from topical_crawler.semantics.similarity import WordSimilarity
from topical_crawler.strategies.semantic import Semantic
from topical_crawler.text import default_stopwords, normalise

ITSELF = "itself"


@dataclass(frozen=True, slots=True)
class WordView:
    """A word with a part in a text's relevance.

    Attributes:
        word: normalised.
        weight: w_d, relative to the mean word's.
        similar: Σ_t w_t·Sim(d,t)² over all topic terms.
        term: the topic term with the greatest part in that sum.
        sim: Sim of word and term, in [0, 1].
        through: what makes them similar: "itself", "HowNet", "vectors" or "HowNet, vectors".
        contribution: w_d·Σ/M, the word's part of the relevance.
        share: of the relevance, in [0, 1].
    """

    word: str
    weight: float
    similar: float
    term: str
    sim: float
    through: str
    contribution: float
    share: float


@dataclass(frozen=True, slots=True)
class TextView:
    """A text as Eq. 3 sees it.

    Attributes:
        relevance: Rel of Eq. 3.
        counted: M, its distinct words that count; those without a part dilute the others.
        words: the words with a part, heaviest first.
        unlike: words that count and are like no topic term, in their order.
        silenced: words that are like a term and weigh 0.
        left_out: words that do not count, by reason ("stop words", "function words", "single characters", "numbers and signs").
    """

    relevance: float
    counted: int
    words: tuple[WordView, ...]
    unlike: tuple[str, ...]
    silenced: tuple[str, ...]
    left_out: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class LinkView:
    """A link as Eq. 5 sees it.

    Attributes:
        url, anchor: as on the page.
        of_anchor: Rel(anchor).
        of_parent: Rel(description of the page that holds the link).
        struct: Algorithm 3, 0 or 1.
        priority: α·of_parent + β·of_anchor + λ·struct.
        queued: whether a crawl would queue it.
        refused: why it would not be followed whatever its priority ("file type", "other site" …); "" where nothing is said.
    """

    url: str
    anchor: str
    of_anchor: float
    of_parent: float
    struct: int
    priority: float
    queued: bool
    refused: str = ""


class Explainer:
    """Takes the sums of a strategy apart.

    Args:
        strategy: for the topic.
        similarity: with the constants and resources that the strategy's table was made from.

    >>> from topical_crawler import strategies
    >>> strategy = strategies.create("operating-systems", "semantic", resources=None)
    >>> view = Explainer(strategy, WordSimilarity()).text("一个进程可以有多个线程")
    >>> [(w.word, w.term, w.through, round(w.share, 2)) for w in view.words]
    [('进程', '进程', 'itself', 0.5), ('线程', '线程', 'itself', 0.5)]
    """

    def __init__(self, strategy: Semantic, similarity: WordSimilarity) -> None:
        self._strategy = strategy
        self._similarity = similarity

    def text(self, text: str) -> TextView:
        """Eq. 3 over ``text``, taken apart."""
        strategy = self._strategy
        words = strategy.words(text)
        relevance = strategy.relevance(words)
        parts, unlike, silenced = [], [], []
        for word in words:
            weight, similar, term = strategy.factors(word)
            if not similar:
                unlike.append(word)
            elif not weight:
                silenced.append(word)
            else:
                part = weight * similar / len(words)
                sim, through = self._why(word, term)
                parts.append(WordView(word, weight, similar, term, sim, through, part, part / relevance))
        parts.sort(key=lambda p: -p.contribution)
        left_out: dict[str, dict[str, None]] = {}
        for word in strategy.cut(text):
            if word not in words and any(c.isalnum() for c in word):
                left_out.setdefault(why_left_out(word), {})[word] = None
        return TextView(
            relevance, len(words), tuple(parts), tuple(unlike), tuple(silenced), {r: tuple(w) for r, w in left_out.items()}
        )

    def links(self, page: Page, verdict: Verdict, refusal: Callable[[str], str | None]) -> list[LinkView]:
        """The links of a page that no parent is known of, best first.

        Args:
            page: that holds them.
            verdict: the strategy's on it.
            refusal: why a URL is not followed whatever it may lead to; None where nothing speaks against it.
        """
        strategy = self._strategy
        views = []
        for link in page.links:
            evidence = Evidence(page.url, verdict.relevance, verdict.keep, link.anchor, 0 if verdict.keep else 1)
            candidate = Candidate(link.url, (evidence,))
            refused = refusal(link.url) or ""
            views.append(
                LinkView(
                    url=link.url,
                    anchor=link.anchor,
                    of_anchor=strategy.relevance(strategy.words(link.anchor)),
                    of_parent=verdict.relevance,
                    struct=strategy.struct(link.url),
                    priority=strategy.priority(link.url, evidence),
                    queued=not refused and strategy.score([candidate])[0] is not None,
                    refused=refused,
                )
            )
        return sorted(views, key=lambda v: (not v.queued, bool(v.refused), -v.priority))

    def _why(self, word: str, term: str) -> tuple[float, str]:
        """Sim of the two, and what it comes from."""
        if normalise(word) == normalise(term):
            return 1.0, ITSELF
        similarity = self._similarity
        parameters = similarity.parameters
        through = [
            name
            for name, value, least in (
                ("HowNet", similarity.sim_h(word, term), parameters.th2),
                ("vectors", similarity.sim_d(word, term), parameters.th1),
            )
            if value > 0 and value >= least
        ]
        return similarity.sim(word, term), ", ".join(through)


def why_left_out(word: str) -> str:
    """Why a normalised word does not count for relevance, unless it is a topic term (:meth:`Segmenter.is_content`).

    >>> [why_left_out(w) for w in ("关于", "的", "2024", "陆续")]
    ['stop words', 'single characters', 'numbers and signs', 'function words']
    """
    if not any(c.isalpha() for c in word):
        return "numbers and signs"
    if len(word) < 2:
        return "single characters"
    return "stop words" if word in default_stopwords() else "function words"


def share_line(words: Sequence[WordView], most: int = 3) -> str:
    """The words that carry a relevance, with their shares: "学习贯彻 42 %, 主题教育 31 %"."""
    return ", ".join(f"{w.word if w.through == ITSELF else f'{w.word}~{w.term}'} {w.share:.0%}" for w in words[:most])
