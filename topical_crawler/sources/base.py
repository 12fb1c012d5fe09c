"""What every reader of texts gives: documents, one after the other, and an account of what it left out."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

_UNREADABLE = re.compile("[\0-\x08\x0e-\x1f\x7f\ufffd]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_TOLERATED = 0.01


class SourceError(ValueError):
    """Texts cannot be read. The message names the file, the place and the remedy."""


@dataclass(frozen=True, slots=True)
class Document:
    """One text.

    Attributes:
        text: as it stands in the source, paragraphs on lines of their own; never empty. Traditional characters stay.
        title: "" where the source has none.
        url: address of the original; "" where the source has none.
        fields: whatever else the source says of it: all further fields of a JSONL record, ``file`` of a text file (its path
            below the folder), ``id`` of a Wikipedia page, ``date``, ``host``, ``relevance`` … of a collected page.
    """

    text: str
    title: str = ""
    url: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)


class Source(ABC):
    """Documents in a fixed order, read as they are asked for; every ``iter()`` starts anew.

    A document that cannot be used (empty, a redirect, undecodable, …) is left out and counted in ``skipped``. Structural damage
    (a file cut off, XML or a JSONL line that cannot be parsed) is a :class:`SourceError`, raised after everything before it has
    been given; a tolerant source counts it too and goes on, or ends where nothing further can be read.

    Attributes:
        kind: ``wikipedia``, ``jsonl``, ``text`` or ``corpus``.
        path: as it was given.
        tolerant: whether structural damage is only counted.
        skipped: what was left out, by reason; of the iteration that began last, as far as it has come.
        done: part that has been read, 0 to 1; of the same.
    """

    kind: ClassVar[str]

    def __init__(self, path: Path, *, tolerant: bool = False) -> None:
        self.path = path
        self.tolerant = tolerant
        self.skipped: Counter[str] = Counter()
        self.done = 0.0

    def __iter__(self) -> Iterator[Document]:
        self.skipped = Counter()
        self.done = 0.0
        return self._read()

    def _read(self) -> Iterator[Document]:
        try:
            yield from self._documents()
        except OSError as error:
            what = f"{error.filename or self.path}: {error.strerror}"
            raise SourceError(f"{what}. Remedy: see that it is there, may be read, and that its disk is sound") from None
        self.done = 1.0

    @abstractmethod
    def _documents(self) -> Iterator[Document]:
        """The documents; keeps ``skipped`` and ``done``, and reports structural damage with :meth:`_damage`."""

    def _damage(self, reason: str, message: str) -> None:
        """Structural damage: counted under ``reason`` where the source is tolerant.

        Raises:
            SourceError: with ``message``, where the source is not tolerant.
        """
        if not self.tolerant:
            raise SourceError(message)
        self.skipped[reason] += 1


def flaw(text: str) -> str:
    """Why ``text`` is no use: ``empty``, ``undecodable`` (more than one character in a hundred is a control or replacement
    character, or one is half of a surrogate pair); "" where it is good.

    >>> flaw("党建"), flaw(" "), flaw("\ufffd\ufffd党建")
    ('', 'empty', 'undecodable')
    """
    if not text or text.isspace():
        return "empty"
    if _SURROGATE.search(text) or len(_UNREADABLE.findall(text)) > _TOLERATED * len(text):
        return "undecodable"
    return ""
