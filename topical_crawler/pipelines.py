"""Item pipelines from a judged page to a row of the corpus: extract the main text, clean it, store it."""

from __future__ import annotations

import asyncio
import dataclasses
from functools import partial
from math import isnan
from typing import Any, Self

from scrapy.crawler import Crawler

from topical_crawler.components import CrawlComponent, crawl_of
from topical_crawler.config import extraction_limits, extractor
from topical_crawler.corpus.make import Maker, announcement
from topical_crawler.extraction.documents import DOCUMENT
from topical_crawler.extraction.pool import ExtractPool
from topical_crawler.items import OFF_TOPIC_MODEL, OFF_TOPIC_TEXT, PageItem
from topical_crawler.strategies import OFF_TOPIC
from topical_crawler.topic.files import MOST, MarkedText


class ExtractPipeline:
    """Extracts the main text, title and date of kept pages in worker processes, without blocking the event loop."""

    def __init__(self, workers: int, timeout: float, extractor: str) -> None:
        self._pool = ExtractPool(workers=workers, timeout=timeout, extractor=extractor)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(*extraction_limits(crawler.settings), extractor(crawler.settings))

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem) and item.keep and item.page is not None:
            item.extracted = await self._pool.extract(
                item.page.html, item.url, item.fetched, [e.anchor for e in item.entry.evidence]
            )
            read = item.verdict.read if item.verdict is not None else {}
            item.text, item.reason = (read["text"], "") if "text" in read else (item.extracted.text, item.extracted.reason)
            item.parts = item.extracted.parts
        return item

    def close_spider(self) -> None:
        self._pool.close()


LONG = 50_000  # least characters of a text cleaned in a thread, to keep the event loop free


class CleanPipeline(CrawlComponent):
    """Removes boilerplate and rejects non-texts, each with its reason: the post-processing of Zhou et al. and more.

    A long text is cleaned in a thread, while the texts behind it wait.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._maker: Maker | None = None
        self._turn = asyncio.Lock()

    async def process_item(self, item: Any) -> Any:
        crawl = crawl_of(self._crawler)
        if crawl is None or not isinstance(item, PageItem) or item.extracted is None or item.page is None:
            return item
        extracted = item.extracted
        if item.verdict is not None and (read := item.verdict.read):
            own = {name: read[name] for name in ("title", "text", "source")}
            extracted = dataclasses.replace(extracted, layout=[], reason="", **own)  # type: ignore[arg-type]
        if self._maker is None:
            self._maker = Maker(crawl.store, crawl.options.cleaning)
        anchors = [link.anchor for link in item.page.links]
        if extracted.kind == DOCUMENT:
            first = item.first.why.get("parent") if item.first is not None else None
            item.announced = announcement(crawl.store, [first] if first else [e.parent for e in item.entry.evidence])
        make = partial(self._maker.make, item.entry.host, extracted, anchors=anchors, title=item.page.title)
        make = partial(make, announced=item.announced)
        async with self._turn:
            made = await asyncio.to_thread(make) if len(extracted.text) > LONG else make()
        item.found = made.fields
        item.text, item.title = made.fields.pop("text", ""), made.fields.pop("title")
        item.reason, item.prose = made.reason, made.prose
        if item.as_part and item.article != item.extracted.series:
            item.reason = OFF_TOPIC
        if not item.reason and not item.as_part:
            _, belongs = crawl.strategy.confirm(item.text)
            item.reason = "" if belongs else OFF_TOPIC_TEXT
        return item


class ModelPipeline(CrawlComponent):
    """Asks the topic's model about texts to keep, in a thread, and rejects those judged off topic."""

    async def process_item(self, item: Any) -> Any:
        crawl = crawl_of(self._crawler)
        if crawl is None or crawl.adviser is None or not isinstance(item, PageItem) or not item.keep or item.as_part:
            return item
        assert item.verdict is not None
        text = f"{item.title}\n{item.text}"
        probability = await crawl.adviser.ask(text, item.verdict.relevance, crawl.strategy.page_threshold)
        if not isnan(probability):
            item.probability = probability
            if probability < crawl.adviser.threshold:
                item.reason = OFF_TOPIC_MODEL
            if (mark := crawl.adviser.mark(probability)) and len(crawl.control.marks.urls) < MOST // 2:  # the rest is for people
                crawl.control.mark([MarkedText.bounded(item.entry.url, item.title, item.text, mark)])
        return item


class StorePipeline(CrawlComponent):
    """Writes the row of every page, kept or rejected. The scheduler then marks it done. A crash in between requeues it."""

    async def process_item(self, item: Any) -> Any:
        crawl = crawl_of(self._crawler)
        if crawl is None or not isinstance(item, PageItem):
            return item
        try:
            while crawl.advance():
                await asyncio.sleep(0)
            crawl.store_row(item)
        except ValueError:  # concerns this page alone: a pipeline left it without a text
            raise
        except Exception as error:  # from the disk or the database: the scheduler ends the crawl
            crawl.fail(error)
        return item
