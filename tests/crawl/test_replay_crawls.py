"""Topical crawls over a recording."""

from __future__ import annotations

from pathlib import Path

import pytest
import warc_tools
from crawl_tools import HTML, article, crawl, rows


def test_what_is_not_recorded_is_unreachable(topic: Path, tmp_path: Path) -> None:
    links = {"http://a.example/next": "党建", "http://a.example/unknown": "党建", "http://elsewhere.example/": "党建"}
    head = {"Content-Type": HTML}
    web = warc_tools.write_warc(
        tmp_path / "web.warc.gz",
        [
            ("http://a.example/", 200, head, article("首页", links).encode()),
            ("http://a.example/next", 200, head, article("下页").encode()),
        ],
    )
    crawled = crawl(topic, tmp_path / "data", "http://a.example/", TOPICAL_REPLAY=web)
    assert crawled.code == 0
    assert "Traceback" not in crawled.log
    assert {r.url: r.reason for r in rows(tmp_path / "data")} == {
        "http://a.example/": "",
        "http://a.example/next": "",
        "http://a.example/unknown": "unreachable",
        "http://elsewhere.example/": "unreachable",
    }


@pytest.mark.parametrize(
    ("name", "message"), [("none.warc.gz", "there is no such file"), ("garbage.warc.gz", "no WARC record begins here")]
)
def test_a_recording_that_cannot_be_read_is_refused(topic: Path, tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "garbage.warc.gz").write_bytes(b"garbage" * 99)
    crawled = crawl(topic, tmp_path / "data", "http://a.example/", TOPICAL_REPLAY=tmp_path / name)
    assert f"{name}" in crawled.log and message in crawled.log
    assert "Traceback" not in crawled.log
    assert crawled.code != 0
