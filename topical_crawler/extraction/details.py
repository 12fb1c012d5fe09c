"""Who published a page, when, where on its site, under what title: by its metadata and the lines around its headline."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from topical_crawler.extraction.blocks import Block, is_sentence, letters, read_blocks
from topical_crawler.extraction.dates import in_address, in_text, latest
from topical_crawler.extraction.head import Head, first

NEAR = 40
"""Blocks from the headline on in which the lines about an article are looked for, and as many at the page's end."""
STAMP = 120
"""Letters of such a line, at most."""
MAX_LINE = 300
"""Characters of it that are read: some lines are punctuation without end."""
MAX_SECTION = 100
"""Longest section, in characters."""

_SITE = re.compile(
    r"(?:网|網|网站|报|報|频道|頻道|博客|在线|新闻|论坛|门户|客户端|中心|政府|平台|空间|主页|资讯|财经|体育|娱乐|科技|教育|军事|健康)$"
)
_STRONG = re.compile(r"\s*[_|｜]\s*|\s+[-–—·»]\s+|-{2,}")
_WEAK = re.compile(r"[-–—]")
_AUTHOR = re.compile(
    r"(?:^|[\s|｜(（【\[·])(?:作\s{0,4}者|撰\s{0,4}文|文)\s{0,3}[:：/／]\s{0,3}([\w·•.]{2,20}(?:[、，, ][\w·•]{2,4}){0,5})"
)
_NOT_AUTHOR = re.compile(
    r"责任|编辑|编审|责编|来源|日期|时间|发布|浏览|阅读|字号|分类|标签|点击|单位|访问|统计|更新|字数|评论|收藏|分享|版权|本文|链接|许可|声明|原创|转载|\d{4}"
)
_NO_PERSON = re.compile(r"://|www\.|team\b|discuz|公司|集团|出版|期刊|网$|admin", re.IGNORECASE)
_SOURCE = re.compile(
    r"(?:信息来源|稿件来源|文章来源|新闻来源|稿源|来\s{0,2}源|來源|转载自|转自|摘自)\s{0,3}[:：]\s{0,3}([^\s|｜,，;；。]{2,40})"
    r"|[(（](?:转载自|转自|摘自|来源)[:：]?\s?([^\s()（）]{2,40})[)）]"
)
_MARKUP = re.compile("[=<>{}]|://")
_SOURCE_ENDS = re.compile(
    r"(?:作者|编辑|责编|责任编辑|记者|发布|时间|日期|浏览|点击|阅读|字号|字体|分享|打印|(?:19|20)\d\d[-年/.]|[【\[(（](?:字|打印|关闭)).*$"
)
_STAMPED = re.compile(r"\d{1,2}[:：]\d\d|来\s?源|發布|发布|时间|日期|编辑|作者|更新|发表|浏览|阅读|点击")
_HERE = re.compile(r"(?:当前|您的|所在|现在|你的|您现在的|您当前的|您所在的)(?:的)?位置(?:是)?|您现在所在的?位置|^位置")
_CRUMB = re.compile(r"\s*(?:[>＞»›→]|-&gt;|::)+\s*")
_HOME = re.compile(r"^(?:.{0,8}首\s?页|主\s?页|home|返回首页)$", re.IGNORECASE)
_NOT_SECTION = re.compile(r"^(?:正\s?文|内容|详细?内容|文章(?:内容|正文|详情)?|浏览文章|阅读|.{0,4}详情)$")


@dataclass(frozen=True, slots=True)
class Details:
    """What is known of an article beside its text; "" for what is not."""

    title: str = ""
    date: str = ""
    author: str = ""
    source: str = ""
    section: str = ""
    canonical: str = ""
    license: str = ""


def read_details(tree: HtmlElement, blocks: Sequence[Block], url: str, fetched: str = "", *, search_date: bool = True) -> Details:
    """The details of a page.

    Args:
        tree: of the page; not changed.
        blocks: of the page.
        url: of the page.
        fetched: when it was fetched, ISO 8601 in UTC: no date is after it.
        search_date: whether htmldate, which takes longer than all the rest, looks for a date that is found nowhere else.

    >>> from lxml.html import fromstring
    >>> page = fromstring("<title>开展主题教育_党建网</title><h1>开展主题教育</h1><p>2024年3月1日 来源：党建网 作者：张三</p>")
    >>> found = read_details(page, read_blocks(page), "http://www.example.cn/a.html")
    >>> found.title, found.date, found.source, found.author
    ('开展主题教育', '2024-03-01', '党建网', '张三')
    """
    head = Head(tree, url)
    title, place = _title(tree, blocks, head)
    near = [
        block.text[:MAX_LINE] for block in (*blocks[max(0, place - 5) : place + NEAR], *blocks[-NEAR:]) if block.letters <= STAMP
    ]
    date = _date(head, blocks[max(0, place - 5) : place + NEAR], url, fetched)
    if not date and search_date:
        date = _searched(tree, url, fetched)
    return Details(
        title,
        date,
        first((*map(_author, near), _meta_author(head))),
        first((_source_name(head.meta("contentsource", "source")), *map(_source, near))),
        _section(tree, blocks[: place + 10], head, title),
        head.canonical(),
        head.license(),
    )


def _title(tree: HtmlElement, blocks: Sequence[Block], head: Head) -> tuple[str, int]:
    """The headline, and the number of its block (0 where it is none)."""
    page = " ".join("".join(tree.xpath("(//title)[1]//text()"))[:1000].split())[:300]
    headings = [(i, b) for i, b in enumerate(blocks[:2000]) if b.tag in ("h1", "h2", "h3") and 2 <= b.letters <= STAMP]
    start = next(((i, b) for i, b in headings if len(b.text) >= 4 and page.startswith(b.text)), None)
    if start is not None:
        return start[1].text, start[0]
    site = head.meta("og:site_name")
    given = head.meta("articletitle"), head.meta("og:title"), head.data("headline"), page
    title = first(_without_site(text, site) for text in given)
    title = title or next((b.text for _, b in headings if b.tag == "h1"), "")
    same = (i for i, b in enumerate(blocks[:500]) if title and b.text == title)
    return title, next(same, headings[0][0] if headings else 0)


def _without_site(title: str, site: str) -> str:
    """A title without the name of its site and channel.

    >>> _without_site("开展主题教育_党建频道_某某网", ""), _without_site("某地纪行——记支部", "")
    ('开展主题教育', '某地纪行——记支部')
    >>> _without_site("支部开会学习-某某网", "")
    '支部开会学习'
    """
    parts = [part for part in _STRONG.split(title) if part]
    if len(parts) > 1:
        title = next((part for part in parts if part != site and letters(part) >= 2), title)
    else:
        begin, dash, end = title.rpartition(next(iter(_WEAK.findall(title)[-1:]), "\0"))
        if dash and (end == site or _SITE.search(end)) and letters(begin) >= 4 and letters(end) <= 12:
            title = begin
    return title.strip(" -–—|_")


def _date(head: Head, blocks: Sequence[Block], url: str, fetched: str) -> str:
    declared = (
        head.meta("article:published_time", "pubdate", "publishdate", "datepublished", "og:published_time", "dc.date"),
        head.data("datePublished"),
    )
    lines = [block for block in blocks if block.letters <= STAMP and block.link_share < 1]
    running = {block.text[:MAX_LINE] for block in lines if block.letters > 60 and is_sentence(block.text)}
    short = [block.text[:MAX_LINE] for block in lines]
    stamps = [line for line in short if line not in running and _STAMPED.search(line)]
    alone = [line for line in short if letters(line) <= 14]
    found = (in_text(text, url, fetched) for text in (*declared, *stamps, *alone))
    return first(found) or in_address(url, fetched)


def _searched(tree: HtmlElement, url: str, fetched: str) -> str:
    from copy import deepcopy

    from htmldate import find_date

    try:
        return find_date(deepcopy(tree), url=url, max_date=latest(fetched).isoformat(), extensive_search=False) or ""
    except Exception:  # a date is not worth a page
        return ""


def _author(line: str) -> str:
    """The author that a line names, "" if it names none; editors are none.

    >>> _author("来源：党建网 作者：张三 李四"), _author("责任编辑：张三"), _author("文/王五")
    ('张三 李四', '', '王五')
    """
    match = _AUTHOR.search(line)
    if match is None:
        return ""
    name = match[1]
    if (bad := _NOT_AUTHOR.search(name)) is not None:
        name = name[: bad.start()]
    return name.strip(" 、，,.") if 2 <= letters(name) <= 40 else ""


def _meta_author(head: Head) -> str:
    name = head.data("author") or head.meta("author", "article:author", "dc.creator")
    return "" if _NOT_AUTHOR.search(name) or _NO_PERSON.search(name) else name[:100]


def _source(line: str) -> str:
    """The outlet that a line names, "" if it names none.

    >>> _source("2024年3月1日 08:30 来源：新华社"), _source("（转自《求是》）"), _source("能源来源广泛")
    ('新华社', '求是', '')
    """
    match = _SOURCE.search(line)
    return _source_name(match[1] or match[2]) if match else ""


def _source_name(name: str) -> str:
    if (named := _SOURCE.search(name)) is not None:  # metadata that repeat the line
        name = named[1] or named[2]
    name = _SOURCE_ENDS.sub("", name).strip('《》【】[]()（）“”"：: 　')[:60]
    return "" if _MARKUP.search(name) else name


def _section(tree: HtmlElement, blocks: Sequence[Block], head: Head, title: str) -> str:
    """The way to the page on its site, without its ends: ``党建 > 要闻``."""
    if crumbs := head.crumbs():
        return _way(crumbs, title, from_home=True)
    for block in blocks:
        if block.letters <= STAMP and (here := _HERE.search(block.text[:MAX_LINE])) is not None:
            parts = _CRUMB.split(block.text[here.end() : MAX_LINE].lstrip(" :：的为"))
            if len(parts) > 1:
                return _way(parts, title, from_home=_is_home(block.href))
    for trail in tree.xpath("//*[contains(@class, 'crumb') or contains(@id, 'crumb')]")[:3]:
        inner = read_blocks(trail)[:20]
        parts = [part for block in inner for part in _CRUMB.split(block.text) if part]
        if len(parts) > 1 and sum(map(len, parts)) <= 2 * STAMP:
            return _way(parts, title, from_home=_is_home(inner[0].href))
    for block in blocks:
        if block.links and block.letters <= STAMP and block.linked:
            parts = _CRUMB.split(block.text[:MAX_LINE])
            if len(parts) > 1 and all(0 < letters(part) <= 20 for part in parts[:-1]) and _is_home(block.href):
                return _way(parts, title, from_home=True)
    return head.meta("columnname", "article:section")[:MAX_SECTION]


def _way(parts: Sequence[str], title: str, *, from_home: bool) -> str:
    steps = [step for part in parts if (step := part.strip(" :：/|-　"))]
    if steps and (from_home or _HOME.match(steps[0])):
        steps = steps[1:]
    steps = [
        step
        for step in steps
        if not (
            _HOME.match(step)
            or _NOT_SECTION.match(step)
            or step == title
            or (len(step) > 8 and title.startswith(step.rstrip("….")))
        )
    ]
    return " > ".join(step for step in steps if letters(step) <= 20 and not _MARKUP.search(step))[:MAX_SECTION]


def _is_home(href: str) -> bool:
    try:
        return urlsplit(href).path in ("", "/") and bool(href)
    except ValueError:
        return False
