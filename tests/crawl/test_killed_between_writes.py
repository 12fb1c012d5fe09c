"""A crawl that is killed between any two writes of finishing a page loses nothing and does nothing twice."""

from __future__ import annotations

import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from crawl_tools import DEMO, ROOT, command, crawled_urls, essence, make_topic, rows, start

from topical_crawler.web.urls import fingerprint

Kill = tuple[str, int, str]
FEW = [("CorpusStore.put", 6, "after"), ("SqliteFrontier.done", 8, "after")]
EVERY = [
    ("CorpusStore.put", 6, "before"),
    ("CorpusStore.put", 9, "after"),  # the row is there, and its page waits for the frontier
    ("SetAside.put", 4, "after"),
    ("SqliteFrontier.done", 8, "before"),
    ("SqliteFrontier.done", 13, "after"),
    ("SqliteJournal.save", 1, "before"),  # the checkpoint
    ("SqliteJournal.save", 1, "after"),
    ("SqliteFrontier.reprice", 1, "after"),  # but it is not noted that the links have their new scores
    ("SetAside.drop", 1, "before"),  # the second look's row is there
    ("SetAside.drop", 2, "after"),
    ("SecondLook.looked", 1, "before"),
]


def run(topic: Path, data: Path, pages: int, where: str = "-", call: int = 0, when: str = "-") -> tuple[int, str]:
    # By words alone some texts come too early, so that there is a second look.
    web = {"TOPICAL_REPLAY": DEMO / "demo-web.warc.gz", "LOG_LEVEL": "DEBUG", "pages": pages, "TOPICAL_ENCODER": "none"}
    line = command(topic, data, str(DEMO / "seeds.txt"), **web)
    interpreter, _, _, *arguments = line  # python -m scrapy
    process = start([interpreter, str(ROOT / "tests/tools/killed_at.py"), where, str(call), when, *arguments])
    log = process.communicate()[1]
    return process.returncode, log


def outcomes(data: Path) -> list[bytes]:
    """The pages that the frontier's file holds as done, once for each time that they were."""
    with closing(sqlite3.connect(data / "frontier.sqlite")) as file:
        return [fingerprint(url) for (url,) in file.execute("SELECT url FROM outcomes")]


@pytest.mark.parametrize(("kills", "pages"), [(FEW, 20), pytest.param(EVERY, 180, marks=pytest.mark.slow)], ids=["few", "every"])
def test_a_kill_between_two_writes_loses_and_doubles_nothing(kills: list[Kill], pages: int, tmp_path: Path) -> None:
    topic = make_topic(tmp_path / "few", default_strategy='"adaptive"')
    whole, data = tmp_path / "whole", tmp_path / "data"
    code, log = run(topic, whole, pages)
    assert code == 0, log
    done: set[bytes] = set()
    for kill in kills:
        code, log = run(topic, data, pages, *kill)
        assert code == -signal.SIGKILL, (kill, log)
        assert not [url for url in crawled_urls(log) if fingerprint(url) in done], kill
        done = set(outcomes(data))
    code, log = run(topic, data, pages)
    assert code == 0 and not [url for url in crawled_urls(log) if fingerprint(url) in done]
    assert sorted(outcomes(data)) == sorted(outcomes(whole))
    assert len(outcomes(data)) == len(set(outcomes(data)))
    assert essence(rows(data)) == essence(rows(whole))
