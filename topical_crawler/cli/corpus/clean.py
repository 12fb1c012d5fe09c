"""``topical-crawler corpus clean``: clean the texts of a corpus again, by today's rules and the lines repeated by its sites."""

import argparse
import dataclasses
import json
from typing import Any

from rich.console import Console
from rich.markup import escape

from topical_crawler.cli.base import add_corpus
from topical_crawler.cli.terminal import console, corpus_progress, table
from topical_crawler.config import cleaning_options
from topical_crawler.corpus.clean import Done, OfHost, clean
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.project import AnySettings
from topical_crawler.services.places import find_corpus
from topical_crawler.text import counted

DESCRIPTION = (
    "Clean every kept text of the corpus like a crawl today, with the present settings: characters, boilerplate, lines repeated "
    "by its site (learned over all pages of a host first), language, quality, personal data. A failing text becomes a rejected "
    "page with its reason, one now equal to another page's becomes a duplicate. Each page is a transaction: the same command "
    "resumes an interrupted run, a second run changes nothing, and a crawl may write to the corpus meanwhile."
)
_SHOWN_HOSTS = 20
_SHOWN_LINES = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_corpus(parser)
    parser.add_argument("--dry-run", action="store_true", help="report the changes without making them")
    parser.add_argument("--report", metavar="FILE", help="write the removed lines by host as JSON")


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    options = cleaning_options(settings)
    place = find_corpus(opts.corpus, settings)
    CorpusStore(place, read_only=True).close()  # an empty database is no corpus, and must not become one here
    with CorpusStore(place, read_only=opts.dry_run) as store, corpus_progress("cleaning") as show:
        kept = store.stats().kept
        done = clean(store, options, lambda doing, done: show(doing, done, kept), dry_run=opts.dry_run)
        name = store.name
    if opts.report:
        with open(opts.report, "w", encoding="utf-8") as file:  # noqa: PTH123 - not a file of this program's own
            json.dump(as_data(done, name, opts.dry_run), file, ensure_ascii=False, indent=2)
    print_summary(done, name, opts.dry_run, console())
    return 0


def as_data(done: Done, name: str, dry_run: bool) -> dict[str, Any]:
    """Return the report for programs."""
    hosts = [
        {
            "host": host,
            **{key: value for key, value in dataclasses.asdict(done_to).items() if key != "lines"},
            "lines": [{"line": line, "pages": count} for line, count in done_to.lines.most_common(50)],
        }
        for host, done_to in _by_changes(done)
    ]
    corpus = {"corpus": name, "dry_run": dry_run, "pages": done.pages, "changed": done.changed}
    return corpus | {"rejected": dict(done.rejected.most_common()), "hosts": hosts}


def print_summary(done: Done, name: str, dry_run: bool, out: Console) -> None:
    """Print the report for people."""
    would = "would be " if dry_run else ""
    out.print(f"[bold]{escape(name)}[/bold]", soft_wrap=True)
    before, after = (sum(getattr(host, when) for host in done.hosts.values()) for when in ("before", "after"))
    out.print(
        f"{counted(done.pages, 'text')} checked: {done.changed:,} {would}changed, {done.rejected.total():,} {would}rejected; "
        f"{before:,} characters before, {after:,} after"
    )
    for reason, count in done.rejected.most_common():
        out.print(f"  rejected: {escape(reason)}: {count:,}")
    changed = [(host, done_to) for host, done_to in _by_changes(done) if done_to.changed or done_to.rejected]
    if not changed:
        return
    rows = []
    for host, done_to in changed[:_SHOWN_HOSTS]:
        lines = "\n".join(f"{count:,}× {line[:60]}" for line, count in done_to.lines.most_common(_SHOWN_LINES) if count > 1)
        rows.append([host, f"{done_to.pages:,}", f"{done_to.changed:,}", f"{done_to.rejected:,}", lines])
    if rest := changed[_SHOWN_HOSTS:]:
        sums = [f"{sum(getattr(done_to, name) for _, done_to in rest):,}" for name in ("pages", "changed", "rejected")]
        rows.append([f"{len(rest):,} more", *sums, ""])
    out.print(table(("host", "texts", "changed", "rejected", "lines removed most often"), rows))


def _by_changes(done: Done) -> list[tuple[str, OfHost]]:
    return sorted(done.hosts.items(), key=lambda item: (-item[1].changed - item[1].rejected, item[0]))
