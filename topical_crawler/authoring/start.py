"""Initial terms of a topic: from a sentence, keywords, example texts or a category.

>>> start = from_sentence("新能源汽车的原理")
>>> [term.word for term in start.terms], start.left_out
(['新能源', '汽车', '新能源汽车'], ['原理'])
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from topical_crawler.authoring.candidates import find_candidates, has_good_edges
from topical_crawler.authoring.folder import BuiltFolder, Written, check_term
from topical_crawler.authoring.sentence import RARE, Known, is_specific_noun, read, specificity
from topical_crawler.cleaning.characters import scripts, to_mainland, traditional_forms
from topical_crawler.package_data import data_folder
from topical_crawler.resources.categories import GENERATIONS, CategoryTree
from topical_crawler.resources.cilin import Cilin
from topical_crawler.resources.hownet import HowNet
from topical_crawler.resources.registry import Resources
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.text.segment import Segmenter, lexicon_words, normalise
from topical_crawler.text.statistics import language
from topical_crawler.topic.files import MAX_WORD, MEAN, TopicError
from topical_crawler.topic.topic_folder import ADJUST, CONFIG, SEEDS, TERMS, WEIGHTS, TopicFolder

GENERAL, GENERAL_WEIGHT, PART_WEIGHT = 0.6, 0.5, 0.25
"""Words of a specificity below the first (教育) get the second as weight. Parts of words (网络 of 网络游戏) get the third."""
WORD, SAME = "sentence", "other name of"
"""Reasons for the terms from a sentence. Compounds and parts have :data:`WORD`, a colon and what they are made of."""
KEYWORDS = 20
"""Number of terms taken from example texts."""
_GENERAL_NOUN = 0.5
_NOUNS = ("n", "vn", "an", "j", "l", "i", "eng")


@dataclass(frozen=True, slots=True)
class FirstTerm:
    """An initial term of a topic.

    Attributes:
        word: normalised.
        weight: relative to the mean word, above 0. nan for a term named by the user: it gets the mean, 1.
        why: origin, for display.
        yours: True if the user named it. Any term without weight is the user's.
    """

    word: str
    weight: float
    why: str
    yours: bool = False

    @property
    def in_means(self) -> float:
        """Weight relative to the mean word, 1 for a term without one."""
        return 1.0 if math.isnan(self.weight) else self.weight


@dataclass
class Start:
    """Initial content of a topic.

    Attributes:
        terms: best source first, without duplicates.
        left_out: words of a sentence about the request, or too general.
        function_words: other unused words of it, such as 的.
    """

    terms: list[FirstTerm] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    function_words: list[str] = field(default_factory=list)

    @property
    def words(self) -> list[str]:
        """Terms except compounds, parts and other names."""
        return [t.word for t in self.terms if not t.why.startswith((f"{WORD}:", SAME))]

    @property
    def is_general(self) -> bool:
        """True if all words are of general use, as in 管理与服务."""
        return all(map(_is_general, self.words))

    @property
    def is_foreign(self) -> bool:
        """True if no word is Chinese."""
        return all(map(str.isascii, self.words))

    def add(self, other: Start) -> None:
        """Append the content from another source. The first occurrence of a word counts."""
        present = {term.word for term in self.terms}
        self.terms += [term for term in other.terms if term.word not in present]
        self.left_out += [word for word in other.left_out if word not in present and word not in self.left_out]
        self.function_words += other.function_words


def from_sentence(sentence: str, known: Known = lambda word: False) -> Start:
    """Return the words of a sentence, except function words and words about the request (``lexicon/request_words.txt``).

    If there are no others, the words about the request stay. Two adjacent words of two or three characters each (新能源 + 汽车)
    also form a term together. Words found on any page (推荐, 图片) become terms only as part of such a compound. Components of
    longer words (硬件 in 计算机硬件) become terms, too, since most texts use them instead. A sentence in traditional characters
    gives the mainland's words, with its own as other names.

    Args:
        sentence: description of the topic.
        known: looks up a word in a resource. Adjacent words known as one (机器 + 学习) are joined.

    Returns:
        Terms without weight, except words of general use (:data:`GENERAL_WEIGHT`) and parts other than specific nouns
        (:data:`PART_WEIGHT`).
    """
    traditional = not scripts()[1].isdisjoint(sentence)
    found = read(to_mainland(sentence) if traditional else sentence, known)
    lesser = GENERAL_WEIGHT if found.compounds or not all(map(_is_general, found.words)) else math.nan
    whys = dict.fromkeys(found.words, WORD) | {word: f"{WORD}: {cut}" for word, cut in found.compounds.items()}
    terms = [FirstTerm(w, lesser if _is_general(w) else math.nan, why, yours=True) for w, why in whys.items()]
    for part, cut in found.parts.items():
        terms.append(FirstTerm(part, math.nan if is_specific_noun(part) else PART_WEIGHT, f"{WORD}: part of {cut}"))
    if traditional:
        forms = ((term, normalise(form)) for term in terms for form in traditional_forms(term.word))
        others = {form: term for term, form in forms if form != term.word and form in normalise(sentence)}
        terms += [FirstTerm(form, term.weight, f"{SAME} {term.word}") for form, term in others.items()]
    return Start(terms, found.left_out, found.function_words)


def read_sentence(sentence: str, resources: Resources, cache_dir: Path | None = None) -> Start:
    """Return the initial content from a sentence: its words, joined by knowledge from the resources, and other names of them."""
    start = from_sentence(sentence, known_words(resources, cache_dir))
    start.add(Start(other_names(start.terms)))
    return start


def other_names(terms: Sequence[FirstTerm]) -> list[FirstTerm]:
    """Return other names of the terms (``lexicon/same_words.txt``) with the same weights.

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
    """Return the user's keywords as terms, unchanged."""
    words = dict.fromkeys(word for keyword in keywords if (word := normalise(keyword).strip()))
    return Start([FirstTerm(word, math.nan, "keyword") for word in words])


def from_texts(texts: Sequence[str], n: int = KEYWORDS) -> Start:
    """Return the ``n`` words and phrases most distinctive of example texts against general Chinese.

    They are ranked by TF-IDF times the root of the number of texts with the word. The weight is the root of the score relative
    to the best, since counts are skewed.

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
    # In general Chinese. A word in no document there counts as in half a document.
    idf = {w: -math.log(language().rate(w) or 0.5 / language().documents) for w in count}
    plain = Segmenter()
    scores = {w: n * math.sqrt(spread[w]) * idf[w] for w, n in count.items() if _can_be_term(w, n, new, plain)}
    ranked = sorted(scores, key=lambda w: (-scores[w], w))[:n]
    return Start([FirstTerm(w, math.sqrt(scores[w] / scores[ranked[0]]), f"texts: {count[w]} times") for w in ranked])


def from_category(tree: CategoryTree, name_or_code: str, generations: int = GENERATIONS) -> Start:
    """Return the names of a category, without weight, and of its descendants, weighed as in Zhang et al., section 3.1 (q =
    N_i/N_max).

    Raises:
        CategoryError: no category, or several, of that name or code.
    """
    code = tree.find(name_or_code).code
    words, own = tree.keywords(code, generations), tree.keywords(code, 0)
    return Start([FirstTerm(w, math.nan if w in own else q, f"category {code}") for w, q in words.items() if q > 0])


def known_words(resources: Resources, cache_dir: Path | None = None) -> Known:
    """Return a lookup of words in all installed resources."""
    vectors, hownet, cilin = (resources.path(name) for name in ("vectors", "hownet", "cilin"))
    words: list[Collection[str]] = []
    if vectors:
        words.append(WordVectors.open(vectors, cache_dir).rows)
    if hownet:
        words.append(HowNet(hownet).senses)
    if cilin:
        words.append({word for group in Cilin(cilin).groups.values() for word in group.words})
    return lambda word: any(word in vocabulary for vocabulary in words)


def _is_general(word: str) -> bool:
    return specificity(word) < GENERAL or word in lexicon_words("general_words.txt")


def _can_be_term(word: str, count: int, new: Collection[str], plain: Segmenter) -> bool:
    """Return True for nouns except the most general, and rare words of any kind (死锁). Other words must occur twice."""
    if tag := language().tag(word):
        return word in new or specificity(word) >= (_GENERAL_NOUN if tag.startswith(_NOUNS) else RARE)
    fits = len(word) <= MAX_WORD and word.replace("-", "").isalnum()
    return word in new or (count > 1 and fits and has_good_edges(word, plain))


# -- The topic folder written by ``topical-crawler topic new``


_TOML = """\
title = {title}
description = {description}
default_strategy = "adaptive"

# Pages with a relevance above page_threshold, 0 to 1 (default 0.3), are kept. Raise it if kept pages are off topic, lower it if
# too few are kept. topical-crawler topic explain shows why a page was kept or not.
[strategy.adaptive]

# For -a strategy=semantic. A topic of a few words needs low thresholds there, since a single one of them is telling.
[strategy.semantic]
page_threshold = {page_threshold}
link_threshold = {link_threshold}
tunnel = {tunnel}             # most off-topic pages in a row between two relevant ones
text_threshold = {text_threshold}  # main texts below this are not kept, such as lists of titles
"""
THRESHOLDS = {"page_threshold": 0.02, "link_threshold": 0.02, "tunnel": 2, "text_threshold": 0.002}
"""Thresholds of the semantic strategy for topics of a few words, tuned on recorded real sites (experiments/notes/terms.md)."""
_TERMS_HEAD = """\
# Term <TAB> weight (none: that of the mean word, 1) <TAB> origin. One a line, yours to edit.
"""
_ADJUST_HEAD = """\
# Weights by hand, overriding all others: word <TAB> weight <TAB> reason. 0 silences a misleading word.
"""
_SEEDS_HEAD = """\
# Start URLs, one a line, with a note after white space. {keyword} stands for each of the heaviest terms, as in a search:
# http://search.example.cn/s?q={keyword}
"""


def check_free(path: Path) -> None:
    """Check that a new topic overwrites nothing.

    Raises:
        TopicError: ``path`` is a file, or a folder with a topic or with words of one.
    """
    if path.exists() and not path.is_dir():
        raise TopicError(f"{path} is a file. Name another folder")
    folder = TopicFolder(path)
    if folder.config.exists():
        raise TopicError(f"{path} holds a topic already. Name another folder, or use topical-crawler topic build")
    for file in (folder.terms, folder.weights):
        if file.exists():
            raise TopicError(
                f"{file} already exists, and would be overwritten. Name another folder, or create {CONFIG} beside "
                f"it, even an empty one, to make this one a topic"
            )


def write_start(path: Path, title: str, description: str, terms: Sequence[FirstTerm], seeds: Sequence[str]) -> None:
    """Write a new topic folder.

    Args:
        path: the folder, created if missing.
        title, description: shown to users.
        terms: initial terms. A later ``topical-crawler topic build`` keeps the user's: those without a weight or with
            ``yours``.
        seeds: start URLs.

    Raises:
        TopicError: there is already a topic, no term, or one unfit for terms.tsv. Nothing is written.
    """
    check_free(path)
    if not terms:
        raise TopicError(f"{path}: no term found. Name some, --keywords 操作系统,内核")
    for term in terms:
        check_term(term.word)
    path.mkdir(parents=True, exist_ok=True)
    folder_files = {
        ADJUST: _ADJUST_HEAD,
        SEEDS: _SEEDS_HEAD + "".join(f"{url}\n" for url in seeds),
        CONFIG: _TOML.format(title=_toml_string(title), description=_toml_string(description), **THRESHOLDS),
    }
    for name, text in folder_files.items():
        if not (path / name).exists():
            path.joinpath(name).write_text(text, encoding="utf-8")
    own = [f"{t.word}\t\t{t.why}" for t in terms if math.isnan(t.weight)]
    lines = {t.word: f"{t.word}\t{t.weight:.4f}\t{t.why}" for t in terms if not math.isnan(t.weight)}
    text = _TERMS_HEAD + "".join(f"{line}\n" for line in (*own, *lines.values()))
    heads = {line: line for line in _TERMS_HEAD.splitlines()}
    weighed = [t.word for t in terms if t.yours and not math.isnan(t.weight)]
    mean = f"{MEAN}\t1"
    BuiltFolder(path).write({TERMS: (text, Written(heads | lines, weighed)), WEIGHTS: (f"{mean}\n", Written({MEAN: mean}))})


def _toml_string(text: str) -> str:
    """Return ``text`` on one line as a TOML string. TOML's strings are JSON's except for DEL."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False).replace("\x7f", "")
