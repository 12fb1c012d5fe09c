"""The first terms of a topic: from a sentence, keywords, example texts or a category, with the words near them.

>>> start = from_sentence("新能源汽车的原理")
>>> [term.word for term in start.terms], start.left_out
(['新能源', '汽车', '新能源汽车'], ['原理'])
"""

from __future__ import annotations

import functools
import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from topical_crawler.authoring.candidates import find_candidates, has_good_edges
from topical_crawler.authoring.folder import ADJUST, TERMS, WEIGHTS, TopicFolder, Written, check_term
from topical_crawler.authoring.neighbours import propose, specificity
from topical_crawler.cleaning.characters import scripts, to_simplified, to_traditional
from topical_crawler.package_data import data_folder
from topical_crawler.resources.categories import GENERATIONS, CategoryTree
from topical_crawler.resources.cilin import Cilin
from topical_crawler.resources.hownet import HowNet
from topical_crawler.resources.registry import Resources
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.text.segment import CONTENT_TAGS, Segmenter, default_stopwords, lexicon_words, normalise
from topical_crawler.text.statistics import language
from topical_crawler.topic.files import MAX_WORD, MEAN, TopicError

GENERAL, GENERAL_WEIGHT, PART_WEIGHT = 0.6, 0.5, 0.25
"""Words of a specificity below the first (教育) tell little and weigh the second, parts of words (网络 of 网络游戏) the third."""
WORD, COMPOUND, PART, SAME = "sentence", "sentence: neighbours", "sentence: part of a word", "other name of"
"""Why a word of a sentence is a term."""
NEIGHBOURS = 60
"""How many words near the first terms a topic begins with."""
SHARE = 0.3
"""Weight of a neighbour of score 1, in weights of a first term: without neighbours a crawl misses texts, at full weight they
spoil the order of the first pages (docs/decisions.md)."""
SHORT_FORM = 0.5
"""Least cosine of a term and a short form of it."""
LONGEST = 8
"""Characters of a term of which short forms are looked for: their number doubles with each."""
KEYWORDS = 20
"""How many words of example texts become terms."""
_MAX_JOINED = 4
_GENERAL_NOUN = 0.5
_RARE = 0.9
_CIRCUMSTANCES, _LEAST_TELLING = ("f", "s", "t", "b", "z"), 0.4
"""Tags of words for places, times, kinds and states, and the specificity from which they tell a topic: 海外, 宋代, 刑事 and 前端
do, 主要 and 附近 do not."""
_TELLING = 0.8
_NOUNS = ("n", "vn", "an", "j", "l", "i", "eng")

_QUOTED = '[“"「『《](\\w{2,8})[”"」』》]'
_NUMBERED = "(?<![\u4e00-\u9fff])([\u4e00-\u9fff]{1,2}-[0-9]+)(?![0-9])"
_BREAKS = frozenset("相关 a an the of in on at for to with and or from by as is are how what about into using vs".split())
"""Function words that the dictionary lacks or takes for others; 相关 stands between the words for a topic."""

Known = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class FirstTerm:
    """A term that a topic begins with.

    Attributes:
        word: normalised.
        weight: in weights of the mean word, above 0; nan for a term that the user named: it weighs the mean, 1.
        why: where it comes from, to be shown.
        yours: whether the user named it; any without weight is.
    """

    word: str
    weight: float
    why: str
    yours: bool = False

    @property
    def in_means(self) -> float:
        """The weight, 1 for a term without one."""
        return 1.0 if math.isnan(self.weight) else self.weight


@dataclass
class Start:
    """What a topic begins with.

    Attributes:
        terms: best source first, no word twice.
        left_out: words that say what is wanted of the topic, and not what it is.
    """

    terms: list[FirstTerm] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def words(self) -> list[str]:
        """The terms that are neither made of others nor other names of them."""
        return [t.word for t in self.terms if t.why not in (COMPOUND, PART) and not t.why.startswith(SAME)]

    def add(self, other: Start) -> None:
        """Append what another source gives; the first occurrence of a word counts."""
        present = {term.word for term in self.terms}
        self.terms += [term for term in other.terms if term.word not in present]
        self.left_out += [word for word in other.left_out if word not in present and word not in self.left_out]


def from_sentence(sentence: str, known: Known = lambda word: False) -> Start:
    """The words of a sentence without function words and without words about the request (``lexicon/request_words.txt``), unless
    there are no others.

    Two adjacent words of two or three characters each (新能源 + 汽车) are also a term together, as are a word and a character or
    letter beside it (长 + 难句, 维生素 + C); what stands on any page (推荐, 图片) only so if it has a neighbour. So is what longer
    words are made of (硬件 in 计算机硬件): most texts use it instead. What is quoted is one word. Of a sentence in traditional
    characters the terms are simplified, with the forms in it as other names.

    Args:
        sentence: what the topic is about.
        known: whether a resource knows a word; adjacent words that it knows as one (机器 + 学习) are joined.

    Returns:
        Terms without weight; words of general use weigh :data:`GENERAL_WEIGHT`, parts but specific nouns :data:`PART_WEIGHT`.
    """
    segmenter = Segmenter(stopwords=_lexicon("stopwords.txt"))
    traditional = not scripts()[1].isdisjoint(sentence)
    written = to_simplified(normalise(sentence)) if traditional else normalise(sentence)
    joined = list(_joined(_cut(written, segmenter), segmenter, known))
    said = [list(run) for kept, run in itertools.groupby(joined, lambda w: _is_term(w, segmenter) or _is_attribute(w)) if kept]
    runs = [_without_request(run) for run in said]
    beside = (w for run in runs for w in run if len(run) == 1 or w not in default_stopwords())
    terms_of = lambda candidates: list(dict.fromkeys(w for w in candidates if _is_term(w, segmenter)))
    words = terms_of(beside) or terms_of(itertools.chain(*said))
    pairs = (pair for run in runs for pair in itertools.pairwise(run) if _are_one(*pair))
    compounds = dict.fromkeys(compound for pair in pairs if (compound := "".join(pair)) not in words)
    parts = dict.fromkeys(p for w in words for p in _parts(w, segmenter) if p not in {*words, *compounds})
    lesser = GENERAL_WEIGHT if compounds or not all(map(_is_general, words)) else math.nan
    terms = [FirstTerm(w, lesser if _is_general(w) else math.nan, WORD, yours=True) for w in words]
    terms += [FirstTerm(w, math.nan, COMPOUND, yours=True) for w in compounds]
    terms += [FirstTerm(w, math.nan if _is_specific_noun(w) else PART_WEIGHT, PART) for w in parts]
    if traditional:
        forms = ((term, to_traditional(term.word)) for term in terms)
        terms += [FirstTerm(form, term.weight, f"{SAME} {term.word}") for term, form in forms if form != term.word]
    taken = "".join(term.word for term in terms)
    return Start(
        terms,
        [
            w
            for w in dict.fromkeys(joined)
            if w not in taken and len(w) > 1 and w.isalpha() and w not in _lexicon("stopwords.txt")
        ],
    )


def read_sentence(sentence: str, resources: Resources, cache_dir: Path | None = None) -> Start:
    """What a sentence begins a topic with: its words, joined as the resources know them, and other names of them."""
    start = from_sentence(sentence, known_words(resources, cache_dir))
    start.add(Start(other_names(start.terms)))
    return start


def other_names(terms: Sequence[FirstTerm]) -> list[FirstTerm]:
    """Other words for the same as the terms (``lexicon/same_words.txt``), which weigh as much.

    >>> [(term.word, term.why) for term in other_names(from_sentence("环境保护与税收").terms)]
    [('环保', 'other name of 环境保护')]
    """
    lines = data_folder().joinpath("same_words.txt").read_text(encoding="utf-8").splitlines()
    groups = [list(map(normalise, line.split())) for line in lines if not line.startswith("#")]
    group_of = {word: group for group in groups for word in group}
    present = {term.word for term in terms}
    others = {other: term for term in terms for other in group_of.get(term.word, ()) if other not in present}
    return [FirstTerm(other, term.weight, f"{SAME} {term.word}") for other, term in others.items()]


def from_keywords(keywords: Iterable[str]) -> Start:
    """Keywords that the user named, each a term as it is."""
    words = dict.fromkeys(word for keyword in keywords if (word := normalise(keyword).strip()))
    return Start([FirstTerm(word, math.nan, "keyword") for word in words])


def from_texts(texts: Sequence[str], n: int = KEYWORDS) -> Start:
    """The ``n`` words and phrases that distinguish example texts most from general Chinese.

    Ranked by TF-IDF times the root of the number of texts with the word; the weight is the root of the score relative to the
    best, because counts are skewed.

    >>> [term.word for term in from_texts(["内核调度进程。进程等待信号量。", "调度器选择进程，内核切换进程。"], 2).terms]
    ['进程', '内核']
    """
    texts = [normalise(text) for text in texts]
    new = find_candidates(texts, 3, (), Segmenter) if len(texts) > 1 else {}
    segmenter = Segmenter(new)
    count: Counter[str] = Counter()
    spread: Counter[str] = Counter()
    for text in texts:
        words = Counter(w for w in segmenter.cut(text) if segmenter.is_content(w))
        count.update(words)
        spread.update(words.keys())
    # In general Chinese; a word that no document there contains counts as in half a document.
    idf = {w: -math.log(language().rate(w) or 0.5 / language().documents) for w in count}
    plain = Segmenter()
    scores = {w: n * math.sqrt(spread[w]) * idf[w] for w, n in count.items() if _can_be_term(w, n, new, plain)}
    ranked = sorted(scores, key=lambda w: (-scores[w], w))[:n]
    return Start([FirstTerm(w, math.sqrt(scores[w] / scores[ranked[0]]), f"texts: {count[w]} times") for w in ranked])


def from_category(tree: CategoryTree, name_or_code: str, generations: int = GENERATIONS) -> Start:
    """The names of a category, without weight, and of its descendants, weighed as in Zhang et al., section 3.1 (q = N_i/N_max).

    Raises:
        CategoryError: no category, or several, of that name or code.
    """
    code = tree.find(name_or_code).code
    words, own = tree.keywords(code, generations), tree.keywords(code, 0)
    return Start([FirstTerm(w, math.nan if w in own else q, f"category {code}") for w, q in words.items() if q > 0])


def neighbours(
    terms: Sequence[FirstTerm],
    resources: Resources,
    n: int = NEIGHBOURS,
    known: Collection[str] = (),
    cache_dir: Path | None = None,
) -> list[FirstTerm]:
    """Short forms of the terms (:func:`short_forms`), and the ``n`` words nearest to them, with the weight ``SHARE`` · score².

    All words that the user named pull alike, so that a word near to one of them comes behind those near to several; parts of them
    that are not specific do not pull. Arguments and errors as in :func:`~topical_crawler.authoring.neighbours.propose`.
    """
    weights = {t.word: 1.0 if t.yours else t.in_means for t in terms}
    parts = {t.word for t in terms if t.why == PART and not math.isnan(t.weight)}
    pulling = {word: weight for word, weight in weights.items() if word not in parts}
    path = resources.path("vectors")
    short = short_forms(terms, WordVectors.open(path, cache_dir), known) if path else []
    taken = {*known, *parts, *(term.word for term in short)}
    nearest = propose(pulling, resources, n=max(n, 1), known=taken, cache_dir=cache_dir)[:n]
    near = [FirstTerm(p.word, SHARE * p.score**2, f"near {p.sources[0][1]} ({p.sources[0][0]} {p.score:.2f})") for p in nearest]
    return [*short, *near]


def short_forms(terms: Sequence[FirstTerm], vectors: WordVectors, known: Collection[str] = ()) -> list[FirstTerm]:
    """Words for the same in fewer of its characters (环境保护: 环保), which many texts use instead.

    A short form has two or more characters of the term, in their order but not side by side, and a cosine with it of at least
    :data:`SHORT_FORM`. It weighs the square of that, in parts of what the term weighs.

    Args:
        terms: one of more than :data:`LONGEST` characters has none.
        vectors: of words.
        known: words that are not wanted.

    >>> import numpy as np
    >>> vectors = WordVectors(["环境保护", "环保", "护士"], np.array([[1, 0], [0.8, 0.6], [0, 1]], dtype=np.float32))
    >>> [(term.word, round(term.weight, 2)) for term in short_forms([FirstTerm("环境保护", math.nan, WORD)], vectors)]
    [('环保', 0.64)]
    """
    there = {normalise(word) for word in known} | {term.word for term in terms}
    found: dict[str, FirstTerm] = {}
    for term in terms:
        if term.word.isascii() or term.word not in vectors.rows or len(term.word) > LONGEST:
            continue
        for length in range(2, len(term.word)):
            for word in map("".join, itertools.combinations(term.word, length)):
                score = vectors.similarity(term.word, word) if word in vectors.rows and word not in term.word else 0.0
                if score < SHORT_FORM or word in there:
                    continue
                weight = score**2 * term.in_means
                if word not in found or weight > found[word].weight:
                    found[word] = FirstTerm(word, weight, f"short for {term.word} (vectors {score:.2f})")
    return sorted(found.values(), key=lambda term: (-term.weight, term.word))


def known_words(resources: Resources, cache_dir: Path | None = None) -> Known:
    """Whether any installed resource has a word."""
    vectors, hownet, cilin = (resources.path(name) for name in ("vectors", "hownet", "cilin"))
    words: list[Collection[str]] = []
    if vectors:
        words.append(WordVectors.open(vectors, cache_dir).rows)
    if hownet:
        words.append(HowNet(hownet).senses)
    if cilin:
        words.append({word for group in Cilin(cilin).groups.values() for word in group.words})
    return lambda word: any(word in vocabulary for vocabulary in words)


@functools.cache
def _lexicon(name: str) -> frozenset[str]:
    return lexicon_words(name)


def _cut(sentence: str, segmenter: Segmenter) -> list[str]:
    """The words of a sentence, including those that jieba's dictionary lacks: it cuts 大数据处理 into 大 + 数据处理. What is quoted
    (“双减”, 《红楼梦》) is one word, and so is a type with its number (歼-20)."""
    names = {word for word in _lexicon("same_words.txt") if len(word) > 3 and not word.isascii()}
    longest_first = sorted(names | _lexicon("new_words.txt"), key=lambda w: (-len(w), w))
    whole = re.compile(rf"{_QUOTED}|{_NUMBERED}|({'|'.join(map(re.escape, longest_first))})")
    words, place = [], 0
    for found in whole.finditer(sentence):
        words += [*segmenter.cut(sentence[place : found.start()]), found[found.lastindex or 0]]
        place = found.end()
    words += segmenter.cut(sentence[place:])
    return [piece for word in words for piece in (word if _is_misread(word) else [word])]


def _is_misread(word: str) -> bool:
    """Whether it is a stop word and a character that are taken for a new word: 机等 in 支持向量机等, but not 多肉 or 后厨."""
    if len(word) != 2 or language().tag(word) or default_stopwords().isdisjoint(word):
        return False
    return not (language().tag(word[0]).startswith(("m", "f")) and _is_character(word[1], ("n", "v")))


def _joined(words: Sequence[str], segmenter: Segmenter, known: Known) -> Iterator[str]:
    """Join the longest known runs; two or three characters that stand by themselves (冲 + 煮, 定 + 投); a character to the word
    before it (:func:`_is_suffix`); and a letter to the word behind (C + 语言, A + 股) unless one stands before it, too."""
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
        place += len(run)
        after, then = [*words[place : place + 2], "", ""][:2]
        to_behind = (
            _is_letter("".join(run)) and not segmenter.is_content(before) and (segmenter.is_content(after) or _is_character(after))
        )
        if to_behind or _is_suffix(run[-1], after, then, segmenter):
            run, place = [*run, after], place + 1
        yield "".join(run)


def _is_known(run: Sequence[str], segmenter: Segmenter, known: Known) -> bool:
    """Whether a resource knows words as one that tells the topic: vectors have 三大 and 操作系统原理, too."""
    edge = run[0] in default_stopwords() or run[-1] in default_stopwords() | _lexicon("request_words.txt")
    return not edge and known("".join(run)) and has_good_edges("".join(run), segmenter)


def _is_suffix(word: str, character: str, then: str, segmenter: Segmenter) -> bool:
    """Whether a character belongs to the word before it: a noun (区块 + 链), beside Latin letters any (UP + 主), and others at the
    end of a phrase (家常菜 + 谱)."""
    if not (segmenter.is_content(word) and _is_character(character)):
        return False
    return (
        language().tag(character) == "n"
        or word.isascii()
        or not then.isalnum()
        or language().tag(then).startswith(("c", "p", "u"))
    )


def _is_letter(word: str) -> bool:
    return len(word) == 1 and word.isascii() and word.isalpha()


def _is_character(word: str, tags: tuple[str, ...] = (*CONTENT_TAGS, "b", "q", "z")) -> bool:
    """Whether a word is one character that names something."""
    if len(word) != 1 or word in default_stopwords() | _lexicon("request_words.txt"):
        return False
    return language().tag(word).startswith(tags)


def _is_term(word: str, segmenter: Segmenter) -> bool:
    """Whether a word tells the topic by itself."""
    return len(word) > 1 and word not in _BREAKS and (segmenter.is_content(word) or _is_telling(word))


def _is_attribute(word: str) -> bool:
    """Whether a word belongs to the one beside it: a letter, a character that describes it (长 + 难句), an adverb (持续 + 集成)."""
    if len(word) > 1:
        return word.isalpha() and word not in _lexicon("stopwords.txt") | _BREAKS
    return _is_letter(word) or _is_character(word, ("n", "a", "b", "j"))


def _are_one(first: str, second: str) -> bool:
    """Whether two neighbours are a term together, too."""
    if _is_letter(second):
        return len(first) > 1
    return len(first) <= 3 and 2 <= len(second) <= 3


def _without_request(run: Sequence[str]) -> list[str]:
    """Without words about the request at the end (物联网 + 技术), and verbs about it at the beginning (介绍 + 文件系统)."""
    request = _lexicon("request_words.txt")
    start = list(itertools.dropwhile(lambda w: w in request and language().tag(w).startswith("v"), run))
    return list(itertools.dropwhile(request.__contains__, start[::-1]))[::-1]


def _is_telling(word: str) -> bool:
    """Whether a word tells a topic though its tag is that of a function word: the dictionary calls 虚拟机 an attribute, 随笔 an
    adverb, 高中 a place, and 宋代 a time."""
    if len(word) < 2 or not word.isalpha() or word in _lexicon("stopwords.txt"):
        return False
    least = _LEAST_TELLING if language().tag(word).startswith(_CIRCUMSTANCES) else _RARE
    return specificity(word) >= least


def _parts(word: str, segmenter: Segmenter) -> list[str]:
    """What a word is made of: two dictionary words (计算机硬件: 计算机, 硬件), of a fixed phrase specific nouns alone (操作系统:
    nothing); or a word and a character (房地产税: 房地产)."""
    cuts = [(word[:i], word[i:]) for i in range(2, len(word) - 1)]
    parts = [part for cut in cuts if all(map(language().tag, cut)) for part in cut if segmenter.is_content(part)]
    if not language().tag(word).startswith(("n", "j")):  # jieba tags fixed phrases l and i
        parts = list(filter(_is_specific_noun, parts))
    head, *rest = segmenter.cut(word)
    joined = len(rest) == len("".join(rest)) == 1 < len(head) and rest[0] not in default_stopwords()
    heads = [head] * joined + [word[:-1]] * (len(word) > 3 and language().tag(word[:-1]) == "n")
    return [part for part in (*parts, *heads) if part not in _lexicon("request_words.txt")]


def _is_general(word: str) -> bool:
    return specificity(word) < GENERAL or word in _lexicon("general_words.txt")


def _is_specific_noun(word: str) -> bool:
    return language().tag(word).startswith("n") and specificity(word) >= _TELLING


def _can_be_term(word: str, count: int, new: Collection[str], plain: Segmenter) -> bool:
    """Nouns but the most general, and rare words of any kind (死锁); a word not in the dictionary must occur twice."""
    if tag := language().tag(word):
        return word in new or specificity(word) >= (_GENERAL_NOUN if tag.startswith(_NOUNS) else _RARE)
    fits = len(word) <= MAX_WORD and word.replace("-", "").isalnum()
    return word in new or (count > 1 and fits and has_good_edges(word, plain))


# -- The topic folder that ``topical-crawler topic new`` writes


_TOML = """\
title = {title}
description = {description}
default_strategy = "adaptive"

# A page is kept when its relevance is above page_threshold, 0 to 1 (default 0.3): raise it when what is kept is off topic, lower
# it when too little is kept. topical-crawler topic explain shows why a page was kept or not.
[strategy.adaptive]

# For -a strategy=semantic. A topic of a few words wants low thresholds there: a page that holds one of them is worth a look.
[strategy.semantic]
page_threshold = {page_threshold}
link_threshold = {link_threshold}
tunnel = {tunnel}             # pages off topic that may lie between two relevant ones
text_threshold = {text_threshold}  # a main text below this is not kept: lists of titles stay out
"""
THRESHOLDS = {"page_threshold": 0.02, "link_threshold": 0.02, "tunnel": 2, "text_threshold": 0.002}
"""Of the semantic strategy, for topics of a few words; chosen on the recorded real sites (docs/decisions.md)."""
_TERMS_HEAD = """\
# Term <TAB> weight (none: that of the mean word, 1) <TAB> where it comes from. One a line; yours to edit.
# Words near the first terms weigh little: they settle the order of what the first terms leave equal.
"""
_ADJUST_HEAD = """\
# Weights by hand, which go before all others: word <TAB> weight <TAB> reason. 0 silences a word that misleads.
"""
_SEEDS_HEAD = """\
# Start URLs, one a line, a note after white space. {keyword} stands for each of the heaviest terms, as in a search:
# http://search.example.cn/s?q={keyword}
"""


def check_free(path: Path) -> None:
    """Check that a new topic would overwrite nothing.

    Raises:
        TopicError: ``path`` is a file, or a folder with a topic or with words of one.
    """
    if path.exists() and not path.is_dir():
        raise TopicError(f"{path} is a file. Remedy: name another folder")
    if (path / "topic.toml").exists():
        raise TopicError(f"{path} holds a topic already. Remedy: name another folder, or topical-crawler topic build or expand")
    for name in (TERMS, WEIGHTS):
        if (path / name).exists():
            raise TopicError(
                f"{path / name} is there already, and would be written over. Remedy: name another folder; a topic.toml beside "
                f"it, which may be empty, makes this one a topic"
            )


def write_start(
    path: Path, title: str, description: str, terms: Sequence[FirstTerm], near: Sequence[FirstTerm], seeds: Sequence[str]
) -> None:
    """Write a new topic folder.

    Args:
        path: the folder; created if missing.
        title, description: shown to users.
        terms: a later ``topical-crawler topic build`` keeps the user's own: those without a weight and those marked as such.
        near: words near them; a later build replaces them.
        seeds: start URLs.

    Raises:
        TopicError: there is a topic already, no term, or one that terms.tsv cannot hold. Nothing is written then.
    """
    check_free(path)
    if not terms:
        raise TopicError(f"{path}: no term found. Remedy: name some, --keywords 操作系统,内核")
    for term in (*terms, *near):
        check_term(term.word)
    path.mkdir(parents=True, exist_ok=True)
    folder_files = {
        ADJUST: _ADJUST_HEAD,
        "seeds.txt": _SEEDS_HEAD + "".join(f"{url}\n" for url in seeds),
        "topic.toml": _TOML.format(title=_toml_string(title), description=_toml_string(description), **THRESHOLDS),
    }
    for name, text in folder_files.items():
        if not (path / name).exists():
            path.joinpath(name).write_text(text, encoding="utf-8")
    own = [f"{t.word}\t\t{t.why}" for t in terms if math.isnan(t.weight)]
    lines = {t.word: f"{t.word}\t{t.weight:.4f}\t{t.why}" for t in (*terms, *near) if not math.isnan(t.weight)}
    text = _TERMS_HEAD + "".join(f"{line}\n" for line in (*own, *lines.values()))
    heads = {line: line for line in _TERMS_HEAD.splitlines()}
    weighed = [t.word for t in terms if t.yours and not math.isnan(t.weight)]
    mean = f"{MEAN}\t1"
    TopicFolder(path).write({TERMS: (text, Written(heads | lines, weighed)), WEIGHTS: (f"{mean}\n", Written({MEAN: mean}))})


def _toml_string(text: str) -> str:
    """``text`` on one line as a TOML string, which is JSON's but for DEL."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False).replace("\x7f", "")
