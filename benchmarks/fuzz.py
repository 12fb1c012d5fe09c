"""Mutated pages on their way through the product: python benchmarks/fuzz.py [--pages 100000] [--start N] [--processes N]

Recorded pages are mutated (mutations.py) and go where a fetched page goes: decoding, links, judging and scoring by the default
strategy, extraction, cleaning, the signature for duplicates, and export. Page number N is the same in every run
with the same --seed and recordings. Counted are exceptions, processes that died, and pages that took more than --slow seconds of
processor time in all; a page is given up after --limit seconds.

Each offender is written to --out: NUMBER.html, and a line with its mutations, steps and traceback in offenders.jsonl. --start N
goes on with page N, which an interrupted run names; `--start N --pages 1` looks at one page again. The exit code is 1 where
there was an offender.
"""

from __future__ import annotations

import argparse
import io
import json
import logging
import os
import random
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

from mutations import Mutated, mutate

from topical_crawler.cleaning.cleaner import CleaningOptions
from topical_crawler.corpus import dedup
from topical_crawler.corpus.make import Maker
from topical_crawler.corpus.record import Record
from topical_crawler.crawl.link_policy import evidence_of
from topical_crawler.export.formats import FORMATS, Setup
from topical_crawler.export.rows import as_dict
from topical_crawler.export.tagging import JiebaTagger
from topical_crawler.extraction import extract as extraction
from topical_crawler.recordings.reader import Recording
from topical_crawler.resources.registry import Resources
from topical_crawler.strategies import Setup as StrategySetup
from topical_crawler.strategies import Strategy, load
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.topic import load_topic
from topical_crawler.web.dom import decode
from topical_crawler.web.page import Candidate, Page
from topical_crawler.web.urls import host
from topical_crawler.workers import WorkerDied, WorkerLate, WorkerPool

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"
WEBS = tuple(SHARED / name for name in ("web/dev-web.warc.gz", "web2/dev2-web.warc.gz", "web3/laws.warc.gz"))
DEMO = ROOT / "demo" / "demo-web.warc.gz"
LAYOUTS = ROOT / "benchmarks" / "gold" / "layouts"
TAUGHT = 200  # pages of a recording, as they are, that the strategy learns from before the first mutated one
MOST_LINKS = 500
FETCHED = "2026-11-20T08:30:00+00:00"
SAID_EVERY = 10.0


@dataclass
class Found:
    """What became of a page: processor seconds by step; the step that failed, with its traceback, or none."""

    number: int
    url: str = ""
    mutations: tuple[str, ...] = ()
    size: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    failed: str = ""
    error: str = ""
    kept: bool = False

    @property
    def whole(self) -> float:
        """Processor seconds of all steps."""
        return sum(self.seconds.values())


# -- In the worker processes


class Pages:
    """The pages that are mutated: those of recordings, and the layouts in benchmarks/gold."""

    def __init__(self, webs: Sequence[Path]) -> None:
        self._recordings = [Recording(web) for web in webs]
        self._urls = [list(recording.urls()) for recording in self._recordings]
        self._layouts = sorted(LAYOUTS.glob("*.html"))

    def draw(self, chance: random.Random) -> tuple[str, bytes]:
        """Address and bytes of an HTML page: of each recording as often as of the others, now and then a layout."""
        if chance.random() < 0.1:
            file = chance.choice(self._layouts)
            return f"http://www.example.cn/{file.name}", file.read_bytes()
        place = chance.randrange(len(self._recordings))
        while True:
            url = chance.choice(self._urls[place])
            answer = self._recordings[place].get(url)
            if answer is not None and answer.status == 200 and "html" in answer.header("Content-Type"):
                return url, answer.body


@cache
def pages() -> Pages:
    return Pages([Path(name) for name in json.loads(os.environ["FUZZ_WEBS"])])


@cache
def strategy() -> Strategy:
    """The default strategy, which has learned from pages as they are."""
    topic = load_topic("partybuilding")
    kind = load(topic.default_strategy)
    found = kind.make(StrategySetup(topic.default_strategy, topic, Segmenter(topic.terms), Resources.none(), seed=0))
    chance = random.Random(0)
    for _ in range(TAUGHT):
        url, body = pages().draw(chance)
        html, encoding = decode(body)
        page = Page.from_html(url, html, encoding, around=True, paths=True)
        found.learn(url, found.judge(page))
    return found


@cache
def maker() -> Maker:
    return Maker(None, CleaningOptions())


@cache
def tagger() -> JiebaTagger:
    return JiebaTagger(Segmenter())


def start() -> None:
    """What a worker does before its first page."""
    logging.getLogger().setLevel(logging.CRITICAL)
    extraction.warm_up()
    strategy()
    for number in range(len(FORMATS)):
        export(number, Record(url="http://www.example.cn/", host="www.example.cn", keep=True, text="各支部开展主题党日活动。"))


def mutated(number: int, seed: int) -> tuple[str, Mutated]:
    """Address and bytes of page ``number``."""
    chance = random.Random(f"{seed}:{number}")
    url, body = pages().draw(chance)
    return url, mutate(body, lambda: pages().draw(chance)[1], chance)


def examine(number: int, seed: int) -> Found:
    """Take page ``number`` all the way."""
    url, page = mutated(number, seed)
    found = Found(number, url, page.mutations, len(page.body))
    clock = time.process_time()

    def step(name: str) -> None:
        nonlocal clock
        found.seconds[found.failed] = time.process_time() - clock
        found.failed, clock = name, time.process_time()

    found.failed = "decoding"
    try:
        html, encoding = decode(page.body, page.content_type)
        step("links")
        parsed = Page.from_html(url, html, encoding, around=True, paths=True)
        step("judging")
        verdict = strategy().judge(parsed)
        step("scoring")
        found_at = [Candidate(link.url, (evidence_of(link, url, verdict, 0),)) for link in parsed.links[:MOST_LINKS]]
        strategy().score(found_at)
        if found_at:
            strategy().explain(found_at[0])
        step("extraction")
        anchors = [link.anchor for link in parsed.links]
        extracted = extraction.extract(html, url, fetched=FETCHED, anchors=anchors[:2])
        if extracted.reason == extraction.FAILED:  # it hides its exceptions
            extraction._extract(html, url, FETCHED, anchors[:2])
        step("cleaning")
        made = maker().make(host(url), extracted, anchors=anchors, title=parsed.title)
        fields = {"text": None, **made.fields}
        found.kept = not made.reason
        step("signature")
        if found.kept:
            dedup.bands_of(fields["text"])
        else:
            fields["text"] = None
        step("export")
        record = Record(
            url=url, host=host(url), keep=found.kept, reason=made.reason, encoding=encoding, size=len(page.body),
            fetched=FETCHED, relevance=verdict.relevance, why={"terms": dict(verdict.why)}, **fields,
        )  # fmt: skip
        export(number, record)
        step("")
        found.seconds.pop("", None)
        found.failed = ""
    except Exception:
        found.seconds[found.failed] = time.process_time() - clock
        found.error = traceback.format_exc()
    return found


def export(number: int, record: Record) -> None:
    """Write a record as JSON lines and in one other format, another one for each page ``number``: they share the reading of the
    text, and all of them would take longer than everything before."""
    row = as_dict(record)
    kinds = [kind for kind, form in FORMATS.items() if form.open is not None and (record.keep or form.rejected)]
    for kind in {"jsonl", kinds[number % len(kinds)]}:
        opener = FORMATS[kind].open
        assert opener is not None
        writer = opener(io.BytesIO(), Setup(topic="党建", rejected=not record.keep, tagger=tagger()))
        writer.write(row)
        writer.close()


# -- The run


class Run:
    """Counts, and what is written of offenders."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self.done = self.kept = 0
        self.offences = Counter[str]()
        self.slowest = Found(-1)
        self._seconds = Counter[str]()
        self._pool = WorkerPool(examine, start, options.processes, computes=True)
        self._began = self._said = time.monotonic()

    def __call__(self) -> int:
        """Examine all pages; returns the first number that was not."""
        first, last = self._options.start, self._options.start + self._options.pages
        numbers = iter(range(first, last))
        running: dict[Future[Found], int] = {}
        try:
            with ThreadPoolExecutor(self._options.processes) as threads:
                for number in numbers:
                    running[threads.submit(self._examine, number)] = number
                    if len(running) >= 2 * self._options.processes:
                        self._take(running)
                while running:
                    self._take(running)
        except KeyboardInterrupt:
            return min(running.values(), default=first)
        finally:
            self._pool.close()
        return last

    def _examine(self, number: int) -> Found:
        try:
            return self._pool.run(self._options.limit, number, self._options.seed)
        except WorkerLate:
            error = "limit"
        except WorkerDied:
            error = "died"
        return Found(number, failed="?", error=error)

    def _take(self, running: dict[Future[Found], int]) -> None:
        for future in sorted(wait(running, return_when=FIRST_COMPLETED).done, key=running.__getitem__):
            del running[future]
            self._count(future.result())
        if time.monotonic() - self._said >= SAID_EVERY:
            self._said = time.monotonic()
            print(self.line(), file=sys.stderr, flush=True)

    def _count(self, found: Found) -> None:
        self.done += 1
        self.kept += found.kept
        self._seconds.update(found.seconds)
        if found.whole > self.slowest.whole:
            self.slowest = found
        if found.error:
            self._write(found, {"limit": "over the limit", "died": "died"}.get(found.error, "exceptions"))
        elif found.whole > self._options.slow:
            self._write(found, "slow")

    def _write(self, found: Found, offence: str) -> None:
        self.offences[offence] += 1
        folder: Path = self._options.out
        folder.mkdir(parents=True, exist_ok=True)
        url, page = mutated(found.number, self._options.seed)
        (folder / f"{found.number}.html").write_bytes(page.body)
        about = asdict(found) | {"offence": offence, "url": url, "mutations": page.mutations, "content_type": page.content_type}
        with (folder / "offenders.jsonl").open("a", encoding="utf-8") as out:
            out.write(json.dumps(about, ensure_ascii=False) + "\n")
        said = found.error.strip().rpartition("\n")[2] or f"{found.whole:.1f} s"
        print(
            f"page {found.number}: {offence} in {found.failed or max(found.seconds, key=found.seconds.__getitem__)}: {said}",
            flush=True,
        )

    def line(self) -> str:
        """Where the run is."""
        seconds = time.monotonic() - self._began
        minutes = (self._options.pages - self.done) * seconds / max(1, self.done) / 60
        return (
            f"{self.done:,} of {self._options.pages:,} pages, {self.kept:,} with a text; {self.shown()}; slowest "
            f"{self.slowest.whole:.2f} s (page {self.slowest.number}); {self.done / seconds:.1f} a second, {minutes:.0f} min left"
        )

    def shown(self) -> str:
        """The counts of offences."""
        over = self.offences["slow"] + self.offences["over the limit"]
        return f"{self.offences['exceptions']} exceptions, {self.offences['died']} died, {over} over {self._options.slow:g} s"

    def report(self, following: int) -> None:
        """Print the result."""
        print(self.line())
        whole = sum(self._seconds.values()) or 1.0
        print(
            "ms a page: " + ", ".join(f"{name} {1000 * s / max(1, self.done):.1f}" for name, s in self._seconds.items()), end=""
        )
        print(f"; together {1000 * whole / max(1, self.done):.1f}")
        print(f"pages {self._options.start} to {following - 1} with --seed {self._options.seed}: {self.shown()}")
        if following < self._options.start + self._options.pages:
            left = self._options.start + self._options.pages - following
            print(f"interrupted; go on with --start {following} --pages {left}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webs", type=Path, nargs="*", help="recordings (default: those beside the project, else the demo web)")
    parser.add_argument("--pages", type=int, default=100_000, help="(%(default)s)")
    parser.add_argument("--start", type=int, default=0, help="number of the first page (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the mutations (%(default)s)")
    parser.add_argument("--processes", type=int, default=1, help="(%(default)s)")
    parser.add_argument("--slow", type=float, default=5.0, help="processor seconds that a page may take (%(default)s)")
    parser.add_argument("--limit", type=float, default=20.0, help="processor seconds after which it is given up (%(default)s)")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "fuzz", help="folder for offenders (build/fuzz)")
    options = parser.parse_args()
    webs = options.webs or [web for web in WEBS if web.is_file()]
    if not webs:
        print(f"{SHARED} is not there: the pages of the demo web and benchmarks/gold only", file=sys.stderr)
        webs = [DEMO]
    os.environ["FUZZ_WEBS"] = json.dumps([str(web.resolve()) for web in webs])
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell ignores Ctrl-C in what it runs in the background
        signal.signal(number, signal.default_int_handler)
    run = Run(options)
    following = run()
    run.report(following)
    return int(bool(run.offences.total()))


if __name__ == "__main__":
    import fuzz  # by this name the worker processes find it

    sys.exit(fuzz.main())
