"""What a paper says of its figures, held against ours: whether it holds here, with the numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

FORMS = {
    "books": ".0f",
    "relevant texts": ".0f",
    "pages fetched": ",.0f",
    "mean relevance": ".3f",
    "harvest rate": ".2%",
}
"""How numbers are written that are no shares, or small ones."""


@dataclass(frozen=True, slots=True)
class Row:
    """A number of ours, with the paper's beside it.

    Attributes:
        item: figure or table of the paper.
        quantity: what the number is.
        pages: after which it was taken; 0: where that says itself from the item.
        topic: its name, or ``mean``.
        method: its name.
        printed: what the paper prints, as it stands there; "": nothing.
        ours: the number.
    """

    item: str
    quantity: str
    pages: int
    topic: str
    method: str
    printed: str
    ours: float

    @property
    def written(self) -> str:
        """Our number as people read it."""
        return in_words(self.quantity, self.ours)


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim with its verdict: what of the paper it is about, one sentence, whether it holds here."""

    item: str
    sentence: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Claim(ABC):
    """Something said of a quantity after so many pages; see :class:`Row`."""

    item: str
    quantity: str
    pages: int

    @abstractmethod
    def check(self, rows: Sequence[Row], topic: str) -> Finding:
        """The verdict.

        Args:
            rows: of the paper; those that the claim is about are among them.
            topic: whose figures decide, ``mean`` or the only topic; where it is the mean, the topics are counted beside.
        """

    def _of(self, rows: Sequence[Row], method: str) -> dict[str, float]:
        """Our figures of a method by topic."""
        wanted = (self.item, self.quantity, self.pages, method)
        return {r.topic: r.ours for r in rows if (r.item, r.quantity, r.pages, r.method) == wanted}

    def _where(self) -> str:
        return f"{self.quantity} at {self.pages:,} pages" if self.pages else self.quantity


@dataclass(frozen=True, slots=True)
class Order(Claim):
    """One method is above another.

    Attributes:
        first, second: names of methods.
        equal: whether being equal is enough.
        margin: by how much, as a part of the second's figure.

    >>> rows = [Row("Figure 5", "harvest rate", 500, "mean", m, "", x) for m, x in (("esvsm", 0.5), ("vsm", 0.4))]
    >>> Order("Figure 5", "harvest rate", 500, "esvsm", "vsm").check(rows, "mean").sentence
    'esvsm > vsm in harvest rate at 500 pages: holds, 50.00% against 40.00%'
    """

    first: str
    second: str
    equal: bool = False
    margin: float = 0.0

    def check(self, rows: Sequence[Row], topic: str) -> Finding:
        first, second = self._of(rows, self.first), self._of(rows, self.second)
        holds = self._holds(first[topic], second[topic])
        sign = f"at least {self.margin:.0%} above" if self.margin else "≥" if self.equal else ">"
        numbers = f"{in_words(self.quantity, first[topic])} against {in_words(self.quantity, second[topic])}"
        if self.margin and second[topic]:
            numbers += f" ({first[topic] / second[topic] - 1:+.0%})"
        others = [t for t in first if t != topic]
        counted = f"; in {sum(self._holds(first[t], second[t]) for t in others)} of {len(others)} topics" if others else ""
        said = f"{self.first} {sign} {self.second} in {self._where()}: {_verdict(holds)}, {numbers}{counted}"
        return Finding(self.item, said, holds)

    def _holds(self, first: float, second: float) -> bool:
        if self.margin:
            return first >= second * (1 + self.margin) and first > second
        return first > second or (self.equal and first == second)


@dataclass(frozen=True, slots=True)
class Least(Claim):
    """A method is above a number.

    >>> rows = [Row("Figure 6", "mean relevance", 500, "mean", "esvsm", "", 0.5)]
    >>> Least("Figure 6", "mean relevance", 500, "esvsm", 0.85).check(rows, "mean").sentence
    'esvsm above 0.850 in mean relevance at 500 pages: does not hold, 0.500'
    """

    method: str
    least: float

    def check(self, rows: Sequence[Row], topic: str) -> Finding:
        found = self._of(rows, self.method)
        holds = found[topic] > self.least
        others = [t for t in found if t != topic]
        counted = f"; in {sum(found[t] > self.least for t in others)} of {len(others)} topics" if others else ""
        least, ours = in_words(self.quantity, self.least), in_words(self.quantity, found[topic])
        return Finding(self.item, f"{self.method} above {least} in {self._where()}: {_verdict(holds)}, {ours}{counted}", holds)


def in_words(quantity: str, value: float) -> str:
    """A number as people read it: shares in per cent.

    >>> in_words("books", 501.0), in_words("precision", 0.628)
    ('501', '62.8%')
    """
    return format(value, FORMS.get(quantity, ".1%"))


def _verdict(holds: bool) -> str:
    return "holds" if holds else "does not hold"
