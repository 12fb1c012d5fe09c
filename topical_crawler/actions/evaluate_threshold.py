"""``scrapy evaluate threshold``: Figure 2 of Zhou et al. 2019 on a recorded web."""

from __future__ import annotations

import argparse
import dataclasses
import math
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from scrapy.settings import BaseSettings

from topical_crawler.actions.argument_types import amount
from topical_crawler.actions.evaluate_labels import add_groups, add_labels, read_corpus, read_groups
from topical_crawler.actions.threshold_crawls import ThresholdCrawls
from topical_crawler.config import cache_dir
from topical_crawler.corpus.record import Record
from topical_crawler.evaluation.labels import read_labels
from topical_crawler.evaluation.replay import Recording
from topical_crawler.evaluation.report import new_figure, write_json
from topical_crawler.evaluation.threshold import MARGIN, PAPER, THRESHOLDS, Cost, Point, best_point, draw, measure, shape
from topical_crawler.frontier import REDIRECTED

HELP = "precision and volume over the threshold of Eq. 5 (Figure 2)"
DESCRIPTION = (
    "Precision and volume over the threshold above which a link is followed, in a given time (Zhou et al. 2019, Figure 2). Every "
    "threshold is a crawl of its own through the real spider, on a recorded web, by the strategy 'semantic'. Time is reckoned: "
    "each page costs --cost seconds. The crawls are kept below --out: an experiment that was interrupted goes on where it was, "
    "and further thresholds, longer budgets or other labels use the crawls that are there. Settings (-s) go to every crawl."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", help="name or path")
    add_labels(parser)
    parser.add_argument("--web", type=Path, required=True, metavar="WARC", help="the recorded web")
    parser.add_argument("--seeds", type=Path, metavar="FILE", help="start URLs, one a line (default: the topic's)")
    parser.add_argument(
        "--thresholds",
        type=_thresholds,
        default=THRESHOLDS,
        metavar="X,X",
        help=f"thresholds of Eq. 5 (default: {','.join(f'{t:g}' for t in THRESHOLDS)})",
    )
    parser.add_argument(
        "--seconds", type=_positive_numbers, default=(1000.0,), metavar="N,N", help="time budget, or several (default: 1000)"
    )
    parser.add_argument(
        "--cost", type=_positive, default=1.0, metavar="S", help="seconds that a page costs to fetch (default: %(default)g)"
    )
    parser.add_argument(
        "--judge-cost",
        type=amount,
        default=0.0,
        metavar="S",
        help="further seconds for each page that came and was judged (default: %(default)g)",
    )
    parser.add_argument("--processes", type=_count, default=2, metavar="N", help="crawls at a time (default: %(default)s)")
    add_groups(parser)
    parser.add_argument("--out", type=Path, default=Path("results"), metavar="DIR", help="default: %(default)s")


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    labels = read_labels(opts.labels, opts.grade)
    groups = read_groups(opts.group, sorted({label.site for label in labels.values()}))
    thresholds, budgets = sorted(set(opts.thresholds)), sorted(set(opts.seconds))
    cost = Cost(opts.cost, opts.judge_cost)
    if not (pages := cost.most_pages(budgets[-1])):
        raise ValueError(f"--seconds {budgets[-1]:g} do not pay for one page of --cost {cost.fetch:g}. Remedy: more seconds")
    new_figure("", "", "")  # whether pictures can be drawn is better known before the crawls than after them
    Recording(opts.web, cache_dir(settings)).close()  # makes its index, which all crawls need
    crawls = ThresholdCrawls(opts.out / "threshold.crawls", opts.topic, opts.web, opts.seeds, tuple(opts.set))
    try:
        crawls.run(thresholds, pages, opts.processes, Console(stderr=True))
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    points: dict[float, list[Point]] = {seconds: [] for seconds in budgets}
    for threshold in thresholds:
        records = read_corpus(crawls.data_dir(threshold))
        for seconds in budgets:
            points[seconds].append(measure(threshold, cost.affordable(records, seconds, _is_page), labels, groups, _is_page))
    console = Console()
    for seconds in budgets:
        _show(seconds, cost, points[seconds], list(groups), console)
    console.print(f"paper: {PAPER}", markup=False, highlight=False, soft_wrap=True)
    figures = {
        "topic": crawls.topic.name,
        "cost": dataclasses.asdict(cost),
        "budgets": [_figures(seconds, found) for seconds, found in points.items()],
        "paper": PAPER,
    }
    write_json(opts.out / "threshold.json", figures)
    draw(points, opts.out / "threshold.png")
    console.print(f"→ {opts.out}/threshold.json, threshold.png", markup=False, highlight=False, soft_wrap=True)
    return 0


def _is_page(record: Record) -> bool:
    return record.reason != REDIRECTED


def _figures(seconds: float, points: list[Point]) -> dict[str, Any]:
    best = best_point(points)
    return {
        "seconds": seconds,
        "best_threshold": None if best is None else best.threshold,
        "shape": shape(points),
        "points": [dataclasses.asdict(point) for point in points],
    }


def _show(seconds: float, cost: Cost, points: list[Point], groups: list[str], console: Console) -> None:
    columns = [f"{escape(name)}: mean %" for name in groups]
    judging = f", {cost.judge:g} s to judge it" if cost.judge else ""
    title = f"{seconds:g} seconds, {cost.fetch:g} s for a page{judging}"
    table = Table(
        "threshold", "pages", "texts", "relevant", "precision %", "recall %", *columns, title=title, title_justify="left"
    )
    best = best_point(points)
    for point in points:
        cells = [f"{point.threshold:g}", str(point.pages), str(point.texts), str(point.relevant), _percent(point.precision)]
        cells += [_percent(point.recall), *(_percent(point.groups[name]) for name in groups)]
        table.add_row(*cells, style="bold" if point is best else None)
    console.print(table)
    if best is not None:
        most = max(points, key=lambda p: (p.relevant, -p.pages, p.threshold))
        for what, point in (
            (f"best within {100 * MARGIN:g} point of the highest precision", best),
            ("most relevant texts", most),
        ):
            console.print(
                f"{what}: {point.threshold:g}, with {point.relevant} relevant texts at {_percent(point.precision)} %",
                highlight=False,
                soft_wrap=True,
            )
    console.print(f"ours: {shape(points)}\n", highlight=False, soft_wrap=True)


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.1f}"


def _positive(text: str) -> float:
    if not (found := amount(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return found


def _thresholds(text: str) -> tuple[float, ...]:
    return tuple(float(f"{amount(one):g}") for one in text.split(","))  # as they are named in folders and tables


def _positive_numbers(text: str) -> tuple[float, ...]:
    return tuple(map(_positive, text.split(",")))


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of 1 or more")
    return int(text)
