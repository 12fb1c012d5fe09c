"""Texts as pieces of a SentencePiece unigram model (Kudo 2018), limited to the scripts of a Chinese corpus."""

from __future__ import annotations

import re
import struct
import unicodedata
from collections.abc import Iterator, Sequence

UNKNOWN, BEGIN, END = 0, 1, 2
"""Rows of the pieces for an unknown character, the beginning and the end of a text."""
MOST_ASCII = 20_000
"""Number of pieces of two or more ASCII characters to keep, likeliest first. The rest is read letter by letter or in parts."""
_SCRIPTS = re.compile(r"[\u2581\u0020-\u007e\u3000-\u303f\uff00-\uffef\u4e00-\u9fff\u2010-\u2027·]+")
_SPACE = "▁"
_BELOW_ALL = 10.0  # log-probability of an unknown character below the least likely piece, as in SentencePiece
_IMPOSSIBLE = -1e38
_LEADS_ON = -1
_PIECE = 0x0A  # the tag of a piece


def kept_pieces(model: bytes) -> tuple[list[int], list[str], list[float]]:
    """Return the pieces kept of a SentencePiece model file, in order: numbers, pieces and log-probabilities.

    The first three entries are control pieces with empty text. The one at :data:`UNKNOWN` has the score of an unknown
    character.
    """
    kept: list[tuple[int, str, float]] = []
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
            kept.append((number, piece, score))
    kept += [(number, piece, score) for score, number, piece in sorted(ascii_words, reverse=True)[:MOST_ASCII]]
    first = [(UNKNOWN, "", lowest - _BELOW_ALL), (BEGIN, "", 0.0), (END, "", 0.0)]
    numbers, pieces, scores = zip(*first, *sorted(kept), strict=True)
    return list(numbers), list(pieces), list(scores)


class Pieces:
    """Splitter of texts into the likeliest sequence of pieces.

    Args:
        pieces: by row, in the form of :func:`kept_pieces`.
        scores: their log-probabilities.
    """

    def __init__(self, pieces: Sequence[str], scores: Sequence[float]) -> None:
        # Maps each piece to its row, and each proper prefix of a piece to _LEADS_ON. Other texts are absent.
        self._known = {piece[:n]: _LEADS_ON for piece in pieces for n in range(1, len(piece))}
        self._known |= {piece: row for row, piece in enumerate(pieces) if piece}
        self._scores = scores

    def rows(self, text: str) -> list[int]:
        """Return the rows of a text's pieces, between those of its beginning and end."""
        text = _SPACE + _SPACE.join(unicodedata.normalize("NFKC", text).split())
        known, scores, length = self._known, self._scores, len(text)
        unknown = scores[UNKNOWN]
        best = [0.0] + [_IMPOSSIBLE] * length  # log-probability of the best way to each place
        start, of = [0] * (length + 1), [UNKNOWN] * (length + 1)
        for i in range(length):
            base, alone = best[i], False
            for j in range(i + 1, length + 1):
                row = known.get(text[i:j])
                if row is None:
                    break
                if row != _LEADS_ON:
                    alone |= j == i + 1
                    if (score := base + scores[row]) > best[j]:
                        best[j], start[j], of[j] = score, i, row
            if not alone and base + unknown > best[i + 1]:
                best[i + 1], start[i + 1], of[i + 1] = base + unknown, i, UNKNOWN
        rows, place = [END], length
        while place:
            rows.append(of[place])
            place = start[place]
        return [BEGIN, *reversed(rows)]


def _pieces(model: bytes) -> Iterator[tuple[str, float]]:
    """Yield each piece of a model with its log-probability.

    They come first in the file, a protocol buffer: field 1, with fields 1 and 2 inside. No piece takes 128 bytes, so every
    length is one byte.
    """
    place = 0
    while model[place] == _PIECE:
        text, score = place + 4, place + 5 + model[place + 3]
        yield model[text : score - 1].decode(), struct.unpack_from("<f", model, score)[0]
        place += 2 + model[place + 1]
