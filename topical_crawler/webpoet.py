"""A web-poet page object: the cleaned text of a page with its details. Needs the extra ``poet`` (scrapy-poet, web-poet)."""

import dataclasses
import functools
from typing import Any, ClassVar

from web_poet import HttpResponse, WebPage, validates_input

from topical_crawler import Page, load_topic, strategies
from topical_crawler.cleaning.cleaner import CleaningOptions
from topical_crawler.corpus.make import Maker
from topical_crawler.extraction.extract import extract
from topical_crawler.strategies import Strategy
from topical_crawler.text.passages import passages
from topical_crawler.web.dom import decode
from topical_crawler.web.urls import host


@functools.cache
def _strategy(topic: str) -> Strategy:
    return strategies.create(load_topic(topic), resources=None)


class TopicalTextPage(WebPage[dict]):  # type: ignore[misc]
    """Page object with the text of a response. To have the page judged, set ``topic`` in a subclass, a name or the path of a
    folder.

    The item has ``url``, ``title``, ``day`` (YYYY-MM-DD), ``author``, ``text`` (one paragraph a line), ``blocks`` (passages,
    each with ``text``, ``kind``, ``level`` and ``note``), ``language`` (two letters), ``reason`` (for a missing text) and
    ``relevance`` to the topic, from 0, None without a topic. Unknown values are "".

    >>> import asyncio
    >>> html = "<title>主题教育</title><h1>主题教育</h1><article><p>第一党支部的党员走进社区，登记了三十户漏雨的屋顶。</p>" \\
    ...     "<p>下个月再看结果，账目贴在村口，老人们都来帮忙，办法是大家想出来的。</p></article>"
    >>> page = TopicalTextPage(HttpResponse("http://www.example.cn/2023/0412/c1.html", html.encode(), encoding="utf-8"))
    >>> item = asyncio.run(page.to_item())
    >>> item["title"], item["day"], item["text"][:5], item["language"], item["relevance"]
    ('主题教育', '2023-04-12', '第一党支部', 'zh', None)
    """

    topic: ClassVar[str] = ""
    response: HttpResponse

    @validates_input  # type: ignore[untyped-decorator]
    async def to_item(self) -> dict[str, Any]:
        """Return the text with its details. Raise TopicError if the topic cannot be read."""
        url = str(self.response.url)
        page = Page.from_html(url, *decode(self.response.body, self.response.headers.get("Content-Type", "")))
        maker, links = Maker(None, CleaningOptions()), [link.anchor for link in page.links]
        made = maker.make(host(url), extract(page.html, url), anchors=links, title=page.title)
        fields, text = made.fields, "" if made.reason else made.fields["text"]
        blocks = [dataclasses.asdict(block) for block in passages(text, fields["layout"])] if text else []
        relevance = round(_strategy(self.topic).judge(page).relevance, 4) if self.topic else None
        item = {"url": url, "title": fields["title"], "day": fields["date"], "author": fields["author"], "text": text}
        item |= {"blocks": blocks, "language": fields.get("language", ""), "reason": made.reason, "relevance": relevance}
        return item
