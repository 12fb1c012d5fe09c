"""A crawl that several modules of tests look at."""

from pathlib import Path

import pytest
from command_tools import RunScrapy
from crawl_tools import DEMO


@pytest.fixture(scope="session")
def demo_crawl(tmp_path_factory: pytest.TempPathFactory, run_scrapy: RunScrapy) -> Path:
    """A working directory with ``data/partybuilding``, an archived crawl of the demo's web that ended early. To be copied by who
    changes it."""
    folder = tmp_path_factory.mktemp("demo_crawl")
    arguments = ("topic=partybuilding", f"seeds={DEMO / 'seeds.txt'}", "pages=75")
    settings = (f"TOPICAL_REPLAY={DEMO / 'demo-web.warc.gz'}", "TOPICAL_RESOURCES=0", "CONCURRENT_REQUESTS=1")
    settings += ("TOPICAL_ARCHIVE=1", "TOPICAL_ARCHIVE_MB=0.05")
    options = [*(f"-a{argument}" for argument in arguments), *(f"-s{setting}" for setting in settings)]
    done = run_scrapy("crawl", "topical", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder
