"""Places of texts and links on pages; every choice is drawn from a digest, so it never changes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from articles import Article
from looks import LinkItem
from sites import SITES, Channel, Site

T = TypeVar("T")

HIDDEN = "新党员宣誓仪式在老渡口举行"
"""An on-topic text that no list shows ..."""
HIDDEN_BEHIND = "重走老渡口：一条研学路线串起二十个旧址"
"""... and the off-topic page that links to it: a crawler has to pass through."""
FRAMED = "专题组织生活会怎么开 这份提示请收好"
"""A text that only a frameset links to."""


@dataclass(frozen=True, slots=True)
class Placement:
    """A text on a site: where it stands and what it is a reprint of ("" for an original)."""

    article: Article
    site: Site
    channel: Channel
    url: str
    original: str = ""

    @property
    def link(self) -> LinkItem:
        """A link to it."""
        return self.url, self.article.title


def draw(pool: Sequence[T], count: int, key: str, name: Callable[[T], str] = str) -> list[T]:
    """``count`` members of ``pool`` (all, if there are fewer), in an order that depends on ``key`` and their names alone."""
    return sorted(pool, key=lambda member: hashlib.sha256(f"{key}|{name(member)}".encode()).digest())[:count]


class Layout:
    """All placements, in the order of sites, texts and then reprints."""

    def __init__(self, articles: Sequence[Article]) -> None:
        by_key = {site.key: site for site in SITES}
        own = [_place(by_key[a.site], a, by_key[a.site].channel(a.channel).name) for a in articles]
        reprints = [
            _place(by_key[a.reprint], a, by_key[a.reprint].channels[0].name, original=own[k].url)
            for k, a in enumerate(articles)
            if a.reprint
        ]
        self.placements = [p for site in SITES for p in own + reprints if p.site is site]
        self._titles = {p.article.title: p for p in own}

    def titled(self, title: str) -> Placement:
        """The original of the text called ``title``."""
        return self._titles[title]

    def listed(self, site: Site, channel: Channel | None = None) -> list[Placement]:
        """What a site's lists show (of one channel, or of all), newest first: everything but the hidden and the framed text."""
        shown = [
            p
            for p in self.placements
            if p.site is site and (channel is None or p.channel is channel) and p.article.title not in (HIDDEN, FRAMED)
        ]
        return sorted(shown, key=lambda p: (p.article.date, p.article.doc), reverse=True)

    def related(self, placement: Placement) -> list[LinkItem]:
        """The links below a text: four of its channel, one of its site, on every fourth page one of another site."""
        key = placement.url
        mates = [p for p in self.listed(placement.site, placement.channel) if p is not placement]
        chosen = draw(mates, 4, key, _url)
        chosen += draw([p for p in self.listed(placement.site) if p is not placement and p not in chosen], 1, key, _url)
        if placement.article.doc % 4 == 0:
            grade = placement.article.grade
            abroad = [p for s in SITES if s is not placement.site for p in self.listed(s) if p.article.grade == grade]
            chosen += draw(abroad, 1, key, _url)
        found = [p.link for p in chosen]
        if placement.original:
            found.append((placement.original, "查看原文"))
        if placement.article.title == HIDDEN_BEHIND:
            found.append(self.titled(HIDDEN).link)
        return found


def _url(placement: Placement) -> str:
    return placement.url


def _place(site: Site, article: Article, channel_name: str, original: str = "") -> Placement:
    channel = site.channel(channel_name)
    return Placement(article, site, channel, site.article_url(channel, article), original)
