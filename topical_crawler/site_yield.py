"""What a download brings: clean characters on topic per downloaded megabyte, of a site or of all."""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 1_000_000
"""Bytes."""


def density(characters: int, size: int) -> float:
    """Characters for a downloaded megabyte; 0 if nothing was downloaded.

    Args:
        characters: of the clean texts of what was kept.
        size: bytes of all that was downloaded for them, also of what was rejected.

    >>> density(len("全面从严治党") * 1000, 1_500_000)
    4000.0
    """
    return characters * MEGABYTE / size if size else 0.0


@dataclass(slots=True)
class Yield:
    """What came of some pages.

    Attributes:
        pages: that were fetched.
        kept: of them, put into the corpus.
        size: bytes of the bodies of them all, also of the rejected ones, unpacked.
        characters: of the clean texts of those that were kept.
        seconds: from the requests to the answers, added up.
    """

    pages: int = 0
    kept: int = 0
    size: int = 0
    characters: int = 0
    seconds: float = 0.0

    @property
    def harvest_rate(self) -> float:
        """Kept pages among the fetched ones, 0 to 1, also where a second look keeps pages of an earlier run; 0 if none was
        fetched."""
        return min(1.0, self.kept / self.pages) if self.pages else 0.0

    @property
    def megabytes(self) -> float:
        """Downloaded megabytes of :data:`MEGABYTE`."""
        return self.size / MEGABYTE

    @property
    def density(self) -> float:
        """See :func:`density`."""
        return density(self.characters, self.size)

    def add(self, other: Yield) -> None:
        """Count further pages."""
        self.pages += other.pages
        self.kept += other.kept
        self.size += other.size
        self.characters += other.characters
        self.seconds += other.seconds
