"""News sites of several layouts, made of real news texts, as a recorded web with labels.

TEXTS is a file of JSON lines (gzip), of one of two kinds:

    category, text                       of a set for classification; the headline stands first, not parted from the text
    date, title, text, channel, party    of a news programme; ``party`` is 2 for party building, 1 for what borders on it

The sites are made up, all under ``.example``; every choice comes from --seed, the same call gives the same bytes. Out of
categories come five sites with a column of grades for each category. Out of a programme come six portals and a site for party
building, with columns for party building and ten further subjects: grade 2 where the headline has one of the subject's words, 1
where only the text has two of them. Such labels flatter methods that go by words: compare strategies, and do not take precision
for absolute. Columns of other recorded webs that a text borders on have grade 1, so that it is left out there.

OUT.warc.gz, OUT.tsv (url, host, kind, labels, columns of grades, doc, title) and OUT.seeds.txt (the home pages) are written. A
text is on one site, one in sixteen on a second one, too (kind ``copy``, the same ``doc``).
"""

from __future__ import annotations

import argparse
import datetime
import gzip
import html
import json
import random
import re
import uuid
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from scrapy.settings import BaseSettings

from topical_crawler.cli.base import whole
from topical_crawler.files import replacing, replacing_bytes
from topical_crawler.text.segment import Segmenter

CATEGORIES = {"体育": "SPORT", "游戏": "GAME", "教育": "STUDY", "房产": "HOUSE", "时尚": "FASHION"}
"""Columns of the categories."""
SUBJECTS = {
    "SPACE": "航天|神舟|空间站|嫦娥|探月|天舟|天问|运载火箭|北斗卫星|遥感卫星|卫星发射",
    "SPORT": "锦标赛|世界杯|亚运|奥运|冬奥|联赛|足球|全运会|夺冠|金牌|世锦赛|乒乓|大运会",
    "DIPLOMACY": "会见|会谈|外长|外交|大使|国事访问|访华|通电话|建交",
    "FLOOD": "暴雨|洪水|防汛|台风|洪涝|汛期|强降雨|抗洪",
    "AGRI": "农业|粮食|春耕|秋收|小麦|夏粮|农民|丰收|春播|农田",
    "MIDEAST": "巴勒斯坦|以色列|加沙|哈马斯|巴以|黎巴嫩",
    "RELICS": "考古|文物|博物馆|非遗|遗址|文化遗产|古籍",
    "ENERGY": "新能源|光伏|风电|发电|储能|油气|煤炭|电网|绿电|核电",
    "TRADE": "进出口|外贸|进博会|贸易|关税|出口",
    "RAIL": "铁路|高铁|列车|客运|春运|动车",
}
"""Words of the subjects that a text of a news programme may have, as regular expressions."""
BORDERING = {
    "ENV": "生态|污染|湿地|绿化|造林|自然保护",
    "LABOR": "就业|招聘|工会|劳动者",
    "TRANSPORT": SUBJECTS["RAIL"] + "|公路|港口|航道",
    "EDU": "教育|学校|高校|教师|高考",
    "FIN": "财政|税收|审计|债券|金融",
    "FARM": SUBJECTS["AGRI"] + "|乡村振兴",
    "HEALTH": "疫情|疫苗|医疗|医保|医院|感染",
    "ML": "人工智能|大模型",
}
"""Words of what columns of other recorded webs are about: texts that have them get grade 1 there."""
_A_SECOND_SITE = 1 / 16
_DEAD = 0.1
"""Share of the articles of a portal with a dead link."""
_PAGE = 20
"""Links of a list page."""
_TAGS = 3
_AT = "2026-07-01T00:00:00Z"

# -- Texts


@dataclass(frozen=True, slots=True)
class Text:
    """A text as the sites print it.

    Attributes:
        number: its place in the file, from 1.
        title, paragraphs: what is printed.
        day: under which it is filed.
        channel: the category, or the programme's own.
        grades: by column; 0 where there is none.
    """

    number: int
    title: str
    paragraphs: tuple[str, ...]
    day: datetime.date
    channel: str
    grades: Mapping[str, int]


_NEWS_BEGINS = re.compile("新浪|中新|本报|记者|导语|近日|日前|昨日|据|[0-9]+月[0-9]+日|20[0-9]+年")
_HEADLINE_ENDS = re.compile("[！？!?]|[ \xa0]")
_SENTENCE = re.compile(r"[^。！？]*[。！？]?[”’）]*")


def part(text: str) -> tuple[str, str]:
    """Headline and text of one that has both in one line, as well as its words tell them apart.

    >>> part("《植物大战僵尸》今日火爆上线！由北京掌中飞天发行")
    ('《植物大战僵尸》今日火爆上线！', '由北京掌中飞天发行')
    >>> part("爵士欲造可拆卸版三叉戟 他却只想证明自己纯爷们新浪体育讯北京时间4月18日消息")
    ('爵士欲造可拆卸版三叉戟 他却只想证明自己纯爷们', '新浪体育讯北京时间4月18日消息')
    """
    head = text[:48]
    begins = _NEWS_BEGINS.search(head, 9)
    ends = _HEADLINE_ENDS.search(head, 9)
    place = begins.start() if begins else ends.end() if ends else 24
    return text[:place].strip(), text[place:].strip()


def paragraphs(text: str) -> tuple[str, ...]:
    """Its lines, long ones in pieces of three sentences.

    >>> paragraphs("一。二！三？四。\\n五")
    ('一。二！三？', '四。', '五')
    """
    found: list[str] = []
    for line in filter(None, map(str.strip, text.split("\n"))):
        sentences = [s for s in _SENTENCE.findall(line) if s.strip()]
        found += ["".join(sentences[i : i + 3]).strip() for i in range(0, len(sentences), 3)]
    return tuple(found)


def read_texts(file: Path, seed: int) -> tuple[list[Text], list[str]]:
    """The texts, and the columns of their grades; ``seed`` gives texts a day that have none.

    Raises:
        ValueError: the file has another form; the message names the line.
    """
    rng = random.Random(f"days {seed}")
    texts: list[Text] = []
    columns: dict[str, None] = {}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                record: dict[str, Any] = json.loads(line)
                text = _of_category(number, record, rng) if "category" in record else _of_programme(number, record)
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"{file}, line {number}: {error!r}; see python -m experiments news-web --help") from None
            if text is not None:
                texts.append(text)
                columns.update(dict.fromkeys(text.grades))
    return texts, list(columns)


def _of_category(number: int, record: Mapping[str, Any], rng: random.Random) -> Text:
    title, body = part(record["text"])
    day = datetime.date(2010, 1, 1) + datetime.timedelta(rng.randrange(700))
    grades = {column: 2 if name == record["category"] else 0 for name, column in CATEGORIES.items()}
    grades["EDU"] = int(record["category"] == "教育")
    return Text(number, title, paragraphs(body), day, record["category"], grades)


def _of_programme(number: int, record: Mapping[str, Any]) -> Text | None:
    if not re.fullmatch(r"\d{8}", record["date"] or ""):  # a report, which no news site prints
        return None
    title, text = record["title"], record["text"]
    grades = {"PARTY": int(record["party"])}
    grades |= {column: _grade(words, title, text) for column, words in SUBJECTS.items()}
    grades |= {column: min(1, _grade(words, title, text)) for column, words in BORDERING.items()}
    day = datetime.datetime.strptime(record["date"], "%Y%m%d").date()
    return Text(number, title, paragraphs(text), day, record["channel"], grades)


def _grade(words: str, title: str, text: str) -> int:
    return 2 if re.search(words, title) else int(len(re.findall(words, text)) > 1)


# -- Sites


@dataclass(frozen=True, slots=True)
class Site:
    """A site.

    Attributes:
        host, name: its own.
        layout: one of :data:`LAYOUTS`.
        encoding: of its pages; with ``declared`` they say so.
        only: channels that it prints; empty: all.
        renamed: what it calls channels by other names.
    """

    host: str
    name: str
    layout: str
    encoding: str = "utf-8"
    declared: bool = True
    only: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = field(default_factory=dict)

    @property
    def home(self) -> str:
        """Address of its home page."""
        return f"http://{self.host}/"

    def channel(self, text: Text) -> str:
        """The channel that it files a text under."""
        return self.renamed.get(text.channel, text.channel)


_VAGUE = {"体育": "要闻", "游戏": "数码生活", "教育": "社会", "房产": "社会", "时尚": "生活"}
NEWS_SITES = (
    Site("www.kuaixun.example", "快讯网", "menu"),
    Site("www.wanbao.example", "都市晚报", "dates", "gbk"),
    Site("www.wanjia.example", "玩家志", "tags", only=frozenset({"游戏", "体育"})),
    Site("www.zonghe.example", "综合在线", "mixed", "gb18030", declared=False, renamed=_VAGUE),
    Site("www.xuelu.example", "学路", "menu", "gbk", only=frozenset({"教育", "房产"}), renamed={"房产": "安家"}),
)
_PLAIN = {"党建": "综合", "政府": "综合", "天气灾害": "社会", "文化旅游": "文化"}
PORTALS = (
    Site("news.dongfang.example", "东方门户", "menu", renamed={"党建": "综合", "政府": "综合"}),
    Site("www.ribao.example", "每日报", "dates", "gbk"),
    Site("www.souwang.example", "搜网", "mixed", "gb18030", declared=False, renamed=_PLAIN),
    Site("www.huanqiu-shiye.example", "环球视野", "tags", only=frozenset({"国际", "经济"})),
    Site("www.tianye.example", "田野网", "menu", "gbk", only=frozenset({"三农", "天气灾害"})),
    Site("www.tansuo.example", "探索与文化", "tags", only=frozenset({"科技", "文化旅游", "体育"})),
    Site("www.zhibu.example", "支部园地", "mixed", only=frozenset({"党建", "政府"}), renamed={"党建": "动态", "政府": "要闻"}),
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page to record; one of kind "" has no label."""

    url: str
    body: bytes
    kind: str
    labels: Sequence[str] = ()
    text: Text | None = None
    title: str = ""


def build(texts: Sequence[Text], sites: Sequence[Site], seed: int) -> Iterator[Page]:
    """The pages of all sites, each with its share of the texts."""
    rng = random.Random(f"sites {seed}")
    shares: dict[str, list[tuple[Text, bool]]] = {site.host: [] for site in sites}
    for text in texts:
        fitting = [site for site in sites if not site.only or text.channel in site.only]
        first = rng.choices(fitting, [3 if site.only else 2 for site in fitting])[0]
        shares[first.host].append((text, False))
        others = [site for site in fitting if site is not first]
        if others and rng.random() < _A_SECOND_SITE:
            shares[rng.choice(others).host].append((text, True))
    for site in sites:
        friends = [other for other in rng.sample(sites, min(4, len(sites))) if other is not site][:3]
        mine = sorted(shares[site.host], key=lambda one: (one[0].day, one[0].number), reverse=True)
        yield from LAYOUTS[site.layout](site, mine, friends, random.Random(f"{site.host} {seed}")).pages()


def _link(url: str, anchor: str) -> str:
    return f'<a href="{html.escape(url)}">{html.escape(anchor)}</a>'


class Layout(ABC):
    """What the pages of a site look like, and how they are linked. The texts come newest first, copies marked."""

    def __init__(self, site: Site, texts: Sequence[tuple[Text, bool]], friends: Sequence[Site], rng: random.Random) -> None:
        self.site = site
        self.copies = {text.number for text, copy in texts if copy}
        self.texts = [text for text, _ in texts]
        self.friends = friends
        self.rng = rng
        self.of_channel: dict[str, list[Text]] = {}
        for text in self.texts:
            self.of_channel.setdefault(site.channel(text), []).append(text)
        self.places = {text.number: place for place, text in enumerate(self.texts)}
        self.urls = {text.number: f"{site.home}{self.address(text, place)}" for place, text in enumerate(self.texts)}

    @abstractmethod
    def address(self, text: Text, place: int) -> str:
        """Of a text, without the host; ``place`` is its place on the site, no two have the same."""

    @abstractmethod
    def lists(self) -> Iterator[Page]:
        """All pages but the home page, the articles and what every site has."""

    @abstractmethod
    def frame(self, title: str, main: str, side: str) -> str:
        """The body of a page."""

    @abstractmethod
    def article(self, text: Text) -> tuple[str, str]:
        """An article and what stands beside it."""

    @abstractmethod
    def home(self) -> str:
        """What the home page shows."""

    def labels(self, text: Text) -> Sequence[str]:
        """What the site says that a text is about."""
        return (self.site.channel(text),)

    def pages(self) -> Iterator[Page]:
        """The pages of the site; robots.txt comes first."""
        home = self.site.home
        yield Page(f"{home}robots.txt", b"User-agent: *\nDisallow: /private/\n", "")
        others = " ".join(_link(one.home, one.name) for one in self.friends)
        friends = f"<p>友情链接 {others} {_link('/private/login.html', '登录')}</p>"
        yield self.page(home, self.site.name, self.home(), friends, "home")
        about = f"<p>{self.site.name}为您提供最新资讯。</p><p>{_link('/about/contact.html', '联系我们')}</p>"
        yield self.page(f"{home}about.html", "关于我们", about, "", "aux")
        yield from self.lists()
        for text in self.texts:
            kind = "copy" if text.number in self.copies else "article"
            yield self.page(self.urls[text.number], text.title, *self.article(text), kind, self.labels(text), text)

    def page(
        self, url: str, title: str, main: str, side: str, kind: str, labels: Sequence[str] = (), text: Text | None = None
    ) -> Page:
        """A page in this layout, encoded as the site has it."""
        site = self.site
        declared = f'<meta charset="{site.encoding}">' if site.declared else ""
        name = "" if title == site.name else f"_{site.name}"
        head = f"<!DOCTYPE html><html><head>{declared}<title>{html.escape(title)}{name}</title></head>"
        body = f"{head}<body>{self.frame(title, main, side)}</body></html>"
        return Page(url, body.encode(site.encoding, "xmlcharrefreplace"), kind, labels, text, title)

    def items(self, texts: Iterable[Text], days: bool = False) -> str:
        """A list of links to texts, with their days where the layout shows them."""
        lines = (f"<li>{_link(self.urls[t.number], t.title)}{f' <i>{t.day}</i>' if days else ''}</li>" for t in texts)
        return f"<ul>{''.join(lines)}</ul>"

    def drawn(self, texts: Sequence[Text], number: int, but: Text) -> list[Text]:
        """Some of the texts, at random."""
        return [text for text in self.rng.sample(texts, min(number + 1, len(texts))) if text is not but][:number]

    def paged(
        self, urls: Sequence[str], title: str, texts: Sequence[Text], kind: str = "list", labels: Sequence[str] = ()
    ) -> Iterator[Page]:
        """A list in pages of so many links, at these addresses."""
        for place, url in enumerate(urls):
            near = range(max(0, place - 2), min(len(urls), place + 4))
            pager = " ".join(_link(urls[n], str(n + 1)) for n in near if n != place)
            following = _link(urls[place + 1], "下一页") if place + 1 < len(urls) else ""
            shown = self.items(texts[place * _PAGE : (place + 1) * _PAGE], days=True)
            yield self.page(url, title, f"<h1>{html.escape(title)}</h1>{shown}<p>{pager} {following}</p>", "", kind, labels)

    def numbered(self, first: str, other: str, texts: Sequence[Text]) -> list[str]:
        """Addresses of the pages of a list: that of the first, and a form with ``{}`` for those from 2 on."""
        number = max(1, -(-len(texts) // _PAGE))
        return [f"{self.site.home}{first}", *(f"{self.site.home}{other.format(n)}" for n in range(2, number + 1))]


def _body(text: Text) -> str:
    return "".join(f"<p>{html.escape(one)}</p>" for one in text.paragraphs)


class Menu(Layout):
    """The menu of channels on every page; lists by channel; the newest of the channel beside an article."""

    def address(self, text: Text, place: int) -> str:
        return f"{self.slug(self.site.channel(text))}/{text.day:%Y%m}/t{text.day:%Y%m%d}_{10000 + text.number}.html"

    def slug(self, channel: str) -> str:
        """A channel as its addresses name it: by a number, which says nothing."""
        return f"pd{101 + sorted(self.of_channel).index(channel)}"

    def channel_pages(self, channel: str) -> list[str]:
        """Addresses of a channel's list."""
        slug = self.slug(channel)
        return self.numbered(f"{slug}/", f"{slug}/index_{{}}.html", self.of_channel[channel])

    def frame(self, title: str, main: str, side: str) -> str:
        menu = " ".join(_link(self.channel_pages(channel)[0], channel) for channel in self.of_channel)
        foot = f"<footer>{_link('/about.html', '关于我们')} 版权所有 {self.site.name}</footer>"
        return f"<header><nav>{_link('/', '首页')} {menu}</nav></header><main>{main}</main><aside>{side}</aside>{foot}"

    def home(self) -> str:
        return "".join(f"<section><h2>{c}</h2>{self.items(texts[:8])}</section>" for c, texts in self.of_channel.items())

    def lists(self) -> Iterator[Page]:
        for channel, texts in self.of_channel.items():
            yield from self.paged(self.channel_pages(channel), f"{channel}频道", texts, labels=(channel,))

    def article(self, text: Text) -> tuple[str, str]:
        channel = self.site.channel(text)
        crumbs = f"<div>{_link('/', self.site.name)} &gt; {_link(self.channel_pages(channel)[0], channel)} &gt; 正文</div>"
        head = f"<h1>{html.escape(text.title)}</h1><div>{text.day} 来源：{self.site.name}</div>"
        main = f"{crumbs}<article>{head}{_body(text)}</article>"
        return main, f"<h3>最新{channel}</h3>{self.items(self.of_channel[channel][:6])}"


class Dates(Layout):
    """Lists by day and month alone; no page says what a text is about. An article leads to those before and after it."""

    def address(self, text: Text, place: int) -> str:
        return f"{text.day:%Y/%m/%d}/{text.number}.htm"

    def frame(self, title: str, main: str, side: str) -> str:
        top = (
            f"<div id='top'>{_link('/', '首页')} | {_link('/archive.htm', '往日回顾')} | {_link('/about.html', '关于本报')}</div>"
        )
        return f"{top}<div class='main'>{main}</div><div class='side'>{side}</div><div id='foot'>{self.site.name} 版权所有</div>"

    def home(self) -> str:
        return f"<h1>{self.site.name}</h1>{self.items(self.texts[:25], days=True)}"

    def labels(self, text: Text) -> Sequence[str]:
        return ()

    def lists(self) -> Iterator[Page]:
        months: dict[str, dict[str, list[Text]]] = {}
        for text in self.texts:
            months.setdefault(f"{text.day:%Y/%m}", {}).setdefault(f"{text.day:%Y/%m/%d}", []).append(text)
        home = self.site.home
        index = "".join(f"<li>{_link(f'{home}{month}/', f'{month[:4]}年{month[5:]}月')}</li>" for month in months)
        yield self.page(f"{home}archive.htm", "往日回顾", f"<ul>{index}</ul>", "", "list")
        for month, days in months.items():
            listed = "".join(
                f"<li>{_link(f'{home}{day}/', f'{day[8:]}日')}（{len(texts)}篇）</li>" for day, texts in days.items()
            )
            yield self.page(f"{home}{month}/", f"{month[:4]}年{month[5:]}月", f"<ul>{listed}</ul>", "", "list")
            for day, texts in days.items():
                yield self.page(f"{home}{day}/", f"{day}报纸", f"<h2>{day}</h2>{self.items(texts)}", "", "list")

    def article(self, text: Text) -> tuple[str, str]:
        place = self.places[text.number]
        day = _link(f"{self.site.home}{text.day:%Y/%m/%d}/", f"{text.day} 目录")
        newer = [_link(self.urls[self.texts[place - 1].number], "下一篇")] if place else []
        older = [_link(self.urls[self.texts[place + 1].number], "上一篇")] if place + 1 < len(self.texts) else []
        text_of = f"<h2>{html.escape(text.title)}</h2>{'<br><br>　　'.join(map(html.escape, text.paragraphs))}"
        return f"<p>{day}</p>{text_of}<p>{' '.join(older + newer)}</p>", ""


class Tags(Layout):
    """A list of the newest in many pages, and pages of tags: words of the headlines. An article leads to its tags alone."""

    def __init__(self, site: Site, texts: Sequence[tuple[Text, bool]], friends: Sequence[Site], rng: random.Random) -> None:
        super().__init__(site, texts, friends, rng)
        segmenter = Segmenter()
        words = {text.number: [w for w in segmenter.content(text.title) if _is_tag(w)] for text in self.texts}
        counts = Counter(word for found in words.values() for word in set(found))
        most = max(3, len(self.texts) // 8)
        self.tagged: dict[str, list[Text]] = {}
        self.tags: dict[int, list[str]] = {}
        for text in self.texts:
            fitting = sorted({w for w in words[text.number] if 2 <= counts[w] <= most}, key=lambda w: (-counts[w], w))[:_TAGS]
            self.tags[text.number] = fitting
            for word in fitting:
                self.tagged.setdefault(word, []).append(text)

    def address(self, text: Text, place: int) -> str:
        return f"post/{len(self.texts) - place}/"

    def tag_pages(self, tag: str) -> list[str]:
        """Addresses of a tag's list."""
        slug = quote(tag)
        return self.numbered(f"tag/{slug}/", f"tag/{slug}/page/{{}}/", self.tagged[tag])

    def frame(self, title: str, main: str, side: str) -> str:
        links = (("/", self.site.name), ("/page/1/", "全部文章"), ("/tags/", "标签"), ("/about.html", "关于"))
        return (
            f"<header>{' '.join(_link(url, anchor) for url, anchor in links)}</header><main>{main}</main><footer>{side}</footer>"
        )

    def home(self) -> str:
        cloud = " ".join(
            _link(self.tag_pages(tag)[0], tag) for tag in sorted(self.tagged, key=lambda t: -len(self.tagged[t]))[:30]
        )
        return f"{self.items(self.texts[:10])}<div>{cloud}</div>"

    def labels(self, text: Text) -> Sequence[str]:
        return self.tags[text.number]

    def lists(self) -> Iterator[Page]:
        cloud = " ".join(f"{_link(self.tag_pages(tag)[0], tag)} ({len(texts)})" for tag, texts in self.tagged.items())
        yield self.page(f"{self.site.home}tags/", "标签", f"<div>{cloud}</div>", "", "list")
        yield from self.paged(self.numbered("page/1/", "page/{}/", self.texts), "全部文章", self.texts)
        for tag, texts in self.tagged.items():
            yield from self.paged(self.tag_pages(tag), f"标签：{tag}", texts, "label", (tag,))

    def article(self, text: Text) -> tuple[str, str]:
        tags = " ".join(f'<a rel="tag" href="{self.tag_pages(tag)[0]}">{html.escape(tag)}</a>' for tag in self.tags[text.number])
        return (
            f"<h1>{html.escape(text.title)}</h1><time>{text.day}</time><div class='post'>{_body(text)}</div><p>标签：{tags}</p>",
            "",
        )


class Mixed(Layout):
    """A portal: channels of vague names under opaque addresses; beside an article further reading, three of its channel and three
    of any, and the most read, which have nothing to do with it; some links are dead."""

    def address(self, text: Text, place: int) -> str:
        return f"n1/{text.day:%Y/%m%d}/c{64000 + text.number % 900}-{20000000 + text.number * 7}.html"

    def channel_pages(self, channel: str) -> list[str]:
        """Addresses of a channel's list."""
        node = f"node_{7001 + list(self.of_channel).index(channel)}"
        return self.numbered(f"{node}.htm", f"{node}_{{}}.htm", self.of_channel[channel])

    def frame(self, title: str, main: str, side: str) -> str:
        menu = " | ".join(_link(self.channel_pages(channel)[0], channel) for channel in self.of_channel)
        links = f"{_link('/about.html', '关于我们')} {_link('/map.html', '网站地图')}"
        foot = f"<tr><td colspan=2>{links} {self.site.name} 版权所有</td></tr>"
        top = f"<tr><td colspan=2>{_link('/', '首页')} | {menu}</td></tr>"
        return f"<table width=960>{top}<tr><td width=640>{main}</td><td>{side}</td></tr>{foot}</table>"

    def home(self) -> str:
        blocks = "".join(f"<h3>{channel}</h3>{self.items(texts[:10])}" for channel, texts in self.of_channel.items())
        return f"{self.items(self.rng.sample(self.texts, min(12, len(self.texts))))}{blocks}"

    def lists(self) -> Iterator[Page]:
        for channel, texts in self.of_channel.items():
            yield from self.paged(self.channel_pages(channel), channel, texts, labels=(channel,))

    def article(self, text: Text) -> tuple[str, str]:
        near = self.drawn(self.of_channel[self.site.channel(text)], 3, text) + self.drawn(self.texts, 3, text)
        if self.rng.random() < _DEAD:
            dead = f"<ul><li>{_link(f'/v/{self.rng.randrange(10**7):07}.html', f'视频：{text.title}')}</li></ul>"
        else:
            dead = ""
        head = f"<h1>{html.escape(text.title)}</h1><div>{text.day} {self.site.name}</div>"
        main = f"{head}<div>{_body(text)}</div><h4>相关阅读</h4>{self.items({one.number: one for one in near}.values())}{dead}"
        return main, f"<h4>热点排行</h4>{self.items(self.drawn(self.texts, 8, text))}"


def _is_tag(word: str) -> bool:
    return re.fullmatch("[\u4e00-\u9fff]{2,5}", word) is not None


LAYOUTS: Mapping[str, type[Layout]] = {"menu": Menu, "dates": Dates, "tags": Tags, "mixed": Mixed}
"""By name."""


# -- Files


def warc_record(page: Page) -> bytes:
    """The page as a gzip member of a WARC file."""
    kind = "text/plain" if page.url.endswith("/robots.txt") else "text/html"
    block = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(page.body)}\r\n\r\n".encode() + page.body
    name = uuid.uuid5(uuid.NAMESPACE_URL, page.url)
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{name}>\r\nWARC-Date: {_AT}\r\n"
        f"WARC-Target-URI: {page.url}\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + block + b"\r\n\r\n", 6, mtime=0)


def label_line(page: Page, columns: Sequence[str]) -> str:
    """The page's line in the file of labels."""
    grades = page.text.grades if page.text is not None else {}
    doc = str(page.text.number) if page.text is not None else ""
    values = [page.url, page.url.split("/")[2], page.kind, ",".join(page.labels), *(str(grades.get(c, 0)) for c in columns), doc]
    return "\t".join([*values, " ".join(page.title.split())])


DESCRIPTION = __doc__


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("texts", type=Path, metavar="TEXTS", help="news texts, as JSON lines (gzip)")
    add("out", type=Path, metavar="OUT", help="the files' common name")
    add("--seed", type=whole(0), default=0, metavar="N", help="of every choice (%(default)s)")
    add("--most", type=whole(0), default=0, metavar="N", help="texts, drawn at random; 0: all (%(default)s)")


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    texts, columns = read_texts(opts.texts, opts.seed)
    if 0 < opts.most < len(texts):
        texts = random.Random(f"texts {opts.seed}").sample(texts, opts.most)
    if not texts:
        raise ValueError(f"{opts.texts}: there is no text")
    sites = NEWS_SITES if "GAME" in columns else PORTALS
    warc, labels, seeds = (opts.out.with_name(f"{opts.out.name}.{ending}") for ending in ("warc.gz", "tsv", "seeds.txt"))
    pages = 0
    with replacing_bytes(warc) as recorded, replacing(labels) as table:
        table.write("\t".join(("url", "host", "kind", "labels", *columns, "doc", "title")) + "\n")
        for page in build(texts, sites, opts.seed):
            recorded.write(warc_record(page))
            if page.kind:
                pages += 1
                table.write(label_line(page, columns) + "\n")
    with replacing(seeds) as out:
        out.writelines(f"{site.home}\n" for site in sites)
    print(f"{warc}: {pages} pages of {len(sites)} sites, {len(texts)} texts; columns {' '.join(columns)}")
    return 0
