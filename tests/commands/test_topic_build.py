"""``topical-crawler topic build`` as a user runs it."""

import gzip
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_tools import RunScrapy, WriteTopic, environment

from topical_crawler.topic.topic import load_topic

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


@pytest.fixture
def folder(write_topic: WriteTopic) -> Path:
    """A topic folder with candidates and without terms.tsv."""
    path = write_topic({"candidates.txt": CANDIDATES, "adjust.tsv": "学习\t0\t太常见\n"})
    (path / "terms.tsv").unlink()
    return path


def rows(file: Path) -> dict[str, list[str]]:
    """Cells by word."""
    lines = [line.split("\t") for line in file.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return {cells[0]: cells[1:] for cells in lines}


def test_candidates_against_a_background(run_scrapy: RunScrapy, folder: Path, tmp_path: Path, corpus: Path) -> None:
    made = run_scrapy(
        "topic", "build", folder, "--corpus", corpus, "--domain", "party=2", "--against", "party=0",
        "--candidates-only", "--min-contrast", "1.2", "--min-count", "2", cwd=tmp_path,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert "4 documents of the domain, 4 of the background" in made.stdout and "adjust.tsv: 1 line of yours kept" in made.stdout
    assert "3 terms (3 candidate), 1 of them in no document" in made.stdout
    assert "2 candidates of a contrast below 1.2" in made.stdout

    terms = rows(folder / "terms.tsv")
    # 会议 is rarer in the domain, 天气 is not in it, ＸＹ工程 in neither.
    assert list(terms) == ["三会一课", "党支部", "xy工程"]
    assert float(terms["三会一课"][0]) == pytest.approx(2 / 4 * math.log(4 / 1), rel=1e-5)
    assert float(terms["党支部"][0]) == pytest.approx(2 / 4 * math.log(4 / 2), rel=1e-5)
    assert terms["xy工程"][0] == ""
    assert terms["党支部"][1].startswith("candidate n=2 contrast=2.5 ")
    options = "--corpus news.jsonl.gz --domain party=2 --against party=0 --min-count 2 --min-contrast 1.2 --candidates-only"
    assert f"`topical-crawler topic build {options}`" in (folder / "terms.tsv").read_text("utf-8")

    weights = rows(folder / "weights.tsv")
    assert float(weights["学习"][0]) == float(weights["文件"][0]) == pytest.approx(3 / 4 * math.log(4 / 2), rel=1e-5)
    assert "记录" not in weights  # once only
    assert rows(folder / "adjust.tsv") == {"学习": ["0", "太常见"]}
    assert not list(folder.glob("*.tmp"))
    topic = load_topic(folder)
    mean = float(weights["!mean"][0])
    assert topic.terms["三会一课"] == pytest.approx(math.log(4) / 2 / mean, rel=1e-4)
    assert topic.terms["xy工程"] == pytest.approx(1.0)
    assert (topic.weight("学习"), topic.weight("不认识")) == (0.0, 1.0)


def test_building_again_gives_the_same_files(call_scrapy: RunScrapy, folder: Path, tmp_path: Path) -> None:
    """Without conditions all documents are of the domain; several files, in any order; general Chinese behind them."""
    for name, texts in (("a.jsonl", DOMAIN[:2]), ("b.jsonl", DOMAIN[2:])):
        (tmp_path / name).write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    seen = []
    for names in (("a.jsonl", "b.jsonl"), ("a.jsonl", "b.jsonl"), ("b.jsonl", "a.jsonl")):
        made = call_scrapy("topic", "build", "mytopic", "--corpus", *names, "--candidates-only", cwd=tmp_path)
        assert made.returncode == 0, made.stderr
        assert "no background: contrasted with jieba's document frequencies of general Chinese" in made.stdout
        seen.append([rows(folder / name) for name in ("terms.tsv", "weights.tsv", "adjust.tsv")])
    assert seen[0] == seen[1] == seen[2]
    assert "三会一课" in load_topic(folder).terms


def test_a_foreign_weights_file_is_set_aside(call_scrapy: RunScrapy, folder: Path, tmp_path: Path, corpus: Path) -> None:
    (folder / "weights.tsv").write_text("!mean\t1\n天气\t3\n", encoding="utf-8")
    command = ("topic", "build", "mytopic", "--corpus", corpus.name, "--domain", "party=2", "--candidates-only")
    made = call_scrapy(*command, cwd=tmp_path)
    assert "weights.tsv.old" in made.stdout
    assert "weights of yours were written while the mean word weighed 1" in " ".join(made.stdout.split())
    assert (folder / "weights.tsv.old").read_text("utf-8") == "!mean\t1\n天气\t3\n"
    assert "weights.tsv.old" not in call_scrapy(*command, cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        (("nowhere", "--corpus", "good.jsonl"), 1, ("nowhere/topic.toml: missing", "topical-crawler topic new")),
        (("mytopic", "--corpus", "good.jsonl", "--background", "nowhere"), 1, ("nowhere", "Pass a Wikipedia dump")),
        (("mytopic", "--corpus", "bad.jsonl"), 1, ("bad.jsonl, line 2",)),
        (("mytopic", "--corpus", "cut.jsonl.gz"), 1, ("cut.jsonl.gz",)),
        (("mytopic", "--corpus", "good.jsonl", "--domain", "party=3"), 1, ("has party=3", "Check --domain")),
        (("mytopic", "--corpus", "good.jsonl", "--domain", "party"), 2, ("expected FIELD=VALUE",)),
        (("mytopic", "--corpus", "good.jsonl", "--min-contrast", "nan"), 2, ("0 or more",)),
        (("mytopic", "--corpus", "good.jsonl"), 1, ("no word is rarer than another", "Give hundreds")),  # one document
        (("mytopic", "--corpus", "empty.jsonl"), 1, ("no document in empty.jsonl", "Give a corpus")),
        (("short", "--corpus", "good.jsonl"), 1, ("short/candidates.txt, line 1: '党' is one character", "Write a longer")),
        (("bare", "--corpus", "good.jsonl", "--candidates-only"), 1, ("bare/candidates.txt: missing", "Write candidate terms")),
    ],
)
def test_mistakes(
    call_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path, arguments: tuple[str, ...], code: int, parts: tuple[str, ...]
) -> None:
    mytopic = write_topic({"candidates.txt": CANDIDATES})
    before = {file.name: file.read_bytes() for file in mytopic.iterdir()}
    (tmp_path / "good.jsonl").write_text('{"text": "党支部", "party": 2}\n', encoding="utf-8")
    (tmp_path / "bad.jsonl").write_text('{"text": "党支部"}\n{"text": \n', encoding="utf-8")
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(b'{"text": "x"}\n' * 9)[:-12])
    (tmp_path / "empty.jsonl").write_text('{"text": ""}\n', encoding="utf-8")
    for name in ("short", "bare"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "topic.toml").write_text('title = "x"\n')
    (tmp_path / "short/candidates.txt").write_text("党\n", encoding="utf-8")
    failed = call_scrapy("topic", "build", *arguments, cwd=tmp_path)
    assert failed.returncode == code, failed.stderr
    assert "Traceback" not in failed.stderr
    for part in parts:
        assert part in failed.stdout + failed.stderr, failed.stderr
    assert {file.name: file.read_bytes() for file in mytopic.iterdir()} == before


def test_files_are_written_though_the_reader_leaves_early(folder: Path, tmp_path: Path, corpus: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)  # as head does, when it has enough
    command = [sys.executable, "-m", "topical_crawler", "topic", "build", folder, "--corpus", corpus, "--candidates-only"]
    ended = subprocess.run(
        command, cwd=tmp_path, env=environment(), stdout=writing, stderr=subprocess.PIPE, encoding="utf-8", check=False
    )
    os.close(writing)
    assert "Traceback" not in ended.stderr
    assert (folder / "terms.tsv").is_file()
