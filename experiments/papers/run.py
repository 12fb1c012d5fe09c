"""The crawling experiments of three papers on recorded webs: ``python -m experiments papers``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from scrapy.settings import BaseSettings

import topical_crawler
from experiments.oracle import path
from experiments.papers import chen, sun, zhang
from experiments.papers.crawls import Web, narrow_topics, open_crawls
from experiments.papers.experiment import CHEN, NARROW, NARROW_WORD, SUN, ZHANG, Experiment, Labels, Measurement, Reproduction
from experiments.papers.report import FILES, write_report
from experiments.report import check_libraries
from experiments.web_graph import WebGraph
from topical_crawler import config
from topical_crawler.cli.base import whole
from topical_crawler.cli.terminal import console as terminal
from topical_crawler.evaluation.labels import read_labels
from topical_crawler.recordings.reader import Recording
from topical_crawler.services import MistakeError

# -- Tables in the terminal


_MOST_COLUMNS = 5


def paper_tables(one: Reproduction) -> Group:
    """A table for every figure, then what the paper says of them and whether it holds, then what has to be known."""
    parts: list[RenderableType] = [Text(f"\n{one.paper}", style="bold")]
    parts += _tables(one.rows)
    for found in one.findings:
        mark = Text("✓ ", style="green") if found.holds else Text("✗ ", style="red")
        parts.append(mark + Text(f"{found.item}: {found.sentence}", style=""))
    parts += [Text(f"· {note}", style="dim") for note in one.notes]
    return Group(*parts)


def _tables(rows: Sequence[Measurement]) -> Iterator[RenderableType]:
    """Methods below each other; topics, or, where there are several numbers of pages, some of these for mean or only topic."""
    for item, quantity in dict.fromkeys((r.item, r.quantity) for r in rows):
        own = [r for r in rows if (r.item, r.quantity) == (item, quantity)]
        columns, several = _columns(own), len({r.topic for r in own}) > 1
        cells = {(r.method, r.topic, r.pages): r for r in own}
        yield Text(f"{item}: {quantity}", style="italic")
        table = Table("method", pad_edge=False)
        printed = {column: any(r.printed for r in own if (r.topic, r.pages) == column) for column in columns}
        for topic, pages in columns:
            head = " ".join((*([escape(topic)] if several else ()), *([f"@{pages:,}"] if pages else ())))
            if printed[topic, pages]:
                table.add_column(f"{head} printed".strip(), justify="right", style="dim")
                table.add_column("ours", justify="right")
            else:
                table.add_column(head, justify="right")
        for method in dict.fromkeys(r.method for r in own):
            line = []
            for column in columns:
                row = cells.get((method, *column))
                said = [row.printed if row and row.printed else "–"] if printed[column] else []
                line += [*said, row.written if row else "–"]
            table.add_row(escape(method), *map(escape, line))
        yield table


def _columns(rows: Sequence[Measurement]) -> list[tuple[str, int]]:
    pages = sorted({r.pages for r in rows})
    if len(pages) == 1:
        return list(dict.fromkeys((r.topic, r.pages) for r in rows))
    topic = rows[0].topic
    chosen = sorted({pages[round(i * (len(pages) - 1) / (_MOST_COLUMNS - 1))] for i in range(_MOST_COLUMNS)})
    return [(topic, k) for k in chosen]


# -- The command


DESCRIPTION = (
    "Figures 4-6 of Sun et al. 2018 (sun) on recorded sites, Figures 3-5 of Zhang et al. (zhang) on a recorded bookshop, Table 1 "
    "of Chen & Zhu 2011 (chen) on a recorded news portal: the printed numbers beside ours, and whether what the papers say of "
    "them holds. Every crawl goes through the real spider, with one request in flight. The crawls are kept below "
    "--out/papers-crawls: an interrupted experiment resumes, and a larger budget lengthens its crawls. "
    "Settings (-s) go to every crawl."
)
EXPERIMENTS = {found.name: found for found in (ZHANG, CHEN, SUN)}
"""In the order in which they are run: the long one last."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    names = ", ".join(EXPERIMENTS)
    add("paper", nargs="*", type=_paper, metavar="PAPER", help=f"{names} (default: all whose data are given)")
    add(
        "--bookshop",
        type=Path,
        metavar="FOLDER",
        help="zhang: a folder with bookshop.warc.gz, bookshop-labels.tsv, bookshop-seeds.txt (default in a checkout: demo)",
    )
    for option, paper, what in (("sites", "sun", "recorded sites"), ("portal", "chen", "a recorded news portal")):
        add(f"--{option}", type=Path, metavar="WARC", help=f"{paper}: {what}")
        columns = ", ".join(dict.fromkeys(t.grade for t in EXPERIMENTS[paper].topics))
        add(f"--{option}-labels", type=Path, metavar="TSV", help=f"its labels, with the columns {columns}")
        add(f"--{option}-seeds", type=Path, metavar="FILE", help="start URLs, one a line")
    defaults = ", ".join(f"{name} {found.pages:,}" for name, found in EXPERIMENTS.items())
    add("--budget", type=whole(1), metavar="N", help=f"pages that a crawl may fetch (default: {defaults})")
    add("--processes", type=whole(1), default=2, metavar="N", help="crawls at a time (default: %(default)s)")
    add("--json", action="store_true", help="print figures as JSON")
    add("--out", type=Path, default=Path("results"), metavar="DIR", help="default: %(default)s")


@dataclass(frozen=True, slots=True)
class _Bench:
    """What all experiments are run with."""

    out: Path
    settings: Sequence[str]
    cache: Path
    processes: int
    console: Console


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    webs = _webs(opts)
    check_libraries()  # before the crawls, not after them
    bench = _Bench(opts.out, tuple(opts.set), config.cache_dir(settings), opts.processes, terminal(stderr=True))
    known = {name: _labels(EXPERIMENTS[name], web) for name, web in webs.items()}
    for web in webs.values():
        Recording(web.warc, bench.cache).close()  # makes its index, which all crawls need
    reproduce: dict[str, Callable[[Web, Mapping[str, Labels], int], Reproduction]] = {
        ZHANG.name: partial(_zhang, bench),
        CHEN.name: partial(_chen, bench),
        SUN.name: partial(_sun, bench),
    }
    try:
        found = [reproduce[name](web, known[name], opts.budget or EXPERIMENTS[name].pages) for name, web in webs.items()]
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    files = write_report(opts.out, found, _about(opts, webs))
    if opts.json:
        print((opts.out / FILES[0]).read_text(encoding="utf-8"), end="")
        return 0
    screen = terminal()
    for one in found:
        screen.print(paper_tables(one))
    screen.print(f"→ {opts.out}/{', '.join(files)}", markup=False, highlight=False, soft_wrap=True)
    return 0


def _zhang(bench: _Bench, web: Web, labels: Mapping[str, Labels], pages: int) -> Reproduction:
    crawls = open_crawls(ZHANG, web, _place(bench, ZHANG.name), bench.settings)
    return zhang.reproduce(crawls.run(pages, bench.processes, bench.console), labels[ZHANG.topics[0].name])


def _chen(bench: _Bench, web: Web, labels: Mapping[str, Labels], pages: int) -> Reproduction:
    crawls = open_crawls(CHEN, web, _place(bench, CHEN.name), bench.settings)
    return chen.reproduce(crawls.run(pages, bench.processes, bench.console), labels, pages)


def _sun(bench: _Bench, web: Web, labels: Mapping[str, Labels], pages: int) -> Reproduction:
    place = _place(bench, SUN.name)
    crawls = open_crawls(SUN, web, place, bench.settings)
    narrow = open_crawls(
        NARROW, web, place, bench.settings, narrow_topics(NARROW, NARROW_WORD, bench.out.absolute() / "papers-topics")
    )
    few = narrow.run(pages, bench.processes, bench.console)
    found = crawls.run(pages, bench.processes, bench.console)
    with bench.console.status("measuring"):
        graph = WebGraph.open(web.warc, bench.cache)
        ways = {
            t.name: path(graph, config.seeds(crawls.topics[t.name, "esvsm"], {"seeds": str(web.seeds)}), labels[t.name], pages)
            for t in SUN.topics
        }
        return sun.reproduce(found, labels, ways, few, pages)


def _place(bench: _Bench, name: str) -> Path:
    return bench.out / "papers-crawls" / name


def _labels(experiment: Experiment, web: Web) -> dict[str, Labels]:
    """The labels by topic, of that of Figure 4, too."""
    topics = (*experiment.topics, *(NARROW.topics if experiment is SUN else ()))
    columns = {grade: read_labels(web.labels, grade) for grade in dict.fromkeys(t.grade for t in topics)}
    return {topic.name: columns[topic.grade] for topic in topics}


def _webs(opts: argparse.Namespace) -> dict[str, Web]:
    """The recorded webs of the papers that were asked for, or of all for which one was given."""
    given = {ZHANG.name: _bookshop(opts.bookshop), CHEN.name: _web(opts, "portal"), SUN.name: _web(opts, "sites")}
    remedies = {ZHANG.name: "--bookshop FOLDER", CHEN.name: _needed("portal"), SUN.name: _needed("sites")}
    for name in opts.paper:
        if given[name] is None:
            raise MistakeError(f"{name} needs a recorded web. Remedy: {remedies[name]}")
    chosen = {name: web for name, web in given.items() if web is not None and (name in opts.paper or not opts.paper)}
    if not chosen:
        raise MistakeError(f"no recorded web is given. Remedy: one of {'; '.join(remedies.values())}")
    return chosen


def _web(opts: argparse.Namespace, name: str) -> Web | None:
    parts = [getattr(opts, f"{name}{part}") for part in ("", "_labels", "_seeds")]
    if not any(parts):
        return None
    if not all(parts):
        raise MistakeError(f"--{name}, its labels and its seeds belong together. Remedy: {_needed(name)}")
    return Web(*parts)


def _needed(name: str) -> str:
    return f"--{name} WARC --{name}-labels TSV --{name}-seeds FILE"


def _bookshop(folder: Path | None) -> Web | None:
    if folder is None:
        folder = Path(topical_crawler.__file__).resolve().parents[1] / "demo"
        if not (folder / "bookshop.warc.gz").is_file():  # not a checkout
            return None
    return Web(folder / "bookshop.warc.gz", folder / "bookshop-labels.tsv", folder / "bookshop-seeds.txt")


def _about(opts: argparse.Namespace, webs: Mapping[str, Web]) -> dict[str, str]:
    return {
        **{f"web of {name}": web.warc.name for name, web in webs.items()},
        "pages": ", ".join(f"{name} {opts.budget or EXPERIMENTS[name].pages:,}" for name in webs),
        "settings": " ".join(opts.set),
    }


def _paper(text: str) -> str:
    if text not in EXPERIMENTS:
        raise argparse.ArgumentTypeError(f"there is no experiment {text!r}; there are {', '.join(EXPERIMENTS)}")
    return text
