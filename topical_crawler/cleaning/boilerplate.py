r"""Boilerplate in extracted texts, found by patterns and by lines recurring on the pages of a site.

After Zhou et al. 2019, section 3.3: video pages, copyright notices and share prompts pass the topic test by their title and
menus, so the text itself is checked before it is stored.

A line on many pages of a host belongs to the site. At the edges of a text it is removed from :data:`EDGE_SHARE` of the pages on.
In the middle it is removed from :data:`WITHIN_SHARE` on, unless it is a sentence: blogs repeat headings (小结, 参考文献), news
formulas.

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
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Literal

from topical_crawler.cleaning.characters import count_letters
from topical_crawler.package_data import data_folder
from topical_crawler.text.passages import VERBATIM, Layout, Passage, passages, plain
from topical_crawler.text.passages import layout as layout_of
from topical_crawler.text.segment import normalise

MIN_PAGES, EDGE_SHARE = 5, 0.3
"""Least number and share of a host's pages with a line at head or tail, to count it as the site's. Measured on 14 blogs and 8
portals: above are slogans, datelines and editors' names; below also words between formulas (所以, .25) and the beginning of
articles of a series (.23)."""
MIN_PAGES_WITHIN, WITHIN_SHARE = 10, 0.6
"""The same for the middle of a text. The line repeated most on a blog, a book among its references, is on .5 of its pages."""
MAX_LETTERS = 120  # longest line counted in the middle, in letters and digits: longer ones are prose
MAX_LINE = 300  # longest boilerplate line, in characters: licences of blogs have over 200
HEAD, TAIL = 6, 10  # lines counted at head and tail, sentences too
MAX_LINES = 400  # most lines counted between them on a page
NEW_LINES = 20  # most lines of a page added to the counts
PERIOD = 200  # lines on less than one page in so many of a host are forgotten (lossy counting, Manku and Motwani)

_NUMBER = re.compile(r"[0-9]{1,1000}")
_ADDRESS = re.compile(r"https?://[!-~]{1,1000}")
_HAN = re.compile("[\u3400-\u9fff]")
_SENTENCE = re.compile("[。！？；!?;…，]")
_HEADING = re.compile(  # a heading, or an entry of a list of references: repeated, but part of the text
    r"(?:第?[一二三四五六七八九十0-9]{1,3}(?:[.、．)）章节部分]|\s){1,3}.{0,40}"
    r"|(?:前言|引言|导言|序言|摘要|简介|介绍|概述|背景|目录|题目.{0,4}|问题描述|正文|总结|小结|结论|结语|后记|附录|致谢|注释?|说明|参考.{0,4})[:：]?)"
    r"|\[[0-9]{1,3}\].{0,200}"
)


@lru_cache(maxsize=4096)
def digest(line: str) -> int:
    """Return a signed 64-bit digest of ``line``, never 0.

    White space is removed, width and case are folded, and all numbers and all addresses count as the same.

    >>> digest("阅读：１２ 次") == digest("阅读:345次"), digest("阅读") == digest("浏览")
    (True, False)
    >>> digest("本文链接：https://a.cn/x.html 转载请注明") == digest("本文链接：https://a.cn/y/ 转载请注明")
    True
    """
    folded = _ADDRESS.sub("@", normalise(line))
    folded = _NUMBER.sub("0", "".join(folded.split()))
    return int.from_bytes(blake2b(folded.encode("utf-8", "replace"), digest_size=8).digest(), signed=True) or 1


def candidates(text: str) -> dict[int, str]:
    """Return the lines of ``text`` possibly belonging to the site, by digest, those nearest to head and tail first.

    >>> list(candidates("党建网\\n各支部开展学习。\\n……\\n联系我们").values())
    ['党建网', '联系我们', '各支部开展学习。']
    """
    lines = [line for raw in text.split("\n") if (line := raw.strip()) and count_letters(line) >= 2]
    last = len(lines) - 1
    edges: dict[int, str] = {}
    for i in range(max(HEAD, TAIL)):
        for position in [i] * (i < HEAD) + [last - i] * (i < TAIL):
            if 0 <= position <= last and len(line := lines[position]) <= MAX_LINE:
                edges.setdefault(digest(line), line)
    middle = [line for line in lines[HEAD : max(HEAD, last + 1 - TAIL)] if _may_be_within(line)]
    # Sorted, so that all pages count the same ones of too many lines.
    return edges | dict(sorted((digest(line), line) for line in middle[:MAX_LINES]))


@dataclass(frozen=True, slots=True)
class Learned:
    """Line counts of one host: ``pages`` by line digest, out of ``seen`` counted pages."""

    seen: int = 0
    pages: Mapping[int, int] = field(default_factory=dict)

    def at_edge(self, line: str) -> bool:
        """Return True if ``line`` at the head or tail of a text belongs to the site."""
        return self._share(line, MIN_PAGES) >= EDGE_SHARE and not _HEADING.fullmatch(line)

    def within(self, line: str) -> bool:
        """Return True if ``line`` anywhere in a text belongs to the site."""
        return self._share(line, MIN_PAGES_WITHIN) >= WITHIN_SHARE and _may_be_within(line) and not _HEADING.fullmatch(line)

    def _share(self, line: str, min_pages: int) -> float:
        if self.seen < min_pages or not line:
            return 0.0
        pages = self.pages.get(digest(line), 0)
        return pages / self.seen if pages >= min_pages else 0.0


NOTHING = Learned()  # for an unknown host


class LineCounts:
    """In-memory line counts of one host: ``pages`` and text (``lines``) by digest, out of ``seen`` pages."""

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
            for rare in [line for line, pages in self.pages.items() if pages * PERIOD <= self.seen]:
                del self.pages[rare], self.lines[rare]

    def learned(self) -> Learned:
        """Return the counts, sharing later updates of ``pages``."""
        return Learned(self.seen, self.pages)


def new_lines(page_lines: Iterable[int], known: Container[int]) -> list[int]:
    """Return the lines of a page to add to the ``known`` ones, at most :data:`NEW_LINES`."""
    return [line for line in page_lines if line not in known][:NEW_LINES]


def _may_be_within(line: str) -> bool:
    return count_letters(line) <= MAX_LETTERS and bool(_HAN.search(line)) and not _SENTENCE.search(line)


# -- Boilerplate of a page

MIN_CHARACTERS = 50  # fewest letters and digits of a text: the shortest of 11,055 news items has 56
MAX_LEFT = 4  # most letters and digits of a boilerplate line outside of the patterns
MAX_LINK_SHARE = 0.5  # greatest share of a text's letters in lines equal to link texts
MAX_LINK_LINE = 60  # longest line compared with link texts, in letters

NO_TEXT = "no text"
BOILERPLATE_ONLY = "boilerplate only"
COPYRIGHT_ONLY = "copyright only"
NEAR_EMPTY = "near-empty"
LIST_OF_LINKS = "list of links"

_GOES_ON = tuple("（(：:，,、。；;")  # beginnings of a line continuing the sentence before

_Kind = Literal["copyright", "boilerplate"]
_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufff9-\ufffb\x00-\x08\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Cleaned text with its layout, or "" with the ``reason`` of its rejection, and the distinct lines ``removed``."""

    text: str
    reason: str = ""
    removed: tuple[str, ...] = ()
    layout: Layout = ()


@dataclass(frozen=True, slots=True)
class Patterns:
    """Boilerplate patterns: ``copyright`` for notices, licences and imprints, ``boilerplate`` for menus, prompts, datelines."""

    copyright: re.Pattern[str]
    boilerplate: re.Pattern[str]


class Cleaner:
    """Remover of boilerplate by the patterns of ``lexicon/boilerplate.txt``.

    Rejects texts with fewer than ``min_characters`` letters and digits.
    """

    def __init__(self, min_characters: int = MIN_CHARACTERS) -> None:
        self.min_characters = min_characters
        self.patterns = default_patterns()

    def clean(
        self, text: str, anchors: Collection[str] = (), title: str = "", learned: Learned = NOTHING, layout: Layout = ()
    ) -> Cleaned:
        """Normalise ``text`` (:func:`normalised`) and remove boilerplate from its head and tail.

        Code, formulas and tables are never boilerplate. A heading shares the fate of the text below it, even if it recurs on the
        site or equals a link text.

        Reasons for rejecting a text: "no text"; "boilerplate only" or "copyright only" (by the larger share of characters);
        "near-empty" (fewer than ``min_characters`` letters and digits of prose and Chinese characters of the rest); "list of
        links" (more than half is link text, as on tag pages).

        Args:
            text: as extracted, one paragraph a line.
            anchors: anchor texts of the page's links. Lines equal to one are navigation.
            title: title of the page. Lines at head and tail repeating it are removed.
            learned: line counts of the page's host.
            layout: of the text, see :mod:`~topical_crawler.text.passages`.

        >>> Cleaner().clean("首页 | 关于我们 | 联系我们\\n版权所有 某某网 未经书面授权禁止使用\\n京ICP证000001号").reason
        'copyright only'
        >>> Cleaner().clean("来源：某某网\\n" + "各支部开展主题党日活动。" * 6 + "\\n（责任编辑：王某）").text[:8]
        '各支部开展主题党'
        """
        found = normalised(text, layout)
        if not found:
            return Cleaned("", NO_TEXT)
        title = " ".join(title.split())
        links = {" ".join(anchor.split()) for anchor in (*anchors, title)}
        below = _below_headings(found)

        def is_text(line: str) -> bool:
            return bool(line) and line not in links and self.kind(line) is None

        def is_continued(i: int) -> bool:
            goes_on = i + 1 < len(found) and found[i + 1].kind not in VERBATIM and found[i + 1].kind != "heading"
            following = found[i + 1].text if goes_on else ""
            return following.startswith(_GOES_ON) and is_text(following) and not learned.at_edge(following)

        def is_content(i: int) -> bool:
            line = found[i].text
            if found[i].kind in VERBATIM:
                return True
            if i in below:
                following = below[i]
                return line != title and self.kind(line) is None and following is not None and is_content(following)
            return is_text(line) and (not learned.at_edge(line) or is_continued(i))

        def is_repeated(i: int) -> bool:
            return found[i].kind not in VERBATIM and i not in below and learned.within(found[i].text) and not is_continued(i)

        # Only as far as needed from head and tail: most lines are never matched.
        first, letters = None, 0
        for i, passage in enumerate(found):
            if is_content(i):
                first = i if first is None else first
                letters += len(_HAN.findall(passage.text)) if passage.kind in VERBATIM else count_letters(passage.text)
                if letters >= self.min_characters:
                    break
        if first is None:
            notices = sum(len(passage.text) for passage in found if self.kind(passage.text) == "copyright")
            return Cleaned("", COPYRIGHT_ONLY if 2 * notices > len(text) else BOILERPLATE_ONLY)
        if letters < self.min_characters:
            return Cleaned("", NEAR_EMPTY)
        last = next(i for i in range(len(found) - 1, -1, -1) if is_content(i))
        repeated = {i for i in range(first, last + 1) if is_repeated(i)}
        kept = _without_blanks(found[i] for i in range(first, last + 1) if i not in repeated)
        if _link_share(kept, anchors) > MAX_LINK_SHARE:
            return Cleaned("", LIST_OF_LINKS)
        removed = (found[i].text for i in range(len(found)) if not first <= i <= last or i in repeated)
        return Cleaned(plain(kept), "", tuple(dict.fromkeys(filter(None, removed))), layout_of(kept))

    def kind(self, line: str) -> _Kind | None:
        """Return the kind of boilerplate of a line, or None for text.

        >>> [Cleaner().kind(line) for line in ("互联网新闻信息许可证 1012006", "分享到：微博 微信", "党支部")]
        ['copyright', 'boilerplate', None]
        """
        if len(line) > MAX_LINE:
            return None
        if not self._begins_soon(folded := normalise(line)):
            return None
        left, notices = self.patterns.copyright.subn("", folded)
        left, others = self.patterns.boilerplate.subn("", left)
        if not (notices or others) or count_letters(left) > MAX_LEFT:
            return None
        return "copyright" if notices else "boilerplate"

    def _begins_soon(self, line: str) -> bool:
        """Return True if boilerplate begins within the first :data:`MAX_LEFT` letters, saving most lines a full search."""
        letters = 0
        notice, boilerplate = self.patterns.copyright.match, self.patterns.boilerplate.match
        for place, char in enumerate(line):
            if boilerplate(line, place) or notice(line, place):
                return True
            letters += char.isalnum()
            if letters > MAX_LEFT:
                break
        return False


def _link_share(text: Sequence[Passage], anchors: Iterable[str]) -> float:
    """Return the share of letters, 0 to 1, in lines contained in a link text."""
    linked = "\n".join(" ".join(anchor.split()) for anchor in anchors)
    lines = [passage.text for passage in text if passage.kind not in VERBATIM and passage.text in linked]
    in_links = sum(count for line in lines if (count := count_letters(line)) <= MAX_LINK_LINE)
    return in_links / sum(count_letters(passage.text) for passage in text) if in_links else 0.0


def normalised(text: str, layout: Layout = ()) -> list[Passage]:
    """Return the passages of ``text``: stripped lines in NFC, without invisible characters and repeated blank lines.

    Code, formulas and tables stay as they are.

    >>> [passage.text for passage in normalised("\\ufeff　　党建\\u200b要闻\\r\\n\\r\\n\\r\\n正文 ")]
    ['党建要闻', '', '正文']
    """
    found: list[Passage] = []
    for passage in passages(text, layout) if layout else [Passage(text)]:
        if passage.kind in VERBATIM:
            found.append(passage)
            continue
        for raw in unicodedata.normalize("NFC", passage.text).splitlines() or [""]:
            line = _INVISIBLE.sub("", raw).strip()
            if line or passage.kind == "paragraph":
                found.append(Passage(line, passage.kind, passage.level, passage.note))
    return _without_blanks(found)


def _without_blanks(found: Iterable[Passage]) -> list[Passage]:
    """Drop blank passages at the edges and after another blank one."""
    kept: list[Passage] = []
    for passage in found:
        if passage.text or (kept and kept[-1].text):
            kept.append(passage)
    if kept and not kept[-1].text:
        kept.pop()
    return kept


def _below_headings(found: Sequence[Passage]) -> dict[int, int | None]:
    """Map every heading except the page's title (level 1) to the next other passage, None at the end."""
    below: dict[int, int | None] = {}
    following = None
    for i in range(len(found) - 1, -1, -1):
        if found[i].kind == "heading" and found[i].level != 1:
            below[i] = following
        elif found[i].text:
            following = i
    return below


@cache
def default_patterns() -> Patterns:
    """Return the patterns of ``lexicon/boilerplate.txt``. The head of that file explains its format."""
    sections: dict[str, list[str]] = {}
    section: list[str] = []
    for line in data_folder().joinpath("boilerplate.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), [])
        elif line.startswith("/"):
            section.append(f"(?:{line[1:-1]})")
        elif line and not line.startswith("#"):
            section.append(re.escape(normalise(line)))
    # The longest first, so that a phrase does not hide a longer one with the same beginning.
    joined = {name: "|".join(sorted(found, key=len, reverse=True)) for name, found in sections.items()}
    return Patterns(**{name: re.compile(expression, re.IGNORECASE) for name, expression in joined.items()})
