"""Title, date, author, source and section of a page, elected by weighted vote.

Witnesses are JSON-LD, meta elements, microdata, headings, lines around the headline, anchors of links to the page, and its
address. The weight of a witness follows from its accuracy on pages labelled by hand (:data:`ACCURACY`). The name of the site does
not count as a title.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from itertools import islice
from math import log
from typing import Any, cast
from urllib.parse import urljoin, urlsplit

from lxml.etree import XPath
from lxml.html import HtmlElement

from topical_crawler.cleaning.characters import count_letters
from topical_crawler.extraction.days import HAS_YEAR, in_address, in_beijing, in_text, moment_of, plain_day, read_table
from topical_crawler.extraction.main_text import is_sentence
from topical_crawler.extraction.structure import HEADINGS, Block, read_blocks

# -- Metadata: meta elements, links of the head, JSON-LD

MAX_SCRIPTS, MAX_SCRIPT = 10, 200_000  # most JSON-LD scripts read, and most characters of one
MAX_ITEMS = 1_000  # most objects read from them
MAX_VALUE = 300  # longest value, in characters
_TAG = re.compile(r"<[^<>]{0,100}>")
_ARTICLES = (
    *("Article", "NewsArticle", "BlogPosting", "ReportageNewsArticle", "TechArticle", "DiscussionForumPosting", "Question"),
    *("WebPage", "CreativeWork"),
)


class Head:
    """Metadata in the head and JSON-LD of the page at ``url``.

    >>> from lxml.html import fromstring
    >>> page = fromstring("<div><meta name='ContentSource' content='人民网'><link rel='canonical' href='/a'></div>")
    >>> head = Head(page, "http://www.example.cn/b")
    >>> head.meta("contentsource"), head.canonical()
    ('人民网', 'http://www.example.cn/a')
    """

    def __init__(self, tree: HtmlElement, url: str) -> None:
        self._url = url
        self._metas: dict[str, list[str]] = {}
        self._links: list[tuple[set[str], str]] = []
        for element in islice(tree.iter("meta", "link", "a"), 20_000):
            if element.tag == "meta":
                name = first(element.get(key, "") for key in ("property", "name", "itemprop", "http-equiv"))
                if value := _folded(element.get("content")):
                    self._metas.setdefault(name.strip().lower(), []).append(value)
            elif (rel := element.get("rel", "")) or "creativecommons.org/" in element.get("href", ""):
                self._links.append((set(rel.lower().split()), element.get("href", "")))
        self._items = list(islice(_items(tree), MAX_ITEMS))
        self._by_id = {item["@id"]: item for item in self._items if isinstance(item.get("@id"), str) and "name" in item}

    def meta(self, *names: str) -> str:
        """Return the content of the first present meta element with one of these names (lower case), or ""."""
        return first(value for name in names for value in self._metas.get(name, ()))

    def like(self, pattern: re.Pattern[str]) -> list[str]:
        """Return the contents of all meta elements with a name (lower case) matching ``pattern``."""
        return [value for name, values in self._metas.items() if pattern.search(name) for value in values]

    def metas(self, *names: str) -> list[str]:
        """Return the contents of all meta elements with the first present name."""
        return next((self._metas[name] for name in names if name in self._metas), [])

    def data(self, *names: str) -> str:
        """Return the first value of these names in the JSON-LD of an article as text, or ""."""
        return first(_text(item.get(name)) for item in self._articles() for name in names)

    def people(self) -> list[str]:
        """Return the authors in the JSON-LD of an article, without organizations."""
        for item in self._articles():
            authors = [
                self._by_id.get(str(a.get("@id")), a) if isinstance(a, dict) else a for a in _list(item.get("author"))[:10]
            ]
            people = [a for a in authors if not isinstance(a, dict) or "Organization" not in _list(a.get("@type"))]
            if names := [name for name in map(_text, people) if name]:
                return names
        return []

    def sites(self) -> set[str]:
        """Return the names of the site in JSON-LD and meta elements."""
        own = [item for item in self._items if {"WebSite", "Organization"} & set(map(str, _list(item.get("@type"))))]
        named = [*map(_text, own), *(_text(item.get("publisher")) for item in self._articles())]
        return {*named, *(self.meta(name) for name in ("og:site_name", "application-name", "sitename"))} - {""}

    def _articles(self) -> list[dict[str, Any]]:
        """Return the JSON-LD items of articles, those of their pages last. Baidu's items have no type."""
        ranked = []
        for item in self._items:
            kinds = [_ARTICLES.index(kind) for kind in _list(item.get("@type")) if kind in _ARTICLES]
            if kinds or "pubDate" in item:
                ranked.append((min(kinds, default=0), item))
        return [item for _, item in sorted(ranked, key=lambda pair: pair[0])]

    def crumbs(self) -> list[str]:
        """Return the names of the JSON-LD breadcrumb from the home page on, [] without one."""
        for item in self._items:
            if "BreadcrumbList" in _list(item.get("@type")):
                steps = [step for step in _list(item.get("itemListElement")) if isinstance(step, dict)]
                return [name for step in steps[:20] if (name := _text(step.get("name")) or _text(step.get("item")))]
        return []

    def canonical(self) -> str:
        """Return the canonical address declared by the page, "" if absent or the page's own."""
        address = next((self._absolute(href) for rel, href in self._links if "canonical" in rel), "")
        return "" if address == self._url.partition("#")[0] else address

    def license(self) -> str:
        """Return the address (or name) of the page's licence, or ""."""
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
                inner = (*_list(item.get("@graph")), *_list(item.get("mainEntity")))
                yield from (part for part in inner if isinstance(part, dict))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _text(value: Any) -> str:
    """Return a value of JSON-LD as text, joining the names of persons and things with 、."""
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
    """Return the first non-empty value, or ""."""
    return next((value for value in values if value), "")


# -- Witnesses


ACCURACY: dict[str, dict[str, float]] = {}
for _field, _witness, _share in read_table("details.tsv"):
    ACCURACY.setdefault(_field, {})[_witness] = float(_share)
"""Accuracy by field and witness: (right + 1) / (heard + 2) on the development half of the pages labelled by hand.
``benchmarks/details.py --anchors`` prints it for both halves."""

NEAR = 40  # blocks searched for details, from the headline on and at the end of the page
STAMP = 120  # most letters of such a block
MAX_LINE = 300  # characters read of one: some are endless punctuation
MAX_SECTION = 100  # longest section, in characters
SITE_NAME = 12  # most letters of a line taken for the name of a site by its ending
BESIDE = 100  # most elements between the headline and an attribute with its date
MAX_MARKED = 2_000  # most elements read for their class, id, property or rel

_LINES = {name: re.compile(pattern) for name, _, pattern in read_table("lines.tsv")}
_SITE = _LINES["site"]
_NO_TITLE = _LINES["no_title"]
_STRONG = re.compile(r"\s*[|｜]\s*|\s*(?:(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))\s*|\s+[-–—·»]\s+|-{2,}")  # not in irq_domain
_BREAK = re.compile(r"\s*[-–—·»_|｜<]")
_WEAK = re.compile(r"[-–—]")
_TRAILS = XPath("//*[contains(@class, 'crumb') or contains(@id, 'crumb')]")
_ACCOUNT = XPath("//*[@id='js_name'][1]")  # of WeChat
_MARKED = XPath(
    "//@itemprop/.. | //@property/.. | //@rel[contains(., 'author')]/.. | //@id[contains(., 'tit') or contains(., 'subject')]/.."
    " | //@class[contains(., 'tit') or contains(., 'Tit') or contains(., 'headline') or contains(., 'uthor')"
    " or contains(., 'name') or contains(., 'Name') or contains(., 'byline')]/.."
)
_HEADLINE = _LINES["headline"]
_PERSON = re.compile(r"author|user-?name|nick-?name|byline", re.IGNORECASE)
_PERSON_LINK = re.compile(r"/(?:u|users?|members?|people|authors?)/|[?&]uid=")
_AUTHOR = _LINES["author"]
_BARE_AUTHOR = re.compile(r"(?:^|[\s》|｜])(?:作者|撰[文稿])\s{0,3}([\u4e00-\u9fff]{2,4})\s*(?:$|[|｜])")
_BY = re.compile(r"^by\s{1,3}([\u4e00-\u9fff]{2,4}|[A-Z][\w.'’-]*(?:\s[A-Z][\w.'’-]*){1,3})\s*(?:$|[|｜·\d])", re.IGNORECASE)
_COUNTRY = re.compile(r"^\s*[\[【(（〔]\s?[\u4e00-\u9fff]{1,4}\s?[\]】)）〕]\s*")  # before a foreign author: [美]约翰·史密斯
_DEPARTMENT = _LINES["department"]
_SIGNED = _LINES["signed"]
_DATELINE = re.compile(r"^.{0,40}?[(（][\w·]{0,14}?(?:记者|記者)[\s:：]*([\w\s、，,·]{2,30})[)）]")
_PHOTO = re.compile(r"(?:摄|攝|图|圖|制图|供图)[)）\s]*$")
_NAME_ENDS = _LINES["name_ends"]
_TITLES = re.compile(r"^.*(?:记者|記者|作者|通讯员|研究员|教授|评论员|撰稿人|实习生|特约)[\s:：]*")
_ROLES = re.compile(r"(?:摄影)?(?:报道|報導|整合|整理|编译|综合|供稿|摄|文|图|[医醫][师師生]|博士|教授)$")
_NAMES = re.compile(r"[、，,;；/＆\s]+")
_SURNAMES = frozenset((files("topical_crawler.extraction") / "surnames.txt").read_text(encoding="utf-8").split())
_HAN_NAME = re.compile(r"[\u4e00-\u9fff]{2,4}(?:·[\u4e00-\u9fff]{1,6})*")
_LATIN = re.compile(r"[A-Za-z][\w.'’-]*")
_POSTED = re.compile(r"^([^\s|｜:：]{2,20})\s*[|｜·]?\s*发[表布]于\s?[:：]?\s?\d{4}|posted @ [\d :-]{10,20}\s(\S{2,20})\s阅读")
_ALONE = re.compile(r"([\u4e00-\u9fff]{2,3}|[\u4e00-\u9fff] [\u4e00-\u9fff])(?:[/／].{2,10}[报網网社台刊])?")
_NOT_AUTHOR = re.compile(r"责任|编辑(?!部)|编审|责编|来源|日期|时间|发布|版权|链接|许可|声明|转载|摄影")
_NO_PERSON = _LINES["no_person"]
_SOURCE = _LINES["source"]
_AFTER_TIME = re.compile(r"\d{1,2}[:：]\d\d(?:[:：]\d\d)?[\s|｜]{0,3}《?([^\s\d|｜《》:：]{2,14})》?(?=\s|\[|$)")
_OUTLET = re.compile(
    r".(?:网|報|报|社|台|周刊|杂志|日报|时报|消息|发布|新闻|财经|科技|体育|客户端|频道|综合|在线|号)(?:\[.{1,4}\])?$"
)
_MARKUP = re.compile("[=<>{}]|://")
_SOURCE_ENDS = re.compile(
    r"(?:作者|编辑|责编|责任编辑|记者|发布[时日]|时间|日期|浏览|点击|阅读|字号|字体|分享|打印|(?:19|20)\d\d[-年/.]|[【\[(（](?:字|打印|关闭)).*$"
)
_STAMPED = _LINES["stamped"]
_STAMP = re.compile(r"(?:posted @|发[布表帖]于|编辑于|发布[日时][期间]|发文日期|日期[:：]|时间[:：])", re.IGNORECASE)
_CHANGED = _LINES["changed"]
_CHANGED_DAY = re.compile(rf"(?:{_CHANGED.pattern})[\d年月日/. :：-]{{6,20}}", re.IGNORECASE)
_WEEKDAY = re.compile(r"(?:星期|周)[一二三四五六日天]")
_UPDATED = re.compile(r"(?:最近|最后|上次)?更新\D*$")
_TIMED = XPath(  # attribute values with a possible date
    "//@datetime | //input[@type='hidden']/@value | //span/@title | //em/@title | //i/@title | //abbr/@title | //time/@title"
)
_DATA = XPath(
    "//@*[starts-with(name(), 'data-')][contains(name(), 'time') or contains(name(), 'date') or contains(name(), 'publi')"
    " or contains(name(), 'created')]"
)
_HAS_DATA = re.compile(r"data-[\w-]*(?:time|date|publi|created)")
_PUBLISHED_LIKE = re.compile(
    r"(?:pub|releas|creat|issu|post).*(?:date|time|_at$)|(?:date|time).*(?:pub|creat|issu)|^(?:dc(?:terms)?[.:])?date$"
)
_IS_PUBLISHED = re.compile(r"(?:^|:)(?:datePublished|dateCreated|uploadDate)$")
_UTC = re.compile(r"(?:Z|[+-]00:?00| GMT| UTC)$")
_PUBLISHED = (
    "article:published_time", "pubdate", "publishdate", "datepublished", "og:published_time", "og:release_date", "og:time",
    "apub:time", "citation_publication_date", "citation_date", "dc.date", "dcterms.issued", "firstpublishedtime", "dateupdate",
)  # fmt: skip
_WRITTEN_BY = (
    "citation_author", "citation_authors", "og:article:author", "article:author", "author", "dc.creator", "dc.contributor",
)  # fmt: skip
_NO_SIGNS = re.compile(  # permalink marks, characters of icon fonts
    r"^[#¶\s]+|[\ue000-\uf8ff¶]|\s#\d++$|(?<![#\s])[#\s]++$"
)
_NO_HEADLINE = re.compile(r"[:：。]$|^—")
_LATE_SOURCE = re.compile(r"[（(【]?(?:信息|稿件|文章)?来\s?源[:：]")
_EDITED = re.compile(r"编\s?辑\s?[:：]|责编\s?[:：]")
_LABEL = re.compile(r"^.{2,10}[:：]$")
_IN_SCRIPT = _LINES["in_script"]
_HERE = re.compile(r"(?:当前|您的|所在|现在|你的|您现在的|您当前的|您所在的)(?:的)?位置(?:是)?|您现在所在的?位置|^位置")
_CRUMB = re.compile(r"\s*(?:[>＞»›→]|-&gt;|::)+\s*")
_HOME = re.compile(r"^(?:.{0,8}首\s?页|主\s?页|home|返回首页)$", re.IGNORECASE)
_NOT_SECTION = re.compile(r"^(?:正\s?文|内容|详细?内容|文章(?:内容|正文|详情)?|浏览文章|阅读|.{0,4}详情)$")

Testimony = tuple[str, str, str]  # field, witness and value


@dataclass(frozen=True, slots=True)
class Details:
    """Details of an article, "" if unknown."""

    title: str = ""  # headline without the name of the site
    date: str = ""  # of publication, `YYYY-MM-DD`, never after the day of fetching
    author: str = ""  # as named by the page, several joined by 、, without editors
    source: str = ""  # outlet named by the page (来源)
    section: str = ""  # breadcrumb without home page and title, `党建 > 要闻`
    canonical: str = ""  # canonical address declared by the page, if not its own
    license: str = ""  # address or name of the licence


def read_details(
    tree: HtmlElement, blocks: Sequence[Block], url: str, fetched: str = "", anchors: Iterable[str] = (), source: str = ""
) -> Details:
    """Read the details of a page. Leaves the tree unchanged.

    Args:
        tree: the parsed page.
        blocks: its blocks, normalised.
        url: its address.
        fetched: time of fetching, ISO 8601 in UTC (default: now).
        anchors: texts of links to the page.
        source: HTML of the page, only to skip searches without a chance ("": search for everything).

    >>> from lxml.html import fromstring
    >>> page = fromstring("<title>开展主题教育_党建网</title><h1>开展主题教育</h1><p>2024年3月1日 来源：党建网 作者：张三</p>")
    >>> details = read_details(page, read_blocks(page), "http://www.example.cn/a.html")
    >>> details.title, details.date, details.source, details.author
    ('开展主题教育', '2024-03-01', '党建网', '张三')
    """
    witnesses = Witnesses(tree, blocks, url, fetched, anchors, source)
    heard = witnesses.hear()
    outlet = elect("outlet", heard)
    trails = cast("list[HtmlElement]", _TRAILS(tree)) if not source or "crumb" in source else []
    return Details(
        title=witnesses.title,
        date=elect("day", heard),
        author=elect("author", [t for t in heard if _key(t[2]) != _key(outlet)]),
        source=outlet,
        section=_section(trails[:3], witnesses.blocks[: witnesses.place + 10], witnesses.head, witnesses.title),
        canonical=witnesses.head.canonical(),
        license=witnesses.head.license(),
    )


def elect(field: str, heard: Iterable[Testimony]) -> str:
    """Return the value of ``field`` with the greatest weight, as spelled by its first witness, or "".

    The weight of a value is the sum of log(p / (1 - p)) over its witnesses, with p from :data:`ACCURACY`.

    >>> elect("day", [("day", "meta", "2024-03-02"), ("day", "byline", "2024-03-01"), ("day", "address", "2024-03-01")])
    '2024-03-01'
    """
    weights: dict[str, float] = {}
    spelled: dict[str, str] = {}
    for named, witness, value in heard:
        if named == field and (key := _key(value)):
            p = ACCURACY[field][witness]
            weights[key] = weights.get(key, 0.0) + log(p / (1 - p))
            spelled.setdefault(key, value)
    return spelled[max(weights, key=weights.__getitem__)] if weights else ""


def _key(value: str) -> str:
    return "".join(unicodedata.normalize("NFKC", value).split()).casefold()


@lru_cache(maxsize=4096)  # pages of a site share their menus
def _key_without_signs(line: str) -> str:
    return _key(_NO_SIGNS.sub("", line))


class Witnesses:
    """Witnesses for the title, authors, day and outlet of a page."""

    def __init__(
        self,
        tree: HtmlElement,
        blocks: Sequence[Block],
        url: str,
        fetched: str = "",
        anchors: Iterable[str] = (),
        source: str = "",
    ) -> None:
        self.tree, self.blocks, self.url, self.fetched, self.anchors = tree, blocks, url, fetched, anchors
        self.is_account = not source or "js_name" in source  # may be a WeChat account
        self.has_data = not source or _HAS_DATA.search(source) is not None
        self.head = Head(tree, url)
        self.marked: list[HtmlElement] = cast("list[HtmlElement]", _MARKED(tree))[:MAX_MARKED]
        self.page = _NO_SIGNS.sub("", " ".join((tree.findtext(".//title") or "")[:1000].split())[:MAX_VALUE])
        if blocks and blocks[0].tag == "body" and blocks[0].text == self.page:
            self.blocks = blocks[1:]  # a broken page has its title element in the body
        homes = {b.text for b in blocks[:NEAR] if b.link_share == 1 and _is_home(b.href)}
        own = self.head.meta("og:title")  # some themes repeat it as the application's name
        self.names = (self.head.sites() | homes) - ({own} if own != self.page else set())
        self.parts = _STRONG.split(self.page)
        parts = [part for part in self.parts if part and part not in self.names]
        self.is_silent = all(map(_NO_TITLE.fullmatch, parts)) or (len(parts) == 1 and _is_like_site(parts[0]))  # no page title
        self.is_chinese = re.search(r"[\u4e00-\u9fff]", self.page + "".join(block.text for block in blocks[:NEAR])) is not None
        self.title, self.place = "", 0  # elected headline, index of its block
        self.near: list[Block] = []  # lines around the headline, a label and its value as one, like those of the
        self.end = _lines(self.blocks[-NEAR:])

    def hear(self) -> list[Testimony]:
        """Hear every witness at most once for each field, the title first because the others look around the headline."""
        heard = [("title", witness, clean) for witness, value in self._titles() if (clean := _NO_SIGNS.sub("", value))]
        heard += [testimony for testimony in self._of_title_element(heard) if testimony[2]]
        self.title = elect("title", heard) or _without_site(self.page) or self.page
        self.place = self._place()
        self.near = _lines(self.blocks[max(0, self.place - 5) : self.place + NEAR])
        for field, found in (("day", self._days()), ("author", self._authors()), ("outlet", self._outlets())):
            seen: set[str] = set()
            for witness, value in found:
                if value and witness not in seen:
                    seen.add(witness)
                    heard.append((field, witness, value))
        return heard

    # Title

    def _titles(self) -> Iterator[tuple[str, str]]:
        head, names = self.head, self.names
        headings = [b for b in self.blocks[:2000] if b.tag in HEADINGS and 2 <= b.letters <= STAMP and not self._is_site(b)]
        first_level = list(dict.fromkeys(b.text.rstrip("¶# ") for b in headings if b.tag == "h1"))
        if len(first_level) == 1:
            yield "h1 like a site" if _is_like_site(first_level[0]) else "h1", first_level[0]
        elif first_level:
            named = max(filter(self._is_part, first_level), key=len, default="")  # a blog's name is shorter than a headline
            yield "one of several h1", named or (first_level[0] if self.is_silent else "")
        yield "heading in title", max((b.text for b in headings if self._is_part(b.text)), key=len, default="")
        lines = (b.text for b in self.blocks[:500] if 2 <= b.letters <= STAMP and not b.furniture and not b.links)
        yield "line in title", max(filter(self._is_part, lines), key=len, default="")
        yield "class", first(map(self._marked_headline, self.marked))
        yield "microdata", first(_content(e) for e in self.marked if "headline" in _property(e))
        yield "above byline", self._above_byline()
        yield "json-ld", _without_site(head.data("headline", "title", "name"), names)
        yield "open graph", _without_site(head.meta("og:title", "twitter:title"), names)
        yield "meta", _without_site(head.meta("articletitle", "citation_title", "dc.title"), names)
        if anchors := {_key(anchor) for anchor in self.anchors if count_letters(anchor) >= 2}:
            own = (_NO_SIGNS.sub("", block.text) for block in self.blocks[:1000] if not block.links)
            yield "anchor", first(text for text in own if _key(text) in anchors)

    def _of_title_element(self, heard: Sequence[Testimony]) -> Iterator[Testimony]:
        """Yield the likeliest part of the title element confirmed by other witnesses, else all of it but the site's name."""
        named = [t for t in heard if self._is_part(t[2])]
        more = (t[2].removesuffix(self.page) for t in heard if not self.is_silent and t[2].endswith(self.page))
        if title := elect("title", named) or (self.page if any(0 < len(before) <= 4 for before in more) else ""):  # 原创…
            yield "title", "title", title
            return
        if not self.is_silent:
            yield "title", "title alone", _without_site(self.page, self.names)
        elif not heard:
            lines = (b for b in self.blocks[:500] if 4 <= b.letters <= 40 and not b.links and not b.furniture)
            rest = (b.text for b in lines if not b.text.endswith(("。", "；")))  # a sentence is no headline
            yield "title", "first line", first(t for t in rest if t not in (*self.names, self.page) and not self._day(t))

    def _is_site(self, block: Block) -> bool:
        linked = block.link_share > 0.9 and _is_home(block.href)
        return linked or block.text in self.names or (_SITE.search(block.text) is not None and block.text not in self.page)

    def _is_part(self, text: str) -> bool:
        """Return True if a text is the title element, with or without the names of site and channel."""
        page, parts = self.page, self.parts
        if text == page or text in parts:
            is_site = text in self.names or (text == page and self.is_silent) or (text != parts[0] and _SITE.search(text))
            return not is_site
        rest = page.removeprefix(text)
        if len(text) >= 4 and rest != page and (_BREAK.match(rest) or (rest[0] == " " and _SITE.search(rest))):
            return True
        before = page.removesuffix(text).rstrip(" :：-_|")
        return before != page and (before in self.names or _SITE.search(before) is not None) and text not in self.names

    def _marked_headline(self, element: HtmlElement) -> str:
        named = element.get("class", ""), element.get("id", "")
        if element.tag in ("a", "meta", "input", "body", "img", "title", "li", "ul") or not any(map(_HEADLINE.search, named)):
            return ""
        text = _content(element)
        return text if 6 <= count_letters(text) <= STAMP // 2 and text not in self.names and not _SITE.search(text) else ""

    def _above_byline(self) -> str:
        for i, block in enumerate(self.blocks[:1000]):
            line = block.text[:MAX_LINE]
            if block.letters > STAMP or block.link_share >= 0.5 or block.furniture or is_sentence(line):
                continue
            if _STAMPED.search(line) and self._day(line):
                above = [b for b in self.blocks[max(0, i - 3) : i] if 6 <= b.letters <= 60 and not b.links]
                lines = [b.text for b in above if not _NO_HEADLINE.search(b.text) and not _STAMPED.search(b.text)]
                if lines:
                    return lines[-1]
        return ""

    def _place(self) -> int:
        """Return the index of the headline's block, 0 without one."""
        key = _key(self.title)
        short = ((i, b.text[:MAX_LINE]) for i, b in enumerate(self.blocks[:2000]) if b.letters <= MAX_LINE)
        same = [i for i, text in short if key and _key_without_signs(text) == key]
        return next((i for i in same if self.blocks[i].tag in HEADINGS), same[0] if same else 0)

    # Day

    def _days(self) -> Iterator[tuple[str, str]]:
        marked = (e for e in self.marked if any(map(_IS_PUBLISHED.search, _property(e))))
        declared: dict[str, Iterable[str]] = {
            "json-ld": [self.head.data("datePublished", "pubDate", "dateCreated")],
            "meta": [self.head.meta(*_PUBLISHED), *self.head.like(_PUBLISHED_LIKE)],
            "microdata": (e.get("datetime") or e.get("content") or e.get("title") or _content(e) for e in marked),
            "attribute": self._of_attributes(),
            "script": self._of_scripts(),
        }
        heard = False
        for witness, values in declared.items():
            for value in filter(None, () if heard and witness == "script" else values):  # scripts repeat the other metadata
                written = moment_of(value)
                moment = in_beijing(written) if self.is_chinese else written
                if day := self._day(moment):
                    yield "moment in UTC" if _UTC.search(written) and witness not in ("attribute", "script") else witness, day
                    heard = True
                    break
        own = (block for block in self.near if block.link_share <= 0.5 or _STAMP.match(block.text) or _is_home(block.href))
        near = [block for block in own if "。" not in block.text and not (block.letters > 60 and is_sentence(block.text))]
        texts = [block.text[:MAX_LINE] for block in near if not _UPDATED.match(block.text)]
        days = [(plain_day(line), self._day(_CHANGED_DAY.sub("", line))) for line in texts]
        yield "byline", first(day for line, day in days if day and _STAMPED.search(line) and not _WEEKDAY.search(line))
        yield "line", first(day for line, day in days[:15] if day and count_letters(line) <= 20 and not _WEEKDAY.search(line))
        beside = [*self.blocks[self.place + 1 : self.place + 4], *self.blocks[max(0, self.place - 2) : self.place][::-1]]
        close = (plain_day(block.text[:MAX_LINE]) for block in beside if block.letters <= 40 and "。" not in block.text)
        firm = (line for line in close if HAS_YEAR.search(line) and not _UPDATED.match(line))
        yield "beside", first(self._day(_CHANGED_DAY.sub("", line)) for line in firm)
        late = [b.text[:MAX_LINE] for b in self.blocks[self.place + NEAR :] if b.letters <= 60 and _STAMP.search(b.text[:60])]
        yield "late byline", first(map(self._day, late[:20]))
        yield "weekday", first(day for line, day in days if day and _WEEKDAY.search(line))
        changed = (b.text[:MAX_LINE] for b in (*self.near, *self.end) if b.letters <= 60)
        yield "updated", first(self._day(line[found.end() :]) for line in changed if (found := _CHANGED.search(line)))
        yield "address", in_address(self.url, self.fetched)

    def _of_attributes(self) -> list[str]:
        """Return the date-like attribute value nearest to the headline, as a list of at most one."""
        timed = cast("list[Any]", _TIMED(self.tree)) + (cast("list[Any]", _DATA(self.tree)) if self.has_data else [])
        values = [value for value in timed[:MAX_MARKED] if len(value) <= 40 and self._day(moment_of(value))]
        headline = self.blocks[self.place].element if self.blocks and values else None
        if headline is None:
            return []
        order = {element: number for number, element in enumerate(self.tree.iter())}
        steps = [abs(order[value.getparent()] - order.get(headline, 0)) for value in values]
        return [values[steps.index(min(steps))]] if min(steps) <= BESIDE else []

    def _of_scripts(self) -> Iterator[str]:
        for script in self.tree.iter("script"):
            if (source := script.text) and (found := _IN_SCRIPT.search(source[:MAX_SCRIPT])):
                yield found[1]

    def _day(self, text: str) -> str:
        return in_text(text, self.url, self.fetched) if text else ""

    # Authors

    def _authors(self) -> Iterator[tuple[str, str]]:
        head, sites = self.head, {_key(name) for name in self.names}
        yield "json-ld", _people(head.people())
        meta = _people(head.metas(*_WRITTEN_BY))
        edited = any(_EDITED.search(block.text) and meta in block.text for block in (*self.near, *self.end))
        yield "meta", "" if edited or _key(meta) in sites or (meta and meta in self.page) else meta
        yield "microdata", first(_people([_person(e)]) for e in self.marked if "author" in _property(e))
        near, late = ([block.text[:MAX_LINE] for block in lines] for lines in (self.near, self.end))
        late += [
            block.text[:MAX_LINE] for block in self.blocks[self.place + NEAR : 2000] if block.letters <= 30 and block.links < 2
        ]
        yield "byline", first(map(_author, near))
        yield "late byline", first(map(_author, late))
        yield "signature", first(map(_signed, (*near, *late)))
        paragraphs = [b.text for b in self.blocks[self.place : self.place + NEAR] if b.letters > 20][:6]
        yield "dateline", first(_people(_split_names(found[1])) for text in paragraphs if (found := _DATELINE.search(text[:100])))
        close = self.blocks[max(0, self.place - 3) : self.place + 8]
        posted = (_POSTED.search(b.text[:MAX_LINE]) for b in (*close, *self.end))
        yield "posted", first(_people([found[1] or found[2]]) for found in posted if found)
        below = (_ALONE.fullmatch(block.text) for block in self.blocks[self.place + 1 : self.place + 3])
        alone = (found[1].replace(" ", "") for found in below if found)
        yield "name alone", first(_people([name]) for name in alone if name[0] in _SURNAMES)
        linked = (re.split(r"[\s·|｜]", b.text)[0] if b.link_share < 1 else b.text for b in close if _PERSON_LINK.search(b.href))
        yield "person link", first(_people([name]) for name in linked)
        starts = "\n".join(block.text for block in close)
        named = (e for e in self.marked if e.tag != "meta" and _PERSON.search(f"{e.get('class', '')} {e.get('rel', '')}"))
        fit = (name for name in map(_content, named) if name != self.title and name in starts and count_letters(name) <= 24)
        yield "class", first(_author(name) or _signed(name) or _people([name]) for name in fit)

    # Outlet

    def _outlets(self) -> Iterator[tuple[str, str]]:
        texts = [block.text[:MAX_LINE] for block in (*self.near, *self.end)]
        yield "meta", _source_name(self.head.meta("contentsource", "source", "mediaid"))
        account = cast("list[HtmlElement]", _ACCOUNT(self.tree)) if self.is_account else []
        yield "account", first(map(_content, account))
        late = (b.text for b in self.blocks[self.place + NEAR : 2000] if b.letters <= 20 and _LATE_SOURCE.match(b.text))
        yield "late byline", first(map(_source, late))
        yield "byline", first(_source(line, self.title) for line in texts)
        near = (found[1] for line in texts[:15] if (found := _AFTER_TIME.search(line)))
        yield "after time", first(_source_name(name) for name in near if _OUTLET.search(name))


def _lines(blocks: Iterable[Block]) -> list[Block]:
    """Return the short ``blocks`` and table cells, each label joined with the value next to it."""
    lines: list[Block] = []
    for block in blocks:
        for cell in re.split(r"[\t\n]", block.text) if block.kind == "table" else [block.text]:
            if lines and _LABEL.match(lines[-1].text) and not _LABEL.match(cell):
                lines[-1] = replace(block, text=f"{lines[-1].text} {cell}", letters=count_letters(cell))
            elif cell and len(cell) <= 4 * STAMP:
                lines.append(block if cell is block.text else replace(block, text=cell, letters=count_letters(cell)))
    return [line for line in lines if line.letters <= STAMP]


def _is_like_site(text: str) -> bool:
    return _SITE.search(text) is not None and count_letters(text) <= SITE_NAME and not re.search(r"[\d,，:：?？]", text)


def _property(element: HtmlElement) -> list[str]:
    """Return the microdata or RDFa properties of an element."""
    return (element.get("itemprop") or element.get("property") or "").split()


def _content(element: HtmlElement) -> str:
    """Return the ``content`` attribute of an element, else its text."""
    return _folded(element.get("content") or "".join(islice(element.itertext(), 20))).rstrip("¶# ")


def _person(element: HtmlElement) -> str:
    """Return the name in the microdata of a person."""
    named = element.xpath(".//*[@itemprop='name'][1]")
    return _content(named[0] if named else element)


def _without_site(title: str, names: Collection[str] = ()) -> str:
    """Return a title without the names of its site (listed in ``names`` or site-like) and channel.

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


def _author(line: str) -> str:
    """Return the authors named by a line, or "". Ignores editors.

    >>> _author("来源：党建网 作者：张三 李四"), _author("责任编辑：张三"), _author("文/王五"), _author("本文作者： Dr Kuma")
    ('张三、李四', '', '王五', 'Dr Kuma')
    >>> _author("撰文丨林小满 编辑丨周遥"), _author("作者：[美]约翰·史密斯 译者：林小满"), _author("作者：健康报编辑部")
    ('林小满', '约翰·史密斯', '健康报编辑部')
    """
    match = _AUTHOR.search(line) or _BY.search(line)
    if match is None and (match := _BARE_AUTHOR.search(line)) and match[1][0] not in _SURNAMES:  # 作者最新文章
        return ""
    named = _COUNTRY.sub("", match[1]) if match else ""
    if (department := _DEPARTMENT.match(named)) is not None:
        return _people([department[1]])
    names = _split_names(named) if not re.match(r"\w+\s?=", named) else []
    return "" if any(len(name) > 8 and name.isalpha() and not name.isascii() for name in names) else _people(names)


def _signed(line: str) -> str:
    """Return the reporters signing a short line, or "". Ignores photographers.

    >>> _signed("光明日报记者 张小三 李四"), _signed("（本报记者　赵　六）")
    ('张小三、李四', '赵六')
    >>> _signed("记者了解到，项目下月完工。"), _signed("记者 张三 摄")
    ('', '')
    """
    unsigned = "者" not in line or count_letters(line) > 40 or _PHOTO.search(line)
    match = None if unsigned else _SIGNED.search(line)
    names = _split_names(match[1]) if match else []
    return _people(names) if all(_HAN_NAME.fullmatch(name) and name[0] in _SURNAMES for name in names) else ""


def _split_names(text: str) -> list[str]:
    """Split off the names at the beginning of a text: the first, and further Chinese ones. Keeps Latin names whole.

    >>> _split_names("张三 赵　六 编辑：王五"), _split_names("Dr Kuma"), _split_names("放飞&心情"), _split_names("特约记者 陈溪")
    (['张三', '赵六'], ['Dr Kuma'], ['放飞&心情'], ['陈溪'])
    """
    ends = _NAME_ENDS.search(text)
    names: list[str] = []
    single = False  # the last name is half of one with two characters, 赵　六
    for token in filter(None, _NAMES.split(text[: ends.start()] if ends else text)):
        token = _TITLES.sub("", token)
        if not token:
            continue
        if single and len(token) == 1:
            names[-1] += token
            single = False
        elif names and _LATIN.fullmatch(token) and all(map(_LATIN.fullmatch, names[-1].split())):
            names[-1] += f" {token}"
        elif names and (_ROLES.search(token) or not (_HAN_NAME.fullmatch(token) or len(token) == 1 or "、" in text)):
            break
        else:
            names.append(_ROLES.sub("", token) if len(token) > 4 else token)
            single = len(token) == 1
    return names


def _people(names: Iterable[str]) -> str:
    """Return the names of persons among ``names``, joined by 、, or "".

    >>> _people(["张三", "admin"]), _people(["Greg <greg@example.org>"]), _people(["104363"])
    ('张三', 'Greg', '')
    """
    names = (name.partition("<")[0].strip(" 　、，,.;；:：") for name in names)
    people = [n for n in names if 2 <= count_letters(n) <= 40 and not _NO_PERSON.search(n) and not _NOT_AUTHOR.search(n)]
    return "、".join(dict.fromkeys(people))[:100]


def _source(line: str, title: str = "") -> str:
    """Return the outlet named by a line, or "". Skips a 来源 followed by the page's own title.

    >>> _source("2024年3月1日 08:30 来源：新华社"), _source("（转自《求是》）"), _source("能源来源广泛")
    ('新华社', '求是', '')
    >>> _source("来源：支部开会 学习文件", "支部开会 学习文件")
    ''
    """
    match = _SOURCE.search(line)
    begin = title.lstrip("[【")[:8]
    if match is None or (begin and line[match.start(match.lastindex or 0) :].startswith(begin)):
        return ""
    return _source_name(match[1] or match[2])


def _source_name(name: str) -> str:
    if (named := _SOURCE.search(name)) is not None:  # metadata repeating the line
        name = named[1] or named[2]
    name = _SOURCE_ENDS.sub("", name).strip('《》【】[]()（）“”"：: 　')[:60]
    return "" if _MARKUP.search(name) else name


def _section(trails: Iterable[HtmlElement], blocks: Sequence[Block], head: Head, title: str) -> str:
    if crumbs := head.crumbs():
        return _way(crumbs, title, from_home=True)
    for block in blocks:
        if block.letters <= STAMP and (here := _HERE.search(block.text[:MAX_LINE])) is not None:
            parts = _CRUMB.split(block.text[here.end() : MAX_LINE].lstrip(" :：的为"))
            if len(parts) > 1:
                return _way(parts, title, from_home=_is_home(block.href))
    for trail in trails:
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
