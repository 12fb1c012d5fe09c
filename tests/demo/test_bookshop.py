"""The bundled bookshop: rebuilt identically, labelled truthfully, noisy where a shop is, and reachable from one search."""

import csv
import gzip
import subprocess
import sys
from collections import deque
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from warcio.archiveiterator import ArchiveIterator

from topical_crawler.config import seeds
from topical_crawler.topic.topic import load_topic
from topical_crawler.web.dom import decode
from topical_crawler.web.page import Page

DEMO = Path(__file__).resolve().parents[2] / "demo"
FILES = ("bookshop.warc.gz", "bookshop-labels.tsv", "bookshop-seeds.txt")
SEEDS = {"seeds": str(DEMO / "bookshop-seeds.txt")}


@dataclass(frozen=True)
class Response:
    status: int
    content_type: str
    body: bytes

    @property
    def html(self) -> str:
        return decode(self.body, self.content_type)[0]


@pytest.fixture(scope="module")
def web() -> dict[str, Response]:
    found: dict[str, Response] = {}
    with (DEMO / "bookshop.warc.gz").open("rb") as file:
        for record in ArchiveIterator(file):
            url = record.rec_headers.get_header("WARC-Target-URI")
            assert url not in found, f"{url} is recorded twice"
            headers = record.http_headers
            found[url] = Response(
                int(headers.get_statuscode()), headers.get_header("Content-Type"), record.content_stream().read()
            )
    return found


@pytest.fixture(scope="module")
def labels() -> list[dict[str, str]]:
    with (DEMO / "bookshop-labels.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture(scope="module")
def books(labels: list[dict[str, str]]) -> dict[str, dict[str, str]]:
    """The labels of the books' own pages, by URL."""
    return {row["url"]: row for row in labels if row["kind"] == "article"}


@pytest.fixture(scope="module")
def targets(web: dict[str, Response]) -> dict[str, list[str]]:
    """The links of every page, as the crawler reads them."""
    return {url: [link.url for link in Page.from_html(url, r.html).links] for url, r in web.items() if r.status == 200}


def reached(start: list[str], targets: dict[str, list[str]]) -> set[str]:
    queue, seen = deque(start), set(start)
    while queue:
        for target in targets.get(queue.popleft(), ()):
            if target not in seen:
                seen.add(target)
                queue.append(target)
    return seen


def results_of(keyword: str, targets: dict[str, list[str]], books: dict[str, dict[str, str]]) -> list[str]:
    """All books of a search, in the order of its pages."""
    first = f"http://search.banshuzhai.example/Search?keyword={quote(keyword)}&enc=utf-8"
    found: list[str] = []
    for page in [first, *(f"{first}&page={n}" for n in range(2, 100))]:
        found += [url for url in targets.get(page, ()) if url in books and url not in found]
    return found


def test_rebuilding_gives_the_committed_files(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, DEMO / "bookshop.py", "--out", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in FILES:
        rebuilt, committed = (tmp_path / name).read_bytes(), (DEMO / name).read_bytes()
        if name.endswith(".gz"):  # another build of zlib may compress the same records to other bytes
            rebuilt, committed = gzip.decompress(rebuilt), gzip.decompress(committed)
        assert rebuilt == committed, f"{name} is out of date: run `python demo/bookshop.py`"


def test_labels_agree_with_the_recording(web: dict[str, Response], labels: list[dict[str, str]]) -> None:
    assert len({row["url"] for row in labels}) == len(labels)
    for row in labels:
        response = web[row["url"]]
        assert response.status == 200
        assert row["host"] == urlsplit(row["url"]).netloc and row["host"].endswith(row["site"])
        assert row["kind"] in ("home", "list", "article", "copy", "trap")
        assert bool(row["doc"]) == (row["kind"] in ("article", "copy"))
        assert row["title"] in unescape(response.html)
    assert all(url.endswith("/robots.txt") for url in web.keys() - {row["url"] for row in labels})
    assert all(urlsplit(url).netloc.endswith(".example") for url in web)


def test_downloading_the_whole_search_has_the_precision_of_a_shop(
    books: dict[str, dict[str, str]], targets: dict[str, list[str]]
) -> None:
    found = results_of("数据挖掘", targets, books)
    graded = [books[url]["grade"] for url in found if books[url]["grade"] != "1"]
    assert len(found) == 300
    assert graded.count("2") / len(graded) == pytest.approx(0.340, abs=0.001)


def test_every_keyword_of_the_topic_is_recorded(web: dict[str, Response]) -> None:
    topic = load_topic("data-mining-books")
    first = seeds(topic, {**SEEDS, "keywords": "1"})
    assert first == ["http://search.banshuzhai.example/Search?keyword=%E6%95%B0%E6%8D%AE%E6%8C%96%E6%8E%98&enc=utf-8"]
    assert set(seeds(topic, {**SEEDS, "keywords": "99"})) <= web.keys()


def test_every_book_is_reachable_from_one_search(books: dict[str, dict[str, str]], targets: dict[str, list[str]]) -> None:
    start = seeds(load_topic("data-mining-books"), {**SEEDS, "keywords": "1"})
    assert books.keys() <= reached(start, targets)
    # and, without the home page and the categories, all that a crawler of the book flow is after
    flow = {u: [t for t in links if "/list/" not in t and "www." not in t] for u, links in targets.items() if "www." not in u}
    assert {url for url, row in books.items() if row["grade"] == "2"} <= reached(start, flow)
