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
from crawl_tools import ROOT, Reply, Site, article, command, environment, make_topic, rows, start
from fork_tools import Forked
from wait_tools import HANGS, judging_page, stopped, wait_for
from workbench_tools import judge_all

DELAY = 0.1
"""Seconds between two pages: a crawl that waits for its commands need not crawl as fast as it can."""
SETTINGS = """
from topical_crawler import driver
from topical_crawler.settings import *

driver.TICK = 0.1
"""


def chain(path: str) -> Reply | None:
    if not path.startswith("/story/"):
        return None
    n = int(path.rpartition("/")[2])
    return Reply(article(f"第{n}页", {f"/story/{n + 1}": "党建"}))


def endless() -> Site:
    return Site({"": chain, "/seed": Reply(article("新种子")), "/": Reply(article("首页", {"/story/1": "党建"}))})


class Crawl:
    def __init__(self, process: Forked, site: Site, data: Path, settings: list[str], name: str) -> None:
        self.process, self.site, self.data = process, site, data
        self._settings, self._name = settings, name
        self.log: list[str] = []
        self._reader = threading.Thread(target=self.log.extend, args=(process.stderr,), daemon=True)
        self._reader.start()

    def say(self, action: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        """``topical-crawler frontier ACTION NAME …`` in this process, where Python and Scrapy need not be started again."""
        patience = [] if "--wait" in arguments else ["--wait", str(HANGS)]
        return self._run("frontier", action, self._name, *arguments, *patience, *self._settings)

    def why(self, url: str) -> dict[str, Any]:
        line = ["corpus", "why", self.data / "corpus.sqlite", url, "--json", "-s", f"TOPICAL_CRAWL={self._name}"]
        return dict(json.loads(self._run(*line, *self._settings).stdout))

    def _run(self, *line: object) -> subprocess.CompletedProcess[str]:
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            code = exit_code(*line)
        return subprocess.CompletedProcess(line, code, out.getvalue(), err.getvalue())

    def ask(self, action: str, *arguments: object) -> dict[str, Any]:
        done = self.say(action, *arguments, "--json")
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return dict(json.loads(done.stdout))

    def pause(self) -> dict[str, Any]:
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
        code = self.process.wait(HANGS)
        self._reader.join()
        return code, "".join(self.log)


def launch(topic: Path, data: Path, site: Site, **options: object) -> Forked:
    project = data.with_name(f"{data.name}-project")
    project.mkdir(parents=True, exist_ok=True)
    (project / "project_settings.py").write_text(SETTINGS, encoding="utf-8")
    return start(command(topic, data, site.url + "/", DOWNLOAD_DELAY=DELAY, TOPICAL_TRAP_PAGES=0, **options), project)


@contextmanager
def running(topic: Path, data: Path, site: Site, backend: str, settings: dict[str, object] | None = None) -> Iterator[Crawl]:
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


@pytest.fixture(scope="module", params=["sqlite", "redis"])
def crawl(request: pytest.FixtureRequest, topic: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawl]:
    """A crawl that runs while the tests of the module steer it; each leaves it running, with its own threshold."""
    settings = {"REDIS_URL": request.getfixturevalue("server").url} if request.param == "redis" else {}
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
    assert wrong.returncode == 1 and "'http://[broken/' is not a URL to fetch" in wrong.stderr
    assert crawl.ask("push", site.url + "/seed", site.url + "/") == {"new": 1, "again": 0, "known": 1, "dropped": {}}
    first, second = crawl.ask("top")["entries"]
    assert (first["url"], first["priority"], first["reasons"]) == (site.url + "/seed", 1e6, {})
    assert (second["anchor"], set(second["reasons"])) == ("党建", {"parent", "anchor", "struct"})
    assert crawl.why(site.url + "/seed")["because"] == ["It was not fetched yet: it waits as a seed."]
    asked = crawl.why(second["url"])
    assert asked["why"]["reasons"] == second["reasons"] and f"by the link “党建” on {second['parent']}, " in asked["because"][2]
    assert crawl.why(site.url + "/never")["state"] == "unknown"
    assert crawl.why(site.url + "/story/1")["number"] is not None
    before = len(site.pages())
    crawl.ask("resume")
    until(lambda: len(site.pages()) > before, crawl)
    assert site.pages()[before].path == "/seed"


def test_what_is_kept_changes_with_the_threshold(crawl: Crawl) -> None:
    own = crawl.ask("stats")["page_threshold"]
    assert crawl.ask("threshold", 1e9)["page_threshold"] == 1e9
    # The pages of the chain are off topic now; their links are followed, since the anchors hold a term.
    until(lambda: crawl.ask("stats", "--pages", 5)["last_rejected_because"] == {"off topic": 5}, crawl)
    crawl.ask("threshold", "default")
    assert crawl.ask("stats")["page_threshold"] == own
    until(lambda: crawl.ask("stats", "--pages", 5)["last_kept"] == 5, crawl)


def test_a_paused_crawl_does_not_end_when_its_queue_is_purged_and_fetches_what_is_requeued(crawl: Crawl) -> None:
    site = crawl.site
    crawl.pause()
    (waiting,) = crawl.ask("top")["entries"]
    assert crawl.ask("purge", "--host", site.url.removeprefix("http://"), "--yes") == {"purged": 1, "waiting": 0}
    time.sleep(10 * DELAY)  # time enough to end, if it took an empty queue for the end
    assert crawl.ask("requeue", waiting["url"], site.url + "/story/1") == {"asked": 2, "requeued": 2}
    before, asked = len(site.pages()), site.asked("/story/1")
    crawl.ask("resume")
    until(lambda: len(site.pages()) > before + 3 and site.asked("/story/1") == asked + 1, crawl)


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


def test_a_crawl_that_does_not_run_is_steered_by_its_file(topic: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with endless() as site, running(topic, data, site, "sqlite") as crawl:
        assert crawl.ask("stop")["stopping"]
        code, log = crawl.end()
        assert code == 0 and "Spider closed (stopped)" in log
        before = len(site.pages())
        assert "does not run" in crawl.say("stats").stdout
        assert "it will be paused when it starts again" in crawl.say("pause").stdout
        crawl.ask("push", site.url + "/seed")
        crawl.ask("threshold", 1e9)
        stop = crawl.say("stop")
        assert stop.returncode == 1 and f"{data}: no crawl runs here, there is nothing to stop" in stop.stderr
        process = launch(topic, data, site, pages=before + 5)
        again = Crawl(process, site, data, [], str(data))
        try:
            until(lambda: again.times_paused() > 0, again)
            time.sleep(5 * DELAY)  # time enough for a page
            stats = again.ask("stats")
            assert (stats["paused"], stats["page_threshold"], len(site.pages())) == (True, 1e9, before)
            again.ask("resume")
            assert again.end()[0] == 0
        finally:
            process.kill()
            process.wait()
    later = site.pages()[before:]
    assert later[0].path == "/seed" and len(later) == 5
    assert [record.reason for record in rows(data)][-5:] == ["off topic"] * 5


@pytest.mark.slow
def test_a_crawl_that_runs_learns_from_a_person_who_judges(tmp_path: Path) -> None:
    topic, data = make_topic(tmp_path / "party", default_strategy='"adaptive"'), tmp_path / "data"
    with endless() as site, running(topic, data, site, "sqlite") as crawl:
        until(lambda: len(site.pages()) > 40, crawl)
        line = ["-m", "topical_crawler", "corpus", "judge", str(data), "--no-browser"]
        with Forked(line, ROOT, environment(), output=True) as process:
            address, said = judging_page(process)
            assert len(judge_all(address, lambda place, item: "irrelevant")) == 20
            said += stopped(process)[1]
        assert process.returncode == 0 and f"{data}: the crawl learns from 20 marked texts" in said
        until(lambda: any("20 texts are marked by now" in line for line in crawl.log), crawl)
        until(lambda: crawl.ask("stats", "--pages", 5)["last_kept"] == 0, crawl)
