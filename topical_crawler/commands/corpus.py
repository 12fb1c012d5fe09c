"""``scrapy corpus``: look at a collected corpus, write it out, judge it, clean it, take it to another database."""

from __future__ import annotations

import argparse
import dataclasses
import json
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from topical_crawler.cli.base import ActionsCommand, AddAction
from topical_crawler.cli.corpus.place import find
from topical_crawler.corpus.schema import CorpusError
from topical_crawler.corpus.stats import MEGABYTE, HostStats, Stats
from topical_crawler.corpus.store import CorpusStore

SHOWN_HOSTS = 20


class Command(ActionsCommand):
    """Count, export, judge, clean, rebuild or copy what was collected."""

    name = "corpus"
    modules = ("clean", "copy", "export", "judge", "rebuild", "sample")
    errors = (CorpusError, OSError)

    def syntax(self) -> str:
        return "stats|export|fetched|sample|judge|clean|rebuild|copy [CORPUS] [options]"

    def short_desc(self) -> str:
        return "Count, export, judge, clean, rebuild or copy what was collected"

    def long_desc(self) -> str:
        return (
            "Count (stats), write out (export) or list (fetched) what was collected, have people judge a sample of it (sample, "
            "judge), clean it by all that was learned of its sites (clean), make it anew from an archive (rebuild), or take it "
            "to another database (copy). A corpus is named by its topic (its file is data/<topic>/corpus.sqlite), its folder, "
            "its file or a database URL (postgresql+psycopg://USER@HOST/DATABASE); without a name it is the one in "
            "TOPICAL_CORPUS or TOPICAL_DATA_DIR, or the only one under data/. A crawl may be writing to it meanwhile. Each "
            "action has options of its own: scrapy corpus export -h."
        )

    def add_actions(self, add: AddAction) -> None:
        stats = add("stats", help="pages kept and rejected, by reason and host")
        stats.add_argument("--json", action="store_true", help="as JSON")
        stats.add_argument("--hosts", type=_count, default=SHOWN_HOSTS, metavar="N", help="hosts shown (default: %(default)s)")

        fetched = add("fetched", help="the URLs in the order of their fetching")
        fetched.add_argument("--kept", action="store_true", help="only those of kept pages")
        for action in (stats, fetched):
            action.add_argument("corpus", nargs="?", help="topic, folder, file or database URL")

    def _open(self, opts: argparse.Namespace) -> CorpusStore:
        assert self.settings is not None
        return CorpusStore(find(opts.corpus, self.settings), read_only=True)

    def _stats(self, opts: argparse.Namespace) -> None:
        with self._open(opts) as store:
            stats, place = store.stats(), store.name
        if opts.json:
            data = _rates(stats)
            data["hosts"] = [_rates(host) for host in stats.hosts]
            print(json.dumps(data, ensure_ascii=False, indent=2))
        else:
            show(stats, place, opts.hosts, Console())

    def _fetched(self, opts: argparse.Namespace) -> None:
        with self._open(opts) as store:
            for url in store.fetched(kept=opts.kept):
                print(url)


def _rates(stats: Stats | HostStats) -> dict[str, Any]:
    """Counts as JSON data, with what follows from them."""
    return dataclasses.asdict(stats) | {"harvest": stats.harvest, "characters_per_megabyte": round(stats.density)}


def show(stats: Stats, name: str, hosts: int, console: Console) -> None:
    """Print ``stats`` as tables, with at most ``hosts`` hosts."""
    console.print(f"[bold]{escape(name)}[/bold]", highlight=False, soft_wrap=True)
    console.print(
        f"{stats.fetched:,} pages fetched, {stats.kept:,} kept ({stats.harvest:.1%}), {stats.characters:,} characters",
        highlight=False,
    )
    console.print(
        f"{stats.size / MEGABYTE:,.1f} MB downloaded, {stats.density:,.0f} characters of kept text per MB", highlight=False
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
        table = Table()
        table.add_column("host", overflow="fold")
        for column in ("fetched", "kept", "harvest", "characters", "MB", "chars/MB"):
            table.add_column(column, justify="right", no_wrap=True)
        rows = list(stats.hosts[:hosts])
        if rest := stats.hosts[hosts:]:
            counts = [(h.fetched, h.kept, h.characters, h.size) for h in rest]
            rows.append(HostStats(f"{len(rest):,} more", *map(sum, zip(*counts, strict=True))))
        for host in rows:
            table.add_row(
                *(escape(host.host), f"{host.fetched:,}", f"{host.kept:,}", f"{host.harvest:.1%}", f"{host.characters:,}"),
                *(f"{host.size / MEGABYTE:,.1f}", f"{host.density:,.0f}"),
            )
        console.print(table)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of 0 or more")
    return int(text)
