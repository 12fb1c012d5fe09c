"""Crawls that run in a process of their own, steered by ``topical-crawler frontier`` meanwhile."""

from __future__ import annotations

import contextlib
import io
import json
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from command_tools import exit_code
from crawl_tools import Reply, Site, article, command, rows, start
from redis_tools import RedisServer
from wait_tools import HANGS, wait_for

DELAY = 0.1
"""Seconds between two pages: a crawl that waits for its commands need not crawl as fast as it can."""
SETTINGS = """
from topical_crawler import driver
from topical_crawler.settings import *

driver.TICK = 0.1
"""
"""A crawl that looks often for what it is told."""


def chain(path: str) -> Reply | None:
    """A web without end: page n links to page n + 1."""
    if not path.startswith("/story/"):
        return None
    n = int(path.rpartition("/")[2])
    return Reply(article(f"第{n}页", {f"/story/{n + 1}": "党建"}))


def endless() -> Site:
    return Site({"": chain, "/seed": Reply(article("新种子")), "/": Reply(article("首页", {"/story/1": "党建"}))})


@pytest.fixture
def site() -> Iterator[Site]:
    with endless() as site:
        yield site


class Crawl:
    """A crawl that runs, and the commands that steer it."""

    def __init__(self, process: subprocess.Popen[str], site: Site, data: Path, settings: list[str], name: str) -> None:
        self.process = process
        self.site = site
        self.data = data
        self._settings = settings
        self._name = name
        self.log: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        self.log.extend(self.process.stderr)

    def say(self, action: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        """``topical-crawler frontier ACTION NAME …`` in this process, where Python and Scrapy need not be started again."""
        patience = [] if "--wait" in arguments else ["--wait", str(HANGS)]
        return self._run("frontier", action, self._name, *arguments, *patience, *self._settings)

    def why(self, url: str) -> dict[str, Any]:
        """What ``topical-crawler corpus why`` says of an address."""
        line = ["corpus", "why", self.data / "corpus.sqlite", url, "--json", "-s", f"TOPICAL_CRAWL={self._name}"]
        return dict(json.loads(self._run(*line, *self._settings).stdout))

    def _run(self, *line: object) -> subprocess.CompletedProcess[str]:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = exit_code(*line)
        return subprocess.CompletedProcess(line, code, out.getvalue(), err.getvalue())

    def ask(self, action: str, *arguments: object) -> dict[str, Any]:
        done = self.say(action, *arguments, "--json")
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return dict(json.loads(done.stdout))

    def pause(self) -> dict[str, Any]:
        """Pause it; the stats of the crawl at rest."""
        before = self.times_paused()
        assert self.ask("pause")["paused"]
        until(lambda: self.times_paused() > before, self)
        until(lambda: not self.ask("stats")["in_flight"], self)
        stats = self.ask("stats")
        assert stats["paused"]
        return stats

    def times_paused(self) -> int:
        """How often the crawl has obeyed an order to pause."""
        return sum("Paused" in line for line in self.log)

    def end(self) -> tuple[int, str]:
        """Its exit code and its log, when it has ended by itself."""
        code = self.process.wait(HANGS)
        self._reader.join()
        return code, "".join(self.log)


def launch(topic: Path, data: Path, site: Site, **options: object) -> subprocess.Popen[str]:
    project = data.with_name(f"{data.name}-project")
    project.mkdir(parents=True, exist_ok=True)
    (project / "project_settings.py").write_text(SETTINGS, encoding="utf-8")
    return start(command(topic, data, site.url + "/", DOWNLOAD_DELAY=DELAY, TOPICAL_TRAP_PAGES=0, **options), project)


@contextmanager
def running(topic: Path, data: Path, site: Site, backend: str, settings: dict[str, object] | None = None) -> Iterator[Crawl]:
    """A crawl without end; killed if it still runs afterwards."""
    given = {"TOPICAL_FRONTIER": backend, **(settings or {})}
    process = launch(topic, data, site, **given)
    flags = [f"-s{name}={value}" for name, value in given.items()]
    name = str((settings or {}).get("TOPICAL_CRAWL", topic.name)) if backend == "redis" else str(data)
    crawl = Crawl(process, site, data, flags, name)
    try:
        until(lambda: len(site.pages()) > 5, crawl)
        yield crawl
    finally:
        process.kill()
        process.wait()


def until(condition: Callable[[], bool], crawl: Crawl) -> None:
    wait_for(condition, lambda: "".join(crawl.log))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture(scope="module", params=["sqlite", "redis"])
def crawl(request: pytest.FixtureRequest, topic: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawl]:
    """A crawl that runs while the tests of the module steer it; each leaves it running, with its own threshold."""
    settings: dict[str, object] = {}
    if request.param == "redis":
        settings = {"REDIS_URL": request.getfixturevalue("server").url}
    with endless() as site, running(topic, tmp_path_factory.mktemp("steered") / "data", site, request.param, settings) as crawl:
        yield crawl
        assert "Traceback" not in "".join(crawl.log)


def test_a_crawl_that_is_paused_fetches_nothing_until_it_is_resumed(crawl: Crawl) -> None:
    stats = crawl.pause()
    assert stats["waiting"] == 1
    assert stats["done"] == len({hit.path for hit in crawl.site.pages()})
    assert stats["last_kept"] >= 6
    before = len(crawl.site.pages())
    time.sleep(5 * DELAY)  # time enough for a page
    assert len(crawl.site.pages()) == before
    assert crawl.ask("resume") == {"paused": False, "was_paused": True, "waiting": 1}
    until(lambda: len(crawl.site.pages()) > before + 5, crawl)


def test_seeds_that_are_pushed_are_fetched_next(crawl: Crawl) -> None:
    site = crawl.site
    crawl.pause()
    wrong = crawl.say("push", site.url + "/seed", "http://[broken/")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert "'http://[broken/' is not a URL to fetch" in wrong.stderr
    assert crawl.ask("push", site.url + "/seed", site.url + "/") == {"new": 1, "again": 0, "known": 1, "dropped": {}}
    first, second = crawl.ask("top")["entries"]
    assert (first["url"], first["priority"]) == (site.url + "/seed", 1e6)
    assert (second["anchor"], second["parents"]) == ("党建", 1)
    assert (first["reasons"], set(second["reasons"]), second["reasons"]["struct"]) == ({}, {"parent", "anchor", "struct"}, 1.0)
    assert crawl.why(site.url + "/seed")["because"] == ["It was not fetched yet: it waits as a seed."]
    asked = crawl.why(second["url"])
    assert asked["why"]["reasons"] == second["reasons"] and f"by the link “党建” on {second['parent']}, " in asked["because"][2]
    assert crawl.why(site.url + "/never")["state"] == "unknown"
    assert crawl.why(site.url + "/story/1")["number"] is not None
    shown = crawl.say("top").stdout
    assert "seed" in shown and "“党建” on http://127.0.0.1" in shown
    before = len(site.pages())
    crawl.ask("resume")
    until(lambda: len(site.pages()) > before, crawl)
    assert site.pages()[before].path == "/seed"


def test_what_is_kept_changes_with_the_threshold(crawl: Crawl) -> None:
    own = crawl.ask("stats")["page_threshold"]
    wrong = crawl.say("threshold", -1)
    assert wrong.returncode == 1
    assert "page_threshold must be a number of 0 or more, not -1" in wrong.stderr
    assert crawl.ask("threshold", 1e9)["page_threshold"] == 1e9
    # The pages of the chain are off topic now; their links are followed, since the anchors hold a term.
    until(lambda: crawl.ask("stats", "--pages", 5)["last_rejected_because"] == {"off topic": 5}, crawl)
    crawl.ask("threshold", "default")
    assert crawl.ask("stats")["page_threshold"] == own
    until(lambda: crawl.ask("stats", "--pages", 5)["last_kept"] == 5, crawl)


def test_pages_are_fetched_again(crawl: Crawl) -> None:
    site, gone = crawl.site, crawl.site.url + "/gone"
    site.routes["/gone"] = Reply("broken", 500)
    crawl.ask("push", gone)
    until(lambda: "HTTP 500" in crawl.ask("stats", "--pages", 0)["last_rejected_because"], crawl)
    assert site.asked("/gone") == 3  # with two retries
    site.routes["/gone"] = Reply(article("又回来了"))
    assert crawl.ask("requeue", "--reason", "HTTP 500") == {"asked": 1, "requeued": 1}
    until(lambda: crawl.ask("requeue", "--reason", "HTTP 500")["asked"] == 0, crawl)  # its latest outcome is another
    assert site.asked("/gone") == 4
    asked = site.asked("/story/1")
    assert crawl.ask("requeue", site.url + "/story/1") == {"asked": 1, "requeued": 1}
    until(lambda: site.asked("/story/1") == asked + 1, crawl)
    if (crawl.data / "corpus.sqlite").exists():
        assert {record.url: record.keep for record in rows(crawl.data)}[gone]


def test_the_queue_is_purged_and_the_paused_crawl_waits_for_more(crawl: Crawl) -> None:
    site, host = crawl.site, crawl.site.url.removeprefix("http://")
    crawl.pause()
    (waiting,) = crawl.ask("top")["entries"]
    refused = crawl.say("purge", "--all")
    assert refused.returncode == 2 and "Confirm it with --yes" in refused.stderr
    assert crawl.ask("purge", "--host", "other.cn", "--yes") == {"purged": 0, "waiting": 1}
    assert crawl.ask("purge", "--below", 0, "--host", host, "--yes") == {"purged": 0, "waiting": 1}
    assert crawl.ask("purge", "--host", host, "--yes") == {"purged": 1, "waiting": 0}
    assert crawl.say("top").stdout == "nothing waits\n"
    time.sleep(10 * DELAY)  # time enough to end, if it took an empty queue for the end
    assert crawl.ask("stats")["dropped_because"] == {"purged": 1}
    assert crawl.ask("requeue", waiting["url"])["requeued"] == 1
    before = len(site.pages())
    crawl.ask("resume")
    until(lambda: len(site.pages()) > before + 3, crawl)


def test_a_crawl_that_does_not_answer_is_left_alone(crawl: Crawl) -> None:
    """Its process stands still, as one that waits for a disk."""
    if "redis" in crawl.ask("stats")["details"]["backend"]:
        pytest.skip("a crawl over Redis is asked through Redis, whether its workers answer or not")
    crawl.process.send_signal(signal.SIGSTOP)
    asked = crawl.say("pause", "--wait", "0.5")
    crawl.process.send_signal(signal.SIGCONT)
    assert (asked.returncode, asked.stdout) == (1, "")
    assert f"{crawl.data}: no answer in 0.5 s, and nothing was changed" in asked.stderr
    assert not crawl.ask("stats")["paused"]
    assert list((crawl.data / "mailbox").iterdir()) == []


def test_a_crawl_that_does_not_run_is_steered_by_its_file(topic: Path, tmp_path: Path, site: Site) -> None:
    data = tmp_path / "data"
    with running(topic, data, site, "sqlite") as crawl:
        assert crawl.ask("stop")["stopping"]
        code, log = crawl.end()
        assert code == 0
        assert "Spider closed (stopped)" in log
        before = len(site.pages())
        assert "does not run" in crawl.say("stats").stdout
        assert "it will be paused when it starts again" in crawl.say("pause").stdout
        crawl.ask("push", site.url + "/seed")
        crawl.ask("threshold", 1e9)
        stop = crawl.say("stop")
        assert (stop.returncode, stop.stdout) == (1, "")
        assert f"{data}: no crawl runs here, there is nothing to stop" in stop.stderr
    process = launch(topic, data, site, pages=before + 5)
    crawl = Crawl(process, site, data, [], str(data))
    try:
        until(lambda: crawl.times_paused() > 0, crawl)
        time.sleep(5 * DELAY)  # time enough for a page
        stats = crawl.ask("stats")
        assert (stats["paused"], stats["page_threshold"], len(site.pages())) == (True, 1e9, before)
        crawl.ask("resume")
        assert crawl.end()[0] == 0
    finally:
        process.kill()
        process.wait()
    later = site.pages()[before:]
    assert later[0].path == "/seed" and len(later) == 5
    assert [record.reason for record in rows(data)][-5:] == ["off topic"] * 5


@pytest.mark.slow
def test_all_workers_of_a_shared_crawl_obey(topic: Path, tmp_path: Path, server: RedisServer, site: Site) -> None:
    settings: dict[str, object] = {"REDIS_URL": server.url, "TOPICAL_CRAWL": "多人"}
    with (
        Site({"": chain}) as other,
        running(topic, tmp_path / "one", site, "redis", settings) as crawl,
        running(topic, tmp_path / "two", site, "redis", settings) as second,
    ):
        until(lambda: crawl.ask("stats")["details"]["workers"] == 2, crawl)
        crawl.pause()
        crawl.ask("push", other.url + "/story/1")
        crawl.ask("resume")
        until(lambda: len(other.pages()) > 5, crawl)
        crawl.ask("stop")
        for worker in (crawl, second):
            code, log = worker.end()
            assert code == 0
            assert "Spider closed (stopped)" in log
