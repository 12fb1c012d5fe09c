"""``topical-crawler corpus stats`` and ``fetched``: counts of a corpus, and its URLs."""

import argparse
import dataclasses
import json
from typing import Any

from rich.console import Console
from rich.markup import escape

from topical_crawler.cli.base import Action, add_corpus, add_json, add_number, whole
from topical_crawler.cli.terminal import console, table
from topical_crawler.corpus.record import MEGABYTE
from topical_crawler.corpus.stats import HostStats, Stats
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.project import AnySettings
from topical_crawler.services.places import find_corpus
from topical_crawler.text import counted


def _stats_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    add_number(parser, "--hosts", type=whole(0), default=20, help="hosts shown")
    add_corpus(parser)


def _fetched_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kept", action="store_true", help="only URLs of kept pages")
    add_corpus(parser)


def _stats(opts: argparse.Namespace, settings: AnySettings) -> int:
    with CorpusStore(find_corpus(opts.corpus, settings), read_only=True) as store:
        stats, place = store.stats(), store.name
    if opts.json:
        data = _rates(stats)
        data["hosts"] = [_rates(host) for host in stats.hosts]
        print(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        show(stats, place, opts.hosts, console())
    return 0


def _fetched(opts: argparse.Namespace, settings: AnySettings) -> int:
    with CorpusStore(find_corpus(opts.corpus, settings), read_only=True) as store:
        for url in store.fetched(kept=opts.kept):
            print(url)
    return 0


ACTIONS = {
    "stats": Action("Count pages kept and rejected, by reason and host.", _stats_arguments, _stats),
    "fetched": Action("List the URLs in fetch order.", _fetched_arguments, _fetched),
}


def _rates(stats: Stats | HostStats) -> dict[str, Any]:
    """Return counts as JSON data, with derived rates."""
    return dataclasses.asdict(stats) | {"harvest": stats.harvest, "characters_per_megabyte": round(stats.density)}


def show(stats: Stats, name: str, hosts: int, out: Console) -> None:
    """Print ``stats`` as tables, with at most ``hosts`` hosts."""
    out.print(f"[bold]{escape(name)}[/bold]", soft_wrap=True)
    redirects = f" and {counted(stats.redirects, 'redirect')}" if stats.redirects else ""
    out.print(
        f"{counted(stats.fetched, 'page')}{redirects} fetched, {stats.kept:,} kept ({stats.harvest:.1%}), "
        f"{stats.characters:,} characters"
    )
    out.print(f"{stats.size / MEGABYTE:,.1f} MB downloaded, {stats.density:,.0f} characters of kept text per MB")
    if stats.dated:
        out.print(f"{stats.dated:,} of the kept pages are dated {stats.first_date} to {stats.last_date}")
    if stats.first_fetched:
        out.print(f"fetched {stats.first_fetched[:19]} to {stats.last_fetched[:19]} UTC")
    if stats.rejected:
        out.print(table(("rejected because", ">pages"), ((reason, f"{n:,}") for reason, n in stats.rejected.items())))
    if stats.rights:
        out.print(table(("reserved by kept pages", ">pages"), ((name, f"{n:,}") for name, n in stats.rights.items())))
    if stats.hosts:
        shown = list(stats.hosts[:hosts])
        if rest := stats.hosts[hosts:]:
            names = ("fetched", "kept", "characters", "size")
            shown.append(HostStats(host=f"{len(rest):,} more", **{name: sum(getattr(h, name) for h in rest) for name in names}))
        rows = []
        for h in shown:
            counts = h.host, f"{h.fetched:,}", f"{h.kept:,}", f"{h.harvest:.1%}", f"{h.characters:,}"
            rows.append((*counts, f"{h.size / MEGABYTE:,.1f}", f"{h.density:,.0f}"))
        out.print(table(("host", ">fetched", ">kept", ">harvest", ">characters", ">MB", ">chars/MB"), rows))
