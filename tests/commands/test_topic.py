"""``topical-crawler topic`` as a user runs it."""

from pathlib import Path

import pytest
from command_tools import RunScrapy, WriteTopic

from topical_crawler.topic.topic import load_topic


def test_list(run_scrapy: RunScrapy, tmp_path: Path) -> None:
    shown = run_scrapy("topic", "list", cwd=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    for part in ("partybuilding", "党建", "machine-learning", "adaptive", str(len(load_topic("partybuilding").terms))):
        assert part in shown.stdout


def test_show(call_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path) -> None:
    files = {"topic.toml": 'title = "试验[1]"\ndescription = "说明"\n', "terms.tsv": "党建\t3\n支部\t2\n三会一课\t1\n"}
    write_topic({**files, "seeds.txt": "http://a.cn/\n"})
    shown = call_scrapy("topic", "show", "./mytopic", "-n", "2", cwd=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    for part in ("试验[1]", "(mytopic)", "3 terms", "说明", "党建", "1.5", "支部", "http://a.cn/"):
        assert part in shown.stdout, shown.stdout
    assert "三会一课" not in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        ((), 2, ("list, show, new, seeds, build",)),
        (("show", "partybilding"), 1, ("topical-crawler topic show: no topic 'partybilding'", "partybuilding", "Choose one of")),
    ],
)
def test_mistakes(call_scrapy: RunScrapy, tmp_path: Path, arguments: tuple[str, ...], code: int, parts: tuple[str, ...]) -> None:
    failed = call_scrapy("topic", *arguments, cwd=tmp_path)
    assert failed.returncode == code, failed.stderr
    assert "Traceback" not in failed.stderr
    for part in parts:
        assert part in failed.stdout + failed.stderr, failed.stderr
