"""Agreement of SimH, SimD and Algorithm 1 (Zhou et al. 2019) with people's judgements of word pairs."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from experiments.extended_similarity import ExtendedParameters, ExtendedSimilarity, join, shared_characters
from experiments.sampling import Interval, bootstrap
from topical_crawler.strategies.semantic.similarity import SimilarityParameters, WordSimilarity
from topical_crawler.text.segment import normalise

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

Parameters = TypeVar("Parameters", bound=SimilarityParameters)

SHARES = tuple(i / 10 for i in range(1, 11))
"""Values of α and β that :func:`candidates` tries."""


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """Two words and how similar people find them (any scale, higher is more similar)."""

    first: str
    second: str
    judgement: float


def read_pairs(path: str | os.PathLike[str]) -> list[JudgedPair]:
    """Read lines ``word <TAB> word <TAB> number``; a line that starts with ``#`` is a comment.

    Raises:
        ValueError: a line that does not have this form, a file that is not UTF-8, or fewer than two pairs; names file and line.
    """
    pairs = []
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: {error}. Remedy: save the file as UTF-8") from None
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            try:
                first, second, judgement = line.split("\t")
                pairs.append(JudgedPair(first.strip(), second.strip(), float(judgement)))
                if not np.isfinite(pairs[-1].judgement):
                    raise ValueError
            except ValueError:
                raise ValueError(
                    f"{path}, line {number}: {line[:60]!r} is not 'word<TAB>word<TAB>number'. Remedy: correct or delete the line"
                ) from None
    if len(pairs) < 2:
        raise ValueError(f"{path}: {len(pairs)} pairs. Remedy: give two or more lines 'word<TAB>word<TAB>number'")
    return pairs


@dataclass(frozen=True)
class Similarities:
    """Similarities of n pairs of words; every array has the shape ``(n,)``.

    Attributes:
        sim_h, sim_d: SimH in [0, 1] and SimD in [-1, 1]; 0 where a word is not known, 1 for a word and itself.
        known_h, known_d: whether HowNet, the vectors know both words.
        shared: the share of characters in common, in [0, 1].
        translated: how alike their English glosses are, in [0, 1].
    """

    sim_h: Floats
    sim_d: Floats
    known_h: Bools
    known_d: Bools
    shared: Floats
    translated: Floats

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], similarity: WordSimilarity) -> Similarities:
        """Ask ``similarity`` for every pair."""
        rows = [_row(a, b, similarity) for a, b in pairs]
        kinds = (float, float, bool, bool, float, float)
        return cls(*(np.array([row[column] for row in rows], kind) for column, kind in enumerate(kinds)))

    def __len__(self) -> int:
        return len(self.sim_h)

    def __getitem__(self, places: NDArray[np.int64] | Bools) -> Similarities:
        return Similarities(*(getattr(self, part.name)[places] for part in fields(self)))

    @property
    def known(self) -> Bools:
        """Whether HowNet or the vectors know both words."""
        return self.known_h | self.known_d

    def sim(self, parameters: SimilarityParameters) -> Floats:
        """Algorithm 1, with the characters shared and the glosses that extended parameters weigh, for every pair, in [0, 1]."""
        return join(self.sim_h, self.sim_d, self.shared, self.translated, parameters)


def _row(a: str, b: str, similarity: WordSimilarity) -> tuple[float, float, bool, bool, float, float]:
    if normalise(a) == normalise(b):
        return 1.0, 1.0, True, True, 1.0, 1.0
    hownet, vectors = similarity.hownet, similarity.vectors
    known_h = hownet is not None and a in hownet and b in hownet
    known_d = vectors is not None and a in vectors and b in vectors
    shared = shared_characters(normalise(a), normalise(b))
    translated = similarity.translated(a, b) if isinstance(similarity, ExtendedSimilarity) else 0.0
    return similarity.sim_h(a, b), similarity.sim_d(a, b), known_h, known_d, shared, translated


def candidates(thresholds: Sequence[float], parameters: Parameters) -> list[Parameters]:
    """Constants of Algorithm 1 to choose from: α and β in :data:`SHARES`, Th1 and Th2 in ``thresholds``, all else as given."""
    tried = itertools.product(SHARES, SHARES, thresholds, thresholds)
    return [replace(parameters, alpha=a, beta=b, th1=t, th2=u) for a, b, t, u in tried]


EXTENSIONS = ("synonyms", "parts", "rarity", "centred")
"""What may be on or off in a setting; each decides what SimH and SimD are."""

CHARACTERS = (0.0, 0.1, 0.2, 0.3, 0.4)
"""Weights of shared characters that :func:`choose_setting` tries."""

GLOSSES = (0.0, 0.1, 0.2, 0.3)
"""Weights of glosses that it tries."""


def choose_setting(
    files: Sequence[Sequence[JudgedPair]],
    thresholds: Sequence[float],
    measure: Callable[[ExtendedParameters], WordSimilarity],
    glosses: bool = False,
) -> tuple[ExtendedParameters, list[float]]:
    """The setting by which Algorithm 1 agrees best with people, by the mean of Spearman's ρ over ``files`` of pairs, and each ρ.
    Tried are each of :data:`EXTENSIONS` on or off, the weights of :data:`CHARACTERS` and :data:`GLOSSES`, the :func:`candidates`
    for α, β, Th1, Th2.

    Args:
        measure: makes the similarity of a setting; asked once for every choice of extensions.
        glosses: whether to try other weights of glosses than 0.
    """
    judged = [np.array([p.judgement for p in pairs]) for pairs in files]

    def best_of(form: ExtendedParameters) -> tuple[ExtendedParameters, list[float]]:
        similarity = measure(form)
        found = [Similarities.of(((p.first, p.second) for p in pairs), similarity) for pairs in files]

        def rhos(p: ExtendedParameters) -> list[float]:
            return [spearman(np.where(f.known, f.sim(p), 0.0), wanted) for f, wanted in zip(found, judged, strict=True)]

        weights = itertools.product(CHARACTERS, GLOSSES if glosses else GLOSSES[:1])
        tried = [one for c, g in weights for one in candidates(thresholds, replace(form, characters=c, glosses=g))]
        best, _ = choose(tried, lambda p: float(np.mean(rhos(p))))
        return best, rhos(best)

    forms = itertools.product((False, True), repeat=len(EXTENSIONS))
    plain = ExtendedParameters(glosses=GLOSSES[-1] if glosses else 0.0)  # above 0, so that they are read
    best = [best_of(replace(plain, **dict(zip(EXTENSIONS, flags, strict=True)))) for flags in forms]
    return max(best, key=lambda one: sum(one[1]))


def choose(given: Iterable[Parameters], measure: Callable[[Parameters], float]) -> tuple[Parameters, float]:
    """The constants with the highest measure, and that; of equals the first. A measure that is nan is the lowest.

    >>> choose([SimilarityParameters(alpha=a) for a in (0.1, 0.5, 0.9)], lambda p: -abs(p.alpha - 0.6))[0].alpha
    0.5
    """
    values = [(p, value) for p in given if (value := measure(p)) == value]
    if not values:
        raise ValueError("no constants of Algorithm 1 have a figure on these pairs. Remedy: give more pairs that differ")
    return max(values, key=lambda one: one[1])


@dataclass(frozen=True, slots=True)
class JudgementAgreement:
    """How a similarity orders judged pairs.

    Attributes:
        pairs, covered: all pairs, and those of which it knows both words.
        rho: Spearman's ρ over all pairs, 0 standing for a similarity that is not known; nan where it is not defined.
        rho_covered: Spearman's ρ over the covered pairs.
        interval, interval_covered: 95 % of either by the bootstrap.
    """

    pairs: int
    covered: int
    rho: float
    rho_covered: float
    interval: Interval
    interval_covered: Interval


def agreement(found: Floats, known: Bools, judged: Floats, seed: int, rounds: int = 1000) -> JudgementAgreement:
    """Correlate similarities with judgements of the same pairs.

    Args:
        found: the similarity of each pair.
        known: whether the similarity knows both words of it.
        judged: people's judgement of it.
        seed, rounds: of the bootstrap, see :func:`experiments.sampling.bootstrap`.

    >>> found = agreement(np.array([0.8, 0.1, 0.3]), np.array([True, True, True]), np.array([6.0, 1.0, 5.0]), seed=1)
    >>> found.pairs, found.covered, found.rho
    (3, 3, 1.0)
    """
    given = np.where(known, found, 0.0)
    inner, outer = given[known], judged[known]
    covered = int(known.sum())
    return JudgementAgreement(
        pairs=len(judged),
        covered=covered,
        rho=spearman(given, judged),
        rho_covered=spearman(inner, outer),
        interval=bootstrap(lambda i: spearman(given[i], judged[i]), len(judged), seed, rounds),
        interval_covered=bootstrap(lambda i: spearman(inner[i], outer[i]), covered, seed, rounds)
        if covered
        else (np.nan, np.nan),
    )


def spearman(a: Floats, b: Floats) -> float:
    """Spearman's rank correlation of two equally long samples, in [-1, 1]; equal values share their mean rank.

    nan where it is not defined: fewer than two values, or all values equal.

    >>> round(spearman(np.array([1.0, 2.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])), 4)
    0.9487
    """
    x, y = _ranks(a), _ranks(b)
    x, y = x - x.mean() if x.size else x, y - y.mean() if y.size else y
    spread = float(np.sqrt((x @ x) * (y @ y)))
    return float(np.clip(x @ y / spread, -1.0, 1.0)) if spread > 0 else float("nan")


def _ranks(values: Floats) -> Floats:
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return np.asarray((last - (sizes - 1) / 2)[group], dtype=np.float64)
