"""What the project's commands have in common."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import pytest
from scrapy.settings import Settings

from topical_crawler.cli.base import Action, ActionsCommand

ROOT = Path(__file__).resolve().parents[2]


class Waiting(ActionsCommand):
    name = "waiting"
    actions: ClassVar = {"now": (f"/{__name__}", "wait")}
    summary = "Wait for Ctrl-C"


def _wait(opts: argparse.Namespace, settings: object) -> int:
    raise KeyboardInterrupt


ACTIONS = {"now": Action("Wait.", lambda parser: None, _wait)}


def test_ctrl_c_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    command = Waiting()
    command.settings = Settings()
    command.run([], argparse.Namespace(action="now"))
    assert command.exitcode == 130
    assert capsys.readouterr().err == "scrapy waiting now: stopped\n"


def scrapy(*args: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run Scrapy; on standard error, the last line lists the modules of the project that it imported."""
    code = (
        "import atexit, sys\n"
        "from scrapy.cmdline import execute\n"
        "atexit.register(lambda: print(*(m for m in sys.modules if m.startswith('topical_crawler')), file=sys.stderr))\n"
        f"execute(['scrapy', *{args!r}])"
    )
    return subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, check=False)


def test_an_action_imports_what_it_needs() -> None:
    done = scrapy("corpus", "export", "-h")
    modules = done.stderr.splitlines()[-1].split()
    assert "--split-seed" in done.stdout
    assert len(modules) < 60
    assert not [
        m for m in modules if m.startswith(("topical_crawler.crawl", "topical_crawler.strategies", "topical_crawler.cli.topic"))
    ]


def test_a_list_of_actions_imports_none() -> None:
    done = scrapy("corpus", "-h")
    assert "the URLs in the order of their fetching" in done.stdout
    assert "topical_crawler.cli.corpus" not in done.stderr.split()


def test_the_comparison_of_crawls_needs_a_checkout(tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = topical_crawler.settings\n")
    alone = "sys.modules['experiments'] = None"  # as where the package alone is installed
    code = f"import sys\nfrom scrapy.cmdline import execute\n{alone}\nexecute(['scrapy', 'evaluate', 'crawl'])"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "scrapy evaluate crawl: experiments is not installed. Remedy: run this in a checkout of the project\n"
