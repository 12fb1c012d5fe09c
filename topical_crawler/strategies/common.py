"""What several strategies share: reasons of a verdict, checks of parameters, packed arrays, the topic as a TF-IDF vector."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from math import fsum, isfinite
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topical_crawler.text.segment import Segmenter, normalise
from topical_crawler.text.statistics import Idf, Vsm, keyword_vector
from topical_crawler.topic.topic import Topic

MOST_REASONS = 8
"""Words named at most."""


def shares(parts: Mapping[str, float]) -> dict[str, float]:
    """The words that carry a relevance, with their shares of it, the heaviest first.

    Args:
        parts: what each word adds (> 0), in any unit.

    >>> shares({"支部": 1.0, "党建": 3.0})
    {'党建': 0.75, '支部': 0.25}
    """
    total = fsum(parts.values())
    heaviest = sorted(parts.items(), key=lambda item: (-item[1], item[0]))[:MOST_REASONS]
    return {word: round(part / total, 4) for word, part in heaviest}


def check_number(name: str, value: object) -> None:
    """Raises ValueError, naming the parameter, for what is no finite number of 0 or more."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not (isfinite(value) and value >= 0):
        raise ValueError(f"{name} must be a number of 0 or more, not {value!r}")


def check_count(name: str, value: object, least: int = 0) -> None:
    """Raises ValueError, naming the parameter, for what is no whole number of ``least`` or more."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be a whole number of {least} or more, not {value!r}")


def check_fields(parameters: Any, shares: Collection[str] = (), least: Mapping[str, int] = MappingProxyType({})) -> None:
    """Check the fields of a parameter class by the types of their defaults: a switch, a whole number, a number of 0 or more, or a
    text; fields of other types are left alone.

    Args:
        parameters: an instance of a dataclass.
        shares: numbers that must be from 0 to 1.
        least: the least value of whole numbers; 0 for others.

    Raises:
        ValueError: a value that does not fit; names the field.
    """
    for field in fields(parameters):
        name, value, kind = field.name, getattr(parameters, field.name), type(field.default)
        if name in shares:
            if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
                raise ValueError(f"{name} must be a number from 0 to 1, not {value!r}")
        elif kind is bool and not isinstance(value, bool):
            raise ValueError(f"{name} must be true or false, not {value!r}")
        elif kind is str and not isinstance(value, str):
            raise ValueError(f"{name} must be a text, not {value!r}")
        elif kind is int:
            check_count(name, value, least.get(name, 0))
        elif kind is float:
            check_number(name, value)


def packed(numbers: NDArray[Any], kind: str) -> str:
    """The numbers as a numpy ``kind`` that names its byte order (``<i4``), in base64."""
    return b64encode(numbers.astype(kind).tobytes()).decode()


def unpacked(text: str, kind: str) -> NDArray[Any]:
    """What :func:`packed` wrote; an array that cannot be written to.

    >>> unpacked(packed(np.array([3, 1, 2]), "<i4"), "<i4").tolist()
    [3, 1, 2]
    """
    return np.frombuffer(b64decode(text), dtype=kind)


class TopicVector:
    """sim(q, p) = Σ_{k∈q∩p} W_kq·W_kp / √(Σ_k W_kp² · Σ_k W_kq²) of a topic q and any text p.

    W_kp is the frequency of the word k in the text, times its IDF; W_kq has the weight of the topic term in place of a frequency.

    Args:
        terms: topic terms with their weights.
        segmenter: must know the terms.
        idf: of words in Chinese at large.

    >>> vector = TopicVector({"党建": 1.0, "支部": 1.0}, Segmenter(["党建", "支部"]), Idf.load())
    >>> vector.similarity("党建 支部") > vector.similarity("支部要闻") > vector.similarity("今日天气") == 0
    True
    """

    def __init__(self, terms: Mapping[str, float], segmenter: Segmenter, idf: Idf) -> None:
        self._segmenter = segmenter
        topic = keyword_vector(terms, idf)
        self._vsm = Vsm(topic, idf)
        self._terms = _any_of(topic)

    @classmethod
    def of(cls, topic: Topic, segmenter: Segmenter) -> TopicVector:
        """The vector of a topic, with the IDF of general Chinese."""
        return cls(topic.terms, segmenter, Idf.load())

    def similarity(self, text: str) -> float:
        """The cosine, from 0 for nothing in common to 1."""
        # Most texts around links hold nothing of the topic; to see that takes a tenth of cutting them into words.
        if not self._terms.search(normalise(text)):
            return 0.0
        return self._vsm.of(self._segmenter.content(text))

    def compare(self, text: str) -> tuple[float, dict[str, float]]:
        """The cosine, with the words that carry it and their shares of it, the most telling first, eight at most."""
        words = self._segmenter.content(text)
        return self._vsm.of(words), shares(self._vsm.parts(words))


def _any_of(terms: Iterable[str]) -> re.Pattern[str]:
    """Finds any of the terms in a normalised text. Grouped by their first character, so that few are tried at a place."""
    rests: dict[str, list[str]] = {}
    for term in sorted(terms):
        rests.setdefault(term[0], []).append(re.escape(term[1:]))
    return re.compile("|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in rests.items()))
