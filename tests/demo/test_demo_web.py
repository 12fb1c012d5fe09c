"""The bundled demo web: rebuilt identically, labelled truthfully, and as awkward as it says it is."""

from __future__ import annotations

import csv
import gzip
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from warcio.archiveiterator import ArchiveIterator

DEMO = Path(__file__).resolve().parents[2] / "demo"
FILES = ("demo-web.warc.gz", "labels.tsv", "seeds.txt")
ADDRESS = re.compile(r"""(?:href|src)\s*=\s*["']([^"']*)["']""", re.IGNORECASE)
HTML_KINDS = ("home", "list", "article", "video", "copy")


@dataclass(frozen=True)
class Response:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def html(self) -> str:
        if self.body.startswith(b"\xff\xfe"):
            return self.body.decode("utf-16")
        try:
            return self.body.decode("utf-8")
        except UnicodeDecodeError:
            return self.body.decode("gb18030")

    @property
    def declared(self) -> str:
        found = re.search(rb"charset=([\w-]+)", self.body[:1024])
        return found.group(1).decode() if found else ""


class _Text(HTMLParser):
    """The text of a page as a reader sees it, without white space."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_data(self, data: str) -> None:
        self.seen.append(data)


def text_of(html: str) -> str:
    parser = _Text()
    parser.feed(html)
    return "".join("".join(parser.seen).split())


def targets(url: str, html: str) -> list[str]:
    found = []
    for target in ADDRESS.findall(html):
        try:
            absolute = urljoin(url, target.replace("&amp;", "&"))
        except ValueError:
            continue
        if absolute.startswith("http"):
            found.append(absolute.partition("#")[0])
    return found


def build(folder: Path) -> Path:
    done = subprocess.run([sys.executable, DEMO / "build.py", "--out", folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def web() -> dict[str, Response]:
    found: dict[str, Response] = {}
    with (DEMO / "demo-web.warc.gz").open("rb") as file:
        for record in ArchiveIterator(file):
            assert record.rec_type == "response"
            url = record.rec_headers.get_header("WARC-Target-URI")
            assert url not in found, f"{url} is recorded twice"
            headers = {name.lower(): value for name, value in record.http_headers.headers}
            found[url] = Response(int(record.http_headers.get_statuscode()), headers, record.content_stream().read())
    return found


@pytest.fixture(scope="module")
def labels() -> list[dict[str, str]]:
    with (DEMO / "labels.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture(scope="module")
def distance(web: dict[str, Response]) -> dict[str, int]:
    """Clicks from the nearest seed, by a plain breadth-first search over the recording."""
    queue = deque((seed, 0) for seed in (DEMO / "seeds.txt").read_text(encoding="utf-8").split())
    seen = dict(queue)
    while queue:
        url, depth = queue.popleft()
        if (response := web.get(url)) is None:
            continue
        found = [urljoin(url, response.headers["location"])] if response.status in (301, 302) else targets(url, response.html)
        for target in found:
            if target not in seen:
                seen[target] = depth + 1
                queue.append((target, depth + 1))
    return seen


def test_rebuilding_gives_the_committed_files(tmp_path: Path) -> None:
    one, two = build(tmp_path / "one"), build(tmp_path / "two")
    for name in FILES:
        rebuilt = (one / name).read_bytes()
        assert rebuilt == (two / name).read_bytes()
        committed = (DEMO / name).read_bytes()
        if name.endswith(".gz"):  # another build of zlib may compress the same records to other bytes
            rebuilt, committed = gzip.decompress(rebuilt), gzip.decompress(committed)
        assert rebuilt == committed, f"{name} is out of date: run `python demo/build.py`"


def test_size_is_as_promised(web: dict[str, Response]) -> None:
    assert 200 <= len(web) <= 230
    assert (DEMO / "demo-web.warc.gz").stat().st_size < 600_000


def test_labels_agree_with_the_recording(web: dict[str, Response], labels: list[dict[str, str]]) -> None:
    assert len({row["url"] for row in labels}) == len(labels)
    for row in labels:
        response = web[row["url"]]
        assert response.status == 200
        assert row["host"] == urlsplit(row["url"]).netloc
        assert row["host"].endswith(row["site"])
        assert row["kind"] in (*HTML_KINDS, "trap")
        assert row["grade"] in ("0", "1", "2")
        assert bool(row["doc"]) == (row["kind"] in ("article", "copy"))
        if row["kind"] in HTML_KINDS:
            assert row["title"] in response.html
    labelled = {row["url"] for row in labels}
    assert all(url.endswith("/robots.txt") or r.status != 200 for url, r in web.items() if url not in labelled)


def test_one_number_is_one_text(web: dict[str, Response], labels: list[dict[str, str]]) -> None:
    by_doc = defaultdict(list)
    for row in labels:
        if row["doc"]:
            by_doc[row["doc"]].append(row)
    assert sorted(map(int, by_doc)) == list(range(1, len(by_doc) + 1))
    assert len({rows[0]["title"] for rows in by_doc.values()}) == len(by_doc)
    for rows in by_doc.values():
        assert len({(row["title"], row["grade"]) for row in rows}) == 1
    reprinted = [rows for rows in by_doc.values() if len({row["site"] for row in rows}) == 2]
    assert len(reprinted) >= 5


def test_texts_are_unique_and_of_the_length_of_news(web: dict[str, Response]) -> None:
    entries = [e for path in sorted(DEMO.glob("texts/*/*.toml")) for e in tomllib.loads(path.read_text(encoding="utf-8"))["text"]]
    assert len({e["title"] for e in entries}) == len({e["text"] for e in entries}) == len(entries)
    assert Counter(e["grade"] for e in entries) == {2: 46, 1: 10, 0: 58}
    for entry in entries:
        assert 200 <= len("".join(entry["text"].split())) <= 450, entry["title"]
    shingles = Counter(s for e in entries for s in {e["text"][i : i + 24] for i in range(len(e["text"]) - 24)})
    assert max(shingles.values()) == 1, "two texts share a run of 24 characters"
    readable = {url: text_of(r.html) for url, r in web.items() if r.body}
    for entry in entries:
        last = "".join(entry["text"].strip().splitlines()[-1].split())
        assert any(last in text for text in readable.values()), entry["title"]


def test_every_text_on_topic_can_be_reached(labels: list[dict[str, str]], distance: dict[str, int]) -> None:
    wanted = {row["url"] for row in labels if row["grade"] == "2"}
    assert wanted <= distance.keys()
    assert {row["url"] for row in labels} - distance.keys() == set(), "pages that nothing links to"


def test_one_text_on_topic_lies_behind_an_off_topic_page(web: dict[str, Response], labels: list[dict[str, str]]) -> None:
    of = {row["title"]: row for row in labels if row["kind"] == "article"}
    hidden, door = of["新党员宣誓仪式在老渡口举行"], of["重走老渡口：一条研学路线串起二十个旧址"]
    parents = {url for url, response in web.items() if hidden["url"] in targets(url, response.html)}
    assert (hidden["grade"], door["grade"]) == ("2", "0")
    assert parents == {door["url"]}


def test_nothing_real_is_ever_touched(web: dict[str, Response]) -> None:
    for url, response in web.items():
        assert urlsplit(url).netloc.endswith(".example")
        if response.status == 200 and not url.endswith("robots.txt"):
            assert all(urlsplit(target).netloc.endswith(".example") for target in targets(url, response.html))
        assert all(domain.endswith(".example") for domain in re.findall(r"mailto:[\w.]+@([\w.]+)", response.html))


def test_encodings(web: dict[str, Response], labels: list[dict[str, str]]) -> None:
    declared: dict[str, Counter[str]] = defaultdict(Counter)
    for row in labels:
        response = web[row["url"]]
        declared[row["site"]][response.declared] += 1
        if row["site"] == "qinghedj.example":
            assert "charset" not in response.headers["content-type"]
            response.body.decode("gb18030")
            with pytest.raises(UnicodeDecodeError):
                response.body.decode("utf-8")
    old = declared["qinghedj.example"]
    assert old[""] > old["gb2312"] > 5
    assert old["utf-8"] == 1, "one page declares what it is not"
    by_title = {row["title"]: web[row["url"]] for row in labels if row["kind"] == "article"}
    utf16 = [title for title, response in by_title.items() if response.body.startswith(b"\xff\xfe")]
    assert utf16 == ["她把名单抄了三遍"]
    misdeclared = by_title["青河大学：导师与学生编在同一个小组"]
    assert misdeclared.declared == "gb2312" and misdeclared.headers["content-type"].endswith("utf-8")
    beyond_gbk = by_title["流动党员走到哪 组织生活就跟到哪"]
    assert "䶮" in beyond_gbk.html
    with pytest.raises(UnicodeDecodeError):
        beyond_gbk.body.decode("gbk")


def test_every_nuisance_is_there(web: dict[str, Response], labels: list[dict[str, str]], distance: dict[str, int]) -> None:
    kinds = Counter(row["kind"] for row in labels)
    assert kinds["video"] >= 4 and kinds["copy"] >= 16
    assert sum("/calendar?" in row["url"] for row in labels) == 24
    assert any("/calendar?" in url and url not in web for url in distance), "the calendar goes on"
    for mark in ("?from=hot", "utm_source=", ";jsessionid=", "_print.html"):
        assert any(mark in row["url"] for row in labels if row["kind"] == "copy"), mark
    assert [row["url"] for row in labels if not web[row["url"]].body], "an empty page"
    for status in (301, 302, 404):
        assert any(r.status == status and url in distance for url, r in web.items()), status
    loop = next(url for url in web if url.endswith("go?id=old1"))
    assert urljoin(loop, web[urljoin(loop, web[loop].headers["location"])].headers["location"]) == loop
    robots = {url: r.body.decode() for url, r in web.items() if url.endswith("/robots.txt") and r.status == 200}
    assert len(robots) == 3 and all("Disallow: /private/" in text for text in robots.values())
    assert any("Crawl-delay" in text for text in robots.values())
    hosts = {urlsplit(url).netloc for url in web}
    assert {urlsplit(url).netloc for url in distance} - hosts, "links to hosts that do not exist"
    for ending in (".jpg", ".pdf", ".doc"):
        assert any(url.endswith(ending) and url not in web for url in distance), ending
    html = "\n".join(r.html for r in web.values())
    for mark in (
        "javascript:",
        "mailto:",
        "<FRAMESET",
        "</head></html>",
        "下一页",
        "（打印版）",
    ):
        assert mark in html, mark
    assert sum('name="description"' in web[row["url"]].html for row in labels if row["kind"] == "article") > 80
