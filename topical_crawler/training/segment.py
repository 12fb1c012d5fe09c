"""Texts into lines of words: what a worker process does with a batch of documents.

>>> sentences(["同志", "们", ":", "大会", "召开", "了", "。", "天气", "2019", "。"], frozenset({"了"}))
[['同志', '们', '大会', '召开'], ['天气']]
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from topical_crawler.text import Segmenter, default_stopwords

_ENDS = frozenset("。!?;…\n\r\v\f\x85\u2028\u2029")
"""What ends a sentence, in normalised text (full-width marks are folded)."""


@dataclass(frozen=True, slots=True)
class Segmented:
    """A batch of documents, cut.

    Attributes:
        lines: one sentence a line, words separated by blanks, UTF-8.
        empty: documents without a single word.
        characters: of the documents' texts, before anything was done to them.
        size: bytes of these texts in UTF-8.
    """

    lines: bytes
    sentences: int
    tokens: int
    empty: int
    characters: int
    size: int


def segment(options_file: str, texts: Sequence[str]) -> Segmented:
    """Cut a batch of texts with the options in ``options_file`` (see :class:`~.prepare.PrepareOptions`)."""
    simplify, cut, stopwords = _tools(options_file)
    lines, count, tokens, empty = [], 0, 0, 0
    for text in texts:
        found = sentences(cut(simplify(text)), stopwords)
        lines += [" ".join(words) for words in found]
        count += len(found)
        tokens += sum(map(len, found))
        empty += not found
    # A lone surrogate, as broken pages hold it, is no text and cannot be written.
    size = sum(len(text.encode("utf-8", "replace")) for text in texts)
    body = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    return Segmented(body, count, tokens, empty, sum(map(len, texts)), size)


def warm_up() -> None:
    """Before the first batch there is nothing to do: the options come with it."""


def sentences(tokens: Collection[str], stopwords: Collection[str]) -> list[list[str]]:
    """The words of each sentence that has any: tokens with at least one letter or Chinese character that are no stop words.

    Numbers are left out: there is no end of them, and word2vec would give each a row.
    """
    found: list[list[str]] = []
    sentence: list[str] = []
    for token in tokens:
        if token.isalpha() or (len(token) > 1 and any(c.isalpha() for c in token)):
            if token not in stopwords:
                sentence.append(token)
        elif sentence and not _ENDS.isdisjoint(token):
            found.append(sentence)
            sentence = []
    if sentence:
        found.append(sentence)
    return found


@functools.cache
def _tools(options_file: str) -> tuple[Callable[[str], str], Callable[[str], list[str]], frozenset[str]]:
    options = json.loads(Path(options_file).read_text(encoding="utf-8"))
    if options["simplify"]:
        import opencc

        simplify: Callable[[str], str] = opencc.OpenCC("t2s").convert
    else:
        simplify = str
    keep_whole = [simplify(word) for word in options["keep_whole"]]  # 黨建 is 党建 in a text that was simplified
    segmenter = Segmenter(keep_whole, backend=options["segmenter"])
    stopwords: frozenset[str] = frozenset() if options["keep_stopwords"] else default_stopwords()
    return simplify, segmenter.cut, stopwords - frozenset(keep_whole)
