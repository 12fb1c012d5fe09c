"""Several workers on one crawl over a real Redis: one corpus, nothing twice, nothing lost, and what one learns all know."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import msgpack
import pytest
from crawl_tools import Reply, Site, article, command, crawl, make_topic, rows, start
from redis_tools import RedisServer
from step_tools import finish, next_entry, open_crawl
from wait_tools import HANGS, wait_for

from topical_crawler.crawl.crawl import Crawl
from topical_crawler.crawl.options import CrawlError
from topical_crawler.crawl.steering import seed_entry
from topical_crawler.frontier.base import State
from topical_crawler.frontier.redis import RedisFrontier
from topical_crawler.web.page import Page

PAGES = 24
POLITE = {"DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS": 4, "CONCURRENT_REQUESTS_PER_DOMAIN": 4}


def tree(seconds: float = 0.0, ready: Callable[[], bool] = lambda: True, held: int = 0) -> Site:
    """Page n links to pages 2n+1 and 2n+2; all are on topic. The page ``held`` comes when ``ready`` says so."""

    def page(number: int) -> Reply:
        time.sleep(seconds)
        if number == held:
            wait_for(ready)
        links = {f"/{n}.html": f"党建第{n}页" for n in (2 * number + 1, 2 * number + 2) if n < PAGES}
        return Reply(article(f"第{number}页", links))

    return Site({f"/{n}.html": lambda _, n=n: page(n) for n in range(PAGES)})  # type: ignore[misc]


def shared(server: RedisServer, name: str, **more: object) -> dict[str, object]:
    return {**POLITE, "TOPICAL_FRONTIER": "redis", "REDIS_URL": server.url, "TOPICAL_CRAWL": name, **more}


def run(lines: list[list[str]]) -> list[tuple[int, str]]:
    processes = [start(line) for line in lines]
    logs = [process.communicate(timeout=HANGS)[1] for process in processes]
    return [(process.returncode, log) for process, log in zip(processes, logs, strict=True)]


def end_leases(server: RedisServer, crawl: str, worker: str | None = None) -> None:
    """As if the time of a lease had passed since a worker, or any, was heard of."""
    client = server.client()
    flights: dict[bytes, bytes] = client.hgetall(f"topical:{{{crawl}}}:flights")  # type: ignore[assignment]
    keys = [key for key, packed in flights.items() if worker in (None, msgpack.unpackb(packed, raw=True)[4].decode())]
    if keys:
        client.zadd(f"topical:{{{crawl}}}:leases", dict.fromkeys(keys, 0.0))


def test_three_workers_make_the_corpus_of_one(server: RedisServer, topic: Path, tmp_path: Path) -> None:
    client, slow = server.client(), {"DOWNLOAD_DELAY": 0.2, "CONCURRENT_REQUESTS": 2}  # all of them have begun before it ends
    with tree() as alone, tree(0.0, lambda: client.zcard("topical:{drei}:workers") == 3) as site:
        crawl(topic, tmp_path / "one", f"{alone.url}/0.html", **POLITE)
        lines = [
            command(topic, tmp_path / "many", f"{site.url}/0.html", **shared(server, "drei", TOPICAL_WORKER=f"w{n}", **slow))
            for n in range(3)
        ]
        ended = run(lines)
        assert [code for code, _ in ended] == [0, 0, 0], ended
        one = {r.url.removeprefix(alone.url): (r.keep, r.reason, r.text) for r in rows(tmp_path / "one")}
        many = {r.url.removeprefix(site.url): (r.keep, r.reason, r.text) for r in rows(tmp_path / "many")}
        assert many == one and len(one) == PAGES
        asked = Counter(hit.path for hit in site.hits)
        assert set(asked.values()) == {1}, asked  # robots.txt too
    by_worker = [int(log.partition("This run: ")[2].partition(" ")[0]) for _, log in ended]
    assert sum(by_worker) == PAGES and sum(n > 0 for n in by_worker) > 1


def test_a_killed_worker_loses_nothing(server: RedisServer, topic: Path, tmp_path: Path) -> None:
    with tree(0.1) as site:
        lines = [
            command(topic, tmp_path / "data", f"{site.url}/0.html", **shared(server, "kill", TOPICAL_WORKER=name))
            for name in ("victim", "survivor")
        ]
        victim, survivor = map(start, lines)
        wait_for(lambda: len(site.hits) >= 12)
        victim.kill()
        victim.communicate(timeout=HANGS)
        end_leases(server, "kill", "victim")
        log = survivor.communicate(timeout=HANGS)[1]
        assert survivor.returncode == 0, log
        assert sorted(r.url for r in rows(tmp_path / "data")) == sorted(f"{site.url}/{n}.html" for n in range(PAGES))
        again = [path for path, times in Counter(hit.path for hit in site.pages()).items() if times > 1]
        assert len(again) <= POLITE["CONCURRENT_REQUESTS"]
    details = RedisFrontier(server.client(), "kill", attach=True).status().details
    assert details["workers"] == 0 or details["last_heard_of"]
    assert details["pages"] == PAGES


def test_seeds_are_fed_to_workers_that_wait_for_them(server: RedisServer, topic: Path, tmp_path: Path) -> None:
    client, fed = server.client(), "topical:{fed}:start_urls"
    with Site({f"/{n}.html": Reply(article(f"第{n}篇")) for n in range(4)}) as site:
        line = command(topic, tmp_path / "data", f"{site.url}/0.html", **shared(server, "fed", TOPICAL_IDLE_SECONDS=4))
        worker = start(line)
        wait_for(lambda: site.hits)
        client.rpush(fed, f"{site.url}/1.html", json.dumps({"url": f"{site.url}/2.html", "meta": {"job": 7}}), "党建", '{"u": 1}')
        log = worker.communicate(timeout=HANGS)[1]
        assert worker.returncode == 0, log
        assert sorted(hit.path for hit in site.pages()) == ["/0.html", "/1.html", "/2.html"]
    assert client.exists(fed) == 0
    assert client.lrange(f"{fed}:rejected", 0, -1) == ["党建".encode(), b'{"u": 1}']
    assert "2 start URLs were fed, 2 of them new" in log


@pytest.mark.slow
def test_a_server_that_goes_for_good_ends_the_crawl_in_order(topic: Path, tmp_path: Path) -> None:
    gone = threading.Event()  # before, the crawl cannot end
    with (
        RedisServer(tmp_path / "redis", appendonly="yes", requirepass="geheim") as server,
        tree(0.1, gone.is_set, PAGES - 1) as site,
    ):
        line = command(topic, tmp_path / "data", f"{site.url}/0.html", **shared(server, "weg", TOPICAL_PATIENCE=1))
        worker = start(line)
        wait_for(lambda: len(site.hits) >= 8)
        server.kill()
        gone.set()
        log = worker.communicate(timeout=HANGS)[1]
        assert worker.returncode == 1
        assert "does not answer" in log and "can be resumed" in log and "geheim" not in log
        assert "Traceback" not in log, log
        server.start()
        end_leases(server, "weg")
        code, log = run([line])[0]
        assert code == 0, log
        assert len(rows(tmp_path / "data")) == PAGES


def test_no_server_is_one_line(topic: Path, tmp_path: Path) -> None:
    options = {"TOPICAL_FRONTIER": "redis", "REDIS_URL": "redis://:geheim@127.0.0.1:1/0", "TOPICAL_PATIENCE": 0.1}
    ended = crawl(topic, tmp_path, "http://a.cn/", **options)
    assert ended.code == 2
    assert "Redis at 127.0.0.1:1/0 does not answer" in ended.log and "Start it" in ended.log
    assert "geheim" not in ended.log and "Traceback" not in ended.log


@pytest.fixture
def opened(server: RedisServer, topic: Path, tmp_path: Path) -> Iterator[Callable[..., Crawl]]:
    made: list[Crawl] = []

    def build(worker: str, of: Path = topic, **settings: object) -> Crawl:
        given = shared(server, tmp_path.name, TOPICAL_WORKER=worker, **{"CONCURRENT_REQUESTS": 1, **settings})
        made.append(open_crawl(of, tmp_path / "data", **given))
        return made[-1]

    yield build
    for worker in made:
        worker.close()


def fetch(worker: Crawl, body: str) -> None:
    entry = next_entry(worker)
    finish(worker, entry, Page.from_html(entry.url, body))


@pytest.mark.parametrize("strategy", ["adaptive", "semantic", "content_url", "pagerank", "esvsm", "shark_search"])
def test_what_one_learns_all_know(opened: Callable[..., Crawl], strategy: str) -> None:
    one, other = (opened(name, TOPICAL_STRATEGY=strategy, CONCURRENT_REQUESTS=4) for name in ("w1", "w2"))
    one.push([seed_entry("http://a.cn/dj/1.html"), seed_entry("http://b.cn/dj/2.html")])
    for worker, n in ((one, 1), (other, 2), (one, 3), (other, 4)):
        fetch(worker, article(f"第{n}篇", {f"/dj/{m}.html": f"党建第{m}篇" for m in range(3, 6)}))
    one.tick(), other.tick()
    assert one.log.finished == other.log.finished == one.policy.fetched == 4
    waiting = [entry.candidate() for entry in one.frontier.waiting(99)]
    scores = one.strategy.score(waiting)
    assert waiting and other.strategy.score(waiting) == scores
    late = opened("w3", TOPICAL_STRATEGY=strategy)
    assert late.strategy.score(waiting) == scores
    for worker in (one, other, late):
        worker.close()
    resumed = opened("w4", TOPICAL_STRATEGY=strategy)  # from the checkpoint
    assert resumed.strategy.score(waiting) == scores


def test_bounds_hold_over_all(opened: Callable[..., Crawl]) -> None:
    one, other = (opened(name, TOPICAL_MAX_PAGES=3) for name in ("w1", "w2"))
    one.push([seed_entry(f"http://{n}.cn/") for n in range(9)])
    for worker in (one, other, one):
        fetch(worker, article("首页"))
    assert other.next(0.0) is None and one.next(0.0) is None
    one.tick(), other.tick()
    assert one.is_over and other.is_over and not other.has_more
    assert one.frontier.status().counts[State.WAITING] == 6


def test_another_edition_of_the_topic_is_refused_beside_others(opened: Callable[..., Crawl], topic: Path, tmp_path: Path) -> None:
    changed = make_topic(tmp_path / "new" / topic.name)
    (changed / "terms.tsv").write_text("党建\t1\n支部\t2\n", encoding="utf-8")
    one = opened("w1")
    with pytest.raises(CrawlError, match=r"another edition of the topic.*Give all of them"):
        opened("w2", changed)
    with pytest.raises(CrawlError, match="by the strategy 'semantic', not 'random'"):
        opened("w3", TOPICAL_STRATEGY="random")
    one.close()
    opened("w4", changed)  # alone it may go on
