"""A crawl over an archive that an index lists: a CDXJ file or a CDX server, and WARC files in a folder or behind a server."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from cdx_tools import ArchiveServer, index_lines
from crawl_tools import Reply, Site, article, crawl, rows
from warc_tools import write_warc

from topical_crawler.recordings.cdx import IndexFile, answer_of, read_range
from topical_crawler.recordings.reader import RecordingError

HOME = "http://www.wutong.cn/"
PAGES = {HOME: article("首页", {f"/{n}.html": "党建" for n in range(4)} | {"/gone.html": "党建", "/moved.html": "党建"})}
PAGES |= {f"{HOME}{n}.html": article(f"第{n}讲") for n in range(4)}
Archive, Outcomes = tuple[Path, list[str]], list[tuple[object, ...]]
HTML = {"Content-Type": "text/html; charset=utf-8"}
ANSWERS = [(HOME, 503, HTML, b"busy")] + [(url, 200, HTML, text.encode()) for url, text in PAGES.items()]
ANSWERS += [(f"{HOME}moved.html", 301, {"Location": "/3.html"}, b""), (f"{HOME}gone.html", 404, HTML, b"")]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    folder = tmp_path_factory.mktemp("archive")
    (folder / "crawl-data").mkdir()
    files = [write_warc(folder / f"crawl-data/{n}.warc.gz", part) for n, part in enumerate((ANSWERS[:3], ANSWERS[3:]))]
    return folder, index_lines(folder, files)


@pytest.fixture(scope="module")
def expected(topic: Path, archive: Archive, tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    data = tmp_path_factory.mktemp("direct") / "data"
    done = crawl(topic, data, HOME, TOPICAL_REPLAY=archive[0] / "crawl-data", CONCURRENT_REQUESTS=1)
    assert done.code == 0
    found = outcomes(data)
    assert sum(bool(text) for _, text, _ in found) == 5 and {reason for _, _, reason in found} == {"", "redirected", "HTTP 404"}
    return found


def outcomes(data: Path) -> Outcomes:
    return [(row.url, row.text, row.reason) for row in rows(data)]


def test_a_cdx_server_with_ranges_gives_what_the_files_give(
    topic: Path, archive: Archive, expected: Outcomes, tmp_path: Path
) -> None:
    with ArchiveServer(*archive, busy=1) as server:
        given = {"TOPICAL_REPLAY": f"{server.url}/cdx", "TOPICAL_REPLAY_DATA": f"{server.url}/", "CONCURRENT_REQUESTS": 1}
        done = crawl(topic, tmp_path / "data", HOME, **given)
    assert done.code == 0 and outcomes(tmp_path / "data") == expected
    assert server.ranges == len(expected) and server.asked("/cdx") == len(expected) + 2  # robots.txt, and once busy


def test_a_packed_cdxj_file_beside_its_files_gives_the_same(
    topic: Path, archive: Archive, expected: Outcomes, tmp_path: Path
) -> None:
    folder, lines = archive
    index = folder / "index.cdxj.gz"
    index.write_bytes(gzip.compress("\n".join(["!meta {}", *sorted(lines, reverse=True)]).encode()))
    done = crawl(topic, tmp_path / "data", HOME, TOPICAL_REPLAY=index, CONCURRENT_REQUESTS=1)
    assert done.code == 0 and outcomes(tmp_path / "data") == expected


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.cdxj", 'cn,a)/ 2024 {"url": "http://a.cn/"}\n', "line 1: not a line of a CDXJ index with url, filename, offset"),
        ("a.cdxj", " CDX N b a m s k r M S V g\n", "line 1: not a line of a CDXJ index"),
        ("a.cdxj.gz", "no gzip", "a.cdxj.gz: Not a gzipped file"),
        ("none.cdxj", None, "none.cdxj: no such file"),
    ],
)
def test_an_index_that_is_none_is_refused_by_its_line(tmp_path: Path, name: str, text: str | None, said: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(RecordingError, match=said):
        IndexFile(str(tmp_path / name), tmp_path)


def test_an_index_of_other_files_and_missing_files_are_named(archive: Archive, tmp_path: Path) -> None:
    (tmp_path / "a.cdxj").write_text("\n".join(archive[1]), encoding="utf-8")
    capture = IndexFile(str(tmp_path / "a.cdxj"), tmp_path).find(HOME)
    assert capture is not None and IndexFile(str(tmp_path / "a.cdxj"), tmp_path).find("http://a.cn/") is None
    with pytest.raises(RecordingError, match="No such file or directory, but it is in the index"):
        read_range(str(tmp_path / capture.filename), capture)
    with pytest.raises(RecordingError, match=f"x, offset {capture.offset}: not the record of a response"):
        answer_of(b"x" * capture.length, "x", capture)


def test_a_server_that_is_none_ends_the_crawl_with_a_remedy(topic: Path, tmp_path: Path) -> None:
    with Site({"/cdx": Reply("<html>welcome</html>")}) as silent:
        done = crawl(topic, tmp_path / "data", HOME, TOPICAL_REPLAY=f"{silent.url}/cdx", TOPICAL_REPLAY_DATA=tmp_path)
    assert "does not answer as a CDX server" in done.log and "Check TOPICAL_REPLAY" in done.log
    done = crawl(topic, tmp_path / "more", HOME, TOPICAL_REPLAY=f"{silent.url}/cdx")
    assert done.code != 0 and "Set TOPICAL_REPLAY_DATA=https://" in done.log
