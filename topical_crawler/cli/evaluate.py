"""``topical-crawler evaluate sites`` and ``harvest``: scores of your own crawls against labelled pages."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from topical_crawler.cli.base import Action, add_json, whole
from topical_crawler.cli.terminal import console, table
from topical_crawler.corpus.record import Filters, Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.crawl_folder import corpus_at
from topical_crawler.evaluation.curves import svg_curve, terminal_curve
from topical_crawler.evaluation.labels import read_labels
from topical_crawler.evaluation.metrics import (
    SiteScore,
    area_under_recall,
    group_score,
    harvest_curve,
    relevant_texts,
    site_scores,
    thresholds,
)
from topical_crawler.files import replacing
from topical_crawler.project import AnySettings
from topical_crawler.services import MistakeError
from topical_crawler.web.urls import REDIRECTED


def add_labels(parser: argparse.ArgumentParser) -> None:
    """Declare ``--labels`` and ``--grade``."""
    parser.add_argument("--labels", type=Path, required=True, metavar="FILE", help="TSV with url, kind and a grade of 0, 1 or 2")
    parser.add_argument("--grade", default="grade", metavar="COLUMN", help="column of the grade (default: %(default)s)")


def read_corpus(place: str | Path) -> list[Record]:
    """Return all rows of a crawl's corpus (data folder or file), rejected pages too, in fetch order."""
    with CorpusStore(corpus_at(place), read_only=True) as store:
        return list(store.records(Filters(rejected=True)))


# -- sites: precision and recall per site, and over the relevance


def _sites_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("corpus", help="data directory of a crawl, or its corpus.sqlite")
    add_labels(parser)
    add_json(parser)


def _sites(opts: argparse.Namespace, settings: AnySettings) -> int:
    labels = read_labels(opts.labels, opts.grade)
    records = read_corpus(opts.corpus)
    scores = site_scores(records, labels)
    mean, total = group_score("all texts", scores)
    steps = {step: group_score("", site_scores(records, labels, step))[1] for step in thresholds(records)}
    if opts.json:
        figures = {
            "sites": [{"site": s.site, **_figures(s)} for s in scores],
            "all": {"mean_precision": mean, **_figures(total)},
            "curve": [{"threshold": step, **_figures(at)} for step, at in steps.items()],
        }
        print(json.dumps(figures, ensure_ascii=False, indent=1))
    else:
        console().print(_sites_table(scores, mean, total), _curve_table(steps))
    return 0


def _figures(score: SiteScore) -> dict[str, float]:
    return {"texts": score.collected, "relevant": score.relevant, "precision": score.precision, "recall": score.recall}


def _sites_table(scores: Sequence[SiteScore], mean: float, total: SiteScore) -> Table:
    shown = table(("site", "texts", "relevant", "precision %", "recall %", "of"), (_cells(s) for s in scores))
    shown.add_section()
    shown.add_row(*_cells(total))
    shown.add_row("mean of sites", "", "", f"{100 * mean:.2f}", "", "")
    return shown


def _cells(s: SiteScore) -> Sequence[str]:
    shares = f"{100 * s.precision:.2f}", f"{100 * s.recall:.1f}"
    return s.site, str(s.collected), str(s.relevant), *shares, str(s.available)


def _curve_table(steps: Mapping[float, SiteScore]) -> Table:
    rows = ((f"{step:.5f}", str(s.collected), f"{100 * s.precision:.1f}", f"{100 * s.recall:.1f}") for step, s in steps.items())
    return table(("relevance ≥", "texts", "precision %", "recall %"), rows, title="Over the threshold")


# -- harvest: relevant texts reached over pages fetched


def _harvest_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("corpus", nargs="+", help="data directories, or NAME=DIR to name a curve")
    add_labels(parser)
    parser.add_argument("--budget", type=whole(0), default=0, metavar="N", help="pages counted (default: all fetched)")
    add_json(parser)
    parser.add_argument("--picture", type=Path, metavar="FILE.svg", help="draw the curves")


def _harvest(opts: argparse.Namespace, settings: AnySettings) -> int:
    if opts.picture and opts.picture.suffix != ".svg":
        raise MistakeError(f"--picture {opts.picture}: the picture is an SVG image. End its name in .svg")
    labels = read_labels(opts.labels, opts.grade)
    curves: dict[str, list[int]] = {}
    for text in opts.corpus:
        name, sign, place = text.partition("=")
        fetched = [r.url for r in read_corpus(place if sign else text) if r.reason != REDIRECTED]
        name = name if sign else Path(text).absolute().name
        if name in curves:
            raise MistakeError(f"two crawls are named {name!r}. Name them apart, first={place or text} …")
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
        console().print(_harvest_table(rows, total))
        print(terminal_curve(curves))
    if opts.picture:
        opts.picture.parent.mkdir(parents=True, exist_ok=True)
        with replacing(opts.picture) as file:
            file.write(svg_curve(curves, total))
    return 0


def _harvest_table(rows: dict[str, dict[str, Any]], total: int) -> Table:
    cells = (
        (name, str(r["pages"]), str(r["relevant"]), f"{r['harvest_rate']:.1%}", f"{r['recall']:.1%}", f"{r['area']:.3f}")
        for name, r in rows.items()
    )
    return table(("crawl", "pages", "relevant texts", "harvest rate", f"recall (of {total})", "area under recall"), cells)


ACTIONS = {
    "sites": Action(
        "Print precision and recall of a corpus per site, and over the least relevance of a kept page. Copies of one text count "
        "once, texts of grade 1 not at all, kept pages without a text of their own as not relevant.",
        _sites_arguments,
        _sites,
    ),
    "harvest": Action(
        "Plot relevant texts reached over pages fetched, for one crawl or several, beside the ideal crawl with a new relevant "
        "text on every page. A text counts once its first page is fetched, kept or not.",
        _harvest_arguments,
        _harvest,
    ),
}
