"""The one item of a crawl: a URL that was fetched, with all that the pipelines add to it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from topical_crawler.corpus.record import PageLines, Record
from topical_crawler.extraction import Extracted
from topical_crawler.frontier import Entry
from topical_crawler.web.page import Page, Verdict

PART_OF = "topical_part"
"""In the meta of an entry: it is a further part of the article of this name, which was kept."""


@dataclass(slots=True)
class PageItem:
    """What came of fetching one URL; every URL given out by the frontier ends as exactly one of these. A second look at a page
    (:mod:`topical_crawler.crawl.second_look`) is another, of which ``first`` is set; it has no links, and its entry no evidence.

    Attributes:
        entry: the frontier's entry that was fetched.
        url: address of the answer (after a meta refresh it may differ from the entry's).
        fetched: time of the fetch, UTC, ISO 8601.
        status: HTTP status; 0 where there was no answer.
        size: bytes of the body.
        seconds: from the request to the answer.
        reason: why the page does not belong into the corpus; "" while nothing speaks against it.
        page: the page, where there is one; the strategy's relevance middleware judges it.
        verdict: the strategy's judgement.
        reasons: for the place that the link to it had in the queue (:meth:`Strategy.explain`), before its page was learned from.
        links: the page's links as they go to the frontier, with their priorities or the reason why they are dropped.
        as_part: whether the page is taken for a further part of an article that was kept, though it is off topic by itself.
        extracted: what was found on the page, before the cleaning.
        text, title: of the article, cleaned.
        found: what else the extraction and the cleaning found, as fields of :class:`~topical_crawler.corpus.record.Record`.
        parts: addresses of the other parts of an article on several pages.
        first: the row under which the page was rejected, where this is a second look at it; None at the first.
        lines: the text's lines as they were extracted, for learning which ones repeat over the host.
        duplicate_of: URL of the page in the corpus that holds the same text.
        arrived: when the answer or the failure came, on the monotonic clock.
    """

    entry: Entry = field(repr=False)
    url: str
    fetched: str
    status: int = 0
    size: int = 0
    seconds: float = 0.0
    reason: str = ""
    page: Page | None = field(default=None, repr=False)  # Scrapy logs an item that a pipeline drops, whole
    verdict: Verdict | None = None
    reasons: Mapping[str, float] = field(default_factory=dict, repr=False)
    links: list[Entry] = field(default_factory=list, repr=False)
    text: str = field(default="", repr=False)
    title: str = ""
    as_part: bool = False
    extracted: Extracted | None = field(default=None, repr=False)
    found: dict[str, Any] = field(default_factory=dict, repr=False)
    parts: tuple[str, ...] = ()
    first: Record | None = field(default=None, repr=False)
    lines: PageLines | None = field(default=None, repr=False)
    duplicate_of: str = ""
    arrived: float = field(default_factory=time.monotonic, repr=False, compare=False)

    @property
    def keep(self) -> bool:
        """Whether the page still belongs into the corpus: on topic, and nothing speaks against it."""
        return not self.reason and self.verdict is not None and self.verdict.keep
