"""The workbench over crawls of many workers: links in Redis, texts in PostgreSQL."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from fork_tools import Forked
from postgres_tools import GivenServer, server
from redis_tools import RedisServer
from wait_tools import HANGS, wait_for
from workbench_tools import REPLAY, ROOT, Served, workbench

pytestmark = pytest.mark.slow  # a whole crawl of two workers, on two servers
CRAWL = "/crawls/partybuilding"


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GivenServer]:
    with server(tmp_path_factory.mktemp("postgresql")) as running:
        yield running


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, postgres: GivenServer) -> Iterator[Served]:
    """On a crawl of two workers that have fetched all there is, and wait for more."""
    folder = tmp_path_factory.mktemp("shared")
    corpus = sa.make_url(postgres.new_database()).set(drivername="postgresql+psycopg").render_as_string(hide_password=False)
    with RedisServer(tmp_path_factory.mktemp("redis")) as redis:
        shared = ("-s", "TOPICAL_FRONTIER=redis", "-s", f"REDIS_URL={redis.url}", "-s", f"TOPICAL_CORPUS={corpus}")
        arguments = ("-a", "topic=partybuilding", "-a", f"seeds={ROOT / 'demo/seeds.txt'}", *REPLAY, *shared)
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "SCRAPY_SETTINGS_MODULE": "topical_crawler.settings"}
        workers = [
            Forked(
                ["-m", "scrapy", "crawl", "topical", *arguments, "-s", f"TOPICAL_WORKER={name}", "-s", "TOPICAL_IDLE_SECONDS=-1"],
                folder,
                environment,
            )
            for name in ("east", "west")
        ]
        with workbench(folder, "partybuilding", "--bind", "0.0.0.0", "-s", "TOPICAL_RESOURCES=0", *shared) as found:
            wait_for(lambda: is_idle(found.api(CRAWL)["stats"]))
            yield found
            found.act(f"{CRAWL}/stop")
            assert [worker.wait(HANGS) for worker in workers] == [0, 0]


def is_idle(stats: dict[str, Any] | None) -> bool:
    return stats is not None and stats["done"] > 200 and stats["waiting"] == stats["in_flight"] == 0


def test_all_workers_are_shown(served: Served) -> None:
    data = served.api(CRAWL)
    assert set(data["stats"]["details"]["last_heard_of"]) == {"east", "west"}
    assert data["stats"]["details"]["pages"] > 60
    page = served.ask(CRAWL)[2].decode()
    assert "east" in page
    assert "west" in page
    assert sum(host["kept"] for host in data["hosts"]) == served.api(f"{CRAWL}/count")["total"] > 40


def test_texts_of_both_are_searched_and_counted(served: Served) -> None:
    found = served.api(f"{CRAWL}/corpus", q="党课")
    assert {line["match"] for hit in found["hits"] for line in hit["lines"]} == {"党课"}
    assert found["total"] == 3
    facets = served.api(f"{CRAWL}/facets")["facets"]
    total = served.api(f"{CRAWL}/count")["total"]
    assert sum(count for _, count in facets["relevance"]) == total
    for relevance, count in facets["relevance"]:
        more = {} if relevance == 0.9 else {"below_relevance": round(relevance + 0.1, 1)}
        assert served.api(f"{CRAWL}/count", min_relevance=relevance, **more)["total"] == count
    assert served.api(f"{CRAWL}/words")["texts"] == total


def test_orders_and_marks_reach_the_shared_crawl(served: Served) -> None:
    assert served.act(f"{CRAWL}/pause")["answer"]["paused"] is True
    assert served.api(CRAWL)["stats"]["paused"] is True
    served.act(f"{CRAWL}/resume")
    number = served.api(f"{CRAWL}/corpus")["hits"][0]["number"]
    assert "learns from 1 marked text" in served.act(f"{CRAWL}/texts/{number}/mark", mark="relevant")["learned"]
    assert served.api(CRAWL)["stats"]["marked"] == 1
    assert served.api(f"{CRAWL}/texts/{number}")["mark"] == "relevant"
