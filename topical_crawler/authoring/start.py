"""The first terms of a topic: out of a sentence, keywords, example texts or a category, and the words near them.

>>> found = from_sentence("操作系统内核与文件系统的原理和实现")
>>> [term.word for term in found.terms], found.general
(['操作系统', '内核', '文件系统'], ['原理', '实现'])
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
from topical_crawler.authoring.folder import ADJUST, TERMS, WEIGHTS, TopicFolder, Written
from topical_crawler.authoring.neighbours import propose, specificity
from topical_crawler.resources.categories import GENERATIONS, CategoryTree
from topical_crawler.resources.cilin import Cilin
from topical_crawler.resources.hownet import HowNet
from topical_crawler.resources.registry import Resources
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.text.segment import Segmenter, default_stopwords, lexicon_words, normalise
from topical_crawler.text.statistics import language
from topical_crawler.topic.files import MAX_WORD, MEAN, TopicError

# -- The first terms of a topic: out of a sentence, keywords, example texts or a category, and the words near them


GENERAL = 0.6
"""Words of a specificity below this (原理, 应用, 方法) say nothing about a topic by themselves."""
NEIGHBOURS = 60
"""How many words near the first terms a topic begins with."""
SHARE = 0.3
"""Weight of a neighbour of score 1, in weights of a first term. On the recorded sites, 3,000 pages, the terms of a sentence alone
put the first pages in the best order and miss texts in the end; neighbours of full weight find them and spoil the order."""
KEYWORDS = 20
"""How many words of example texts become terms."""
_LONGEST = 4
_GENERAL_NOUN = 0.5
_RARE = 0.9
_TELLING = 0.8
_NOUNS = ("n", "vn", "an", "j", "l", "i", "eng")

Known = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class FirstTerm:
    """A term that a topic begins with.

    Attributes:
        word: normalised.
        weight: in weights of the mean word, above 0; nan for a term that somebody has named: it weighs the mean, 1.
        why: where it comes from, for people.
    """

    word: str
    weight: float
    why: str


@dataclass
class Start:
    """What a topic begins with.

    Attributes:
        terms: in the order they were found, no word twice.
        general: words left out because they are of general use.
    """

    terms: list[FirstTerm] = field(default_factory=list)
    general: list[str] = field(default_factory=list)

    def add(self, other: Start) -> None:
        """Take in what another source gives; of a word that is there already, the first one counts."""
        there = {term.word for term in self.terms}
        self.terms += [term for term in other.terms if term.word not in there]
        self.general += [word for word in other.general if word not in there and word not in self.general]


def from_sentence(sentence: str, known: Known = lambda word: False) -> Start:
    """The content words of a sentence, but for those of general use; where all are, the most specific ones.

    Two neighbours of two characters each, not both general (内存 + 管理, 文本 + 摘要), are a term together, too; and so are the
    nouns in a longer word that say something by themselves (硬件 in 计算机硬件): most texts use them instead of it.

    Args:
        sentence: what the topic is about, in words.
        known: whether a resource knows a word; neighbouring words that it knows as one (机器 + 学习) are joined.

    Returns:
        Terms without a weight.
    """
    segmenter = Segmenter()
    words = list(_joined(_cut(sentence, segmenter), segmenter, known))
    found = [w for w in dict.fromkeys(words) if segmenter.is_content(w) or _is_telling(w)]
    best = max(map(specificity, found), default=0.0)
    kept = {w for w in found if specificity(w) >= min(GENERAL, best)}
    compounds = {
        first + second
        for first, second in itertools.pairwise(words)
        if len(first) == len(second) == 2 and {first, second} <= set(found) and {first, second} & kept
    }
    terms = [w for w in dict.fromkeys([*found, *sorted(compounds)]) if w in kept or w in compounds]
    parts = dict.fromkeys(p for w in terms for p in _parts(w) if p not in terms)
    return Start([FirstTerm(w, math.nan, "sentence") for w in [*terms, *parts]], [w for w in found if w not in kept])


def from_keywords(keywords: Iterable[str]) -> Start:
    """Words that a person has named, each a term as it is."""
    words = dict.fromkeys(word for keyword in keywords if (word := normalise(keyword).strip()))
    return Start([FirstTerm(word, math.nan, "keyword") for word in words])


def from_texts(texts: Sequence[str], n: int = KEYWORDS) -> Start:
    """The ``n`` words and phrases of example texts that tell them most from Chinese in general.

    Ranked by occurrences times inverse document frequency in general Chinese (TF-IDF), a word in several texts before one in a
    single text; weights are relative to the first, as roots, because counts are skewed.

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
    scores = {w: n * math.sqrt(spread[w]) * _information(w) for w, n in count.items() if _can_be_term(w, n, new)}
    ranked = sorted(scores, key=lambda w: (-scores[w], w))[:n]
    return Start([FirstTerm(w, math.sqrt(scores[w] / scores[ranked[0]]), f"texts: {count[w]} times") for w in ranked])


def from_category(tree: CategoryTree, name_or_code: str, generations: int = GENERATIONS) -> Start:
    """The names of a category and of those below it, weighed as in Zhang et al., section 3.1 (q = N_i/N_max); the names of the
    category itself have no weight: somebody has named it.

    Raises:
        CategoryError: no category, or several, of that name or code.
    """
    category = tree.find(name_or_code)
    words = tree.keywords(category.code, generations)
    named = tree.keywords(category.code, 0)
    why = f"category {category.code}"
    return Start([FirstTerm(w, math.nan if w in named else weight, why) for w, weight in words.items() if weight > 0])


def neighbours(
    terms: Sequence[FirstTerm],
    resources: Resources,
    n: int = NEIGHBOURS,
    known: Collection[str] = (),
    cache_dir: Path | None = None,
) -> list[FirstTerm]:
    """The ``n`` words nearest to the terms, of a weight of ``SHARE`` · score²
    (:func:`topical_crawler.authoring.neighbours.propose`).

    Args:
        terms: the first terms.
        resources: where HowNet, Cilin and the vectors are.
        n: how many.
        known: words that are not wanted.
        cache_dir: where converted vectors are kept.

    Raises:
        ValueError: no resource is there, or one cannot be read.
    """
    weights = {term.word: 1.0 if math.isnan(term.weight) else term.weight for term in terms}
    found = propose(weights, resources, n=max(n, 1), known=known, cache_dir=cache_dir)[:n]
    return [FirstTerm(p.word, SHARE * p.score**2, f"near {p.sources[0][1]} ({p.sources[0][0]} {p.score:.2f})") for p in found]


def known_words(resources: Resources, cache_dir: Path | None = None) -> Known:
    """Whether any resource that is there has a word."""
    vectors, hownet, cilin = (resources.path(name) for name in ("vectors", "hownet", "cilin"))
    words: list[Collection[str]] = []
    if vectors:
        words.append(WordVectors.open(vectors, cache_dir).rows)
    if hownet:
        words.append(HowNet(hownet).senses)
    if cilin:
        words.append({word for group in Cilin(cilin).groups.values() for word in group.words})
    return lambda word: any(word in some for some in words)


def _joined(words: Sequence[str], segmenter: Segmenter, known: Known) -> Iterator[str]:
    """The words, longest known runs as one, unless they begin or end with a function word; a noun of one character, which says
    nothing alone, belongs to the word before it (区块 + 链)."""
    place = 0
    while place < len(words):
        for length in range(min(_LONGEST, len(words) - place), 0, -1):
            run = words[place : place + length]
            if length == 1 or (known("".join(run)) and has_good_edges("".join(run), segmenter)):
                break
        place += length
        after = words[place] if place < len(words) else ""
        if len(after) == 1 and language().tag(after) == "n" and segmenter.is_content(run[-1]):
            run, place = [*run, after], place + 1
        yield "".join(run)


def _cut(sentence: str, segmenter: Segmenter) -> list[str]:
    """The words of a sentence, with those whole that jieba's dictionary lacks (to it 大数据处理 is 大 + 数据处理)."""
    pieces = enumerate(_new_words().split(normalise(sentence)))
    return [word for place, piece in pieces for word in ([piece] if place % 2 else segmenter.cut(piece))]


@functools.cache
def _new_words() -> re.Pattern[str]:
    longest_first = sorted(lexicon_words("new_words.txt"), key=lambda w: (-len(w), w))
    return re.compile(f"({'|'.join(map(re.escape, longest_first))})")


def _is_telling(word: str) -> bool:
    """Whether a word says something whatever its tag: the dictionary calls 虚拟机 an attribute and 随笔 an adverb."""
    return len(word) > 1 and word.isalpha() and word not in default_stopwords() and specificity(word) >= _RARE


def _parts(word: str) -> list[str]:
    """The nouns that a word is made of and that say something of a topic by themselves (计算机硬件: 硬件)."""
    cuts = [(word[:i], word[i:]) for i in range(2, len(word) - 1)]
    parts = [part for cut in cuts if all(map(language().tag, cut)) for part in cut]
    return [p for p in parts if language().tag(p).startswith("n") and specificity(p) >= _TELLING]


def _information(word: str) -> float:
    """Inverse document frequency in general Chinese, in nats; of a word that no document there holds, that of half a document."""
    rate = language().rate(word) or 0.5 / language().documents
    return -math.log(rate)


def _can_be_term(word: str, count: int, new: Collection[str]) -> bool:
    """Nouns but the most general, and rare words of any kind (死锁); a word that the dictionary lacks has to occur again."""
    if word in new:
        return True
    tag = language().tag(word)
    if not tag:
        return count > 1 and len(word) <= MAX_WORD and word.replace("-", "").isalnum() and has_good_edges(word, _plain())
    return specificity(word) >= (_GENERAL_NOUN if tag.startswith(_NOUNS) else _RARE)


@functools.cache
def _plain() -> Segmenter:
    return Segmenter()


# -- A topic folder as ``scrapy topic new`` writes it: plain files with comments that say what to edit


_TOML = """\
title = {title}
description = {description}
default_strategy = "adaptive"

# A page is kept when its relevance is above page_threshold, 0 to 1 (default 0.2): raise it when what is kept is off topic, lower
# it when too little is kept. scrapy topic explain shows why a page was kept or not.
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
    """Make sure that a new topic would write over nothing.

    Raises:
        TopicError: ``path`` is a file, or a folder that holds a topic, or words of one.
    """
    if path.exists() and not path.is_dir():
        raise TopicError(f"{path} is a file. Remedy: name another folder")
    if (path / "topic.toml").exists():
        raise TopicError(f"{path} holds a topic already. Remedy: name another folder, or go on with scrapy topic build or expand")
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
        path: the folder; made where it is not there.
        title, description: for people.
        terms: what the topic is about; a later ``scrapy topic build`` keeps those without a weight as a person's own.
        near: words near them; a later build replaces them by what it finds.
        seeds: start URLs.

    Raises:
        TopicError: there is a topic already, or no term, or one that terms.tsv cannot hold. Nothing is written then.
    """
    check_free(path)
    if not terms:
        raise TopicError(f"{path}: no term found. Remedy: name some, --keywords 操作系统,内核")
    for term in (*terms, *near):
        if (
            not 2 <= len(term.word) <= MAX_WORD
            or "\t" in term.word
            or len(term.word.splitlines()) != 1
            or term.word.startswith("#")
        ):
            raise TopicError(
                f"{term.word!r} cannot be a term. Remedy: 2 to {MAX_WORD} characters in one line, no tab, and no # in front"
            )
    path.mkdir(parents=True, exist_ok=True)
    folder_files = {
        ADJUST: _ADJUST_HEAD,
        "seeds.txt": _SEEDS_HEAD + "".join(f"{url}\n" for url in seeds),
        "topic.toml": _TOML.format(title=_string(title), description=_string(description), **THRESHOLDS),
    }
    for name, text in folder_files.items():
        if not (path / name).exists():
            path.joinpath(name).write_text(text, encoding="utf-8")
    own = [t for t in terms if math.isnan(t.weight)]
    made = [t for t in (*terms, *near) if not math.isnan(t.weight)]
    lines = {t.word: f"{t.word}\t{t.weight:.4f}\t{t.why}" for t in made}
    text = _TERMS_HEAD + "".join(f"{t.word}\t\t{t.why}\n" for t in own) + "".join(f"{line}\n" for line in lines.values())
    heads = {line: line for line in _TERMS_HEAD.splitlines()}
    mean = f"{MEAN}\t1"
    TopicFolder(path).write({TERMS: (text, Written(heads | lines)), WEIGHTS: (f"{mean}\n", Written({MEAN: mean}))})


def _string(text: str) -> str:
    """As a TOML string; JSON's is one, but for DEL."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False).replace("\x7f", "")
