"""Which documents are of the domain and which of the background, out of one labelled file or of several sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from topical_crawler.sources import Condition, Source, open_source

Progress = Callable[[str, float], None]
"""Called with what is being done and the part of it that is done, 0 to 1."""


@dataclass(frozen=True)
class Corpora:
    """Domain and background.

    Attributes:
        corpus: sources of the domain.
        background: sources of the background; empty: those of ``corpus`` where ``against`` is given, else there is none.
        domain: documents of ``corpus`` that belong to the domain; None: all.
        against: documents that belong to the background; None: all of ``background``.

    A document of the domain is never one of the background.
    """

    corpus: Sequence[Path]
    background: Sequence[Path] = ()
    domain: Condition | None = None
    against: Condition | None = None

    @property
    def has_background(self) -> bool:
        return bool(self.background or self.against)

    def domain_texts(self, progress: Progress, what: str) -> Iterator[str]:
        """Texts of the domain.

        Raises:
            SourceError: a source cannot be read.
        """
        for source in _opened(self.corpus):
            for document in source:
                progress(f"{what} ({source.path.name})", source.done)
                if self.domain is None or self.domain.holds(document.fields):
                    yield document.text

    def background_texts(self, progress: Progress, what: str) -> Iterator[str]:
        """Texts of the background.

        Raises:
            SourceError: a source cannot be read.
        """
        own = {path.expanduser().resolve() for path in self.corpus}
        for source in _opened(self.background or (self.corpus if self.against else ())):
            shared = source.path.expanduser().resolve() in own
            for document in source:
                progress(f"{what} ({source.path.name})", source.done)
                of_domain = shared and (self.domain is None or self.domain.holds(document.fields))
                if not of_domain and (self.against is None or self.against.holds(document.fields)):
                    yield document.text

    def describe(self) -> str:
        """As the options of the command say it."""
        said = ["--corpus", *(path.name for path in self.corpus)]
        said += ["--domain", str(self.domain)] if self.domain else []
        said += ["--background", *(path.name for path in self.background)] if self.background else []
        said += ["--against", str(self.against)] if self.against else []
        return " ".join(said)


def _opened(paths: Sequence[Path]) -> list[Source]:
    return [open_source(path) for path in paths]
