"""The project's settings without Scrapy."""

from __future__ import annotations

import pytest

from topical_crawler import settings
from topical_crawler.cli.actions import CORPUS
from topical_crawler.project import ProjectSettings, SettingError


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("RETRY_TIMES=many", "RETRY_TIMES=many: a whole number is expected"),
        ("DOWNLOAD_DELAY=soon", "DOWNLOAD_DELAY=soon: a number is expected"),
        ("ROBOTSTXT_OBEY=perhaps", "ROBOTSTXT_OBEY=perhaps: True or False is expected, or 1 or 0"),
    ],
)
def test_a_value_that_cannot_be_read_is_named(given: str, message: str) -> None:
    read = ProjectSettings(settings, [given])
    with pytest.raises(SettingError, match=f"^{message}$"):
        read.getbool("ROBOTSTXT_OBEY"), read.getint("RETRY_TIMES"), read.getfloat("DOWNLOAD_DELAY")


def test_every_command_says_it_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert CORPUS.main(["extract", "http://127.0.0.1:9/", "-s", "RETRY_TIMES=many"], settings) == 1
    assert capsys.readouterr().err.endswith(" corpus extract: RETRY_TIMES=many: a whole number is expected\n")
