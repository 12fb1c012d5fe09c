"""Strategies, and one with parts left out, compared in seconds a crawl: crawls of a recorded web without Scrapy.

Every page is read, extracted and cleaned once and cached below --cache; then the product's own crawl (frontier in memory, link
rules, strategies, one request in flight) is handed the pages that it asks for. A redirect costs nothing, what is not recorded
costs a page, as in :mod:`experiments.crawl`. What a corpus knows is left out: near-duplicates (a text that is the same letter by
letter counts once), lines that a site repeats, articles on several pages.

With --no-texts nothing is extracted: a page that the strategy keeps counts as one that gave a text, unless its address is that of
a list, and no strategy is asked whether a main text belongs after all (``confirm``). A few such pages more or less decide whether
a host is barren, and then where the crawl goes: most areas are the same to the third digit, one was .13 off.

One order of the start URLs is one chance: what is fetched first decides what is learned, and a topic moves by some hundredths.
With --shuffle every random seed has an order of its own, for every strategy.

Topics are folders (--topics), or made for this run from a sentence each, as by ``topic new`` (--sentences FILE): lines
of name, column of grades and sentence, separated by tabs. Sentences of columns that no labels have are left out.

A row of the tables is a strategy, or a strategy with some of its parameters changed:

    --parameter semantic.tunnel=0   of every crawl of that strategy, whatever the topic says
    --without anchor,lists          rows "adaptive -anchor" and "adaptive -lists", see :data:`~experiments.adaptive_without.PARTS`
    --marks 20@300,30@800           a row "adaptive 20@300,30@800": a person marks 20 texts after 300 pages, 30 after 800
    --choose STRATEGY.P=0.1,0.2     a row for each value, and the figures of every topic under the value that is best on others
    --oracles                       rows "oracle path" and "oracle greedy", and every area as a share of the first one's
    --regret                        the hosts at which the most area is lost against "oracle path", ten for each row

Area is that under the curve of recall, over the best possible; "beside the first" is the mean difference to the first row over
topics, starts and random seeds, with the middle 95 % of a bootstrap over these. Precision is the share of texts on topic among
the kept pages that the labels call articles, those of grade 1 left out; kept recall the share of all texts on topic that are
among them. CPU time is that of the crawl without its start; a link counts each time it is scored.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import gc
import math
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

import platformdirs
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from scrapy.settings import BaseSettings, Settings
from w3lib.url import safe_url_string

from experiments import choose, plan
from experiments.adaptive_without import PARTS, adaptive_without
from experiments.comparison import REDIRECTED, measure, measure_path
from experiments.labels import columns, merged_labels
from experiments.memory_frontier import MemoryFrontier
from experiments.oracle import ORACLES
from experiments.plan import Bounds, Cell, LabelledTopic, Start
from experiments.regret import ELSEWHERE, HostFigures, by_host, mean_figures
from experiments.runs import Run, write_runs
from experiments.sampling import bootstrap
from experiments.thinning import Thinning
from experiments.web_graph import MAX_REDIRECTS, WebGraph
from experiments.web_in_memory import Text, Web, read_web
from topical_crawler import config, settings, strategies
from topical_crawler.cli.base import whole
from topical_crawler.corpus.dedup import DUPLICATE
from topical_crawler.corpus.record import Record, text_hash
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.crawl import Crawl
from topical_crawler.crawl.steering import MOST_MARKS, seed_entry
from topical_crawler.evaluation.labels import MIXED, RELEVANT, Label
from topical_crawler.frontier.base import Entry
from topical_crawler.items import OFF_TOPIC_TEXT, PageItem, now_utc
from topical_crawler.middlewares import judge
from topical_crawler.recordings.reader import Recording
from topical_crawler.resources.registry import Resources
from topical_crawler.spiders.topical import TopicalSpider
from topical_crawler.strategies import OFF_TOPIC, Strategy
from topical_crawler.topic.files import MarkedText
from topical_crawler.topic.topic import Topic, load_topic
from topical_crawler.web import dom
from topical_crawler.web.page import Candidate, Link, Page, full_text
from topical_crawler.web.urls import fingerprint, host

PAGES = (500, 1000, 2000, 4000)
"""Numbers of pages at which recall is given."""
LEARNER = "adaptive"
"""The strategy of which parts can be left out."""
LIST = "list page"
"""Why a page is not kept that has the address of a list, as the extraction has it."""
BEST = "oracle path"
"""The row of the oracle that knows the way."""
WORST = 10
"""Hosts of a row in the table of regret."""
LEAST_PART = 0.1
"""Share of a topic's relevant texts from which a recording counts as one that it is measured on."""
WHOLE = Thinning()
"""A web with all its links."""
UNREAD = "-"
"""Stands for the text of a page that is kept."""


class Timed:
    """A strategy of which the time to score links is taken; all else is the strategy's own."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy
        self.links = 0
        self.seconds = 0.0

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        start = time.process_time()
        scores = self._strategy.score(candidates)
        self.seconds += time.process_time() - start
        self.links += len(candidates)
        return scores

    def __getattr__(self, name: str) -> Any:
        return getattr(self._strategy, name)


class Rows:
    """Stands for the corpus: it keeps what is stored, in its order, and each text once."""

    def __init__(self) -> None:
        self._records: dict[str, Record] = {}
        self._texts: set[str] = set()

    @property
    def records(self) -> list[Record]:
        return list(self._records.values())

    def get(self, key: str) -> Record | None:
        return self._records.get(key)

    def kept_among(self, keys: Iterable[str]) -> list[str]:
        return [key for key in keys if self._records[key].keep]

    def put(self, record: Record, lines: object = None) -> Record:
        if record.keep and record.text != UNREAD:
            known = text_hash(record.text or "")
            if known in self._texts:
                record = dataclasses.replace(record, keep=False, reason=DUPLICATE, text=None)
            self._texts.add(known)
        self._records[record.key] = record
        return record


class Person:
    """Marks texts of a crawl as their labels say, when its plan says so: half of them those whose relevance is nearest to the
    threshold, the others the best ones of the corpus. None is marked twice; texts of grade 1 count as off topic.

    Args:
        plan: how many texts, and after how many pages; the pages rise.
        labels: texts without one are not marked.
    """

    def __init__(self, plan: Iterable[tuple[int, int]], labels: Mapping[bytes, Label]) -> None:
        self._plan = list(plan)
        self._labels = labels
        self._marked: set[str] = set()

    def mark(self, crawl: Crawl, web: Web) -> None:
        """Mark what is due."""
        while self._plan and crawl.log.finished >= self._plan[0][1]:
            if texts := self._texts(crawl, web, self._plan.pop(0)[0]):
                crawl.control.mark(texts)

    def _texts(self, crawl: Crawl, web: Web, number: int) -> list[MarkedText]:
        rows = [row for row in cast(Rows, crawl.store).records if row.keep or row.reason == OFF_TOPIC]
        labelled = ((row, self._labels.get(fingerprint(row.url))) for row in rows if row.url not in self._marked)
        found = [(row, label.is_relevant_text) for row, label in labelled if label is not None and label.is_text]
        best = sorted((one for one in found if one[0].keep), key=lambda one: (-one[0].relevance, one[0].key))[: number // 2]
        others = [one for one in found if one not in best]
        now = crawl.second_look.relevances()
        others.sort(
            key=lambda one: (
                abs(now.get(bytes.fromhex(one[0].key), one[0].relevance) - crawl.strategy.page_threshold),
                one[0].key,
            )
        )
        marked = []
        for row, relevant in (*best, *others[: number - len(best)]):
            self._marked.add(row.url)
            answer = web.get(safe_url_string(row.url))
            assert answer is not None and answer.page is not None
            text = full_text(answer.page, menus=False)
            marked.append(MarkedText.bounded(row.url, answer.page.title, text, "relevant" if relevant else "irrelevant"))
        return [text for text in marked if not text.blank]


def replay(
    crawl: Crawl,
    web: Web,
    texts: Mapping[str, Text],
    urls: Sequence[str],
    person: Person | None = None,
    thinning: Thinning = WHOLE,
) -> None:
    """Crawl ``web``, of which ``texts`` are known or none, from ``urls`` until the crawl has its pages or nothing waits. It sees
    the links that ``thinning`` leaves."""
    seeds = [seed_entry(url) for url in urls]
    for seed in seeds:
        seed.dropped = crawl.policy.refusal(seed.url, 0)
    crawl.push(seeds)
    while crawl.has_more and (entry := crawl.next(0.0)) is not None:
        _fetch(crawl, web, texts, entry, thinning)
        if person is not None:
            person.mark(crawl, web)
        if crawl.second_look.is_due(crawl.log.finished):
            _look_again(crawl, web, texts)
    if crawl.second_look.is_due_at_end(crawl.log.finished):
        _look_again(crawl, web, texts)
    off_topic: dict[str, float] = {}
    deque(crawl.taking_back.find(crawl.control.marks.urls, off_topic), 0)
    rows = cast(Rows, crawl.store)
    for record in map(rows.get, off_topic):
        assert record is not None
        rows.put(dataclasses.replace(record, keep=False, reason=OFF_TOPIC, text=None, relevance=off_topic[record.key]))


def _look_again(crawl: Crawl, web: Web, texts: Mapping[str, Text]) -> None:
    for item in crawl.second_look.items():
        answer = web.get(item.url)
        assert answer is not None
        item.reason, item.text = _text(crawl, answer.url, texts)
        crawl.store_row(item)
        crawl.finish(item)
    crawl.second_look.looked(crawl.log.finished)


def _fetch(crawl: Crawl, web: Web, texts: Mapping[str, Text], entry: Entry, thinning: Thinning) -> None:
    url = safe_url_string(entry.url)
    item = PageItem(entry, url, now_utc())
    answer = web.get(url)
    if web.forbids(url):
        item.reason = "robots.txt"
    elif answer is None:
        item.reason = "unreachable"
    elif answer.target:
        times = entry.meta.get("redirect_times", 0) + 1
        if times <= MAX_REDIRECTS:
            crawl.redirect(entry, answer.target, {"redirect_times": times}, answer.status)
            return
        item.reason = "too many redirects"
    else:
        item.status, item.reason = answer.status, answer.reason
        if answer.page is not None:
            item.page = as_read(answer.page, url, crawl.strategy.wants_around, crawl.strategy.wants_paths)
            item.size = len(answer.page.html)
            with thinning.applied(item, crawl.options.max_links):
                list(judge(crawl, item))
            if item.keep:
                item.reason, item.text = _text(crawl, answer.url, texts)
    crawl.store_row(item)
    crawl.finish(item)


def _text(crawl: Crawl, url: str, texts: Mapping[str, Text]) -> Text:
    if not texts:
        return Text(LIST, "") if dom.looks_like_list(url) else Text("", UNREAD)
    text = texts[url]
    if not text.reason and not crawl.strategy.confirm(text.text)[1]:
        return Text(OFF_TOPIC_TEXT, "")
    return text


def as_read(page: Page, url: str, wants_around: bool, wants_paths: bool) -> Page:
    """The page as the spider would have read it at this address for a strategy that wants so much of its links."""
    links = page.links
    if not (wants_around and wants_paths):
        links = tuple(Link(x.url, x.anchor, x.around if wants_around else "", x.path if wants_paths else "") for x in page.links)
    return page if links is page.links and url == page.url else dataclasses.replace(page, url=url, links=links)


@dataclass(frozen=True, slots=True)
class Variant:
    """A row: a strategy by its name and the parameters that it gets whatever the topic says; ``left_out`` is a part of it,
    ``marks`` the plan of a :class:`Person`."""

    name: str
    strategy: str
    parameters: Mapping[str, Any]
    left_out: str = ""
    marks: Sequence[tuple[int, int]] = ()

    def of(self, topic: Topic) -> Topic:
        """The topic with these parameters."""
        table = {**topic.parameters.get(self.strategy, {}), **self.parameters}
        return dataclasses.replace(topic, parameters={**topic.parameters, self.strategy: table})


@dataclass(frozen=True, slots=True)
class Setup:
    """What all crawls have in common; every process has its own."""

    web: Web
    texts: Mapping[str, Text]
    recording: Sequence[Path]
    topics: Mapping[str, LabelledTopic]
    budget: int
    overrides: Mapping[str, str]  # settings by --hownet-tree and -s
    cache: Path
    graph: WebGraph | None = None

    def webs(self, topic: LabelledTopic) -> tuple[str, ...]:
        """The recordings that the topic is measured on, see :class:`Run`."""
        hosts = [host(label.url) for label in topic.labels.values() if label.is_relevant_text]
        held = [sum(name in there for name in hosts) for there in self.web.hosts]
        names = [file.name.split(".")[0] for file in self.recording]
        return tuple(name for name, texts in zip(names, held, strict=True) if texts and texts >= LEAST_PART * len(hosts))


_setup: Setup


def _remember(setup: Setup) -> None:
    global _setup
    _setup = setup


def _run(job: tuple[Variant, Cell]) -> Run:
    variant, cell = job
    return follow(variant, cell, _setup) if variant.strategy in ORACLES else crawl_one(variant, cell, _setup)


def crawl_one(variant: Variant, cell: Cell, setup: Setup) -> Run:
    """One crawl and its figures.

    Raises:
        ValueError: the strategy cannot be made; the message names the variant.
    """
    key = cell.key
    chosen = Settings()
    chosen.setmodule(settings)
    TopicalSpider.update_settings(chosen)
    own_settings = {
        "TOPICAL_REPLAY": ",".join(map(str, setup.recording)),
        "TOPICAL_BARREN_END": 0,  # every crawl has the same budget
        "TOPICAL_SEED": key.seed,
        "TOPICAL_CACHE_DIR": str(setup.cache),
    }
    with tempfile.TemporaryDirectory() as folder:
        chosen.setdict({**own_settings, **setup.overrides, "TOPICAL_DATA_DIR": folder})
        topic = variant.of(cell.topic)
        arguments = {"strategy": variant.strategy, "pages": setup.budget, "pages_per_host": key.cap}
        options = config.crawl_options(chosen, topic, arguments)
        start = time.process_time()
        try:
            kind = adaptive_without(variant.left_out) if variant.left_out else variant.strategy
            strategy = strategies.create(
                topic,
                kind,
                resources=cast(Resources, config.resources(chosen)),
                cache_dir=options.cache_dir,
                segmenter=options.segmenter,
                encoder=options.encoder,
                seed=options.seed,
            )
        except ValueError as error:
            raise ValueError(f"{variant.name}: {error}") from None
        made, timed, rows = time.process_time(), Timed(strategy), Rows()
        crawl = Crawl(options, topic, cast(Strategy, timed), MemoryFrontier(), cast(CorpusStore, rows), None)
        person = Person(variant.marks, setup.topics[topic.name].labels)
        replay(crawl, setup.web, setup.texts, cell.start.urls, person, Thinning(key.keep_links, key.seed))
        cpu = time.process_time() - made
    labelled = setup.topics[topic.name]
    labels = labelled.labels
    figures = measure(key, rows.records, labels, setup.budget)
    kept = [label for record in rows.records if record.keep and (label := labels.get(fingerprint(record.url))) is not None]
    articles = [label.grade for label in kept if label.is_text and label.grade != MIXED]
    on_topic = sum(label.is_relevant_text for label in labels.values())
    return Run(
        variant=variant.name,
        topic=topic.name,
        start=cell.start.called,
        seed=key.seed,
        pages=figures.pages,
        area=figures.area,
        recall={pages: figures.recall_at(pages) for pages in _steps(setup.budget)},
        kept=sum(record.keep for record in rows.records),
        precision=articles.count(RELEVANT) / len(articles) if articles else 0.0,
        kept_recall=articles.count(RELEVANT) / on_topic if on_topic else 0.0,
        cpu_ms=1e3 * cpu / max(figures.pages, 1),
        link_us=1e6 * timed.seconds / max(timed.links, 1),
        make_s=made - start,
        column=labelled.grade,
        webs=setup.webs(labelled),
        hosts=by_host((r.url for r in rows.records if r.reason != REDIRECTED), labels, setup.budget),
    )


def follow(variant: Variant, cell: Cell, setup: Setup) -> Run:
    """The figures of an oracle, which keeps exactly the relevant texts that it fetches."""
    key, topic, graph = cell.key, setup.topics[cell.topic.name], setup.graph
    assert graph is not None, "it was opened for the oracles"
    start = time.process_time()
    web = graph.thinned(Thinning(key.keep_links, key.seed))
    way = ORACLES[variant.strategy](web, cell.start.urls, topic.labels, setup.budget, key.cap)
    cpu = time.process_time() - start
    figures = measure_path(key, way, topic.labels, setup.budget)
    return Run(
        variant=variant.name,
        topic=topic.topic.name,
        start=cell.start.called,
        seed=key.seed,
        pages=figures.pages,
        area=figures.area,
        recall={pages: figures.recall_at(pages) for pages in _steps(setup.budget)},
        kept=figures.relevant,
        precision=1.0,
        kept_recall=figures.recall_at(setup.budget),
        cpu_ms=1e3 * cpu / max(figures.pages, 1),
        link_us=0.0,
        make_s=0.0,
        column=topic.grade,
        webs=setup.webs(topic),
        hosts=by_host(way, topic.labels, setup.budget),
    )


def for_each_topic(runs: Iterable[Run], alike: Iterable[Sequence[Cell]]) -> list[Run]:
    """The runs, those of oracles for all cells that are ``alike``: an oracle crawls once for the topics of a column."""
    cells = {(group[0].topic.name, group[0].start.called, group[0].key.seed): group for group in alike}
    found: list[Run] = []
    for run in runs:
        if not run.of_oracle:
            found.append(run)
            continue
        for cell in cells[run.topic, run.start, run.seed]:
            found.append(dataclasses.replace(run, topic=cell.topic.name, start=cell.start.called, seed=cell.key.seed))
    return found


def with_shares(runs: Sequence[Run]) -> list[Run]:
    """The runs with their shares of the area of :data:`BEST` from the same start."""
    best = {(run.topic, run.start, run.seed): run.area for run in runs if run.variant == BEST}

    def share(run: Run) -> float:
        area = best.get((run.topic, run.start, run.seed), best.get((run.topic, run.start, 0)))
        return run.area / area if area else math.nan

    return [dataclasses.replace(run, share=share(run)) for run in runs]


def _steps(budget: int) -> list[int]:
    return [*(pages for pages in PAGES if pages < budget), budget]


def _run_all(jobs: Sequence[tuple[Variant, Cell]], setup: Setup, processes: int, progress: Progress, done: list[Run]) -> None:
    """Add the figures of every crawl to ``done`` as they come."""
    gc.freeze()  # of the many objects of the web none is garbage: nobody is to look at them again
    several: Callable[..., Iterable[Run]]
    with ExitStack() as stack:
        if processes > 1:
            # Forked, the processes have the web in common.
            several = stack.enter_context(multiprocessing.get_context("fork").Pool(processes, _remember, (setup,))).imap_unordered
        else:
            _remember(setup)
            several = map
        for one in progress.track(several(_run, jobs), len(jobs), description="crawls"):
            done.append(one)
            line = f"{one.variant}, {one.topic}, {one.start}, seed {one.seed}: area {one.area:.3f}, {one.pages} pages"
            progress.console.print(f"{line}, {one.cpu_ms * one.pages / 1e3:.1f} s", highlight=False, markup=False)


def mean(values: Iterable[float]) -> float:
    """Their mean; nan of none."""
    numbers = list(values)
    return math.fsum(numbers) / len(numbers) if numbers else math.nan


def differences(first: Sequence[Run], other: Sequence[Run]) -> list[float]:
    """What ``other`` has more of area, for every topic, start and seed of either; one that crawled with seed 0 alone, because
    nothing of it is drawn at random, has the same with every seed."""
    mine, theirs = ({(r.topic, r.start, r.seed): r.area for r in runs} for runs in (first, other))
    results = []
    for topic, start, seed in sorted(mine.keys() | theirs.keys()):
        values = [areas.get((topic, start, seed), areas.get((topic, start, 0))) for areas in (theirs, mine)]
        if values[0] is not None and values[1] is not None:
            results.append(values[0] - values[1])
    return results


def tables(runs: Sequence[Run], budget: int) -> Iterator[Table]:
    """Areas by topic, those as shares of the oracle's where it crawled, and the other figures in the mean of the topics."""
    rows = {name: [r for r in runs if r.variant == name] for name in dict.fromkeys(r.variant for r in runs)}
    topics = list(dict.fromkeys(r.topic for r in runs))
    first = next(iter(rows.values()))

    def by_topic(mine: Sequence[Run], figure: Callable[[Run], float]) -> list[float]:
        return [mean(figure(r) for r in mine if r.topic == topic) for topic in topics]

    areas = {}
    for name, mine in rows.items():
        figures = by_topic(mine, attrgetter("area"))
        areas[name] = [*(f"{x:.3f}" for x in figures), f"{mean(figures):.3f}", _beside(differences(first, mine))]
    yield _grid(f"area under the curve of recall, {budget} pages", [*topics, "mean", "beside the first"], areas)
    if BEST in rows:
        shares = {name: by_topic(mine, attrgetter("share")) for name, mine in rows.items() if name != BEST}
        cells = {name: [f"{x:.3f}" for x in (*mine, mean(mine), min(mine))] for name, mine in shares.items()}
        yield _grid(f"share of the area of {BEST}", [*topics, "mean", "least"], cells)
    others = Table("", title="other figures, mean of the topics")
    recall = [f"recall {pages}" for pages in _steps(budget)]
    for head in (*recall, "kept", "precision", "kept recall", "kept F", "least F", "ms a page", "µs a link"):
        others.add_column(head, justify="right")
    for name, mine in rows.items():
        reached = [f"{mean(mean(r.recall[pages] for r in mine if r.topic == t) for t in topics):.3f}" for pages in _steps(budget)]
        forms = {"kept": ".0f", "precision": ".3f", "kept_recall": ".3f", "kept_f": ".3f"}
        rest = [f"{mean(by_topic(mine, attrgetter(figure))):{form}}" for figure, form in forms.items()]
        rest.append(f"{min(by_topic(mine, attrgetter('kept_f'))):.3f}")
        costs = [f"{mean(by_topic(mine, attrgetter('cpu_ms'))):.2f}", f"{mean(by_topic(mine, attrgetter('link_us'))):.1f}"]
        others.add_row(name, *reached, *rest, *costs)
    yield others


def _grid(title: str, heads: Sequence[str], rows: Mapping[str, Sequence[str]]) -> Table:
    """A table of ``rows``; one of columns where there are many topics, which no line could hold."""
    table = Table("", title=title)
    across = len(heads) <= max(len(rows), 10)
    for head in heads if across else rows:
        table.add_column(head, justify="right")
    for place, head in enumerate(rows if across else heads):
        table.add_row(head, *(rows[head] if across else (cells[place] for cells in rows.values())))
    return table


def regret(runs: Sequence[Run]) -> Iterator[Table]:
    """For each row the hosts at which it loses most of :data:`BEST`'s area, in the mean over random seeds and starts."""
    crawls: dict[str, dict[str, list[Mapping[str, HostFigures]]]] = {}
    for one in runs:
        crawls.setdefault(one.variant, {}).setdefault(one.topic, []).append(one.hosts)
    best = {topic: mean_figures(found) for topic, found in crawls.pop(BEST).items()}
    for name, topics in crawls.items():
        own = {topic: mean_figures(found) for topic, found in topics.items()}
        lost = [
            (best[t][site].area - x.area, t, site) for t, hosts in own.items() for site, x in hosts.items() if site != ELSEWHERE
        ]
        table = Table(title=f"{name}: the hosts at which the most area is lost")
        for head in ("topic", "host"):
            table.add_column(head, overflow="fold")
        for head in ("area lost", "texts there", f"by {BEST}", "by it", f"pages of {BEST}", "of it"):
            table.add_column(head, justify="right")
        for area, topic, site in sorted(lost, reverse=True)[:WORST]:
            there, theirs, mine = own[topic][site].there, best[topic][site], own[topic][site]
            numbers = (there, theirs.reached, mine.reached, theirs.pages, mine.pages)
            table.add_row(topic, site, f"{area:.3f}", *(f"{number:.0f}" for number in numbers))
        yield table


def _beside(differences: Sequence[float]) -> str:
    if not any(differences):
        return "–"
    low, high = bootstrap(lambda places: mean(differences[i] for i in places), len(differences), seed=0)
    return f"{mean(differences):+.3f} [{low:+.3f}, {high:+.3f}]"


DESCRIPTION = __doc__


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    several: dict[str, Any] = {"type": Path, "nargs": "+", "metavar": "FILE"}
    add("--web", required=True, help="the recorded web (WARC files; of an address the first counts)", **several)
    add(
        "--labels",
        required=True,
        help="TSV files with url, kind and grades, those of a column that a file lacks being 0",
        **several,
    )
    topics = parser.add_mutually_exclusive_group(required=True)
    topics.add_argument("--topics", nargs="+", metavar="FOLDER=COLUMN", help="topics and the columns of grades")
    topics.add_argument("--sentences", help="topics to be made, name, column and sentence a line", **several)
    add("--strategies", default=",".join(strategies.names()), help="the first is what the others stand beside")
    starts = parser.add_mutually_exclusive_group()
    starts.add_argument("--seeds", help="files of start URLs (each topic's own)", **several)
    starts.add_argument("--start-texts", type=whole(1), metavar="N", help="start at N texts on topic, drawn for every seed")
    add("--random-seeds", type=whole(1), default=1, metavar="N", help="0 to N-1 (%(default)s)")
    add("--shuffle", action="store_true", help="the start URLs in another order for every random seed but 0")
    add("--cap", type=whole(0), default=0, metavar="N", help="most pages of a host, 0: no bound (%(default)s)")
    add("--keep-links", type=float, default=1.0, metavar="S", help="share of the links that stay (%(default)s)")
    add("--budget", type=whole(1), default=4000, metavar="N", help="pages of a crawl (%(default)s)")
    add("--parameter", action="append", default=[], metavar="STRATEGY.PARAMETER=VALUE", help="may be repeated")
    add("--without", default="", metavar="PART,PART", help=f"parts of {LEARNER} to be left out one at a time")
    add("--marks", default="", metavar="N@PAGES,…", help=f"a row of {LEARNER} that is taught: N texts marked after so many pages")
    add("--choose", default="", metavar="STRATEGY.PARAMETER=V1,V2", help="a row for each value, chosen on other topics and webs")
    add("--figure", choices=choose.FIGURES, default="area", help="what --choose chooses by (%(default)s)")
    add("--oracles", action="store_true", help="crawls that know the labels, and shares of their areas")
    add("--regret", action="store_true", help="the hosts at which the most area is lost against the oracle; with --oracles")
    add(
        "--texts",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="texts as the extraction finds them, some minutes once",
    )
    add("--hownet-tree", default="", metavar="FILE", help="the sememe tree, as TOPICAL_HOWNET_TREE")
    add("--processes", type=whole(1), default=2, metavar="N", help="crawls at a time (%(default)s)")
    add("--cache", type=Path, default=platformdirs.user_cache_path("topical_crawler"), metavar="DIR", help="%(default)s")
    add("--json", type=Path, metavar="FILE", help="write the figures of every crawl")


def variants(names: Iterable[str], parameters: Iterable[str], without: Iterable[str]) -> list[Variant]:
    """The rows, parts left out behind the strategy that has them.

    Args:
        names: of strategies.
        parameters: ``STRATEGY.PARAMETER=VALUE`` each, the value as in ``topic.toml``; a plain word is a text.
        without: parts, of :data:`PARTS`.

    Raises:
        ValueError: a parameter cannot be read, or its strategy is not among ``names``; the message says which.

    >>> [(v.name, dict(v.parameters)) for v in variants(["adaptive", "anchor"], ["adaptive.page_threshold=0.5"], ["hubs"])]
    [('adaptive', {'page_threshold': 0.5}), ('adaptive -hubs', {'page_threshold': 0.5}), ('anchor', {})]
    """
    tables: dict[str, dict[str, Any]] = {name: {} for name in names}
    for text in parameters:
        place, sign, value = text.partition("=")
        name, _, parameter = place.partition(".")
        if not (sign and parameter) or name not in tables:
            raise ValueError(f"--parameter {text}: STRATEGY.PARAMETER=VALUE is expected, of one of {', '.join(tables)}")
        tables[name][parameter] = _value(value)
    parts = [part for part in without if part]
    if parts and LEARNER not in tables:
        raise ValueError(f"--without leaves out parts of {LEARNER}, which is not among --strategies")
    if unknown := set(parts) - set(PARTS):
        raise ValueError(f"--without {','.join(sorted(unknown))}: {LEARNER} has the parts {', '.join(PARTS)}")
    rows = []
    for name, table in tables.items():
        rows.append(Variant(name, name, table))
        rows += [Variant(f"{name} -{part}", name, table, part) for part in parts if name == LEARNER]
    return rows


def plan_of_marks(text: str) -> list[tuple[int, int]]:
    """How many texts are marked, and after how many pages each time.

    Raises:
        ValueError: that cannot be read, or the pages do not rise.

    >>> plan_of_marks("20@300,30@800")
    [(20, 300), (30, 800)]
    """
    try:
        found = [(int(number), int(pages)) for number, pages in (part.split("@") for part in text.split(","))]
    except ValueError:
        found = []
    pages = [pages for _, pages in found]
    if not found or pages != sorted(set(pages)) or not all(0 < number <= MOST_MARKS for number, _ in found):
        raise ValueError(
            f"--marks {text}: NUMBER@PAGES,NUMBER@PAGES is expected, numbers from 1 to {MOST_MARKS} and pages that rise"
        )
    return found


def with_values(rows: Iterable[Variant], text: str) -> list[Variant]:
    """The rows, those of the strategy once for each value of ``STRATEGY.PARAMETER=V1,V2``; values may be lists, as in TOML.

    Raises:
        ValueError: that cannot be read, or no row is of that strategy.

    >>> [(v.name, dict(v.parameters)) for v in with_values(variants(["semantic"], [], []), "semantic.tunnel=0,1")]
    [('semantic tunnel=0', {'tunnel': 0}), ('semantic tunnel=1', {'tunnel': 1})]
    """
    place, _, given = text.partition("=")
    strategy, _, parameter = place.partition(".")
    try:
        values = list(tomllib.loads(f"values = [{given}]")["values"])
    except tomllib.TOMLDecodeError:
        values = given.split(",")
    found, known = [], False
    for row in rows:
        if row.strategy != strategy:
            found.append(row)
            continue
        known = True
        for value in values:
            name = f"{row.name} {parameter}={value}"
            found.append(dataclasses.replace(row, name=name, parameters={**row.parameters, parameter: value}))
    if not known or not parameter or not values:
        raise ValueError(f"--choose {text}: STRATEGY.PARAMETER=VALUE,VALUE is expected, of one of --strategies")
    return found


def shuffled(start: Start) -> Start:
    """The same start URLs, in another order for every random seed but 0.

    >>> shuffled(Start("homes", 1, ("http://a.cn/", "http://b.cn/", "http://c.cn/"))).urls
    ('http://b.cn/', 'http://c.cn/', 'http://a.cn/')
    """
    urls = list(start.urls)
    if start.seed:
        random.Random(start.seed).shuffle(urls)
    return dataclasses.replace(start, urls=tuple(urls), drawn=True)


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def topics_of_sentences(file: Path, folder: Path, overrides: Mapping[str, str], there: Collection[str]) -> list[str]:
    """Make a topic below ``folder`` out of each line of ``file`` whose column is among those ``there``.

    Returns:
        ``FOLDER=COLUMN`` each.

    Raises:
        ValueError: a line cannot be used; the message says which and why.
    """
    folders = []
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"--sentences: {error}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, column, sentence, *more = [*line.split("\t"), "", ""]
        if not sentence or any(more) or Path(name).name != name:
            raise ValueError(f"{file}, line {number}: name, column and sentence are expected, parted by tabs")
        if column not in there:
            continue
        command = [sys.executable, "-m", "topical_crawler", "topic", "new", str(folder / name), sentence]
        made = subprocess.run(
            [*command, *(f"--set={name}={value}" for name, value in overrides.items())],
            env={**os.environ, "SCRAPY_SETTINGS_MODULE": settings.__name__},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        if made.returncode:
            raise ValueError(f"{file}, line {number}: {made.stderr.strip()}")
        folders.append(f"{folder / name}={column}")
    return folders


def read_topics(places: Iterable[str], labels: Sequence[Path]) -> list[LabelledTopic]:
    """Topics with their labels; ``FOLDER=COLUMN`` each."""
    topics = []
    of_column = functools.cache(functools.partial(merged_labels, labels))
    for text in places:
        folder, sign, column = text.rpartition("=")
        if not sign:
            raise ValueError(f"--topics {text}: FOLDER=COLUMN is expected")
        topics.append(LabelledTopic(load_topic(folder), column, of_column(column)))
    if len({one.topic.name for one in topics}) < len(topics):
        raise ValueError("--topics: two have one name. Remedy: rename a folder, or name each once")
    return topics


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    console = Console(stderr=True)
    done: list[Run] = []
    rows: list[Variant] = []
    overrides = {"TOPICAL_HOWNET_TREE": opts.hownet_tree, **dict(override.split("=", 1) for override in opts.set)}
    bars = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    try:
        if unknown := set(names := opts.strategies.split(",")) - set(strategies.names()):
            raise ValueError(f"no strategy {', '.join(sorted(unknown))}; there are {', '.join(strategies.names())}")
        if not 0 < opts.keep_links <= 1:
            raise ValueError(f"--keep-links {opts.keep_links}: a number over 0 and up to 1 is expected")
        rows = variants(names, opts.parameter, opts.without.split(","))
        if opts.marks:
            taught = next((row for row in rows if row.strategy == LEARNER), None)
            if taught is None:
                raise ValueError(f"--marks teach {LEARNER}, which is not among --strategies")
            marks = plan_of_marks(opts.marks)
            rows.append(dataclasses.replace(taught, name=f"{LEARNER} {opts.marks}", marks=marks))
        if opts.choose:
            rows = with_values(rows, opts.choose)
        asked = opts.oracles or opts.regret or opts.figure == "share"
        oracles = [Variant(f"oracle {name}", name, {}) for name in ORACLES] if asked else []
        with tempfile.TemporaryDirectory() as made:
            there = {name for file in opts.labels for name in columns(file)}
            places = opts.topics or [
                place for file in opts.sentences for place in topics_of_sentences(file, Path(made), overrides, there)
            ]
            topics = read_topics(places, opts.labels)
        bounds = Bounds((opts.cap,), (opts.keep_links,))
        jobs: list[tuple[Variant, Cell]] = []
        alike: dict[tuple[object, ...], list[Cell]] = {}
        with Recording(opts.web, opts.cache) as recording:
            recorded = recording.files
            for topic in topics:
                if opts.start_texts:
                    starts = plan.drawn_starts(topic, recording, opts.start_texts, opts.random_seeds)
                else:
                    starts = plan.given_starts(topic.topic, {"seeds": opts.seeds} if opts.seeds else {}, opts.random_seeds)
                    if opts.shuffle:
                        starts = [shuffled(start) for start in starts]
                for row in rows:
                    jobs += [(row, cell) for cell in plan.cells(topic.topic, [row.strategy], starts, bounds)]
                for cell in plan.cells(topic.topic, [BEST], starts, bounds):
                    alike.setdefault((topic.grade, cell.start.urls, cell.key.seed if opts.keep_links < 1 else 0), []).append(cell)
        jobs += [(row, cells[0]) for row in oracles for cells in alike.values()]
        with Progress(*bars, console=console) as progress:
            web, texts = read_web(recorded, opts.cache, opts.processes, progress, opts.texts)
            labelled = {topic.topic.name: topic for topic in topics}
            graph = WebGraph.open(recorded, opts.cache) if oracles else None
            setup = Setup(web, texts, recorded, labelled, opts.budget, overrides, opts.cache, graph)
            _run_all(jobs, setup, opts.processes, progress, done)
    except KeyboardInterrupt:
        print("interrupted; what is done:", file=sys.stderr)
    done = with_shares(for_each_topic(done, alike.values()))
    order = [row.name for row in (*rows, *oracles)]
    done.sort(key=lambda one: order.index(one.variant))
    if opts.json:
        write_runs(opts.json, done)
    screen = Console(width=None if sys.stdout.isatty() else 140)
    if done:
        screen.print(*tables(done, opts.budget))
    if opts.choose:
        values = {row.name: [one for one in done if one.variant == row.name] for row in rows if "=" in row.name}
        screen.print(choose.table(choose.left_out(values, attrgetter(opts.figure)), choose.FIGURES[opts.figure]))
    if opts.regret and any(one.variant == BEST for one in done):
        screen.print(*regret(done))
    return 0
