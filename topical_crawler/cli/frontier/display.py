"""How ``scrapy frontier`` shows a queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from topical_crawler.cli.display import link_cell, printable
from topical_crawler.crawl.mailbox import Answer
from topical_crawler.crawl.steering import SEED_PRIORITY

_SHOWN_HOSTS = 30


def stats_view(answer: Answer, name: str, runs: bool | None) -> Group:
    """Counts of a frontier, and what the last finished pages came to."""
    state = {True: "runs", False: "does not run", None: ""}[runs]
    state = ", ".join(filter(None, (state, "[paused]" if answer["paused"] else "")))
    lines: list[RenderableType] = [
        Text.assemble((printable(name), "bold"), f" {state}" if state else ""),
        Text(
            f"{answer['waiting']:,} waiting on {answer['hosts']:,} hosts, {answer['in_flight']:,} in flight, "
            f"{answer['done']:,} finished, {answer['dropped']:,} dropped"
        ),
    ]
    if pages := answer["last_pages"]:
        kept = answer["last_kept"]
        lines.append(Text(f"of the last {pages:,} pages {kept:,} were kept ({kept / pages:.1%})"))
    if (threshold := answer["page_threshold"]) is not None:
        lines.append(Text(f"pages are kept above a relevance of {threshold:g}"))
    lines += [Text(f"{key.replace('_', ' ')}: {_plain(value)}", "dim") for key, value in answer["details"].items()]
    for title, number, counts in (
        ("rejected because", "pages", answer["last_rejected_because"]),
        ("links dropped because", "links", answer["dropped_because"]),
    ):
        if counts:
            lines += ["", _counts(title, number, counts)]
    return Group(*lines)


def top_view(answer: Answer) -> RenderableType:
    """The best of what waits, with the anchor and the page by which each came in, and the parts of its priority, where known."""
    if not answer["entries"]:
        return Text("nothing waits" + (f" among the best {answer['looked_at']:,} links" if answer["looked_at"] else ""))
    table = Table(box=None, header_style="dim", pad_edge=False)
    for column in ("priority", "depth", "rescored"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("link", overflow="fold")
    for entry in answer["entries"]:
        found = ""
        if entry["anchor"] or entry["parent"]:
            more = f" and {entry['parents'] - 1} more" if entry["parents"] > 1 else ""
            found = (f"“{entry['anchor']}” " if entry["anchor"] else "") + f"on {entry['parent']}{more}"
        priority = "seed" if entry["priority"] >= SEED_PRIORITY else f"{entry['priority']:.4g}"
        # A crawl of an older version has no reasons to tell.
        link = link_cell(entry["url"], found, entry.get("reasons", {}))
        table.add_row(priority, str(entry["depth"]), str(entry["rescored"]), link)
    return Group(table, Text(f"\n{printable(note)}", "yellow")) if (note := answer.get("note")) else table


def hosts_view(answer: Answer) -> RenderableType:
    """Which hosts the best of what waits belongs to."""
    if not answer["hosts"]:
        return Text("nothing waits")
    table = _table(f"host, of the best {answer['looked_at']:,} links", "waiting", "best")
    for row in answer["hosts"][:_SHOWN_HOSTS]:
        best = "seed" if row["priority"] >= SEED_PRIORITY else f"{row['priority']:.4g}"
        table.add_row(Text(printable(row["host"])), f"{row['waiting']:,}", best)
    if rest := answer["hosts"][_SHOWN_HOSTS:]:
        table.add_row(Text(f"{len(rest):,} more"), f"{sum(row['waiting'] for row in rest):,}", "")
    return table


def pushed_line(answer: Answer) -> str:
    """What came of seeds, in a line."""
    parts = [f"{answer['new']:,} new"]
    if answer["again"]:
        parts.append(f"{answer['again']:,} wait again")
    if answer["known"]:
        parts.append(f"{answer['known']:,} known already (a page that is done is fetched again by scrapy frontier requeue)")
    parts += [f"{count:,} refused: {printable(reason)}" for reason, count in answer["dropped"].items()]
    return ", ".join(parts)


def _counts(title: str, number: str, counts: Mapping[str, int]) -> Table:
    table = _table(title, number)
    for reason, count in counts.items():
        table.add_row(Text(printable(reason)), f"{count:,}")
    return table


def _table(first: str, *numbers: str) -> Table:
    table = Table(first, box=None, header_style="dim", pad_edge=False)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{printable(str(key))} {_plain(one)}" for key, one in value.items()) or "none"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else printable(str(value))
