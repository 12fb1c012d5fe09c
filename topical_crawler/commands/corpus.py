"""``scrapy corpus``: look at a collected corpus, write it out, take it to another database."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from scrapy.exceptions import UsageError

from topical_crawler.actions.corpus_places import find
from topical_crawler.command_line import ActionsCommand, AddAction
from topical_crawler.corpus.export import WRITERS, replacing, write_txt
from topical_crawler.corpus.failures import CorpusError
from topical_crawler.corpus.record import Filters
from topical_crawler.corpus.stats import Stats
from topical_crawler.corpus.store import CorpusStore

SHOWN_HOSTS = 20


class Command(ActionsCommand):
    """Count, export, list or copy what was collected."""

    name = "corpus"
    modules = ("copy", "upgrade")
    errors = (CorpusError, OSError)

    def syntax(self) -> str:
        return "stats|export|fetched|copy|upgrade [CORPUS] [options]"

    def short_desc(self) -> str:
        return "Count, export, list or copy what was collected"

    def long_desc(self) -> str:
        return (
            "Count (stats), write out (export) or list (fetched) what was collected, take it to another database (copy), or "
            "bring an older one up to date (upgrade). A corpus is named by its topic (its file is data/<topic>/corpus.sqlite), "
            "its folder, its file or a database URL (postgresql+psycopg://USER@HOST/DATABASE); without a name it is the one in "
            "TOPICAL_CORPUS or TOPICAL_DATA_DIR, or the only one under data/. A crawl may be writing to it meanwhile. "
            "Each action has options of its own: scrapy corpus export -h."
        )

    def add_actions(self, add: AddAction) -> None:
        stats = add("stats", help="pages kept and rejected, by reason and host")
        stats.add_argument("--json", action="store_true", help="as JSON")
        stats.add_argument("--hosts", type=_count, default=SHOWN_HOSTS, metavar="N", help="hosts shown (default: %(default)s)")

        export = add("export", help="the texts, as JSON lines, plain text or CSV")
        export.add_argument("-f", "--format", choices=[*WRITERS], help="default: by the name of the file, else jsonl")
        export.add_argument(
            "-o", "--output", metavar="FILE", default="-", help="written whole or not at all (default: standard output)"
        )
        export.add_argument("--host", action="append", default=[], help="only this host and those below it; may be repeated")
        export.add_argument("--min-relevance", type=float, metavar="X", help="only pages of this relevance or more")
        export.add_argument("--since", type=_date, metavar="YYYY-MM-DD", help="only pages dated on or after that day")
        export.add_argument("--until", type=_date, metavar="YYYY-MM-DD", help="only pages dated on or before that day")
        export.add_argument("--min-characters", type=_count, default=0, metavar="N", help="only texts of this length or more")
        export.add_argument("--rejected", action="store_true", help="rejected pages too, with their reason and without text")
        export.add_argument("--limit", type=_count, metavar="N", help="the first N only")
        export.add_argument("--text-only", action="store_true", help="format txt without the lines above each text")

        fetched = add("fetched", help="the URLs in the order of their fetching")
        fetched.add_argument("--kept", action="store_true", help="only those of kept pages")
        for action in (stats, export, fetched):
            action.add_argument("corpus", nargs="?", help="topic, folder, file or database URL")

    def _open(self, opts: argparse.Namespace) -> CorpusStore:
        assert self.settings is not None
        return CorpusStore(find(opts.corpus, self.settings), read_only=True)

    def _stats(self, opts: argparse.Namespace) -> None:
        with self._open(opts) as store:
            stats, place = store.stats(), store.name
        if opts.json:
            data = dataclasses.asdict(stats) | {"harvest": stats.harvest}
            data["hosts"] = [dataclasses.asdict(host) | {"harvest": host.harvest} for host in stats.hosts]
            print(json.dumps(data, ensure_ascii=False, indent=2))
        else:
            show(stats, place, opts.hosts, Console())

    def _export(self, opts: argparse.Namespace) -> None:
        suffix = Path(opts.output).suffix.lower().removeprefix(".")
        name = opts.format or (suffix if suffix in WRITERS else "jsonl")
        if opts.text_only and name != "txt":
            raise UsageError(f"--text-only goes with --format txt, not with {name}", print_help=False)
        filters = Filters(
            hosts=tuple(opts.host),
            min_relevance=opts.min_relevance,
            since=opts.since or "",
            until=opts.until or "",
            min_characters=opts.min_characters,
            rejected=opts.rejected,
            limit=opts.limit,
        )
        with self._open(opts) as store, _output(opts.output, name) as out:
            records = store.records(filters)
            count = write_txt(records, out, headers=False) if opts.text_only else WRITERS[name](records, out)
        if opts.output != "-":
            print(f"{count} pages written to {opts.output}", file=sys.stderr)

    def _fetched(self, opts: argparse.Namespace) -> None:
        with self._open(opts) as store:
            for url in store.fetched(kept=opts.kept):
                print(url)


def show(stats: Stats, name: str, hosts: int, console: Console) -> None:
    """Print ``stats`` as tables, with at most ``hosts`` hosts."""
    console.print(f"[bold]{escape(name)}[/bold]", highlight=False, soft_wrap=True)
    console.print(
        f"{stats.fetched:,} pages fetched, {stats.kept:,} kept ({stats.harvest:.1%}), {stats.characters:,} characters",
        highlight=False,
    )
    if stats.dated:
        console.print(f"{stats.dated:,} of the kept pages are dated {stats.first_date} to {stats.last_date}", highlight=False)
    if stats.first_fetched:
        console.print(f"fetched {stats.first_fetched[:19]} to {stats.last_fetched[:19]} UTC", highlight=False)
    if stats.rejected:
        reasons = Table("rejected because", title_justify="left")
        reasons.add_column("pages", justify="right")
        for reason, count in stats.rejected.items():
            reasons.add_row(escape(reason), f"{count:,}")
        console.print(reasons)
    if stats.hosts:
        table = Table("host")
        for column in ("fetched", "kept", "harvest", "characters"):
            table.add_column(column, justify="right")
        for host in stats.hosts[:hosts]:
            table.add_row(escape(host.host), f"{host.fetched:,}", f"{host.kept:,}", f"{host.harvest:.1%}", f"{host.characters:,}")
        if rest := stats.hosts[hosts:]:
            fetched, kept = sum(h.fetched for h in rest), sum(h.kept for h in rest)
            characters = sum(h.characters for h in rest)
            table.add_row(f"{len(rest):,} more", f"{fetched:,}", f"{kept:,}", f"{kept / fetched:.1%}", f"{characters:,}")
        console.print(table)


@contextlib.contextmanager
def _output(name: str, kind: str) -> Iterator[IO[str]]:
    if name == "-":
        # Not the locale's encoding, and no mark for Excel: what follows in the pipe is a program.
        with open(sys.stdout.fileno(), "w", encoding="utf-8", newline="", closefd=False) as out:
            yield out
        return
    with replacing(Path(name).expanduser(), "utf-8-sig" if kind == "csv" else "utf-8") as out:
        yield out


def _date(text: str) -> str:
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no date; write it as 2024-12-31")
    return text


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of 0 or more")
    return int(text)
