"""Values of a parameter chosen without the topics and the webs that they are then measured on.

The figures of a topic count under the value that is best in the mean of all *other* topics: those with another column of grades
that are measured on other recordings. A topic is measured on every recording that has a tenth of its relevant texts, or more. So
the table says what the choice is worth on topics and webs that had no part in it.

The files are those of ``python -m experiments ablation --json``; each row in each file is a value to choose from.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from rich.table import Table
from scrapy.settings import BaseSettings

from experiments.runs import Run, read_runs
from topical_crawler.cli.terminal import console

FIGURES = {"area": "area under the curve of recall", "share": "share of the path oracle's area", "kept_f": "F of what is kept"}
"""What a value may be chosen by, and its name in the table."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A topic under the value that was chosen without it.

    Attributes:
        topic: its name.
        others: number of topics that the value was chosen on; 0: none is left, and the other fields are empty.
        value: the chosen one.
        figures: of the topic under this value, by order of the start URLs.
        best: mean figure under the value that is best for this very topic.
    """

    topic: str
    others: int
    value: str
    figures: Mapping[tuple[str, int], float]
    best: float


def left_out(values: Mapping[str, Sequence[Run]], figure: Callable[[Run], float]) -> list[LeftOut]:
    """Every topic under the value that is chosen without it; of equal values the first.

    Args:
        values: crawls by the value that they were made with; topics that a value lacks are passed over.
        figure: of a crawl; the greater, the better.
    """
    means = {value: _by_topic(runs, figure) for value, runs in values.items()}
    groups = {run.topic: (run.column, frozenset(run.webs)) for runs in values.values() for run in runs}
    topics = [topic for topic in groups if all(topic in mine for mine in means.values())]
    results = []
    for topic in topics:
        column, webs = groups[topic]
        others = [t for t in topics if groups[t][0] != column and not groups[t][1] & webs]
        if not others:
            results.append(LeftOut(topic, 0, "", {}, math.nan))
            continue
        chosen = max(means, key=lambda value: math.fsum(statistics.fmean(means[value][t].values()) for t in others))
        best = max(statistics.fmean(mine[topic].values()) for mine in means.values())
        results.append(LeftOut(topic, len(others), chosen, means[chosen][topic], best))
    return results


def _by_topic(runs: Iterable[Run], figure: Callable[[Run], float]) -> dict[str, dict[tuple[str, int], float]]:
    found: dict[str, dict[tuple[str, int], float]] = {}
    for run in runs:
        found.setdefault(run.topic, {})[run.start, run.seed] = figure(run)
    return found


def spread(figures: Iterable[float]) -> float:
    """Standard deviation; 0 of fewer than two."""
    numbers = list(figures)
    return statistics.stdev(numbers) if len(numbers) > 1 else 0.0


def table(results: Sequence[LeftOut], name: str) -> Table:
    """Topics, the values chosen without them, and their figures with the standard deviation over the orders of start URLs; then
    the mean of the topics, with that of the orders' means, and the least."""
    found = Table(title=f"{name} under the value chosen without the topic and its webs")
    for head in ("topic", "chosen"):
        found.add_column(head)
    for head in ("on topics", "figure", "best"):
        found.add_column(head, justify="right")
    for one in results:
        if one.others:
            written = f"{statistics.fmean(one.figures.values()):.3f} ± {spread(one.figures.values()):.3f}"
            found.add_row(one.topic, one.value, str(one.others), written, f"{one.best:.3f}")
        else:
            found.add_row(one.topic, "–", "0", "–", "–")
    chosen = [one for one in results if one.others]
    if chosen:
        orders = set.intersection(*(set(one.figures) for one in chosen))
        means = [statistics.fmean(one.figures[order] for one in chosen) for order in sorted(orders)]
        mean = statistics.fmean(statistics.fmean(one.figures.values()) for one in chosen)
        least = min(statistics.fmean(one.figures.values()) for one in chosen)
        found.add_section()
        found.add_row("mean", "", "", f"{mean:.3f} ± {spread(means):.3f}", f"{statistics.fmean(o.best for o in chosen):.3f}")
        found.add_row("least", "", "", f"{least:.3f}", f"{min(one.best for one in chosen):.3f}")
    return found


DESCRIPTION = __doc__


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("runs", nargs="+", type=Path, metavar="FILE", help="figures of an ablation, crawled with the same topics and start URLs")
    add("--figure", choices=FIGURES, default="area", help="what is chosen by (%(default)s)")


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    values: dict[str, list[Run]] = {}
    for file in opts.runs:
        for one in read_runs(file):
            if not one.of_oracle:
                name = f"{file.stem}: {one.variant}" if len(opts.runs) > 1 else one.variant
                values.setdefault(name, []).append(one)
    if opts.figure == "share" and any(math.isnan(one.share) for runs in values.values() for one in runs):
        raise ValueError("--figure share: the path oracle did not crawl. Remedy: python -m experiments ablation --oracles")
    console().print(table(left_out(values, attrgetter(opts.figure)), FIGURES[opts.figure]))
    return 0
