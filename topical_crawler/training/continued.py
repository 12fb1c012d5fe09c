"""Training that goes on from finished vectors: what they know stays, words that they lack are learned beside it.

Finished vectors have length 1 and no output matrix any more. So the words of the new text that they know keep their vectors (or
move slowly), the output matrix is learned anew against them, and each new word begins where its parts point to: 组织生活会
between 组织, 生活 and 会.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from topical_crawler.semantics.vectors import WordVectors, write_vectors

SCALE = 3.0
"""Length of a known word's vector while others are trained beside it, as vectors in training have it; finished ones have 1.
Measured on 300 words that were taken out of known vectors and learned again from 459 texts: of their 20 true neighbours 3.5 come
back, 2.2 with 1 (CBOW, 20 epochs); 5 is about the same."""
CONTINUED_EPOCHS = 20
"""A domain corpus is small, and the output matrix is learned from nothing."""
NOISE = 0.1
"""Length of the random part of a new word's first vector, relative to :data:`SCALE`: words of the same parts must come apart."""


def open_known(path: Path, cache: Path) -> WordVectors:
    """The vectors to start from, in any form that :meth:`WordVectors.open` reads; ``cache``: where it keeps the converted form.

    Raises:
        ValueError: no vectors, or a matrix that :meth:`WordVectors.check` refuses.
    """
    known = WordVectors.open(path, cache)
    known.check(str(path))
    return known


def known_parts(word: str, known: WordVectors) -> list[str]:
    """The longest known words that make up ``word``, from the left (forward maximum matching); what is not known is passed over.

    >>> known = WordVectors(["组织", "生活", "生", "会"], np.eye(4, dtype=np.float32))
    >>> known_parts("组织生活会", known), known_parts("甲生乙", known)
    (['组织', '生活', '会'], ['生'])
    """
    found, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            if word[start:end] in known.rows:
                found.append(word[start:end])
                start = end
                break
        else:
            start += 1
    return found


def first_vectors(words: Sequence[str], known: WordVectors, seed: int) -> NDArray[np.float32]:
    """Where training begins: known words at their vectors, others at the mean of their parts' plus noise that ``seed`` decides.

    Returns:
        Shape ``(len(words), known.dimensions)``, every row of the length :data:`SCALE`, but for the noise.
    """
    random = np.random.default_rng(seed)
    rows = np.empty((len(words), known.dimensions), dtype=np.float32)
    for i, word in enumerate(words):
        if word in known.rows:
            rows[i] = known.matrix[known.rows[word]]
            continue
        noise = random.standard_normal(known.dimensions)
        row = NOISE * noise / np.linalg.norm(noise)
        if made_of := known_parts(word, known):
            mean = np.mean([known.matrix[known.rows[p]] for p in made_of], axis=0, dtype=np.float64)
            row += mean / max(float(np.linalg.norm(mean)), 1e-6)
        rows[i] = row / np.linalg.norm(row)
    return rows * np.float32(SCALE)


def learning_factors(words: Sequence[str], known: WordVectors, free: float) -> NDArray[np.float32]:
    """What part of each update a word takes: ``free`` (0: none) for a known one, all of it for a new one."""
    return np.array([free if word in known.rows else 1.0 for word in words], dtype=np.float32)


def write_continued(
    path: Path, known: WordVectors, trained: Mapping[str, NDArray[np.float32]], order: Sequence[str], free: bool
) -> int:
    """Write the known words, in their order, then the new ones, in that of ``order``.

    Args:
        path: the matrix, ``.npy``.
        known: vectors that :func:`open_known` gave: the writer leaves none of them out.
        trained: vectors of the words in ``order``, of any length.
        free: known words take their trained vectors; else their rows are those of ``known``, bit by bit.

    Returns:
        The number of words.
    """
    new = [word for word in order if word not in known.rows]
    moved = trained if free else {}

    def rows() -> Iterator[NDArray[np.float32]]:
        for word, row in zip(known.words, known.matrix, strict=True):
            yield moved.get(word, row)
        for word in new:
            yield trained[word]

    write_vectors(path, known.words + new, rows(), known.dimensions)
    written = np.load(path, mmap_mode="r+", allow_pickle=False)
    for start in range(0, len(known), 8192):  # the writer gives every row the length 1 again, which may turn its last bit
        block = slice(start, min(start + 8192, len(known)))
        same = [i for i in range(block.start, block.stop) if known.words[i] not in moved]
        written[same] = known.matrix[same]
    written.flush()
    return len(written)
