"""The scalar figures of a crawl as people read them: their heads in a table, what they mean, how they are written."""

from __future__ import annotations

from dataclasses import dataclass

from topical_crawler.evaluation.comparison import CHECKPOINTS


@dataclass(frozen=True, slots=True)
class FigureName:
    """A column of a table.

    Attributes:
        head: short name.
        meaning: one sentence.
        form: how its numbers are written, as ``format`` has it.
        best: whether the greatest value is the best one.
    """

    head: str
    meaning: str
    form: str
    best: bool = True


FIGURES: dict[str, FigureName] = {
    "area": FigureName(
        "area", "area under recall over pages; 1 when every page is a new relevant text until none is left", ".3f"
    ),
    **{
        f"recall_{k}": FigureName(f"recall @{k:,}", f"share of the relevant texts reached after {k:,} pages", ".1%")
        for k in CHECKPOINTS
    },
    "recall": FigureName("recall", "share of the relevant texts reached within the budget, kept or not", ".1%"),
    "harvest_rate": FigureName("harvest", "harvest rate: relevant texts reached per page fetched", ".1%"),
    "mean_relevance": FigureName("relevance", "mean over the fetched texts by label: on topic 1, mixed ½, off topic 0", ".3f"),
    "fetched_precision": FigureName("P fetched", "share of the fetched texts that are relevant, mixed ones left out", ".1%"),
    "fetched_f": FigureName("F fetched", "harmonic mean of that precision and of recall", ".1%"),
    "kept": FigureName("kept", "texts kept, copies once, mixed ones left out, and kept pages that are no text", ".0f", False),
    "kept_precision": FigureName("P kept", "share of what is kept that is a relevant text", ".1%"),
    "kept_recall": FigureName("R kept", "share of the relevant texts that are kept", ".1%"),
    "kept_f": FigureName("F kept", "harmonic mean of the two", ".1%"),
    "hosts": FigureName("hosts", "hosts of which a page was fetched", ".0f", False),
    "relevant_hosts": FigureName("with texts", "hosts of which a relevant text was fetched", ".0f"),
    "relevant": FigureName("relevant", "relevant texts reached", ".0f"),
    "pages": FigureName("pages", "pages fetched", ".0f", False),
}
"""By their names in :meth:`~topical_crawler.evaluation.comparison.RunFigures.scalars`, in the order of a table."""


def written(value: float, form: str) -> str:
    """A figure as it stands in a table; a small mean of whole numbers with one decimal where it is none itself.

    >>> written(374.4, ".0f"), written(13.4, ".0f"), written(13.0, ".0f"), written(0.5, ".1%")
    ('374', '13.4', '13', '50.0%')
    """
    is_small_mean = form == ".0f" and abs(value) < 100 and abs(value - round(value)) > 1e-9
    return format(value, ".1f" if is_small_mean else form)
