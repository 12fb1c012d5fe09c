"""Redis and PostgreSQL servers that are away: every use of them waits until they are back, and says so."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
import redis
import sqlalchemy as sa
from corpus_tools import kept
from crawl_tools import Reply, Site, article, command, start
from postgres_tools import PostgresServer, own_server  # noqa: F401 - a fixture
from redis_tools import RedisServer
from wait_tools import HANGS, wait_for

from topical_crawler.corpus import store as corpus_store
from topical_crawler.corpus.record import CorpusError, HostFacts
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.frontier import redis_server
from topical_crawler.frontier.base import FrontierServerError
from topical_crawler.frontier.redis import RedisFrontier
from topical_crawler.frontier.redis_seeds import RedisFeed

FACTS = HostFacts("a.cn", "allows all", 1.0, "2026-11-20T08:30:00+00:00")
USES: dict[str, Callable[[CorpusStore], object]] = {
    "put": lambda store: store.put(kept(1)).url,
    "get": lambda store: store.get("00"),
    "learned": lambda store: store.learned("a.cn", "各支部开展学习").pages,
    "note_host": lambda store: store.note_host(FACTS),
    "stats": lambda store: store.stats().kept,
    "records": lambda store: list(store.records()),
    "change": lambda store: store.change(lambda connection: connection.scalar(sa.text("SELECT 7"))),
}


def said(caplog: pytest.LogCaptureFixture, what: str) -> int:
    return sum(what in record.getMessage() for record in caplog.records)


def called(call: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    answers: list[object] = []
    thread = threading.Thread(target=lambda: answers.append(call()))
    thread.start()
    return thread, answers


def awaited(call: Callable[[], object], come_back: Callable[[], object], caplog: pytest.LogCaptureFixture) -> object:
    """The answer of ``call``, which must have said twice that it waits before the server came back."""
    thread, answers = called(call)
    wait_for(lambda: answers or not thread.is_alive() or said(caplog, "rying ") >= 2)
    assert not answers and thread.is_alive(), caplog.text
    come_back()
    thread.join(HANGS)
    assert answers, caplog.text
    assert said(caplog, "is back") == 1
    return answers[0]


@pytest.fixture(autouse=True)
def _says_so_often(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    assert corpus_store.WARN_EVERY == redis_server.WARN_EVERY == 10.0
    for module in (corpus_store, redis_server):
        monkeypatch.setattr(module, "WARN_EVERY", 0.2)
    caplog.set_level(logging.WARNING)


def test_every_use_of_a_corpus_waits(own_server: PostgresServer, caplog: pytest.LogCaptureFixture) -> None:  # noqa: F811
    with ExitStack() as stack:
        stores = {use: stack.enter_context(CorpusStore(own_server.new_database(), patience=HANGS)) for use in USES}
        expected = {use: USES[use](store) for use, store in stores.items()}
        own_server.kill()
        try:
            running = {use: called(lambda use=use: USES[use](stores[use])) for use in USES}  # type: ignore[misc]
            wait_for(lambda: said(caplog, "rying ") >= 2 * len(USES))
            assert all(thread.is_alive() and not answers for thread, answers in running.values()), caplog.text
        finally:
            own_server.start()
        for thread, _ in running.values():
            thread.join(HANGS)
        assert {use: answers for use, (_, answers) in running.items()} == {use: [answer] for use, answer in expected.items()}
        assert said(caplog, "is back") == len(USES)
        assert [use for use, store in stores.items() if store.host_facts() == {"a.cn": FACTS}] == ["note_host"]


def test_nobody_waits_who_only_reads_or_is_not_let_in(own_server: PostgresServer, caplog: pytest.LogCaptureFixture) -> None:  # noqa: F811
    place = own_server.new_database()
    with pytest.raises(CorpusError, match="Correct user and password"):
        CorpusStore(place.replace("ge%40heim", "falsch"), patience=HANGS)
    with pytest.raises(CorpusError, match="Create it"):
        CorpusStore(f"{place}_x", patience=HANGS)
    own_server.stop()
    try:
        with pytest.raises(CorpusError, match="Start the server"):
            CorpusStore(place, read_only=True, patience=HANGS)
    finally:
        own_server.start()
    assert not caplog.records


def test_a_worker_waits_for_its_frontier_at_start(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    server = RedisServer(tmp_path, requirepass="geheim", appendonly="yes")
    with closing(server.client()) as client:
        frontier = awaited(lambda: RedisFrontier(client, "x", patience=HANGS), server.start, caplog)
    assert isinstance(frontier, RedisFrontier)
    with server:
        assert len(frontier) == 0
        wrong = redis.Redis.from_url(server.url.replace("geheim", "falsch"))
        with closing(wrong), pytest.raises(FrontierServerError, match="another user or password"):
            RedisFrontier(wrong, "x", patience=HANGS)
    assert "geheim" not in caplog.text


def test_fed_seeds_wait_too(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    taken: list[str] = []
    with RedisServer(tmp_path, appendonly="yes", appendfsync="always") as server, closing(server.client()) as client:
        client.rpush("seeds", "http://a.cn/")
        feed = RedisFeed(client, "seeds", HANGS)
        server.kill()
        assert awaited(lambda: feed.poll(taken.extend), server.start, caplog) == 1
        assert taken == ["http://a.cn/"]
        assert feed.poll(taken.extend) == 0


def test_a_crawl_begins_when_its_servers_come(topic: Path, tmp_path: Path, own_server: PostgresServer) -> None:  # noqa: F811
    place = own_server.new_database()
    own_server.stop()
    frontier = RedisServer(tmp_path / "redis", appendonly="yes")
    pages = {f"/{n}.html": Reply(article(f"第{n}篇", {f"/{n + 1}.html": "党建"})) for n in range(5)}
    with Site(pages) as site:
        options = {
            "TOPICAL_FRONTIER": "redis", "REDIS_URL": frontier.url, "TOPICAL_CORPUS": place, "TOPICAL_PATIENCE": HANGS,
            "DOWNLOAD_DELAY": 0, "TOPICAL_CRAWL": "waits",
        }  # fmt: skip
        worker = start(command(topic, tmp_path / "data", f"{site.url}/0.html", **options))
        log: list[str] = []
        reader = threading.Thread(target=lambda: log.extend(worker.stderr or ()))
        reader.start()
        try:
            wait_for(lambda: any("Redis" in line and "Retrying" in line for line in log), lambda: log)
            with frontier:
                wait_for(lambda: any("is away" in line for line in log), lambda: log)
                own_server.start()
                assert worker.wait(HANGS) == 0, log
                reader.join(HANGS)
        finally:
            worker.kill()
            own_server.start()
        assert "Traceback" not in "".join(log)
        assert len(site.pages()) == 6
        with CorpusStore(place, read_only=True) as store:
            assert store.stats().kept == 5
