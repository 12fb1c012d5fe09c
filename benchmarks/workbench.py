"""How long the workbench takes for each of its pages, over a corpus of many texts.

    python benchmarks/workbench.py TEXTS.jsonl.gz [--rows 100000] [--folder DIR]

Takes real texts, JSON objects with "title", "text" and "date", again and again up to the number of rows, on 40 hosts, a row in
four rejected. The server is a process of its own, as users have it. Each page is asked for the first time after the corpus was
indexed, then ``--times`` times again; the first time and the median are printed in milliseconds, with the processor time that the
server took. What is counted in the background (facets, words) is printed with the time until it is there. The exit code is 1 if a
page took more than 300 ms of processor time, first times included. ``--folder`` keeps the corpus for another run.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote, urlsplit

import psutil

from topical_crawler.corpus.record import Record, storable, values_of
from topical_crawler.corpus.record import pages as table
from topical_crawler.corpus.store import CorpusStore

BOUND = 300  # milliseconds of processor time
QUERIES = ("发展", "党支部", "中国 OR 美国", "“人民群众”", "经济 -农业", "的")


def make(place: Path, texts: Path, rows: int) -> None:
    """A corpus of ``rows`` rows."""
    with gzip.open(texts, "rt", encoding="utf-8") as lines:
        documents = list(map(json.loads, lines))
    chance = random.Random(0)
    reasons = ("off topic", "list page", "duplicate", "HTTP 404")
    with CorpusStore(place) as store:
        for start in range(0, rows, 2000):
            found = []
            for n in range(start, min(start + 2000, rows)):
                document, keep = documents[n % len(documents)], n % 4 > 0
                host = f"www{n * n % 40}.example.cn"
                facts = {"keep": keep, "text": document["text"] if keep else None, "reason": "" if keep else reasons[n // 4 % 4]}
                why = {"terms": {"党建": 0.6}, "parent": f"http://{host}/", "anchor": document["title"]}
                record = Record(
                    url=f"http://{host}/{n}.html", host=host, title=document["title"], date=document.get("date") or "",
                    relevance=chance.random(), size=40_000, status=200, depth=2, why=why, kind="article", **facts,
                )  # fmt: skip
                found.append(values_of(storable(record)))
            with store.writing() as connection:
                connection.execute(table.insert(), found)


class Visitor:
    """Asks a server for its pages."""

    def __init__(self, address: str, process: psutil.Process) -> None:
        url = urlsplit(address)
        self.process = process
        self._connection = HTTPConnection(url.hostname or "", url.port, timeout=600)
        self._token = url.query.partition("=")[2]

    def get(self, path: str) -> tuple[float, float, bytes]:
        """Milliseconds until a page is there, those of the processor, and its text."""
        before, began = sum(self.process.cpu_times()[:2]), time.perf_counter()
        self._connection.request("GET", path, headers={"Authorization": f"Bearer {self._token}"})
        answer = self._connection.getresponse()
        content = answer.read()
        taken = 1000 * (time.perf_counter() - began)
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {content[:500]!r}")
        return taken, 1000 * (sum(self.process.cpu_times()[:2]) - before), content

    def until_there(self, path: str) -> float:
        """Seconds until nothing on a page is being counted any more."""
        began = time.perf_counter()
        while b"data-waiting" in self.get(path)[2]:
            time.sleep(0.05)
        return time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("texts", type=Path)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = options.folder or Path(made)
        crawl = folder / "big"
        if not (crawl / "corpus.sqlite").is_file():
            crawl.mkdir(parents=True, exist_ok=True)
            make(crawl / "corpus.sqlite", options.texts, options.rows)
        command = [sys.executable, "-m", "topical_crawler", "workbench", str(crawl), "--no-browser", "--port", "0"]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8")
        try:
            assert server.stderr is not None
            address = next(line.strip() for line in server.stderr if line.startswith("http://"))
            return measure(Visitor(address, psutil.Process(server.pid)), options.times)
        finally:
            server.terminate()
            server.wait()


def measure(visitor: Visitor, times: int) -> int:
    base = "/crawls/big"
    print(f"index of strings: {visitor.until_there(f'{base}/corpus?q=%E5%85%9A%E8%AF%BE'):.1f} s")
    paths = {"crawls": "/", "list": f"{base}/corpus", "list by relevance": f"{base}/corpus?sort=relevance"}
    paths |= {f"search {query}": f"{base}/corpus?q={quote(query)}" for query in QUERIES}
    paths["search 发展 on one host"] = f"{base}/corpus?q={quote('发展')}&host=www1.example.cn"
    paths["search 发展, page 5, by what follows"] = f"{base}/corpus?q={quote('发展')}&from=200&order=right"
    paths |= {
        "number of 发展": f"{base}/count?q={quote('发展')}",
        "text": f"{base}/texts/50000",
        "why": f"{base}/texts/50000/why",
        "facets": f"{base}/facets",
        "facets of 发展": f"{base}/facets?q={quote('发展')}",
        "words": f"{base}/words",
        "collocates": f"{base}/collocates?word={quote('发展')}",
        "export": f"{base}/export",
        "crawl": base,
        "best links": f"/api{base}/best",
        "curve": f"/api{base}/curve",
        "texts to be asked about": f"{base}/asked",
        "topic": "/topics/partybuilding",
        "new topic": "/topics/new",
    }
    slow = 0
    for name, path in paths.items():
        first, processor, _ = visitor.get(path)
        there = visitor.until_there(path)
        asked_again = [visitor.get(path)[:2] for _ in range(times)]
        again, processor_again = (statistics.median(column) for column in zip(*asked_again, strict=True))
        slow += max(processor, processor_again) > BOUND
        later = f"  all there after {there:.1f} s" if there > 0.25 else ""
        print(
            f"{name:36} first {first:6.0f} ms ({processor:5.0f})  again {again:6.0f} ms ({processor_again:5.0f}){later}",
            flush=True,
        )
    return int(slow > 0)


if __name__ == "__main__":
    sys.exit(main())
