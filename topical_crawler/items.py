"""The only item of a crawl: a fetched URL with all additions by the pipelines."""

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
from topical_crawler.web.listings import Listing, listing_kind
from topical_crawler.web.page import Page, Verdict
from topical_crawler.web.urls import fingerprint

PART_OF = "topical_part"  # in the meta of an entry: name of the kept article it continues
LISTED = "topical_listing"  # in the meta of an entry: its kind of listing; it is not a page
LEFT = "topical_left"  # in the meta of an entry: original URL of its link, on a moved site
STAYS = "topical_stays"  # in the meta of an entry: fetch at the original URL, though its site has moved
REQUEST = "topical_request"  # in the meta of an entry: data of a project spider's request besides its URL
DOCUMENT_SIZE = "topical_size"  # in the meta of a request: bytes of the document behind its response
READ = "topical_read"  # in the meta of a request: item of a long response, read in a thread
OFF_TOPIC_MODEL = "off topic by the model"  # reason of texts kept by the strategy and rejected by the topic's model
OFF_TOPIC_TEXT = "off-topic text"  # reason of pages with a description on topic and a main text off topic


def now_utc() -> str:
    """Return the current time, UTC, ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(slots=True)
class PageItem:
    """The result of fetching one URL. Every URL popped from the frontier ends as exactly one item.

    A second look at a page (:mod:`topical_crawler.crawl.second_look`) is a further item with ``first`` set, without links and
    evidence.
    """

    entry: Entry = field(repr=False)  # Scrapy logs the whole of a dropped item
    url: str  # URL of the response, may differ from the entry's after a meta refresh
    fetched: str  # time of the fetch, UTC, ISO 8601
    status: int = 0  # HTTP status; 0 without a response
    size: int = 0  # bytes of the body
    seconds: float = 0.0  # from the request to the response
    reason: str = ""  # reason for rejection; "" so far
    rights: str = ""  # reservations on use of the text, see `web.rights.of_page`
    page: Page | None = field(default=None, repr=False)
    validators: dict[str, str] = field(default_factory=dict, repr=False)  # for conditional requests, such as the ETag
    listing: Listing | None = field(default=None, repr=False)  # for a sitemap or feed instead of a page
    sitemaps: tuple[str, ...] = ()  # from the robots.txt of its host, if wanted by the crawl
    verdict: Verdict | None = None
    # priority components of the link to this page (`Strategy.explain`), before learning from the page
    reasons: Mapping[str, float] = field(default_factory=dict, repr=False)
    # links of the page not visited yet, each with its priority or the reason for dropping it
    links: list[Entry] = field(default_factory=list, repr=False)
    text: str = field(default="", repr=False)  # cleaned text of the article, like the title
    title: str = ""
    probability: float | None = None  # of being on topic, by the topic's model; None: not asked or unknown
    as_part: bool = False  # off topic itself, but kept as a further part of a kept article
    extracted: Extracted | None = field(default=None, repr=False)
    found: dict[str, Any] = field(default_factory=dict, repr=False)  # more fields of its `Record`, from extraction and cleaning
    announced: dict[str, str] = field(default_factory=dict)  # for a document: facts from the page linking to it
    parts: tuple[str, ...] = ()  # URLs of the other parts of a multi-page article
    first: Record | None = field(default=None, repr=False)  # row of the first rejection, only at a second look
    prose: str | None = field(default=None, repr=False)  # extracted text, for learning lines repeated across the host
    duplicate_of: str = ""  # URL of the page in the corpus with the same text
    stored: Record | None = field(default=None, repr=False)  # row in the corpus, once written by the Store pipeline
    # time of the response or the failure, on the monotonic clock
    arrived: float = field(default_factory=time.monotonic, repr=False, compare=False)

    @property
    def keep(self) -> bool:
        """True if the page is on topic and not rejected so far."""
        return not self.reason and self.verdict is not None and self.verdict.keep

    @property
    def gave_text(self) -> bool:
        """True if the page gave a text, or a part of one, to the corpus."""
        return self.reason in ("", PART)

    @property
    def is_listing(self) -> bool:
        """True if the URL was fetched as a sitemap or feed. It has no row in the corpus, whatever the outcome."""
        return self.listing is not None or LISTED in self.entry.meta

    @property
    def article(self) -> str:
        """Name of the article continued by this page, "" if none."""
        return str(self.entry.meta.get(PART_OF, ""))

    def reject(self, reason: str) -> None:
        """Reject the page. An existing row will be rewritten."""
        self.reason, self.stored = reason, None

    def record(self, worker: str = "") -> Record:
        """Return the item as a row of the corpus, fetched by ``worker``. A second look keeps the worker of the first."""
        entry, verdict, first = self.entry, self.verdict, self.first
        why: dict[str, Any] = {"terms": dict(verdict.why)} if verdict else {}
        if verdict and verdict.near is not None:
            why["near"] = verdict.near
        if first is not None:
            why = {**first.why, "first_relevance": first.relevance}
        elif entry.evidence:
            link = entry.evidence[0]
            why |= {"link": dict(self.reasons), "anchor": link.anchor, "parent": link.parent}
            if listing := listing_kind(link.path):
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
    """Return ``fields`` of a page with its canonical URL removed if it equals the requested or the final URL."""
    canonical = fields.get("canonical", "")
    own = canonical and fingerprint(canonical) in (key, fingerprint(final_url))
    return {**fields, "canonical": "" if own else canonical}
