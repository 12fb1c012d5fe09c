"""Sentences and tagged words of a text, for the formats of corpus linguists."""

import functools
import importlib
import re
import sys
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from topical_crawler.export.rows import ExportError
from topical_crawler.package_data import jieba
from topical_crawler.text.segment import Segmenter, normalise
from topical_crawler.text.statistics import language

Tagger = Callable[[str], Iterable[tuple[str, str, str]]]
"""Function splitting a sentence into words, each with its part of speech in the tagger's own tags and in those of Universal
Dependencies. The joined words are the sentence."""

_WHOLE = re.compile(
    r"(?P<X>(?:https?://|www\.)[\w.~:/?#\[\]@!$&'()*+,;=%-]*[\w/~=&#]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    r"|(?P<SYM>\$(?!\s)[^$\n]{1,500}(?<!\s)\$(?!\d))"
    r"|(?P<NUM>\d+(?:[.,:/-]\d+)*%?)",
    re.ASCII,
)
"""Tokens kept whole: addresses and e-mails, formulas, numbers, by their tag in Universal Dependencies."""
_WORD = re.compile(r"\S+")


class Token(NamedTuple):
    """Word of a sentence."""

    word: str  # without white space, except single blanks within a formula
    tag: str  # of the tagger
    upos: str  # of Universal Dependencies
    spaced: bool  # followed by white space

    @property
    def lemma(self) -> str:
        """The word, with Latin letters in lower case. Chinese words have one form."""
        return self.word.lower()


def tokens(sentence: str, tagger: Tagger) -> list[Token]:
    """Return the words of a sentence. Addresses, formulas and numbers stay whole, with the tag of their first part.

    >>> [token.word for token in tokens("见 http://a.cn/?id=1，约3.5%。", lambda text: ((c, "x", "X") for c in text))]
    ['见', 'http://a.cn/?id=1', '，', '约', '3.5%', '。']
    """
    wholes = list(_WHOLE.finditer(sentence))[::-1]
    found: list[Token] = []
    end = done = 0
    for piece, tag, upos in tagger(sentence):
        start, end = end, end + len(piece)
        while done < end:
            while wholes and wholes[-1].end() <= done:
                wholes.pop()
            whole = wholes[-1] if wholes and wholes[-1].start() < end else None
            if whole and whole.lastgroup == "NUM" and start <= whole.start() and whole.end() < end:
                whole = None  # the piece is a word with a number in it
            if whole and whole.start() <= done:
                word, done = " ".join(whole.group().split()), whole.end()
                found.append(Token(word, tag, whole.lastgroup or upos, sentence[done : done + 1].isspace()))
                continue
            start, done = done, whole.start() if whole else end
            for match in _WORD.finditer(sentence, start, done):
                found.append(Token(match.group(), tag, upos, sentence[match.end() : match.end() + 1].isspace()))
    return found


# -- Sentences

_CLOSERS = dict(zip("“‘「『《〈（(【[", "”’」』》〉）)】]", strict=True))  # by opener
_DIRECT = '“‘「『"'  # quotes, possibly around whole sentences
_MARKS = re.compile(r"[。！？!?…]+|[“”‘’「」『』《》〈〉（）()【】\[\]\"]")
_RUNS_ON = re.compile(r"[\w=]")  # after ! or ? of a name or of code
_CONTINUES = re.compile(r"\s*[，、；：,;:）)》〉】\]”’」』]")


def sentences(line: str) -> Iterator[str]:
    """Split a line after 。！？!?… and the quotes and brackets closing there. Drops blank sentences.

    Titles, brackets and quotes within a sentence are never split. Speech before its verb of saying is one sentence with it, after
    a colon it ends with its quote.

    >>> list(sentences("他说：“好！”我们看《你好！李焕英》……走吧"))
    ['他说：“好！”', '我们看《你好！李焕英》……', '走吧']
    >>> list(sentences("“来了。坐吧！”他说。高喊“加油！”冲过去。"))
    ['“来了。', '坐吧！”他说。', '高喊“加油！”冲过去。']
    """
    marks = list(_MARKS.finditer(_WHOLE.sub(lambda whole: "x" * len(whole.group()), line)))
    closers = _pairs(marks)
    closing = set(closers.values())
    start = 0
    opened: list[str] = []  # open marks: "speech" before a verb of saying, "part" of a sentence, "said": sentences of its own
    n = 0
    while n < len(marks):
        at, end, mark = marks[n].start(), marks[n].end(), marks[n].group()
        n += 1
        if n - 1 in closers:
            before = line[start:at].rstrip()
            if mark in _DIRECT:
                opened.append("said" if before.endswith(("：", ":")) else "part" if before else "speech")
            else:
                opened.append("part" if before or mark in "《〈" else "said")
        elif n - 1 in closing:
            opened.pop()
        elif mark[0] in "。！？!?…" and "part" not in opened and not (mark.isascii() and _RUNS_ON.match(line, end)):
            last = "said"
            while n < len(marks) and marks[n].start() == end and n not in closers:
                last = opened.pop() if n in closing else "speech"
                end = marks[n].end()
                n += 1
            rest = line[end:].lstrip()[:1]
            if _CONTINUES.match(line, end) or (last == "speech" and rest and rest not in _CLOSERS and rest != '"'):
                continue
            if line[start:end].strip():
                yield line[start:end]
            start = end
    if line[start:].strip():
        yield line[start:]


def _pairs(marks: list[re.Match[str]]) -> dict[int, int]:
    """Map the number of each opening mark to that of its closing mark. Marks without a partner are left out."""
    pairs: dict[int, int] = {}
    waiting: list[tuple[int, str]] = []  # openers with their closers
    for n, match in enumerate(marks):
        mark = match.group()
        closed = next((k for k in reversed(range(len(waiting))) if waiting[k][1] == mark), None)
        if closed is not None:
            pairs[waiting[closed][0]] = n
            del waiting[closed:]
        elif mark in _CLOSERS or mark == '"':
            waiting = [*waiting[-50:], (n, _CLOSERS.get(mark, '"'))]
    return pairs


# -- Bundled tagger: jieba's words and tags

_TAGS = {
    **dict.fromkeys(("nr", "ns", "nt", "nz", "nrt", "nrfg"), "PROPN"),
    **dict.fromkeys(("ad", "vd", "d"), "ADV"),
    **dict.fromkeys(("ul", "uz", "ug"), "AUX"),
    **dict.fromkeys(("vn", "an", "n", "t", "s", "q", "j", "g"), "NOUN"),
    **dict.fromkeys(("v", "i", "l"), "VERB"),
    **dict.fromkeys(("a", "b", "z"), "ADJ"),
    **dict.fromkeys(("p", "f"), "ADP"),
    **dict.fromkeys(("u", "y", "h", "k"), "PART"),
    **dict.fromkeys(("e", "o"), "INTJ"),
    "m": "NUM",
    "r": "PRON",
    "c": "SCONJ",
    "eng": "X",
}
"""Tags of Universal Dependencies by jieba's tag, or by its first letter."""
_WORDS = {
    word: (letter, tag)
    for letter, tag, words in (
        ("c", "CCONJ", "和 与 及 以及 或 或者 并 并且 且 而且 同 跟 暨 还是"),
        ("v", "AUX", "是 会 能 可以 可 要 可能 应 应该 应当 须 必须 需 需要 能够 敢 肯 愿意"),
        ("r", "DET", "这 那 该 各 每 此 某 本 其他 任何 全 诸 这个 那个 这些 那些 全体 全部"),
        ("m", "NOUN", "年 月 日 时 分 秒"),
    )
    for word in words.split()
}
"""Words with another tag, if jieba's tag begins with that letter."""


def universal(word: str, tag: str) -> str:
    """Return the tag of Universal Dependencies (https://universaldependencies.org/u/pos/) for a word with a tag of jieba.

    >>> [universal(*pair) for pair in (("支部", "n"), ("人民网", "nt"), ("和", "c"), ("因为", "c"), ("。", "x"), ("+", "x"))]
    ['NOUN', 'PROPN', 'CCONJ', 'SCONJ', 'PUNCT', 'SYM']
    """
    if not any(map(str.isalnum, word)):
        return "SYM" if all(unicodedata.category(c).startswith("S") for c in word) else "PUNCT"
    letter, other = _WORDS.get(word, ("", ""))
    return other if letter and tag.startswith(letter) else _TAGS.get(tag) or _TAGS.get(tag[:1], "X")


class JiebaTagger:
    """Tagger by jieba's dictionary and, for runs of other characters, its hidden Markov model, as in ``jieba.posseg``.

    The model segments and tags such runs together. A term missing in the dictionary is a noun.

    >>> [word for word, tag, _ in JiebaTagger(Segmenter())("李小福是创新办主任") if tag == "nr"]
    ['李小福']
    """

    def __init__(self, segmenter: Segmenter, terms: Collection[str] = (), cache_dir: Path | None = None) -> None:
        self._cut = segmenter.known
        self._terms = frozenset(map(normalise, terms))
        self._tag_of = functools.lru_cache(50_000)(self._tagged)
        self._run_of = functools.lru_cache(50_000)(self._guessed)
        self._model = _model(cache_dir)

    def __call__(self, sentence: str) -> Iterator[tuple[str, str, str]]:
        run = ""
        for word in self._cut(sentence):
            if len(word) == 1 and "\u4e00" <= word <= "\u9fd5":
                run += word
                continue
            yield from self._run_of(run)
            run = ""
            yield self._tag_of(word)
        yield from self._run_of(run)

    def _guessed(self, run: str) -> tuple[tuple[str, str, str], ...]:
        if len(run) < 2:
            return tuple(map(self._tag_of, run))
        return tuple((pair.word, pair.flag, universal(pair.word, pair.flag)) for pair in self._model.cut(run))

    def _tagged(self, word: str) -> tuple[str, str, str]:
        plain = normalise(word)
        guess = "m" if any(map(str.isdigit, plain)) else "eng" if plain.isascii() and plain.isalpha() else "x"
        tag = language().tag(plain) or ("n" if plain in self._terms else guess)
        return word, tag, universal(word, tag)


@functools.cache
def _model(cache_dir: Path | None) -> Any:
    """Load jieba's tagger (two seconds)."""
    tokenizer = jieba().Tokenizer()
    if cache_dir is not None:
        tokenizer.tmp_dir = str(cache_dir)
    return importlib.import_module("jieba.posseg").POSTokenizer(tokenizer)


def load_tagger(name: str) -> Tagger:
    """Return the function named ``module:function``, also from a module in the working directory.

    Raises:
        ExportError: there is no such function.
    """
    module, _, function = name.partition(":")
    sys.path.insert(0, "")
    try:
        tagger: Tagger = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise ExportError(f"--tagger {name}: {error}. Name it MODULE:FUNCTION, as docs/export.md shows") from error
    finally:
        sys.path.remove("")
    return tagger
