"""The commands in the process of a test, where Python and the modules need not be started again."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from crawl_tools import ROOT
from scrapy.cmdline import execute

from topical_crawler.__main__ import SCRAPYS, main

RunScrapy = Callable[..., subprocess.CompletedProcess[str]]
WriteTopic = Callable[..., Path]
"""The fixtures ``run_scrapy``, ``call_scrapy`` and ``write_topic`` of conftest.py."""


def environment(**more: str) -> dict[str, str]:
    """Variables of a command that runs in a process of its own."""
    settings = {"PYTHONPATH": str(ROOT), "SCRAPY_SETTINGS_MODULE": "topical_crawler.settings", "PYTHONUTF8": "1"}
    return {**os.environ, **settings, **more}


def exit_code(*words: object) -> int:
    """Run a command with the project's settings: ``topical-crawler WORDS``, or ``scrapy WORDS`` where Scrapy has it too."""
    line = [str(word) for word in words]
    with mock.patch.dict(os.environ, {"SCRAPY_SETTINGS_MODULE": "topical_crawler.settings"}):
        try:
            return execute(["scrapy", *line]) if line[0] in SCRAPYS else main(line)
        except SystemExit as ended:
            return int(ended.code or 0)
