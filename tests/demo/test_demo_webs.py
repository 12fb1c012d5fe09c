"""The bundled webs, of news and of a bookshop: rebuilt identically, labelled truthfully, and reachable from their seeds."""

import csv
import gzip
import re
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Mapping
from html import unescape
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

import pytest
from warcio.archiveiterator import ArchiveIterator

from topical_crawler.config import seeds
from topical_crawler.topic.topic import load_topic
from topical_crawler.web.dom import decode
from topical_crawler.web.page import Page

DEMO = Path(__file__).resolve().parents[2] / "demo"
SEEDS = {"seeds": str(DEMO / "bookshop-seeds.txt")}
ADDRESS = re.compile(r"""(?:href|src)\s*=\s*["'](http[^"'[]*)["']""", re.IGNORECASE)


class Web:
    """A recorded web: its labels, and of every address the status, the HTML and the links as the crawler reads them."""

    def __init__(self, name: str) -> None:
        prefix = "bookshop-" if name == "bookshop" else ""
        with (DEMO / f"{prefix}labels.tsv").open(encoding="utf-8", newline="") as file:
            self.labels = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        self.status: dict[str, int] = {}
        self.html: dict[str, str] = {}
        self.links: dict[str, list[str]] = {}
        with (DEMO / f"{name}.warc.gz").open("rb") as file:
            for record in ArchiveIterator(file):
                url, headers = record.rec_headers.get_header("WARC-Target-URI"), record.http_headers
                assert url not in self.status, f"{url} is recorded twice"
                self.status[url] = int(headers.get_statuscode())
                self.html[url] = decode(record.content_stream().read(), headers.get_header("Content-Type") or "")[0]
                self.links[url] = [link.url for link in Page.from_html(url, self.html[url]).links]
                if (location := headers.get_header("Location")) is not None:
                    self.links[url] = [urljoin(url, location)]

    def of_grade_2(self) -> set[str]:
        return {row["url"] for row in self.labels if row["grade"] == "2"}


@pytest.fixture(scope="module", params=["demo-web", "bookshop"])
def web(request: pytest.FixtureRequest) -> Web:
    return Web(request.param)


@pytest.fixture(scope="module")
def shop() -> Web:
    return Web("bookshop")


def reached(start: Iterable[str], links: Mapping[str, list[str]]) -> set[str]:
    queue = deque(start)
    seen = set(queue)
    while queue:
        for target in links.get(queue.popleft(), ()):
            if target not in seen:
                seen.add(target)
                queue.append(target)
    return seen


@pytest.mark.parametrize(
    ("program", "files"),
    [
        ("build.py", ("demo-web.warc.gz", "labels.tsv", "seeds.txt")),
        ("bookshop.py", ("bookshop.warc.gz", "bookshop-labels.tsv", "bookshop-seeds.txt")),
    ],
)
def test_rebuilding_gives_the_committed_files(program: str, files: tuple[str, ...], tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, DEMO / program, "--out", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in files:
        rebuilt, committed = (tmp_path / name).read_bytes(), (DEMO / name).read_bytes()
        if name.endswith(".gz"):  # another build of zlib may compress the same records to other bytes
            rebuilt, committed = gzip.decompress(rebuilt), gzip.decompress(committed)
        assert rebuilt == committed, f"{name} is out of date: run `python demo/{program}`"


def test_labels_agree_with_the_recording(web: Web) -> None:
    assert len({row["url"] for row in web.labels}) == len(web.labels)
    for row in web.labels:
        assert web.status[row["url"]] == 200
        assert row["host"] == urlsplit(row["url"]).netloc and row["host"].endswith(row["site"])
        assert row["kind"] in ("home", "list", "article", "video", "copy", "trap") and row["grade"] in ("0", "1", "2")
        assert bool(row["doc"]) == (row["kind"] in ("article", "copy"))
        assert row["kind"] == "trap" or row["title"] in unescape(web.html[row["url"]])
    unlabelled = web.status.keys() - {row["url"] for row in web.labels}
    assert all(url.endswith("/robots.txt") or web.status[url] != 200 for url in unlabelled)


def test_nothing_real_is_ever_touched(web: Web) -> None:
    for url, html in web.html.items():
        found = [url, *web.links[url], *([] if url.endswith("robots.txt") else ADDRESS.findall(html))]
        assert all((urlsplit(target).hostname or "").endswith(".example") for target in found), url
        assert all(domain.endswith(".example") for domain in re.findall(r"mailto:[\w.]+@([\w.]+)", html))


def test_every_labelled_page_of_the_news_is_reachable() -> None:
    news = Web("demo-web")
    found = reached((DEMO / "seeds.txt").read_text(encoding="utf-8").split(), news.links)
    assert news.of_grade_2() <= found
    assert {row["url"] for row in news.labels} - found == set(), "pages that nothing links to"


def test_downloading_the_whole_search_has_the_precision_of_a_shop(shop: Web) -> None:
    grades = {row["url"]: row["grade"] for row in shop.labels if row["kind"] == "article"}
    first = f"http://search.banshuzhai.example/Search?keyword={quote('数据挖掘')}&enc=utf-8"
    pages = [first, *(f"{first}&page={n}" for n in range(2, 100))]
    found = {url: grades[url] for page in pages for url in shop.links.get(page, ()) if url in grades}
    graded = [grade for grade in found.values() if grade != "1"]
    assert len(found) == 300
    assert graded.count("2") / len(graded) == pytest.approx(0.340, abs=0.001)


def test_every_keyword_of_the_topic_is_recorded_and_one_search_leads_to_every_book(shop: Web) -> None:
    topic = load_topic("data-mining-books")
    start = seeds(topic, {**SEEDS, "keywords": "1"})
    assert start == ["http://search.banshuzhai.example/Search?keyword=%E6%95%B0%E6%8D%AE%E6%8C%96%E6%8E%98&enc=utf-8"]
    assert set(seeds(topic, {**SEEDS, "keywords": "99"})) <= shop.status.keys()
    books = {row["url"] for row in shop.labels if row["kind"] == "article"}
    assert books <= reached(start, shop.links)
    # and, without the home page and the categories, all that a crawler of the book flow is after
    flow = {u: [t for t in to if "/list/" not in t and "www." not in t] for u, to in shop.links.items() if "www." not in u}
    assert books & shop.of_grade_2() <= reached(start, flow)
