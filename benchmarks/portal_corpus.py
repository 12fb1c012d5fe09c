"""Cleanliness of a corpus: every page of a recorded web with known texts, taken in as by a crawl.

    python benchmarks/portal_corpus.py WEB.warc.gz LABELS.tsv TEXTS.jsonl.gz [--corpus FILE] [--processes 2] [--limit N]

LABELS has the columns url, kind (article, copy: texts; all others: pages that are none) and doc, the number of the line of TEXTS
whose field ``text`` is the true text. Printed are: kinds of pages that were stored and should not be; characters of the stored
texts that are true, and of the true ones that are stored; lines that stand in a stored text and not in the true one; copies that
were kept twice, and different texts that were taken for one. The exit code is 1 where one of the bounds below is not met.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import multiprocessing
import re
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from text_scores import character_precision, character_recall
from warcio.archiveiterator import ArchiveIterator

from topical_crawler.cleaning.characters import repair
from topical_crawler.cleaning.cleaner import CleaningOptions
from topical_crawler.corpus.dedup import Article
from topical_crawler.corpus.make import Maker
from topical_crawler.corpus.record import Filters, Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.extraction.extract import Extracted, extract
from topical_crawler.web.dom import decode
from topical_crawler.web.page import Page
from topical_crawler.web.urls import fingerprint

LEAST = 0.98
"""Of the characters, both ways."""
SAME = 0.9
"""From this similarity on two true texts are one text, whatever their numbers: the programme sent some of them twice."""
BOILERPLATE = re.compile("版权所有|责任编辑|相关新闻|热点排行|友情链接|许可证|关于我们|来源：|未经书面授权")
FETCHED = "2026-11-20T00:00:00+00:00"


class Label(NamedTuple):
    kind: str
    doc: str


class Taken(NamedTuple):
    """What the first stage makes of a page."""

    url: str
    encoding: str
    title: str
    anchors: list[str]
    extracted: Extracted
    seconds: float


def read(page: tuple[str, str, bytes]) -> Taken:
    url, content_type, body = page
    html, encoding = decode(body, content_type)
    found = Page.from_html(url, html, encoding)
    begun = time.perf_counter()
    extracted = extract(html, url, fetched=FETCHED)
    return Taken(url, encoding, found.title, [link.anchor for link in found.links], extracted, time.perf_counter() - begun)


def pages(web: Path, wanted: set[str], limit: int) -> Iterator[tuple[str, str, bytes]]:
    count = 0
    with web.open("rb") as stream:
        for record in ArchiveIterator(stream):
            url = record.rec_headers.get_header("WARC-Target-URI")
            if record.rec_type == "response" and url in wanted and record.http_headers.get_statuscode() == "200":
                yield url, record.http_headers.get_header("Content-Type") or "", record.content_stream().read()
                count += 1
                if count == limit:
                    return


def take_in(store: CorpusStore, web: Path, labels: dict[str, Label], processes: int, limit: int) -> list[float]:
    maker = Maker(store, CleaningOptions())
    seconds = []
    with multiprocessing.Pool(processes) as pool:
        for number, taken in enumerate(pool.imap(read, pages(web, set(labels), limit), chunksize=16), 1):
            seconds.append(taken.seconds)
            host = urlsplit(taken.url).netloc
            made = maker.make(host, taken.extracted, anchors=taken.anchors, title=taken.title)
            record = Record(
                url=taken.url, key=fingerprint(taken.url).hex(), host=host, keep=not made.reason, reason=made.reason,
                encoding=taken.encoding, fetched=FETCHED, **{**made.fields, "text": made.fields.get("text") or None},
            )  # fmt: skip
            store.put(record, made.prose)
            if number % 1000 == 0:
                print(f"{number:,} pages", file=sys.stderr)
    return seconds


def bare(text: str) -> str:
    return re.sub(r"\s+", "", repair(text))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--corpus", type=Path, help="keep the corpus in this file")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--limit", type=int, default=0, help="the first N pages only")
    parser.add_argument("--show", type=int, default=5, help="examples of what is wrong (default: %(default)s)")
    options = parser.parse_args()
    with options.labels.open(encoding="utf-8") as file:
        labels = {
            row["url"]: Label(row["kind"], row["doc"]) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        }
    with gzip.open(options.texts, "rt", encoding="utf-8") as file:
        truth = [json.loads(line)["text"] for line in file]
    with tempfile.TemporaryDirectory() as folder, CorpusStore(options.corpus or Path(folder) / "corpus.sqlite") as store:
        begun = time.perf_counter()
        seconds = take_in(store, options.web, labels, options.processes, options.limit)
        rows = list(store.records(Filters(rejected=True)))
    print(f"{len(seconds):,} pages in {time.perf_counter() - begun:.0f} s, {len(rows):,} addresses, ", end="")
    print(f"extraction {statistics.mean(seconds) * 1000:.1f} ms a page (median {statistics.median(seconds) * 1000:.1f})")
    return report(rows, labels, truth, options.show)


def report(rows: list[Record], labels: dict[str, Label], truth: list[str], shown: int) -> int:
    kept = [row for row in rows if row.keep]
    wrong = {"pages that are no text": Counter(labels[row.url].kind for row in kept if not labels[row.url].doc)}
    for kind in sorted({label.kind for label in labels.values()}):
        of_kind = [row for row in rows if labels[row.url].kind == kind]
        outcomes = Counter(row.reason or "kept" for row in of_kind)
        print(f"  {kind:8} {len(of_kind):6,}: " + ", ".join(f"{reason} {count:,}" for reason, count in outcomes.most_common()))
    texts = [row for row in kept if labels[row.url].doc]
    precisions, recalls, foreign, marked = [], [], Counter[str](), []
    touched = 0
    for row in texts:
        true = truth[int(labels[row.url].doc)]
        assert row.text
        precisions.append(character_precision(repair(row.text), repair(true)))
        recalls.append(character_recall(repair(row.text), repair(true)))
        whole = bare(true)
        others = [line for line in row.text.split("\n") if bare(line) and bare(line) not in whole]
        foreign.update(others)
        touched += bool(others)
        if any(BOILERPLATE.search(line) and bare(line) not in whole for line in others):
            marked.append(row.url)
    print(
        f"characters of {len(texts):,} stored texts: precision {statistics.mean(precisions):.4f} (least {min(precisions):.3f}), ",
        end="",
    )
    print(f"recall {statistics.mean(recalls):.4f} (least {min(recalls):.3f})")
    print(f"lines that are none of the true text: {foreign.total():,} in {touched:,} texts; {len(marked)} texts with boilerplate")
    for line, count in foreign.most_common(shown):
        print(f"    {count:5,} × {line[:80]}")
    by_doc: dict[str, list[Record]] = defaultdict(list)
    for row in texts:
        by_doc[labels[row.url].doc].append(row)
    twice = [group for group in by_doc.values() if len(group) > 1]
    merged = [(row, row.duplicate_of) for row in rows if row.reason == "duplicate"]
    mistaken = []
    for row, target in merged:
        one, other = labels[row.url].doc, labels[target].doc
        if one and one != other and Article(truth[int(one)]).similarity(Article(truth[int(other)])) < SAME:
            mistaken.append((row, target))
    copies = sum(1 for row, target in merged if labels[row.url].doc == labels[target].doc)
    print(
        f"merged: {len(merged):,} pages, {copies:,} the same text by their number; texts kept more than once: {len(twice)}; ",
        end="",
    )
    print(f"different texts taken for one: {len(mistaken)}")
    for group in twice[:shown]:
        print("    twice: " + " ".join(row.url for row in group))
    for row, target in mistaken[:shown]:
        print(f"    taken for one: {row.url} {target} ({row.similarity:.2f})")
    lost = {label.doc for url, label in labels.items() if label.doc} - set(by_doc)
    print(f"texts of which no page was kept: {len(lost)}")
    good = min(statistics.mean(precisions), statistics.mean(recalls)) >= LEAST
    return int(not good or bool(twice) or bool(mistaken) or bool(marked) or bool(wrong["pages that are no text"]))


if __name__ == "__main__":
    sys.exit(main())
