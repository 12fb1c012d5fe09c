"""Control characters of a page reach neither the terminal nor the corpus."""

from __future__ import annotations

import re
from pathlib import Path

from crawl_tools import ROOT, Reply, Site, article, crawl, environment, rows
from fork_tools import run_forked

EVIL = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202e\u2066\x00"
ESCAPED = "&#27;]0;owned&#7;&#27;[31m&#x9b;2J&#x202e;&#x2066;"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def test_control_characters_never_leave_the_page(topic: Path, tmp_path: Path) -> None:
    meta = f"<meta name=author content='张{EVIL}三'></head>"
    page = (
        article("党建要闻", {"/b": f"党员{ESCAPED}{EVIL}"}).replace("<title>", f"<title>{ESCAPED}{EVIL}").replace("</head>", meta)
    )
    other = article("支部").replace("。", f"{ESCAPED}{EVIL}。", 1)
    with Site({"/": Reply(page), "/b": Reply(other)}) as site:
        crawled = crawl(topic, tmp_path / "data", site.url + "/", DOWNLOAD_DELAY=0, LOG_LEVEL="DEBUG", TOPICAL_DISPLAY="lines")
    found = rows(tmp_path / "data")
    assert [row.reason for row in found] == ["", ""]
    fields = [str(value) for row in found for value in (row.title, row.author, row.text, row.source, dict(row.why))]
    assert not [field for field in fields if CONTROL.search(field.replace("\n", ""))]
    assert not [line for line in crawled.log.splitlines() if CONTROL.search(line)]
    line = ["-m", "topical_crawler", "corpus", "export", str(tmp_path / "data"), "--format", "txt"]
    done = run_forked(line, ROOT, environment())
    assert done.returncode == 0, done.stderr
    assert "党建" in done.stdout and not CONTROL.search(done.stdout.replace("\n", "").replace("\t", ""))
