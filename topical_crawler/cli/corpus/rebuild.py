"""``topical-crawler corpus rebuild``: rebuild a corpus from the archive of its crawl, with the judgements of the old corpus."""

import argparse
import asyncio
import dataclasses
import logging
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.statscollectors import DummyStatsCollector

from topical_crawler.cleaning.boilerplate import BOILERPLATE_ONLY, COPYRIGHT_ONLY, LIST_OF_LINKS, NEAR_EMPTY
from topical_crawler.cleaning.characters import GARBLED
from topical_crawler.cleaning.quality import CHARACTERS, LANGUAGE, NO_SENTENCES, REPETITION, SYMBOLS
from topical_crawler.cli.corpus import add_archive, archive_of
from topical_crawler.cli.terminal import corpus_progress
from topical_crawler.config import cache_dir, cleaning_options, extraction_limits, extractor
from topical_crawler.corpus.copy import Progress
from topical_crawler.corpus.dedup import DUPLICATE, PART
from topical_crawler.corpus.make import Maker
from topical_crawler.corpus.record import CorpusError, Filters, Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.downloadermiddlewares.compression import UnpackMiddleware
from topical_crawler.downloadhandlers import as_answer
from topical_crawler.extraction import extract as extraction
from topical_crawler.extraction.documents import format_of
from topical_crawler.extraction.extract import Extracted
from topical_crawler.extraction.pool import DocumentPool, ExtractPool
from topical_crawler.items import OFF_TOPIC_TEXT, with_foreign_canonical
from topical_crawler.project import AnySettings, scrapys
from topical_crawler.recordings.reader import RENDERED, Recording, RecordingError
from topical_crawler.services.documents import read_as_page
from topical_crawler.services.places import find_corpus, new_corpus
from topical_crawler.text import counted
from topical_crawler.web.dom import decode
from topical_crawler.web.page import Page

logger = logging.getLogger(__name__)

REMADE = frozenset(
    (
        *(extraction.NO_TEXT, extraction.TOO_LARGE, extraction.FAILED, extraction.TIMED_OUT, extraction.CRASHED),
        *extraction.REASONS.values(),
        *(BOILERPLATE_ONLY, COPYRIGHT_ONLY, NEAR_EMPTY, LIST_OF_LINKS, GARBLED),
        *(LANGUAGE, REPETITION, SYMBOLS, NO_SENTENCES, CHARACTERS),
        *(DUPLICATE, PART, OFF_TOPIC_TEXT),
    )
)
"""Reasons of pages kept by the strategy, and extracted again. Pages with other reasons, also of custom pipelines, are copied."""
_BLANK: dict[str, Any] = {
    **dict.fromkeys(("language", "script", "duplicate_of", "content_hash"), ""),
    "measures": {},
    "personal": {},
    "similarity": 0.0,
}
"""Fields derived from a row's text, blank without one."""
_EVERYTHING = Filters(rejected=True)


@dataclass
class Rebuilt:
    """Differences between a rebuilt corpus and the old one."""

    pages: int = 0  # of the old corpus
    missing: int = 0  # pages to extract but missing in the archive
    left_out: int = 0  # pages missing in the new corpus
    texts: tuple[int, int] = (0, 0)  # kept before and after
    characters: tuple[int, int] = (0, 0)  # of these
    changed: int = 0  # texts
    rejected: Counter[str] = field(default_factory=Counter)  # pages kept before only, by reason
    new: int = 0  # pages kept now only


class ArchivedPages:
    """Pages of an archive, decompressed and decoded as in a crawl, with the size limits of its ``settings``."""

    def __init__(self, recording: Recording, settings: AnySettings) -> None:
        self._recording = recording
        self._documents = DocumentPool(1, extraction_limits(settings)[1])
        crawler = Crawler(Spider, scrapys(settings))
        crawler.stats = DummyStatsCollector(crawler)  # required by the middleware
        self._compression = UnpackMiddleware(crawler=crawler)

    def get(self, row: Record) -> Page | None:
        """Return the page of a row, None for one missing in the archive or an unreadable document.

        Raises:
            CorpusError: the package for reading a document is not installed.
        """
        try:
            # Falls back to the page itself without a record of its rendered form.
            recorded = self._recording.get(row.final_url + RENDERED) or self._recording.get(row.url)
        except RecordingError as error:
            logger.warning("%s", error)
            return None
        if recorded is None or not 200 <= recorded.status < 300:
            return None
        request = Request(row.final_url)
        try:
            answer = self._compression.process_response(request, as_answer(recorded, request))
        except IgnoreRequest:
            return None
        assert isinstance(answer, Response)
        if kind := format_of(answer.body):
            html, reason = read_as_page(self._documents, answer.body, kind, row.url)
            return None if reason else Page.from_html(row.final_url, html)
        html, encoding = decode(answer.body, recorded.header("Content-Type"))
        return Page.from_html(row.final_url, html, encoding)

    def close(self) -> None:
        """Stop the document process."""
        self._documents.close()


def is_remade(row: Record) -> bool:
    """Return True if the strategy kept a row's page, so that its text is extracted again."""
    return row.keep or row.reason in REMADE


async def rebuild(
    source: CorpusStore,
    target: CorpusStore,
    archive: ArchivedPages,
    maker: Maker,
    pool: ExtractPool,
    *,
    ahead: int,
    keep_missing: bool,
    progress: Progress,
) -> Rebuilt:
    """Put every page of ``source`` into ``target`` in the old order. Resumes an interrupted run.

    Args:
        source: the old corpus.
        target: the new one, empty or from an interrupted run.
        archive: the archived pages.
        maker: cleaner for ``target``.
        pool: extraction processes.
        ahead: most extractions in flight, enough to keep ``pool`` busy.
        keep_missing: copy pages missing in the archive, instead of leaving them out.
        progress: called after every page.

    Raises:
        CorpusError: ``target`` has pages missing in ``source``, or either corpus fails.
    """
    done = set(target.keys(_EVERYTHING))
    pages = set(source.keys(_EVERYTHING))
    missing = seen = 0
    if foreign := done - pages:
        raise CorpusError(f"{source.name} lacks {counted(len(foreign), 'page')} of {target.name}. Name a new file")
    for facts in source.host_facts().values():
        target.note_host(facts)
    begun: deque[tuple[Record, Page | None, asyncio.Task[Extracted] | None]] = deque()

    async def store_first() -> None:
        nonlocal seen
        row, page, task = begun.popleft()
        if page is None or task is None:
            target.put(row)
        else:
            _put_anew(row, page, await task, maker, target)
        seen += 1
        progress("rebuilding", seen, len(pages))

    try:
        for row in source.records(_EVERYTHING):
            page = archive.get(row) if is_remade(row) else None
            lacking = page is None and is_remade(row)
            missing += lacking
            if row.key in done or (lacking and not keep_missing):
                seen += 1
                progress("rebuilding", seen, len(pages))
                continue
            known = row.final_url, row.fetched, [str(row.why.get("anchor", ""))]
            task = asyncio.create_task(pool.extract(page.html, *known)) if page is not None else None
            begun.append((row, page, task))
            await asyncio.sleep(0)  # lets the task begin
            while len(begun) > ahead:
                await store_first()
        while begun:
            await store_first()
    finally:
        for _, _, task in begun:
            if task is not None:
                task.cancel()
    return compare(source, target, missing)


def _put_anew(row: Record, page: Page, extracted: Extracted, maker: Maker, target: CorpusStore) -> None:
    """Store a page with its new text, keeping the decision whether it is on topic."""
    anchors = [link.anchor for link in page.links]
    made = maker.make(row.host, extracted, anchors=anchors, title=page.title, announced=row.why.get("announced"))
    if row.reason == PART and made.fields["series"] != row.series:
        target.put(row)  # once kept as a part of an article, no longer one
        return
    fields = with_foreign_canonical(made.fields, bytes.fromhex(row.key), row.final_url)
    text = fields.pop("text", "")
    reason = made.reason or (row.reason if row.reason == OFF_TOPIC_TEXT else "")
    decided = {"keep": not reason, "reason": reason, "text": text if not reason else None, "encoding": page.encoding}
    target.put(dataclasses.replace(row, **(_BLANK | fields | decided)), made.prose)


def compare(source: CorpusStore, target: CorpusStore, missing: int = 0) -> Rebuilt:
    """Compare a rebuilt corpus with the old one, row by row."""
    result = Rebuilt(missing=missing)
    before = after = before_characters = after_characters = 0
    rows: Iterator[Record] = target.records(_EVERYTHING)
    current = next(rows, None)
    for old in source.records(_EVERYTHING):
        result.pages += 1
        before += old.keep
        before_characters += old.characters
        if current is None or current.key != old.key:
            result.left_out += 1
            continue
        after += current.keep
        after_characters += current.characters
        result.changed += old.keep and current.keep and (old.text, old.layout) != (current.text, current.layout)
        result.new += current.keep and not old.keep
        if old.keep and not current.keep:
            result.rejected[current.reason] += 1
        current = next(rows, None)
    result.texts, result.characters = (before, after), (before_characters, after_characters)
    return result


DESCRIPTION = (
    "Rebuild CORPUS from its pages and their responses in the archive (TOPICAL_ARCHIVE), with the present decoding, extraction, "
    "cleaning, deduplication and settings. Nothing is fetched. Decisions of the strategy are kept: relevance, priority, why, and "
    "off-topic pages. Failed, redirected and off-topic pages are copied. CORPUS does not change. The same command resumes an "
    "interrupted run."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("corpus", metavar="CORPUS", help="topic, folder, file or database URL")
    parser.add_argument(
        "-o", "--output", metavar="NEW", required=True, help="new corpus: file (with a suffix), folder or database URL"
    )
    parser.add_argument(
        "--missing", choices=("keep", "drop"), default="keep", help="pages missing in the archive (default: keep)"
    )
    add_archive(parser, "CORPUS")


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    place, output = find_corpus(opts.corpus, settings), new_corpus(opts.output)
    if (place == output) if "://" in place + output else Path(place).resolve() == Path(output).resolve():
        raise CorpusError(f"{output} is the corpus to rebuild. Name another file after -o")
    options = cleaning_options(settings)
    recording = Recording(archive_of(opts, place), cache_dir(settings))
    with (
        recording,
        CorpusStore(place, read_only=True) as source,
        CorpusStore(output) as target,
        closing(ExtractPool(opts.workers, extraction_limits(settings)[1], extractor=extractor(settings))) as pool,
        closing(ArchivedPages(recording, settings)) as archive,
        corpus_progress("rebuilding") as show,
    ):
        maker = Maker(target, options)
        keep, ahead = opts.missing == "keep", 2 * opts.workers
        result = asyncio.run(rebuild(source, target, archive, maker, pool, ahead=ahead, keep_missing=keep, progress=show))
        print(summary(result, source.name, target.name, opts.missing))
    return 0


def summary(result: Rebuilt, source: str, target: str, missing: str) -> str:
    lines = [
        f"{result.pages:,} pages of {source} are in {target}" + (f", {result.left_out:,} left out" if result.left_out else ""),
        f"texts:      {result.texts[0]:,} before, {result.texts[1]:,} now ({result.new:,} new, {result.changed:,} changed, "
        f"{result.rejected.total():,} rejected)",
        f"characters: {result.characters[0]:,} before, {result.characters[1]:,} now",
    ]
    lines += [f"  rejected now: {reason}: {count:,}" for reason, count in result.rejected.most_common()]
    if result.missing:
        done = "they were copied unchanged (--missing drop leaves them out)" if missing == "keep" else "they were left out"
        lines.append(f"{result.missing:,} pages are not in the archive; {done}")
    return "\n".join(lines)
