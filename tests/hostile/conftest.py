"""A small topic for the crawls of a test module."""

from __future__ import annotations

from pathlib import Path

import pytest
from crawl_tools import make_topic


@pytest.fixture(scope="session")
def topic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_topic(tmp_path_factory.mktemp("topics") / "small")
