"""Operations on crawls: list, show, start, pause, stop and steer them."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from topical_crawler.config import uses_redis
from topical_crawler.corpus.record import CorpusError, pages, uncleaned
from topical_crawler.crawl.crawl_folder import CrawlFolder
from topical_crawler.crawl.nothing_kept import ENOUGH, FEW, nothing_kept
from topical_crawler.crawl.options import CrawlError
from topical_crawler.crawl.steering import SteeringError
from topical_crawler.files import replacing
from topical_crawler.services import MistakeError
from topical_crawler.services.reach import ask_in_batches
from topical_crawler.services.reasons import ask_for_reasons
from topical_crawler.strategies import STRATEGIES
from topical_crawler.topic.topic import list_topics, load_topic
from topical_crawler.web.urls import REDIRECTED
from topical_crawler.workbench.bench import Bench
from topical_crawler.workbench.corpus import by_host, in_background, totals, waiting
from topical_crawler.workbench.jobs import Progress
from topical_crawler.workbench.judge import on_topic
from topical_crawler.workbench.operations import Operation, Param, Values
from topical_crawler.workbench.topic import read_seeds

_POINTS = 400  # of the texts-over-pages curve
_HOSTS, _LINES = 15, 12

_NAME = re.compile(r"\w[\w.-]{0,60}")


# -- List


def crawls(bench: Bench, values: Values) -> dict[str, Any]:
    found = []
    for name, place in bench.crawls().items():
        topic = bench.topic(name)
        row: dict[str, Any] = {"name": name, "title": topic.title if topic else "", "fetched": None, "kept": None, "problem": ""}
        if place.corpus:
            try:
                job = by_host(bench, name)
                row |= totals(job.value) if job.done.is_set() else {"waiting": True}
            except CorpusError as error:  # show the others nevertheless
                row["problem"] = str(error)
        found.append(row)
    is_waiting = any(row.pop("waiting", False) for row in found)
    return {"crawls": found, "topics": list_topics(), "titles": _titles(), "own": list(bench.own_topics()), "waiting": is_waiting}


@functools.cache
def _titles() -> dict[str, str]:
    """Return the titles of the bundled topics."""
    return {name: load_topic(name).title for name in list_topics()}


# -- Show one


def live(bench: Bench, values: Values) -> dict[str, Any]:
    """Return figures of a crawl: those of ``topical-crawler frontier stats`` and ``hosts``, and counts of its corpus."""
    name = values["crawl"]
    place = bench.place(name)
    data: dict[str, Any] = {"problem": "", "stats": None, "hosts": [], "runs": None, "in_vain": None, "taken_back": 0, "kept": 0}
    output = _end(place.folder.log)
    log = output.splitlines()[-_LINES:]
    data["survey"] = output.rpartition("\nSurvey: ")[2].partition("\n\nCorpus:")[0] if "\nSurvey: " in output else ""
    try:
        with bench.reached(name) as crawl:
            data["stats"] = crawl.ask({"action": "stats"})
            data["runs"] = crawl.runs
            bench.answered.add(name)
    except CrawlError as error:
        data["problem"] = "" if bench.is_starting(name) else str(error)
    data["starts"] = bench.is_starting(name)
    if (process := bench.processes.get(name)) and process.poll() and log:
        data["problem"] = log[-1]  # cause of its end
    if place.corpus:
        try:
            job = by_host(bench, name, wait=0.1)
            rows = sorted(job.value.items(), key=lambda row: (-row[1][1], -row[1][0], row[0])) if job.done.is_set() else []
            data["hosts"] = [{"host": host, "fetched": fetched, "kept": kept} for host, (fetched, kept) in rows[:_HOSTS]]
            data |= totals(job.value) | {"on_topic": on_topic(place.folder.path)} if rows else {}
            data["in_vain"] = _in_vain(bench, name, totals(job.value), data["runs"]) if rows else None
            data["taken_back"] = 0 if data["runs"] else _taken_back(bench, name)
        except CorpusError as error:  # not created yet by the first worker, or the server is unreachable
            data["problem"] = str(error)
    claim = place.folder.read_claim()
    data |= {"strategy": claim.get("strategy", ""), "title": getattr(bench.topic(name), "title", name)}
    data |= {"can_go_on": not uses_redis(bench.settings) and bool(claim), "log": log}
    return data


def _taken_back(bench: Bench, name: str) -> int:
    """Count the texts taken back at the end of the last run. The next run restores them first."""
    query = sa.select(sa.func.count()).select_from(pages.join(uncleaned, uncleaned.c.key == pages.c.key)).where(~pages.c.keep)
    with bench.corpus(name).reading() as connection:
        return int(connection.scalar(query) or 0)


def _in_vain(bench: Bench, name: str, known: dict[str, int], runs: bool | None) -> Any:
    """Diagnose a crawl with next to no texts after :data:`ENOUGH` pages, or after its end."""
    topic = bench.topic(name)
    if known["kept"] > FEW or topic is None or (known["fetched"] < ENOUGH and runs is not False):
        return None
    job = in_background(bench, name, "in vain", lambda note: nothing_kept(bench.corpus(name), topic), wait=0.1)
    return job.value if job.done.is_set() else None


def _end(file: Path) -> str:
    """Return the end of a log. Passwords in it are already masked."""
    try:
        with file.open("rb") as log:
            log.seek(max(0, os.fstat(log.fileno()).st_size - 8000))
            return log.read().decode("utf-8", "replace")
    except OSError:
        return ""


def best(bench: Bench, values: Values) -> dict[str, Any]:
    request = {"action": "top", "n": values["n"], "host": values["host"] or None}
    try:
        with bench.reached(values["crawl"]) as crawl:
            answer = ask_for_reasons(crawl, request, bench.settings)
    except CrawlError as error:
        return {"entries": [], "note": str(error)}
    return {"entries": answer["entries"], "note": answer.get("note", "")}


def curve(bench: Bench, values: Values) -> dict[str, Any]:
    """Return texts over pages, in fetching order, without redirects."""
    name = values["crawl"]
    if not bench.place(name).corpus:
        return {"pages": [0], "texts": [0]}

    def work(note: Progress) -> dict[str, Any]:
        query = sa.select(pages.c.keep).where(pages.c.reason != REDIRECTED).order_by(pages.c.id)
        with bench.corpus(name).reading() as connection:
            return thinned(list(connection.execution_options(yield_per=10_000).scalars(query)))

    try:
        job = in_background(bench, name, "curve", work, wait=0.1)
    except CorpusError as error:  # a starting crawl has no tables yet
        return {"pages": [0], "texts": [0], "problem": str(error)}
    return job.value if job.done.is_set() else {"pages": [], "texts": []} | waiting(job)


def thinned(kept: Sequence[bool], points: int = _POINTS) -> dict[str, list[int]]:
    """Thin out the curve of texts over pages to at most ``points`` points, including the last page.

    >>> thinned([True, False, True, True], 2)
    {'pages': [0, 2, 4], 'texts': [0, 1, 3]}
    """
    step = max(1, -(-len(kept) // points))
    found: dict[str, list[int]] = {"pages": [0], "texts": [0]}
    texts = 0
    for number, keep in enumerate(kept, 1):
        texts += keep
        if number % step == 0 or number == len(kept):
            found["pages"].append(number)
            found["texts"].append(texts)
    return found


# -- Start and steer


def start(bench: Bench, values: Values) -> dict[str, Any]:
    """Start a crawl, like ``scrapy crawl topical``."""
    topic = values["topic"]
    own = bench.own_topics().get(topic)
    source = f"./{own}" if own else topic
    loaded = load_topic(source)
    name = values["name"] or Path(topic).name
    if not _NAME.fullmatch(name):
        raise MistakeError(f"{name!r} cannot name a crawl. Use letters, digits, - and _")
    seeds = read_seeds(values["seeds"])
    if not (seeds or loaded.seeds):
        raise MistakeError("a crawl needs seeds. Give addresses to start from, one a line", field="seeds")
    arguments = {"topic": source, "pages": values["pages"], "strategy": values["strategy"], "depth": values["depth"]}
    arguments |= {"seeds": " ".join(seeds), "hosts": values["hosts"], "survey": "yes" if values["survey"] else ""}
    _run(bench, name, [part for n, value in arguments.items() if value for part in ("-a", f"{n}={value}")])
    return {"crawl": name, "go": f"/crawls/{name}"}


def go_on(bench: Bench, values: Values) -> dict[str, Any]:
    """Restart a stopped or paused crawl. It continues from its state."""
    place = bench.place(values["crawl"])
    with suppress(CrawlError, SteeringError), bench.reached(place.name) as crawl:
        crawl.ask({"action": "resume"})
    file = place.folder.arguments
    if file.is_file():
        arguments = list(json.loads(file.read_bytes()))
    else:
        claim = place.folder.read_claim()
        if not claim:
            raise MistakeError(f"{place.name} has no record of its topic. Start it with topical-crawler crawl", 409)
        arguments = ["-a", f"topic={claim.get('source') or claim['topic']}", "-a", f"strategy={claim['strategy']}"]
    _run(bench, place.name, arguments)
    return {"crawl": place.name, "go": f"/crawls/{place.name}"}


def _run(bench: Bench, name: str, arguments: list[str]) -> None:
    folder = CrawlFolder(bench.data / name)
    folder.path.mkdir(parents=True, exist_ok=True)
    if bench.is_running(name):
        raise MistakeError(f"{name} runs already", 409)
    with replacing(folder.arguments) as out:
        json.dump(arguments, out, ensure_ascii=False)
    settings = [*bench.given, "-s", f"TOPICAL_DATA_DIR={folder.path}", "-s", "TOPICAL_DISPLAY=lines"]
    command = [sys.executable, "-m", "scrapy", "crawl", "topical", *arguments, *settings]
    bench.answered.discard(name)
    with folder.log.open("ab") as log:
        bench.processes[name] = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    bench.started(name)


def _steer(action: str) -> Callable[[Bench, Values], dict[str, Any]]:
    """Return a function that forwards an action of ``topical-crawler frontier`` with its arguments."""

    def run(bench: Bench, values: Values) -> dict[str, Any]:
        crawl = values["crawl"]
        request = {name: value for name, value in values.items() if name != "crawl"} | {"action": action}
        with bench.reached(crawl) as reached:
            return {"answer": reached.ask(request), "go": f"/crawls/{crawl}"}

    return run


def push(bench: Bench, values: Values) -> dict[str, Any]:
    urls = values["urls"].split()
    with bench.reached(values["crawl"]) as reached:
        answer = ask_in_batches(reached, {"action": "push", "priority": None}, urls)
    return {"answer": answer, "go": f"/crawls/{values['crawl']}"}


_CRAWL = "/crawls/{crawl}"
OPERATIONS = (
    Operation("crawls", "/crawls", "The crawls and the available topics.", crawls),
    Operation("live", _CRAWL, "The state of a crawl: pages and texts, waiting links, hosts, reasons for rejection.", live),
    Operation("best", f"{_CRAWL}/best", "The best waiting links, with the reasons for their order.", best,
              (Param(name="n", about="links", kind="integer", default=10, low=1, high=1000),
               Param(name="host", about="only links of this host", longest=300))),
    Operation("curve", f"{_CRAWL}/curve", "Texts over pages.", curve, page=False),
    Operation("start", "/crawls", "Begin a crawl.", start, (
        Param(name="topic", about="name of a topic", required=True, longest=200),
        Param(name="seeds", about="addresses to start from, separated by white space; none: the topic's", default="",
              longest=100_000),
        Param(name="pages", about="pages to fetch", kind="integer", low=1, high=100_000_000),
        Param(name="depth", about="links followed from a seed", kind="integer", low=1, high=1000),
        Param(name="hosts", about="hosts to crawl; seeds: those of the seeds", default="", longest=2000),
        Param(name="survey", about="sample the sections of each site, report their promise, and stop", kind="boolean",
              default=False),
        Param(name="strategy", about="strategy for ordering links", choices=tuple(sorted(STRATEGIES))),
        Param(name="name", about="name of the crawl; none: the topic's", default="", longest=60),
    ), acts=True),
    Operation("go_on", f"{_CRAWL}/go-on", "Restart a stopped crawl.", go_on, acts=True),
    Operation("pause", f"{_CRAWL}/pause", "Pause fetching until resume.", _steer("pause"), acts=True),
    Operation("resume", f"{_CRAWL}/resume", "Resume after a pause.", _steer("resume"), acts=True),
    Operation("stop", f"{_CRAWL}/stop", "Shut down all workers of the crawl cleanly.", _steer("stop"), acts=True),
    Operation("threshold", f"{_CRAWL}/threshold", "Keep pages above another relevance from now on.", _steer("threshold"),
              (Param(name="value", about="the relevance; none: the topic's own", kind="number", low=0),), acts=True),
    Operation("push", f"{_CRAWL}/push", "Put addresses at the front of the queue.", push,
              (Param(name="urls", about="addresses, separated by white space", required=True, longest=100_000),), acts=True),
    Operation("purge", f"{_CRAWL}/purge", "Drop the waiting links of a host.", _steer("purge"),
              (Param(name="host", about="the host, with its port if any", required=True, longest=300),), acts=True),
    Operation("requeue", f"{_CRAWL}/requeue", "Requeue the pages rejected for a reason.", _steer("requeue"),
              (Param(name="reason", about="the reason (timed out, HTTP 503 …)", required=True, longest=200),), acts=True),
)  # fmt: skip
