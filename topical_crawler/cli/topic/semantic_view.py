"""What the strategy ``semantic`` adds to ``topical-crawler topic explain``: the terms of Eq. 3 and Eq. 5 (Zhou et al. 2019)."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from topical_crawler.cli.terminal import table
from topical_crawler.cli.topic.judging import QUEUED, Judged, JudgedLink
from topical_crawler.strategies import BELOW_THRESHOLD
from topical_crawler.strategies.semantic.similarity import WordSimilarity
from topical_crawler.strategies.semantic.strategy import Semantic
from topical_crawler.text.segment import default_stopwords, normalise
from topical_crawler.web.page import Evidence, description_of

_MOST_WORDS = 20
_MOST_LISTED = 12


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


def take_apart(strategy: Semantic, similarity: WordSimilarity, text: str) -> TextView:
    """Take the sums of Eq. 3 over ``text`` apart.

    Args:
        strategy: for the topic.
        similarity: with the constants and resources that the strategy's table was made from.
        text: any.

    >>> from topical_crawler import strategies
    >>> strategy = strategies.create("operating-systems", "semantic", resources=None)
    >>> view = take_apart(strategy, WordSimilarity(), "一个进程可以有多个线程")
    >>> [(w.word, w.term, w.through, round(w.share, 2)) for w in view.words]
    [('进程', '进程', 'itself', 0.5), ('线程', '线程', 'itself', 0.5)]
    """
    words = strategy.segmenter.words(text)
    relevance = strategy.eq5.relevance(words)
    parts, unlike, silenced = [], [], []
    for word in words:
        weight, similar, term = strategy.eq5.factors(word)
        if not similar:
            unlike.append(word)
        elif not weight:
            silenced.append(word)
        else:
            part = weight * similar / len(words)
            parts.append(WordView(word, weight, similar, term, *_why(similarity, word, term), part, part / relevance))
    parts.sort(key=lambda p: -p.contribution)
    left_out: dict[str, dict[str, None]] = {}
    for word in strategy.segmenter.cut(text):
        if word not in words and any(c.isalnum() for c in word):
            left_out.setdefault(why_left_out(word), {})[word] = None
    return TextView(
        relevance, len(words), tuple(parts), tuple(unlike), tuple(silenced), {r: tuple(w) for r, w in left_out.items()}
    )


def _why(similarity: WordSimilarity, word: str, term: str) -> tuple[float, str]:
    """Sim of the two, and what it comes from."""
    if normalise(word) == normalise(term):
        return 1.0, "itself"
    values = (
        ("HowNet", similarity.sim_h(word, term), similarity.parameters.th2),
        ("vectors", similarity.sim_d(word, term), similarity.parameters.th1),
    )
    return similarity.sim(word, term), ", ".join(name for name, sim, threshold in values if 0 < sim >= threshold)


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


class SemanticView:
    """A judged page or text with the words of its description, or of itself, and of its main text."""

    def __init__(self, judged: Judged, strategy: Semantic, similarity: WordSimilarity) -> None:
        self._judged = judged
        self._strategy = strategy
        text = judged.main_text
        self._words = take_apart(strategy, similarity, description_of(judged.page) if judged.page else text)
        self._body = take_apart(strategy, similarity, text) if judged.page and text else None

    def show_words(self, out: Console, everything: bool) -> None:
        """Print the words of the description or the text, and what they add up to."""
        _show_words(out, "Words of the " + ("description" if self._judged.page else "text"), self._words, everything)

    def show_body(self, out: Console) -> None:
        """Print all words of the main text of a page, if it has one."""
        if self._body is not None:
            _show_words(out, "Words of the main text", self._body, everything=True)

    def priority_line(self) -> str:
        """Eq. 5 with the numbers of the page, and which links it queues."""
        eq5, parameters, verdict = self._strategy.eq5, self._strategy.parameters, self._judged.verdict
        rule = f"those above link_threshold {parameters.link_threshold:g}"
        if not verdict.keep:
            rule = "all, at a low place (tunnel)" if parameters.tunnel else "those with a topic term in their anchor"
        return (
            f"score = α {eq5.alpha:.3f}·parent {eq5.bound(verdict.link_relevance):.3g} + β {eq5.beta:.3f}·anchor "
            f"+ λ {eq5.lam:.3f}·struct; queued: {rule}"
        )

    def figures(self) -> dict[str, Any]:
        """What a program is told beside the figures of every strategy."""
        eq5, parameters = self._strategy.eq5, self._strategy.parameters
        return {
            **dataclasses.asdict(self._words),
            "text": (dataclasses.asdict(self._body) if self._body else {}) | {"text_threshold": parameters.text_threshold},
            "alpha": eq5.alpha,
            "beta": eq5.beta,
            "lambda": eq5.lam,
            "link_threshold": parameters.link_threshold,
        }

    def link_figures(self, link: JudgedLink) -> dict[str, Any]:
        """The parts of a link's priority as Eq. 5 takes them: of the anchor, of the page that holds it, Algorithm 3; queued or
        not."""
        assert self._judged.page is not None
        strategy, verdict = self._strategy, self._judged.verdict
        evidence = Evidence(self._judged.page.url, verdict.link_relevance, verdict.keep, link.anchor)
        parts = strategy.parts(link.url, evidence)
        return {
            "of_anchor": parts["anchor"],
            "of_parent": parts["parent"],
            "struct": parts["struct"],
            "priority": strategy.priority(link.url, evidence),
            "refused": "" if link.decision in (QUEUED, BELOW_THRESHOLD, strategy.drop_reason) else link.decision,
        }


def _show_words(out: Console, title: str, view: TextView, everything: bool) -> None:
    out.print(
        f"\n[bold]{title}[/]: {view.counted} count, {len(view.words)} are like a topic term; "
        f"Σ w_d·Σ w_t·Sim² / {view.counted} = {view.relevance:.4g}"
    )
    shown = view.words if everything else view.words[:_MOST_WORDS]
    rows = []
    for w in shown:
        numbers = f"{w.weight:.2f}", f"{w.similar:.2f}", f"{w.contribution:.4f}", f"{w.share:.0%}"
        rows.append((w.word, w.term, f"{w.sim:.2f}", w.through, *numbers))
    if rows:
        out.print(table(("word", "nearest term", "Sim", "through", ">w_d", ">Σ w_t·Sim²", ">part", ">share"), rows, plain=True))
    if len(view.words) > len(shown):
        out.print(f"… and {len(view.words) - len(shown)} more (--all)", style="dim")
    for what, words, most in (
        ("like no topic term; they dilute the others", view.unlike, _MOST_LISTED),
        ("weigh 0 (adjust.tsv)", view.silenced, _MOST_LISTED),
        *((f"do not count, {reason}", words, 0) for reason, words in view.left_out.items()),
    ):
        if words:
            listed = words if everything else words[:most]
            more = " …" if 0 < len(listed) < len(words) else ""
            out.print(f"{len(words)} {what}{': ' if listed else ''}{' '.join(listed)}{more}", style="dim", markup=False)
