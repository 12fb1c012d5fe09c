"""Scores of an extracted text against the true one.

White space is ignored: line breaks say nothing about the extraction.
"""

from __future__ import annotations

from collections import Counter


def ngram_f1(found: str, truth: str, n: int = 4) -> float:
    """F1 of the character n-grams of two texts as multisets, from 0 (nothing in common) to 1 (equal). Two texts
    shorter than ``n`` are compared as a whole.

    Args:
        found: the text to be scored.
        truth: the text it should be.
        n: length of the n-grams in characters, >= 1.

    >>> ngram_f1("各级 党组织", "各级党组织"), ngram_f1("天气预报", "各级党组织")
    (1.0, 0.0)
    >>> round(ngram_f1("首页 各级党组织要学习", "各级党组织要学习"), 3)  # 7 n-grams found, 5 true ones, all of these among the 7
    0.833
    """
    a, b = _grams(found, n), _grams(truth, n)
    if not a and not b:
        return float(_bare(found) == _bare(truth))
    return 2 * (a & b).total() / (a.total() + b.total())


def character_precision(found: str, truth: str) -> float:
    """Share of the characters of ``found`` that ``truth`` has too (as multisets), 0 to 1; 1 for an empty ``found``.

    >>> character_precision("首页党建工作", "党建工作会议")
    0.6666666666666666
    """
    bare = _bare(found)
    return _common(bare, _bare(truth)) / len(bare) if bare else 1.0


def character_recall(found: str, truth: str) -> float:
    """Share of the characters of ``truth`` that ``found`` has too (as multisets), 0 to 1; 1 for an empty ``truth``.

    >>> character_recall("党建", "党建工作")
    0.5
    """
    return character_precision(truth, found)


def _bare(text: str) -> str:
    return "".join(text.split())


def _grams(text: str, n: int) -> Counter[str]:
    bare = _bare(text)
    return Counter(bare[i : i + n] for i in range(len(bare) - n + 1))


def _common(a: str, b: str) -> int:
    return (Counter(a) & Counter(b)).total()
