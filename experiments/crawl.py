"""Compare strategies on a recorded web: ``python -m experiments crawl``."""

from __future__ import annotations

import argparse
import csv
import functools
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from scrapy.settings import BaseSettings

from experiments import plan
from experiments.comparison import CHECKPOINTS, ORACLE, RunFigures, RunKey, Setting, measure, measure_path
from experiments.comparison_report import FIGURES, FILES, write_report, written
from experiments.figures import write_json
from experiments.floors import Floor, fallen, read_floors
from experiments.labels import merged_labels
from experiments.oracle import path
from experiments.plan import DRAWING, Bounds, Cell, LabelledTopic, Start
from experiments.ranking import Comparison, Estimate
from experiments.recorded_crawls import Planned, RecordedCrawls, Usage, topic_digest
from experiments.report import check_libraries
from experiments.thinning import Thinning
from experiments.web_graph import WebGraph
from topical_crawler.cli.base import whole
from topical_crawler.cli.evaluate import read_corpus
from topical_crawler.cli.terminal import console as terminal
from topical_crawler.config import cache_dir
from topical_crawler.files import replacing
from topical_crawler.recordings.reader import Recording
from topical_crawler.services import MistakeError
from topical_crawler.strategies import names as known_strategies
from topical_crawler.topic.topic import load_topic

# -- CPU time and memory: in files of their own, since they are never the same twice


COSTS = ("costs.json", "costs.csv")
"""The files of :func:`write_costs`."""


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU time and memory of the crawls of one strategy under one setting, all random seeds together.

    Attributes:
        cpu_ms_per_page: CPU milliseconds for a page; nan where no page was measured.
        peak_mb: most memory of one process, in MiB.
    """

    cpu_ms_per_page: float
    peak_mb: float


def cost(usages: Mapping[RunKey, Usage], setting: Setting, strategy: str) -> Cost:
    """The cost of a strategy under a setting."""
    own = [usage for key, usage in usages.items() if key.setting == setting and key.strategy == strategy]
    pages, seconds = sum(u.pages for u in own), sum(u.cpu_seconds for u in own)
    return Cost(1000 * seconds / pages if pages else float("nan"), max((u.peak_mb for u in own), default=0.0))


def write_costs(out: Path, usages: Mapping[RunKey, Usage]) -> None:
    """Write :data:`COSTS` into ``out``: a row for every crawl, over all the pages that it has."""
    rows = [
        {
            **asdict(key),
            **asdict(usage),
            "pages_per_cpu_second": round(usage.pages / usage.cpu_seconds, 2) if usage.cpu_seconds else 0.0,
        }
        for key, usage in usages.items()
    ]
    data, table = (out / name for name in COSTS)
    write_json(data, {"crawls": rows})
    with replacing(table, "utf-8-sig") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(rows)


# -- Tables in the terminal


_LAST = ("recall", "area", "harvest_rate", "mean_relevance", "kept_precision", "kept_recall", "kept_f", "hosts")
_CPU, _MEMORY = "CPU ms a page", "peak MB"
_DROPPED_FIRST = (
    "hosts",
    _MEMORY,
    "mean_relevance",
    "harvest_rate",
    "kept_precision",
    "kept_recall",
    _CPU,
    "recall_500",
    "recall_2000",
)
"""Columns that a narrow terminal leaves out, in this order; the files have all of them."""
_FIRST = 15
_WIDTH = 8
"""Width in characters of the column of names, and of a column of figures."""


def comparison_table(comparison: Comparison, setting: Setting, usages: Mapping[RunKey, Usage], width: int) -> Table:
    """The strategies under one setting by their area under the recall curve, then the oracle.

    Figures are means over the random seeds; the area has its interval (of 95 %; the extremes of two seeds). ``width`` is that of
    the terminal in characters: the narrower, the fewer figures.
    """
    columns = ["pages", *(f"recall_{k}" for k in CHECKPOINTS if k < comparison.budget), *_LAST, _CPU, _MEMORY]
    for name in _DROPPED_FIRST:
        if _FIRST + _WIDTH * len(columns) > width and name in columns:
            columns.remove(name)
    oracle = comparison.oracles[setting]
    bound = f", at most {setting.cap} pages of a host" if setting.cap else ""
    links = f", {setting.keep_links * 100:g} % of the links of every page" if setting.keep_links < 1 else ""
    title = f"{escape(setting.topic)} from {escape(setting.start)}{links}{bound}; {oracle.total} texts on topic in the web"
    table = Table(title=title, title_justify="left", pad_edge=False, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("strategy", no_wrap=True)
    for name in columns:
        head = f"recall @{comparison.budget:,}" if name == "recall" else FIGURES[name].head if name in FIGURES else name
        table.add_column(head, justify="right", max_width=11 if name == "area" else 9, overflow="fold")
    estimates = comparison.estimates(setting)
    for strategy, area in comparison.ranking(setting):
        took = cost(usages, setting, strategy)
        figures = {name: written(estimates[strategy][name].mean, FIGURES[name].form) for name in columns if name in FIGURES}
        figures["area"] += _interval(area)
        figures[_CPU] = "–" if math.isnan(took.cpu_ms_per_page) else f"{took.cpu_ms_per_page:.1f}"
        figures[_MEMORY] = f"{took.peak_mb:.0f}"
        seeds = f" ×{area.seeds}" if area.seeds > 1 else ""
        table.add_row(strategy + seeds, *(figures[name] for name in columns))
    table.add_section()
    best = oracle.scalars()
    table.add_row(ORACLE, *(written(best[n], FIGURES[n].form) if n in FIGURES else "" for n in columns), style="dim")
    return table


def _interval(found: Estimate) -> str:
    """The interval of a figure on a line of its own; "" for a single crawl."""
    form = FIGURES["area"].form
    return f"\n{written(found.low, form)}–{written(found.high, form)}" if found.seeds > 1 else ""


# -- The command


DESCRIPTION = (
    "Crawls of a recorded web through the real spider, with one request in flight: every strategy for every topic, from every "
    "set of start URLs, with every share of the links, under every bound on the pages of a host, with every random seed; beside "
    "them an oracle that knows labels and links. The crawls are kept below --out/crawls: an evaluation that was interrupted goes "
    "on where it was, and further strategies and topics, longer budgets or other labels use the crawls that are there. A "
    f"strategy that chooses nothing at random (all but {', '.join(sorted(DRAWING))}) crawls once where start URLs and links are "
    "the same. Settings (-s) go to every crawl."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("topic", nargs="+", metavar="TOPIC[=COLUMN]", help="name or path, and the column of its grade where it is not --grade")
    add(
        "--labels",
        type=Path,
        action="append",
        required=True,
        metavar="FILE",
        help="TSV with url, kind and grades; may be repeated",
    )
    add(
        "--grade",
        default="grade",
        metavar="COLUMN",
        help="column of the grade (default: %(default)s); a file without it counts as 0",
    )
    add("--web", type=Path, action="append", required=True, metavar="WARC", help="the recorded web; may be repeated")
    add("--strategy", type=_strategies, action="extend", metavar="A,B", help="strategies; may be repeated (default: all)")
    add("--budget", type=whole(1), default=4000, metavar="N", help="pages that a crawl may fetch (default: %(default)s)")
    starts = parser.add_mutually_exclusive_group()
    starts.add_argument(
        "--seeds",
        type=_seeds,
        action="append",
        default=[],
        metavar="[NAME=]FILE,FILE",
        help="start URLs, one a line; may be repeated with other names (default: the topic's)",
    )
    starts.add_argument(
        "--start-texts",
        type=whole(1),
        metavar="N",
        help="start at N texts on topic, which every random seed draws anew from the labels",
    )
    add("--random-seeds", type=whole(1), default=1, metavar="N", help="random seeds, 0 to N-1 (default: %(default)s)")
    add("--cap", type=_caps, default=(0,), metavar="N,N", help="most pages of a host, 0: no bound (default: 0)")
    add(
        "--keep-links",
        type=_shares,
        default=(1.0,),
        metavar="S,S",
        help="share of the links of every page that the crawls see, each random seed others; 1: all (default: 1)",
    )
    add("--processes", type=whole(1), default=2, metavar="N", help="crawls at a time (default: %(default)s)")
    add("--json", action="store_true", help="print figures as JSON")
    add(
        "--floors",
        type=Path,
        metavar="FILE",
        help="least figures, as TOML: [TOPIC.STRATEGY] with lines like area = 0.8; the exit code is 1 where one is not reached",
    )
    add("--out", type=Path, default=Path("results"), metavar="DIR", help="default: %(default)s")


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    console = terminal(stderr=True)
    topics = _topics(opts.topic, opts.labels, opts.grade)
    strategies = list(dict.fromkeys(opts.strategy or known_strategies()))
    bounds = Bounds(sorted(set(opts.cap)), sorted(set(opts.keep_links), reverse=True))
    floors = read_floors(opts.floors) if opts.floors else []
    check_libraries()  # before the crawls, not after them
    with Recording(opts.web, cache_dir(settings)) as recording:  # makes its index, which all crawls need
        starts = {t.topic.name: _starts(t, opts, recording) for t in topics}
    crawls, planned = _plan(opts, topics, starts, strategies, bounds)
    try:
        crawls.run([_ready(cell, crawls) for cell in planned], opts.budget, opts.processes, console)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    labels = {t.topic.name: t.labels for t in topics}
    with console.status("measuring"):
        runs = [measure(c.key, read_corpus(crawls.data_dir(c.name)), labels[c.key.topic], opts.budget) for c in planned]
        oracles = _oracles(topics, starts, bounds, opts.budget, WebGraph.open(opts.web, cache_dir(settings)))
        comparison = Comparison(f"Crawls of {_names(opts.web)}", runs, oracles, _about(opts, topics, strategies, bounds))
        write_report(opts.out, comparison)
    usages = {cell.key: crawls.usage(cell.name) for cell in planned}
    write_costs(opts.out, usages)
    if opts.json:
        print((opts.out / "crawl.json").read_text(encoding="utf-8"), end="")
    else:
        screen = terminal()
        for setting in comparison.settings:
            screen.print(comparison_table(comparison, setting, usages, screen.width))
        screen.print(f"→ {opts.out}/{', '.join((*FILES, *COSTS))}", markup=False, highlight=False, soft_wrap=True)
    return _hold(floors, runs, console)


def _hold(floors: Sequence[Floor], runs: Sequence[RunFigures], console: Console) -> int:
    """Report the floors that were not reached; the exit code."""
    below = fallen(floors, runs)
    for floor, value in below:
        console.print(f"below its floor: {floor.name} is {value:.4f}, at least {floor.least:g} is held", soft_wrap=True)
    if floors and not below:
        console.print(f"{len(floors)} floors are held", highlight=False)
    return 1 if below else 0


def _topics(given: Iterable[str], labels: Sequence[Path], grade: str) -> list[LabelledTopic]:
    found = []
    of_column = functools.cache(functools.partial(merged_labels, labels))
    for text in given:
        name, sign, column = text.rpartition("=")
        topic, column = load_topic(name if sign else text), column if sign else grade
        found.append(LabelledTopic(topic, column, of_column(column)))
    names = Counter(t.topic.name for t in found)
    if names.most_common(1)[0][1] > 1:
        raise MistakeError(f"two topics are named {names.most_common(1)[0][0]!r}. Remedy: name each once")
    return found


def _starts(topic: LabelledTopic, opts: argparse.Namespace, recording: Recording) -> list[Start]:
    if opts.start_texts:
        return plan.drawn_starts(topic, recording, opts.start_texts, opts.random_seeds)
    files = dict(opts.seeds)
    if len(files) < len(opts.seeds):
        raise MistakeError("two sets of --seeds have one name. Remedy: name them, --seeds first=FILE")
    return plan.given_starts(topic.topic, files, opts.random_seeds)


def _plan(
    opts: argparse.Namespace,
    topics: Iterable[LabelledTopic],
    starts: Mapping[str, Sequence[Start]],
    strategies: Sequence[str],
    bounds: Bounds,
) -> tuple[RecordedCrawls, list[Cell]]:
    """The crawls to compare, and the folder that keeps them."""
    planned: list[Cell] = []
    made_of: dict[str, object] = {}
    for topic in topics:
        name = topic.topic.name
        planned += plan.cells(topic.topic, strategies, starts[name], bounds)
        made_of[f"topic {name}"] = topic_digest(topic.topic)
        made_of |= {f"start URLs {start.called} of {name}": list(start.urls) for start in starts[name]}
    return RecordedCrawls(opts.out / "crawls", opts.web, tuple(opts.set), made_of), planned


def _ready(cell: Cell, crawls: RecordedCrawls) -> Planned:
    """Write the start URLs of a crawl into its folder; the crawl as it is run."""
    file = crawls.place(cell.name) / "seeds.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{url}\n" for url in cell.start.urls), encoding="utf-8")
    return cell.planned(file)


def _oracles(
    topics: Iterable[LabelledTopic], starts: Mapping[str, Sequence[Start]], bounds: Bounds, budget: int, graph: WebGraph
) -> dict[Setting, RunFigures]:
    found = {}
    webs = {share: graph.thinned(Thinning(share)) for share in bounds.keep_links}
    for topic in topics:
        for setting, start in plan.settings_of(topic.topic, starts[topic.topic.name], bounds):
            way = path(webs[setting.keep_links], start.urls, topic.labels, budget, setting.cap)
            key = RunKey(ORACLE, setting.topic, setting.start, 0, setting.cap, setting.keep_links)
            found[setting] = measure_path(key, way, topic.labels, budget)
    return found


def _about(
    opts: argparse.Namespace, topics: Iterable[LabelledTopic], strategies: Sequence[str], bounds: Bounds
) -> dict[str, str]:
    return {
        "web": _names(opts.web),
        "labels": _names(opts.labels),
        "topics": ", ".join(f"{t.topic.name} (column {t.grade})" for t in topics),
        "strategies": ", ".join(strategies),
        "pages": str(opts.budget),
        "random seeds": str(opts.random_seeds),
        "pages of a host": ", ".join(str(cap) if cap else "no bound" for cap in bounds.caps),
        "links of a page": ", ".join(f"{share * 100:g} %" if share < 1 else "all" for share in bounds.keep_links),
        "settings": " ".join(opts.set),
    }


def _names(files: Iterable[Path]) -> str:
    return ", ".join(file.name for file in files)


def _strategies(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in known_strategies()]:
        raise argparse.ArgumentTypeError(f"there is no strategy {unknown[0]!r}; there are {', '.join(known_strategies())}")
    return names


def _seeds(text: str) -> tuple[str, list[Path]]:
    named = re.fullmatch(r"([\w-]+)=(.+)", text)
    name, files = (named[1], named[2]) if named else ("seeds", text)
    return name, [Path(files)] if Path(files).exists() else list(map(Path, files.split(",")))


def _caps(text: str) -> tuple[int, ...]:
    number: Callable[[str], int] = whole(0)
    return tuple(map(number, text.split(",")))


def _shares(text: str) -> tuple[float, ...]:
    return tuple(map(_share, text.split(",")))


def _share(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 < found <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number over 0 and up to 1")
    return found
