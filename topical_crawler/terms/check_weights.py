"""What a topic's weights and thresholds come to: which terms carry the relevance, and what it takes to pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median

from topical_crawler.ahp import MAX_INCONSISTENCY, consistency_ratio
from topical_crawler.strategies.semantic import Semantic
from topical_crawler.terms.findings import ADJUST, CONFIG, TERMS, WEIGHTS, Finding, TopicLines
from topical_crawler.topic import Topic
from topical_crawler.topic_files import MEAN

TITLE = 10
"""Content words of a title of usual length (18 to 25 characters)."""
LENGTHS = (5, TITLE, 20, 40)
"""Content words of a short title, a title, a title with keywords, a whole description."""
_DOMINATES = 0.2
"""Share of Σ w² that is much for a term, or three times its even share among few."""
_FEW_TERMS = 5


@dataclass(frozen=True, slots=True)
class Figures:
    """What a topic's numbers come to.

    Attributes:
        weights: lightest, median and heaviest term, with their weights.
        single: for each of these, by number of words in a text, the relevance that the term alone gives: w²/M (Eq. 3).
        half: the smallest number of terms with half of Σ w².
        top: the heaviest terms with their shares of Σ w².
        page_threshold, link_threshold, text_threshold: of the topic.
        alpha, beta, lam: of Eq. 5.
        consistency: ratio of the comparison matrix.
        anchor_needed: by struct, the Rel(anchor) above which a link is queued on a page just above the page threshold.
    """

    weights: Mapping[str, tuple[str, float]]
    single: Mapping[str, Mapping[int, float]]
    half: int
    top: tuple[tuple[str, float], ...]
    page_threshold: float
    link_threshold: float
    text_threshold: float
    alpha: float
    beta: float
    lam: float
    consistency: float
    anchor_needed: Mapping[int, float]


def figures(strategy: Semantic) -> Figures:
    """The figures of a topic, by its strategy."""
    terms = strategy.topic.terms
    p = strategy.parameters
    ordered = sorted(terms, key=lambda t: (terms[t], t))
    middle = median(terms.values())
    chosen = {"lightest": ordered[0], "median": min(ordered, key=lambda t: abs(terms[t] - middle)), "heaviest": ordered[-1]}
    squares = {t: terms[t] ** 2 for t in strategy.topic.keywords(len(terms))}
    total = sum(squares.values())
    half, reached = 0, 0.0
    for square in squares.values():
        half, reached = half + 1, reached + square
        if reached >= total / 2:
            break
    return Figures(
        weights={name: (t, terms[t]) for name, t in chosen.items()},
        single={name: {m: terms[t] ** 2 / m for m in LENGTHS} for name, t in chosen.items()},
        half=half,
        top=tuple((t, square / total) for t, square in list(squares.items())[:10]),
        page_threshold=p.page_threshold,
        link_threshold=p.link_threshold,
        text_threshold=p.text_threshold,
        alpha=strategy.alpha,
        beta=strategy.beta,
        lam=strategy.lam,
        consistency=consistency_ratio(p.comparisons),
        anchor_needed={
            struct: max(0.0, (p.link_threshold - strategy.alpha * p.page_threshold - strategy.lam * struct) / strategy.beta)
            for struct in (1, 0)
        },
    )


def check_weights(topic: Topic, found: Figures, floor: float, lines: TopicLines) -> Iterator[Finding]:
    """Weights that dominate, are 0, lie at the floor, or are missing.

    Args:
        topic: whose weights they are.
        found: its figures.
        floor: ``weight_floor`` of its topic.toml.
        lines: of the topic.
    """
    n = len(topic.terms)
    if n < _FEW_TERMS:
        message = f"{n} terms only: most pages of the topic hold none of them"
        yield Finding("warning", "weights", message, "Add terms to terms.tsv", TERMS)
    most = max(_DOMINATES, 3 / n)
    heavy = [t for t, share in found.top if share > most]
    if heavy:
        shares = ", ".join(f"{t} {share:.0%}" for t, share in found.top if share > most)
        yield Finding(
            "warning",
            "weights",
            f"a term carries more than {most:.0%} of Σ w² over all {n} terms: {shares}",
            "Set a lower weight in adjust.tsv",
            TERMS,
            words=lines.located(heavy),
        )
    zero = [t for t in lines.words[TERMS] if t not in topic.terms]
    if zero:
        by_hand = sum(t in lines.words[ADJUST] for t in zero)
        yield Finding(
            "note",
            "weights",
            f"terms that weigh 0 and are none: {len(zero)}, {by_hand} of them by adjust.tsv",
            "",
            TERMS,
            words=lines.located(zero),
        )
    low = [t for t, w in topic.terms.items() if w == floor and t not in lines.words[ADJUST]]
    if floor and low:
        severity = "warning" if len(low) == n else "note"
        yield Finding(
            severity,  # type: ignore[arg-type]
            "weights",
            f"terms that weight_floor {floor:g} holds: {len(low)} of {n} weigh the same",
            "Lower weight_floor, if rare terms should count for less",
            CONFIG,
            lines.config(topic, "weight_floor"),
        )
    if len(set(topic.terms.values())) == 1 and n > 1 and not floor:
        yield Finding(
            "note",
            "weights",
            "all terms weigh the same",
            "scrapy topic build computes weights from a domain corpus (Eq. 2), where you have one",
            TERMS,
        )
    if lines.words[WEIGHTS] and MEAN not in lines.words[WEIGHTS]:
        yield Finding(
            "note", "weights", f"no line {MEAN}: the mean of the words listed stands for that of the corpus", "", WEIGHTS
        )


def check_thresholds(topic: Topic, found: Figures, lines: TopicLines) -> Iterator[Finding]:
    """Thresholds that let everything or next to nothing pass, and what a single term in a title comes to."""
    threshold, single = found.page_threshold, found.single

    def about(severity: str, key: str, message: str, remedy: str = "") -> Finding:
        line = lines.config(topic, key)
        return Finding(severity, "thresholds", message, remedy, CONFIG, line if line > 1 else 0)  # type: ignore[arg-type]

    middle, heavy = single["median"][TITLE], single["heaviest"][TITLE]
    is_enough = "is" if middle > threshold else "is not"
    yield about(
        "note",
        "page_threshold",
        f"a title of {TITLE} words with one term of median weight scores {middle:.3g}: "
        f"{'above' if middle > threshold else 'not above'} page_threshold {threshold:g}, so one term {is_enough} enough",
    )
    if threshold == 0:
        yield about(
            "warning", "page_threshold", "page_threshold is 0: any word that is a little like a term is enough", "Raise it"
        )
    elif heavy <= threshold:
        yield about(
            "warning",
            "page_threshold",
            f"even the heaviest term alone ({found.weights['heaviest'][0]}) scores {heavy:.3g} in a title of {TITLE} words, "
            f"not above page_threshold {threshold:g}",
            "Lower page_threshold, unless only titles with several terms are meant to pass",
        )
    elif single["lightest"][max(LENGTHS)] > threshold:
        yield about(
            "warning",
            "page_threshold",
            f"the lightest term ({found.weights['lightest'][0]}) alone, among {max(LENGTHS)} words, scores "
            f"{single['lightest'][max(LENGTHS)]:.3g}, above page_threshold {threshold:g}: every page that holds a term passes",
            "Raise page_threshold, or lower the weights of general terms in adjust.tsv",
        )
    if found.anchor_needed[1] == 0:
        yield about(
            "note",
            "link_threshold",
            f"every link of a page on topic is queued where URLs look alike (struct 1), whatever its anchor says: "
            f"α·{threshold:g} + λ is not below link_threshold {found.link_threshold:g}",
            "Raise link_threshold, if that fetches too much",
        )
    if found.text_threshold == 0:
        message = "text_threshold is 0: main texts are not looked at, lists of titles and short notices stay"
        yield about("note", "text_threshold", message, "Set it, e.g. text_threshold = 0.01, after a look at topic explain --body")
    if found.consistency > MAX_INCONSISTENCY / 2:
        yield about(
            "note",
            "comparisons",
            f"the comparisons contradict each other a little: consistency ratio {found.consistency:.3f}, allowed "
            f"{MAX_INCONSISTENCY}",
            "If a is x times b and b is y times c, a should be about x·y times c",
        )
