"""Second opinion on uncertain pages: another extractor reads the page, and the better of both texts is taken.

Our text is uncertain if it is short or leaves out more prose than it has, and on pages in other languages than Chinese, absent
from the training data. Both texts are scored alike, by our model's scores of the page's blocks in them. On a Chinese page, and
for a thread in another language, the text with the higher score is taken. On any other page the other text is also taken if it is
nearly as long as ours. A list in Chinese stays a list: of 263, a second opinion would have replaced 13, each by an excerpt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np

from topical_crawler import plugins
from topical_crawler.extraction.kinds import ARTICLE, DOCUMENTATION, ERROR, FORUM
from topical_crawler.extraction.main_text import CAP, LINKED, block_weights, is_sentence, scores_of
from topical_crawler.extraction.structure import Block
from topical_crawler.text.passages import Passage, plain

OURS, BOTH, SECOND = "ours", "both", "trafilatura"
GROUP = "topical_crawler.extractors"  # entry points replacing our extractor: name → "module:function"
BUILT_IN = dict.fromkeys((OURS, BOTH, SECOND), "topical_crawler.extraction.second:read_with_trafilatura")
Reader = Callable[[str, str], str]
"""Main text of a page by its source and address, one paragraph a line, "" without one."""

SHORT = 100  # letters below which a text is short
PROSE = 20  # fewest letters of a sentence of prose
FOREIGN = 0.05  # share of Chinese letters on a page below which it is in another language
NEARLY = 0.8
"""Least length of the other text in that of ours, on a page in another language. Chosen on a third of the development part of
WCXB and half of the hosts of trafilatura's evaluation: .7 to .9 do the same."""
COVER = 0.95  # least share of the other text found in blocks of the page to take those, with their headings and lists
_HAN = re.compile(r"[\u3400-\u9fff]")


def read_with_trafilatura(html: str, url: str) -> str:
    """Return the main text of a page by trafilatura, without comments."""
    import trafilatura  # takes half a second

    return trafilatura.extract(html, include_comments=False) or ""


@cache
def open_reader(name: str) -> Reader:
    """Return the extractor of that name, built in or an entry point of :data:`GROUP`. Raise ValueError for an unknown name."""

    reader: Reader = plugins.load("extractor", name, GROUP, BUILT_IN, lambda reader: reader.__call__)
    return reader


def is_unsure(blocks: Sequence[Block], text: Iterable[Passage]) -> bool:
    """Return True if the ``text`` of a Chinese page is short, or leaves out more prose than it has letters.

    >>> page = [Block(f"{'各支部开展主题党日活动，学习党章党规。' * 3}{end}", 51, 0, 0, "", "p", False) for end in "！。？；"]
    >>> text = [Passage(block.text) for block in page]
    >>> is_unsure(page, text[:3]), is_unsure(page, text[:1])
    (False, True)
    """
    lines = {passage.text for passage in text}
    letters = sum(block.letters for block in blocks if block.text in lines)
    return letters < SHORT or _prose([block for block in blocks if block.text not in lines]) > letters


def second_opinion(
    html: str, url: str, title: str, blocks: Sequence[Block], text: Sequence[Passage], kind: str, extractor: str = BOTH
) -> list[Passage]:
    """Return the text of a page by another extractor if it is preferred, else [].

    Args:
        html: source of the page.
        url: address of the page.
        title: title of the page.
        blocks: blocks of the page, normalised.
        text: our text.
        kind: kind of the page, one of :data:`~topical_crawler.extraction.kinds.KINDS`.
        extractor: :data:`OURS`, :data:`BOTH`, or the name of an extractor for every page.

    Raises:
        ValueError: unknown ``extractor``. An extractor chosen by name may raise other errors on a page.
    """
    has_text = kind in (ARTICLE, DOCUMENTATION)
    chinese = sum(len(_HAN.findall(block.text)) for block in blocks) > FOREIGN * sum(block.letters for block in blocks)
    asks = has_text and is_unsure(blocks, text) if chinese else kind != ERROR
    if extractor == OURS or not (asks if extractor == BOTH else has_text):
        return []
    try:
        other = open_reader(extractor)(html, url)
    except Exception:  # third-party parsers on pages from anywhere
        if extractor == BOTH:
            return []
        raise
    ours, theirs = _held(plain(text), blocks), _held(other, blocks)
    if extractor == BOTH:
        worths = dict(zip(blocks, np.clip(scores_of(title, blocks), -CAP, CAP) * block_weights(blocks), strict=True))
        is_better = sum(map(worths.__getitem__, theirs)) > max(0.0, sum(map(worths.__getitem__, ours)))
        if not chinese and kind != FORUM:
            nearly = sum(block.letters for block in theirs) > NEARLY * sum(block.letters for block in ours)
            is_better = is_better or nearly
        if not (is_better and (ours or (has_text and not chinese) or _prose(theirs) >= SHORT)):
            return []
    if sum(len(_bare(block.text)) for block in theirs) >= COVER * len(_bare(other)):
        return [Passage(block.text, block.kind, block.level, block.note) for block in theirs]
    return [Passage(line) for line in other.splitlines() if line.strip()]


def _held(text: str, blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks of a page contained in a text, without furniture."""
    bare = _bare(text)
    return [block for block in blocks if not block.furniture and _bare(block.text) in bare]


def _prose(blocks: Sequence[Block]) -> int:
    """Count the letters of sentences outside links and furniture."""
    sentences = (b for b in blocks if b.letters >= PROSE and b.link_share <= LINKED and not b.furniture and is_sentence(b.text))
    return sum(block.letters for block in sentences)


def _bare(text: str) -> str:
    return "".join(text.split())
