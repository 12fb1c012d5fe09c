"""Word vectors in a memory-mapped matrix, and their cosine (Zhou et al. 2019, Eq. 1: SimD).

Files of other programs (:mod:`topical_crawler.resources.vector_files`) are converted once: a matrix of unit vectors (``.npy``)
with its words beside it (``.vocab``, one a line). That form opens in a tenth of a second and is shared between processes.

What a thesaurus adds to the other resources: vectors and senses for words that lack them, better vectors for the rest.

Vectors tell what stands in like places, antonyms and companions too; a thesaurus tells what means the same. Joining the two is
the greatest single gain in agreement with human judgements that was found (docs/decisions.md).
"""

from __future__ import annotations

import copy
import hashlib
import itertools
import logging
import os
import tempfile
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError

import numpy as np
from numpy.lib import format as npy
from numpy.lib.format import MAGIC_PREFIX
from numpy.typing import NDArray

from topical_crawler.resources.cilin import Cilin
from topical_crawler.resources.hownet import HowNet
from topical_crawler.resources.vector_files import open_vector_file
from topical_crawler.text.segment import normalise

__all__ = ["WordVectors"]


# -- Writes word vectors in the form that is mapped into memory: a matrix of unit vectors and its words (``.npy``, ``.vocab``)


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
        words: most frequent first; written in the form of :func:`topical_crawler.text.segment.normalise`.
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
        source: in any form of :mod:`topical_crawler.resources.vector_files`.
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


# -- Word vectors in a memory-mapped matrix, and their cosine (Zhou et al. 2019, Eq. 1: SimD)


logger = logging.getLogger(__name__)

_VERSION = 1
"""Of the converted form: a change makes old files invalid."""


class WordVectors:
    """Unit vectors of words.

    Words stand in the form of :func:`topical_crawler.text.segment.normalise`; of words that fall together in it, the first one
    (the most frequent, as word2vec orders them) gives its vector.

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
            path: a converted ``.npy`` with its ``.vocab``, or any form of :mod:`topical_crawler.resources.vector_files`.
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


# -- Vectors of words that have none, from the words and characters that they are made of


def parts(word: str, known: Container[str]) -> list[str]:
    """Cut a word into the fewest known parts; of equally few, with the longest last one, the head of a Chinese compound.

    Letters and digits are not cut from their like. The word itself is no part of it. [] where there is no way.

    >>> parts("基层党组织", {"基层", "党", "组织", "党组", "织"}), parts("abc", {"a", "b", "c"}), parts("党课", {"党"})
    (['基层', '党', '组织'], [], [])
    """
    best: list[list[str] | None] = [[], *([None] * len(word))]
    for end in range(1, len(word) + 1):
        for start in range(end):
            before, part = best[start], word[start:end]
            if before is None or part == word or part not in known or _within_latin(word, start):
                continue
            found = best[end]
            if found is None or len(before) + 1 < len(found):
                best[end] = [*before, part]
    return best[len(word)] or []


def _within_latin(word: str, place: int) -> bool:
    return place > 0 and all(c.isascii() and c.isalnum() for c in word[place - 1 : place + 1])


class ComposingVectors(WordVectors):
    """Vectors that make one for a word that has none: the direction of the sum over its :func:`parts` (Mitchell & Lapata 2010).

    ``in`` also holds for such words; ``words``, ``rows``, ``matrix`` and ``len`` are of those that have their own.

    >>> vectors = ComposingVectors(["支部", "书记"], np.array([[1, 0], [0, 1]], dtype=np.float32))
    >>> round(vectors.similarity("支部书记", "书记"), 4), "支部书记" in vectors
    (0.7071, True)
    """

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.vector(word) is not None

    def vector(self, word: str) -> NDArray[np.float64] | None:
        own = super().vector(word)
        if own is not None:
            return own
        found = parts(normalise(word), self.rows)
        if not found:
            return None
        total = self.matrix[[self.rows[part] for part in found]].sum(axis=0, dtype=np.float64)
        length = float(np.linalg.norm(total))
        return total / length if length > 1e-6 else None

    def made_for(self, words: Iterable[str]) -> WordVectors:
        made = {}
        for word in map(normalise, words):
            if word not in self.rows and word not in made and (vector := self.vector(word)) is not None:
                made[word] = vector
        return WordVectors(list(made), np.array(list(made.values()), dtype=np.float32).reshape(len(made), self.dimensions))


# -- What a thesaurus adds to the other resources: vectors and senses for words that lack them, better vectors for the rest


ROUNDS = 10
"""As published; the vectors hardly move after the fifth."""


def retrofit(vectors: WordVectors, cilin: Cilin, rounds: int = ROUNDS) -> WordVectors:
    """Draw the vectors of synonyms together, and give one to words of which only synonyms have one.

    Each round puts a word halfway between its own vector and the mean of its synonyms' vectors (Faruqui et al. 2015, Eq. 1 with
    α = 1 and β = 1/degree); a word without a vector of its own stands at that mean (Speer & Chin 2016).

    Args:
        vectors: left as they are.
        cilin: its ``=`` groups are the synonyms; a word in two groups counts twice where it meets another in both.
        rounds: number of passes over all words.

    Returns:
        New vectors, held in memory: all words of ``vectors`` in their order, then those that got one.
    """
    from scipy.sparse import csr_array

    groups = [group.words for group in cilin.groups.values() if group.relation == "="]
    words = list(dict.fromkeys(word for group in groups for word in group))
    if not words:
        return vectors
    place = {word: i for i, word in enumerate(words)}
    members = [place[word] for group in groups for word in group]
    bounds = np.cumsum([0, *map(len, groups)])
    held = csr_array((np.ones(len(members), dtype=np.float32), members, bounds), shape=(len(groups), len(words)))
    holding = held.T.tocsr()
    times = np.asarray(held.sum(axis=0), dtype=np.float32)[:, None]

    # The last column says whether there is a vector, so that its sum over the synonyms is the number of those that have one.
    own = np.zeros((len(words), vectors.dimensions + 1), dtype=np.float32)
    has_own = np.array([word in vectors.rows for word in words])
    own[has_own, :-1] = vectors.matrix[[vectors.rows[word] for word in words if word in vectors.rows]]
    own[has_own, -1] = 1
    current = own
    for _ in range(rounds):
        total = holding @ (held @ current) - times * current  # all in a word's groups, without itself
        degree = total[:, -1:]
        mean = np.divide(total, degree, out=np.zeros_like(total), where=degree > 0)
        weight = own[:, -1:] + (degree > 0)
        current = np.divide(own + mean, weight, out=np.zeros_like(own), where=weight > 0)

    lengths = np.linalg.norm(current[:, :-1], axis=1)
    usable = lengths > 1e-6  # words whose synonyms have no vector either, or vectors that cancel out, stay as they were
    unit = current[:, :-1] / np.where(usable, lengths, 1)[:, None]
    matrix = np.concatenate([vectors.matrix, unit[usable & ~has_own]])
    matrix[[vectors.rows[words[i]] for i in np.flatnonzero(usable & has_own)]] = unit[usable & has_own]
    return WordVectors([*vectors.words, *(words[i] for i in np.flatnonzero(usable & ~has_own))], matrix)


def lend_senses(hownet: HowNet, cilin: Cilin) -> HowNet:
    """A HowNet in which a word of Cilin that it lacks has the senses of its synonyms.

    Args:
        hownet: left as it is; the new one shares its definitions.
        cilin: its ``=`` groups are the synonyms.
    """
    lent = {}
    for word in dict.fromkeys(word for group in cilin.groups.values() for word in group.words):
        if word not in hownet.senses:
            senses = sorted({sense for synonym in cilin.synonyms(word) for sense in hownet.senses.get(synonym, ())})
            if senses:
                lent[word] = senses
    richer = copy.copy(hownet)
    richer.senses = {**hownet.senses, **lent}
    return richer
