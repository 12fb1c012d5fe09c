"""The bundled demo web: rebuilt identically, labelled truthfully, and as awkward as it says it is."""

import csv
import gzip
import re
import subprocess
import sys
from collections import deque
from dataclasses import dataclass
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
    done = subprocess.run([sys.executable, DEMO / "build.py", "--out", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in FILES:
        rebuilt, committed = (tmp_path / name).read_bytes(), (DEMO / name).read_bytes()
        if name.endswith(".gz"):  # another build of zlib may compress the same records to other bytes
            rebuilt, committed = gzip.decompress(rebuilt), gzip.decompress(committed)
        assert rebuilt == committed, f"{name} is out of date: run `python demo/build.py`"


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


def test_every_text_on_topic_can_be_reached(labels: list[dict[str, str]], distance: dict[str, int]) -> None:
    wanted = {row["url"] for row in labels if row["grade"] == "2"}
    assert wanted <= distance.keys()
    assert {row["url"] for row in labels} - distance.keys() == set(), "pages that nothing links to"


def test_nothing_real_is_ever_touched(web: dict[str, Response]) -> None:
    for url, response in web.items():
        assert urlsplit(url).netloc.endswith(".example")
        if response.status == 200 and not url.endswith("robots.txt"):
            assert all(urlsplit(target).netloc.endswith(".example") for target in targets(url, response.html))
        assert all(domain.endswith(".example") for domain in re.findall(r"mailto:[\w.]+@([\w.]+)", response.html))
