"""The one item of a crawl: a URL that was fetched, with all that the pipelines add to it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from topical_crawler.corpus.dedup import PART
from topical_crawler.corpus.record import Record
from topical_crawler.extraction.extract import Extracted
from topical_crawler.frontier.base import Entry
from topical_crawler.web.listings import Listing, said
from topical_crawler.web.page import Page, Verdict
from topical_crawler.web.urls import fingerprint

PART_OF = "topical_part"  # in the meta of an entry: it is a further part of the article of this name, which was kept
LISTED = "topical_listing"  # in the meta of an entry: it is fetched as a listing of this kind, and is no page
LEFT = "topical_left"  # in the meta of an entry: the address that its link has, whose site has moved
STAYS = "topical_stays"  # in the meta of an entry: it is fetched where it stands, though its site has moved
REQUEST = "topical_request"  # in the meta of an entry: what the request of a project's own spider has besides its address
DOCUMENT_SIZE = "topical_size"  # in the meta of a request: bytes of the document that its answer was made of
READ = "topical_read"  # in the meta of a request: the item of its answer, which was long and was read in a thread
OFF_TOPIC_MODEL = "off topic by the model"  # why a text is rejected that the strategy keeps and the topic's model does not
OFF_TOPIC_TEXT = "off-topic text"  # why a page is rejected whose description is on topic and whose main text is not


def now_utc() -> str:
    """The time now, UTC, ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(slots=True)
class PageItem:
    """What came of fetching one URL; every URL that the frontier gives out ends as exactly one item. A second look at a page
    (:mod:`topical_crawler.crawl.second_look`) is a further item with ``first`` set, without links and without evidence.
    """

    entry: Entry = field(repr=False)  # Scrapy logs the whole of an item that a pipeline drops
    url: str  # address of the answer (after a meta refresh it may differ from the entry's)
    fetched: str  # time of the fetch, UTC, ISO 8601
    status: int = 0  # HTTP status; 0 where there was no answer
    size: int = 0  # bytes of the body
    seconds: float = 0.0  # from the request to the answer
    reason: str = ""  # why the page does not belong in the corpus; "" while nothing speaks against it
    rights: str = ""  # what is asked of those who take its text, see `web.rights.of_page`
    page: Page | None = field(default=None, repr=False)
    validators: dict[str, str] = field(default_factory=dict, repr=False)  # by which its host tells whether it has changed
    listing: Listing | None = field(default=None, repr=False)  # where the address is that of a sitemap or feed, and no page
    sitemaps: tuple[str, ...] = ()  # that the robots.txt of its host names, where a crawl wants to know
    verdict: Verdict | None = None
    # parts of the priority of the link that led here (`Strategy.explain`), before its page was learned from
    reasons: Mapping[str, float] = field(default_factory=dict, repr=False)
    # the page's links that may still be visited, each with its priority or the reason why it is dropped
    links: list[Entry] = field(default_factory=list, repr=False)
    text: str = field(default="", repr=False)  # of the article, cleaned, as is the title
    title: str = ""
    probability: float | None = None  # that the text is on topic, by the topic's model; None: not asked, or could not tell
    as_part: bool = False  # whether the page, itself off topic, counts as a further part of an article that was kept
    extracted: Extracted | None = field(default=None, repr=False)
    found: dict[str, Any] = field(default_factory=dict, repr=False)  # further fields of its `Record`, by extraction and cleaning
    announced: dict[str, str] = field(default_factory=dict)  # of a document: what is known of the page that links to it
    parts: tuple[str, ...] = ()  # addresses of the other parts of an article on several pages
    first: Record | None = field(default=None, repr=False)  # the row of the first rejection; None except at a second look
    prose: str | None = field(default=None, repr=False)  # as extracted, for learning which lines repeat over the host
    duplicate_of: str = ""  # URL of the page in the corpus that holds the same text
    stored: Record | None = field(default=None, repr=False)  # the row as the corpus has it, once the Store pipeline wrote it
    # when the answer or the failure came, on the monotonic clock
    arrived: float = field(default_factory=time.monotonic, repr=False, compare=False)

    @property
    def keep(self) -> bool:
        """Whether the page is on topic and nothing else speaks against it so far."""
        return not self.reason and self.verdict is not None and self.verdict.keep

    @property
    def gave_text(self) -> bool:
        """Whether the page gave a text, or a part of one, to the corpus."""
        return self.reason in ("", PART)

    @property
    def is_listing(self) -> bool:
        """Whether the address was fetched as a sitemap or a feed: it has no row in the corpus, whatever came of it."""
        return self.listing is not None or LISTED in self.entry.meta

    @property
    def article(self) -> str:
        """The article of which the page is taken to be a further part; "" if none."""
        return str(self.entry.meta.get(PART_OF, ""))

    def reject(self, reason: str) -> None:
        """Reject the page: a row that it has already is to be written anew."""
        self.reason, self.stored = reason, None

    def record(self, worker: str = "") -> Record:
        """The item as a row of the corpus, fetched by ``worker``; a second look keeps the worker of the first."""
        entry, verdict, first = self.entry, self.verdict, self.first
        why: dict[str, Any] = {"terms": dict(verdict.why)} if verdict else {}
        if verdict and verdict.near is not None:
            why["near"] = verdict.near
        if first is not None:
            why = {**first.why, "first_relevance": first.relevance}
        elif entry.evidence:
            link = entry.evidence[0]
            why |= {"link": dict(self.reasons), "anchor": link.anchor, "parent": link.parent}
            if listing := said(link.path):
                why["listing"] = listing
        if self.validators:
            why["validators"] = self.validators
        if self.announced:
            why["announced"] = self.announced
        if self.rights:
            why["rights"] = dict.fromkeys(self.rights.split("; "), True)
        if self.probability is not None:
            why["model"] = round(self.probability, 4)
        return Record(
            key=entry.key.hex(),
            url=entry.url,
            final_url=self.url,
            host=entry.host,
            title=self.title or (self.page.title if self.page else ""),
            text=self.text if not self.reason else None,
            fetched=self.fetched,
            **with_foreign_canonical(self.found, entry.key, self.url),
            encoding=self.page.encoding if self.page else "",
            status=self.status,
            size=self.size,
            relevance=verdict.relevance if verdict else 0.0,
            priority=entry.priority,
            depth=entry.depth,
            keep=not self.reason,
            reason=self.reason,
            duplicate_of=self.duplicate_of,
            why=why,
            worker=first.worker if first is not None else worker,
        )


def with_foreign_canonical(fields: Mapping[str, Any], key: bytes, final_url: str) -> dict[str, Any]:
    """``fields`` of a page, with its canonical address only where that differs from the addresses requested and answered."""
    canonical = fields.get("canonical", "")
    own = canonical and fingerprint(canonical) in (key, fingerprint(final_url))
    return {**fields, "canonical": "" if own else canonical}
