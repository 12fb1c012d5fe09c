"""``topical-crawler topic new`` as a user runs it."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_tools import RunScrapy, WriteTopic, environment
from crawl_tools import DEMO
from fork_tools import Forked
from wait_tools import HANGS, judging_page, stopped
from workbench_tools import judge_all

from topical_crawler.topic.topic import load_topic, read_seeds

REPLAY = f"TOPICAL_REPLAY={DEMO / 'demo-web.warc.gz'}"
NONE = ("-s", "TOPICAL_RESOURCES=0")
ENVIRONMENT = environment(BROWSER="true")  # a program that does nothing


def test_from_a_sentence(run_scrapy: RunScrapy, tmp_path: Path) -> None:
    nothing = ("-s", f"TOPICAL_RESOURCES_DIR={tmp_path}")
    made = run_scrapy("topic", "new", "./os", "操作系统内核与文件系统的原理和实现", *nothing, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "原理 实现" in made.stdout
    assert made.stderr.startswith("Looking for the terms of os …")  # said before seconds of reading
    assert "Only" not in made.stderr
    topic = load_topic(tmp_path / "os")
    assert dict(topic.terms) == {"操作系统": 1.0, "内核": 1.0, "文件系统": 1.0, "kernel": 1.0}
    assert topic.title == "操作系统内核与文件系统的原理和实现"


MILLET = "谷子脱壳以后就是小米。春播谷子在四月下旬下种，行距四十厘米，每亩留苗两万五千株。间苗要早，五叶期完成。"
PHONES = "小米今天发布了新款手机，屏幕六点七英寸，电池五千毫安时。小米创始人在发布会上说，这款手机用上了自研芯片。"
OTHERS = ("C++的模板在编译期展开。", "维生素C在新鲜水果里含量很高。", "主队在加时赛中以三比二取胜。")


def test_texts_that_are_near_in_meaning_are_seen_before_a_crawl(call_scrapy: RunScrapy, tmp_path: Path) -> None:
    """Phones are as near to millet by the word that both have; the user sees it, and can say it in other words."""
    texts = [MILLET, PHONES, *(f"{text}{n}" for n in range(4) for text in OTHERS)]
    (tmp_path / "any.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    made = call_scrapy("topic", "new", "./millet", "小米谷子的栽培技术", "--against", "any.jsonl", *NONE, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    _, shown = made.stdout.split("Near in meaning to 小米谷子的栽培技术: 10 of 14 texts, the nearest and the farthest")
    (first, second), farthest = (lines := shown.splitlines())[2:4], "\n".join(lines[7:])
    assert "谷子脱壳以后" in first and float(first.split()[0]) > 0.4
    assert "小米今天发布" in second and 0.25 < float(second.split()[0]) < 0.45
    assert len(farthest.splitlines()) >= 6 and "小米" not in farthest
    assert "Unrelated texts are mostly below 0.18" in " ".join(farthest.split())
    without = call_scrapy(
        "topic", "new", "./words", "小米谷子", "--against", "any.jsonl", *NONE, "-s", "TOPICAL_ENCODER=none", cwd=tmp_path
    )
    assert without.returncode == 0 and "Near in meaning" not in without.stdout


def test_a_sentence_that_tells_little_gives_a_warning(call_scrapy: RunScrapy, tmp_path: Path) -> None:
    def warned(folder: str, *words: str) -> str:
        made = call_scrapy("topic", "new", folder, *words, *NONE, cwd=tmp_path)
        assert made.returncode == 0
        return " ".join(made.stderr.split())

    few = warned("./house", "房价与楼市")
    assert "Only 2 of your words tell the topic: 房价 楼市" in few
    assert all(remedy in few for remedy in ("a longer sentence", "--keywords", "--text", "--url"))
    assert "Only" not in warned("./houses", "房价与楼市", "--keywords", "二手房")
    assert "All of your words are of general use: 服务 管理 工作." in warned("./general", "服务、管理与工作的方法")
    assert "No word of these is Chinese" in warned("./kernel", "operating system kernel")  # 内核 is not of the sentence


def test_from_keywords_and_texts(call_scrapy: RunScrapy, tmp_path: Path) -> None:
    file = tmp_path / "examples.jsonl"
    records = [
        {"title": "死锁", "text": "进程互相等待信号量，就成死锁。信号量要按次序取得。"},
        {"text": "信号量与死锁的例子：进程等待。"},
    ]
    file.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in [*records, {"text": ""}]), encoding="utf-8")
    arguments = ("--keywords", "内核，Linux", "--text", file, "--seeds", "http://a.cn/", "--title", "试验")
    made = call_scrapy("topic", "new", "./os", *arguments, *NONE, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "1 empty" in made.stderr
    topic = load_topic(tmp_path / "os")
    assert {"内核", "linux", "信号量", "死锁"} <= set(topic.terms)
    assert (topic.title, topic.seeds) == ("试验", ("http://a.cn/",))


def test_from_pages(run_scrapy: RunScrapy, tmp_path: Path) -> None:
    with (DEMO / "labels.tsv").open(encoding="utf-8") as rows:
        header = next(rows).rstrip("\n").split("\t")
        labels = [dict(zip(header, row.rstrip("\n").split("\t"), strict=True)) for row in rows]
    urls = [row["url"] for row in labels if row["kind"] == "article" and row["grade"] == "2"][:5]
    made = run_scrapy(
        "topic", "new", "./party", "--url", *urls, "http://nowhere.example/", "-s", REPLAY, *NONE, cwd=tmp_path
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert "left out http://nowhere.example/" in made.stderr
    topic = load_topic(tmp_path / "party")
    assert list(topic.seeds) == urls
    assert any(word in load_topic("partybuilding").terms for word in topic.terms)


def test_from_a_category(call_scrapy: RunScrapy, tmp_path: Path) -> None:
    tree = tmp_path / "tree.json"
    nodes = {"TP3": {"name": "计算机", "up_level": None}, "TP316": {"name": "操作系统", "up_level": "TP3"}}
    tree.write_text(json.dumps(nodes), encoding="utf-8")
    made = call_scrapy("topic", "new", "./os", "--category", "tp316", "--tree", tree, *NONE, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert dict(load_topic(tmp_path / "os").terms) == {"操作系统": 1.0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "say what the topic is about, behind its folder ./os: a SENTENCE"),
        (("猫",), "no word in what you gave can be a term (not 猫). Name some of two characters or more"),
        (("内核", "--seeds", "a.cn"), "is not a URL"),
        (("--text", "missing.txt"), "missing.txt: no such file or folder"),
        (("--category", "TP316"), "no category tree"),
        (("--url", "missing.html"), "none of the pages can be read"),
    ],
)
def test_what_cannot_be_a_topic(call_scrapy: RunScrapy, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    made = call_scrapy("topic", "new", "./os", *arguments, *NONE, cwd=tmp_path)
    assert made.returncode == 1
    assert message in made.stderr
    assert not (tmp_path / "os").exists()


def test_nothing_is_written_over_and_nothing_left_half_done(
    call_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path
) -> None:
    write_topic({})
    for name, content in (("own/terms.tsv", "我的词\t2\n"), ("crawled/crawl.json", "{}"), ("file", "")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for folder, keywords, message in (
        ("./mytopic", "内核", "holds a topic already"),
        ("./crawled", "内核", "crawled holds a crawl"),
        ("./own", "内核", "own/terms.tsv already exists"),
        ("./file", "内核", "file is a file"),
        ("./new", "#内核", "'#内核' cannot be a term"),
        ("./new", "内\t核", "cannot be a term"),
        ("./new", "内" * 51, "cannot be a term"),
    ):
        refused = call_scrapy("topic", "new", folder, "--keywords", keywords, *NONE, cwd=tmp_path)
        assert refused.returncode == 1
        assert message in refused.stderr and re.search(r"\. (Name|Write|Choose) ", refused.stderr), refused.stderr
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert not (tmp_path / "new").exists()


def new_with_seeds(*more: str) -> list[str]:
    seeds = read_seeds(DEMO / "seeds.txt")
    return ["topic", "new", "./party", "党的建设与主题教育", "--seeds", *seeds, *NONE, *more]


@pytest.mark.slow
def test_in_a_terminal_it_asks_whether_to_teach_the_topic(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    line = [sys.executable, "-m", "topical_crawler", *new_with_seeds()]
    with subprocess.Popen(line, cwd=tmp_path, env=ENVIRONMENT, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE) as process:
        os.write(ours, b"n\n")
        process.communicate(timeout=HANGS)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert process.returncode == 0 and "topical-crawler crawl ./party -a pages=300" in shown
    assert "Do so now? [y/N]" in shown and not (tmp_path / "data").exists()


def test_without_a_terminal_it_says_how_to_teach_the_topic(call_scrapy: RunScrapy, tmp_path: Path) -> None:
    made = call_scrapy(*new_with_seeds("--survey", "50"), cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    commands = [line.strip() for line in made.stdout.splitlines() if line.startswith("  topical-crawler")]
    assert commands == [
        "topical-crawler crawl ./party -a pages=50",
        "topical-crawler corpus judge data/party",
        "topical-crawler corpus report data/party --to-topic ./party",
    ]
    assert not (tmp_path / "data").exists()
    shutil.rmtree(tmp_path / "party")
    assert "corpus judge" not in call_scrapy(*new_with_seeds("--no-questions"), cwd=tmp_path).stdout


@pytest.mark.slow
def test_a_survey_and_twenty_questions_teach_the_topic(tmp_path: Path) -> None:
    replay = ("-s", REPLAY, "-s", f"TOPICAL_CACHE_DIR={tmp_path / 'cache'}")
    line = ["-m", "topical_crawler", *new_with_seeds("--questions", "--survey", "90", *replay)]
    with Forked(line, tmp_path, ENVIRONMENT, output=True) as process:
        address, said = judging_page(process)
        assert len(judge_all(address, lambda place, item: "irrelevant" if place % 4 else "relevant")) == 20
        out, error = stopped(process)
    assert process.returncode == 0, said + error
    assert "90 pages" in said and "data/party: the crawl learns from 20 marked texts" in error
    assert "20 added" in out and "topical-crawler crawl ./party goes on from there" in out
    assert sorted(text.mark for text in load_topic(tmp_path / "party").marked) == ["irrelevant"] * 15 + ["relevant"] * 5
