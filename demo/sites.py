"""The three sites of the demo web: names, channels, and how each one addresses its pages. Every host ends in .example."""

from __future__ import annotations

from dataclasses import dataclass

from articles import Article


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel: its ``name`` in the navigation, its ``slug`` in addresses, its ``host`` where that is not the site's own,
    and whether it carries party building only (then its list pages count as on topic)."""

    name: str
    slug: str
    host: str = ""
    party: bool = False


@dataclass(frozen=True, slots=True)
class Site:
    """A site.

    Attributes:
        key: name of its folder under ``texts/``.
        name: registered domain, the ``site`` column of ``labels.tsv``.
        host: host of the home page.
        title, slogan: what its pages call it.
        encoding: Python codec of its pages.
        content_type: its Content-Type header.
        per_page: items on a list page.
        number: added to a text's number in addresses.
        first_list, next_list, article: paths, with the fields slug, page, y, m, d, n.
        channels: in the order of the navigation; reprints are filed under the first.
    """

    key: str
    name: str
    host: str
    title: str
    slogan: str
    encoding: str
    content_type: str
    per_page: int
    number: int
    first_list: str
    next_list: str
    article: str
    channels: tuple[Channel, ...]

    @property
    def home(self) -> str:
        """URL of the home page: a seed of the demo crawl."""
        return f"http://{self.host}/"

    def channel(self, name: str) -> Channel:
        """The channel called ``name``; KeyError with the site's channels where there is none."""
        for channel in self.channels:
            if channel.name == name:
                return channel
        raise KeyError(f"{self.title} has no channel {name!r}; it has {[c.name for c in self.channels]}")

    def list_url(self, channel: Channel, page: int = 1) -> str:
        """URL of a channel's list page, pages counted from 1."""
        path = self.first_list if page == 1 else self.next_list
        return f"http://{channel.host or self.host}{path.format(slug=channel.slug, page=page)}"

    def article_url(self, channel: Channel, article: Article) -> str:
        """URL of a text filed under ``channel``."""
        day = article.date
        path = self.article.format(slug=channel.slug, y=day.year, m=day.month, d=day.day, n=self.number + article.doc)
        return f"http://{channel.host or self.host}{path}"


QINGHEONLINE = Site(
    key="qingheonline",
    name="qingheonline.example",
    host="www.qingheonline.example",
    title="青河在线",
    slogan="青河人的新闻门户",
    encoding="utf-8",
    content_type="text/html; charset=utf-8",
    per_page=6,
    number=10_000,
    first_list="{slug}/",
    next_list="{slug}/index_{page}.html",
    article="{slug}/{y}-{m:02}/{d:02}/content_{n}.html",
    channels=(
        Channel("要闻", "/news"),
        Channel("政务", "/gov"),
        Channel("国际", "/world"),
        Channel("财经", "/finance"),
        Channel("科技", "/tech"),
        Channel("体育", "", host="sports.qingheonline.example"),
        Channel("旅游", "/travel"),
        Channel("健康", "/health"),
        Channel("娱乐", "/ent"),
        Channel("教育", "/edu"),
        Channel("汽车", "/auto"),
        Channel("天气", "/weather"),
        Channel("美食", "/food"),
    ),
)

QINGHEDJ = Site(
    key="qinghedj",
    name="qinghedj.example",
    host="www.qinghedj.example",
    title="青河党建网",
    slogan="中共青河市委组织部主办",
    encoding="gb18030",
    content_type="text/html",
    per_page=4,
    number=30_000,
    first_list="/col/col{slug}/index.html",
    next_list="/col/col{slug}/index_{page}.html",
    article="/art/{y}/{m}/{d}/art_{slug}_{n}.html",
    channels=(
        Channel("党建要闻", "1021", party=True),
        Channel("学习教育", "1022", party=True),
        Channel("基层组织", "1023", party=True),
        Channel("党风廉政", "1025", party=True),
        Channel("干部工作", "1028", party=True),
    ),
)

YUNLING = Site(
    key="yunling",
    name="yunling.example",
    host="dj.yunling.example",
    title="云岭先锋",
    slogan="云岭县党员教育平台",
    encoding="utf-8",
    content_type="text/html",
    per_page=4,
    number=4_000,
    first_list="/{slug}/",
    next_list="/{slug}/index_{page}.html",
    article="/{slug}/{y}{m:02}/t{y}{m:02}{d:02}_{n}.html",
    channels=(
        Channel("先锋要闻", "xfyw", party=True),
        Channel("支部生活", "zbsh", party=True),
        Channel("驻村故事", "zcgs", party=True),
        Channel("清风云岭", "qfyl", party=True),
        Channel("县情", "xq"),
    ),
)

SITES = (QINGHEONLINE, QINGHEDJ, YUNLING)
