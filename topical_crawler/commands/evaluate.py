"""``scrapy evaluate``: what a crawl of a recorded, labelled web was worth."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from scrapy.exceptions import UsageError

from topical_crawler.command_line import ActionsCommand, AddAction
from topical_crawler.corpus.record import Filters, Record
from topical_crawler.corpus.schema import CorpusError
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl import REDIRECTED
from topical_crawler.evaluation.curves import picture, terminal_curve
from topical_crawler.evaluation.labels import LabelError, read_labels
from topical_crawler.evaluation.metrics import area_under_recall, group_score, harvest_curve, relevant_texts, site_scores


class Command(ActionsCommand):
    name = "evaluate"
    errors = (LabelError, CorpusError, OSError, ImportError)

    def syntax(self) -> str:
        return "sites|harvest --labels FILE CORPUS… [options]"

    def short_desc(self) -> str:
        return "Score a crawl of a recorded web against labels"

    def long_desc(self) -> str:
        return (
            "Score crawls of a recorded web. 'sites': precision and recall per site, and over the relevance threshold, as in "
            "Table 8 of Zhou et al. 2019. 'harvest': relevant texts reached over pages fetched, for one crawl or several."
        )

    def add_actions(self, add: AddAction) -> None:
        sites = add("sites", help="precision and recall per site (Table 8)")
        harvest = add("harvest", help="harvest curves")
        for action in (sites, harvest):
            action.add_argument(
                "--labels", type=Path, required=True, metavar="FILE", help="TSV with url, kind and a grade of 0, 1 or 2"
            )
            action.add_argument("--grade", default="grade", metavar="COLUMN", help="column of the grade (default: %(default)s)")
            action.add_argument("--json", action="store_true", help="print figures as JSON")
        sites.add_argument("corpus", help="data directory of a crawl, or its corpus.sqlite")
        sites.add_argument(
            "--group", action="append", default=[], metavar="NAME=SITE,SITE", help="sites to take together; may be repeated"
        )
        harvest.add_argument("corpus", nargs="+", help="data directories; NAME=DIR gives a curve its name")
        harvest.add_argument("--budget", type=int, default=0, help="pages to look at (default: all fetched)")
        harvest.add_argument("--picture", type=Path, metavar="FILE", help="draw the curves into FILE (.png, .svg)")

    def _sites(self, opts: argparse.Namespace) -> None:
        labels = read_labels(opts.labels, opts.grade)
        records = _records(opts.corpus)
        scores = site_scores(records, labels)
        groups = {}
        for text in opts.group:
            name, _, members = text.partition("=")
            groups[name] = members.split(",")
            if unknown := set(groups[name]) - {s.site for s in scores}:
                raise UsageError(
                    f"--group {text}: NAME=SITE,SITE is expected. There is no site {', '.join(sorted(unknown))!r} in the labels; "
                    f"there are {', '.join(s.site for s in scores)}",
                    print_help=False,
                )
        groups = groups or {"all": [s.site for s in scores]}
        kept = sorted(r.relevance for r in records if r.keep)
        steps = sorted(
            {0.0} | {kept[int(len(kept) * q)] for q in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)} if kept else {0.0}
        )
        figures: dict[str, Any] = {"sites": [], "groups": {}, "curve": []}
        table = Table("site", "texts", "relevant", "precision %", "recall %", "of", title="Table 8", title_justify="left")
        for name, members in groups.items():
            rows = [s for s in scores if s.site in members]
            for s in rows:
                table.add_row(
                    s.site, str(s.collected), str(s.relevant), f"{100 * s.precision:.2f}", f"{100 * s.recall:.1f}", str(s.there)
                )
                figures["sites"].append(
                    {"site": s.site, "texts": s.collected, "relevant": s.relevant, "precision": s.precision, "recall": s.recall}
                )
            mean, total = group_score(name, rows)
            table.add_row(f"[bold]{name}[/]: mean", str(total.collected), str(total.relevant), f"[bold]{100 * mean:.2f}[/]",
                          f"[bold]{100 * total.recall:.1f}[/]", str(total.there), end_section=True)  # fmt: skip
            figures["groups"][name] = {"mean_precision": mean, "precision": total.precision, "recall": total.recall}
        columns = [f"{name}: {what} %" for name in groups for what in ("precision", "recall")]
        curve = Table("relevance ≥", *columns, title="Over the threshold", title_justify="left")
        for step in steps:
            at = site_scores(records, labels, step)
            cells, row = [], {"threshold": step}
            for name, members in groups.items():
                mean, total = group_score(name, [s for s in at if s.site in members])
                cells += [f"{100 * mean:.1f}", f"{100 * total.recall:.1f}"]
                row |= {f"{name}_precision": mean, f"{name}_recall": total.recall}
            curve.add_row(f"{step:.5f}", *cells)
            figures["curve"].append(row)
        if opts.json:
            print(json.dumps(figures, ensure_ascii=False, indent=1))
        else:
            Console().print(table, curve)

    def _harvest(self, opts: argparse.Namespace) -> None:
        labels = read_labels(opts.labels, opts.grade)
        curves: dict[str, list[int]] = {}
        for text in opts.corpus:
            name, sign, place = text.partition("=")
            fetched = [r.url for r in _records(place if sign else text) if r.reason != REDIRECTED]
            curves[name if sign else Path(text).name] = harvest_curve(fetched[: opts.budget or None], labels)
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
            table = Table("crawl", "pages", "relevant texts", "harvest rate", f"recall (of {total})", "area under recall")
            for name, r in rows.items():
                table.add_row(
                    name,
                    str(r["pages"]),
                    str(r["relevant"]),
                    f"{r['harvest_rate']:.1%}",
                    f"{r['recall']:.1%}",
                    f"{r['area']:.3f}",
                )
            Console().print(table)
            print(terminal_curve(curves))
        if opts.picture:
            picture(curves, opts.picture, "Harvest", total)


def _records(place: str) -> list[Record]:
    """All rows of a crawl's corpus in the order of fetching, without their texts."""
    path = Path(place)
    with CorpusStore(path / "corpus.sqlite" if path.is_dir() else path, read_only=True) as store:
        return list(store.records(Filters(rejected=True)))
