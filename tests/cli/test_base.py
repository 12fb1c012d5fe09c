"""What the project's commands have in common."""

import argparse
import subprocess
import sys
from pathlib import Path

import pytest

from topical_crawler import settings
from topical_crawler.cli.base import Action, Command
from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore

ROOT = Path(__file__).resolve().parents[2]


def _wait(opts: argparse.Namespace, settings: object) -> int:
    raise KeyboardInterrupt


ACTIONS = {"now": Action("Wait.", lambda parser: None, _wait)}


def test_ctrl_c_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    waiting = Command("waiting", {"now": (f"/{__name__}", "wait")}, description="")
    assert waiting.main(["now"], settings) == 130
    assert capsys.readouterr().err == "topical-crawler waiting now: stopped\n"


def python(code: str) -> subprocess.CompletedProcess[str]:
    code = f"import sys\nfrom topical_crawler.__main__ import main\n{code}"
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_list_of_actions_imports_none_and_an_action_what_it_needs() -> None:
    asked = "try:\n    main({})\nexcept SystemExit:\n    print(*sys.modules, file=sys.stderr)\n"
    done = python(asked.format(["corpus", "-h"]) + asked.format(["corpus", "export", "-h"]))
    listed, exported = (line.split() for line in done.stderr.splitlines()[-2:])
    assert "list the URLs in fetch order" in done.stdout and "topical_crawler.cli.corpus" not in listed
    assert "--split-seed" in done.stdout and sum(name.startswith("topical_crawler") for name in exported) < 60
    others = ("topical_crawler.crawl", "topical_crawler.strategies", "topical_crawler.cli.topic")
    assert not [name for name in exported if name.startswith(others)]


def test_a_command_that_reads_imports_neither_scrapy_nor_what_only_a_crawl_needs(tmp_path: Path) -> None:
    with CorpusStore(tmp_path / "corpus.sqlite") as store:
        store.put(Record(url="http://a.cn/1", host="a.cn", keep=True, text="社区医院的体检中心上月开放。" * 10))
    commands = [["corpus", "list"], ["corpus", "stats"], ["corpus", "fetched"], ["corpus", "show"], ["corpus", "search"]]
    asked = {"show": ["1"], "search": ["体检"]}
    lines = [[*words, str(tmp_path), *asked.get(words[1], [])] for words in commands] + [["topic", "list"], ["--help"]]
    heavy = ["scrapy", "twisted", "numpy", "gensim", "jieba", "rjieba", "redis", "pydantic", "sqlalchemy.dialects.postgresql"]
    done = python(
        f"assert [main(words) for words in {lines!r}] == [0] * {len(lines)}\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    assert "体检" in done.stdout and "usage" in done.stdout.lower(), done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
