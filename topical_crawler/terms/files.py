"""The files of a topic folder as a build writes them: terms.tsv, weights.tsv, adjust.tsv."""

from __future__ import annotations

import math

from topical_crawler.terms.build import YOURS, Adjustment, Built, Plan, Term
from topical_crawler.terms.folder import ADJUST, Present, Written, merge
from topical_crawler.text import normalise
from topical_crawler.topic_files import MEAN

PROPOSED = "proposed"
"""Begins the reason of an adjustment that no person has made."""


def terms_file(present: Present, built: Built, made: str) -> tuple[str, Written]:
    """``terms.tsv``: a person's lines, those without a weight completed, then what was chosen, heaviest first."""
    background = "general Chinese" if built.general else f"{built.background_documents} of the background"
    head = [
        made,
        f"# w = f/N · ln(N/N_i) (Zhou et al. 2019, Eq. 2) over {built.documents} documents, held against {background}.",
        "# Yours to edit: a line that you add or change stays, a term that you delete does not come back.",
        "# Term, weight (none: the mean), where it comes from with its figures: occurrences, contrast, G², cohesion.",
    ]
    lines = {t.word: f"{t.word}\t{_weight(t.weight)}\t{_figures(t)}" for t in built.terms}
    weights = {t.word: t.weight for t in built.terms}
    notes = {w: c[2].strip() for line in present.kept if len(c := line.split("\t")) > 2 and (w := normalise(c[0].strip()))}
    completed = {
        w: f"{w}\t{_weight(weights[w])}\t{notes.get(w) or YOURS}"
        for w in present.open
        if not math.isnan(weights.get(w, math.nan))
    }
    return merge(present, head, lines, completed)


def _figures(term: Term) -> str:
    cohesion = "" if math.isnan(term.cohesion) else f" cohesion={term.cohesion:.2f}"
    return f"{term.source} n={term.count} contrast={term.contrast:.3g} G²={term.likelihood:.0f}{cohesion}"


def weights_file(built: Built, plan: Plan, made: str) -> tuple[str, Written]:
    """``weights.tsv``: nothing in it is a person's."""
    head = [
        made,
        f"# Words that are no terms, with {plan.min_count} occurrences or more; any other word weighs the mean over all words.",
        f"# Made anew by every build: your own weights belong in {ADJUST}.",
    ]
    lines = {w: f"{w}\t{_weight(weight)}" for w, weight in ((MEAN, built.mean), *built.weights)}
    return merge(Present((), (), (), (), {}), head, lines)


def adjust_file(present: Present, built: Built, made: str) -> tuple[str, Written]:
    """``adjust.tsv``: a person's lines, then the proposals, but for words that a person took out before."""
    head = [
        made,
        f"# Lines with {PROPOSED!r} are proposals, in force until you change or delete them: words heavy by Eq. 2 that",
        "# the background has, too. Every build makes them anew; your own lines and changes stay, what you delete stays out.",
    ]
    lines = {a.word: f"{a.word}\t{_weight(a.weight)}\t{_reason(a)}" for a in built.adjustments if a.word not in present.deleted}
    return merge(present, head, lines)


def _reason(adjustment: Adjustment) -> str:
    return (
        f"{PROPOSED}: Eq. 2 gives {adjustment.by_eq2:.3g}; in {adjustment.in_domain:.1%} of the domain's documents, "
        f"{adjustment.in_background:.1%} of the background's"
    )


def _weight(weight: float) -> str:
    return "" if math.isnan(weight) else f"{weight:.6g}"
