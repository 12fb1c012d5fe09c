"""Measures of a text, and limits rejecting anything but running text.

The measures are usual filters of web corpora (repetition, symbols, lines other than sentences, as in the rules for MassiveText,
C4 and FineWeb), counted in characters, since Chinese does not separate words. The limits judge form, not content.

>>> measures = measure("各级党组织开展主题教育。\\n关注我们\\n关注我们\\n关注我们")
>>> measures.han, round(measures.sentences, 2), round(measures.repeated_lines, 2), measures.line_length
(1.0, 0.48, 0.17, 5.75)
>>> Limits().refusal(measure("★☆党建◆◇"), "zh")
'low quality: symbols'
"""

from __future__ import annotations

import dataclasses
import math
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from topical_crawler.cleaning.characters import HAN, common_han

GRAM = 10  # characters of a phrase checked for repetition, without white space
MOST_CHECKED = 200_000  # characters checked, at 100 bytes of memory each: 20 times as many as in a long article
SHORT = 200  # characters below which repetition and sentences are not limited: one line would decide, and a poem is no list
# Share of punctuation over which a text of rare characters is classical: a rhapsody, a herbal, an old word book.
CLASSICAL = 0.1

STOP_CHARACTERS = frozenset(  # frequent in running Chinese text, rare in menus
    "的一是不了在人有我他这個个這们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于於着著下自之年过過后後用所然"
)
VERSE_LINES = 6  # fewest lines of verse
VERSE_LENGTH = (5.0, 16.0)  # least and greatest mean of their letters: menus have words of four
VERSE_STOPS = 0.1  # least share of stop characters: menus and lists of keywords have .02 to .08, a song .3

LANGUAGE = "language"
REPETITION = "low quality: repetition"
SYMBOLS = "low quality: symbols"
NO_SENTENCES = "low quality: no sentences"
CHARACTERS = "low quality: characters"
REASONS = (LANGUAGE, REPETITION, SYMBOLS, NO_SENTENCES, CHARACTERS)  # results of `Limits.refusal`

_ENDS = tuple("。！？；：…!?;:.")
_CLOSING = "”’』」）)】》\"' "


@dataclass(frozen=True, slots=True)
class Measures:
    """Measures of a text: shares from 0 to 1, except ``line_length``. All 0 for an empty text."""

    han: float = 0.0  # share of Chinese characters in the letters and digits
    latin: float = 0.0  # share of Latin letters in them
    digits: float = 0.0  # share of digits in them
    punctuation: float = 0.0  # share of the characters other than white space
    symbols: float = 0.0  # share of signs such as # * … • │ ★ = and emoji in the characters other than white space
    sentences: float = 0.0  # share of the letters and digits in lines ending like a sentence
    common: float = 0.0  # share of the 1,000 most frequent characters in the Chinese ones
    line_length: float = 0.0  # mean letters and digits of a line
    repeated_lines: float = 0.0  # share of the letters and digits in repeated lines, except those right behind a new line
    repeated_phrases: float = 0.0  # share of the characters other than white space in repeated phrases of ten, without such lines


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on language and :class:`Measures`.

    The defaults refuse 2 of 11,055 news texts. For their prose, they refuse none of 840 Chinese articles from 24 sites, most of
    them on computing.

    A bound without a note applies to the measure of its name. A text with fewer sentences than ``min_sentences`` must have a
    ``line_length`` of ``min_line_length`` and a ``punctuation`` from ``min_punctuation`` to ``max_punctuation``, unlike bare
    lists of words.
    """

    languages: Collection[str] = ("zh",)  # ISO 639-1 codes of the accepted languages, empty for all
    min_han: float = 0.02  # low, for articles of mostly source code (0.3 refuses these)
    min_common: float = 0.4  # ignored if punctuation is over `CLASSICAL`
    max_symbols: float = 0.3
    max_digits: float = 0.6
    max_repeated_lines: float = 0.45
    max_repeated_phrases: float = 0.6
    max_repeated_code: float = 0.9  # in place of max_repeated_phrases if `latin` is over `code`: source code and formulas repeat
    code: float = 0.3
    min_sentences: float = 0.1
    min_line_length: float = 10.0
    min_punctuation: float = 0.02
    max_punctuation: float = 0.25

    @classmethod
    def of_language(cls, languages: Collection[str]) -> Limits:
        """Return limits on the language only."""
        bounds = {f.name: 0.0 if f.name.startswith("min_") else math.inf for f in dataclasses.fields(cls) if "_" in f.name}
        return cls(languages, **bounds)

    def refusal(self, measures: Measures, language: str, characters: int = SHORT, verse: bool = False) -> str:
        """Return the reason for refusing a text of so many ``characters``, one of :data:`REASONS`, or "".

        Verse needs no sentences.

        >>> Limits().refusal(measure("党建\\n支部\\n党员\\n组织\\n" * 30), "zh"), Limits().refusal(Measures(), "en")
        ('low quality: repetition', 'language')
        """
        if self.languages and language not in self.languages:
            return LANGUAGE
        if measures.symbols > self.max_symbols or measures.digits > self.max_digits:
            return SYMBOLS
        rare = measures.common < self.min_common and measures.punctuation <= CLASSICAL
        if language == "zh" and (measures.han < self.min_han or rare):
            return CHARACTERS
        if characters < SHORT:
            return ""
        max_repeated = self.max_repeated_code if measures.latin > self.code else self.max_repeated_phrases
        if measures.repeated_lines > self.max_repeated_lines or measures.repeated_phrases > max_repeated:
            return REPETITION
        if measures.sentences < self.min_sentences and not verse:
            wordy = self.min_punctuation <= measures.punctuation <= self.max_punctuation
            if not wordy or measures.line_length < self.min_line_length:
                return NO_SENTENCES
        return ""


def is_verse(lines: Sequence[str], below_headline: bool = False) -> bool:
    """Return True if short lines are verse or a song: mostly distinct and Chinese, with stop characters, unlike menus.

    Right ``below_headline``, lines without stop characters count as well.

    >>> is_verse(["月光照着我的窗", "远处有人把歌唱", "小河流过旧桥下", "流到我们的梦乡", "明年春天来得早", "我要回到那地方"])
    True
    >>> is_verse(["产品展示中心", "行业新闻动态", "人力资源招聘", "客户服务热线", "售后服务网点", "合作伙伴名录"])
    False
    """
    if not VERSE_LINES <= len(lines) <= 2 * len(set(lines)):
        return False
    letters = [character for line in lines for character in line if character.isalnum()]
    han = sum(_kind(letter) == "han" for letter in letters)
    stops = sum(letter in STOP_CHARACTERS for letter in letters)
    least, most = VERSE_LENGTH
    is_likely = below_headline or (len(letters) >= least * len(lines) and stops >= VERSE_STOPS * len(letters))
    return is_likely and len(letters) <= most * len(lines) and 2 * han > len(letters)


def measure(text: str) -> Measures:
    """Measure ``text``, one paragraph a line."""
    kinds: Counter[str] = Counter()
    counts = Counter(text)
    for character, count in counts.items():
        kinds[_kind(character)] += count
    common = sum(counts[character] for character in counts.keys() & common_han())
    letters = kinds["han"] + kinds["latin"] + kinds["digits"] + kinds["letters"]
    characters = letters + kinds["punctuation"] + kinds["symbols"]
    if not characters:
        return Measures()
    seen: set[str] = set()
    once: list[str] = []
    lines = in_sentences = repeated = 0
    is_new = False
    for line in filter(None, map(str.strip, text.split("\n"))):
        length = sum(map(str.isalnum, line))
        in_sentences += length if line.rstrip(_CLOSING).endswith(_ENDS) else 0
        alternates = is_new and line in seen  # a refrain, a clause
        is_new = line not in seen
        if not alternates:
            repeated += 0 if is_new else length
            once.append(line)
        lines += 1
        seen.add(line)
    per = 1 / letters if letters else 0.0
    return Measures(
        han=kinds["han"] * per,
        latin=kinds["latin"] * per,
        digits=kinds["digits"] * per,
        punctuation=kinds["punctuation"] / characters,
        symbols=kinds["symbols"] / characters,
        sentences=min(1.0, in_sentences * per),
        common=common / kinds["han"] if kinds["han"] else 0.0,
        line_length=letters / lines,
        repeated_lines=min(1.0, repeated * per),
        repeated_phrases=_repeated_phrases("".join("".join(once).split())[:MOST_CHECKED]),
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
    if character in "#*…•_@\\":  # punctuation in Unicode
        return "symbols"
    return {"P": "punctuation", "S": "symbols", "Z": "space", "C": "space"}.get(category[0], "letters")
