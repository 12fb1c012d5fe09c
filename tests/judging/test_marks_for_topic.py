"""Marks of a sample taken over into a topic folder."""

import argparse
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from judging_tools import sample
from scrapy.settings import Settings

from topical_crawler.cli.corpus import report
from topical_crawler.judging import sample as for_topic
from topical_crawler.judging.sample import Sample, SampleError, read_sample, take_over, write_sample
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import load_topic

WriteTopic = Callable[..., Path]  # see conftest.py

PARTY, MEETING, WALK, MENU, MISSED = (item.key for item in sample().items)
ALL = {PARTY: "relevant", MEETING: "relevant", WALK: "irrelevant", MENU: "boilerplate", MISSED: "relevant"}


@pytest.fixture
def folder(write_topic: WriteTopic) -> Path:
    return write_topic()


def marked(marks: Mapping[str, str | None]) -> Sample:
    return sample().marked(marks)


def texts(folder: Path) -> list[tuple[str, bool]]:
    return [(text.title, text.on_topic) for text in load_topic(folder).marked]


def test_marked_texts_become_the_topics(folder: Path) -> None:
    taken = take_over([marked(ALL)], folder)
    assert (taken.file, taken.added, taken.changed, taken.same) == (folder / "marked.jsonl", 5, 0, 0)
    assert taken.marks == {"relevant": 3, "irrelevant": 1, "boilerplate": 1}
    found = load_topic(folder).marked
    assert [text.on_topic for text in found] == [True, True, False, True]
    first, *_, missed = sample().items
    assert (found[0].url, found[0].title, found[0].text) == (first.url, first.title, first.text)
    assert (found[-1].title, found[-1].text) == (missed.title, "")


def test_the_newer_mark_wins_and_the_rest_stays(folder: Path) -> None:
    file = folder / "marked.jsonl"
    take_over([marked(ALL)], folder)
    own = '{"mark":"irrelevant","note":"自己写的","url":"http://www.menhu.cn/x","title":"招聘启事"}'
    before = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join(["# 注释", own, "", *before]), encoding="utf-8")
    taken = take_over([marked({PARTY: "irrelevant", MENU: "boilerplate"})], folder)
    assert (taken.added, taken.changed, taken.same) == (0, 1, 1)
    assert taken.marks == {"relevant": 2, "irrelevant": 3, "boilerplate": 1}
    after = file.read_text(encoding="utf-8").splitlines()
    assert after[:3] == ["# 注释", own, ""] and after[4:] == before[1:]
    assert json.loads(after[3]) == {**json.loads(before[0]), "mark": "irrelevant"}


def test_nothing_new_leaves_the_file_alone(folder: Path) -> None:
    take_over([marked(ALL)], folder)
    before = (folder / "marked.jsonl").stat().st_ino
    assert take_over([marked(ALL)], folder).same == 5
    assert (folder / "marked.jsonl").stat().st_ino == before


def test_of_several_people_most_decide_and_ties_are_left_out(folder: Path) -> None:
    people = [
        {PARTY: "irrelevant", MEETING: "relevant", WALK: "irrelevant", MENU: "boilerplate"},
        {PARTY: "relevant", MEETING: "irrelevant", WALK: "irrelevant", MENU: "irrelevant"},
        {PARTY: "relevant", MENU: "relevant"},
    ]
    taken = take_over([marked(marks) for marks in people], folder)
    assert (taken.added, taken.ties) == (2, 2)
    assert texts(folder) == [("社区党支部把主题教育办到居民家门口", True), ("雨后登山记", False)]


def test_a_tie_leaves_an_older_mark(folder: Path) -> None:
    take_over([marked({PARTY: "relevant"})], folder)
    taken = take_over([marked({PARTY: "relevant"}), marked({PARTY: "irrelevant"})], folder)
    assert (taken.ties, taken.changed, taken.same) == (1, 0, 0)
    assert [on_topic for _, on_topic in texts(folder)] == [True]


def test_what_has_neither_title_nor_text_is_left_out(folder: Path) -> None:
    file = folder / "sample.jsonl"
    write_sample(marked(ALL), file)
    file.write_text(file.read_text(encoding="utf-8").replace('"title": "党务公开"', '"title": " "'), encoding="utf-8")
    taken = take_over([read_sample(file)], folder)
    assert (taken.added, taken.blank) == (4, 1)


def test_too_many_texts_are_refused_and_nothing_is_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take_over([marked({PARTY: "relevant", MEETING: "relevant"})], folder)
    before = (folder / "marked.jsonl").read_bytes()
    monkeypatch.setattr(for_topic, "MOST", 4)
    with pytest.raises(TopicError, match=r"marked\.jsonl: would hold 5 texts, but the maximum is 4. Delete"):
        take_over([marked(ALL)], folder)
    assert (folder / "marked.jsonl").read_bytes() == before


def test_what_is_no_topic_folder_or_not_of_one_sample_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(TopicError, match=r"nothing/topic\.toml: missing. Create .*topical-crawler topic new"):
        take_over([marked(ALL)], tmp_path / "nothing")
    with pytest.raises(SampleError, match="copies of one file"):
        take_over([marked(ALL), sample(2)], folder)
    (folder / "marked.jsonl").write_text("党建\n", encoding="utf-8")
    with pytest.raises(TopicError, match="line 1: not a JSON object"):
        take_over([marked(ALL)], folder)
    assert (folder / "marked.jsonl").read_text(encoding="utf-8") == "党建\n"


def options(*arguments: str | Path) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    report.ACTIONS["report"].add_arguments(parser)
    return parser.parse_args([str(argument) for argument in arguments])


def test_the_command(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    write_sample(marked(ALL), first)
    write_sample(marked({**ALL, PARTY: "irrelevant"}), second)
    assert report.ACTIONS["report"].run(options(first, second, "--to-topic", folder), Settings()) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{folder}/marked.jsonl: 4 added, 0 changed, 0 as before; it now holds 2 relevant, 1 irrelevant, 1 boilerplate",
        "1 left out because of a tie between their marks",
    ]
    with pytest.raises(TopicError, match=r"topic\.toml: missing"):
        report.ACTIONS["report"].run(options(first, "--to-topic", tmp_path / "nothing"), Settings())
