"""Extraction of the topical words from a sentence about a topic.

>>> reading = read("介绍新能源汽车的原理", lambda word: False)
>>> reading.words, reading.compounds, reading.left_out, reading.function_words
(['新能源', '汽车'], {'新能源汽车': '新能源 + 汽车'}, ['介绍', '原理'], ['的'])
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from topical_crawler.authoring.candidates import has_good_edges
from topical_crawler.text.segment import CONTENT_TAGS, Segmenter, default_stopwords, lexicon_words, normalise
from topical_crawler.text.statistics import language

_MAX_JOINED = 4
_GENERAL_IDF, _RARE_IDF = 3.0, 9.0
RARE, _SPECIFIC = 0.9, 0.8
"""Least specificity of a topical word of any kind, and of a noun by itself."""
_CIRCUMSTANCES, _LEAST_TELLING = ("f", "s", "t", "b", "z"), 0.4
"""Tags of words for places, times, kinds and states, and the least specificity of topical ones: 海外, 宋代, 刑事 and 前端 are,
主要 and 附近 are not."""
_FUNCTION_TAGS = ("c", "d", "e", "o", "p", "r", "u", "y")
_QUOTED = '[“"「『《](\\w{2,8})[”"」』》]'
_BREAKS = frozenset(
    ("相关", *"a an the of in on at for to with and or from by as is are how what about into using vs".split())  # noqa: SIM905
)
"""Function words missing or mistagged in the dictionary. 相关 stands between the words for a topic."""

Known = Callable[[str], bool]
"""Lookup of a word in a resource."""


@dataclass(frozen=True, slots=True)
class Reading:
    """All words of a sentence, normalised, each group in the order of the sentence and without duplicates.

    Attributes:
        words: topical by themselves.
        compounds: two neighbouring words, or one with a character or letter beside it, or with a requested aspect, each with
            its two parts, as in ``新能源 + 汽车``.
        parts: components of longer words, each with the cut, as in ``医学 + 知识``.
        left_out: the rest except function words: words about the request, place or time, quantities, and letters and words of
            one character, unfit as terms.
        function_words: such as 的 and 与.
    """

    words: list[str]
    compounds: dict[str, str]
    parts: dict[str, str]
    left_out: list[str]
    function_words: list[str]


def read(sentence: str, known: Known) -> Reading:
    """Read a sentence in simplified characters. ``known`` tells if neighbours form one word."""
    segmenter = Segmenter(stopwords=lexicon_words("stopwords.txt"))
    joined = list(_joined(_cut(normalise(sentence), segmenter), segmenter, known))
    phrases = [[*run] for fits, run in itertools.groupby(joined, lambda w: _is_word(w, segmenter) or _is_attribute(w)) if fits]
    runs = [_without_request(phrase) for phrase in phrases]
    beside = (word for run in runs for word in run if len(run) == 1 or word not in default_stopwords())
    words = _words(beside, segmenter) or _words(itertools.chain(*phrases), segmenter)
    compounds = {word: cut for word, cut in _compounds(runs).items() if word not in words}
    taken = " ".join((*words, *compounds))
    subjects = (phrase for phrase, run in zip(phrases, runs, strict=True) if len(phrase) == 2 and run == phrase[:1])
    compounds |= {word: cut for word, cut in _compounds(subjects).items() if word not in {*words, *compounds}}  # 编译原理
    parts: dict[str, str] = {}
    for word in words:
        new = (part for part in _parts(word, segmenter) if part not in {*words, *compounds, *parts})
        parts |= {part: " + ".join(filter(None, word.partition(part))) for part in new}
    rest = dict.fromkeys(w for w in joined if w not in taken and any(map(str.isalnum, w)))
    function_words = [word for word in rest if _is_function_word(word)]
    return Reading(words, compounds, parts, [word for word in rest if word not in function_words], function_words)


def why_left_out(word: str) -> str:
    """Return the reason against a word of a sentence as a term, for display.

    >>> why_left_out("的"), why_left_out("锁"), why_left_out("原理"), why_left_out("2023年")
    ('function word', 'single character', 'says what is wanted of the topic', 'quantity')
    """
    if _is_function_word(word):
        return "function word"
    if _is_request(word):
        return "says what is wanted of the topic"
    if _is_quantity(word):
        return "quantity"
    return "single character" if len(word) == 1 else "too general"


def specificity(word: str) -> float:
    """Return the specificity of a word, 0.05 (进行) to 1: its inverse document frequency in jieba's table, with 3 to 9 mapped
    to 0 to 1.

    A word missing in the table is rare: 1.

    >>> round(specificity("工作"), 2), round(specificity("软件"), 2), specificity("操作系统")
    (0.2, 0.73, 1.0)
    """
    rate = language().rate(word)
    idf = -math.log(rate) if rate else _RARE_IDF
    return min(1.0, max(0.05, (idf - _GENERAL_IDF) / (_RARE_IDF - _GENERAL_IDF)))


def is_specific_noun(word: str) -> bool:
    """Return True for a noun absent from most texts.

    >>> is_specific_noun("硬件"), is_specific_noun("管理")
    (True, False)
    """
    return language().tag(word).startswith("n") and specificity(word) >= _SPECIFIC


# -- Cutting and joining


def _cut(sentence: str, segmenter: Segmenter) -> list[str]:
    """Segment a sentence, including words missing in jieba's dictionary: jieba cuts 大数据处理 into 大 + 数据处理.

    Quoted text is one word (“双减”, 《红楼梦》). So are a name with a number (歼-20) and a quantity (2023年).
    """
    names = {word for word in lexicon_words("same_words.txt") if len(word) > 3 and not word.isascii()}
    longest_first = sorted(names | lexicon_words("new_words.txt"), key=lambda w: (-len(w), w))
    pieces, place = [], 0
    for whole in re.finditer(f"{_QUOTED}|({'|'.join(map(re.escape, longest_first))})", sentence):
        pieces += [*segmenter.cut(sentence[place : whole.start()]), whole[whole.lastindex or 0]]
        place = whole.end()
    pieces += segmenter.cut(sentence[place:])
    words = [""]
    for piece, then in itertools.pairwise([*pieces, ""]):
        if piece.isdecimal() and words[-1] == "-":
            words[-2:] = ["".join(words[-2:]) + piece]
        elif len(piece) == 1 and piece.isalpha() and (words[-1].isdecimal() or _is_split(words[-1], piece)):
            words[-1] += piece
        else:
            words += piece if _is_misread(words[-1], piece, then) else [piece]
    return words


def _is_split(first: str, second: str) -> bool:
    """Return True for two characters that form a dictionary word too rare for the segmentation: 心学 in 王阳明心学."""
    return len(first) == 1 and language().tag(first + second).startswith(CONTENT_TAGS)


def _is_misread(before: str, word: str, then: str) -> bool:
    """Return True for a stop word and a character mistaken for a new word: 机等 in 支持向量机等, but not 绘本, nor 蔚来 alone
    in a list.
    """
    if len(word) != 2 or language().tag(word) or not (before[-1:].isalnum() or then[:1].isalnum()):
        return False
    first, second = map(language().tag, word)
    numbers = first.startswith(("m", "f")) and second.startswith(("n", "v"))
    names = second.startswith(("n", "q", "r", "v"))
    return (word[0] in default_stopwords() and not numbers) or (word[1] in default_stopwords() and not names)


def _joined(words: Sequence[str], segmenter: Segmenter, known: Known) -> Iterator[str]:
    """Join pieces of words.

    * The longest known runs.
    * Two or three single characters in a row (冲 + 煮, 定 + 投).
    * A character with the word before it (:func:`_is_suffix`).
    * A letter with the word behind it (C + 语言, A + 股), unless a word stands before it, too.
    """
    place = 0
    while place < len(words):
        before = words[place - 1] if place else ""
        for length in range(min(_MAX_JOINED, len(words) - place), 0, -1):
            run = words[place : place + length]
            if length == 1 or _is_known(run, segmenter, known):
                break
        if len(run) == 1:
            alone = list(itertools.takewhile(_is_character, words[place:]))
            behind = words[place + len(alone) :][:1]
            run = alone if len(alone) in (2, 3) and not any(map(segmenter.is_content, behind)) else run
            run = run if before.isalnum() else _item(words[place:]) or run
        place += len(run)
        after, then = [*words[place : place + 2], "", ""][:2]
        names = segmenter.is_content(after) or _is_character(after)
        to_behind = _is_letter("".join(run)) and names and not segmenter.is_content(before)
        if to_behind or (segmenter.is_content(run[-1]) and _is_suffix(after, run[-1], then)):
            run, place = [*run, after], place + 1
        yield "".join(run)


def _item(words: Sequence[str]) -> list[str]:
    """Return the two or three characters of a whole list item, even if one of them is a stop word (、和声、)."""
    item = list(itertools.takewhile(lambda word: len(word) == 1 and word.isalpha() and not word.isascii(), words))
    ends = not any(map(str.isalnum, words[len(item) :][:1]))
    return item if ends and len(item) in (2, 3) and any(map(_is_character, item)) else []


def _is_known(run: Sequence[str], segmenter: Segmenter, known: Known) -> bool:
    """Return True if a resource knows the run as one topical word. Vectors also have 三大 and 操作系统原理."""
    edge = run[0] in default_stopwords() or run[-1] in default_stopwords() or _is_request(run[-1])
    return not edge and known("".join(run)) and has_good_edges("".join(run), segmenter)


def _is_suffix(character: str, word: str, then: str) -> bool:
    """Return True if a character belongs to the word before it.

    It does as a noun (区块 + 链), beside Latin letters (UP + 主), and at the end of a phrase (家常菜 + 谱).
    """
    if not _is_character(character):
        return False
    at_end = not then.isalnum() or language().tag(then).startswith(("c", "p", "u"))
    return language().tag(character) in ("n", "ng") or word.isascii() or at_end


# -- Kinds of words


def _words(candidates: Iterable[str], segmenter: Segmenter) -> list[str]:
    return [word for word in dict.fromkeys(candidates) if _is_word(word, segmenter)]


def _is_word(word: str, segmenter: Segmenter) -> bool:
    """Return True if a word is topical by itself.

    Some are function words by their tag: the dictionary calls 虚拟机 an attribute, 随笔 an adverb, 高中 a place, and 宋代 a
    time.
    """
    if len(word) < 2 or word in lexicon_words("stopwords.txt") | _BREAKS or _is_quantity(word):
        return False
    least = _LEAST_TELLING if language().tag(word).startswith(_CIRCUMSTANCES) else RARE
    return segmenter.is_content(word) or (word.isalpha() and specificity(word) >= least)


def _is_quantity(word: str) -> bool:
    """Return True for a number with its unit (2023年, 100道), but not for a type (055型)."""
    return word[:-1].isdecimal() and not word[-1].isascii() and word[-1] != "型"


def _is_attribute(word: str) -> bool:
    """Return True if a word belongs to its neighbour: a letter, a character (长 + 难句), an adverb (持续 + 集成)."""
    if len(word) == 1:
        return _is_letter(word) or _is_character(word)
    return word.isalpha() and word not in lexicon_words("stopwords.txt") | _BREAKS


def _is_letter(word: str) -> bool:
    return len(word) == 1 and word.isascii() and word.isalpha()


def _is_character(word: str) -> bool:
    """Return True for a single character that names something."""
    if len(word) != 1 or word.isascii() or word in default_stopwords() or _is_request(word):
        return False
    return word.isalpha() and not language().tag(word).startswith(_FUNCTION_TAGS)


def _is_function_word(word: str) -> bool:
    return word in default_stopwords() | _BREAKS or (len(word) == 1 and language().tag(word).startswith(_FUNCTION_TAGS))


def _without_request(run: Sequence[str]) -> list[str]:
    """Strip words about the request at the end (物联网 + 技术), and verbs about it at the beginning (介绍 + 文件系统)."""
    start = list(itertools.dropwhile(lexicon_words("request_verbs.txt").__contains__, run))
    return list(itertools.dropwhile(_is_request, start[::-1]))[::-1]


def _is_request(word: str) -> bool:
    """Return True for a word about the request for a topic: one in the lists, or two of them together (资料汇编)."""
    listed = lexicon_words("request_words.txt") | lexicon_words("request_verbs.txt")
    return word in listed or {word[:2], word[2:]} <= listed


# -- Compounds and components


def _compounds(runs: Iterable[Sequence[str]]) -> dict[str, str]:
    pairs = (pair for run in runs for pair in itertools.pairwise(run))
    return {"".join(pair): " + ".join(pair) for pair in pairs if _are_one(*pair)}


def _are_one(first: str, second: str) -> bool:
    """Return True if two neighbours also form a term together.

    They do as two words of two or three characters (新能源 + 汽车), a character and the word behind it (长 + 难句), or a word
    and a letter (维生素 + C).
    """
    if _is_letter(second):
        return len(first) > 1
    return len(first) <= 3 and 2 <= len(second) <= (4 if len(first) == 1 else 3)


def _parts(word: str, segmenter: Segmenter) -> list[str]:
    """Return the components of a word.

    These are two dictionary words (计算机硬件: 计算机, 硬件), in a fixed phrase only specific nouns (操作系统: none), or a word
    before a character (房地产税: 房地产, 糖尿病人: 糖尿病).
    """
    cuts = [(word[:i], word[i:]) for i in range(2, len(word) - 1)]
    parts = [part for cut in cuts if all(map(language().tag, cut)) for part in cut if segmenter.is_content(part)]
    if not language().tag(word).startswith(("n", "j")):  # jieba tags fixed phrases l and i
        parts = list(filter(is_specific_noun, parts))
    head, *rest = segmenter.cut(word)
    joined = len(rest) == len("".join(rest)) == 1 and segmenter.is_content(head) and rest[0] not in default_stopwords()
    longer = len(word) > 3 and language().tag(word[:-1]) == "n" and language().rate(word[:-1]) > language().rate(word[:2])
    parts += [head] * joined + [word[:-1]] * longer
    return [part for part in parts if not _is_request(part)]
