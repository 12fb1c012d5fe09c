"""``topical-crawler topic check`` as a user runs it."""

import json
import shutil
from pathlib import Path

import pytest
from command_tools import RunScrapy, WriteTopic
from crawl_tools import DEMO

CONFIG = (
    'title = "支部[工作]"\ndefault_strategy = "semantic"\n'
    "[strategy.semantic]\npage_threshold = 0.03\nlink_threshold = 0.3\ntext_threshold = 0.01\n"
)
TERMS = "党支部\t1\n党建\t1\n组织生活\t1\n基层党建\t1\n党员\t1\n"
SPORTS = "http://sports.qingheonline.example/2026-05/24/content_10060.html"
GONE = "http://www.qinghe-gone.example/"
HOME = "http://www.qinghedj.example/"
WITHOUT = ("-s", "TOPICAL_RESOURCES=0")


@pytest.fixture
def replay(tmp_path: Path) -> tuple[str, ...]:
    """Options that make the recorded web answer; its index and the tables stay in the test's folder."""
    recording = shutil.copy(DEMO / "demo-web.warc.gz", tmp_path)
    return (*WITHOUT, "-s", f"TOPICAL_REPLAY={recording}", "-s", f"TOPICAL_CACHE_DIR={tmp_path / 'cache'}")


def test_a_sound_topic(call_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path) -> None:
    write_topic({"topic.toml": CONFIG, "terms.tsv": TERMS, "seeds.txt": "http://a.example/\n"})
    shown = call_scrapy("topic", "check", "./mytopic", *WITHOUT, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    first, *rest = shown.stdout.splitlines()
    assert first.startswith("支部[工作] (mytopic), 5 terms: 0 errors, 0 warnings")
    assert "基层党建 (4)" in shown.stdout
    assert str(tmp_path / "mytopic") in rest, "what is piped is not wrapped"
    assert not (tmp_path / "data").exists()


def test_a_broken_topic_is_reported_with_its_line(call_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path) -> None:
    write_topic({"terms.tsv": "党建\t1\n支部\tviel\n"})
    shown = call_scrapy("topic", "check", "mytopic", "--fetch", *WITHOUT, cwd=tmp_path)
    assert shown.returncode == 1
    assert shown.stderr == ""
    assert "mytopic cannot be read: 1 error, 0 warnings, 0 notes" in shown.stdout
    assert "terms.tsv,line2" in "".join(shown.stdout.split())
    assert "a number of 0 or more, after a tab" in shown.stdout
    assert "Fix the errors first" in shown.stdout


@pytest.mark.slow
def test_seeds_of_a_recorded_web(
    call_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path, replay: tuple[str, ...]
) -> None:
    seeds = f"{HOME}\n{GONE}\n{SPORTS}\n"
    write_topic({"topic.toml": CONFIG, "terms.tsv": TERMS, "seeds.txt": seeds})
    shown = call_scrapy("topic", "check", "mytopic", "--fetch", "--json", *replay, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    figures = json.loads(shown.stdout)
    assert [s["source"] for s in figures["seeds"]] == [HOME, GONE, SPORTS]
    found = {f["line"]: f["message"] for f in figures["findings"] if f["about"] == "seeds"}
    assert found == {2: f"{GONE} does not answer: unreachable", 3: f"{SPORTS} leads nowhere: none of its links would be queued"}
    shown = call_scrapy("topic", "check", "mytopic", "--fetch", *replay, cwd=tmp_path)
    for part in ("Seeds", "off topic", "no page", "unreachable"):
        assert part in shown.stdout


def test_every_word_of_a_finding(call_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path) -> None:
    words = [f"{x}支部" for x in "甲乙丙丁戊己庚辛壬癸"]
    write_topic({"terms.tsv": "".join(f"{w}\t1\n" for w in ["支部", *words])})
    some = call_scrapy("topic", "check", "mytopic", *WITHOUT, cwd=tmp_path)
    everything = call_scrapy("topic", "check", "mytopic", "--all", *WITHOUT, cwd=tmp_path)
    shown, whole = ("".join(done.stdout.split()) for done in (some, everything))  # lines are folded anywhere
    assert not all(f"{w}({n})" in shown for n, w in enumerate(words, 2))
    assert all(f"{w}({n})" in whole for n, w in enumerate(words, 2))


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        (("partybilding",), 1, ("partybilding cannot be read", "no topic")),
        (("mytopic", "./none.html"), 1, ("none.html: no such file",)),
    ],
)
def test_mistakes(
    call_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path, arguments: tuple[str, ...], code: int, parts: tuple[str, ...]
) -> None:
    write_topic({})
    failed = call_scrapy("topic", "check", *arguments, cwd=tmp_path)
    assert failed.returncode == code
    assert "Traceback" not in failed.stderr
    for part in parts:
        assert part in failed.stdout + failed.stderr


def test_texts_by_nearness_and_the_seeds_among_them(
    call_scrapy: RunScrapy, write_topic: WriteTopic, replay: tuple[str, ...], tmp_path: Path
) -> None:
    write_topic({"topic.toml": 'title = "党的建设"\n', "terms.tsv": TERMS, "seeds.txt": f"{SPORTS}\n"})
    (tmp_path / "a.txt").write_text("基层党组织开展主题教育\n党员重温入党誓词。", encoding="utf-8")
    line = ("topic", "check", "./mytopic", "a.txt")
    near = json.loads(call_scrapy(*line, "--json", *replay, cwd=tmp_path).stdout)["near"]
    assert [text["title"] for text in near] == ["基层党组织开展主题教育"] and near[0]["cosine"] > 0.3
    near = json.loads(call_scrapy(*line, "--fetch", "--json", *replay, cwd=tmp_path).stdout)["near"]
    assert len(near) == 2 and near[0]["cosine"] > 0.3 > near[1]["cosine"]
    shown = call_scrapy(*line, *replay, cwd=tmp_path).stdout
    assert "Near in meaning to 党的建设" in shown and "基层党组织开展主题教育" in shown
