"""``scrapy corpus rebuild``: a corpus made anew from the archive of its crawl."""

from __future__ import annotations

import argparse
import asyncio
import os
from contextlib import closing
from pathlib import Path

from scrapy.settings import BaseSettings

from topical_crawler.actions.corpus_places import find, new
from topical_crawler.actions.corpus_progress import corpus_progress
from topical_crawler.config import cache_dir, cleaning_options
from topical_crawler.corpus.failures import CorpusError
from topical_crawler.corpus.making import Maker
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.evaluation.replay import Recording
from topical_crawler.evaluation.warc import RecordingError
from topical_crawler.extraction.pool import ExtractPool
from topical_crawler.options import CrawlError
from topical_crawler.rebuilding import ArchivedPages, Rebuilt, rebuild

HELP = "make a corpus anew from the archive of its crawl"
DESCRIPTION = (
    "Make a new corpus from the pages of CORPUS and their answers in the archive (TOPICAL_ARCHIVE), with today's decoding, "
    "extraction, cleaning and search for duplicates, and with the settings of these that are given now. Nothing is fetched. What "
    "the strategy decided is taken over: relevance, priority, why, and which pages are off topic. Pages that failed, redirect or "
    "are off topic are copied as they are. CORPUS stays as it is. What was broken off goes on by the same command."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("corpus", metavar="CORPUS", help="topic, folder, file or database URL")
    parser.add_argument(
        "--archive", metavar="FOLDER", help="the archive: a folder, or WARC files (default: the folder archive beside CORPUS)"
    )
    parser.add_argument(
        "-o", "--output", metavar="NEW", required=True, help="of the new corpus: file (with a suffix), folder or database URL"
    )
    parser.add_argument(
        "--missing",
        choices=("keep", "drop"),
        default="keep",
        help="pages that the archive lacks: copied as they are, or left out (default: %(default)s)",
    )
    parser.add_argument("--workers", type=_workers, metavar="N", help="processes that extract (default: processors less one)")


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    place, output = find(opts.corpus, settings), new(opts.output)
    if _same(place, output):
        raise CorpusError(f"{output} is the corpus that is to be rebuilt. Remedy: name another file after -o")
    try:
        options = cleaning_options(settings)
        recording = Recording(opts.archive or _beside(place), cache_dir(settings))
    except (CrawlError, RecordingError) as error:
        raise CorpusError(str(error)) from None
    workers = opts.workers or max(1, (os.cpu_count() or 2) - 1)
    with (
        recording,
        CorpusStore(place, read_only=True) as source,
        CorpusStore(output) as target,
        closing(ExtractPool(workers, settings.getfloat("TOPICAL_EXTRACT_TIMEOUT"))) as pool,
        corpus_progress() as display,
    ):
        task = display.add_task("rebuilding", total=None)

        def show(done: int, total: int) -> None:
            display.update(task, completed=done, total=total)

        found = asyncio.run(
            rebuild(
                source,
                target,
                ArchivedPages(recording, settings),
                Maker(target, options),
                pool,
                ahead=2 * workers,
                keep_missing=opts.missing == "keep",
                progress=show,
            )
        )
        print(summary(found, source.name, target.name, opts.missing))
    return 0


def summary(found: Rebuilt, source: str, target: str, missing: str) -> str:
    """What a person is told at the end."""
    lines = [
        f"{found.pages:,} pages of {source} are in {target}" + (f", {found.left_out:,} left out" if found.left_out else ""),
        f"texts:      {found.texts[0]:,} before, {found.texts[1]:,} now ({found.new:,} new, {found.changed:,} changed, "
        f"{found.rejected.total():,} rejected)",
        f"characters: {found.characters[0]:,} before, {found.characters[1]:,} now",
    ]
    lines += [f"  rejected now: {reason}: {count:,}" for reason, count in found.rejected.most_common()]
    if found.missing:
        done = "they were copied as they are (--missing drop leaves them out)" if missing == "keep" else "they were left out"
        lines.append(f"{found.missing:,} pages are not in the archive; {done}")
    return "\n".join(lines)


def _beside(place: str) -> str:
    folder = Path(place).parent / "archive"
    if "://" in place or not folder.is_dir():
        raise CorpusError(f"there is no archive beside {place}. Remedy: --archive FOLDER")
    return str(folder)


def _same(one: str, other: str) -> bool:
    if "://" in one or "://" in other:
        return one == other
    return Path(one).resolve() == Path(other).resolve()


def _workers(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r}: a number from 1 to 1000 is expected")
    return int(text)
