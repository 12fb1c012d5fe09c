"""Word vectors in a memory-mapped matrix, and their cosine (Zhou et al. 2019, Eq. 1: SimD).

Files of other programs (:mod:`topical_crawler.semantics.vector_files`) are converted once: a matrix of unit vectors (``.npy``)
with its words beside it (``.vocab``, one a line). That form opens in a tenth of a second and is shared between processes.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from tokenize import TokenError

import numpy as np
from numpy.lib.format import MAGIC_PREFIX
from numpy.typing import NDArray

from topical_crawler.semantics.vector_writer import WriteReport, convert, write_vectors
from topical_crawler.text import normalise

__all__ = ["WordVectors", "WriteReport", "convert", "write_vectors"]

logger = logging.getLogger(__name__)

_VERSION = 1
"""Of the converted form: a change makes old files invalid."""
_ROWS_AT_ONCE = 8192


class WordVectors:
    """Unit vectors of words.

    Words stand in the form of :func:`topical_crawler.text.normalise`; of words that fall together in it, the first one (the most
    frequent, as word2vec orders them) gives its vector.

    Args:
        words: distinct normalised words.
        matrix: one row of length 1 for each word, float32, shape ``(len(words), dimensions)``.

    >>> vectors = WordVectors(["党员", "干部"], np.array([[1, 0], [0.6, 0.8]], dtype=np.float32))
    >>> round(vectors.similarity("党员", "干部"), 6), "书记" in vectors
    (0.6, False)
    """

    def __init__(self, words: Sequence[str], matrix: NDArray[np.float32]) -> None:
        if matrix.ndim != 2 or len(words) != len(matrix):
            raise ValueError(f"{len(words)} words do not fit a matrix of shape {matrix.shape}")
        self.words = list(words)
        self.matrix = matrix
        self.rows = {word: row for row, word in enumerate(self.words)}

    @classmethod
    def open(cls, path: str | os.PathLike[str], cache_dir: str | os.PathLike[str] | None = None) -> WordVectors:
        """Open a file of vectors.

        Args:
            path: a converted ``.npy`` with its ``.vocab``, or any form of :mod:`topical_crawler.semantics.vector_files`.
            cache_dir: where the converted form is kept; None: nowhere (converted again at every start, and held in memory).

        Raises:
            ValueError: the file is not in one of these forms, is damaged, or holds no vector.
        """
        source = Path(path)
        if source.suffix == ".npy":
            return cls._load(source, mapped=True)
        if cache_dir is None:
            with tempfile.TemporaryDirectory(prefix="topical-vectors-") as folder:
                return cls._load(convert(source, Path(folder, "vectors.npy")).path, mapped=False)
        status = source.stat()
        identity = f"{_VERSION}|{source.resolve()}|{status.st_size}|{status.st_mtime_ns}"
        target = Path(cache_dir, f"{source.name}-{hashlib.sha256(identity.encode()).hexdigest()[:16]}.npy")
        if not target.exists():
            report = convert(source, target)
            logger.info("%s: %d of %d vectors kept; left out: %s", source, report.words, report.read, report.dropped)
        return cls._load(target, mapped=True)

    @classmethod
    def _load(cls, path: Path, mapped: bool) -> WordVectors:
        vocabulary = path.with_suffix(".vocab")
        if not vocabulary.exists():
            raise ValueError(
                f"{path}: the words should stand beside it in {vocabulary.name}, one a line. "
                "Remedy: scrapy lexicon import, which writes both"
            )
        try:
            with path.open("rb") as file:
                if file.read(len(MAGIC_PREFIX)) != MAGIC_PREFIX:  # numpy would take a zip archive for several matrices
                    raise ValueError("it is not numpy's .npy")
            matrix = np.load(path, mmap_mode="r" if mapped else None, allow_pickle=False)
        except (ValueError, EOFError, TokenError) as error:
            raise ValueError(f"{path}: no matrix of vectors ({error}). Remedy: delete it and make it again") from None
        try:
            words = vocabulary.read_text(encoding="utf-8").split("\n")[:-1]
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{vocabulary}, byte {error.start}: not UTF-8. Remedy: delete it and {path.name}, import again"
            ) from None
        if matrix.ndim != 2 or matrix.dtype != np.float32 or len(words) != len(matrix):
            raise ValueError(
                f"{path}: {matrix.dtype} {matrix.shape} does not fit {len(words)} words. Remedy: delete it and make it again"
            )
        return cls(words, matrix)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and normalise(word) in self.rows

    def __len__(self) -> int:
        return len(self.words)

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.matrix.shape[1])

    def check(self, name: str) -> None:
        """See that words and rows are as the class wants them, which opening does not: it would read the whole matrix.

        Args:
            name: of the vectors, for the message.

        Raises:
            ValueError: a word that comes twice or is not normalised, or a row that is not of length 1.

        >>> WordVectors(["党员"], np.array([[3, 4]], dtype=np.float32)).check("own.npy")
        Traceback (most recent call last):
        ValueError: own.npy: the vector of '党员' has the length 5, expected 1. Remedy: make it again with scrapy lexicon import
        """
        remedy = "Remedy: make it again with scrapy lexicon import"
        for row, word in enumerate(self.words):
            if not word or self.rows[word] != row or normalise(word).strip() != word:
                what = "comes twice" if word and self.rows[word] != row else "is not in normalised form"
                raise ValueError(f"{name}: word {row + 1}, {word!r}, {what}. {remedy}")
        for start in range(0, len(self), _ROWS_AT_ONCE):
            lengths = np.linalg.norm(self.matrix[start : start + _ROWS_AT_ONCE].astype(np.float64), axis=1)
            wrong = np.flatnonzero(~(np.abs(lengths - 1) < 1e-3))
            if len(wrong):
                word, length = self.words[start + wrong[0]], lengths[wrong[0]]
                raise ValueError(f"{name}: the vector of {word!r} has the length {length:g}, expected 1. {remedy}")

    def vector(self, word: str) -> NDArray[np.float64] | None:
        """The vector of a word, length 1, shape ``(dimensions,)``; None where it has none."""
        row = self.rows.get(normalise(word))
        return None if row is None else self.matrix[row].astype(np.float64)

    def made_for(self, words: Iterable[str]) -> WordVectors:
        """Vectors of those of ``words`` that have none of their own, where they can be made; here none can."""
        return WordVectors([], np.empty((0, self.dimensions), dtype=np.float32))

    def similarity(self, a: str, b: str) -> float:
        """SimD of Eq. 1, the cosine of two words' vectors, in [-1, 1]; 0.0 where a word has none."""
        left, right = self.vector(a), self.vector(b)
        return 0.0 if left is None or right is None else float(left @ right)

    def nearest(self, to: str | NDArray[np.floating], n: int, among: Iterable[str] | None = None) -> list[tuple[str, float]]:
        """The words with the greatest cosine to a word or vector, most similar first; equal ones in the order of ``words``.

        Args:
            to: a word, which is not among its own neighbours; or a vector of any length but 0, shape ``(dimensions,)``.
            n: at most so many.
            among: only these words are asked, those that have no vector do not count; None: all.

        Returns:
            (normalised word, cosine in [-1, 1]); nothing for a word that has no vector.

        Raises:
            ValueError: a vector of another shape, without direction or not finite.

        >>> rows = np.array([[1, 0], [0.6, 0.8], [0, 1]], dtype=np.float32)
        >>> vectors = WordVectors(["党员", "干部", "足球"], rows)
        >>> [(word, round(cosine, 2)) for word, cosine in vectors.nearest("党员", 2)]
        [('干部', 0.6), ('足球', 0.0)]
        """
        own = self.rows.get(normalise(to)) if isinstance(to, str) else None
        given = self.vector(to) if isinstance(to, str) else to
        if given is None:
            return []
        vector = _unit(given, self.dimensions)
        if among is None:
            blocks = (slice(start, start + _ROWS_AT_ONCE) for start in range(0, len(self), _ROWS_AT_ONCE))
            cosines = np.concatenate([self.matrix[block] @ vector for block in blocks])
            chosen = np.arange(len(self))
        else:
            chosen = np.array(sorted({self.rows[w] for w in map(normalise, among) if w in self.rows}), dtype=np.int64)
            parts = np.array_split(chosen, len(chosen) // _ROWS_AT_ONCE + 1)
            cosines = np.concatenate([self.matrix[part] @ vector for part in parts])
        if own is not None:
            cosines, chosen = cosines[chosen != own], chosen[chosen != own]
        if n < len(cosines):  # all that are as near as the n-th; equal ones are put in order below
            least = np.partition(cosines, -n)[-n] if n > 0 else np.inf
            cosines, chosen = cosines[cosines >= least], chosen[cosines >= least]
        order = np.argsort(-cosines, kind="stable")[: max(n, 0)]
        return [(self.words[chosen[i]], float(np.clip(cosines[i], -1, 1))) for i in order]


def _unit(vector: NDArray[np.floating], dimensions: int) -> NDArray[np.float32]:
    if vector.shape != (dimensions,):
        raise ValueError(f"a vector of shape {vector.shape} has no neighbours among vectors of {dimensions} dimensions")
    length = float(np.linalg.norm(vector.astype(np.float64)))
    if not np.isfinite(length) or length == 0:
        raise ValueError("a vector that is 0 or not finite has no neighbours")
    return (vector.astype(np.float64) / length).astype(np.float32)
