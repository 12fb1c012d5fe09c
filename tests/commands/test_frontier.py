"""``topical-crawler frontier`` as a user runs it, on crawls that do not run: how one is named, what is shown, what is refused."""

import json
import os
import pty
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command_tools import RunScrapy, exit_code
from filelock import FileLock
from redis_tools import RedisServer, free_port
from wait_tools import wait_for

from experiments.memory_frontier import MemoryFrontier
from topical_crawler import Evidence
from topical_crawler.crawl.mailbox import Mailbox
from topical_crawler.crawl.steering import PURGED, perform
from topical_crawler.frontier.base import Entry, Frontier, Outcome
from topical_crawler.frontier.redis import RedisFrontier
from topical_crawler.frontier.sqlite import SqliteFrontier
from topical_crawler.services.reach import BATCH
from topical_crawler.web.urls import fingerprint, host


def fill(frontier: Frontier) -> None:
    """Three waiting links, two finished pages, a dropped link."""
    found = Evidence("http://www.首页.cn/党建", 0.5, True, "支部生活")
    links = (("www.支部.cn/三会一课", 0.9), ("a.cn/1", 0.8), ("a.cn/2", 0.3), ("a.cn/3", 0.2), ("b.cn/", 0.1))
    urls = [(f"http://{address}", priority) for address, priority in links]
    entries = [Entry(fingerprint(url), url, host(url), priority, 1, (found,)) for url, priority in urls]
    entries.append(Entry(fingerprint("http://a.cn/x.zip"), "http://a.cn/x.zip", "a.cn", 0.5, 1, (found,), dropped="file type"))
    frontier.push(entries)
    for now, reason in ((1e6, ""), (2e6, "HTTP 503")):
        entry = frontier.pop(now)
        assert entry is not None
        frontier.done(entry.key, Outcome(entry.url, not reason, 0.5, reason))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working directory with one crawl, of the topic dangjian, that does not run."""
    data = tmp_path / "data" / "dangjian"
    data.mkdir(parents=True)
    (data / "crawl.json").write_text('{"topic": "dangjian"}')
    frontier = SqliteFrontier(data / "frontier.sqlite")
    fill(frontier)
    frontier.close()
    return tmp_path


@pytest.fixture
def run(folder: Path, call_scrapy: RunScrapy) -> RunScrapy:
    def run(*arguments: object, **settings: object) -> subprocess.CompletedProcess[str]:
        given = [f"-s{name}={value}" for name, value in settings.items()]
        return call_scrapy("frontier", *map(str, arguments), *given, cwd=folder)

    return run


def asked(run: RunScrapy, *arguments: object, **settings: object) -> dict[str, object]:
    done = run(*arguments, "--json", **settings)
    assert (done.returncode, done.stderr) == (0, "")
    return dict(json.loads(done.stdout))


def test_stats_for_people_and_for_programs(run: RunScrapy) -> None:
    shown = run("stats", "dangjian")
    assert (shown.returncode, shown.stderr) == (0, "")
    for part in (
        "data/dangjian does not run",
        "3 waiting on 2 hosts, 0 in flight, 2 finished, 1 dropped",
        "of the last 2 pages 1 were kept when they were fetched (50.0%)",
        "HTTP 503",
        "file type",
        "backend: sqlite",
    ):
        assert part in shown.stdout, shown.stdout
    found = asked(run, "stats", "dangjian")
    assert (found["waiting"], found["last_rejected_because"], found["paused"]) == (3, {"HTTP 503": 1}, False)
    run("pause")
    run("threshold", "0.25")
    shown = run("stats")
    assert "does not run, [paused]" in shown.stdout and "pages are kept above a relevance of 0.25" in shown.stdout


def test_what_no_terminal_shows_is_not_wrapped(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    deep = folder / "很长的文件夹" / ("x" * 90) / ("y" * 90)
    deep.parent.mkdir(parents=True)
    (folder / "data/dangjian").rename(deep)
    assert exit_code("frontier", "stats", deep) == 0
    assert f"{deep} does not run" in (shown := capfd.readouterr().out) and str(deep / "frontier.sqlite") in shown


def test_top_shows_addresses_anchors_and_parents_in_chinese(run: RunScrapy) -> None:
    asked(run, "requeue", "http://www.支部.cn/三会一课")
    shown = run("top", "-n", "2")
    assert shown.returncode == 0
    assert "http://www.支部.cn/三会一课" in shown.stdout and "http://a.cn/2" in shown.stdout
    assert "http://a.cn/3" not in shown.stdout
    assert "“支部生活” on http://www.首页.cn/党建" in shown.stdout
    assert "no reasons: data/dangjian: its topic and strategy are unknown" in shown.stdout
    assert "b.cn" not in run("top", "--host", "a.cn").stdout
    assert run("top", "--host", "c.cn").stdout == "nothing waits among the best 4 links\n"
    hosts = run("top", "--hosts").stdout
    assert "of the best 4 links" in hosts
    assert hosts.splitlines()[1].split() == ["a.cn", "2", "0.3"]


def test_what_would_steer_a_terminal_is_shown_harmless(run: RunScrapy, folder: Path) -> None:
    frontier = SqliteFrontier(folder / "data/dangjian/frontier.sqlite")
    url = "http://evil.cn/\x1b[2J[bold]:smile:\u202e"
    frontier.push(
        [Entry(fingerprint("http://evil.cn/"), url, "evil.cn", 9.0, 1, (Evidence("http://p.cn/\x07", 0.5, True, "[/]"),))]
    )
    frontier.close()
    shown = run("top", "-n", "1").stdout
    assert "http://evil.cn/\ufffd[2J[bold]:smile:\ufffd" in shown and "“[/]” on http://p.cn/\ufffd" in shown


def test_a_crawl_is_named_by_its_topic_its_folder_or_the_settings(run: RunScrapy, folder: Path) -> None:
    for arguments in (["dangjian"], ["data/dangjian"], [], ["--pages", "5"]):
        assert asked(run, "stats", *arguments)["waiting"] == 3
    data = folder / "data/dangjian"
    assert asked(run, "stats", TOPICAL_DATA_DIR=data)["waiting"] == 3
    assert asked(run, "stats", "anything", TOPICAL_DATA_DIR=data)["waiting"] == 3
    assert asked(run, "stats", "data/dangjian", TOPICAL_DATA_DIR="elsewhere")["waiting"] == 3


def test_a_crawl_that_is_not_there_or_could_be_several(run: RunScrapy, folder: Path) -> None:
    missing = run("stats", "sports")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "there is no crawl in sports or data/sports" in missing.stderr and "(there are: data/dangjian)" in missing.stderr
    other = folder / "data/sports"
    other.mkdir()
    (other / "crawl.json").write_text("{}")
    several = run("pause")
    assert several.returncode == 1
    assert "which crawl? Name one of data/dangjian, data/sports" in several.stderr
    without = run("stats", "sports")
    assert "no crawl runs here, and there is no frontier.sqlite. Reach a crawl over Redis with" in without.stderr
    assert not (other / "frontier.sqlite").exists()
    broken = folder / "data/broken"
    broken.mkdir()
    (broken / "frontier.sqlite").write_text("no database")
    damaged = run("stats", "broken")
    assert damaged.returncode == 1 and "data/broken/frontier.sqlite" in damaged.stderr
    assert "Traceback" not in damaged.stderr + without.stderr + several.stderr + missing.stderr


def test_seeds_come_as_urls_or_files(run: RunScrapy, folder: Path) -> None:
    (folder / "seeds.txt").write_text("# 种子\nhttp://c.cn/1 党建\nhttp://www.示例.cn/支部\n", encoding="utf-8")
    pushed = run("push", "dangjian", "seeds.txt", "http://c.cn/2")
    assert (pushed.returncode, pushed.stdout) == (0, "3 new\n")
    assert asked(run, "push", "http://c.cn/3")["new"] == 1
    assert asked(run, "push", "http://c.cn/3", "http://c.cn/4", "seeds.txt") == {"new": 1, "again": 0, "known": 3, "dropped": {}}
    assert asked(run, "push", "seeds.txt")["known"] == 2
    assert asked(run, "push", "seeds.txt", "http://c.cn/4")["known"] == 3
    assert "1 known already (topical-crawler frontier requeue fetches a page again)" in run("push", "http://a.cn/1").stdout
    assert asked(run, "push", "--priority", "0.25", "http://c.cn/5")["new"] == 1
    top = asked(run, "top")["entries"]
    assert [entry["url"] for entry in top][-3:] == ["http://c.cn/5", "http://a.cn/3", "http://b.cn/"]  # type: ignore[attr-defined, index]
    assert [entry["priority"] for entry in top][:5] == [1e6] * 5  # type: ignore[attr-defined, index]
    missing = run("push", "dangjian", "nowhere.txt")
    assert missing.returncode == 1 and "nowhere.txt: no such seed file" in missing.stderr


def test_many_urls_go_in_batches(run: RunScrapy, folder: Path) -> None:
    count = 2 * BATCH + 1
    (folder / "many.txt").write_text("".join(f"http://m.cn/{n}\n" for n in range(count)))
    assert asked(run, "push", "many.txt", "--priority", "0.01")["new"] == count
    assert asked(run, "push", "many.txt")["known"] == count
    assert asked(run, "stats")["waiting"] == count + 3


def test_pages_are_requeued(run: RunScrapy, folder: Path) -> None:
    assert run("requeue", "--reason", "HTTP 503").stdout == "1 to be fetched again\n"
    (folder / "again.txt").write_text("http://www.支部.cn/三会一课\n", encoding="utf-8")
    assert run("requeue", "again.txt", "http://a.cn/3").stdout == "1 to be fetched again, 1 already waiting or unknown\n"
    assert asked(run, "stats")["waiting"] == 5


def test_a_purge_wants_to_be_meant(run: RunScrapy, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = run("purge", "--all")
    assert refused.returncode == 2 and "a purge cannot be undone. Confirm it with --yes" in refused.stderr
    assert asked(run, "stats")["waiting"] == 3
    assert run("purge", "--below", "0.3", "--host", "a.cn", "--yes").stdout == "1 purged, 2 still wait\n"
    assert asked(run, "purge", "dangjian", "--all", "--yes") == {"purged": 2, "waiting": 0}
    assert asked(run, "stats")["dropped_because"] == {PURGED: 3, "file type": 1}
    assert run("top").stdout == "nothing waits\n"
    assert run("top", "--hosts").stdout == "nothing waits\n"


def test_what_is_said_is_kept_for_the_next_start(run: RunScrapy) -> None:
    assert run("pause").stdout == "data/dangjian: it will be paused when it starts again\n"
    assert asked(run, "stats")["paused"] is True
    assert run("resume").stdout == "data/dangjian: no longer paused: 3 links wait for its next start\n"
    said = run("threshold", "dangjian", "0.3").stdout
    assert said == "data/dangjian: page threshold 0.3 (before: the topic's own), for pages judged from now on\n"
    assert asked(run, "stats")["page_threshold"] == 0.3
    assert "page threshold the topic's own (before: 0.3)" in run("threshold", "default").stdout
    stop = run("stop")
    assert stop.returncode == 1 and "no crawl runs here, there is nothing to stop" in stop.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "say what to do: stats, top, push"),
        (["threshold", "high"], "'high' is neither a number nor the word default"),
        (["requeue"], "say what to fetch again: URLs, or --reason REASON"),
        (["purge"], "say what to purge: --host HOST, --below X, both together, or --all"),
        (["purge", "--all", "--host", "a.cn"], "say what to purge"),
        (["top", "--hosts", "--host", "a.cn"], "leave one out"),
        (["stats", "--wait", "-1"], "is no number of 0 or more"),
        (["stats", "dangjian", "sports"], "not understood: sports"),
    ],
)
def test_a_wrong_command_line(run: RunScrapy, arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert said in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_values_that_cannot_be_used(run: RunScrapy) -> None:
    for arguments, said in (
        (("threshold", "nan"), "page_threshold must be a number, not nan"),
        (("top", "-n", "0"), "n must be a whole number of 1 to 10,000"),
        (("stats", "--pages", "-1"), "pages must be a whole number of 0 or more"),
        (("push", "http://[x/"), "is not a URL to fetch"),
        (("push", "http://a.cn/9", "--priority", "inf"), "priority must be a number"),
    ):
        done = run(*arguments)
        assert (done.returncode, done.stdout) == (1, ""), arguments
        assert said in done.stderr


@contextmanager
def serving(data: Path) -> Iterator[MemoryFrontier]:
    """What a crawl does that runs in ``data``: it holds the lock and serves its mailbox."""
    frontier, box, ended = MemoryFrontier(), Mailbox(data / "mailbox"), threading.Event()
    fill(frontier)

    def serve() -> None:
        while not ended.wait(0.01):
            box.serve(lambda request: perform(frontier, request))

    server = threading.Thread(target=serve)
    with FileLock(data / "crawl.lock", thread_local=False, is_singleton=False):
        server.start()
        try:
            yield frontier
        finally:
            ended.set()
            server.join()


def test_a_crawl_that_runs_is_asked_through_its_mailbox(run: RunScrapy, folder: Path) -> None:
    data = folder / "data/dangjian"
    with serving(data) as frontier:
        assert asked(run, "stats")["details"] == frontier.status().details
        assert "data/dangjian runs" in run("stats").stdout
        assert run("pause").stdout == "data/dangjian: paused: 0 in-flight requests finish, 3 links wait\n"
        assert run("resume").stdout == "data/dangjian: resumed: 3 links wait\n"
        assert run("stop").stdout == "data/dangjian: stopping: 0 in-flight requests finish, 3 links wait for its next start\n"
        refused = run("threshold", "-1")
        assert refused.returncode == 1 and "page_threshold must be a number of 0 or more, not -1" in refused.stderr
        assert run("push", "http://c.cn/").stdout == "1 new\n"
        assert len(frontier) == 4
    assert asked(run, "stats")["waiting"] == 3  # its file knows nothing of that crawl in memory


def test_a_crawl_that_ends_before_it_has_read_the_request_is_asked_by_its_file(run: RunScrapy, folder: Path) -> None:
    lock = FileLock(folder / "data/dangjian/crawl.lock", thread_local=False, is_singleton=False)
    lock.acquire()
    ended = threading.Event()

    def end() -> None:
        """When the request is there."""
        wait_for(lambda: list((folder / "data/dangjian/mailbox").glob("*.request.json")))
        ended.set()
        lock.release()

    threading.Thread(target=end).start()
    assert asked(run, "push", "http://c.cn/")["new"] == 1
    assert ended.is_set()
    assert list((folder / "data/dangjian/mailbox").iterdir()) == []
    assert asked(run, "stats")["waiting"] == 4


def test_a_crawl_is_not_started_while_its_file_is_changed_and_can_be_afterwards(run: RunScrapy, folder: Path) -> None:
    asked(run, "pause")
    with FileLock(folder / "data/dangjian/crawl.lock", timeout=0, is_singleton=False):
        pass
    SqliteFrontier(folder / "data/dangjian/frontier.sqlite").close()


def test_a_purge_asks_in_a_terminal(run: RunScrapy, monkeypatch: pytest.MonkeyPatch) -> None:
    keyboard, terminal = pty.openpty()
    with os.fdopen(terminal, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        for keys in ("\n", "no\n", "\x04"):
            os.write(keyboard, keys.encode())
            no = run("purge", "--host", "a.cn", "--below", "0.5")
            assert no.returncode == 1
            assert no.stdout == "data/dangjian: 3 wait. Drop links of a.cn of a priority below 0.5? [y/N] "
            assert "nothing was purged" in no.stderr
        os.write(keyboard, b"y\n")
        yes = run("purge", "--all")
        assert (yes.returncode, yes.stdout) == (0, "data/dangjian: 3 wait. Drop everything? [y/N] 3 purged, 0 still wait\n")
    os.close(keyboard)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis"), requirepass="geheim") as server:
        yield server


def test_a_crawl_over_redis_is_named_by_its_name_there(run: RunScrapy, server: RedisServer) -> None:
    frontier = RedisFrontier(server.client(), "党建")
    fill(frontier)
    settings = {"TOPICAL_FRONTIER": "redis", "REDIS_URL": server.url}
    assert asked(run, "stats", "党建", **settings)["waiting"] == 3
    shown = run("stats", TOPICAL_CRAWL="党建", **settings)
    assert shown.returncode == 0 and "3 waiting on 2 hosts" in shown.stdout and "workers: 1" in shown.stdout
    assert run("pause", "党建", **settings).stdout == "党建: paused: 0 in-flight requests finish, 3 links wait\n"
    assert asked(run, "push", "党建", "http://c.cn/", **settings)["new"] == 1
    assert asked(run, "purge", "党建", "--all", "--yes", **settings)["purged"] == 4
    frontier.close()
    unnamed = run("stats", **settings)
    assert unnamed.returncode == 1 and "which crawl? Give its name (TOPICAL_CRAWL of its workers" in unnamed.stderr
    missing = run("stats", "sports", **settings)
    assert missing.returncode == 1 and "there is no crawl 'sports' in Redis" in missing.stderr and "党建" in missing.stderr
    wrong = server.url.replace("geheim", "falsch")
    refused = run("stats", "党建", **{**settings, "REDIS_URL": wrong})
    assert refused.returncode == 1 and "Traceback" not in refused.stderr
    assert "geheim" not in unnamed.stderr + missing.stderr and "falsch" not in refused.stderr


def test_what_is_no_redis_of_one_crawl_is_refused_without_its_password(run: RunScrapy, server: RedisServer) -> None:
    away = f"redis://:geheim@127.0.0.1:{free_port()}/0"
    several = "REDIS_URL names 2 Redis servers; a crawl has one. Set it to one"
    for url, said in ((f"{server.url} {server.url}", several), (away, "127.0.0.1")):
        refused = run("stats", "党建", TOPICAL_FRONTIER="redis", REDIS_URL=url)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert said in refused.stderr and "geheim" not in refused.stderr and "Traceback" not in refused.stderr
