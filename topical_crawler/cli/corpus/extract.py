"""``topical-crawler corpus extract``: the text of one page with its details, without a corpus."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topical_crawler.cli.base import PROGRAM
from topical_crawler.cli.corpus.reading import as_markdown, page_view, print_json
from topical_crawler.cli.terminal import WIDTH, console, print_text, printable, show_paged
from topical_crawler.corpus.record import Record
from topical_crawler.project import AnySettings
from topical_crawler.web.urls import host, is_url

if TYPE_CHECKING:
    from topical_crawler.web.page import Page

STREAM = "-"  # standard input
DESCRIPTION = (
    "Show the main text of a page with its title, author, day, outlet, licence, kind and extractor, also of a PDF, DOCX or OFD "
    "file. A URL is fetched like in a crawl: robots.txt is obeyed, the size is bounded, and TOPICAL_REPLAY answers if it is set. "
    "The exit status is 1 if there is no text, with the reason on standard error."
)
_FIELDS = (
    *("url", "final_url", "title", "author", "date", "source", "section", "canonical", "license", "kind", "method"),
    *("language", "script", "encoding", "characters", "reason", "text"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("page", metavar="URL|FILE|-", help="a page, a file (HTML, PDF, DOCX, OFD), or - for standard input")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--text", action="store_true", help="the text alone")
    form.add_argument("--markdown", action="store_true", help="title and text as Markdown")
    form.add_argument("--json", action="store_true", help="text, Markdown and details as JSON")
    parser.add_argument("--base", metavar="URL", help="origin of a file or standard input, a sign of kind, day and outlet")


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    if opts.base:
        from topical_crawler.topic.files import check_seed

        check_seed(opts.base, "--base")
    record = extract_page(opts.page, settings, base=opts.base or "")
    if opts.json:
        print_json(
            {**{name: getattr(record, name) or "" for name in _FIELDS}, "markdown": as_markdown(record) if record.keep else ""}
        )
    elif opts.text or opts.markdown:
        print_text(as_markdown(record) if opts.markdown else record.text or "") if record.keep else None
    else:
        show_paged(console(most=WIDTH), *page_view(record, (), ()))
    if record.keep:
        return 0
    print(f"{PROGRAM} corpus extract: {printable(opts.page)} has no text: {printable(record.reason)}", file=sys.stderr)
    return 1


def extract_page(source: str, settings: AnySettings, *, base: str = "") -> Record:
    """Return a page as recorded by a corpus keeping every text and knowing no repeated lines.

    Args:
        source: URL, path of an HTML file or a document, or :data:`STREAM`.
        settings: the project's.
        base: origin of a file.

    Returns:
        Its record, with a reason instead of a text if there is none or the page could not be fetched.

    Raises:
        OSError: the file cannot be read.
        CorpusError: the package for reading a document is not installed.
    """
    if is_url(source):
        from topical_crawler.cli.topic.fetch_pages import fetch_pages  # with Scrapy's engine
        from topical_crawler.config import read_documents

        read_documents(settings)
        (fetched,) = fetch_pages([source], settings)
        return _record(source, fetched.page, fetched.reason, fetched.fields)
    from topical_crawler.config import cleaning_options, extraction_limits, extractor
    from topical_crawler.corpus.make import Maker
    from topical_crawler.extraction.documents import format_of
    from topical_crawler.extraction.extract import extract
    from topical_crawler.extraction.pool import DocumentPool
    from topical_crawler.services.documents import read_as_page
    from topical_crawler.web.dom import decode
    from topical_crawler.web.page import Page

    path = Path(source).expanduser()
    body = sys.stdin.buffer.read() if source == STREAM else path.read_bytes()
    url = base or ("about:blank" if source == STREAM else path.resolve().as_uri())
    if kind := format_of(body):
        with closing(DocumentPool(1, extraction_limits(settings)[1])) as pool:
            html, reason = read_as_page(pool, body, kind, url)
        if reason:
            return _record(url, None, reason, {})
        page = Page.from_html(url, html)
    else:
        page = Page.from_html(url, *decode(body))
    anchors = [link.anchor for link in page.links]
    extracted = extract(page.html, url, extractor=extractor(settings))
    made = Maker(None, cleaning_options(settings)).make(host(url), extracted, anchors=anchors, title=page.title)
    return _record(url, page, made.reason, made.fields)


def _record(url: str, page: Page | None, reason: str, fields: Mapping[str, Any]) -> Record:
    more = {"final_url": page.url, "encoding": page.encoding} if page else {}
    return Record(url=url, host=host(url), keep=not reason, reason=reason, **{**fields, **more})
