"""Chinese text into words: normalisation, segmentation, and the filter that keeps content words.

>>> Segmenter(["三会一课"]).words("认真落实三会一课制度，规范基层组织生活")
['三会一课', '制度', '规范', '基层', '组织生活']
"""

import functools
import importlib.machinery
import importlib.util
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, Literal, cast

from topical_crawler.package_data import data_folder, jieba, jieba_file

Backend = Literal["auto", "jieba", "rjieba"]

CONTENT_TAGS = ("n", "v", "a", "i", "l", "j", "eng")
"""Prefixes of the dictionary's part-of-speech tags that are kept: nouns and proper names, verbs, adjectives, idioms, fixed
phrases, abbreviations, foreign words (Zhou et al. 2019, §4: words are filtered by their part of speech)."""
_NOT_CONTENT = ("ad", "ag", "vd")


_Cut = Callable[..., list[str]]  # of a text, and whether words that the dictionary lacks are guessed (the default)


_WIDE = [(sign, unicodedata.normalize("NFKC", sign)) for sign in "，：；（）！？…\u3000"]


def normalise(text: str) -> str:
    """Full-width forms folded (NFKC) and Latin letters in lower case: the form in which words are compared everywhere.

    >>> normalise("Ｌｉｎｕｘ内核")
    'linux内核'
    """
    if not unicodedata.is_normalized("NFKC", text):
        for wide, narrow in _WIDE:  # mostly all there is to be folded, and five times as fast
            text = text.replace(wide, narrow)
        text = unicodedata.normalize("NFKC", text)
    return text.casefold()


class Segmenter:
    """Cuts text into words, with the topic's terms always kept whole.

    Args:
        terms: words that the segmentation must know: a topic's terms.
        stopwords: words that are never content; None: the list that comes with the product.
        backend: ``jieba``, ``rjieba`` (about ten times faster, half the memory; differs on ASCII strings only), or ``auto``:
            rjieba where it is installed.
        cache_dir: where jieba may keep its compiled dictionary; None: it compiles it at every start (about half a second).

    Each set of terms has a dictionary of its own: two topics in one process do not see each other's terms.
    """

    def __init__(
        self,
        terms: Iterable[str] = (),
        stopwords: Collection[str] | None = None,
        backend: Backend = "auto",
        cache_dir: Path | None = None,
    ) -> None:
        self._terms = frozenset(normalise(t) for t in terms)
        self._stopwords = default_stopwords() if stopwords is None else frozenset(map(normalise, stopwords))
        self._function_words = _function_words()
        self.backend = _find_backend(backend)
        self._cache_dir = cache_dir

    @functools.cached_property
    def _cut(self) -> _Cut:  # when the first text comes: reading a dictionary takes a tenth of a second or more
        return _open_backend(self.backend, self._terms, self._cache_dir)

    def cut(self, text: str) -> list[str]:
        """All words of ``text`` in order, normalised, punctuation included."""
        return self._cut(normalise(text))

    def pieces(self, text: str) -> list[str]:
        """All of ``text`` cut into words as they stand there, nothing normalised: together they are the text.

        >>> Segmenter().pieces("用Linux，学内核")
        ['用', 'Linux', '，', '学', '内核']
        """
        return self._cut(text)

    def known(self, text: str) -> list[str]:
        """All of ``text`` as it stands there, cut into words of the dictionary and single characters, nothing guessed.

        >>> Segmenter().known("李小福是主任")
        ['李', '小', '福', '是', '主任']
        """
        return self._cut(text, False)

    def words(self, text: str) -> list[str]:
        """The distinct content words of ``text``, in the order of their first occurrence: the paper's *WSet*.

        Left out: stop words, function words by the dictionary's tag, numbers, single characters. A topic term always stays.
        """
        return [w for w in dict.fromkeys(self.cut(text)) if self.is_content(w)]

    def content(self, text: str) -> list[str]:
        """The content words of ``text`` in order, as often as they occur: what term frequencies are counted from.

        >>> Segmenter(["组织生活"]).content("组织生活会，过好组织生活")
        ['组织生活', '过好', '组织生活']
        """
        return [w for w in self.cut(text) if self.is_content(w)]

    def is_content(self, word: str) -> bool:
        """Whether a normalised word counts for relevance.

        >>> segmenter = Segmenter()
        >>> [segmenter.is_content(w) for w in ("支部", "因为", "2019", "，")]
        [True, False, False, False]
        """
        if word in self._terms:
            return True
        if len(word) < 2 or word in self._stopwords or word in self._function_words:
            return False
        return word.isalpha() or any(c.isalpha() for c in word)


@functools.cache
def default_stopwords() -> frozenset[str]:
    """The stop words that come with the product, normalised: function words and what stands on any page (``stopwords.txt`` and
    ``page_words.txt`` in the lexicon)."""
    return lexicon_words("stopwords.txt") | lexicon_words("page_words.txt")


@functools.cache
def lexicon_words(name: str) -> frozenset[str]:
    """The words of a list in the lexicon, one or several a line, normalised; lines that begin with # are comments."""
    lines = data_folder().joinpath(name).read_text(encoding="utf-8").splitlines()
    return frozenset(normalise(word) for line in lines if not line.startswith("#") for word in line.split())


@functools.cache
def _function_words() -> frozenset[str]:
    """Words whose tag in jieba's dictionary is not a content tag; a word that the dictionary lacks is taken as content."""
    # One expression over the lines "word count tag": every process that segments waits for this when it starts.
    tags = rf"(?!{'|'.join(CONTENT_TAGS)})|(?:{'|'.join(_NOT_CONTENT)})$"
    return frozenset(re.findall(rf"^(\S+) \d+ (?:{tags})", jieba_file("dict.txt"), re.MULTILINE))


def _find_backend(backend: Backend) -> str:
    if backend not in ("auto", "jieba", "rjieba"):
        raise ValueError(f"unknown segmenter {backend!r}: use auto, jieba or rjieba")
    if backend != "jieba" and importlib.util.find_spec("rjieba") is not None:
        return "rjieba"
    if backend == "rjieba":
        raise ImportError("the segmenter rjieba is not installed: pip install rjieba, or choose jieba")
    return "jieba"


def _open_backend(backend: str, terms: frozenset[str], cache_dir: Path | None) -> _Cut:
    # Short terms first: the frequency that keeps a long term whole depends on those of its parts.
    ordered = sorted(terms, key=lambda t: (len(t), t))
    if backend == "rjieba":
        return _fast_cut(_rjieba(), tuple(ordered))
    tokenizer = jieba().Tokenizer()
    if cache_dir is not None:
        cache_dir.mkdir(parents=True, exist_ok=True)
        tokenizer.tmp_dir = str(cache_dir)
    for term in ordered:
        tokenizer.add_word(term, tokenizer.suggest_freq(term))
    return lambda text, guess=True: tokenizer.lcut(text, HMM=guess)


@functools.cache
def _rjieba() -> Callable[[], Any]:
    """What makes a dictionary of rjieba. Its package is not imported, since that makes one more, which nobody uses: 25 MB and a
    tenth of a second."""
    package = importlib.util.find_spec("rjieba")
    assert package is not None
    spec = importlib.machinery.PathFinder.find_spec("rjieba.rjieba", package.submodule_search_locations)
    if spec is None or spec.loader is None:
        raise ImportError("the package rjieba lacks its module rjieba. Remedy: install it again, or choose jieba")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast("Callable[[], Any]", module.Jieba)


@functools.lru_cache(maxsize=2)  # topic tools alternate between two: with the terms and without
def _fast_cut(make: Callable[[], Any], terms: tuple[str, ...]) -> _Cut:
    """The cut of a dictionary with ``terms``, cached: reading it takes a tenth of a second."""
    dictionary = make()
    for term in terms:
        dictionary.add_word(term, dictionary.suggest_freq(term), "n")
    cut: _Cut = dictionary.cut
    return cut
