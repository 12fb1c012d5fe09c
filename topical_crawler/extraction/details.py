"""Title, date, author, source and section of a page: from its metadata and the lines around its headline."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Any
from urllib.parse import urljoin, urlsplit

from lxml.html import HtmlElement

from topical_crawler.cleaning.characters import count_letters
from topical_crawler.extraction.extractors import is_sentence
from topical_crawler.extraction.structure import Block, read_blocks

EARLIEST = 1994  # first year of a credible date: that of the first web pages in Chinese
BEIJING = timedelta(hours=8)  # offset of the time that Chinese pages give

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
_DAY = re.compile(rf"(?:^|[\s:：|｜·于])({'|'.join(_DAYS)})(?=$|[\s|｜·]|\d{{1,2}}[:：]\d\d|[上下]午|(?:发布|发表|更新))")
"""A word for a day where a day stands: 今日要闻, 今日头条 and 昨天的会议 name none."""
_IN_ADDRESS = re.compile(r"(?<!\d)((?:19|20)\d\d)[/_-]?(0[1-9]|1[0-2])[/_-]?(0[1-9]|[12]\d|3[01])(?!\d)")
_YEAR_IN_ADDRESS = re.compile(r"(?<!\d)(20\d\d|199\d)(?=[/_-]|0[1-9]|1[0-2])")
_NO_STAMP = re.compile(r"(?<!\d)(?:今天|现在|目前|当前)(?:是|时间)|推荐文章于")  # a clock; a date of other articles


def in_text(text: str, url: str = "", fetched: str = "") -> str:
    """The first credible date of a line, such as the one below the headline, ``YYYY-MM-DD``, "" if none: from :data:`EARLIEST`
    on, not after ``fetched`` (ISO 8601 in UTC, default: now), from which 昨天 is counted. ``url`` of the page gives the year of a
    date without one.

    >>> in_text("2024年3月1日 08:30 来源：党建网"), in_text("二〇二四年三月十一日")
    ('2024-03-01', '2024-03-11')
    >>> in_text("昨日 08:30", fetched="2024-03-01T02:00:00+00:00"), in_text("3月1日", "http://a.cn/2023/c1.html")
    ('2024-02-29', '2023-03-01')
    """
    if _NO_STAMP.search(text):
        return ""
    now = _moment(fetched)
    return next((day.isoformat() for day in _dates(text[:500], url, now) if _is_credible(day, now)), "")


def in_address(url: str, fetched: str = "") -> str:
    """The first credible date in an address, ``YYYY-MM-DD``, "" if none.

    >>> in_address("http://www.example.cn/dangjian/202403/t20240301_12345678.html")
    '2024-03-01'
    """
    now = _moment(fetched)
    days = (_date_of(match.groups()) for match in _IN_ADDRESS.finditer(url[:2000]))
    return next((day.isoformat() for day in days if day is not None and _is_credible(day, now)), "")


def _moment(fetched: str) -> datetime:
    """The time of fetching in Beijing; its day is the last that a page can name.

    >>> _moment("2024-03-01T20:00:00+00:00")
    datetime.datetime(2024, 3, 2, 4, 0)
    """
    try:
        moment = datetime.fromisoformat(fetched) if fetched else datetime.now(UTC)
        if moment.tzinfo is not None:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
        return moment + BEIJING
    except (ValueError, OverflowError):
        return datetime.now(UTC).replace(tzinfo=None) + BEIJING


def _is_credible(day: date, now: datetime) -> bool:
    return day.year >= EARLIEST and day <= now.date()


def _dates(text: str, url: str, now: datetime) -> Iterator[date]:
    for match in _FULL.finditer(text):
        if (day := _date_of(match.groups())) is not None:
            yield day
    for match in _WRITTEN.finditer(text):
        year, month, day_of = match.groups()
        digits = "".join(str(_DIGITS[digit]) for digit in year)
        if (day := _date_of((digits, _number(month), _number(day_of)))) is not None:
            yield day
    if (ago := _AGO.search(text)) is not None:
        yield (now - int(ago[1]) * timedelta(minutes={"天": 1440, "小": 60, "分": 1}[ago[2][0]])).date()
    elif (near := _DAY.search(text)) is not None:
        yield (now - timedelta(days=_DAYS[near[1]])).date()
    for match in (*_MONTH_DAY.finditer(text), *_NUMBERS_ONLY.finditer(text)):
        written = _YEAR_IN_ADDRESS.search(url[:2000])
        day = _date_of((written[1] if written else now.year, *match.groups()))
        if day is not None and not written and day > now.date():  # in January a page of December
            day = _date_of((now.year - 1, *match.groups()))
        if day is not None:
            yield day


def _date_of(numbers: Sequence[str | int]) -> date | None:
    try:
        return date(*map(int, numbers))
    except ValueError:
        return None


def _number(written: str) -> int:
    """The value of a Chinese numeral from 1 to 99.

    >>> _number("三"), _number("十一"), _number("三十"), _number("二十九")
    (3, 11, 30, 29)
    """
    tens, ten, ones = written.rpartition("十")
    return (_DIGITS.get(tens[-1:], 1) * 10 if ten else 0) + _DIGITS.get(ones[-1:], 0)


# -- Metadata: meta elements, links of the head, JSON-LD

MAX_SCRIPTS, MAX_SCRIPT = 10, 200_000  # most JSON-LD scripts that are read, and most characters of one
MAX_ITEMS = 1_000  # most objects that are read from them
MAX_VALUE = 300  # longest value that is taken, in characters
_TAG = re.compile(r"<[^<>]{0,100}>")
_ARTICLES = ("Article", "NewsArticle", "BlogPosting", "ReportageNewsArticle", "TechArticle", "WebPage", "CreativeWork")


class Head:
    """The metadata of the page at ``url``.

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
            elif (rel := element.get("rel", "")) or "creativecommons.org/" in element.get("href", ""):
                self._links.append((set(rel.lower().split()), element.get("href", "")))
        self._items = list(islice(_items(tree), MAX_ITEMS))

    def meta(self, *names: str) -> str:
        """Content of the first present meta element of these names (lower case), "" if there is none."""
        return next((self._metas[name] for name in names if name in self._metas), "")

    def data(self, *names: str) -> str:
        """The first value of these names in the JSON-LD of an article, as text; "" if there is none."""
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
        """The address that the page calls its own, "" if none or the one it has."""
        address = next((self._absolute(href) for rel, href in self._links if "canonical" in rel), "")
        return "" if address == self._url.partition("#")[0] else address

    def license(self) -> str:
        """Address (or name) of the licence that the page names, "" if none."""
        for rel, href in self._links:
            address = self._absolute(href)
            parts = urlsplit(address)
            creative = parts.netloc.endswith("creativecommons.org") and parts.path.startswith(("/licenses/", "/publicdomain/"))
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
    scripts = (script for script in tree.iter("script") if script.get("type", "").strip().lower() == "application/ld+json")
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
    """A value of JSON-LD as text: the names of persons and things, joined."""
    names: list[str] = []
    for item in _list(value)[:10]:
        if isinstance(item, dict):
            item = next((item[key] for key in ("name", "@id", "url") if isinstance(item.get(key), str)), "")
        if isinstance(item, str) and (text := _folded(item)):
            names.append(text)
    return _folded("、".join(names))


def _folded(text: str | None) -> str:
    return " ".join(_TAG.sub(" ", (text or "")[: 4 * MAX_VALUE]).split())[:MAX_VALUE]


def first(values: Iterable[str]) -> str:
    """The first non-empty value, else ""."""
    return next((value for value in values if value), "")


# -- Details

NEAR = 40  # blocks from the headline on, and at the end of the page, that may hold details
STAMP = 120  # most letters of such a block
MAX_LINE = 300  # characters of it that are read: some are endless punctuation
MAX_SECTION = 100  # longest section, in characters

_SITE = re.compile(
    r"(?:网|網|网站|报|報|频道|頻道|博客|在线|新闻|论坛|门户|客户端|中心|政府|平台|空间|主页|资讯|财经|体育|娱乐|科技|教育|军事|健康)$"
)
_STRONG = re.compile(r"\s*[|｜]\s*|\s*(?:(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))\s*|\s+[-–—·»]\s+|-{2,}")  # not in irq_domain
_BREAK = re.compile(r"\s*[-–—·»_|｜]")
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
    """Details of an article; "" for unknown ones."""

    title: str = ""  # headline without the name of the site
    date: str = ""  # of publication, `YYYY-MM-DD`, never after the page was fetched
    author: str = ""  # as named by the page; not its editors
    source: str = ""  # the outlet that the page names (来源)
    section: str = ""  # the breadcrumb without home page and title, `党建 > 要闻`
    canonical: str = ""  # the address that the page calls its own, if another
    license: str = ""  # address or name of the licence


def read_details(tree: HtmlElement, blocks: Sequence[Block], url: str, fetched: str = "", *, search_date: bool = True) -> Details:
    """The details of a page that was ``fetched`` then (ISO 8601 in UTC). The tree is not changed. With ``search_date`` htmldate,
    which takes longer than all the rest, looks for a date that is found nowhere else.

    >>> from lxml.html import fromstring
    >>> page = fromstring("<title>开展主题教育_党建网</title><h1>开展主题教育</h1><p>2024年3月1日 来源：党建网 作者：张三</p>")
    >>> details = read_details(page, read_blocks(page), "http://www.example.cn/a.html")
    >>> details.title, details.date, details.source, details.author
    ('开展主题教育', '2024-03-01', '党建网', '张三')
    """
    head = Head(tree, url)
    title, place = _title(tree, blocks, head)
    around = blocks[max(0, place - 5) : place + NEAR]
    near = [block.text[:MAX_LINE] for block in (*around, *blocks[-NEAR:]) if block.letters <= STAMP]
    return Details(
        title=title,
        date=_date(head, around, url, fetched) or (_search_date(tree, url, fetched) if search_date else ""),
        author=first((*map(_author, near), _meta_author(head))),
        source=first((_source_name(head.meta("contentsource", "source")), *(_source(line, title) for line in near))),
        section=_section(tree, blocks[: place + 10], head, title),
        canonical=head.canonical(),
        license=head.license(),
    )


def _title(tree: HtmlElement, blocks: Sequence[Block], head: Head) -> tuple[str, int]:
    """The headline, and the index of its block (0 if there is none)."""
    page = " ".join("".join(tree.xpath("(//title)[1]//text()"))[:1000].split())[:300]
    headings = [(i, b) for i, b in enumerate(blocks[:2000]) if b.tag in ("h1", "h2", "h3") and 2 <= b.letters <= STAMP]
    names = {head.meta("og:site_name"), *(b.text for b in blocks[:NEAR] if b.link_share == 1 and _is_home(b.href))}
    parts = {page, *_STRONG.split(page)} - names
    own = [(i, b) for i, b in headings if b.text in parts or (b.text not in names and _is_end_of(b.text, page, names))]
    own = [(i, b) for i, b in own if not _SITE.search(b.text)] or own
    if own:
        return own[0][1].text, own[0][0]
    declared = head.meta("articletitle"), head.meta("og:title"), head.data("headline"), page
    title = first(_without_site(text, names) for text in declared)
    headlines = [b.text for _, b in headings if b.tag == "h1" and b.text not in names]
    if not title or (len(headlines) == 1 and (title in names or _SITE.search(title))):  # the site's name on every page
        title = first(headlines) or title
    same = (i for i, b in enumerate(blocks[:500]) if title and b.text == title)
    return title, next(same, headings[0][0] if headings else 0)


def _is_end_of(text: str, title: str, names: Collection[str]) -> bool:
    """Whether a heading is a title without the name of the site, which may also stand before it."""
    before = title.removesuffix(text).strip()
    starts = len(text) >= 4 and title.startswith(text) and _BREAK.match(title[len(text) :]) is not None
    return starts or (before != title and (before in names or _SITE.search(before) is not None))


def _without_site(title: str, names: Collection[str] = ()) -> str:
    """A title without the name of its site, which may be among ``names``, and channel.

    >>> _without_site("开展主题教育_党建频道_某某网"), _without_site("某地纪行——记支部")
    ('开展主题教育', '某地纪行——记支部')
    >>> _without_site("支部开会学习-某某网"), _without_site("小林 | 支部开会学习", {"小林"})
    ('支部开会学习', '支部开会学习')
    """
    parts = [part for part in _STRONG.split(title) if count_letters(part) >= 2 and part not in names]
    if parts and parts != [title]:
        title = next((part for part in parts if not _SITE.search(part)), parts[0])
    else:
        begin, dash, end = title.rpartition(next(iter(_WEAK.findall(title)[-1:]), "\0"))
        if dash and (end in names or _SITE.search(end)) and count_letters(begin) >= 4 and count_letters(end) <= 12:
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
    dates = (in_text(text, url, fetched) for text in (*map(_in_beijing, declared), *stamps, *alone))
    return first(dates) or in_address(url, fetched)


def _in_beijing(text: str) -> str:
    """A moment of a page's metadata; in Beijing, if it is given in UTC, as programs do that make pages.

    >>> _in_beijing("2024-03-01T16:30:00.000Z"), _in_beijing("2024-03-01T16:30:00+08:00")
    ('2024-03-02T00:30:00+00:00', '2024-03-01T16:30:00+08:00')
    """
    try:
        moment = datetime.fromisoformat(text.strip())
        return (moment + BEIJING).isoformat() if moment.utcoffset() == timedelta() else text
    except (ValueError, OverflowError):
        return text


def _search_date(tree: HtmlElement, url: str, fetched: str) -> str:
    from htmldate import find_date

    try:
        latest = _moment(fetched).date().isoformat()
        return find_date(deepcopy(tree), url=url, max_date=latest, extensive_search=False) or ""
    except Exception:  # a date is not worth a page
        return ""


def _author(line: str) -> str:
    """The author that a line names, "" if none; editors are not authors.

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


def _source(line: str, title: str = "") -> str:
    """The outlet that a line names, "" if none: one that goes on as the title does names the original text.

    >>> _source("2024年3月1日 08:30 来源：新华社"), _source("（转自《求是》）"), _source("能源来源广泛")
    ('新华社', '求是', '')
    >>> _source("来源：支部开会 学习文件", "支部开会 学习文件")
    ''
    """
    match = _SOURCE.search(line)
    if match is None or (title and line[match.start(match.lastindex or 0) :].startswith(title[:8])):
        return ""
    return _source_name(match[1] or match[2])


def _source_name(name: str) -> str:
    if (named := _SOURCE.search(name)) is not None:  # metadata that repeat the line
        name = named[1] or named[2]
    name = _SOURCE_ENDS.sub("", name).strip('《》【】[]()（）“”"：: 　')[:60]
    return "" if _MARKUP.search(name) else name


def _section(tree: HtmlElement, blocks: Sequence[Block], head: Head, title: str) -> str:
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
    steps = [step for step in steps if not (_HOME.match(step) or _NOT_SECTION.match(step) or step == title)]
    steps = [step for step in steps if not (len(step) > 8 and title.startswith(step.rstrip("….")))]
    return " > ".join(step for step in steps if count_letters(step) <= 20 and not _MARKUP.search(step))[:MAX_SECTION]


def _is_home(href: str) -> bool:
    try:
        return urlsplit(href).path in ("", "/") and not href.startswith("#") and bool(href)
    except ValueError:
        return False
