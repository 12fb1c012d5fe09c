"""``scrapy topic`` as a user runs it."""

from __future__ import annotations

import gzip
import json
import math
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from topical_crawler.topic import load_topic

RunScrapy = Callable[..., subprocess.CompletedProcess[str]]
WriteTopic = Callable[..., Path]

CANDIDATES = "# 候选词\n三会一课\n党支部\n天气\n\n会议\nＸＹ工程\n三会一课\n"
DOMAIN = ("党支部落实三会一课，三会一课要有记录。", "党支部召开会议。", "学习文件。", "学习文件，学习文件。")
BACKGROUND = ("天气晴朗，会议召开。", "会议结束。", "天气转凉。", "球队比赛。")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Domain and background in one gzipped file."""
    file = tmp_path / "news.jsonl.gz"
    records = [{"text": text, "party": 2} for text in DOMAIN] + [{"text": text, "party": 0} for text in BACKGROUND]
    with gzip.open(file, "wt", encoding="utf-8") as lines:
        lines.write("\n".join(json.dumps(record, ensure_ascii=False) for record in records) + "\n\n")
    return file


def test_list(run_scrapy: RunScrapy, tmp_path: Path) -> None:
    shown = run_scrapy("topic", "list", cwd=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    for part in ("partybuilding", "党建", "machine-learning", "semantic", str(len(load_topic("partybuilding").terms))):
        assert part in shown.stdout


def test_show(call_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path) -> None:
    write_topic(
        {
            "topic.toml": 'title = "试验[1]"\ndescription = "说明"\n',
            "terms.tsv": "党建\t3\n支部\t2\n三会一课\t1\n",
            "seeds.txt": "http://a.cn/\n",
        }
    )
    shown = call_scrapy("topic", "show", "./mytopic", "-n", "2", cwd=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    for part in ("试验[1]", "(mytopic)", "3 terms", "说明", "党建", "1.5", "支部", "http://a.cn/"):
        assert part in shown.stdout, shown.stdout
    assert "三会一课" not in shown.stdout


def test_weigh_against_a_background(run_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path, corpus: Path) -> None:
    folder = write_topic({"candidates.txt": CANDIDATES, "adjust.tsv": "学习\t0\t太常见\n"})
    before = (folder / "adjust.tsv").read_bytes()
    made = run_scrapy(
        "topic", "weigh", folder, "--corpus", corpus, "--domain", "party=2", "--background", "party=0",
        "--min-contrast", "1.2", "--min-count", "2", cwd=tmp_path,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert "4 documents of the domain, 4 of the background" in made.stdout
    assert "3 of 5 candidates became terms, 2 of them known to the domain" in made.stdout

    rows = dict(line.partition("\t")[::2] for line in (folder / "terms.tsv").read_text("utf-8").splitlines() if line[0] != "#")
    # 会议 is rarer in the domain, 天气 is not in it, ＸＹ工程 in neither.
    assert list(rows) == ["三会一课", "党支部", "xy工程"]
    assert float(rows["三会一课"]) == pytest.approx(2 / 4 * math.log(4 / 1), rel=1e-5)
    assert float(rows["党支部"]) == pytest.approx(2 / 4 * math.log(4 / 2), rel=1e-5)
    assert rows["xy工程"] == ""

    rows = dict(line.partition("\t")[::2] for line in (folder / "weights.tsv").read_text("utf-8").splitlines() if line[0] != "#")
    assert float(rows["学习"]) == float(rows["文件"]) == pytest.approx(3 / 4 * math.log(4 / 2), rel=1e-5)
    assert "!mean" in rows
    assert "记录" not in rows  # once only

    assert (folder / "adjust.tsv").read_bytes() == before
    assert not list(folder.glob("*.tmp"))
    topic = load_topic(folder)
    mean = float(rows["!mean"])
    assert topic.terms["三会一课"] == pytest.approx(math.log(4) / 2 / mean, rel=1e-4)
    assert topic.terms["xy工程"] == pytest.approx(1.0)
    assert (topic.weight("学习"), topic.weight("不认识")) == (0.0, 1.0)


def test_weigh_twice_gives_the_same_files(call_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path) -> None:
    """Without conditions all records are of the domain; several files, not gzipped."""
    folder = write_topic({"candidates.txt": CANDIDATES})
    for name, texts in (("a.jsonl", DOMAIN[:2]), ("b.jsonl", DOMAIN[2:])):
        (tmp_path / name).write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    files = []
    for names in (("a.jsonl", "b.jsonl"), ("b.jsonl", "a.jsonl")):
        made = call_scrapy("topic", "weigh", "mytopic", "--corpus", *names, cwd=tmp_path)
        assert made.returncode == 0, made.stderr
        files.append([(folder / name).read_bytes() for name in ("terms.tsv", "weights.tsv")])
    assert files[0] == files[1]
    assert list(load_topic(folder).terms) == ["三会一课", "会议", "党支部", "xy工程", "天气"]


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        ((), 2, ("list, show or weigh",)),
        (("show", "partybilding"), 1, ("scrapy topic show: no topic 'partybilding'", "partybuilding", "Remedy")),
        (("weigh", "nowhere", "--corpus", "good.jsonl"), 1, ("nowhere/candidates.txt: missing", "Remedy")),
        (("weigh", "mytopic", "--corpus", "nowhere.jsonl"), 1, ("nowhere.jsonl",)),
        (("weigh", "mytopic", "--corpus", "bad.jsonl"), 1, ("bad.jsonl, line 2: a JSON object with a field 'text'",)),
        (("weigh", "mytopic", "--corpus", "plain.gz"), 1, ("plain.gz",)),
        (("weigh", "mytopic", "--corpus", "gbk.jsonl"), 1, ("gbk.jsonl",)),
        (
            ("weigh", "mytopic", "--corpus", "good.jsonl", "--domain", "party=3"),
            1,
            ("no record of good.jsonl has party=3", "Remedy"),
        ),
        (("weigh", "mytopic", "--corpus", "good.jsonl", "--domain", "party"), 2, ("FIELD=VALUE is expected",)),
        (("weigh", "mytopic"), 2, ("--corpus",)),
        (("weigh", "mytopic", "--corpus", "cut.jsonl.gz"), 1, ("cut.jsonl.gz",)),
        (("weigh", "mytopic", "--corpus", "good.jsonl"), 1, ("Remedy",)),  # one document: no word is rarer than another
        (("weigh", "mytopic", "--corpus", "empty.jsonl"), 1, ("Remedy",)),
        (("weigh", "foreign", "--corpus", "good.jsonl"), 1, ("foreign/candidates.txt", "UTF-8")),
    ],
)
def test_mistakes(
    call_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path, arguments: tuple[str, ...], code: int, parts: tuple[str, ...]
) -> None:
    folder = write_topic({"candidates.txt": CANDIDATES})
    before = (folder / "terms.tsv").read_bytes()
    (tmp_path / "good.jsonl").write_text('{"text": "党支部", "party": 2}\n', encoding="utf-8")
    (tmp_path / "bad.jsonl").write_text('{"text": "党支部"}\n{"title": "党支部"}\n', encoding="utf-8")
    (tmp_path / "plain.gz").write_text('{"text": "党支部"}\n', encoding="utf-8")
    (tmp_path / "gbk.jsonl").write_bytes('{"text": "党支部"}\n'.encode("gbk"))
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(b'{"text": "x"}\n' * 9)[:-12])
    (tmp_path / "empty.jsonl").write_text('{"text": ""}\n{"text": "，"}\n', encoding="utf-8")
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign/candidates.txt").write_bytes("党支部\n".encode("gbk"))
    failed = call_scrapy("topic", *arguments, cwd=tmp_path)
    assert failed.returncode == code, failed.stderr
    assert "Traceback" not in failed.stderr
    for part in parts:
        assert part in failed.stdout + failed.stderr, failed.stderr
    assert (folder / "terms.tsv").read_bytes() == before
