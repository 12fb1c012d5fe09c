"""Cost of storing a page and of copying a corpus: SQLite beside PostgreSQL, in one run.

    python benchmarks/corpus.py [--pages 2000] [--rows 20000] [--writers 4]

Pages have texts of 3,000 characters (9 kB). PostgreSQL is the server of the tests with fsync on, on this machine; every page is a
commit. "4 writers" are processes that store the same texts in the same order, half of them on the same pages. Each measurement is
a line of output; the exit code is 1 if a text was kept twice or a copy differs.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "tools"))

from postgres_tools import PostgresServer

from topical_crawler.corpus.copy import copy
from topical_crawler.corpus.record import Record, storable, values_of
from topical_crawler.corpus.store import CorpusStore

WORDS = [chr(0x4E00 + 7 * n) + chr(0x4E00 + 11 * n) for n in range(800)]


def body(n: int) -> str:
    """A text of 3,000 characters that shares hardly more than words with any other."""
    chosen = random.Random(n).choices(WORDS, k=1400)
    return "，".join("".join(chosen[i : i + 7]) for i in range(0, 1400, 7))[:3000]


def page(n: int, host: str = "a.cn", text: bool = True) -> Record:
    more = {"text": body(n), "keep": True} if text else {"keep": False, "reason": "off topic"}
    return Record(url=f"http://{host}/{n}.html", host=host, title=f"主题教育第{n}讲", why={"terms": {"党建": 0.6}}, **more)


def puts(place: str, pages: int) -> str:
    times = []
    with CorpusStore(place) as store:
        for n in range(pages):
            record = page(n, text=n % 3 > 0)
            begun = time.perf_counter()
            store.put(record)
            times.append((time.perf_counter() - begun) * 1000)
    parts = statistics.quantiles(times, n=100)
    return f"{statistics.mean(times):.2f} ms a page (median {parts[49]:.2f}, 99 % below {parts[98]:.2f})"


def many(place: str, pages: int, writers: int) -> tuple[str, bool]:
    CorpusStore(place).close()
    gate, opened = os.pipe()
    children = []
    for worker in range(writers):
        children.append(os.fork())
        if not children[-1]:
            os.close(opened)
            os.read(gate, 1)
            with CorpusStore(place) as store:
                for n in range(pages):
                    store.put(page(n, "shared.cn" if n % 2 else f"mirror{worker}.cn"))
            os._exit(0)
    begun = time.perf_counter()
    os.close(opened)
    failed = sum(os.waitpid(child, 0)[1] for child in children)
    seconds = time.perf_counter() - begun
    with CorpusStore(place, read_only=True) as store:
        texts = Counter(record.content_hash for record in store.records())
    double = sum(count > 1 for count in texts.values())
    said = f"{writers * pages / seconds:,.0f} pages/s over all, {len(texts):,} texts of {pages:,} kept, {double} of them twice"
    return said, not failed and not double and len(texts) == pages


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--writers", type=int, default=4)
    options = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as name, PostgresServer(Path(name) / "log", fsync="on") as server:
        folder = Path(name)
        for kind in ("sqlite", "postgresql"):
            place = server.new_database() if kind == "postgresql" else str(folder / "one.sqlite")
            print(f"{kind:10}  1 writer   {puts(place, options.pages)}", flush=True)
            place = server.new_database() if kind == "postgresql" else str(folder / "many.sqlite")
            said, right = many(place, options.pages // options.writers, options.writers)
            print(f"{kind:10}  {options.writers} writers  {said}", flush=True)
            good &= right
        first = str(folder / "first.sqlite")
        with CorpusStore(first) as store, store.writing() as connection:
            from topical_crawler.corpus.record import pages as table

            rows = (page(n, text=n % 3 > 0) for n in range(options.rows))
            connection.execute(table.insert(), [values_of(storable(row)) for row in rows])
        there, back = server.new_database(), str(folder / "back.sqlite")
        other = server.new_database()
        digests = set()
        for source, target in ((first, there), (there, back), (there, other), (first, str(folder / "again.sqlite"))):
            with CorpusStore(source, read_only=True) as a, CorpusStore(target) as b:
                begun = time.perf_counter()
                digests.add(copy(a, b, lambda *_: None).digest)
                seconds = time.perf_counter() - begun
                kinds = " to ".join("PostgreSQL" if "://" in place else "SQLite" for place in (source, target))
            print(f"copy {kinds:24} {options.rows / seconds:,.0f} rows/s with verification", flush=True)
        good &= len(digests) == 1
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
