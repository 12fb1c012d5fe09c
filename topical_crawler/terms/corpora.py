"""Which documents are of the domain and which of the background, out of one labelled file or of several sources.

>>> Condition.parse("party=2").holds({"party": 2, "title": "通知"})
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from topical_crawler.sources import Source, open_source

Progress = Callable[[str, float], None]
"""Called with what is being done and the part of it that is done, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A field and the value that it is to have; values are compared as text."""

    field: str
    value: str

    @classmethod
    def parse(cls, text: str) -> Condition:
        """``FIELD=VALUE``.

        Raises:
            ValueError: it does not have this form.
        """
        field, sign, value = text.partition("=")
        if not (sign and field):
            raise ValueError(f"{text!r}: FIELD=VALUE is expected. Remedy: e.g. party=2")
        return cls(field, value)

    def holds(self, fields: Mapping[str, Any]) -> bool:
        """Whether the field is there with this value; a list must hold it."""
        found = fields.get(self.field)
        if isinstance(found, list | tuple):
            return self.value in map(str, found)
        return found is not None and str(found) == self.value

    def __str__(self) -> str:
        return f"{self.field}={self.value}"


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
