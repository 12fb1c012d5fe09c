"""``scrapy evaluate harvest``: relevant texts reached over pages fetched, for one crawl or several."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from topical_crawler.cli.evaluate.sites import add_labels, read_corpus
from topical_crawler.evaluation.labels import read_labels
from topical_crawler.evaluation.metrics import area_under_recall, harvest_curve, relevant_texts
from topical_crawler.evaluation.report import picture, terminal_curve, write_json
from topical_crawler.frontier import REDIRECTED

HELP = "harvest curves"
DESCRIPTION = (
    "Relevant texts reached over pages fetched, for one crawl or several, beside the ideal crawl, of which every page is a "
    "relevant text that was not there yet. A text counts when the first page that holds it is fetched, kept or not."
)
_STEPS = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("corpus", nargs="+", help="data directories; NAME=DIR gives a curve its name")
    add_labels(parser)
    parser.add_argument("--budget", type=int, default=0, help="pages to look at (default: all fetched)")
    parser.add_argument("--json", action="store_true", help="print figures as JSON")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the curves into FILE (.png, .svg)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write DIR/harvest.json and the curves, DIR/harvest.png")


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    if opts.budget < 0:
        raise UsageError(f"--budget is {opts.budget}. Remedy: give a number of 0 (all pages) or more", print_help=False)
    labels = read_labels(opts.labels, opts.grade)
    curves: dict[str, list[int]] = {}
    for text in opts.corpus:
        name, sign, place = text.partition("=")
        fetched = [r.url for r in read_corpus(place if sign else text) if r.reason != REDIRECTED]
        name = name if sign else Path(text).absolute().name
        if name in curves:
            raise UsageError(f"two crawls are named {name!r}. Remedy: name them, first={place or text} …", print_help=False)
        curves[name] = harvest_curve(fetched[: opts.budget or None], labels)
    total = relevant_texts(labels)
    budget = opts.budget or max(map(len, curves.values()))
    rows = {
        name: {
            "pages": len(c),
            "relevant": c[-1] if c else 0,
            "harvest_rate": c[-1] / len(c) if c else 0.0,
            "recall": c[-1] / total if c and total else 0.0,
            "area": area_under_recall(c, total, budget),
        }
        for name, c in curves.items()
    }
    if opts.json:
        print(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        Console().print(_table(rows, total))
        print(terminal_curve(curves))
    if opts.picture:
        picture(curves, opts.picture, "Harvest", total)
    if opts.out is not None:
        figures = {name: {**row, "curve": _sampled(curves[name])} for name, row in rows.items()}
        write_json(opts.out / "harvest.json", {"relevant_texts": total, "budget": budget, "crawls": figures})
        picture(curves, opts.out / "harvest.png", "Harvest", total)
        if not opts.json:
            Console().print(f"→ {opts.out}/harvest.json, harvest.png", markup=False, highlight=False, soft_wrap=True)
    return 0


def _table(rows: dict[str, dict[str, Any]], total: int) -> Table:
    table = Table("crawl", "pages", "relevant texts", "harvest rate", f"recall (of {total})", "area under recall")
    for name, r in rows.items():
        cells = (str(r["pages"]), str(r["relevant"]), f"{r['harvest_rate']:.1%}", f"{r['recall']:.1%}", f"{r['area']:.3f}")
        table.add_row(escape(name), *cells)
    return table


def _sampled(curve: Sequence[int]) -> list[tuple[int, int]]:
    """(pages fetched, relevant texts reached) at no more than ``_STEPS`` even steps and at the end."""
    step = max(1, -(-len(curve) // _STEPS))
    return [(k, curve[k - 1]) for k in sorted({*range(step, len(curve) + 1, step), len(curve)} - {0})]
