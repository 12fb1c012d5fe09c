r"""What a text looks like in figures, and which figures no article has.

The measures are those by which web corpora are filtered (repetition, symbols, lines that are no sentences, as in the rules for
MassiveText, C4 and FineWeb), counted in characters, since Chinese has no spaces between words. They say nothing about what a
text says: the limits only refuse what is no running text, and are set on real articles so that hardly any of them is.

>>> found = measure("各级党组织开展主题教育。\n关注我们\n关注我们")
>>> found.han, round(found.sentences, 2), round(found.repeated_lines, 2), found.line_length
(1.0, 0.58, 0.21, 6.333333333333333)
>>> Limits().refusal(measure("★☆党建◆◇"), "zh")
'low quality: symbols'
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from topical_crawler.cleaning.characters import HAN, common_han

GRAM = 10
"""Characters of the phrases of which repetitions are counted; white space is left out."""
SHORT = 200
"""Characters of a text below which repetitions, lines and sentences are not held against the limits: one line decides there, and
a poem is no list."""

LANGUAGE = "language"
REPETITION = "low quality: repetition"
SYMBOLS = "low quality: symbols"
NO_SENTENCES = "low quality: no sentences"
CHARACTERS = "low quality: characters"
REASONS = (LANGUAGE, REPETITION, SYMBOLS, NO_SENTENCES, CHARACTERS)
"""All that :meth:`Limits.refusal` may answer."""

_LEAST = ("min_han", "min_common", "min_sentences")
_MOST = ("max_symbols", "max_digits", "max_repeated_lines", "max_repeated_phrases", "max_repeated_code")

_ENDS = frozenset("。！？；：…!?;:.")
_CLOSING = "”’』」）)】》\"' "


@dataclass(frozen=True, slots=True)
class Measures:
    """Figures of a text, 0 to 1 where nothing else is said; all are 0 for an empty one.

    Attributes:
        han: Chinese characters among letters and digits.
        latin: Latin letters among letters and digits.
        digits: digits among letters and digits.
        punctuation: punctuation among all characters but white space.
        symbols: signs such as # * … • │ ★ = and emoji among all characters but white space.
        sentences: letters and digits in lines that end like a sentence, among all.
        common: the 1,000 most frequent characters among the Chinese ones; 0 where there are none.
        line_length: mean letters and digits of a line, >= 0.
        repeated_lines: letters and digits in lines that stood in the text before, among all.
        repeated_phrases: characters in phrases of ten that stood in the text before, among all but white space.
    """

    han: float = 0.0
    latin: float = 0.0
    digits: float = 0.0
    punctuation: float = 0.0
    symbols: float = 0.0
    sentences: float = 0.0
    common: float = 0.0
    line_length: float = 0.0
    repeated_lines: float = 0.0
    repeated_phrases: float = 0.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Which measures a text may have. The defaults refuse 2 of 11,055 news texts and 2 of 1,284 Chinese articles on computing
    with source code and formulas (14 of 3,006 of all kinds), and of made texts all lists of key words, with whatever between
    them, all of repeated lines, of symbols and of figures.

    Attributes:
        languages: ISO 639-1 codes of the languages that are taken; empty: all.
        min_han: least ``han``. Low, for articles that are mostly source code; 0.3 refuses these.
        min_common: least ``common``.
        max_symbols, max_digits: most ``symbols`` and ``digits``.
        max_repeated_lines: most ``repeated_lines``.
        max_repeated_phrases: most ``repeated_phrases``.
        max_repeated_code: the same for a text of which more than ``code`` is ``latin``: source code and formulas repeat
            themselves.
        code: see ``max_repeated_code``.
        min_sentences: a text with less in ``sentences`` is looked at more closely: it must have lines of ``min_line_length``,
            and a share of punctuation between ``min_punctuation`` and ``max_punctuation``. Bare lists of words have not.
        min_line_length, min_punctuation, max_punctuation: see ``min_sentences``.
    """

    languages: Collection[str] = ("zh",)
    min_han: float = 0.02
    min_common: float = 0.4
    max_symbols: float = 0.3
    max_digits: float = 0.6
    max_repeated_lines: float = 0.45
    max_repeated_phrases: float = 0.6
    max_repeated_code: float = 0.9
    code: float = 0.3
    min_sentences: float = 0.1
    min_line_length: float = 10.0
    min_punctuation: float = 0.02
    max_punctuation: float = 0.25

    @classmethod
    def of_language(cls, languages: Collection[str]) -> Limits:
        """No limits but that of the language."""
        return cls(languages, **dict.fromkeys(_LEAST, 0.0), **dict.fromkeys(_MOST, float("inf")))

    def refusal(self, measures: Measures, language: str, characters: int = SHORT) -> str:
        """Why a text is refused, one of :data:`REASONS`; "" if it is not.

        Args:
            measures: of the text.
            language: of the text, ISO 639-1.
            characters: length of the text; see :data:`SHORT`.

        >>> Limits().refusal(measure("党建\\n支部\\n党员\\n组织\\n" * 30), "zh"), Limits().refusal(Measures(), "en")
        ('low quality: repetition', 'language')
        """
        if self.languages and language not in self.languages:
            return LANGUAGE
        if measures.symbols > self.max_symbols or measures.digits > self.max_digits:
            return SYMBOLS
        if language == "zh" and (measures.han < self.min_han or measures.common < self.min_common):
            return CHARACTERS
        if characters < SHORT:
            return ""
        most = self.max_repeated_code if measures.latin > self.code else self.max_repeated_phrases
        if measures.repeated_lines > self.max_repeated_lines or measures.repeated_phrases > most:
            return REPETITION
        if measures.sentences < self.min_sentences:
            wordy = self.min_punctuation <= measures.punctuation <= self.max_punctuation
            if not wordy or measures.line_length < self.min_line_length:
                return NO_SENTENCES
        return ""


def measure(text: str) -> Measures:
    """Measure ``text``, one paragraph a line."""
    kinds: Counter[str] = Counter()
    common = 0
    usual = common_han()
    for character, count in Counter(text).items():
        kind = _kind(character)
        kinds[kind] += count
        if kind == "han" and character in usual:
            common += count
    letters = kinds["han"] + kinds["latin"] + kinds["digits"] + kinds["letters"]
    characters = letters + kinds["punctuation"] + kinds["symbols"]
    if not characters:
        return Measures()
    lines: Counter[str] = Counter()
    in_sentences = repeated = 0
    for line in filter(None, map(str.strip, text.split("\n"))):
        length = sum(map(str.isalnum, line))
        if line.rstrip(_CLOSING)[-1:] in _ENDS:
            in_sentences += length
        if line in lines:
            repeated += length
        lines[line] += 1
    per = 1 / letters if letters else 0.0
    return Measures(
        han=kinds["han"] * per,
        latin=kinds["latin"] * per,
        digits=kinds["digits"] * per,
        punctuation=kinds["punctuation"] / characters,
        symbols=kinds["symbols"] / characters,
        sentences=min(1.0, in_sentences * per),
        common=common / kinds["han"] if kinds["han"] else 0.0,
        line_length=letters / lines.total(),
        repeated_lines=min(1.0, repeated * per),
        repeated_phrases=_repeated_phrases("".join(text.split())),
    )


def _repeated_phrases(text: str) -> float:
    seen: set[str] = set()
    covered = end = 0
    for start in range(len(text) - GRAM + 1):
        phrase = text[start : start + GRAM]
        if phrase in seen:
            covered += start + GRAM - max(start, end)
            end = start + GRAM
        else:
            seen.add(phrase)
    return covered / len(text) if text else 0.0


@lru_cache(maxsize=50_000)
def _kind(character: str) -> str:
    code = ord(character)
    if any(first <= code <= last for first, last in HAN):
        return "han"
    category = unicodedata.category(character)
    if category[0] == "L":
        return "latin" if code < 0x250 or 0xFF21 <= code <= 0xFF5A else "letters"
    if category[0] == "N":
        return "digits"
    if character in "#*…•_@\\":  # punctuation to Unicode
        return "symbols"
    return {"P": "punctuation", "S": "symbols", "Z": "space", "C": "space"}.get(category[0], "letters")
