"""A disk that is full, wherever the crawl stands: one message, exit status 1, and the crawl goes on later where it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from crawl_tools import DEMO, ROOT, command, crawl, environment, rows
from fork_tools import run_forked

WEB = {"TOPICAL_REPLAY": DEMO / "demo-web.warc.gz", "pages": 120}


SEEDS = str(DEMO / "seeds.txt")
LIMITED = """
import resource
import runpy

resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))
runpy.run_module("scrapy", run_name="__main__", alter_sys=True)
"""
"""No file may grow beyond this size: what SQLite sees is an error in the middle of a write, as on a disk without room."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What a crawl keeps that has room, in its order."""
    data = tmp_path_factory.mktemp("whole")
    assert crawl("partybuilding", data, SEEDS, **WEB).code == 0
    return [r.url for r in rows(data) if r.keep]


@pytest.mark.parametrize("kilobytes", [200, 2000])
def test_a_full_disk_is_said_once_and_nothing_is_lost(kilobytes: int, tmp_path: Path, kept: list[str]) -> None:
    data = tmp_path / "data"
    (data / "cache").mkdir(parents=True)
    script = tmp_path / "limited.py"
    script.write_text(LIMITED.format(1024 * kilobytes), encoding="utf-8")
    _, _, _, *crawls = command("partybuilding", data, SEEDS, **WEB)
    ended = run_forked([script, *crawls], ROOT, environment())
    assert ended.returncode in (1, 2), ended.stderr
    assert "Traceback" not in ended.stderr and "Scheduler close failure" not in ended.stderr
    assert ended.stderr.count("see that the disk has room") == 1
    assert crawl("partybuilding", data, SEEDS, **WEB).code == 0
    assert [r.url for r in rows(data) if r.keep] == kept
