"""What the modules of crawls share: a small topic, and a Redis server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from crawl_tools import make_topic
from redis_tools import RedisServer


@pytest.fixture(scope="session")
def topic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_topic(tmp_path_factory.mktemp("topics") / "small")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis"), appendonly="yes") as running:
        yield running
