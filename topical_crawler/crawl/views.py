"""Views of a crawl for people: a status line, a panel, and a summary, also as JSON data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from topical_crawler.corpus.record import Yield
from topical_crawler.crawl.crawl import STORAGE_ERRORS, Crawl
from topical_crawler.crawl.progress import STALL, Progress
from topical_crawler.text import counted
from topical_crawler.web.urls import REDIRECTED

_SITES, _LIVE_SITES, _SECTIONS, _STARTS = 15, 8, 20, 5


def line_view(crawl: Crawl) -> str:
    """Return the state of a crawl in one line."""
    p, recent = crawl.progress, crawl.progress.recent
    links, hosts = waiting(crawl) or ("?", "?")
    return (
        f"{counted(crawl.policy.fetched, 'page')}, {p.total.kept} kept in this run, "
        f"harvest rate of the last {recent.pages} {recent.harvest_rate:.0%}, "
        f"{p.total.megabytes:.1f} MB, {p.total.density:,.0f} characters/MB ({recent.density:,.0f} of the last {recent.pages}), "
        f"{links} waiting on {hosts} hosts, {len(crawl.in_flight)} in flight, {p.rate:.1f} pages/s, best waiting {p.best:.3g}"
        + (f", {counted(marked, 'text')} marked" if (marked := len(crawl.control.marks.urls)) else "")
    )


def live_view(crawl: Crawl) -> Group:
    """Return the state of a crawl as a small panel, with the sites of the largest downloads."""
    p, recent = crawl.progress, crawl.progress.recent
    links, hosts = waiting(crawl) or ("?", "?")
    grid = Table.grid(padding=(0, 3))
    title = escape(crawl.topic.title)
    limit = f" of {crawl.options.max_pages}" if crawl.options.max_pages else ""
    grid.add_row(f"[bold]{title}[/]", f"pages [bold]{crawl.policy.fetched}[/]{limit}", f"kept [bold green]{p.total.kept}[/]",
                 f"harvest rate [bold]{recent.harvest_rate:.0%}[/] of the last {recent.pages}")  # fmt: skip
    marked = f"{counted(n, 'text')} marked" if (n := len(crawl.control.marks.urls)) else ""
    grid.add_row(marked, f"waiting [bold]{links}[/]", f"hosts [bold]{hosts}[/]",
                 f"[bold]{p.rate:.1f}[/] pages/s, {len(crawl.in_flight)} in flight, best {p.best:.3g}")  # fmt: skip
    grid.add_row("", f"MB [bold]{p.total.megabytes:.1f}[/]", "chars/MB",
                 f"[bold]{p.total.density:,.0f}[/], {recent.density:,.0f} of the last {recent.pages}")  # fmt: skip
    rejected = "  ".join(f"{reason} {n}" for reason, n in [*p.rejected.items()][:5])
    heaviest = sorted(p.sites, key=lambda site: (-p.sites[site].size, site))[:_LIVE_SITES]
    return Group(grid, _sites(crawl, heaviest),
                 Text(f"rejected: {rejected}", style="dim", overflow="ellipsis", no_wrap=True),
                 Text(f"latest:   {p.latest}", style="dim", overflow="ellipsis", no_wrap=True))  # fmt: skip


def _sites(crawl: Crawl, names: Iterable[str]) -> Table:
    """Return a table of sites with their yield, and the standing of barren ones."""
    table = _table("site", "fetched", "kept", "harvest", "MB", "chars/MB", "")
    table.columns[0].max_width = 30  # so that the table fits into 80 columns
    for name in names:
        site, standing = crawl.progress.sites[name], crawl.policy.standing(name)
        counts = (str(site.pages), str(site.kept), f"{site.harvest_rate:.0%}", f"{site.megabytes:.1f}", f"{site.density:,.0f}")
        table.add_row(escape(name), *counts, f"[yellow]{standing}[/]")
    return table


def _survey(crawl: Crawl) -> list[RenderableType]:
    """Return a table of the surveyed sections, if any."""
    if not crawl.surveyed:
        return []
    table = _table("section", "fetched", "kept", "waiting")
    for section in crawl.surveyed[:_SECTIONS]:
        table.add_row(escape(section.site + section.folder), *map(str, (section.fetched, section.kept, section.waiting)))
    if len(crawl.surveyed) > _SECTIONS:
        table.add_row(f"… and {len(crawl.surveyed) - _SECTIONS} more", style="dim")
    return ["\nSurvey: the sections, the most promising first", table]


def _by_yield(progress: Progress) -> list[str]:
    """Return the sites by number of texts kept, most first."""
    return sorted(progress.sites, key=lambda site: (-progress.sites[site].kept, -progress.sites[site].pages, site))


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column(first, no_wrap=True, overflow="ellipsis", max_width=44)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def waiting(crawl: Crawl) -> tuple[int, int] | None:
    """Return the numbers of waiting links and of their hosts, or None if the frontier is out of reach."""
    with suppress(*STORAGE_ERRORS):
        return None if crawl.failed else (len(crawl.frontier), crawl.frontier.status().hosts)
    return None


def why_ended(crawl: Crawl, reason: str) -> str:
    """Describe the end of a crawl. ``reason`` is Scrapy's."""
    if crawl.policy.limit_reached(len(crawl.in_flight)):
        return "page limit reached"
    if crawl.policy.barren:
        return f"{crawl.policy.end} pages in a row gave no text (TOPICAL_BARREN_END=0 goes on)"
    if crawl.policy.spent:
        return "the waiting links promise too little (TOPICAL_BARREN_END=0 goes on)"
    return {"finished": "nothing left to fetch", "shutdown": "stopped"}.get(reason, reason)


def figures(crawl: Crawl, reason: str) -> dict[str, Any]:
    """Return the summary of a crawl as JSON data."""
    p = crawl.progress
    return {
        "reason": reason,
        **_figures(p.total),
        "kept_at_second_look": p.second_looks,
        "marked": len(crawl.control.marks.urls),
        "taken_back_at_end": crawl.taking_back.done.pages,
        "cleaned_at_end": crawl.taking_back.cleaned.done.changed if crawl.taking_back.cleaned else 0,
        "seconds": round(p.seconds, 1),
        "stall_seconds": round(p.stall, 1),
        "rejected": p.rejected,
        "links": dict(p.links.most_common()),
        "listings": dict(p.listings.most_common()),
        "hosts": len(p.sites),
        "hosts_slowed": len(crawl.policy.slowed - crawl.policy.left),
        "hosts_left": len(crawl.policy.left),
        "sites": {name: _figures(p.sites[name]) for name in _by_yield(p)[:_SITES]},
        "waiting": (waiting(crawl) or (None,))[0],
        "corpus": crawl.store.name,
        "in_vain": crawl.in_vain,
        "survey": [section._asdict() for section in crawl.surveyed],
    }


def _figures(total: Yield) -> dict[str, Any]:
    volume = {"bytes": total.size, "characters": total.characters, "characters_per_megabyte": round(total.density)}
    return {"pages": total.pages, "kept": total.kept, **volume}


def summary(crawl: Crawl, reason: str) -> Group:
    """Return the summary of a crawl: kept and rejected pages, sites, slowest hosts, location of the corpus, next steps."""
    p = crawl.progress
    head = Text.from_markup(
        f"\n[bold]{escape(crawl.topic.title)}[/]: {escape(why_ended(crawl, reason))}. This run: {counted(p.total.pages, 'page')}"
        + (f" and {counted(p.reasons[REDIRECTED], 'redirect')}" if p.reasons[REDIRECTED] else "")
        + (f", {p.listings.total()} sitemaps and feeds" if p.listings else "")
        + f" in {p.seconds:.0f} s, [bold green]{p.total.kept} kept[/]"
        + (f" ({p.total.harvest_rate:.0%})" if p.total.pages else "")
        + (f", {p.second_looks} of them at a second look" if p.second_looks else "")
        + f"; {p.total.megabytes:.1f} MB, {p.total.density:,.0f} characters/MB"
    )
    names = _by_yield(p)
    sites = _sites(crawl, names[:_SITES])
    if len(names) > _SITES:
        sites.add_row(f"… and {len(names) - _SITES} more", style="dim")
    sites.add_row("")
    links = {name: n for name, n in p.links.most_common() if name != "new" and n}
    slowest = sorted(((site.seconds / site.pages, name) for name, site in p.sites.items() if site.pages), reverse=True)[:5]
    slow = {name: f"{mean:.2f}" for mean, name in slowest if mean >= 0.01}  # a replay answers at once
    right = Table.grid()
    blocks: tuple[tuple[str, str, Mapping[str, object]], ...] = (
        ("rejected because", "pages", p.rejected),
        ("links not followed", "found", links),
        ("slowest hosts", "s a page", slow),
    )
    for *header, rows in blocks:
        table = _table(*header)
        for name, value in rows.items():
            table.add_row(escape(name), str(value))
        if rows:
            right.add_row(table)
            right.add_row("")
    side = Columns([sites, right], padding=(0, 3))  # stacked on a narrow terminal
    wait, barren, left = waiting(crawl), crawl.policy.slowed, crawl.policy.left
    clean = crawl.taking_back.cleaned.done.changed if crawl.taking_back.cleaned else 0
    back = crawl.taking_back.done.pages
    place = crawl.place
    following = (
        f"Next:   topical-crawler corpus stats {place}\n        topical-crawler corpus export {place} -o corpus.jsonl\n"
        f"        topical-crawler corpus sample {place} -n 20 -o judged.jsonl  # mark 20: how many are on topic?"
    )
    last = Text(
        f"\nCorpus: {crawl.store.name}; {'links' if wait is None else counted(wait[0], 'link')} still waiting"
        + (f" (the same command{' without survey' * crawl.options.survey} continues the crawl)" if wait != (0, 0) else "")
        + (f"\nBarren: {counted(len(barren - left), 'host')} slowed, {len(left)} left" if barren else "")
        + (f"\nBack:   {counted(back, 'text')} taken back: off topic, by what the crawl has learned since" if back else "")
        + (f"\nClean:  {counted(clean, 'text')} cleaned once more of lines repeated by their sites" if clean else "")
        + (f"\nStall:  the crawl itself was busy for {p.stall:.0f} s and sent no requests" if p.stall > STALL else "")
        + "".join(f"\nStart:  {start}" for start in ([] if crawl.in_vain else crawl.nowhere[:_STARTS]))
        + (f"\n{crawl.in_vain}" if crawl.in_vain else "")
        + (f"\n{following}" if p.total.kept > 0 or not crawl.in_vain else "")
        + "\n"
    )
    return Group(head, side, *_survey(crawl), last)
