"""A known entry while a batch of links is pushed to the SQLite frontier: what is stored, and what the batch makes of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from json.encoder import encode_basestring as _quote
from typing import Any

from topical_crawler.frontier.base import MAX_EVIDENCE, Entry, Pushed, State
from topical_crawler.frontier.rules import gained
from topical_crawler.page import Evidence


class Row:
    """One row of the table of entries.

    Evidence stays JSON text: ``evidence`` is its pieces, joined by commas, and ``parents`` their number. To find out whether
    a parent is known takes no parsing: a piece begins with ``["parent",`` and quotation marks within a string are escaped.
    """

    __slots__ = ("dropped", "entry", "evidence", "host", "is_new", "moved", "number", "parents", "priority", "state", "touched")

    def __init__(
        self, number: int, state: int, host: str, priority: float, parents: int, evidence: str, dropped: str | None
    ) -> None:
        self.number, self.state, self.host, self.priority = number, state, host, priority
        self.parents, self.evidence, self.dropped = parents, evidence, dropped
        self.entry: Entry | None = None  # the push whose address, depth and meta hold: of a new or revived entry
        self.is_new = False
        self.moved = False  # has a new place among those that wait
        self.touched = False  # has new evidence

    @classmethod
    def of(cls, entry: Entry, number: int, result: Pushed) -> Row:
        """The row of an entry seen for the first time."""
        evidence = gained((), entry.evidence)
        state = State.WAITING if entry.dropped is None else State.DROPPED
        row = cls(number, state, entry.host, entry.priority, len(evidence), pack(evidence), entry.dropped)
        row.entry, row.is_new, row.moved = entry, True, entry.dropped is None
        if entry.dropped is None:
            result.new += 1
        else:
            result.dropped[entry.dropped] = result.dropped.get(entry.dropped, 0) + 1
        return row

    def meet(self, entry: Entry, result: Pushed) -> None:
        """The entry is found again (see ``Frontier.push``)."""
        changed = False
        if self.state in (State.WAITING, State.DROPPED):
            changed = self._gain(entry.evidence)
            if self.state == State.WAITING:
                if entry.priority > self.priority:
                    self.priority, self.moved = entry.priority, True
            elif entry.dropped is None:
                self.state, self.dropped, self.entry = State.WAITING, None, entry
                self.host, self.priority = entry.host, entry.priority
                self.moved = changed = True
        result.raised += changed
        result.known += not changed

    def _gain(self, found: Iterable[Evidence]) -> bool:
        before = self.parents
        for evidence in found:
            if self.parents >= MAX_EVIDENCE:
                break
            if f"[{_quote(evidence.parent)}," not in self.evidence:
                piece = pack((evidence,))
                self.evidence = f"{self.evidence},{piece}" if self.evidence else piece
                self.parents += 1
        self.touched = self.touched or self.parents > before
        return self.parents > before

    def address(self) -> tuple[str, int, int, str | None]:
        """URL, depth, times put back and meta of a new or revived entry."""
        assert self.entry is not None
        return self.entry.url, self.entry.depth, self.entry.rescored, pack_meta(self.entry.meta)


def pack(evidence: Iterable[Evidence]) -> str:
    """Evidence as it is stored: the text of ``Evidence.to_json``, made by hand as the encoder takes five times as long."""
    return ",".join(
        [
            f"[{_quote(e.parent)},{float(e.relevance)!r},{int(e.on_topic)},{_quote(e.anchor)},{e.distance}"
            f"{',' + _quote(e.around) if e.around or e.path else ''}{',' + _quote(e.path) if e.path else ''}]"
            for e in evidence
        ]
    )


def unpack(text: str) -> tuple[Evidence, ...]:
    """What :func:`pack` packed, pieces joined by commas."""
    return tuple([Evidence.from_json(piece) for piece in json.loads(f"[{text}]")])


def pack_meta(meta: dict[str, Any]) -> str | None:
    """An entry's meta as it is stored: most have none."""
    return json.dumps(meta, ensure_ascii=False) if meta else None
