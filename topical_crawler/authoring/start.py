"""The first terms of a topic: from a sentence, keywords, example texts or a category, with the words near them.

>>> start = from_sentence("操作系统内核与文件系统的原理和实现")
>>> [term.word for term in start.terms], start.general
(['操作系统', '内核', '文件系统'], ['原理', '实现'])
"""

from __future__ import annotations

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

GENERAL = 0.6
"""Words of a specificity below this (原理, 应用, 方法) do not tell a topic by themselves."""
NEIGHBOURS = 60
"""How many words near the first terms a topic begins with."""
SHARE = 0.3
"""Weight of a neighbour of score 1, in weights of a first term: without neighbours a crawl misses texts, at full weight they
spoil the order of the first pages (docs/decisions.md)."""
KEYWORDS = 20
"""How many words of example texts become terms."""
_MAX_JOINED = 4
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
        weight: in weights of the mean word, above 0; nan for a term that the user named: it weighs the mean, 1.
        why: where it comes from, to be shown.
    """

    word: str
    weight: float
    why: str


@dataclass
class Start:
    """What a topic begins with.

    Attributes:
        terms: best source first, no word twice.
        general: words left out as too general.
    """

    terms: list[FirstTerm] = field(default_factory=list)
    general: list[str] = field(default_factory=list)

    def add(self, other: Start) -> None:
        """Append what another source gives; the first occurrence of a word counts."""
        present = {term.word for term in self.terms}
        self.terms += [term for term in other.terms if term.word not in present]
        self.general += [word for word in other.general if word not in present and word not in self.general]


def from_sentence(sentence: str, known: Known = lambda word: False) -> Start:
    """The content words of a sentence without the general ones; if all are general, the most specific ones.

    Two adjacent words of two characters each, not both general (内存 + 管理, 文本 + 摘要), are also a term together; so are
    specific nouns in a longer word (硬件 in 计算机硬件), which most texts use instead of it.

    Args:
        sentence: what the topic is about.
        known: whether a resource knows a word; adjacent words that it knows as one (机器 + 学习) are joined.

    Returns:
        Terms without a weight.
    """
    segmenter = Segmenter()
    words = list(_joined(_cut(sentence, segmenter), segmenter, known))
    content = [w for w in dict.fromkeys(words) if segmenter.is_content(w) or _is_telling(w)]
    best = max(map(specificity, content), default=0.0)
    kept = {w for w in content if specificity(w) >= min(GENERAL, best)}
    compounds = {
        first + second
        for first, second in itertools.pairwise(words)
        if len(first) == len(second) == 2 and {first, second} <= set(content) and {first, second} & kept
    }
    terms = [w for w in dict.fromkeys([*content, *sorted(compounds)]) if w in kept or w in compounds]
    parts = dict.fromkeys(p for w in terms for p in _parts(w) if p not in terms)
    return Start([FirstTerm(w, math.nan, "sentence") for w in [*terms, *parts]], [w for w in content if w not in kept])


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
    """The ``n`` words nearest to the terms, with the weight ``SHARE`` · score².

    Arguments and errors as in :func:`~topical_crawler.authoring.neighbours.propose`.
    """
    weights = {term.word: 1.0 if math.isnan(term.weight) else term.weight for term in terms}
    nearest = propose(weights, resources, n=max(n, 1), known=known, cache_dir=cache_dir)[:n]
    return [FirstTerm(p.word, SHARE * p.score**2, f"near {p.sources[0][1]} ({p.sources[0][0]} {p.score:.2f})") for p in nearest]


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


def _joined(words: Sequence[str], segmenter: Segmenter, known: Known) -> Iterator[str]:
    """Join the longest known runs without function words at their edges, and one-character nouns to the word before (区块 +
    链)."""
    place = 0
    while place < len(words):
        for length in range(min(_MAX_JOINED, len(words) - place), 0, -1):
            run = words[place : place + length]
            if length == 1 or (known("".join(run)) and has_good_edges("".join(run), segmenter)):
                break
        place += length
        after = words[place] if place < len(words) else ""
        if len(after) == 1 and language().tag(after) == "n" and segmenter.is_content(run[-1]):
            run, place = [*run, after], place + 1
        yield "".join(run)


def _cut(sentence: str, segmenter: Segmenter) -> list[str]:
    """The words of a sentence, including those that jieba's dictionary lacks (it cuts 大数据处理 into 大 + 数据处理)."""
    longest_first = sorted(lexicon_words("new_words.txt"), key=lambda w: (-len(w), w))
    pieces = enumerate(re.split(f"({'|'.join(map(re.escape, longest_first))})", normalise(sentence)))
    return [word for place, piece in pieces for word in ([piece] if place % 2 else segmenter.cut(piece))]


def _is_telling(word: str) -> bool:
    """Whether a word is specific enough to ignore its tag: the dictionary calls 虚拟机 an attribute and 随笔 an adverb."""
    return len(word) > 1 and word.isalpha() and word not in default_stopwords() and specificity(word) >= _RARE


def _parts(word: str) -> list[str]:
    """The specific nouns that a word is made of (计算机硬件: 硬件)."""
    cuts = [(word[:i], word[i:]) for i in range(2, len(word) - 1)]
    parts = [part for cut in cuts if all(map(language().tag, cut)) for part in cut]
    return [p for p in parts if language().tag(p).startswith("n") and specificity(p) >= _TELLING]


def _can_be_term(word: str, count: int, new: Collection[str], plain: Segmenter) -> bool:
    """Nouns but the most general, and rare words of any kind (死锁); a word not in the dictionary must occur twice."""
    if word in new:
        return True
    tag = language().tag(word)
    if not tag:
        return count > 1 and len(word) <= MAX_WORD and word.replace("-", "").isalnum() and has_good_edges(word, plain)
    return specificity(word) >= (_GENERAL_NOUN if tag.startswith(_NOUNS) else _RARE)


# -- The topic folder that ``scrapy topic new`` writes


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
    """Check that a new topic would overwrite nothing.

    Raises:
        TopicError: ``path`` is a file, or a folder with a topic or with words of one.
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
        path: the folder; created if missing.
        title, description: shown to users.
        terms: a later ``scrapy topic build`` keeps those without a weight as the user's own.
        near: words near them; a later build replaces them.
        seeds: start URLs.

    Raises:
        TopicError: there is a topic already, no term, or one that terms.tsv cannot hold. Nothing is written then.
    """
    check_free(path)
    if not terms:
        raise TopicError(f"{path}: no term found. Remedy: name some, --keywords 操作系统,内核")
    for word in (term.word for term in (*terms, *near)):
        if not 2 <= len(word) <= MAX_WORD or "\t" in word or len(word.splitlines()) != 1 or word.startswith("#"):
            raise TopicError(
                f"{word!r} cannot be a term. Remedy: 2 to {MAX_WORD} characters in one line, no tab, and no # in front"
            )
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
    mean = f"{MEAN}\t1"
    TopicFolder(path).write({TERMS: (text, Written(heads | lines)), WEIGHTS: (f"{mean}\n", Written({MEAN: mean}))})


def _toml_string(text: str) -> str:
    """``text`` on one line as a TOML string, which is JSON's but for DEL."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False).replace("\x7f", "")
