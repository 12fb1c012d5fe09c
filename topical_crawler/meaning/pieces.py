"""Texts as the pieces of a SentencePiece unigram model (Kudo 2018), of those scripts that a Chinese corpus holds."""

from __future__ import annotations

import re
import struct
import unicodedata
from collections.abc import Iterator

UNKNOWN, BEGIN, END = 0, 1, 2
"""Rows of the pieces that every text has, or may have."""
MOST_ASCII = 20_000
"""Pieces of two and more ASCII characters that are kept: the likeliest. The others are read letter by letter or in parts."""
_SCRIPTS = re.compile(r"[\u2581\u0020-\u007e\u3000-\u303f\uff00-\uffef\u4e00-\u9fff\u2010-\u2027·]+")
_SPACE = "▁"
_BELOW_ALL = 10.0  # how far an unknown character is less likely than the least likely piece, as in SentencePiece
_IMPOSSIBLE = -1e38
_LEADS_ON = -1


class Pieces:
    """Splits texts into the likeliest sequence of pieces.

    Attributes:
        numbers: of the kept pieces in the model, in the order of their rows.

    Args:
        model: a SentencePiece model file (a protocol buffer).
    """

    def __init__(self, model: bytes) -> None:
        kept: dict[str, tuple[int, float]] = {}
        ascii_words: list[tuple[float, int, str]] = []
        lowest = 0.0
        for number, (piece, score) in enumerate(_pieces(model)):
            lowest = min(lowest, score)
            if number <= END or not _SCRIPTS.fullmatch(piece):
                continue
            bare = piece.lstrip(_SPACE)
            if len(bare) > 1 and bare.isascii():
                ascii_words.append((score, number, piece))
            else:
                kept[piece] = (number, score)
        kept |= {piece: (number, score) for score, number, piece in sorted(ascii_words, reverse=True)[:MOST_ASCII]}
        self.numbers = sorted({UNKNOWN, BEGIN, END, *(number for number, _ in kept.values())})
        row_of = {number: row for row, number in enumerate(self.numbers)}
        # The beginning of a piece that is none itself leads on; what begins no piece is not there.
        self._known = {piece[:n]: (_LEADS_ON, 0.0) for piece in kept for n in range(1, len(piece))}
        self._known |= {piece: (row_of[number], score) for piece, (number, score) in kept.items()}
        self._unknown = lowest - _BELOW_ALL

    def rows(self, text: str) -> list[int]:
        """The rows of a text's pieces, between those of its begin and its end."""
        text = _SPACE + _SPACE.join(unicodedata.normalize("NFKC", text).split())
        known, unknown, length = self._known, self._unknown, len(text)
        best = [0.0] + [_IMPOSSIBLE] * length  # log-probability of the best way to each place
        start, of = [0] * (length + 1), [UNKNOWN] * (length + 1)
        for i in range(length):
            base, alone = best[i], False
            for j in range(i + 1, length + 1):
                found = known.get(text[i:j])
                if found is None:
                    break
                row, score = found
                if row != _LEADS_ON:
                    alone |= j == i + 1
                    if base + score > best[j]:
                        best[j], start[j], of[j] = base + score, i, row
            if not alone and base + unknown > best[i + 1]:
                best[i + 1], start[i + 1], of[i + 1] = base + unknown, i, UNKNOWN
        rows, place = [END], length
        while place:
            rows.append(of[place])
            place = start[place]
        return [BEGIN, *reversed(rows)]


def _pieces(model: bytes) -> Iterator[tuple[str, float]]:
    """Each piece of a model with its log-probability: field 1 of the file, and fields 1 and 2 of that."""
    for field, begin, end in _fields(model, 0, len(model)):
        if field == 1:
            piece, score = "", 0.0
            for part, first, last in _fields(model, begin, end):
                if part == 1:
                    piece = model[first:last].decode()
                elif part == 2:
                    (score,) = struct.unpack("<f", model[first:last])
            yield piece, score


def _fields(data: bytes, place: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The fields of a message with a length or 32 bits: number, begin and end."""
    while place < end:
        tag, place = _varint(data, place)
        kind = tag & 7
        if kind == 0:
            _, place = _varint(data, place)
            continue
        size = {1: 8, 5: 4}.get(kind)
        if size is None:
            size, place = _varint(data, place)
        if kind != 1:
            yield tag >> 3, place, place + size
        place += size


def _varint(data: bytes, place: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[place]
        place += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, place
        shift += 7
