"""A second opinion: another extractor reads the pages that ours is unsure of, and one of both texts is taken.

Ours is unsure where its text is short or leaves out more prose than it has, and on pages in other languages than Chinese, which
its model was not taught. Two texts are measured alike: each is worth what that model says of the blocks of the page in it. Of a
Chinese page, and of a thread in another language, the text that is worth more is taken. Of another page the other's text is,
also where it is only nearly as long as ours. A list in Chinese stays a list: of 263, the other's text
would have been taken for 13, each an excerpt.
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
GROUP = "topical_crawler.extractors"  # entry points of this group read pages in place of ours: name → "module:function"
BUILT_IN = dict.fromkeys((OURS, BOTH, SECOND), "topical_crawler.extraction.second:read_with_trafilatura")
Reader = Callable[[str, str], str]
"""Source and address of a page to its main text, a paragraph a line, "" if there is none."""

SHORT = 100  # letters below which a text is short
PROSE = 20  # fewest letters of a sentence that is prose
FOREIGN = 0.05  # share of a page's letters that are Chinese under which it is in another language
NEARLY = 0.8
"""Share of the letters of our text that the other has to have, on a page that is not Chinese. Chosen on a third of the part for
development of WCXB and half of the hosts of trafilatura's evaluation: .7 to .9 do the same."""
COVER = 0.95  # share of the other's text in blocks of the page from which on these are taken, which know headings and lists
_HAN = re.compile(r"[\u3400-\u9fff]")


def read_with_trafilatura(html: str, url: str) -> str:
    """The main text of a page as trafilatura finds it, without comments."""
    import trafilatura  # takes half a second

    return trafilatura.extract(html, include_comments=False) or ""


@cache
def open_reader(name: str) -> Reader:
    """The extractor of that name, of this package or of another distribution. Raises ValueError where there is none."""

    reader: Reader = plugins.load("extractor", name, GROUP, BUILT_IN, lambda reader: reader.__call__)
    return reader


def is_unsure(blocks: Sequence[Block], text: Iterable[Passage]) -> bool:
    """Whether the ``text`` of a Chinese page may be wrong: it is short, or leaves out more prose than it has letters.

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
    """The text of a page that another extractor finds, where it is taken; [] where ours stays.

    Args:
        html, url: source and address of the page.
        title: the page's own.
        blocks: of the page, normalised.
        text: ours.
        kind: of the page, one of :data:`~topical_crawler.extraction.kinds.KINDS`.
        extractor: :data:`OURS`, :data:`BOTH`, or the name of one that reads every page. Raises ValueError for an unknown one.
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
    """The blocks of a page that a text holds."""
    bare = _bare(text)
    return [block for block in blocks if not block.furniture and _bare(block.text) in bare]


def _prose(blocks: Sequence[Block]) -> int:
    """The letters of sentences outside links and furniture."""
    sentences = (b for b in blocks if b.letters >= PROSE and b.link_share <= LINKED and not b.furniture and is_sentence(b.text))
    return sum(block.letters for block in sentences)


def _bare(text: str) -> str:
    return "".join(text.split())
