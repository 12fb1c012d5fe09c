"""Cost of storing a page, of copying a corpus and of searching it: SQLite beside PostgreSQL, in one run.

    python benchmarks/corpus.py [--pages 2000] [--rows 20000] [--writers 4]
    python benchmarks/corpus.py --search TEXTS.jsonl.gz [--rows 20000]
    python benchmarks/corpus.py --many 1000000 [--writers 4]

Pages have texts of 3,000 characters (9 kB). PostgreSQL is the server of the tests with fsync on, on this machine; every page is a
commit. "4 writers" are processes that store the same texts in the same order, half of them on the same pages. Each measurement is
a line of output; the exit code is 1 if a text was kept twice or a copy differs.

``--search`` takes real texts, JSON objects with "title" and "text", again and again up to the number of rows. It measures how
long an index of strings and one of words take to make and to bring up to date, and queries: 40 words of two to four characters,
drawn from the texts, with the first 20 texts and their keywords in context. The exit code is 1 if strings are not found in all
texts that hold them.

``--many`` measures a PostgreSQL of a hundredth of so many made rows, and then of all, half of them kept with texts of 600
characters: new pages a second by the writers together, near-duplicates of texts that are there (all must be found), and time and
peak memory of ``corpus stats`` and ``corpus export``.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "tools"))

import sqlalchemy as sa
from postgres_tools import PostgresServer
from side_by_side import forked

from topical_crawler.corpus.copy import copy
from topical_crawler.corpus.dedup import bands_of
from topical_crawler.corpus.record import Filters, Record, storable, to_json, values_of
from topical_crawler.corpus.record import pages as table
from topical_crawler.corpus.search import fold, open_index, parse_query
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.text.segment import Segmenter

MEMORY = {"shared_buffers": "512MB", "max_wal_size": "4GB"}
WORDS = [chr(0x4E00 + 7 * n) + chr(0x4E00 + 11 * n) for n in range(800)]


def body(n: int, characters: int = 3000) -> str:
    """Return a text of so many characters, with little more than words in common with any other."""
    words = characters // 15 * 7
    chosen = random.Random(n).choices(WORDS, k=words)
    return "，".join("".join(chosen[i : i + 7]) for i in range(0, words, 7))[:characters]


def page(n: int, host: str = "a.cn", text: bool = True, characters: int = 3000) -> Record:
    more = {"text": body(n, characters), "keep": True} if text else {"keep": False, "reason": "off topic"}
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


def search(folder: Path, server: PostgresServer, file: str, rows: int) -> bool:
    """Measure searches over ``rows`` texts of a file. Returns whether strings are found wherever they stand."""
    opener = gzip.open if file.endswith(".gz") else open
    with opener(file, "rt", encoding="utf-8") as lines:
        given = list(map(json.loads, lines))
    records = [
        Record(url=f"http://a.cn/{n}", host="a.cn", title=fields["title"], text=f"{fields['text']}\n第{n}篇", keep=True)
        for n, fields in enumerate(itertools.islice(itertools.cycle(given), rows))
    ]
    texts = [fold(f"{record.title}\n{record.text}") for record in records]
    cut = Segmenter().pieces
    words = Counter(word for text in texts[: len(given) : 5] for word in cut(text) if word.isalpha() and not word.isascii())
    draw = random.Random(0)
    queries = [word for n in (2, 3, 4) for word in draw.sample(sorted(w for w in words if len(w) == n and words[w] > 9), 14)][:40]
    queries += ["中国", "改革 开放 -农村", "人民 OR 群众", "“高质量发展”"]
    print(f"{rows:,} texts of {statistics.mean(map(len, texts)):,.0f} characters; {len(queries)} queries")
    good = True
    for kind in ("sqlite", "postgresql"):
        place = server.new_database() if kind == "postgresql" else str(folder / "searched.sqlite")
        with CorpusStore(place) as store, store.writing() as connection:
            connection.execute(table.insert(), [values_of(storable(record)) for record in records])
        found: dict[str, int] = {}
        with open_index(place, folder) as index:
            begun = time.perf_counter()
            index.update()
            build = time.perf_counter() - begun
            begun = time.perf_counter()
            assert index.update() == 0
            nothing = time.perf_counter() - begun
            times = []
            for query in queries:
                begun = time.perf_counter()
                found[query] = index.search(parse_query(query), Filters(), 20).total
                times.append((time.perf_counter() - begun) * 1000)
        print(
            f"{kind:10}  made in {build:.0f} s ({rows / build:,.0f} texts/s), up to date in {nothing * 1000:.0f} ms, "
            f"query {statistics.median(times):.0f} ms (slowest {max(times):.0f})",
            flush=True,
        )
        held = {query: sum(query in text for text in texts) for query in queries[:40]}
        good &= all(found[query] == held[query] for query in held)
        if kind == "sqlite":
            sizes = [(folder / f"searched.sqlite{suffix}").stat().st_size / 1e6 for suffix in ("", ".search")]
            print(f"{kind:10}  corpus {sizes[0]:.0f} MB, index {sizes[1]:.0f} MB")
        else:
            with CorpusStore(place, read_only=True) as store, store.reading() as connection:
                names = ("pages", "search_strings")
                sizes = [connection.scalar(sa.select(sa.func.pg_total_relation_size(name))) / 1e6 for name in names]
            print(f"{kind:10}  corpus {sizes[0]:.0f} MB, index {sizes[1]:.0f} MB")
    return good


def short(n: int, host: str) -> Record:
    """A page behind a link, with a text of 600 characters, each second one kept. A manifest has the address of every seed."""
    return replace(page(n, host, text=n % 2 == 0, characters=600), depth=1)


def fill(place: str, numbers: range) -> None:
    """Write rows with their bands, many in a transaction."""
    columns = {column.name: to_json if isinstance(column.type, sa.JSON) else lambda value: value for column in table.c}
    with CorpusStore(place) as store:
        for some in (numbers[at : at + 1000] for at in range(0, len(numbers), 1000)):
            records = {n + 1: storable(short(n, f"site{n % 10_000}.cn")) for n in some}
            with store.writing() as connection:
                cursor = connection.connection.driver_connection.cursor()
                with cursor.copy(f"COPY pages ({', '.join(columns)}) FROM STDIN") as rows:
                    for page_id, record in records.items():
                        values = {**values_of(record), "id": page_id}
                        rows.write_row([pack(values.get(name)) for name, pack in columns.items()])
                with cursor.copy("COPY bands (band, page) FROM STDIN") as rows:
                    for page_id, record in records.items():
                        for band in set(bands_of(record.text or "")):
                            rows.write_row((band, page_id))


def command(*arguments: str) -> str:
    """Run a command. Return its time and its peak memory in words."""
    begun = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "topical_crawler", "corpus", *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise SystemExit(f"corpus {arguments[0]} failed")
    return f"{time.perf_counter() - begun:.1f} s, {usage.ru_maxrss / 1024:.0f} MB"


def grow(server: PostgresServer, folder: Path, rows: int, writers: int) -> bool:
    """Measure a corpus of a hundredth of the rows, then of all. Returns whether all near-duplicates were found."""
    place, first, good = server.new_database(), 0, True
    CorpusStore(place).close()
    server.execute(f"SELECT setval(pg_get_serial_sequence('pages', 'id'), {rows})", place)
    for size in (rows // 100, rows):
        parts = [range(first + n, size, 2) for n in range(2)]
        seconds = forked(partial(fill, place, part) for part in parts)
        server.execute("ANALYZE", place)
        print(f"{size:,} rows ({(size - first) / seconds:,.0f}/s in bulk)", flush=True)

        def write(worker: int, size: int = size) -> None:
            with CorpusStore(place) as store:
                for n in range(1000):
                    store.put(short(10 * rows + size + worker * 1000 + n, f"worker{worker}.cn"))

        seconds = forked(partial(write, n) for n in range(writers))
        print(f"  {writers} writers        {writers * 1000 / seconds:,.0f} pages/s", flush=True)
        times, found, chance = [], 0, random.Random(size)
        with CorpusStore(place) as store:
            for n in (2 * chance.randrange(size // 2) for _ in range(500)):
                record = short(n, f"mirror{size}.cn")
                record = replace(record, text=f"转载：{record.text}编辑部供稿。")
                begun = time.perf_counter()
                stored = store.put(record)
                times.append((time.perf_counter() - begun) * 1000)
                found += stored.duplicate_of == f"http://site{n % 10_000}.cn/{n}.html"
        said = f"{statistics.mean(times):.1f} ms each (slowest {max(times):.0f}), {found} of 500 found"
        print(f"  near-duplicates  {said}", flush=True)
        print(f"  corpus stats     {command('stats', place)}", flush=True)
        print(f"  corpus export    {command('export', place, '-o', str(folder / f'{size}.jsonl'))}", flush=True)
        megabytes = int(server.execute("SELECT pg_database_size(current_database())", place)[0][0]) / 1e6
        print(f"  database         {megabytes:,.0f} MB", flush=True)
        first, good = size, good and found == 500
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--search", metavar="TEXTS")
    parser.add_argument("--many", metavar="ROWS", type=int, default=0)
    options = parser.parse_args()
    good = True
    config = MEMORY if options.many else {}
    with tempfile.TemporaryDirectory() as name, PostgresServer(Path(name) / "log", fsync="on", **config) as server:
        folder = Path(name)
        if options.many:
            return 0 if grow(server, folder, options.many, options.writers) else 1
        if options.search:
            return 0 if search(folder, server, options.search, options.rows) else 1
        for kind in ("sqlite", "postgresql"):
            place = server.new_database() if kind == "postgresql" else str(folder / "one.sqlite")
            print(f"{kind:10}  1 writer   {puts(place, options.pages)}", flush=True)
            place = server.new_database() if kind == "postgresql" else str(folder / "many.sqlite")
            said, right = many(place, options.pages // options.writers, options.writers)
            print(f"{kind:10}  {options.writers} writers  {said}", flush=True)
            good &= right
        first = str(folder / "first.sqlite")
        with CorpusStore(first) as store, store.writing() as connection:
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
