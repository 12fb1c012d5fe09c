"""``topical-crawler`` as a user runs it, in a folder that has nothing to do with the project."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from fork_tools import run_forked

from topical_crawler.__main__ import ALIASES, SCRAPYS
from topical_crawler.cli.actions import COMMANDS

ROOT = Path(__file__).resolve().parents[1]


ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("SCRAPY_", "TOPICAL_"))}
ENVIRONMENT |= {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "COLUMNS": "120"}


def topical_crawler(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "topical_crawler", *map(str, arguments)]
    return subprocess.run(line, cwd=cwd, env=ENVIRONMENT, capture_output=True, encoding="utf-8", check=False)


def forked(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return run_forked(["-m", "topical_crawler", *arguments], cwd, ENVIRONMENT)


def test_help_is_a_page_that_names_every_action(tmp_path: Path) -> None:
    shown = topical_crawler("--help", cwd=tmp_path)
    assert shown.returncode == 0
    assert shown.stdout == forked(cwd=tmp_path).stdout
    lines = shown.stdout.splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 120
    listed = _blocks(shown.stdout)
    for command in COMMANDS.values():
        assert [action for action in command.actions if action not in listed[command.name]] == []
    assert listed.keys() >= {*ALIASES, *SCRAPYS, "demo"}


def _blocks(text: str) -> dict[str, str]:
    """The lines of help of each command."""
    blocks: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("  ") and line[2] != " ":
            name = line.split()[0]
        blocks[name] = blocks.get(name, "") + line
    return blocks


def test_every_command_says_by_which_name_it_was_called(tmp_path: Path) -> None:
    assert forked("corpus", "stats", "-h", cwd=tmp_path).stdout.startswith("usage: topical-crawler corpus stats")
    for command in ("crawl TOPIC", "workbench [CRAWL …]", "settings [options]"):
        assert f"topical-crawler {command}" in forked(command.split()[0], "-h", cwd=tmp_path).stdout
    failed = forked("corpus", "stats", "nothing", cwd=tmp_path)
    assert failed.returncode == 1
    assert failed.stderr.startswith("topical-crawler corpus stats: ")


def test_an_interrupt_while_modules_are_imported_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = ours\n", "utf-8")
    (tmp_path / "ours.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n", "utf-8")
    stopped = topical_crawler("corpus", "stats", cwd=tmp_path)
    assert (stopped.returncode, stopped.stderr) == (130, "topical-crawler: stopped\n")


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (("corpsu",), "topical-crawler corpus"),
        (("lexicon", "list"), "topical-crawler resources"),
        (("crawl",), "topical-crawler crawl TOPIC"),
        (("-s",), "--help"),
    ],
)
def test_what_is_not_understood_is_refused_with_a_remedy(arguments: tuple[str, ...], remedy: str, tmp_path: Path) -> None:
    refused = forked(*arguments, cwd=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1 and remedy in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("corpsu",), "topical-crawler: 没有命令 'corpsu'。请用 topical-crawler corpus；全部命令见 --help"),
        (("crawl", "partybuildng"), "是不是 partybuilding？"),
        (("crawl", "partybuilding", "-a", "pages=x"), "pages='x'：应是不小于 1 的整数"),
        (("corpus", "stats", "nothing"), "没有语料库 'nothing'"),
        (("new",), "缺少：FOLDER"),
        (("crawl", "partybuilding", "-a", "strategy=smalest"), "没有策略 'smalest'。请从这些里选：adaptive, semantic"),
        (("crawl", "partybuilding", "-o", "out.jsonl"), "请去掉它们，爬完再运行 topical-crawler corpus export 名称 -o 文件"),
    ],
)
def test_where_the_locale_is_chinese_errors_are(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    for locale in ({"LC_ALL": "", "LANG": "zh_CN.UTF-8"}, {"LC_ALL": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}):
        refused = run_forked(["-m", "topical_crawler", *arguments], tmp_path, ENVIRONMENT | locale)
        assert refused.returncode and said in refused.stderr
    assert said not in forked(*arguments, cwd=tmp_path).stderr


def test_the_way_from_a_sentence_to_texts(tmp_path: Path) -> None:
    none = ("-s", "TOPICAL_RESOURCES=0")
    made = forked("new", "./health", "健康养生与疾病预防", "--keywords", "健康,医院,病人,体检", *none, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    recorded = ("-a", "pages=60", "-a", f"seeds={ROOT}/demo/seeds.txt", "-s", f"TOPICAL_REPLAY={ROOT}/demo/demo-web.warc.gz")
    crawled = forked("crawl", "./health", *recorded, "-s", "CONCURRENT_REQUESTS=1", *none, cwd=tmp_path)
    assert crawled.returncode == 0, crawled.stderr
    assert "topical-crawler crawl ./health" in made.stdout
    next_command = re.search(r"^Next: +topical-crawler (corpus stats \S+)", crawled.stderr, re.MULTILINE)
    assert next_command, crawled.stderr
    stats = json.loads(forked(*shlex.split(next_command[1]), "--json", cwd=tmp_path).stdout)
    assert stats["kept"] >= 5
    assert not re.search(r"\d%? of the (kept )?texts on topic|[Ee]xpect", crawled.stderr)  # the crawl states no share itself
    to_mark = re.search(r"topical-crawler (corpus sample .+)  # mark 20: how many are on topic\?", crawled.stderr)
    assert to_mark, crawled.stderr
    drawn = forked(*shlex.split(to_mark[1]), cwd=tmp_path)
    assert drawn.returncode == 0, drawn.stderr
    header = json.loads((tmp_path / "judged.jsonl").read_text("utf-8").splitlines()[0])
    assert header["topic"] == "健康养生与疾病预防" and "体检" in header["terms"]
    page = tmp_path / "page.html"
    page.write_text(f"<h1>体检</h1><p>{'社区医院的体检中心上月开放，居民可以预约体检。' * 4}</p>", "utf-8")
    text = forked("extract", page, "--text", cwd=tmp_path)
    assert text.stdout.startswith("社区医院的体检中心上月开放")


def test_a_project_of_the_users_own_wins(tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = ours\n", "utf-8")
    (tmp_path / "ours.py").write_text('from topical_crawler.settings import *\nTOPICAL_DATA_DIR = "elsewhere"\n', "utf-8")
    missing = forked("corpus", "stats", cwd=tmp_path)
    assert missing.returncode == 1 and "elsewhere" in missing.stderr
    (tmp_path / "ours.py").write_text('BOT_NAME = "another"\n', "utf-8")
    refused = forked("corpus", "stats", cwd=tmp_path)
    assert refused.returncode == 2 and "from topical_crawler.settings import *" in refused.stderr


@pytest.mark.parametrize(
    ("config", "settings", "message"),
    [
        ("[settings]\ndefault = nothing.here", "", "nothing.here: No module named 'nothing'"),
        ("[settings]\ndefault = ours", "TOPICAL_SEED =", "ours: invalid syntax"),
        ("default = ours", "", "scrapy.cfg"),
    ],
)
def test_a_project_that_cannot_be_read_is_one_line(config: str, settings: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text(config, "utf-8")
    (tmp_path / "ours.py").write_text(settings, "utf-8")
    refused = forked("corpus", "stats", cwd=tmp_path)
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1, refused.stderr
    assert message in refused.stderr and "Correct " in refused.stderr
