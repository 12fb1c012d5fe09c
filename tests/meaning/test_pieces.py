"""The split of texts into pieces, against SentencePiece's rules."""

import struct

from topical_crawler.meaning.pieces import BEGIN, END, UNKNOWN, Pieces, kept_pieces


def message(field: int, content: bytes) -> bytes:
    return bytes([field << 3 | 2, len(content)]) + content


def split(**scores: float) -> tuple[list[int], Pieces]:
    """The numbers of the kept pieces of a model, and what splits by them."""
    numbers, pieces, log_probabilities = kept_pieces(model(**scores))
    return numbers, Pieces(pieces, log_probabilities)


def model(**scores: float) -> bytes:
    """A model of these pieces behind the three that every model has."""
    pieces = {"<unk>": 0.0, "<s>": 0.0, "</s>": 0.0, **scores}
    parts = (message(1, message(1, piece.encode()) + b"\x15" + struct.pack("<f", score)) for piece, score in pieces.items())
    return b"".join(parts) + b"\x18\x01" + message(2, b"trainer")


def test_the_likeliest_split_wins() -> None:
    numbers, pieces = split(**{"▁": -2.0, "党": -3.0, "建": -3.0, "党建": -4.0, "▁党": -6.0, "设": -9.0})
    assert numbers == [0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert pieces.rows("党建") == [BEGIN, 3, 6, END]
    assert pieces.rows("建党 建设") == [BEGIN, 3, 5, 4, 3, 5, 8, END]


def test_what_no_piece_has_is_unknown() -> None:
    _, pieces = split(**{"▁": -2.0, "党": -3.0, "建设": -5.0})
    assert pieces.rows("党建") == [BEGIN, 3, 4, UNKNOWN, END]
    assert pieces.rows("") == [BEGIN, 3, END]
    assert pieces.rows("\ud800建设") == [BEGIN, 3, UNKNOWN, 5, END]


def test_other_scripts_are_left_out_and_rare_words_in_latin_letters() -> None:
    numbers, pieces = split(**{"▁": -2.0, "мир": -3.0, "カナ": -3.0, "kernel": -5.0, "党": -4.0})
    assert numbers == [0, 1, 2, 3, 6, 7]
    assert pieces.rows("ｋｅｒｎｅｌ") == [BEGIN, 3, 4, END]  # full width is made plain


def test_rows_are_those_of_the_kept_pieces() -> None:
    numbers, pieces = split(**{"▁": -2.0, "мир": -3.0, "党": -3.0})
    assert pieces.rows("党") == [BEGIN, 3, 4, END]
    assert [numbers[row] for row in pieces.rows("党")] == [1, 3, 5, 2]
