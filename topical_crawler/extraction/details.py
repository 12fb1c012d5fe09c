"""Title, date, author, source and section of a page: from its metadata and the lines around its headline."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Any
from urllib.parse import urljoin, urlsplit

from lxml.html import HtmlElement

from topical_crawler.cleaning.characters import count_letters
from topical_crawler.extraction.extractors import Block, is_sentence, read_blocks

# -- Dates, as Chinese pages write them

EARLIEST = 1994
"""First year of a date that is believed: that of the first web pages in Chinese."""
BEIJING = timedelta(hours=8)
"""Ahead of UTC; Chinese pages give their days and hours in it."""

_DIGITS = {
    digit: value
    for value, digits in enumerate(("〇零○", "一", "二", "三", "四", "五", "六", "七", "八", "九"))
    for digit in digits
}
_FULL = re.compile(r"(?<!\d)((?:19|20)\d\d)\s?[年/.\-]\s?(\d{1,2})\s?[月/.\-]\s?(\d{1,2})(?!\d)")
_WRITTEN = re.compile(r"([一二][〇零○一二三四五六七八九]{3})年([一二三四五六七八九十]{1,2})月([一二三四五六七八九十]{1,3})日")
_MONTH_DAY = re.compile(r"(?<![\d年])(\d{1,2})\s?月\s?(\d{1,2})\s?日")
_NUMBERS_ONLY = re.compile(r"(?<![\d./:-])(\d{1,2})-(\d{1,2})\s{1,3}\d{1,2}:\d\d")
_AGO = re.compile(r"(?<!\d)(\d{1,3})\s?(分钟|小时|天|分鐘|小時)之?前")
_DAYS = {"刚刚": 0, "今天": 0, "今日": 0, "昨天": 1, "昨日": 1, "前天": 2}
_DAY = re.compile("|".join(_DAYS))
_IN_ADDRESS = re.compile(r"(?<!\d)((?:19|20)\d\d)[/_-]?(0[1-9]|1[0-2])[/_-]?(0[1-9]|[12]\d|3[01])(?!\d)")
_YEAR_IN_ADDRESS = re.compile(r"(?<!\d)(20\d\d|199\d)(?=[/_-]|0[1-9]|1[0-2])")
_CLOCK = re.compile(r"(?<!\d)(?:今天|现在|目前|当前)(?:是|时间)")


def in_text(text: str, url: str = "", fetched: str = "") -> str:
    """The first date of a line as ``YYYY-MM-DD``, "" if it has none that can be: after :data:`EARLIEST`, not after ``fetched``.

    Args:
        text: a line, e.g. the one below the headline.
        url: of the page; the year of a date without one.
        fetched: when the page was fetched, as ISO 8601 in UTC; what 昨天 is counted from. Now where it is not given.

    >>> in_text("2024年3月1日 08:30 来源：党建网"), in_text("二〇二四年三月十一日")
    ('2024-03-01', '2024-03-11')
    >>> in_text("昨日 08:30", fetched="2024-03-01T02:00:00+00:00"), in_text("3月1日", "http://a.cn/2023/c1.html")
    ('2024-02-29', '2023-03-01')
    """
    if _CLOCK.search(text):
        return ""
    now = _moment(fetched)
    return next((day.isoformat() for day in _dates(text[:500], url, now) if _believed(day, now)), "")


def in_address(url: str, fetched: str = "") -> str:
    """The date in an address, "" if it has none that can be.

    >>> in_address("http://www.example.cn/dangjian/202403/t20240301_12345678.html")
    '2024-03-01'
    """
    now = _moment(fetched)
    days = (_made(match.groups()) for match in _IN_ADDRESS.finditer(url[:2000]))
    return next((day.isoformat() for day in days if day is not None and _believed(day, now)), "")


def latest(fetched: str) -> date:
    """The last day that a page fetched then can name: that day in Beijing.

    >>> latest("2024-03-01T20:00:00+00:00")
    datetime.date(2024, 3, 2)
    """
    return _moment(fetched).date()


def _moment(fetched: str) -> datetime:
    try:
        moment = datetime.fromisoformat(fetched) if fetched else datetime.now(UTC)
        if moment.tzinfo is not None:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
        return moment + BEIJING
    except (ValueError, OverflowError):
        return datetime.now(UTC).replace(tzinfo=None) + BEIJING


def _believed(day: date, now: datetime) -> bool:
    return day.year >= EARLIEST and day <= now.date()


def _dates(text: str, url: str, now: datetime) -> Iterator[date]:
    for match in _FULL.finditer(text):
        if (day := _made(match.groups())) is not None:
            yield day
    for match in _WRITTEN.finditer(text):
        year, month, day_of = match.groups()
        digits = "".join(str(_DIGITS[digit]) for digit in year)
        if (day := _made((digits, _count(month), _count(day_of)))) is not None:
            yield day
    if (ago := _AGO.search(text)) is not None:
        amount, unit = int(ago[1]), ago[2]
        yield (
            now
            - (timedelta(days=amount) if unit == "天" else timedelta(hours=amount) if "小" in unit else timedelta(minutes=amount))
        ).date()
    elif (near := _DAY.search(text)) is not None:
        yield (now - timedelta(days=_DAYS[near[0]])).date()
    for match in (*_MONTH_DAY.finditer(text), *_NUMBERS_ONLY.finditer(text)):
        written = _YEAR_IN_ADDRESS.search(url[:2000])
        day = _made((written[1] if written else now.year, *match.groups()))
        if day is not None and not written and day > now.date():  # in January a page of December
            day = _made((now.year - 1, *match.groups()))
        if day is not None:
            yield day


def _made(numbers: Sequence[str | int]) -> date | None:
    try:
        return date(int(numbers[0]), int(numbers[1]), int(numbers[2]))
    except ValueError:
        return None


def _count(written: str) -> int:
    """A number from 1 to 99 in Chinese characters.

    >>> _count("三"), _count("十一"), _count("三十"), _count("二十九")
    (3, 11, 30, 29)
    """
    tens, ten, ones = written.rpartition("十")
    return (_DIGITS.get(tens[-1:], 1) * 10 if ten else 0) + _DIGITS.get(ones[-1:], 0)


# -- Metadata: meta elements, links of the head, JSON-LD

MAX_SCRIPTS = 10
MAX_SCRIPT = 200_000
"""Most JSON-LD scripts that are read, and most characters of one."""
MAX_ITEMS = 1_000
"""Most objects that are looked at in them."""
MAX_VALUE = 300
"""Longest value that is taken, in characters."""
_TAG = re.compile(r"<[^<>]{0,100}>")
_ARTICLES = ("Article", "NewsArticle", "BlogPosting", "ReportageNewsArticle", "TechArticle", "WebPage", "CreativeWork")


class Head:
    """Reads the metadata of one page.

    Args:
        tree: of the page.
        url: of the page, for links.

    >>> from lxml.html import fromstring
    >>> page = fromstring("<div><meta name='ContentSource' content='人民网'><link rel='canonical' href='/a'></div>")
    >>> head = Head(page, "http://www.example.cn/b")
    >>> head.meta("contentsource"), head.canonical()
    ('人民网', 'http://www.example.cn/a')
    """

    def __init__(self, tree: HtmlElement, url: str) -> None:
        self._url = url
        self._metas: dict[str, str] = {}
        self._links: list[tuple[set[str], str]] = []
        for element in islice(tree.iter("meta", "link", "a"), 20_000):
            if element.tag == "meta":
                name = element.get("property") or element.get("name") or element.get("itemprop") or ""
                if value := _folded(element.get("content")):
                    self._metas.setdefault(name.lower(), value)
            elif (rel := element.get("rel")) or "creativecommons.org/" in (element.get("href") or ""):
                self._links.append((set((rel or "").lower().split()), element.get("href") or ""))
        self._items = list(islice(_items(tree), MAX_ITEMS))

    def meta(self, *names: str) -> str:
        """Content of the first of the meta elements so named (lower case) that is there, "" if none is."""
        return next((self._metas[name] for name in names if name in self._metas), "")

    def data(self, *names: str) -> str:
        """The first value by one of these names in the JSON-LD of an article, as text; "" if there is none."""
        for item in self._items:
            if any(kind in _ARTICLES for kind in _list(item.get("@type"))):
                for name in names:
                    if value := _text(item.get(name)):
                        return value
        return ""

    def crumbs(self) -> list[str]:
        """Names of the JSON-LD breadcrumb, from the home page on; empty if there is none."""
        for item in self._items:
            if "BreadcrumbList" in _list(item.get("@type")):
                steps = [step for step in _list(item.get("itemListElement")) if isinstance(step, dict)]
                return [name for step in steps[:20] if (name := _text(step.get("name")) or _text(step.get("item")))]
        return []

    def canonical(self) -> str:
        """The address that the page calls its own; "" where it names none or the one it has."""
        address = next((self._absolute(href) for rel, href in self._links if "canonical" in rel), "")
        return "" if address == self._url.partition("#")[0] else address

    def license(self) -> str:
        """Address (or name) of the licence that the page names, "" without one."""
        for rel, href in self._links:
            address = self._absolute(href)
            where = urlsplit(address)
            creative = where.netloc.endswith("creativecommons.org") and where.path.startswith(("/licenses/", "/publicdomain/"))
            if address and ("license" in rel or creative):
                return address
        return self.data("license")

    def _absolute(self, href: str) -> str:
        try:
            address = urljoin(self._url, href.strip()).partition("#")[0]
            parts = urlsplit(address)
        except ValueError:
            return ""
        return address if parts.scheme in ("http", "https") and parts.netloc and len(address) <= 2000 else ""


def _items(tree: HtmlElement) -> Iterator[dict[str, Any]]:
    scripts = (script for script in tree.iter("script") if (script.get("type") or "").strip().lower() == "application/ld+json")
    for script in islice(scripts, MAX_SCRIPTS):
        source = script.text or ""
        if len(source) > MAX_SCRIPT:
            continue
        try:
            data = json.loads(source, strict=False)
        except (ValueError, RecursionError):
            continue
        for item in _list(data):
            if isinstance(item, dict):
                yield item
                yield from (inner for inner in _list(item.get("@graph")) if isinstance(inner, dict))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _text(value: Any) -> str:
    """A value of JSON-LD as text: names of persons and things, joined where there are several."""
    names: list[str] = []
    for one in _list(value)[:10]:
        if isinstance(one, dict):
            one = next((one[key] for key in ("name", "@id", "url") if isinstance(one.get(key), str)), "")
        if isinstance(one, str) and (text := _folded(one)):
            names.append(text)
    return _folded("、".join(names))


def _folded(text: str | None) -> str:
    return " ".join(_TAG.sub(" ", (text or "")[: 4 * MAX_VALUE]).split())[:MAX_VALUE]


def first(values: Iterable[str]) -> str:
    """The first that is not empty, "" if all are."""
    return next((value for value in values if value), "")


# -- Details

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
    """What is known of an article beside its text; "" for what is not.

    Attributes:
        title: headline of the article without the site's name.
        date: of publication, ``YYYY-MM-DD``, never after the page was fetched.
        author: as named by the page, no editors.
        source: the outlet that the page names as its own (来源).
        section: the way to the page on its site without its ends, ``党建 > 要闻``.
        canonical: the address that the page calls its own, where that is another.
        license: address or name of the licence that the page names.
    """

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
        title=title,
        date=date,
        author=first((*map(_author, near), _meta_author(head))),
        source=first((_source_name(head.meta("contentsource", "source")), *map(_source, near))),
        section=_section(tree, blocks[: place + 10], head, title),
        canonical=head.canonical(),
        license=head.license(),
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
        title = next((part for part in parts if part != site and count_letters(part) >= 2), title)
    else:
        begin, dash, end = title.rpartition(next(iter(_WEAK.findall(title)[-1:]), "\0"))
        if dash and (end == site or _SITE.search(end)) and count_letters(begin) >= 4 and count_letters(end) <= 12:
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
    alone = [line for line in short if count_letters(line) <= 14]
    dates = (in_text(text, url, fetched) for text in (*declared, *stamps, *alone))
    return first(dates) or in_address(url, fetched)


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
    return name.strip(" 、，,.") if 2 <= count_letters(name) <= 40 else ""


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
            if len(parts) > 1 and all(0 < count_letters(part) <= 20 for part in parts[:-1]) and _is_home(block.href):
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
    return " > ".join(step for step in steps if count_letters(step) <= 20 and not _MARKUP.search(step))[:MAX_SECTION]


def _is_home(href: str) -> bool:
    try:
        return urlsplit(href).path in ("", "/") and bool(href)
    except ValueError:
        return False
