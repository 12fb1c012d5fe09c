"""What a second opinion gives on pages of others: python benchmarks/second.py [--wcxb CHECKOUT] [--readability CHECKOUT]
    [--trafilatura CHECKOUT] [--web RECORDING …]

Main texts by ours alone, by both, and by trafilatura alone, scored as each set is by its makers. WCXB
(https://github.com/Murrough-Foley/web-content-extraction-benchmark, CC BY 4.0; its part for tests), and the test pages of
https://github.com/mozilla/readability: mean F1 of words. https://github.com/adbar/trafilatura: F1 over the pieces of text that
must and must not be in it. With recordings: how many of 300 of their pages ask the other, and what that costs. When it is asked
and whose text is taken was chosen on WCXB's part for development and on half of the hosts of trafilatura's pages.
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import random
import re
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lxml.html import fromstring

from topical_crawler.extraction import second
from topical_crawler.extraction.extract import extract
from topical_crawler.recordings.reader import Recording
from topical_crawler.web.dom import decode

EXTRACTORS = (second.OURS, second.BOTH, second.SECOND)
ADDRESS = "http://www.example.cn/a.html"


def word_f1(found: str, truth: str) -> float:
    """F1 of the words of two texts, as WCXB has it."""
    words, true = (Counter(re.findall(r"\w+", text.lower())) for text in (found, truth))
    common = (words & true).total()
    return 2 * common / (words.total() + true.total()) if common else float(not words and not true)


def read_wcxb(checkout: Path, part: str = "test") -> Iterator[tuple[str, str, str, str]]:
    """Kind, address, source and text of the pages of a part of WCXB."""
    for file in sorted((checkout / part / "ground-truth").glob("*.json")):
        known = json.loads(file.read_bytes())
        html = decode(gzip.decompress((checkout / part / "html" / f"{file.stem}.html.gz").read_bytes()))[0]
        kind = known["_internal"]["page_type"]["primary"]
        yield kind, known.get("url") or ADDRESS, html, known["ground_truth"].get("main_content") or ""


def read_readability(checkout: Path) -> Iterator[tuple[str, str, str, str]]:
    """The same of readability's test pages."""
    for folder in sorted((checkout / "test/test-pages").iterdir()):
        truth = fromstring(f"<div>{(folder / 'expected.html').read_text(encoding='utf-8')}</div>")
        html = decode((folder / "source.html").read_bytes())[0]
        yield "article", "http://fakehost/test/page.html", html, " ".join(truth.itertext())


def read_trafilatura(checkout: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Address, source and what must and must not be in the texts of trafilatura's evaluation."""
    tests = checkout / "tests"
    for url, known in json.loads((tests / "evaldata.json").read_bytes()).items():
        file = next((f for name in ("cache", "eval") if (f := tests / name / known["file"]).is_file()), None)
        if file is not None:
            yield url, decode(file.read_bytes())[0], known


def show_f1(name: str, pages: Sequence[tuple[str, str, str, str]]) -> None:
    """Print the mean F1 of each extractor, over all pages and by kind."""
    for extractor in EXTRACTORS:
        scores, empty = defaultdict(list), Counter()
        for kind, url, html, truth in pages:
            text = extract(html, url, extractor=extractor).text
            scores[kind].append(word_f1(text, truth))
            empty[kind] += not text
        every = [score for kind in scores.values() for score in kind]
        kinds = ", ".join(f"{k} {statistics.mean(v):.3f} ({empty[k]} of {len(v)} empty)" for k, v in sorted(scores.items()))
        print(f"{name}, {extractor}: {statistics.mean(every):.4f}; {kinds}", flush=True)


def show_pieces(pages: Sequence[tuple[str, str, dict[str, Any]]]) -> None:
    """Print the F1 over all pieces of each extractor."""
    for extractor in EXTRACTORS:
        right = wrong = asked = 0
        for url, html, known in pages:
            text = " ".join(extract(html, url, extractor=extractor).text.split())
            right += sum(" ".join(piece.split()) in text for piece in known["with"])
            wrong += sum(" ".join(piece.split()) in text for piece in known["without"])
            asked += len(known["with"])
        print(f"trafilatura's pages, {extractor}: {2 * right / (right + wrong + asked):.4f}", flush=True)


def show_cost(recordings: Sequence[Path], count: int = 300) -> None:
    """Print how many pages ask, how many texts are taken, and the processor time of a page."""
    pages = []
    for path in recordings:
        recording = Recording(path)
        urls = sorted(url for url in recording.urls() if urlsplit(url).netloc)
        for url in random.Random(11).sample(urls, min(len(urls), 2 * count)):
            answer = recording.get(url)
            if (
                answer is not None
                and answer.status == 200
                and len(pages) < count * (recordings.index(path) + 1) / len(recordings)
            ):
                pages.append((decode(answer.body, answer.header("Content-Type"))[0], url))
    asked = Counter()
    read = second.read_with_trafilatura
    extract(*pages[0], extractor=second.SECOND)  # imports

    def count_and_read(html: str, url: str) -> str:
        asked["pages"] += 1
        return read(html, url)

    second.open_reader = lambda name: count_and_read
    for extractor in (second.OURS, second.BOTH) * 2:
        asked.clear()
        began = time.process_time()
        found = [extract(html, url, extractor=extractor) for html, url in pages]
        ms = (time.process_time() - began) / len(pages) * 1000
        taken = sum(one.method == second.SECOND for one in found)
        print(f"{extractor}: {ms:.1f} ms a page, {asked['pages']} of {len(pages)} ask, {taken} texts taken", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("wcxb", "readability", "trafilatura"):
        parser.add_argument(f"--{name}", type=Path, help="checkout")
    parser.add_argument("--web", type=Path, nargs="+", default=[], help="recordings")
    options = parser.parse_args(arguments)
    logging.disable(logging.ERROR)
    if options.readability:
        show_f1("readability", list(read_readability(options.readability)))
    if options.wcxb:
        show_f1("WCXB", list(read_wcxb(options.wcxb)))
    if options.trafilatura:
        show_pieces(list(read_trafilatura(options.trafilatura)))
    if options.web:
        show_cost(options.web)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
