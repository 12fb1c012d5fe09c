r"""Take boilerplate out of an extracted text, and the lines that its site repeats; tell whether a text is left.

After Zhou et al. 2019, section 3.3: video pages, copyright notices and share prompts pass every test of the topic by their title
and menus, so the text itself is checked before it is stored.

A line that stands on many pages of a host belongs to the site. At the edges of a text it goes when it is on three tenths of the
pages; in the middle only when it is on most of them and is no sentence: blogs repeat headings (小结, 参考文献), news formulas.

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
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Literal

from topical_crawler.cleaning.characters import count_letters
from topical_crawler.package_data import data_folder

# -- Lines that a site repeats


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


# -- Boilerplate of a page


MIN_CHARACTERS = 50
"""Fewest letters and digits of a text: the shortest of 11,055 news items has 56."""
MAX_LINE = 300
"""Longest line that may be boilerplate, in characters; longer ones are text."""
MAX_LEFT = 4
"""Most letters and digits left of a boilerplate line once its patterns are taken out."""
MAX_LINK_SHARE = 0.5
"""Most of a text's letters, as a part of 1, that may stand in lines which are the text of links."""
MAX_LINK_LINE = 60
"""Longest line, in letters, that is looked up among the links: longer ones are sentences."""
MAX_STEPS = 30_000
"""Bound on the product of an expression's counts: it keeps the slowest match of a line near a tenth of a second."""

NO_TEXT = "no text"
BOILERPLATE_ONLY = "boilerplate only"
COPYRIGHT_ONLY = "copyright only"
NEAR_EMPTY = "near-empty"
LIST_OF_LINKS = "list of links"

_GOES_ON = tuple("（(：:，,、。；;")
"""What a line begins with that goes on with the sentence of the line before, as where a word of it is set apart."""

_Kind = Literal["copyright", "boilerplate"]
_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufff9-\ufffb\x00-\x08\x0e-\x1f\x7f]")
_ESCAPED = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
_COUNT = re.compile(r"(\)?)\{(?:(\d*),)?(\d*)\}")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A cleaned text, or "" with the ``reason`` why there is none; and the different lines taken out of it."""

    text: str
    reason: str = ""
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Patterns:
    """What boilerplate looks like: ``copyright`` matches notices, licences and imprint, ``boilerplate`` menus, prompts,
    datelines."""

    copyright: re.Pattern[str]
    boilerplate: re.Pattern[str]


class Cleaner:
    """Takes boilerplate out of texts.

    Args:
        min_characters: fewest letters and digits of a text that is kept.
        patterns: of boilerplate; those of ``lexicon/boilerplate.txt`` where not given.

    Raises:
        ValueError: ``lexicon/boilerplate.txt`` has a malformed line.
    """

    def __init__(self, min_characters: int = MIN_CHARACTERS, patterns: Patterns | None = None) -> None:
        self.min_characters = min_characters
        self.patterns = patterns or default_patterns()

    def clean(self, text: str, anchors: Collection[str] = (), title: str = "", learned: Learned = NOTHING) -> Cleaned:
        """Normalise ``text`` (NFC, no invisible characters, at most one blank line in a row) and take away boilerplate at its
        head and tail. It is rejected as "no text", as "boilerplate only" or "copyright only" (whichever has more characters), or
        as "near-empty": fewer than ``min_characters`` letters and digits, boilerplate between its lines not counted; or as
        "list of links": more than half of it is the text of links (pages of tags, of titles).

        Args:
            text: as extracted, one paragraph a line.
            anchors: anchor texts of the page's links; a line that is one of them is navigation.
            title: of the page; a line at the head or the tail that only repeats it is no text.
            learned: what is known of the lines of the page's host; those that it repeats are no text.

        >>> Cleaner().clean("首页 | 关于我们 | 联系我们\\n版权所有 某某网 未经书面授权禁止使用\\n京ICP证000001号").reason
        'copyright only'
        >>> Cleaner().clean("来源：某某网\\n" + "各支部开展主题党日活动。" * 6 + "\\n（责任编辑：王某）").text[:8]
        '各支部开展主题党'
        """
        lines = normalise_lines(text)
        if not lines:
            return Cleaned("", NO_TEXT)
        links = {" ".join(anchor.split()) for anchor in (*anchors, title)}

        def of_text(line: str) -> bool:
            return bool(line) and line not in links and self.kind(line) is None

        def is_continued(i: int) -> bool:
            following = lines[i + 1] if i + 1 < len(lines) else ""
            return following.startswith(_GOES_ON) and of_text(following) and not learned.at_edge(following)

        def content(i: int) -> bool:
            return of_text(lines[i]) and (not learned.at_edge(lines[i]) or is_continued(i))

        # From the head only as far as needed, then from the tail: most lines of a text are never matched.
        first, letters = None, 0
        for i, line in enumerate(lines):
            if content(i):
                first = i if first is None else first
                letters += count_letters(line)
                if letters >= self.min_characters:
                    break
        if first is None:
            notices = sum(len(line) for line in lines if self.kind(line) == "copyright")
            return Cleaned("", COPYRIGHT_ONLY if 2 * notices > sum(map(len, lines)) else BOILERPLATE_ONLY)
        if letters < self.min_characters:
            return Cleaned("", NEAR_EMPTY)
        last = next(i for i in range(len(lines) - 1, -1, -1) if content(i))
        repeated = {i for i in range(first, last + 1) if learned.within(lines[i]) and not is_continued(i)}
        kept = [lines[i] for i in range(first, last + 1) if i not in repeated]
        if _link_share(kept, anchors) > MAX_LINK_SHARE:
            return Cleaned("", LIST_OF_LINKS)
        outer = (line for line in lines[:first] + lines[last + 1 :] if line)
        removed = dict.fromkeys([*outer, *(lines[i] for i in sorted(repeated))])
        return Cleaned("\n".join(kept), "", tuple(removed))

    def kind(self, line: str) -> _Kind | None:
        """What boilerplate a line is, None for text.

        >>> [Cleaner().kind(line) for line in ("互联网新闻信息许可证 1012006", "分享到：微博 微信", "党支部")]
        ['copyright', 'boilerplate', None]
        """
        if len(line) > MAX_LINE:
            return None
        folded = _fold(line)
        left, notices = self.patterns.copyright.subn("", folded)
        left, others = self.patterns.boilerplate.subn("", left)
        if not (notices or others) or count_letters(left) > MAX_LEFT:
            return None
        return "copyright" if notices else "boilerplate"


def _link_share(lines: Iterable[str], anchors: Iterable[str]) -> float:
    """The part of a text's letters, 0 to 1, that stands in lines which are (a part of) a link's text: on a page of tags or of
    titles nearly all, in an article hardly any."""
    linked = "\n".join(" ".join(anchor.split()) for anchor in anchors)
    letters = in_links = 0
    for line in lines:
        count = count_letters(line)
        letters += count
        if count <= MAX_LINK_LINE and line in linked:
            in_links += count
    return in_links / letters if letters else 0.0


def normalise_lines(text: str) -> list[str]:
    """The lines of ``text`` in NFC, without invisible characters, white space at their ends and repeated blank lines.

    >>> normalise_lines("\\ufeff　　党建\\u200b要闻\\r\\n\\r\\n\\r\\n正文 ")
    ['党建要闻', '', '正文']
    """
    lines: list[str] = []
    for raw in unicodedata.normalize("NFC", text).splitlines():
        line = _INVISIBLE.sub("", raw).strip()
        if line or (lines and lines[-1]):
            lines.append(line)
    if lines and not lines[-1]:
        lines.pop()
    return lines


@cache
def default_patterns() -> Patterns:
    """The patterns of ``lexicon/boilerplate.txt``."""
    source = data_folder().joinpath("boilerplate.txt")
    return read_patterns(source.read_text("utf-8").splitlines(), str(source))


def read_patterns(lines: Iterable[str], name: str) -> Patterns:
    """Read patterns in the format that ``lexicon/boilerplate.txt`` explains at its head.

    Args:
        lines: of the file.
        name: of the file, for messages.

    Raises:
        ValueError: a malformed line, with file, line and remedy.

    >>> read_patterns(["[boilerplate]", "分享到", "[copyright]", "/版权所有.*/"], "my.txt")
    Traceback (most recent call last):
    ...
    ValueError: my.txt, line 4: * and + have no bound; write a count such as {0,80}
    """
    sections: dict[str, list[str]] = {"copyright": [], "boilerplate": []}
    section: list[str] | None = None
    for number, raw in enumerate(lines, 1):
        line = raw.strip()
        where = f"{name}, line {number}"
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section = sections.get(line.strip("[]"))
            if section is None or not line.endswith("]"):
                raise ValueError(f"{where}: {line!r} is no section; write [copyright] or [boilerplate]")
        elif section is None:
            raise ValueError(f"{where}: a pattern before the first section; put [copyright] or [boilerplate] above it")
        elif line.startswith("/"):
            section.append(_expression(line, where))
        elif not (phrase := _fold(line)):
            raise ValueError(f"{where}: the phrase has no visible character; take the line away")
        else:
            section.append(re.escape(phrase))
    for kind, patterns in sections.items():
        if not patterns:
            raise ValueError(f"{name}: no pattern under [{kind}]; add one, such as 版权所有 under [copyright]")
    # The longest phrase first, so that a phrase does not hide another that begins like it.
    joined = {kind: "|".join(sorted(patterns, key=len, reverse=True)) for kind, patterns in sections.items()}
    return Patterns(re.compile(joined["copyright"], re.IGNORECASE), re.compile(joined["boilerplate"], re.IGNORECASE))


def _expression(line: str, where: str) -> str:
    if len(line) < 3 or not line.endswith("/"):
        raise ValueError(f"{where}: a regular expression stands between two slashes, as in /版权所有.{{0,80}}/")
    source = line[1:-1]
    bare = _ESCAPED.sub("x", source)
    if "*" in bare or "+" in bare:
        raise ValueError(f"{where}: * and + have no bound; write a count such as {{0,80}}")
    steps = 1
    for group, _, most in _COUNT.findall(bare):
        if group:
            raise ValueError(f"{where}: a count on a group makes matching slow; write the group out")
        if not most:
            raise ValueError(f"{where}: a count needs a bound, as in {{0,80}}")
        steps *= max(1, int(most))
    if steps > MAX_STEPS:
        raise ValueError(
            f"{where}: the counts multiply to {steps:,}, more than {MAX_STEPS:,}; lower them or split the expression"
        )
    try:
        pattern = re.compile(source, re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"{where}: not a regular expression ({error}); mend it, or take the slashes off for a phrase") from None
    if pattern.groups:
        raise ValueError(f"{where}: write (?:…) for (…)")
    if pattern.match(""):
        raise ValueError(f"{where}: the expression matches an empty line; give it at least one fixed character")
    return f"(?:{source})"


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
