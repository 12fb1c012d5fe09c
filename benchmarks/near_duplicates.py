"""Near-duplicates in a corpus of a million texts: python benchmarks/near_duplicates.py [--documents 1000000] [--data FILE]

Documents of about 1,000 characters are put together from the sentences of real news texts (a file with a JSON object a line that
has a "text"; --data), each by its number, so that two of them share a sentence now and then. Two thousand are reports of one form
that differ in numbers and names alone. All are loaded into an SQLite file, in the order in which a crawl would have stored them.
Then, with a transaction each and the cache that a corpus has:

    fresh documents, fresh reports      are looked for and remembered: none of them may be taken for another
    substitutions 1 %, 5 %, 20 %        single letters of documents in the corpus, all over the text, are others
    sentences 1 %, 5 %, 20 %            sentences in a row are removed, replaced or have others added

Times are milliseconds a document, of CPU time and, all together, by the clock; remembering includes the commit. Recall is the
share of edited copies whose original was found, precision the share of findings that are the original. Beside it MinHashLSH of
datasketch, whose index is kept in memory and which does not look at the texts, with --rival documents.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import importlib.util
import json
import os
import random
import re
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import sqlalchemy as sa
from rich.console import Console
from rich.table import Table

from topical_crawler.corpus import dedup
from topical_crawler.corpus.connections import open_engine, write_ahead
from topical_crawler.corpus.record import Record, pages, tables

NEWS = Path(__file__).resolve().parents[2] / "shared" / "data" / "news" / "news-dev.jsonl.gz"
REPORTS = 2000
SHARES = (0.01, 0.05, 0.2)
BATCH = 1000
CITIES = ("北京", "上海", "广州", "成都", "武汉", "西安", "沈阳", "南京", "昆明", "兰州", "长沙", "合肥", "济南", "福州", "贵阳")
SKIES = ("晴", "多云", "阴", "小雨", "中雨", "雷阵雨", "晴转多云", "多云转阴", "小雪")


class Documents:
    """Texts by their numbers, the same in every run; those from ``forms`` on are reports of one form."""

    def __init__(self, data: Path, forms: int) -> None:
        with gzip.open(data, "rt", encoding="utf-8") as lines:
            texts = [json.loads(line)["text"] for line in lines]
        found = {sentence for text in texts for sentence in re.findall(r"[^。！？\n]{8,120}[。！？]", text)}
        self.sentences = sorted(found)
        self.letters = sorted({letter for text in texts[:500] for letter in text if "\u4e00" <= letter <= "\u9fff"})
        self.forms = forms

    def __getitem__(self, number: int) -> str:
        chance = random.Random(number)
        return self._report(chance) if number >= self.forms else self._article(chance)

    def fresh(self, number: int) -> str:
        """A document that is no report, whatever its number."""
        return self._article(random.Random(number))

    def _article(self, chance: random.Random) -> str:
        length, parts = min(6000.0, max(300.0, chance.lognormvariate(6.8, 0.5))), []
        while length > 0:
            parts.append(self.sentences[int(chance.random() * len(self.sentences))])
            length -= len(parts[-1])
        return "".join(part + "\n" * (n % 4 == 3) for n, part in enumerate(parts))

    @staticmethod
    def _report(chance: random.Random) -> str:
        day = f"{chance.randrange(1, 13)}月{chance.randrange(1, 29)}日"
        cities = "".join(
            f"{city}，{chance.choice(SKIES)}，最高气温{chance.randrange(5, 38)}℃，最低气温{chance.randrange(-9, 5)}℃，"
            f"风力{chance.randrange(1, 5)}级，空气质量指数{chance.randrange(20, 200)}。\n"
            for city in CITIES
        )
        return f"气象台{day}发布全国主要城市天气预报。\n{cities}请广大市民注意天气变化，合理安排出行，及时增减衣物。"

    def substituted(self, text: str, share: float, chance: random.Random) -> str:
        return "".join(chance.choice(self.letters) if chance.random() < share and not c.isspace() else c for c in text)

    def rewritten(self, text: str, share: float, chance: random.Random) -> str:
        """Sentences in a row until ``share`` of the characters was touched; at least one."""
        sentences = re.findall(r"[^。！？]*[。！？]\s*", text)
        at, touched = chance.randrange(len(sentences)), 0
        while touched == 0 or touched < share * len(text):
            old, other = sentences[at % len(sentences)], chance.choice(self.sentences)
            sentences[at % len(sentences)] = chance.choice(("", other, old + other))
            touched += len(old)
            at += 1
        return "".join(sentences)


@dataclass
class Tally:
    """Of one kind of document: what was found, and milliseconds for each, of CPU time and by the clock."""

    original: int = 0
    other: int = 0
    nothing: int = 0
    cpu: Counter[str] = field(default_factory=Counter)
    clock: float = 0.0

    @contextlib.contextmanager
    def timed(self, what: str) -> Iterator[None]:
        begun, cpu = time.perf_counter(), time.process_time()
        yield
        self.cpu[what] += (time.process_time() - cpu) * 1000
        self.clock += (time.perf_counter() - begun) * 1000

    def found(self, number: int | None, expected: int | None) -> None:
        self.original += number is not None and number == expected
        self.other += number is not None and number != expected
        self.nothing += number is None

    @property
    def row(self) -> list[str]:
        given, total = self.original + self.other, self.original + self.other + self.nothing
        times = [f"{self.cpu[what] / total:.2f}" if what in self.cpu else "-" for what in ("signature", "find", "remember")]
        precision = f"{self.original / given:.4f}" if self.original else "-"
        recall = f"{self.original / total:.3f}" if self.original else "-"
        return [f"{total:,}", recall, precision, str(self.other), *times, f"{self.clock / total:.2f}"]


def load(place: Path, documents: Documents, count: int) -> None:
    """Make the corpus at once: without transactions, with a large cache. In a process of its own, for its memory."""
    child = os.fork()
    if child:
        if os.waitpid(child, 0)[1]:
            raise SystemExit("loading failed; the message is above")
        return
    try:
        engine = sa.create_engine(f"sqlite:///{place}")
        tables.create_all(engine)
        engine.dispose()
        connection = sqlite3.connect(place)
        for pragma in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-3000000", "locking_mode=EXCLUSIVE"):
            connection.execute(f"PRAGMA {pragma}")
        # The indexes of addresses are not measured.
        for name in ("ix_pages_duplicate_of", "ix_pages_url", "ix_pages_content_hash"):
            connection.execute(f"DROP INDEX IF EXISTS {name}")
        insert = f"INSERT INTO pages ({', '.join(row(1, ''))}) VALUES ({', '.join('?' * len(row(1, '')))})"
        for start in range(0, count, BATCH):
            texts = {number: documents[number] for number in range(start, min(count, start + BATCH))}
            connection.executemany(insert, [list(row(number, text).values()) for number, text in texts.items()])
            connection.executemany(
                "INSERT OR IGNORE INTO bands VALUES (?, ?)",
                [(band, number + 1) for number, text in texts.items() for band in dedup.bands_of(text)],
            )
        connection.commit()
        connection.close()
        os._exit(0)
    except BaseException as error:
        print(repr(error), file=sys.stderr)
        os._exit(1)


def row(number: int, text: str) -> dict[str, object]:
    """What a page needs to be a candidate."""
    record = Record(
        url=f"http://www.site{number % 200}.cn/{number}.html", host=f"www.site{number % 200}.cn", keep=True, text=text or "-"
    )
    names = ("key", "url", "final_url", "host", "keep", "reason", "duplicate_of", "fetched", "date", "characters", "relevance")
    names += ("priority", "depth", "status", "size", "encoding", "content_hash", "title", "author")
    return {"id": number + 1, **{name: getattr(record, name) for name in names}, "why": "{}", "text": text}


def checks(documents: Documents, count: int, of: int) -> Iterator[tuple[str, list[tuple[str, int | None]]]]:
    """By kind, texts with the number of the document that they were made of."""
    yield "fresh documents", [(documents.fresh(count + number), None) for number in range(4 * of)]
    yield "fresh reports", [(documents[10 * count + number], None) for number in range(of)]
    kinds: dict[str, Callable[[str, float, random.Random], str]] = {
        "substitutions": documents.substituted,
        "sentences": documents.rewritten,
    }
    for kind, edit in kinds.items():
        for share in SHARES:
            chance = random.Random(f"{kind} {share}")
            originals = [chance.randrange(min(count, documents.forms)) for _ in range(of)]
            yield f"{kind} {share:.0%}", [(edit(documents[n], share, chance), n + 1) for n in originals]


def measure(place: Path, documents: Documents, count: int, of: int) -> tuple[dict[str, Tally], float]:
    """What is found in the corpus, and megabytes that the process has grown by."""
    engine = open_engine(str(place), read_only=False, patience=60.0)
    write_ahead(engine, 60.0)
    writer = engine.connect().execution_options(transaction="writes")
    tallies: dict[str, Tally] = {}
    next_id = count + 1
    prepared = list(checks(documents, count, of))
    memory, most = psutil.Process(), 0
    before = memory.memory_info().rss
    for kind, texts in prepared:
        tally = tallies[kind] = Tally()
        for text, expected in texts:
            with tally.timed("signature"):
                bands = dedup.bands_of(text)
            with tally.timed("find"), writer.begin():
                twin = dedup.find(writer, text, bands, "")
            if expected is None:
                with writer.begin():
                    writer.execute(pages.insert(), row(next_id - 1, text) | {"why": {}, "personal": {}})
                with tally.timed("remember"), writer.begin():
                    dedup.remember(writer, next_id, bands)
                next_id += 1
            tally.found(twin.page_id if twin else None, expected)
            most = max(most, memory.memory_info().rss)
    with writer.begin():  # the file can be used again
        for number in range(count + 1, next_id):
            dedup.forget(writer, number)
            writer.execute(pages.delete().where(pages.c.id == number))
    writer.close()
    engine.dispose()
    return tallies, (most - before) / 1e6


def rival(documents: Documents, count: int, of: int) -> tuple[dict[str, Tally], float]:
    """The same with datasketch: 128 numbers, threshold as here; every text that it names counts."""
    from datasketch import MinHash, MinHashLSH

    def signature(text: str) -> Any:
        words = dedup.letters(text)
        made = MinHash(num_perm=128)
        made.update_batch({words[n : n + dedup.SHINGLE].encode() for n in range(len(words) - dedup.SHINGLE + 1)})
        return made

    memory = psutil.Process()
    before = memory.memory_info().rss
    index = MinHashLSH(threshold=dedup.MIN_SIMILARITY, num_perm=128)
    for number in range(count):
        index.insert(number + 1, signature(documents[number]))
    grown = (memory.memory_info().rss - before) / 1e6
    tallies: dict[str, Tally] = {}
    number = count
    for kind, texts in checks(documents, count, of):
        tally = tallies[kind] = Tally()
        for text, expected in texts:
            with tally.timed("signature"):
                made = signature(text)
            with tally.timed("find"):
                names = index.query(made)
            if expected is None:
                number += 1
                with tally.timed("remember"):
                    index.insert(number, made)
            tally.found(expected if expected in names else min(names, default=None), expected)
            tally.other += len(names) - 1 if expected in names else 0
    return tallies, grown


def show(console: Console, title: str, tallies: dict[str, Tally]) -> None:
    table = Table(title=title, title_justify="left", box=None)
    for heading in ("", "texts", "recall", "precision", "false", "signature", "find", "remember", "by the clock"):
        table.add_column(heading, justify="right" if heading else "left")
    for kind, tally in tallies.items():
        table.add_row(kind, *tally.row)
    console.print(table)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000, help="in the corpus (1000000)")
    parser.add_argument("--data", type=Path, default=NEWS, help="texts to take sentences from (beside the project)")
    parser.add_argument("--checks", type=int, default=500, help="edited copies of each kind (500)")
    parser.add_argument("--rival", type=int, default=20_000, help="documents for datasketch (20000); 0: leave it out")
    parser.add_argument("--corpus", type=Path, help="file to make, or to use again (a temporary one)")
    options = parser.parse_args()
    if not options.data.is_file():
        parser.error(f"there is no {options.data}; name a file of news texts with --data")
    console = Console(width=None if sys.stdout.isatty() else 110, highlight=False)
    documents = Documents(options.data, max(1, options.documents - REPORTS))
    with tempfile.TemporaryDirectory(prefix="topical-near-") as folder:
        place = options.corpus or Path(folder, "corpus.sqlite")
        if not place.exists():
            begun = time.perf_counter()
            load(place, documents, options.documents)
            console.print(f"loaded in {time.perf_counter() - begun:,.0f} s")
        connection = sqlite3.connect(place)
        size = place.stat().st_size / 1e6
        text = connection.execute("SELECT sum(length(CAST(text AS BLOB))) FROM pages").fetchone()[0] / 1e6
        rows = connection.execute("SELECT count(*) FROM bands").fetchone()[0]
        connection.close()
        tallies, grown = measure(place, documents, options.documents, options.checks)
        console.print(
            f"{options.documents:,} documents: file {size:,.0f} MB (texts {text:,.0f} MB), {rows:,} bands; memory grew by "
            f"{grown:.0f} MB while checking"
        )
        show(console, "here, SQLite", tallies)
    if options.rival and importlib.util.find_spec("datasketch") is None:
        console.print("datasketch is not installed (remedy: pip install datasketch): measured without it")
    elif options.rival:
        documents.forms = max(1, options.rival - REPORTS)
        others, grown = rival(documents, options.rival, options.checks)
        console.print(f"datasketch, {options.rival:,} documents: the index takes {grown:,.0f} MB of memory")
        show(console, "datasketch MinHashLSH", others)
    return 1 if tallies["fresh documents"].other or tallies["fresh reports"].other else 0


if __name__ == "__main__":
    sys.exit(main())
