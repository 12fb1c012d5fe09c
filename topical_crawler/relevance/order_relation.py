"""Weights of nodes for TextRank: features of words, joined by the order-relation method G1 (Zhang et al., section 3.2).

G1 (Guo Yajun) asks for two things that a person can answer: the order of the features by their importance, and for each of them
how many times less it matters than the one before. The weights follow, without a matrix and without a check of consistency.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

FEATURES: Mapping[str, float] = {"title": 1.0, "frequency": 1.2, "part_of_speech": 1.4, "position": 1.2, "length": 1.2}
"""The features, most important first, each with r_k: how many times more the one before it matters (of the first: 1). Neither
order nor ratios are printed. The method's ratios go from 1.0 to 1.8: as important, slightly, clearly, much, far more."""

LONG = 4
"""Characters from which a word counts as long: most Chinese terms of a field have three or four."""
_BY_TAG = (("n", 1.0), ("eng", 1.0), ("j", 0.8), ("l", 0.8), ("i", 0.6), ("v", 0.6), ("a", 0.4))
_UNKNOWN_TAG = 1.0  # what the dictionary lacks is a name or a term
_OTHER_TAG = 0.2


def order_weights(ratios: Sequence[float]) -> tuple[float, ...]:
    """Weights of n features from the n − 1 ratios r_2 … r_n, r_k = w_{k−1} / w_k; they fall, and their sum is 1.

    w_n = 1 / (1 + Σ_{k=2}^{n} Π_{i=k}^{n} r_i),  w_{k−1} = r_k·w_k

    Raises:
        ValueError: a ratio below 1: the features are not in the order of their importance.

    >>> [round(weight, 4) for weight in order_weights([1.2, 1.4])]
    [0.4118, 0.3431, 0.2451]
    """
    for place, ratio in enumerate(ratios, 2):
        if not 1 <= ratio < float("inf"):
            raise ValueError(f"ratio r_{place} must be 1 or more, not {ratio!r}. Remedy: put the more important feature first")
    raw = [1.0]
    for ratio in reversed(ratios):
        raw.append(raw[-1] * ratio)
    total = sum(raw)
    return tuple(weight / total for weight in reversed(raw))


class NodeWeights:
    """w(v) of Eq. 2 for the words of a text.

    Args:
        tag: part of speech of a word in jieba's tags; "" for a word that the dictionary lacks.
        features: which features, most important first, with their ratios; see :data:`FEATURES`.

    Attributes:
        weights: of the features, by G1.

    Raises:
        ValueError: an unknown feature, or a ratio below 1.

    >>> node_weights = NodeWeights({"数据": "n", "分析": "vn", "方法": "n"}.get)
    >>> {word: round(weight, 2) for word, weight in node_weights.of(["数据", "分析", "方法", "数据"], {"数据"}).items()}
    {'数据': 0.94, '分析': 0.41, '方法': 0.44}
    """

    def __init__(self, tag: Callable[[str], str | None], features: Mapping[str, float] = FEATURES) -> None:
        for name in features:
            if name not in FEATURES:
                raise ValueError(f"there is no feature {name!r}. Known: {', '.join(FEATURES)}")
        self.weights = dict(zip(features, order_weights(list(features.values())[1:]), strict=True))
        self._tag = tag

    def of(self, words: Sequence[str], title: Collection[str]) -> dict[str, float]:
        """The weight of each distinct word, in [0, 1]: Σ of its features by their weights.

        Args:
            words: of the whole text, in order, with repetitions.
            title: the words of its title.
        """
        return {
            word: sum(self.weights[name] * value for name, value in features.items() if name in self.weights)
            for word, features in self.features(words, title).items()
        }

    def features(self, words: Sequence[str], title: Collection[str]) -> dict[str, dict[str, float]]:
        """The features of each distinct word, each in [0, 1].

        ``title``: 1 in the title, else 0. ``frequency``: against that of the most frequent word. ``part_of_speech``: names and
        nouns 1, fixed phrases 0.8, idioms and verbs 0.6, adjectives 0.4, others 0.2. ``position``: 1 for the first word of the
        text, falling evenly to 0 at its end. ``length``: characters of :data:`LONG`, at most 1.
        """
        counts = Counter(words)
        first = {word: place for place, word in reversed(list(enumerate(words)))}
        most = max(counts.values(), default=1)
        return {
            word: {
                "title": float(word in title),
                "frequency": count / most,
                "part_of_speech": self._of_tag(word),
                "position": 1 - first[word] / len(words),
                "length": min(1.0, len(word) / LONG),
            }
            for word, count in counts.items()
        }

    def _of_tag(self, word: str) -> float:
        tag = self._tag(word)
        if not tag:
            return _UNKNOWN_TAG
        return next((value for prefix, value in _BY_TAG if tag.startswith(prefix)), _OTHER_TAG)
