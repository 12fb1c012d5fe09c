"""``topical-crawler corpus diff``: changes found by refreshes of a crawl."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from difflib import SequenceMatcher, unified_diff
from itertools import pairwise
from typing import Any

from rich.text import Text

from topical_crawler.cli.base import add_json
from topical_crawler.cli.corpus import parse_time
from topical_crawler.cli.corpus.reading import print_json
from topical_crawler.cli.terminal import WIDTH, console, printable
from topical_crawler.corpus.record import Filters, Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.project import AnySettings
from topical_crawler.services.places import find_corpus, no_page

DESCRIPTION = (
    "Show new texts, changed texts and gone pages, as found by crawl -a refresh=…, or for one page the changes from version to "
    "version."
)
_STYLES = {"+": "green", "-": "red"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("corpus", nargs="?", metavar="CORPUS", help="topic, folder, file or database URL of a corpus")
    parser.add_argument("--page", metavar="NUMBER|URL", help="versions of this page, line by line")
    parser.add_argument(
        "--since", type=parse_time, metavar="TIME",
        help="only changes found on that day (YYYY-MM-DD) or at that time (UTC), or later (default: ever)",
    )  # fmt: skip
    add_json(parser, "the changes as JSON")


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    with CorpusStore(find_corpus(opts.corpus, settings), read_only=True) as store:
        found = _versions(store, opts.page, opts.since or "") if opts.page is not None else changes(store, opts.since or "")
    if opts.json:
        print_json(found)
        return 0
    out = console(most=WIDTH)
    for line in _of_page(found) if opts.page is not None else _of_corpus(found):
        out.print(line)
    return 0


def changes(store: CorpusStore, since: str) -> dict[str, list[dict[str, Any]]]:
    """Return the changes found at a time or later (ISO 8601, UTC), as lists of pages "new", "changed" and "gone".

    Pages have "number", "url", "title" and "when". New ones were first fetched then. Changed ones have the "likeness" of the new
    to the former text, 0 to 1.
    """
    found: dict[str, list[dict[str, Any]]] = {"new": [], "changed": [], "gone": []}
    for former in store.former(since=since):
        if (record := store.get(former.key)) is not None:
            likeness = SequenceMatcher(None, former.text.splitlines(), (record.text or "").splitlines()).ratio()
            found["changed"].append({**_row(record, former.ended), "likeness": round(likeness, 2)})
    changed = {page["number"] for page in found["changed"]}
    found["gone"] = [_row(record, str(record.why["gone"])) for record in store.gone(since)]
    if since:
        fresh = store.records(Filters(new_since=since))
        found["new"] = [_row(record, record.fetched) for record in fresh if record.order not in changed]
    return found


def _row(record: Record, when: str) -> dict[str, Any]:
    return {"number": record.order, "url": record.url, "title": record.title, "when": when}


def _of_corpus(found: dict[str, list[dict[str, Any]]]) -> Iterator[Text]:
    for name, pages in found.items():
        yield Text(f"{name}: {len(pages)}", "bold")
        for page in pages:
            likeness = f", {page['likeness']:.0%} of the lines as before" if "likeness" in page else ""
            yield Text(printable(f"  {page['number']}  {page['title']}  {page['url']}  ({page['when']}{likeness})"))


def _versions(store: CorpusStore, name: str, since: str) -> dict[str, Any]:
    if (record := store.page(name)) is None:
        raise no_page(store, name)
    former = [asdict(version) for version in store.former(record.key, since)]
    return {**_row(record, record.fetched), "text": record.text or "", "former": former}


def _of_page(found: dict[str, Any]) -> Iterator[Text]:
    versions = [*found["former"], {"fetched": found["when"], "text": found["text"]}]
    yield Text(printable(f"{found['title']} {found['url']}".strip()), "bold")
    if len(versions) == 1:
        yield Text("It has not changed.")
    for old, new in pairwise(versions):
        lines = unified_diff(old["text"].splitlines(), new["text"].splitlines(), old["fetched"], new["fetched"], n=1, lineterm="")
        for line in lines:
            yield Text(printable(line), _STYLES.get(line[:1], ""))
