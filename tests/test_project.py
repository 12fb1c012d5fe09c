"""The project's settings without Scrapy."""

import re

import pytest
from scrapy.settings import Settings

from topical_crawler import settings
from topical_crawler.cli.actions import CORPUS
from topical_crawler.project import ProjectSettings


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("RETRY_TIMES=many", "RETRY_TIMES='many': a whole number of 0 or more is expected (-s RETRY_TIMES=2)"),
        ("RETRY_TIMES=2.0", "RETRY_TIMES='2.0': a whole number of 0 or more is expected (-s RETRY_TIMES=2)"),
        ("DOWNLOAD_DELAY=soon", "DOWNLOAD_DELAY='soon': a number of 0 or more is expected (-s DOWNLOAD_DELAY=1.0)"),
        ("DOWNLOAD_DELAY=-1", "DOWNLOAD_DELAY='-1': a number of 0 or more is expected (-s DOWNLOAD_DELAY=1.0)"),
        ("DOWNLOAD_TIMEOUT=0", "DOWNLOAD_TIMEOUT='0': a number above 0 is expected (-s DOWNLOAD_TIMEOUT=30.0)"),
        ("DOWNLOAD_TIMEOUT=inf", "DOWNLOAD_TIMEOUT='inf': a number above 0 is expected (-s DOWNLOAD_TIMEOUT=30.0)"),
        ("ROBOTSTXT_OBEY=perhaps", "ROBOTSTXT_OBEY='perhaps': True or False is expected (-s ROBOTSTXT_OBEY=True)"),
        ("TOPICAL_SEDE=1", "there is no setting TOPICAL_SEDE. Did you mean TOPICAL_SEED? docs/settings.md lists them all"),
    ],
)
def test_a_value_that_cannot_be_read_is_named(given: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        settings.check_values(ProjectSettings(settings, [given]))


def test_what_scrapy_reads_is_read_alike() -> None:
    given = {"RETRY_TIMES": " 5 ", "DOWNLOAD_DELAY": "1e-1", "TOPICAL_IDLE_SECONDS": "-1", "TOPICAL_SCRIPTS": "1"}
    given |= {"ROBOTSTXT_OBEY": "false", "TOPICAL_ARCHIVE": "/archive", "TOPICAL_METRICS_PORT": "auto", "MY_OWN": "x"}
    ours = ProjectSettings(settings, [f"{name}={value}" for name, value in given.items()])
    scrapys = Settings(given)
    settings.check_values(ours)
    settings.check_values(scrapys)
    assert ours.getint("RETRY_TIMES") == scrapys.getint("RETRY_TIMES") == 5
    for name in ("DOWNLOAD_DELAY", "TOPICAL_IDLE_SECONDS"):
        assert ours.getfloat(name) == scrapys.getfloat(name) == float(given[name])
    for name, value in (("TOPICAL_SCRIPTS", True), ("ROBOTSTXT_OBEY", False)):
        assert ours.getbool(name) is scrapys.getbool(name) is value


def test_every_command_says_it_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"^2$"):
        CORPUS.main(["extract", "http://127.0.0.1:9/", "-s", "RETRY_TIMES=many"], settings)
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.endswith("error: RETRY_TIMES='many': a whole number of 0 or more is expected (-s RETRY_TIMES=2)")
