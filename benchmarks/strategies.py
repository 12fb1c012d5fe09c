"""Cost of the strategies: python benchmarks/strategies.py [--topic NAME] [--warc FILE] [--pages N] [--strategy A,B]

The recorded pages of a web, in the order of the file, are judged by each strategy, learned, and their links scored, as a
crawl does it with every page; what a crawl does besides (fetching, frontier, extraction) is left out. Each strategy has a
process of its own. CPU time of the process counts: microseconds for a link, milliseconds for a page judged, and seconds to
make the strategy (its tables may come from the cache). After the last page every link is scored once more, with all its
parents ("again"), as at the pop. The state is what a checkpoint stores, as JSON; memory is the greatest resident set of the
process.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import platformdirs
from rich.console import Console
from rich.table import Table
from scrapy.settings import Settings

from topical_crawler import Candidate, Evidence, Page, config, settings, strategies
from topical_crawler.frontier.base import MAX_EVIDENCE
from topical_crawler.recordings.reader import Recording
from topical_crawler.web.dom import decode
from topical_crawler.web.urls import fingerprint

ROOT = Path(__file__).resolve().parents[1]
TARGET = 20.0
"""Microseconds for a link, amortised."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topic", default="partybuilding", help="name or path (%(default)s)")
    parser.add_argument("--warc", type=Path, default=ROOT / "demo/demo-web.warc.gz", help="the recorded web (the demo's)")
    parser.add_argument("--pages", type=int, default=2000, help="pages read at most (%(default)s)")
    parser.add_argument("--strategy", default=",".join(strategies.names()), help="default: all")
    parser.add_argument("--set", "-s", action="append", default=[], metavar="NAME=VALUE", help="a setting, as of scrapy")
    parser.add_argument("--json", action="store_true", help="print figures as JSON")
    options = parser.parse_args()
    rows = []
    for name in options.strategy.split(","):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            rows.append(pool.apply(measure, (name, options.topic, options.warc, options.pages, options.set)))
        print(f"{name} done", file=sys.stderr)
    if options.json:
        print(json.dumps(rows, indent=1))
        return 0
    table = Table("strategy", title=f"{rows[0]['pages']} pages, {rows[0]['links']} links, topic {options.topic}")
    for head in ("µs a link", "µs a link again", "ms a page judged", "s to make", "state kB", "peak MB"):
        table.add_column(head, justify="right")
    for row in rows:
        cells = [f"{row[key]:.1f}" for key in ("link_us", "again_us", "judge_ms", "make_s", "state_kb")]
        table.add_row(
            str(row["strategy"]), *cells, f"{row['peak_mb']:.0f}", style="red" if float(row["link_us"]) > TARGET else None
        )
    Console(width=100).print(table)
    return 0


def measure(name: str, topic: str, warc: Path, most: int, given: list[str]) -> dict[str, float | str]:
    """The costs of one strategy."""
    chosen = Settings()
    chosen.setmodule(settings)
    for text in given:
        key, _, value = text.partition("=")
        chosen.set(key, value)
    start = time.process_time()
    cache = Path(platformdirs.user_cache_dir("topical_crawler"))
    strategy = strategies.create(topic, name, resources=config.resources(chosen), cache_dir=cache)
    made = time.process_time() - start
    judging = scoring = again = 0.0
    pages = links = 0
    found: dict[bytes, Candidate] = {}
    for page in recorded_pages(warc, most, strategy.wants_around, strategy.wants_paths):
        pages += 1
        start = time.process_time()
        verdict = strategy.judge(page)
        strategy.learn(page.url, verdict)
        judging += time.process_time() - start
        distance = 0 if verdict.keep else 1
        evidence = [
            Evidence(page.url, verdict.link_relevance, verdict.keep, x.anchor, distance, x.around, x.path) for x in page.links
        ]
        candidates = [Candidate(x.url, (e,)) for x, e in zip(page.links, evidence, strict=True)]
        start = time.process_time()
        strategy.score(candidates)
        scoring += time.process_time() - start
        links += len(candidates)
        for candidate in candidates:
            known = found.setdefault(fingerprint(candidate.url), candidate)
            if known is not candidate and len(known.evidence) < MAX_EVIDENCE:
                found[fingerprint(candidate.url)] = Candidate(known.url, (*known.evidence, *candidate.evidence))
    start = time.process_time()
    strategy.score(list(found.values()))
    again = time.process_time() - start
    return {
        "strategy": name,
        "pages": pages,
        "links": links,
        "link_us": 1e6 * scoring / max(links, 1),
        "again_us": 1e6 * again / max(len(found), 1),
        "judge_ms": 1e3 * judging / max(pages, 1),
        "make_s": made,
        "state_kb": len(json.dumps(strategy.state_dict(), ensure_ascii=False).encode()) / 1000,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
    }


def recorded_pages(warc: Path, most: int, around: bool, paths: bool) -> Iterator[Page]:
    """The pages of a recording, each canonical address once."""
    seen: set[bytes] = set()
    with Recording(warc, Path(platformdirs.user_cache_dir("topical_crawler"))) as recording:
        for url in recording.urls():
            response = recording.get(url)
            if response is None or response.status != 200 or fingerprint(url) in seen:
                continue
            kind = next((v for n, v in response.headers if n.lower() == "content-type"), "")
            if "html" not in kind:
                continue
            seen.add(fingerprint(url))
            html, encoding = decode(response.body, kind)
            yield Page.from_html(url, html, encoding, around, paths)
            if len(seen) == most:
                return


if __name__ == "__main__":
    sys.exit(main())
