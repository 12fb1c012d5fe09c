"""Shared options of corpus actions: filters, archive, test sets.

Imports nothing of the corpus, so that help and mistakes on the command line appear at once.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topical_crawler.cli.base import whole

if TYPE_CHECKING:
    from topical_crawler.corpus.record import Filters


def add_filters(parser: argparse._ActionsContainer) -> None:
    """Declare the filters on pages, read by :func:`filters_of`."""
    add = parser.add_argument
    add("--host", action="append", default=[], help="only this host and those below it; may be repeated")
    add("--min-relevance", type=float, metavar="X", help="only pages of this relevance or more")
    add("--since", type=_day, metavar="YYYY-MM-DD", help="only pages dated on or after that day")
    add("--until", type=_day, metavar="YYYY-MM-DD", help="only pages dated on or before that day")
    add(
        "--new-since", type=parse_time, metavar="TIME",
        help="only texts first fetched, or found changed, on that day (YYYY-MM-DD) or at that time (UTC), or later",
    )  # fmt: skip
    add("--min-characters", type=whole(0), default=0, metavar="N", help="only texts of this length or more")
    add("--language", action="append", default=[], metavar="CODE", help="only texts in this language (zh); may be repeated")
    add(
        "--script", action="append", default=[], choices=("simplified", "traditional", "mixed"),
        help="only texts in this script; may be repeated",
    )  # fmt: skip
    add(
        "--kind", action="append", default=[], help="only pages of this kind; may be repeated",
        choices=("article", "documentation", "forum", "document", "list", "tag", "home", "video", "gallery", "error"),
    )  # fmt: skip
    add(
        "--where", action="append", default=[], type=_bound, metavar="'NAME>=X'",
        help="only pages with such a number (also <=, >, < or =); may be repeated. Names: relevance, characters, depth, "
        "and the measures of docs/corpus.md",
    )  # fmt: skip
    add(
        "--rights", type=_rights, default=(), metavar="NAMES",
        help="unreserved: only texts without any reservation; licensed: only pages naming a licence; noai, "
        "tdm-reservation, ai-train=no …: only texts without these",
    )  # fmt: skip
    add("--rejected", action="store_true", help="also rejected pages, with their reason and without text")
    add(
        "--reason", action="append", default=[], metavar="REASON",
        help='only pages rejected for this reason ("off topic"); may be repeated',
    )  # fmt: skip


def add_archive(parser: argparse._ActionsContainer, beside: str) -> None:
    """Declare ``--archive``, read by :func:`archive_of`, and ``--workers``."""
    parser.add_argument(
        "--archive", metavar="FOLDER", help=f"the archive: a folder, or WARC files (default: the folder archive beside {beside})"
    )
    workers, help = max(1, (os.cpu_count() or 2) - 1), "extraction processes (default: processors less one)"
    parser.add_argument("--workers", type=whole(1, 1000), default=workers, metavar="N", help=help)


def archive_of(opts: argparse.Namespace, place: str) -> str:
    """Return the named archive, or the one beside a corpus or lock. Raise CorpusError without one."""
    if not (found := opts.archive or archive_beside(place)):
        from topical_crawler.corpus.record import CorpusError

        raise CorpusError(f"there is no archive beside {place}. Name one with --archive FOLDER")
    return str(found)


def archive_beside(place: str) -> str:
    """Return the archive beside a corpus or lock, or ""."""
    from topical_crawler.crawl.crawl_folder import CrawlFolder

    folder = CrawlFolder(Path(place).parent).archive
    return str(folder) if "://" not in place and folder.is_dir() else ""


def add_test_sets(parser: argparse._ActionsContainer, **more: Any) -> None:
    """Declare ``--test-set``."""
    parser.add_argument("--test-set", dest="test_sets", metavar="FILE", action="append", default=[], **more)


def filters_of(opts: argparse.Namespace, **more: Any) -> Filters:
    """Return the filters declared by :func:`add_filters`, with ``more`` fields."""
    from topical_crawler.corpus.record import Filters

    return Filters(
        hosts=tuple(opts.host),
        min_relevance=opts.min_relevance,
        since=opts.since or "",
        until=opts.until or "",
        new_since=opts.new_since or "",
        min_characters=opts.min_characters,
        rejected=opts.rejected or bool(opts.reason),
        reasons=tuple(opts.reason),
        languages=tuple(opts.language),
        scripts=tuple(opts.script),
        kinds=tuple(opts.kind),
        bounds=tuple(opts.where),
        rights=opts.rights,
        **more,
    )


def parsed(parse: Callable[[str], Any], text: str) -> Any:
    """Return the value of an argument. A ValueError becomes a mistake on the command line."""
    try:
        return parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error).replace("%", "%%")) from None


def _rights(text: str) -> Any:
    from topical_crawler.web.rights import parse

    return parsed(parse, text)


def _bound(text: str) -> Any:
    from topical_crawler.corpus.record import parse_bound

    return parsed(parse_bound, text)


def parse_time(text: str) -> str:
    """Parse a day or a UTC time into ISO 8601 in UTC, as stored."""
    try:
        then = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no time; write it as 2024-12-31 or 2024-12-31T08:00") from None
    return then.replace(tzinfo=then.tzinfo or UTC).astimezone(UTC).isoformat(timespec="seconds")


def _day(text: str) -> Any:
    from topical_crawler.corpus.record import parse_day

    return parsed(parse_day, text)
