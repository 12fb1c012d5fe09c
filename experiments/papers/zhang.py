"""Figures 3-5 of Zhang et al. on a recorded bookshop: precision, recall and F over books, and how many books were collected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from experiments.comparison import REDIRECTED, Quality
from experiments.papers.experiment import (
    BOOK_STEP,
    BOOKS,
    MOST_BOOKS,
    PLAIN,
    ZHANG,
    Chart,
    Crawls,
    Curves,
    Labels,
    Measurement,
    Reproduction,
    rows_of,
    zhang_claims,
)
from topical_crawler.corpus.dedup import DUPLICATE
from topical_crawler.corpus.record import Record
from topical_crawler.evaluation.metrics import TextCollection, relevant_texts
from topical_crawler.web.urls import fingerprint

_TOPIC = ZHANG.topics[0].name
_FIGURES: Mapping[str, tuple[str, Callable[[Quality], float]]] = {
    "Figure 3": ("precision", lambda quality: quality.precision),
    "Figure 4": ("recall", lambda quality: quality.recall),
    "Figure 5": ("F", lambda quality: quality.f),
}


@dataclass(frozen=True, slots=True)
class Books:
    """What a crawl of a bookshop has.

    Attributes:
        collected: books that were collected, of whatever grade.
        curve: quality of what was collected after 0, 1, 2, … fetched pages of books; their number is its ``pages``.
    """

    collected: int
    curve: Sequence[Quality]

    @property
    def pages(self) -> int:
        """Pages of books that were fetched."""
        return len(self.curve) - 1

    def after_fetching(self, pages: int) -> Quality:
        """When so many pages of books were fetched, or at the end."""
        return self.curve[min(pages, self.pages)]

    def after_collecting(self, books: int) -> Quality | None:
        """When so many books were collected; None: there never were so many."""
        return next((quality for quality in self.curve if quality.collected >= books), None)


def collect_books(records: Iterable[Record], labels: Labels, everything: bool = False) -> Books:
    """Follow a crawl book by book. A book is collected (the paper's *downloaded books*) when its page was fetched and is kept.

    Copies of one book count once. Books of grade 1 are left out of precision and recall; pages that are no book, too.

    Args:
        records: of the crawl in the order of fetching, rejected pages too.
        labels: of the shop; what is a text there is a book.
        everything: whether every fetched book is collected, as by a plain crawler.
    """
    there, books = relevant_texts(labels), TextCollection()
    curve, collected = [Quality(0, 0, 0, 0, there)], set()
    for record in records:
        label = labels.get(fingerprint(record.url))
        if label is None or not label.is_text or record.reason == REDIRECTED:
            continue
        keep = everything or record.keep
        books.add(label, keep, keep or record.reason == DUPLICATE)
        if keep:
            collected.add(label.doc)
        curve.append(Quality.of(books, len(curve), there))
    return Books(len(collected), curve)


def reproduce(crawls: Crawls, labels: Labels) -> Reproduction:
    """The figures, the numbers of books, and whether what the paper says of them holds.

    Args:
        crawls: of :data:`~experiments.papers.experiment.ZHANG`.
        labels: of the shop.
    """
    books = {m.name: collect_books(crawls[_TOPIC, m.name], labels, m.name == PLAIN) for m in ZHANG.methods}
    judging = {name: found for name, found in books.items() if name != PLAIN}
    last = min(MOST_BOOKS, BOOK_STEP * max(1, -(-max(b.pages for b in books.values()) // BOOK_STEP)))
    steps = range(BOOK_STEP, last + 1, BOOK_STEP)
    rows: list[Measurement] = []
    charts = []
    for figure, (quantity, value) in _FIGURES.items():
        curves: Curves = {name: [(k, value(b.after_fetching(k))) for k in steps] for name, b in judging.items()}
        rows += rows_of(figure, quantity, {_TOPIC: curves}, {})
        rows += [
            Measurement(f"{figure}, by books collected", quantity, k, _TOPIC, name, "", value(quality))
            for name, b in judging.items()
            for k in steps
            if (quality := b.after_collecting(k)) is not None
        ]
        key = f"zhang-{figure.lower().replace(' ', '-')}"
        title = f"{figure}: {quantity} of the books collected"
        charts.append(Chart(key, title, "pages of books fetched", quantity, {_TOPIC: curves}))
    rows += _counts(books)
    findings = [claim.check(rows, _TOPIC) for claim in zhang_claims(last)]
    return Reproduction(ZHANG.name, ZHANG.paper, _notes(books), charts, rows, findings)


def _counts(books: Mapping[str, Books]) -> list[Measurement]:
    """Books collected, and what part that is of the plain crawler's."""
    item, rows = "Section 5.4", []
    for name, found in books.items():
        printed, ours = BOOKS[name] / BOOKS[PLAIN], found.collected / max(1, books[PLAIN].collected)
        rows.append(Measurement(item, "books", 0, _TOPIC, name, str(BOOKS[name]), found.collected))
        rows.append(Measurement(item, "part of the plain crawler's books", 0, _TOPIC, name, f"{printed:.1%}", ours))
    return rows


def _notes(books: Mapping[str, Books]) -> list[str]:
    plain = books[PLAIN]
    return [
        "A book is collected when its page (title, introduction) was fetched and the method keeps it; the plain crawler keeps "
        "all. Other pages count for nothing. Books that are partly on topic (grade 1) are left out of precision and recall.",
        f"The shop has {plain.curve[0].available} books on topic; recall is the part of them that was collected. The plain "
        f"crawler, which follows every link, came by {plain.collected} books (the paper's: {BOOKS[PLAIN]}).",
        "The paper draws its figures over the first 500 books collected, each a page. Here the axis is pages of books fetched, "
        "on which every method has all points; a method that has fetched all it wants stays where it is. 'By books collected' "
        "are the figures of the paper's axis, as far as a method collects so many books of this smaller shop.",
        "No number of Figures 3-5 is printed. The text says that ODP2EVSM is clearly above both baselines in all three.",
    ]
