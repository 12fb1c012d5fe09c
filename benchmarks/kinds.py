"""Kinds of pages told apart: a confusion table for each site of recorded webs, and for made pages.

    python benchmarks/kinds.py --web WEB.warc.gz … --labels LABELS.tsv … [--layouts TEXTS.jsonl.gz] [--pages N] [--wrong]

Labels have the columns url, host and kind: article, list, label (the page of a tag or category) and home; others are left out.
Where a person who read the pages says otherwise, kinds.tsv has the beginning of their addresses and their kind, empty for
those that are of none. --layouts adds the layouts of gold_layouts.py (articles) and forum_layouts.py (threads, and what looks
like them). What counts most is printed last: texts that are lost, and pages without a text of their own that are kept with one.
"""

import argparse
import csv
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))

from forum_layouts import NO_THREADS, make_no_threads, make_threads  # noqa: E402
from gold_layouts import make_pages  # noqa: E402

from topical_crawler.extraction.extract import extract  # noqa: E402
from topical_crawler.extraction.kinds import KINDS  # noqa: E402
from topical_crawler.recordings.reader import Recording  # noqa: E402
from topical_crawler.web.dom import decode  # noqa: E402

KEPT = ("article", "documentation", "forum")
NAMES = {"article": "article", "copy": "article", "list": "list", "label": "tag", "home": "home", "video": "video"}
"""Kinds of labels to kinds of pages."""

Labelled = tuple[str, str, str, str]  # site, kind, address, source


def corrections() -> dict[str, str]:
    """Beginnings of addresses and their kinds."""
    with Path(__file__).with_name("kinds.tsv").open(encoding="utf-8", newline="") as file:
        return {row["address"]: row["kind"] for row in csv.DictReader(file, delimiter="\t")}


def recorded(web: Path, labels: Path, count: int, seed: int = 25) -> Iterator[Labelled]:
    """At most ``count`` pages of each kind and site."""
    other = corrections()
    rows = defaultdict(list)
    with labels.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            kind = next((kind for start, kind in other.items() if row["url"].startswith(start)), NAMES.get(row["kind"], ""))
            if kind:
                rows[row["host"], kind].append(row["url"])
    rng = random.Random(seed)
    with Recording(web) as recording:
        for (site, kind), urls in sorted(rows.items()):
            for url in rng.sample(urls, min(count, len(urls))):
                answer = recording.get(url)
                if answer is not None and answer.status == 200:
                    yield site, kind, url, decode(answer.body, answer.header("Content-Type"))[0]


def made(texts: Path) -> Iterator[Labelled]:
    """Pages of layouts."""
    yield from (("made articles", "article", page.url, page.html) for page in make_pages(texts))
    yield from (("made threads", "forum", page.url, page.html) for page in make_threads(texts))
    for page in make_no_threads(texts):
        yield "made others", NO_THREADS[page.site][1], page.url, page.html


def show(console: Console, title: str, counts: Counter[tuple[str, str]]) -> None:
    """A confusion table: rows are true kinds, columns what they are taken for."""
    table = Table(title=title, title_justify="left", box=None)
    columns = [kind for kind in (*KINDS, "none") if any(found == kind for _, found in counts)]
    for heading in ("", *columns):
        table.add_column(heading, justify="right" if heading else "left")
    for kind in KINDS:
        if any(true == kind for true, _ in counts):
            table.add_row(kind, *(str(counts[kind, column] or "·") for column in columns))
    console.print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", type=Path, nargs="*", default=[], help="recordings")
    parser.add_argument("--labels", type=Path, nargs="*", default=[], help="their labels, in the same order")
    parser.add_argument("--layouts", type=Path, help="JSON Lines of texts to put into layouts")
    parser.add_argument("--pages", type=int, default=40, help="most pages of a kind and site (default 40)")
    parser.add_argument("--sites", action="store_true", help="a table for each site as well")
    parser.add_argument("--wrong", action="store_true", help="print what is taken for something else")
    options = parser.parse_args(arguments)
    if len(options.web) != len(options.labels) or not (options.web or options.layouts):
        parser.error("name as many --web as --labels, or --layouts")
    pages = [
        page for web, labels in zip(options.web, options.labels, strict=True) for page in recorded(web, labels, options.pages)
    ]
    pages += made(options.layouts) if options.layouts else []
    console = Console(soft_wrap=True)
    by_site: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    lost: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    began = time.perf_counter()
    for site, kind, url, html in pages:
        found = extract(html, url)
        by_site[site][kind, found.kind or "none"] += 1
        lost[site] += kind in KEPT and not found.text
        kept[site] += kind not in KEPT and bool(found.text)
        if options.wrong and found.kind != kind and not {found.kind, kind} <= {"article", "documentation"}:
            console.print(kind, "->", found.kind or found.reason, url)
    milliseconds = (time.perf_counter() - began) / len(pages) * 1000
    if options.sites:
        for site, counts in by_site.items():
            show(console, site, counts)
    show(console, f"{len(pages)} pages of {len(by_site)} sites, {milliseconds:.1f} ms each", sum(by_site.values(), Counter()))
    table = Table(box=None)
    for heading in ("", "texts", "lost", "others", "kept"):
        table.add_column(heading, justify="right" if heading else "left")
    for site, counts in by_site.items():
        texts = sum(count for (kind, _), count in counts.items() if kind in KEPT)
        table.add_row(site, *map(str, (texts, lost[site], counts.total() - texts, kept[site])))
    console.print(table)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
