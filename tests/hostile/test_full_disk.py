"""A disk that is full, wherever the crawl stands: one message, exit status 1, and the crawl goes on later where it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from crawl_tools import DEMO, ROOT, command, crawl, environment, rows
from fork_tools import run_forked

WEB = {"TOPICAL_REPLAY": DEMO / "demo-web.warc.gz", "pages": 60}


SEEDS = str(DEMO / "seeds.txt")
LIMITED = """
import resource
import runpy

resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))
runpy.run_module("scrapy", run_name="__main__", alter_sys=True)
"""
"""No file may grow beyond this size: what SQLite sees is an error in the middle of a write, as on a disk without room."""


@pytest.mark.slow
def test_a_full_disk_is_said_once_and_nothing_is_lost(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "cache").mkdir(parents=True)
    script = tmp_path / "limited.py"
    script.write_text(LIMITED.format(200 * 1024), encoding="utf-8")
    _, _, _, *crawls = command("partybuilding", data, SEEDS, **WEB)
    ended = run_forked([script, *crawls], ROOT, environment())
    assert ended.returncode in (1, 2), ended.stderr
    assert "Traceback" not in ended.stderr and "Scheduler close failure" not in ended.stderr
    assert ended.stderr.count("that the disk has room") == 1
    for folder in (data, tmp_path / "whole"):
        assert crawl("partybuilding", folder, SEEDS, **WEB).code == 0
    assert [r.url for r in rows(data) if r.keep] == [r.url for r in rows(tmp_path / "whole") if r.keep]
