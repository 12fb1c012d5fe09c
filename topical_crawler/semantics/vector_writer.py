"""Writes word vectors in the form that is mapped into memory: a matrix of unit vectors and its words (``.npy``, ``.vocab``)."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from topical_crawler.semantics.vector_files import open_vector_file
from topical_crawler.text import normalise

Row = NDArray[np.float32]

_ROWS_AT_ONCE = 8192


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What :func:`write_vectors` and :func:`convert` wrote, and what they left out.

    Attributes:
        path: the matrix, ``.npy``; the words stand beside it.
        words: how many were written.
        dimensions: length of a vector.
        read: how many vectors were given.
        repeated: left out because the word came before, in another width or case perhaps; the first one stands.
        no_direction: left out because all numbers are 0.
        not_finite: left out because a number is infinite or not a number.
        unusable: left out because the word is empty, holds a line break or is no valid Unicode.
    """

    path: Path
    words: int
    dimensions: int
    read: int
    repeated: int = 0
    no_direction: int = 0
    not_finite: int = 0
    unusable: int = 0

    @property
    def dropped(self) -> dict[str, int]:
        """What was left out: number by reason, without reasons that did not occur."""
        reasons = {
            "repeated after normalisation": self.repeated,
            "without direction (all numbers 0)": self.no_direction,
            "with a number that is not finite": self.not_finite,
            "with a word that is empty or no valid text": self.unusable,
        }
        return {reason: number for reason, number in reasons.items() if number}


def write_vectors(path: Path, words: Iterable[str], rows: Iterable[Row], dimensions: int) -> WriteReport:
    """Write vectors in the form that :meth:`WordVectors.open` maps into memory, as they come, whole or not at all.

    Args:
        path: the matrix, ``.npy``; the words go beside it to ``.vocab``. Files of these names are replaced.
        words: most frequent first; written in the form of :func:`topical_crawler.text.normalise`.
        rows: for each word its vector, of any length, shape ``(dimensions,)``; written with length 1.
        dimensions: length of a vector.

    Raises:
        ValueError: a row of another shape, more words than rows or rows than words, or nothing to write.
    """
    return _write(path, zip(words, rows, strict=True), dimensions, f"{path}")


def convert(
    source: str | os.PathLike[str],
    target: Path,
    limit: int | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> WriteReport:
    """Write the converted form of a file of vectors.

    Args:
        source: in any form of :mod:`topical_crawler.semantics.vector_files`.
        target: the matrix, ``.npy``, see :func:`write_vectors`.
        limit: take the first so many words, the most frequent ones in files of word2vec, fastText and gensim; None: all.
        progress: called now and then with the number of vectors read and the number there will be, None where it is not known.

    Raises:
        ValueError: the file is in none of these forms, damaged, or without vectors; ``limit`` is less than 1.
    """
    if limit is not None and limit < 1:
        raise ValueError(f"a limit of {limit} words leaves none. Remedy: give a number of 1 or more")
    with open_vector_file(Path(source)) as file:
        total = min(filter(None, (file.count, limit)), default=None)

        def counted() -> Iterator[tuple[str, Row]]:
            for number, record in enumerate(itertools.islice(file.rows, limit), 1):
                yield record
                if progress and number % _ROWS_AT_ONCE == 0:
                    progress(number, total)

        report = _write(target, counted(), file.dimensions, f"{source}")
    if progress:
        progress(report.read, report.read)
    return report


def _write(path: Path, records: Iterable[tuple[str, Row]], dimensions: int, source: str) -> WriteReport:
    if path.suffix != ".npy":
        raise ValueError(f"{path}: vectors are written to a file that ends in .npy. Remedy: name it {path.name}.npy")
    path.parent.mkdir(parents=True, exist_ok=True)
    words: dict[str, None] = {}
    counts = {"repeated": 0, "no_direction": 0, "not_finite": 0, "unusable": 0}
    read = 0
    with tempfile.TemporaryDirectory(prefix=".vectors-", dir=path.parent) as folder:
        matrix, vocabulary = Path(folder, "matrix"), Path(folder, "words")
        with matrix.open("w+b") as out:
            header = {"descr": "<f4", "fortran_order": False}
            npy.write_array_header_1_0(out, {**header, "shape": (0, dimensions)})
            start = out.tell()
            for block in _blocks(records, dimensions):
                numbers = np.array([row for _, row in block], dtype=np.float64)
                lengths = np.linalg.norm(numbers, axis=1)
                kept = []
                for i, ((given, _), length) in enumerate(zip(block, lengths.tolist(), strict=True)):
                    word = normalise(given).strip()
                    reason = _reason(word, length, words)
                    if reason:
                        counts[reason] += 1
                    else:
                        words[word] = None
                        kept.append(i)
                out.write((numbers[kept] / lengths[kept, None]).astype("<f4").tobytes())
                read += len(block)
            if not words:
                why = ", ".join(f"{number} {reason.replace('_', ' ')}" for reason, number in counts.items() if number)
                raise ValueError(
                    f"{source}: no usable vector in it ({why or 'it is empty'}). Remedy: get or make the vectors again"
                )
            out.seek(0)  # the header leaves room for any number of rows
            npy.write_array_header_1_0(out, {**header, "shape": (len(words), dimensions)})
            if out.tell() != start:
                raise RuntimeError(f"numpy {np.__version__} wrote .npy headers of different lengths for one file")
        vocabulary.write_text("".join(f"{word}\n" for word in words), encoding="utf-8", newline="\n")
        path.unlink(missing_ok=True)  # an old matrix is never seen with new words, nor a matrix without any
        vocabulary.replace(path.with_suffix(".vocab"))
        matrix.replace(path)
    return WriteReport(path, len(words), dimensions, read, **counts)


def _reason(word: str, length: float, words: dict[str, None]) -> str:
    """Why a vector is left out; empty: it is not."""
    if not word or "\n" in word or "\r" in word or not _is_unicode(word):
        return "unusable"
    if not np.isfinite(length):
        return "not_finite"
    if length == 0:
        return "no_direction"
    return "repeated" if word in words else ""


def _is_unicode(word: str) -> bool:
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair, or U+FFFD's cause: it cannot be written and matches no text
        return False
    return True


def _blocks(records: Iterable[tuple[str, Row]], dimensions: int) -> Iterator[list[tuple[str, Row]]]:
    several = iter(records)
    while block := list(itertools.islice(several, _ROWS_AT_ONCE)):
        for word, row in block:
            if row.shape != (dimensions,):
                raise ValueError(f"the vector of {word!r} has the shape {row.shape} instead of ({dimensions},)")
        yield block
