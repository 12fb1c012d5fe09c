"""The inner sum of Eq. 3 for every word, computed once per topic (Zhou et al. 2019, §3.2 and §4.3).

The paper's *inverted index and cache*: for a fixed topic Σ_t w_t·Sim(d, t)² is one number per word d, so scoring a text takes
one look-up per word. The table holds every word of HowNet and of the vectors, and is cached on disk. A crawl finding it there
reads neither resource.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
import math
import os
import tempfile
import zipfile
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from topical_crawler.resources.hownet import ConceptIndex
from topical_crawler.resources.registry import Resources
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.strategies.base import Progress
from topical_crawler.strategies.semantic.similarity import SimilarityParameters, WordSimilarity, algorithm1
from topical_crawler.text.segment import normalise

logger = logging.getLogger(__name__)
Floats = NDArray[np.float64]

VERSION = 2  # of formulas and file format, invalidating cached tables on change
_TERMS_AT_ONCE = 16
_ROWS_AT_ONCE = 8192
_USED = ("hownet", "hownet_tree", "vectors")


class ScoreTable(Mapping[str, tuple[float, str]]):
    """Normalised word → (Σ_t w_t·Sim(d, t)², topic term with the greatest part of it). Words with a sum of 0 are absent.

    Stored as sorted arrays: 5 MB for the 145,000 words of HowNet and the vectors, 30 MB as a dictionary.

    >>> table = ScoreTable.build({"党建": 2.0, "支部": 0.5}, WordSimilarity())
    >>> table.get("党建"), table.get("足球")
    ((2.0, '党建'), None)
    """

    def __init__(self, parts: Mapping[str, tuple[float, str]]) -> None:
        words = sorted(parts)  # same order as that of their UTF-8 bytes
        numbers: dict[str, int] = {}
        nearest = [numbers.setdefault(parts[word][1], len(numbers)) for word in words]
        self._fill(
            "\n".join(words).encode(), np.array([parts[word][0] for word in words]), np.array(nearest, np.int32), [*numbers]
        )

    def _fill(self, words: bytes, scores: Floats, nearest: NDArray[np.int32], terms: list[str]) -> None:
        self._words, self._scores, self._nearest, self._terms = words, scores, nearest, terms
        ends = np.flatnonzero(np.frombuffer(words + b"\n", np.uint8) == ord("\n")) if words else np.zeros(0, np.int64)
        self._starts = np.concatenate(([0], ends + 1)).astype(np.uint32).data  # of each word, and the end of the last
        if not len(self) == len(scores) == len(nearest) or not all(0 <= n < len(terms) for n in set(nearest.tolist())):
            raise ValueError("the columns do not match")

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __iter__(self) -> Iterator[str]:
        return (self._word(place).decode() for place in range(len(self)))

    def __getitem__(self, word: str) -> tuple[float, str]:
        key = word.encode("utf-8", "surrogatepass")
        place = bisect_left(range(len(self)), key, key=self._word)
        if place == len(self) or self._word(place) != key:
            raise KeyError(word)
        return float(self._scores[place]), self._terms[self._nearest[place]]

    def _word(self, place: int) -> bytes:
        return self._words[self._starts[place] : self._starts[place + 1] - 1]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a table written by :meth:`write`.

        Raises:
            ValueError: the file is damaged. Depending on the damage, also OSError, KeyError, EOFError or BadZipFile.
        """
        table = cls.__new__(cls)
        with np.load(path, allow_pickle=False) as data:
            terms = data["terms"].tobytes().decode().split("\n")
            table._fill(data["words"].tobytes(), data["scores"], data["nearest"], terms)
        return table

    def write(self, path: Path) -> None:
        """Write the table atomically, safe against concurrent readers and a crash."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".scores-", dir=path.parent) as folder:
            np.savez(
                made := Path(folder, path.name),
                words=np.frombuffer(self._words, dtype=np.uint8),
                scores=self._scores,
                nearest=self._nearest,
                terms=np.frombuffer("\n".join(self._terms).encode(), dtype=np.uint8),
            )
            made.replace(path)

    @classmethod
    def load_or_build(
        cls,
        terms: Mapping[str, float],
        resources: Resources,
        parameters: SimilarityParameters | None = None,
        cache_dir: str | os.PathLike[str] | None = None,
        progress: Progress | None = None,
    ) -> ScoreTable:
        """Load the table from ``cache_dir``, or build it and cache it there.

        Args:
            terms: topic terms with their weights (Eq. 2), each finite and >= 0.
            resources: HowNet, its tree and the vectors. Missing ones are skipped.
            parameters: constants of Algorithm 1.
            cache_dir: folder for tables and converted vectors. None: no cache.
            progress: see :class:`Setup`.

        Raises:
            ValueError: a weight is negative or not finite, or a resource cannot be read.
        """
        terms, parameters = _checked(terms), parameters or SimilarityParameters()
        if cache_dir is None:
            return cls.build(terms, WordSimilarity.from_resources(resources, parameters), progress)
        identity = [VERSION, terms, dataclasses.astuple(parameters), resources.fingerprint(*_USED)]
        key = hashlib.sha256(json.dumps(identity, ensure_ascii=False).encode()).hexdigest()
        path = Path(cache_dir, f"scores-{key[:24]}.npz")
        if path.exists():
            try:
                return cls.read(path)
            except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
                logger.warning("%s is damaged (%s). Rebuilding the table", path, error)
        if progress:
            progress(0.0, "reading HowNet and word vectors")
        table = cls.build(terms, WordSimilarity.from_resources(resources, parameters, path.parent), progress)
        table.write(path)
        return table

    @classmethod
    def build(cls, terms: Mapping[str, float], similarity: WordSimilarity, progress: Progress | None = None) -> ScoreTable:
        """Build the table: :meth:`WordSimilarity.sim` for every word and term, in array operations. Weights as in
        :meth:`load_or_build`."""
        terms = _checked(terms)
        hownet = ConceptIndex(similarity.hownet) if similarity.hownet else None
        vectors = similarity.vectors
        with_vector = vectors.words if vectors else []
        words = list(dict.fromkeys([*(hownet.words if hownet else ()), *with_vector, *terms]))
        places = {word: i for i, word in enumerate(words)}
        vector_places = np.array([places[word] for word in with_vector], dtype=np.int64)
        score, greatest = np.zeros(len(words)), np.zeros(len(words))
        nearest = np.zeros(len(words), dtype=np.int64)
        names = list(terms)
        for start in range(0, len(names), _TERMS_AT_ONCE):
            if progress:
                progress(start / len(names), f"comparing {len(words):,} words with {len(names):,} topic terms")
            chunk = names[start : start + _TERMS_AT_ONCE]
            cosines = _cosines(vectors, chunk)
            for number, term in enumerate(chunk, start):
                sim_h, sim_d = np.zeros(len(words)), np.zeros(len(words))
                if hownet and similarity.hownet and term in similarity.hownet.senses:
                    sim_h[: len(hownet.words)] = hownet.row(term)
                if term in cosines:
                    sim_d[vector_places] = cosines[term]
                sim = algorithm1(sim_h, sim_d, similarity.parameters)
                sim[places[term]] = 1.0
                part = terms[term] * sim**2
                score += part
                better = part > greatest
                greatest[better] = part[better]
                nearest[better] = number
        if progress:
            progress(1.0, f"compared {len(words):,} words with {len(names):,} topic terms")
        return cls({words[i]: (float(score[i]), names[nearest[i]]) for i in np.flatnonzero(score > 0).tolist()})


def _checked(terms: Mapping[str, float]) -> dict[str, float]:
    """Return the terms normalised and sorted, so equal terms give equal tables."""
    result: dict[str, float] = {}
    for term, weight in terms.items():
        word = normalise(term)
        if not (math.isfinite(weight) and weight >= 0):
            raise ValueError(f"the weight of topic term {term!r} is {weight}. Set a finite number, 0 or more")
        if word in result:
            raise ValueError(f"topic term {term!r} occurs twice, perhaps in another width or case. Keep one of them")
        result[word] = float(weight)
    return dict(sorted(result.items()))


def _cosines(vectors: WordVectors | None, terms: list[str]) -> dict[str, Floats]:
    """Return SimD of each term with a vector to every word of ``vectors``, in double precision, block by block."""
    if vectors is None or not (own := {term: v for term in terms if (v := vectors.vector(term)) is not None}):
        return {}
    result = np.empty((len(own), len(vectors)))
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        block = vectors.matrix[start : start + _ROWS_AT_ONCE].astype(np.float64)
        result[:, start : start + len(block)] = np.array(list(own.values())) @ block.T
    return dict(zip(own, result, strict=True))
