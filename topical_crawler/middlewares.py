"""Spider middleware with the core method: judge every page and score its links (Figure 1 of Zhou et al. 2019)."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Generator, Iterable, Iterator, Sequence
from typing import Any

from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from topical_crawler.components import crawl_of
from topical_crawler.crawl.crawl import Crawl
from topical_crawler.crawl.link_policy import evidence_of
from topical_crawler.downloadermiddlewares.robots import rights_of, robots_agent, sitemaps_of
from topical_crawler.frontier.base import Entry
from topical_crawler.items import LEFT, PageItem, now_utc
from topical_crawler.strategies import BELOW_THRESHOLD, OFF_TOPIC
from topical_crawler.web.listings import SITEMAP, Listing, listing_kind
from topical_crawler.web.page import Link, Page, Verdict
from topical_crawler.web.rights import NOFOLLOW
from topical_crawler.web.urls import fingerprint, host

MANY = 128  # links scored at once: the anchors of more hold up the event loop
TOO_MANY = "too many links on a page"  # reason counted for links not read


class RelevanceMiddleware(BaseSpiderMiddleware):
    """Judges the page of every item and turns its links into entries for the frontier (Figure 1 of Zhou et al. 2019)."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._agent = robots_agent(crawler.settings)

    async def judged(self, item: Any, response: Response | None) -> Any:
        """Return ``item``, judged and with its links if it is a page or a listing of a crawl."""
        crawl = crawl_of(self.crawler)
        if crawl is None or not isinstance(item, PageItem):
            return item
        await prepare(crawl, item)
        if item.page is not None:
            item.rights = rights_of(item.page, response, self._agent)
            item.sitemaps = sitemaps_of(response)
            steps: Iterable[None] = judge(crawl, item)
        else:
            steps = read_listing(crawl, item, item.listing) if item.listing is not None else ()
        for _ in steps:
            await asyncio.sleep(0)
        return item

    async def process_spider_output_async(
        self, response: Response | None, result: AsyncIterator[Any], spider: Any = None
    ) -> AsyncIterator[Any]:
        """Finish a page without an item from a user's own spider. Its entry would otherwise stay in flight and hold up its
        host.
        """
        has_item = False
        async for output in super().process_spider_output_async(response, self._judged(result, response)):
            has_item = has_item or isinstance(output, PageItem)
            yield output
        entry = response.meta.get("topical") if response is not None else None
        if not has_item and response is not None and isinstance(entry, Entry):
            yield PageItem(entry, response.url, now_utc(), response.status, len(response.body), reason="no item")

    async def _judged(self, result: AsyncIterator[Any], response: Response | None) -> AsyncIterator[Any]:
        async for output in result:
            yield await self.judged(output, response)


async def prepare(crawl: Crawl, item: PageItem) -> None:
    """Precompute a page and its links concurrently, if a server does the work or there are many links."""
    links = item.listing.links if item.listing is not None else item.page.links if item.page is not None else ()
    page = item.page if item.listing is None else Page(item.url, links=links)
    if page is None or not (crawl.strategy.asks_server or len(links) > MANY):
        return
    links = links[: crawl.options.max_links] if item.listing is None else links
    if crawl.strategy.asks_server:
        links = tuple(link for link in links if not crawl.frontier.is_settled(fingerprint(link.url)))
    await crawl.strategy.prepare(page, [*(e.anchor for e in item.entry.evidence), *(link.anchor for link in links)])


def judge(crawl: Crawl, item: PageItem) -> Iterator[None]:
    """Judge an item's page, have the strategy learn from it, and score its links, :data:`MANY` at a step."""
    assert item.page is not None
    strategy, page, entry = crawl.strategy, item.page, item.entry
    item.verdict = verdict = strategy.judge(page, entry.evidence)
    if not verdict.keep and item.article:
        item.verdict = verdict = dataclasses.replace(verdict, keep=True)
        item.as_part = True
    if not verdict.keep:
        item.reason = OFF_TOPIC
    crawl.catch_up()  # score links with the knowledge of all workers
    if entry.evidence:
        item.reasons = dict(strategy.explain(entry.candidate()))
    strategy.learn(entry.url, verdict)
    closed = NOFOLLOW if crawl.options.obey_nofollow and NOFOLLOW in item.rights else None
    item.links = yield from _score(crawl, page, entry, verdict, closed, crawl.options.max_links)


def read_listing(crawl: Crawl, item: PageItem, listing: Listing) -> Iterator[None]:
    """Score the links of a sitemap or feed by the host's share of pages with a text, as links of an off-topic page.

    The best ones are kept, up to the limit of a page. The sitemaps of an index are fetched likewise.
    """
    crawl.catch_up()
    most, verdict = crawl.options.max_links, Verdict(crawl.policy.share(item.entry.host), keep=False)
    page = Page(item.url, links=listing.links)
    links = yield from _score(crawl, page, item.entry, verdict, None, len(page.links))
    links.sort(key=lambda link: (link.dropped is not None, -link.priority))
    is_nested = any(listing_kind(e.path) and e.distance for e in item.entry.evidence)  # the protocol forbids an index in an index
    item.links = links[:most] + crawl.listings.entries(SITEMAP, () if is_nested else listing.nested, item.entry)
    crawl.progress.note_dropped(TOO_MANY, len(links[most:]) + listing.left_out + is_nested * len(listing.nested))


def _score(
    crawl: Crawl, page: Page, parent: Entry, verdict: Verdict, closed: str | None, most: int
) -> Generator[None, None, list[Entry]]:
    """Return the first ``most`` links of a page as entries, each with its priority or the reason for dropping it.

    Yield before every further :data:`MANY` links. ``closed`` is a reason for dropping all of them.
    """
    entries: list[Entry] = []
    for start in range(0, len(links := page.links[:most]), MANY):
        if start:
            yield
        entries += _scored(crawl, links[start : start + MANY], parent, verdict, closed)
    if (left := len(page.links) - len(links) + page.unread) > 0:
        crawl.progress.note_dropped(TOO_MANY, left)
    return entries


def _scored(crawl: Crawl, links: Sequence[Link], parent: Entry, verdict: Verdict, closed: str | None) -> list[Entry]:
    strategy, policy = crawl.strategy, crawl.policy
    depth = parent.depth + 1
    distance = 0 if verdict.keep else 1 + min((e.distance for e in parent.evidence), default=0)
    entries: list[Entry] = []
    keyed = [(fingerprint(link.url), link) for link in links]
    is_settled = crawl.frontier.is_settled  # true for most links of a page
    new = [(key, link) for key, link in keyed if key != parent.key and not is_settled(key, off_topic=not verdict.keep)]
    if not closed:
        policy.meet(host(link.url) for _, link in new)
    for key, link in new:
        meta: dict[str, Any] = {}
        if (url := crawl.moves.of(link.url, ask=not crawl.frontier.shared)) != link.url:
            key, meta = fingerprint(url), {LEFT: link.url}
            if key == parent.key or is_settled(key, off_topic=not verdict.keep):
                continue
        evidence = (evidence_of(link, parent.url, verdict, distance),)
        entries.append(Entry(key, url, host(url), 0.0, depth, evidence, meta, closed or policy.refusal(url, depth)))
    allowed = [entry for entry in entries if entry.dropped is None]
    for entry, score in zip(allowed, strategy.score([entry.candidate() for entry in allowed]), strict=True):
        if score is None:
            entry.dropped = BELOW_THRESHOLD if verdict.keep else strategy.drop_reason
        else:
            entry.priority = policy.place(score, entry)
    return entries
