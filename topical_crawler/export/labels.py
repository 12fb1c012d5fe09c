"""Labels of a text for users of training data: domain, register, quality, bits per character.

Domains are the 22 main classes of the Chinese Library Classification (中国图书馆分类法), letters from A to Z. A text belongs to
the class of the phrases in ``fields.tsv`` nearest in meaning. ChineseWebText 2.0 (Zhang et al. 2024) has domains and quality
scores for the same use. Registers are those of the CORE corpus (Biber & Egbert 2018), reduced to seven, by the marks in
``registers.tsv``. Quality combines measures of MassiveText, C4 and FineWeb, also found in datatrove. Bits per character follow
the average log probability of words in peS2o (Soldaini & Lo 2023), by the frequencies in jieba's dictionary.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Any

import numpy as np

from topical_crawler.cleaning.characters import in_one_script
from topical_crawler.cleaning.quality import Measures, measure
from topical_crawler.export.rows import Column, ExportRow
from topical_crawler.meaning.encoder import Encoder
from topical_crawler.package_data import cells, data_folder
from topical_crawler.text.segment import normalise
from topical_crawler.text.wordlist import dictionary_counts

READ, ENCODED, OPENING, TITLE = 2_000, 500, 200, 100
"""Characters read of a text, of these by the encoder and for a dateline, and of a title."""
SHARPNESS = 20.0
"""Weight of the nearest phrases of a class against its others. At 0 all phrases count the same."""
NEAR = 0.1
"""Least cosine of a text to the phrases of its class."""
LAW = "D"
"""Class of laws, whatever they regulate."""
_WEIGHTS = {"news": 1.5, "official": 1.5, "technical": 0.7, "forum": 1.5, "literary": 1.3, "essay": 0.8, "commerce": 1.0}
"""Weight of a mark by register, from the first to win a tie to the last."""
_ARTICLE = re.compile(r"^第[一二三四五六七八九十百]+条", re.MULTILINE)
_DATELINE = re.compile("讯|訊|消息|日电|日電|报道|報道|记者|記者|新闻|新聞")
_ARTICLES = 3  # fewest of a law
_HAN = re.compile(r"[\u3400-\u9fff]+")

LABELS = (
    Column("domain", "text", "main class of the Chinese Library Classification, a letter; empty if no class is near"),
    Column("domain_score", "number", "cosine of the text to the nearest phrase of the class, 0 to 1"),
    Column("register", "text", f"{', '.join(_WEIGHTS)}; empty without marks"),
    Column("quality_score", "number", "form of the text, 0 to 1, by its measures"),
    Column("bits_per_character", "number", "bits per Chinese character, by the frequency of its words; high for rare words"),
)


def _table(name: str) -> list[list[str]]:
    return cells(data_folder().joinpath(name).read_text(encoding="utf-8"))


@cache
def _marks() -> dict[str, list[re.Pattern[str]]]:
    return {name: [re.compile(mark, re.MULTILINE) for mark in marks.split(" ")] for name, marks in _table("registers.tsv")}


def is_law(text: str) -> bool:
    """Return True if a text has numbered articles.

    >>> is_law("第一条 为了保护环境。\\n第二条 本条例适用于本市。\\n第三条 市政府负责。"), is_law("党课开讲")
    (True, False)
    """
    return len(_ARTICLE.findall(text)) >= _ARTICLES


def register(title: str, text: str) -> str:
    """Return the register with the most marks, "" without any.

    >>> register("通知", "新华社北京5月8日电 记者近日获悉，会议在京举行。")
    'news'
    """
    seen = in_one_script(f"{title}\n{text}")
    scores = {name: weight * sum(bool(mark.search(seen)) for mark in _marks()[name]) for name, weight in _WEIGHTS.items()}
    letters = sum(map(str.isalnum, text)) or 1
    scores["technical"] += min(6.0, 14 * sum(c.isascii() and c.isalpha() for c in text) / letters)  # code, names of programs
    scores["official"] += min(8.0, 2.0 * len(_ARTICLE.findall(text)))
    scores["news"] += 2.0 * bool(_DATELINE.search(text[:OPENING]))
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] else ""


def quality(measures: Measures, characters: int) -> float:
    """Return how much a text of so many ``characters`` looks like whole, varied Chinese prose, 0 to 1.

    The root of a product: sentences or long lines, Chinese, without repetition, without signs and numbers, not short.

    >>> quality(measure("各级党组织开展主题教育。" * 2), 24) < quality(measure("各级党组织开展主题教育。"), 400)
    True
    """
    prose = max(measures.sentences, _ramp(measures.line_length, 8, 32))
    varied = 1 - max(measures.repeated_lines, measures.repeated_phrases)
    clean = 1 - max(_ramp(measures.symbols, 0.05, 0.3), _ramp(measures.digits, 0.1, 0.5))
    size = 0.5 + 0.5 * _ramp(characters, 50, 400)
    return math.sqrt(max(0.0, prose * _ramp(measures.han, 0, 0.25) * varied * clean * size))


def _ramp(value: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (value - low) / (high - low)))


class Labels:
    """Labels of rows.

    Args:
        encoder: encoder for domains. None: no domains.
        cut: function to split a normalised text into the words of jieba's dictionary.
    """

    def __init__(self, encoder: Encoder | None, cut: Callable[[str], list[str]]) -> None:
        self._encoder, self._cut = encoder, cut

    def of(self, rows: Sequence[ExportRow]) -> list[dict[str, Any]]:
        """Return the labels of kept rows, values by the names of :data:`LABELS`.

        >>> from topical_crawler.text.segment import Segmenter
        >>> Labels(None, Segmenter().known).of([{"title": "", "text": "会议在京举行。记者获悉", "measures": {}}])[0]["register"]
        'news'
        """
        domains = self._domains(rows)
        found = []
        for row, (domain, score) in zip(rows, domains, strict=True):
            text = row["text"][:READ]
            measures = Measures(**row["measures"]) if row["measures"] else measure(row["text"])
            values = (domain, score, register(row["title"], text), quality(measures, len(row["text"])), self.bits(text))
            shown = (round(value, 4) if isinstance(value, float) else value for value in values)
            found.append({column.name: value for column, value in zip(LABELS, shown, strict=True)})
        return found

    def bits(self, text: str) -> float:
        """Return the bits per Chinese character of ``text``, 0 without such characters. Words missing in the dictionary count as
        its rarest.
        """
        counts, total = self._frequencies
        words = [word for word in self._cut(normalise(in_one_script(text))) if _HAN.fullmatch(word)]
        characters = sum(map(len, words))
        return sum(math.log2(total / counts.get(word, 1)) for word in words) / characters if characters else 0.0

    @cached_property
    def _frequencies(self) -> tuple[dict[str, int], int]:
        counts = {word: count for word, count in dictionary_counts() if _HAN.fullmatch(word)}
        return counts, sum(counts.values())

    @cached_property
    def _fields(self) -> tuple[list[str], Any, list[int]]:
        """Return the classes, the vectors of all their phrases, and the first row of each class."""
        assert self._encoder is not None
        classes = [(letter, phrases.split("|")) for letter, _, phrases in _table("fields.tsv")]
        starts = np.cumsum([0, *(len(phrases) for _, phrases in classes)])[:-1]
        vectors = self._encoder.encode([phrase for _, phrases in classes for phrase in phrases])
        return [letter for letter, _ in classes], vectors, starts.tolist()

    def _domains(self, rows: Sequence[ExportRow]) -> list[tuple[str, float]]:
        if self._encoder is None:
            return [("", 0.0)] * len(rows)
        letters, phrases, starts = self._fields
        texts = self._encoder.encode([row["text"][:ENCODED] for row in rows])
        titles = self._encoder.encode([row["title"][:TITLE] or row["text"][:ENCODED] for row in rows])
        cosines = (texts + titles) @ phrases.T / 2
        nearest = np.maximum.reduceat(cosines, starts, axis=1)
        scores = np.add.reduceat(np.exp(2 * SHARPNESS * cosines), starts, axis=1)
        best = [letters.index(LAW) if is_law(row["text"][:READ]) else int(scores[n].argmax()) for n, row in enumerate(rows)]
        found = [(letters[place], float(nearest[n, place])) for n, place in enumerate(best)]
        return [(letter if score >= NEAR else "", max(0.0, score)) for letter, score in found]
