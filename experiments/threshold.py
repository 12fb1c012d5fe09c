"""Figure 2 of Zhou et al. 2019: precision and volume over the threshold of Eq. 5, in a given time.

Time is calculated, not measured: every page costs the same to fetch and, if it came, to judge. So the figures are the same on
every machine, and the pages that a time budget pays for are the first ones of any longer crawl.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from scrapy.settings import BaseSettings

from experiments.figures import blank_figure, new_figure, save_figure, write_json
from experiments.recorded_crawls import Planned, RecordedCrawls, topic_digest
from experiments.sites import add_groups, read_groups
from topical_crawler.cli.base import amount, whole
from topical_crawler.cli.evaluate import add_labels, read_corpus
from topical_crawler.cli.terminal import console as terminal
from topical_crawler.config import cache_dir
from topical_crawler.corpus.record import Record
from topical_crawler.evaluation.labels import Label, read_labels
from topical_crawler.evaluation.metrics import group_score, site_scores
from topical_crawler.recordings.reader import Recording
from topical_crawler.topic.files import read_config
from topical_crawler.topic.topic import load_topic, read_seeds
from topical_crawler.web.urls import REDIRECTED

# -- Crawls


class ThresholdCrawls:
    """Crawls that differ in their threshold only, kept in ``folder`` (see :class:`RecordedCrawls`) beside the copy of the topic
    with that threshold, ``<threshold>/<topic>``.

    Args:
        folder: made where it does not exist.
        topic: name or path.
        web: a WARC file.
        seeds: a file of URLs; None: the topic's.
        settings: ``NAME=VALUE`` for every crawl.

    Raises:
        TopicError: the topic or the seeds cannot be read.
        ValueError: ``folder`` holds crawls that were made otherwise.
    """

    def __init__(self, folder: Path, topic: str, web: Path, seeds: Path | None, settings: Sequence[str]) -> None:
        self.topic = load_topic(topic)
        self._seeds = seeds
        urls = list(self.topic.seeds) if seeds is None else read_seeds(seeds)
        self._crawls = RecordedCrawls(folder, web, settings, {"topic": topic_digest(self.topic), "seeds": urls})

    def data_dir(self, threshold: float) -> Path:
        """The data folder of the crawl with that threshold."""
        return self._crawls.data_dir(_name(threshold))

    def run(self, thresholds: Sequence[float], pages: int, processes: int, console: Console) -> None:
        """Make the crawls that are not there yet, see :meth:`RecordedCrawls.run`.

        Raises:
            CrawlFailed: one of them ended early.
        """
        self._crawls.run([self._planned(threshold) for threshold in thresholds], pages, processes, console)

    def _planned(self, threshold: float) -> Planned:
        copy = self._crawls.place(_name(threshold)) / self.topic.name
        self._copy_topic(copy, threshold)
        arguments = {"topic": f"{copy}/", "strategy": "semantic"}
        if self._seeds is not None:
            arguments["seeds"] = str(self._seeds)
        return Planned(_name(threshold), arguments, title=f"with threshold {threshold:g}")

    def _copy_topic(self, folder: Path, threshold: float) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        source = Path(self.topic.source)
        for file in source.iterdir():
            if file.is_file() and file.name != "topic.toml":
                (folder / file.name).write_bytes(file.read_bytes())
        config = read_config(source / "topic.toml")
        strategy = config.get("strategy", {})
        config["strategy"] = {**strategy, "semantic": {**strategy.get("semantic", {}), "link_threshold": threshold}}
        lines = [f"{_toml(key)} = {_toml(value)}\n" for key, value in config.items()]
        (folder / "topic.toml").write_text("".join(lines), encoding="utf-8")


def _name(threshold: float) -> str:
    return f"{threshold:g}"


def _toml(value: Any) -> str:
    """A value of a topic.toml as it may stand in one line."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_toml(key)} = {_toml(one)}' for key, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)  # TOML writes text, numbers and truth values as JSON does


# -- Figures


THRESHOLDS = (0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5, 0.8)
"""A geometric grid. The paper's 0.01 to 0.3 is on the scale of its own weights; ours are relative to the mean word's."""
PAPER = (
    "(Figure 2, 0.01 to 0.3 on a scale of its own) precision rises with the threshold and is flat from 0.2; the volume in a "
    "given time rises, too, while pages off topic are left out, and falls again when pages on topic are left out as well"
)
MARGIN = 0.01
"""Precisions that are no further apart than this count as equal."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a page costs, in seconds: ``fetch`` (> 0) each page that is asked for, ``judge`` (>= 0) each that came.

    >>> Cost(fetch=0.5, judge=0.1).most_pages(60)
    120
    """

    fetch: float = 1.0
    judge: float = 0.0

    def most_pages(self, seconds: float) -> int:
        """Pages that can be fetched in that time if none of them needs to be judged."""
        return math.floor(seconds / self.fetch + 1e-9)

    def affordable(self, records: Iterable[Record], seconds: float, is_page: Callable[[Record], bool]) -> list[Record]:
        """The first ``records`` of a crawl, as many as the time pays for; those that are no page of their own (redirects) cost
        nothing."""
        found, spent = [], 0.0
        for record in records:
            if is_page(record):
                spent += self.fetch + (self.judge if record.encoding else 0.0)  # what was decoded was judged
                if spent > seconds * (1 + 1e-9):
                    break
            found.append(record)
        return found


@dataclass(frozen=True, slots=True)
class Point:
    """One crawl of the figure.

    Attributes:
        threshold: of Eq. 5.
        pages: pages fetched.
        texts, relevant: texts kept (the paper's volume), and those of them that are relevant by label.
        precision: relevant / texts (Eq. 6); nan where no text was kept.
        recall: share of the web's relevant texts that the corpus holds.
        groups: mean precision over the sites of each group, as in Table 8.
    """

    threshold: float
    pages: int
    texts: int
    relevant: int
    precision: float
    recall: float
    groups: Mapping[str, float]


def measure(
    threshold: float,
    records: Sequence[Record],
    labels: Mapping[bytes, Label],
    groups: Mapping[str, Sequence[str]],
    is_page: Callable[[Record], bool],
) -> Point:
    """Score the rows of one crawl, in the manner of :func:`~topical_crawler.evaluation.metrics.site_scores`."""
    scores = site_scores(records, labels)
    _, total = group_score("all", scores)
    means = {name: group_score(name, [s for s in scores if s.site in members])[0] for name, members in groups.items()}
    precision = total.precision if total.collected else math.nan
    return Point(threshold, sum(map(is_page, records)), total.collected, total.relevant, precision, total.recall, means)


def best_point(points: Iterable[Point]) -> Point | None:
    """The point with the most relevant texts among those whose precision is within :data:`MARGIN` of the best; of several, the
    one that fetched the fewest pages. None where no text was kept.

    >>> def point(threshold, pages, texts, relevant):
    ...     return Point(threshold, pages, texts, relevant, relevant / texts, 0.5, {})
    >>> best_point([point(0.1, 900, 100, 80), point(0.4, 900, 80, 76), point(1.6, 500, 40, 38)]).threshold
    0.4
    """
    some = [p for p in points if p.texts]
    if not some:
        return None
    enough = max(p.precision for p in some) - MARGIN - 1e-9
    return max((p for p in some if p.precision >= enough), key=lambda p: (p.relevant, -p.pages, p.threshold))


def shape(points: Sequence[Point]) -> str:
    """The curve in words, to be held against :data:`PAPER`; ``points`` in the order of their thresholds."""
    some = [p for p in points if p.texts]
    if not some:
        return "no text was kept"
    first, last = some[0], some[-1]
    flat = next(p for n, p in enumerate(some) if all(abs(q.precision - last.precision) <= MARGIN for q in some[n:]))
    most = max(p.texts for p in some)
    peak = [f"{p.threshold:g}" for p in some if p.texts == most]
    where = peak[0] if len(peak) == 1 else f"{peak[0]} to {peak[-1]}"
    return (
        f"precision {100 * first.precision:.1f} % at {first.threshold:g}, {100 * last.precision:.1f} % at {last.threshold:g}, "
        f"flat (within {100 * MARGIN:g} point) from {flat.threshold:g}; volume {first.texts} texts at {first.threshold:g}, "
        f"most at {where} ({most}), {last.texts} at {last.threshold:g}"
    )


def draw(budgets: Mapping[float, Sequence[Point]], path: Path) -> None:
    """The figure: precision to the left, texts kept to the right, over the threshold; ``budgets`` are points by seconds.

    Raises:
        ImportError: matplotlib is not installed; the message says how to get it.
    """
    figure, precision = new_figure("Threshold of Eq. 5 (Zhou et al. 2019, Figure 2)", "threshold", "precision, % (solid)")
    volume = precision.twinx()
    volume.set_ylabel("texts kept (dashed)")
    for number, (seconds, points) in enumerate(budgets.items()):
        thresholds, colour = [p.threshold for p in points], f"C{number}"
        precision.plot(thresholds, [100 * p.precision for p in points], "-", color=colour, marker="o", label=f"{seconds:g} s")
        volume.plot(thresholds, [p.texts for p in points], "--", color=colour, marker="s", markerfacecolor="none")
    if min(p.threshold for points in budgets.values() for p in points) > 0:
        precision.set_xscale("log")
        precision.xaxis.set_major_formatter("{x:g}")
    least = min((p.precision for points in budgets.values() for p in points if p.texts), default=0.0)
    precision.set_ylim(min(90, 10 * math.floor(10 * least)), 102)
    volume.set_ylim(bottom=0)
    figure.legend(loc="outside lower center", ncols=len(budgets), frameon=False, title="budget")
    save_figure(figure, path)


# -- The command


DESCRIPTION = (
    "Precision and volume over the threshold above which a link is followed, in a given time (Zhou et al. 2019, Figure 2). Every "
    "threshold is a crawl of its own through the real spider, on a recorded web, by the strategy 'semantic'. Time is reckoned: "
    "each page costs --cost seconds. The crawls are kept below --out: an experiment that was interrupted resumes, and "
    " further thresholds, longer budgets or other labels use the crawls that are there. Settings (-s) go to every crawl."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("topic", help="name or path")
    add_labels(parser)
    add("--web", type=Path, required=True, metavar="WARC", help="the recorded web")
    add("--seeds", type=Path, metavar="FILE", help="start URLs, one a line (default: the topic's)")
    add(
        "--thresholds",
        type=_thresholds,
        default=THRESHOLDS,
        metavar="X,X",
        help=f"thresholds of Eq. 5 (default: {','.join(f'{t:g}' for t in THRESHOLDS)})",
    )
    add("--seconds", type=_positive_numbers, default=(1000.0,), metavar="N,N", help="time budget, or several (default: 1000)")
    add("--cost", type=_positive, default=1.0, metavar="S", help="seconds that a page costs to fetch (default: %(default)g)")
    add(
        "--judge-cost",
        type=amount,
        default=0.0,
        metavar="S",
        help="further seconds for each page that came and was judged (default: %(default)g)",
    )
    add("--processes", type=whole(1), default=2, metavar="N", help="crawls at a time (default: %(default)s)")
    add_groups(parser)
    add("--out", type=Path, default=Path("results"), metavar="DIR", help="default: %(default)s")


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    labels = read_labels(opts.labels, opts.grade)
    groups = read_groups(opts.group, sorted({label.site for label in labels.values()}))
    thresholds, budgets = sorted(set(opts.thresholds)), sorted(set(opts.seconds))
    cost = Cost(opts.cost, opts.judge_cost)
    if not (pages := cost.most_pages(budgets[-1])):
        raise ValueError(f"--seconds {budgets[-1]:g} do not pay for one page of --cost {cost.fetch:g}. Remedy: more seconds")
    blank_figure(1, 1)  # fails without matplotlib: before the crawls, not after them
    Recording(opts.web, cache_dir(settings)).close()  # makes its index, which all crawls need
    crawls = ThresholdCrawls(opts.out / "threshold.crawls", opts.topic, opts.web, opts.seeds, tuple(opts.set))
    try:
        crawls.run(thresholds, pages, opts.processes, terminal(stderr=True))
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    points: dict[float, list[Point]] = {seconds: [] for seconds in budgets}
    for threshold in thresholds:
        records = read_corpus(crawls.data_dir(threshold))
        for seconds in budgets:
            points[seconds].append(measure(threshold, cost.affordable(records, seconds, _is_page), labels, groups, _is_page))
    console = terminal()
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
