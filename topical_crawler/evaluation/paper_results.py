"""What becomes of a paper's experiment: curves, and numbers with the printed ones beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from topical_crawler.corpus.record import Record
from topical_crawler.evaluation.comparison import ORACLE, RunFigures, RunKey, measure, measure_path
from topical_crawler.evaluation.labels import Label
from topical_crawler.evaluation.paper_claims import Finding, Row
from topical_crawler.evaluation.papers import MEAN, Experiment

Labels = Mapping[bytes, Label]
Crawls = Mapping[tuple[str, str], Sequence[Record]]
"""What crawls fetched, rejected pages too, in the order of fetching; by names of topic and method."""
Curves = dict[str, list[tuple[float, float]]]
"""Points by method."""
Runs = dict[str, dict[str, list[RunFigures]]]
"""Figures of crawls that ended at every checkpoint, by names of topic and method."""

STEPS = 10
"""Points of a curve over a budget: with the 5,000 pages of Sun et al. 2018, every 500 pages, as they report them."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure of a paper, ours.

    Attributes:
        key: of its file.
        title, x, y: what it shows, and the names of its axes.
        panels: curves by topic.
    """

    key: str
    title: str
    x: str
    y: str
    panels: Mapping[str, Curves]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What became of a paper's experiment.

    Attributes:
        name, paper: of the experiment.
        notes: what has to be known to read the figures.
        charts, rows, findings: see their classes.
    """

    name: str
    paper: str
    notes: Sequence[str]
    charts: Sequence[Chart]
    rows: Sequence[Row]
    findings: Sequence[Finding]


def checkpoints(budget: int) -> list[int]:
    """The numbers of pages at which curves have their points.

    >>> checkpoints(5000)[:3], checkpoints(7)
    ([500, 1000, 1500], [1, 2, 3, 4, 5, 6, 7])
    """
    return sorted({budget * i // STEPS for i in range(1, STEPS + 1)} - {0})


def run_key(topic: str, method: str) -> RunKey:
    """What a crawl of an experiment is known under."""
    return RunKey(method, topic, "seeds")


def measure_crawls(experiment: Experiment, crawls: Crawls, labels: Mapping[str, Labels], budget: int) -> Runs:
    """Every crawl of an experiment as it was at every checkpoint.

    Args:
        experiment: names topics and methods.
        crawls, labels: of each topic.
        budget: pages that a crawl could fetch.
    """
    return {
        t.name: {
            m.name: [measure(run_key(t.name, m.name), crawls[t.name, m.name], labels[t.name], k) for k in checkpoints(budget)]
            for m in experiment.methods
        }
        for t in experiment.topics
    }


def add_oracles(runs: Runs, ways: Mapping[str, Sequence[str]], labels: Mapping[str, Labels], budget: int) -> Runs:
    """Runs and, under each topic, those of the crawl that knows the labels; ``ways``: its pages by topic."""
    found = {}
    for topic, methods in runs.items():
        oracle = [measure_path(run_key(topic, ORACLE), ways[topic], labels[topic], k) for k in checkpoints(budget)]
        found[topic] = {**methods, ORACLE: oracle}
    return found


def curves(runs: Runs, value: Callable[[RunFigures], float]) -> dict[str, Curves]:
    """One figure of all runs over pages, by topic."""
    return {
        topic: {name: [(float(run.budget), value(run)) for run in found] for name, found in methods.items()}
        for topic, methods in runs.items()
    }


def with_mean(panels: Mapping[str, Curves]) -> dict[str, Curves]:
    """The panels, before them the mean over all topics.

    >>> with_mean({"a": {"vsm": [(1, 0.0)]}, "b": {"vsm": [(1, 0.5)]}})["mean"]
    {'vsm': [(1, 0.25)]}
    """
    mean: Curves = {}
    for name in next(iter(panels.values())):
        columns = zip(*(found[name] for found in panels.values()), strict=True)
        mean[name] = [(points[0][0], sum(y for _, y in points) / len(points)) for points in columns]
    return {MEAN: mean, **panels}


def rows_of(item: str, quantity: str, panels: Mapping[str, Curves], printed: Mapping[tuple[str, int], str]) -> list[Row]:
    """The points of curves as rows; ``printed``: by method and pages, for the first panel."""
    first = next(iter(panels))
    return [
        Row(item, quantity, int(x), topic, name, printed.get((name, int(x)), "") if topic == first else "", y)
        for topic, found in panels.items()
        for name, points in found.items()
        for x, y in points
    ]
