r"""Lines that a site repeats on its pages: menus, slogans, share prompts, notices that no list of patterns knows.

What stands on many pages of a host is the site's and no part of a text. At the head and at the tail of a text a line goes that is
on three tenths of the pages, in the middle only one that is on most of them and is no sentence: blogs repeat their headings
(小结, 参考文献), and news their formulas.

>>> counts = LineCounts()
>>> for n in range(12):
...     counts.add(f"关注某某公众号，每日干货马上就来！\n各支部开展第{n}次学习，其内容各不相同。\n小结\n大家谈了{n}点体会。")
>>> learned = counts.learned()
>>> learned.at_edge("关注某某公众号，每日干货马上就来！"), learned.at_edge("小结"), learned.within("小结")
(True, False, False)
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b

from topical_crawler.cleaning.characters import count_letters

MIN_PAGES = 5
EDGE_SHARE = 0.3
"""A line at head or tail is the site's from so many pages, and from this part of the host's pages on. Measured on 14 blogs and 8
portals: above it stood slogans, datelines and the editors' names, below it also words between formulas (所以, on .25 of the
pages) and the beginning of articles of a series (.23)."""
MIN_PAGES_WITHIN = 10
WITHIN_SHARE = 0.6
"""The same for the middle of a text: what a blog repeats most there, a book among its references, stands on .5 of its pages."""
MAX_LETTERS = 120
"""Longest line that is counted, in letters and digits; longer ones are prose."""
HEAD, TAIL = 6, 10
"""Lines with letters at head and tail of which every kind is counted; between them only lines that are no sentences."""
MAX_LINES = 400
"""Most lines of a page that are counted."""
NEW_LINES = 20
"""Most lines of a page that are noted for the first time."""
PERIOD = 200
"""After so many pages of a host the lines that stood on less than one in ``PERIOD`` are forgotten (lossy counting after Manku and
Motwani), which bounds their number."""

_NUMBER = re.compile(r"[0-9]{1,1000}")
_HAN = re.compile("[\u3400-\u9fff]")
_SENTENCE = re.compile("[。！？；!?;…，]")
_HEADING = re.compile(
    r"(?:第?[一二三四五六七八九十0-9]{1,3}(?:[.、．)）章节部分]|\s){1,3}.{0,40}"
    r"|(?:前言|引言|导言|序言|摘要|简介|介绍|概述|背景|目录|题目.{0,4}|问题描述|正文|总结|小结|结论|结语|后记|附录|致谢|注释?|说明|参考.{0,4})[:：]?)"
    r"|\[[0-9]{1,3}\].{0,200}"
)
"""A heading, or an entry of a list of references: repeated, and yet the author's."""


@lru_cache(maxsize=20_000)
def digest(line: str) -> int:
    """A signed 64-bit number other than 0 of ``line`` without spaces, with folded forms and every number as 0.

    >>> digest("阅读：１２ 次") == digest("阅读:345次"), digest("阅读") == digest("浏览")
    (True, False)
    """
    folded = _NUMBER.sub("0", "".join(unicodedata.normalize("NFKC", line).casefold().split()))
    return int.from_bytes(blake2b(folded.encode("utf-8", "replace"), digest_size=8).digest(), signed=True) or 1


def candidates(text: str) -> dict[int, str]:
    """The lines of ``text`` that may be the site's, by digest; first those nearest to head and tail.

    >>> list(candidates("党建网\\n各支部开展学习。\\n……\\n联系我们").values())
    ['党建网', '联系我们', '各支部开展学习。']
    """
    lines = [line for raw in text.split("\n") if (line := raw.strip()) and count_letters(line) >= 2]
    last = len(lines) - 1
    order = dict.fromkeys(
        p for i in range(max(HEAD, TAIL)) for p in ([i] * (i < HEAD) + [last - i] * (i < TAIL)) if 0 <= p <= last
    )
    first: dict[int, str] = {}
    for position in order:
        if count_letters(line := lines[position]) <= MAX_LETTERS:
            first.setdefault(digest(line), line)
    middle = [line for line in lines[HEAD : max(HEAD, last + 1 - TAIL)] if _may_be_within(line)]
    # Of the middle always the same ones where there are too many, so that they meet those of other pages.
    return first | dict(sorted((digest(line), line) for line in middle[:MAX_LINES]))


@dataclass(frozen=True, slots=True)
class Learned:
    """What is known of the lines of one host.

    Attributes:
        seen: pages of the host that were counted.
        pages: on how many of them a line stood, by digest.
    """

    seen: int = 0
    pages: Mapping[int, int] = field(default_factory=dict)

    def at_edge(self, line: str) -> bool:
        """Whether ``line`` is the site's where it stands at the head or the tail of a text."""
        return self._share(line, MIN_PAGES) >= EDGE_SHARE and not _HEADING.fullmatch(line)

    def within(self, line: str) -> bool:
        """Whether it is the site's wherever it stands."""
        return self._share(line, MIN_PAGES_WITHIN) >= WITHIN_SHARE and _may_be_within(line) and not _HEADING.fullmatch(line)

    def _share(self, line: str, least: int) -> float:
        if self.seen < least or not line:
            return 0.0
        pages = self.pages.get(digest(line), 0)
        return pages / self.seen if pages >= least else 0.0


NOTHING = Learned()
"""Of a host that nothing is known of."""


class LineCounts:
    """Counts the lines of one host in memory.

    Attributes:
        seen: pages counted.
        pages, lines: on how many of them each line stood, and what it is, by digest.
    """

    def __init__(self) -> None:
        self.seen = 0
        self.pages: dict[int, int] = {}
        self.lines: dict[int, str] = {}

    def add(self, text: str) -> None:
        """Count the lines of a page."""
        self.seen += 1
        page_lines = candidates(text)
        for new in new_lines(page_lines, self.pages):
            self.pages[new], self.lines[new] = 0, page_lines[new]
        for known in page_lines.keys() & self.pages.keys():
            self.pages[known] += 1
        if self.seen % PERIOD == 0:
            for rare in [line for line, pages in self.pages.items() if is_rare(pages, self.seen)]:
                del self.pages[rare], self.lines[rare]

    def learned(self) -> Learned:
        """What is known now."""
        return Learned(self.seen, self.pages)


def new_lines(page_lines: Iterable[int], known: Iterable[int]) -> list[int]:
    """Those of a page's lines that are noted for the first time: the first :data:`NEW_LINES`."""
    present = known if isinstance(known, dict | set) else set(known)
    return [line for line in page_lines if line not in present][:NEW_LINES]


def is_rare(pages: int, seen: int) -> bool:
    """Whether a line that stood on ``pages`` of ``seen`` pages is forgotten.

    >>> is_rare(1, 200), is_rare(2, 200), is_rare(50, 10_000)
    (True, False, True)
    """
    return pages * PERIOD <= seen


def _may_be_within(line: str) -> bool:
    return count_letters(line) <= MAX_LETTERS and bool(_HAN.search(line)) and not _SENTENCE.search(line)
