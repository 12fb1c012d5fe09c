"""Segmentation of Chinese text into words: normalisation, cutting, and the filter for content words.

>>> Segmenter(["三会一课"]).words("认真落实三会一课制度，规范基层组织生活")
['三会一课', '制度', '规范', '基层', '组织生活']
"""

import functools
import importlib.machinery
import importlib.util
import marshal
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, cast

from topical_crawler.package_data import data_folder, jieba, jieba_file

Backend = Literal["auto", "jieba", "rjieba"]

CONTENT_TAGS = ("n", "v", "a", "i", "l", "j", "eng")
"""Prefixes of part-of-speech tags counted as content: nouns and proper names, verbs, adjectives, idioms, fixed phrases,
abbreviations, foreign words (Zhou et al. 2019, §4: words are filtered by their part of speech)."""
_NOT_CONTENT = ("ad", "ag", "vd")


_Cut = Callable[..., list[str]]  # (text, guess unknown words = True) → words


_WIDE = [(sign, unicodedata.normalize("NFKC", sign)) for sign in "，：；（）！？…\u3000"]


def normalise(text: str) -> str:
    """Return the form for comparing words: full-width forms folded (NFKC), Latin letters in lower case.

    >>> normalise("Ｌｉｎｕｘ内核")
    'linux内核'
    """
    if not unicodedata.is_normalized("NFKC", text):
        for wide, narrow in _WIDE:  # usually the only characters to fold, and five times as fast
            text = text.replace(wide, narrow)
        text = unicodedata.normalize("NFKC", text)
    return text.casefold()


class Segmenter:
    """Segmenter of text into words, always keeping the topic's terms whole.

    Args:
        terms: words the segmentation must know, such as a topic's terms.
        stopwords: words never counted as content. None: the product's own list.
        backend: ``jieba``, ``rjieba`` (about ten times faster, half the memory, different only on ASCII strings), or ``auto``:
            rjieba if installed.
        cache_dir: cache folder for jieba's compiled dictionary. None: compile it at every start (about half a second).

    Each set of terms has its own dictionary. Two topics in one process do not see each other's terms.

    Raises:
        ValueError: unknown backend.
        ImportError: rjieba is requested but not installed.
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
    def _cut(self) -> _Cut:  # lazy, since reading a dictionary takes a tenth of a second or more
        return _open_backend(self.backend, self._terms, self._cache_dir)

    def cut(self, text: str) -> list[str]:
        """Return all words of ``text`` in order, normalised, including punctuation."""
        return self._cut(normalise(text))

    def pieces(self, text: str) -> list[str]:
        """Split ``text`` into words without normalising. Joined, they equal the text.

        >>> Segmenter().pieces("用Linux，学内核")
        ['用', 'Linux', '，', '学', '内核']
        """
        return self._cut(text)

    def known(self, text: str) -> list[str]:
        """Split ``text`` into dictionary words and single characters, without guessing or normalising.

        >>> Segmenter().known("李小福是主任")
        ['李', '小', '福', '是', '主任']
        """
        return self._cut(text, False)

    def words(self, text: str) -> list[str]:
        """Return the distinct content words of ``text``, in order of first occurrence: the paper's *WSet*.

        Skips stop words, function words by the dictionary's tag, numbers, and single characters, but never a topic term.
        """
        return [w for w in dict.fromkeys(self.cut(text)) if self.is_content(w)]

    def content(self, text: str) -> list[str]:
        """Return the content words of ``text`` in order, with repetitions, the basis of term frequencies.

        >>> Segmenter(["组织生活"]).content("组织生活会，过好组织生活")
        ['组织生活', '过好', '组织生活']
        """
        return [w for w in self.cut(text) if self.is_content(w)]

    def is_content(self, word: str) -> bool:
        """Return True if a normalised word counts for relevance.

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
    """Return the product's stop words, normalised: function words and words on any page (``stopwords.txt`` and
    ``page_words.txt`` in the lexicon)."""
    return lexicon_words("stopwords.txt") | lexicon_words("page_words.txt")


@functools.cache
def lexicon_words(name: str) -> frozenset[str]:
    """Return the words of a lexicon list, normalised. Lines hold one or several words. # starts a comment line."""
    lines = data_folder().joinpath(name).read_text(encoding="utf-8").splitlines()
    return frozenset(normalise(word) for line in lines if not line.startswith("#") for word in line.split())


@functools.cache
def _function_words() -> frozenset[str]:
    """Return the words with a tag other than a content tag in jieba's dictionary. Words missing there count as content."""
    # A single expression over the lines "word count tag", for a fast start of every segmenting process.
    tags = rf"(?!{'|'.join(CONTENT_TAGS)})|(?:{'|'.join(_NOT_CONTENT)})$"
    return frozenset(re.findall(rf"^(\S+) \d+ (?:{tags})", jieba_file("dict.txt"), re.MULTILINE))


def _find_backend(backend: Backend) -> str:
    if backend not in ("auto", "jieba", "rjieba"):
        raise ValueError(f"unknown segmenter {backend!r}. Use auto, jieba or rjieba")
    if backend != "jieba" and importlib.util.find_spec("rjieba") is not None:
        return "rjieba"
    if backend == "rjieba":
        raise ImportError("the segmenter rjieba is not installed. Run pip install rjieba, or choose jieba")
    return "jieba"


def _open_backend(backend: str, terms: frozenset[str], cache_dir: Path | None) -> _Cut:
    # Short terms first: the frequency needed to keep a long term whole depends on those of its parts.
    ordered = sorted(terms, key=lambda t: (len(t), t))
    if backend == "rjieba":
        return _fast_cut(_rjieba(), tuple(ordered))
    tokenizer = jieba().Tokenizer()
    if cache_dir is not None:
        cache_dir.mkdir(parents=True, exist_ok=True)
        tokenizer.tmp_dir = str(cache_dir)
        with suppress(OSError, EOFError, ValueError, TypeError):  # like jieba, but read at once: half a second instead of one
            tokenizer.FREQ, tokenizer.total = marshal.loads(cache_dir.joinpath("jieba.cache").read_bytes())
            tokenizer.initialized = True
    for term in ordered:
        tokenizer.add_word(term, tokenizer.suggest_freq(term))
    return lambda text, guess=True: tokenizer.lcut(text, HMM=guess)


@functools.cache
def _rjieba() -> Callable[[], Any]:
    """Return rjieba's constructor of dictionaries.

    Bypasses the package's own module, which would build one more, unused dictionary: 25 MB and a tenth of a second.
    """
    package = importlib.util.find_spec("rjieba")
    assert package is not None
    spec = importlib.machinery.PathFinder.find_spec("rjieba.rjieba", package.submodule_search_locations)
    if spec is None or spec.loader is None:
        raise ImportError("the package rjieba lacks its module rjieba. Reinstall it, or choose jieba")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast("Callable[[], Any]", module.Jieba)


@functools.lru_cache(maxsize=2)  # topic tools alternate between two, with the terms and without
def _fast_cut(make: Callable[[], Any], terms: tuple[str, ...]) -> _Cut:
    """Return the cutting function of a dictionary with ``terms``, cached, since reading it takes a tenth of a second."""
    dictionary = make()
    for term in terms:
        dictionary.add_word(term, dictionary.suggest_freq(term), "n")
    cut: _Cut = dictionary.cut
    return cut
