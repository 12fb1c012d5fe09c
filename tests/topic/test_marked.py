"""Marked texts of a topic: what is written is read, what is damaged is refused with its line."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.judging.sample import MARKS
from topical_crawler.topic.files import (
    ON_TOPIC,
    TEXT_LENGTH,
    TITLE_LENGTH,
    MarkedText,
    TopicError,
    read_marked,
    read_marked_lines,
)
from topical_crawler.topic.topic import load_topic

WriteTopic = Callable[..., Path]  # see conftest.py

PARTY = {
    "url": "http://www.wutong.cn/1.html",
    "title": "露天党课",
    "text": "社区党支部在小广场上开了一堂党课。",
    "mark": "relevant",
}
WALK = {"url": "http://www.menhu.cn/7.html", "title": "雨后登山记", "text": "山路上满是松针的气味。", "mark": "irrelevant"}
MENU = {"url": "http://www.menhu.cn/", "title": "关于本站", "text": "网站地图　设为首页", "mark": "boilerplate"}


def lines(*objects: object) -> str:
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)


def test_a_topic_has_its_marked_texts(write_topic: WriteTopic) -> None:
    topic = load_topic(
        write_topic({"marked.jsonl": "# 十一月\n\n" + lines(PARTY, MENU, {**WALK, "host": "www.menhu.cn", "n": 3})})
    )
    assert topic.marked == (
        MarkedText(PARTY["url"], PARTY["title"], PARTY["text"], "relevant"),
        MarkedText(WALK["url"], WALK["title"], WALK["text"], "irrelevant"),
    )


def test_the_marks_are_those_of_judging() -> None:
    assert tuple(ON_TOPIC) == MARKS


def test_files_of_other_systems_are_read(tmp_path: Path) -> None:
    file = tmp_path / "marked.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + lines(PARTY, WALK).replace("\n", "\r\n").encode().rstrip())
    assert [text.title for text in read_marked(file)] == ["露天党课", "雨后登山记"]


def test_a_title_alone_or_a_text_alone_is_enough(tmp_path: Path) -> None:
    file = tmp_path / "marked.jsonl"
    file.write_text(
        lines({"url": "a", "title": "党务公开", "mark": "relevant"}, {"url": "b", "text": "党课", "mark": "relevant"}), "utf-8"
    )
    assert [(text.title, text.text) for text in read_marked(file)] == [("党务公开", ""), ("", "党课")]


def test_long_texts_are_cut(tmp_path: Path) -> None:
    file = tmp_path / "marked.jsonl"
    file.write_text(lines({**PARTY, "text": "党" * (TEXT_LENGTH + 1), "title": "课" * (TITLE_LENGTH + 1)}), encoding="utf-8")
    (found,) = read_marked(file)
    assert (len(found.text), len(found.title)) == (TEXT_LENGTH, TITLE_LENGTH)


WORDS = st.text(st.characters(codec="utf-8") | st.sampled_from('党建支部\n\r\t"\\#\u2028\x85\0\ufeff'), max_size=20)
TEXTS = st.builds(MarkedText.bounded, WORDS.filter(str.strip), WORDS, WORDS, st.sampled_from(MARKS))


@given(st.lists(TEXTS.filter(lambda text: not text.blank), max_size=5, unique_by=lambda found: found.url))
def test_what_is_written_is_read(entries: list[MarkedText]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "marked.jsonl")
        file.write_bytes("".join(f"{found.as_json()}\n" for found in entries).encode())
        assert [found for _, found in read_marked_lines(file)] == entries


def test_what_utf_8_cannot_hold_is_replaced() -> None:
    assert MarkedText.bounded("a", "党\ud800课", "\udfff", "relevant").as_json().encode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("党建\n", "line 1: not a JSON object. Delete the line, or write it like {"),
        ("[" * 100_000, "line 1: not a JSON object"),
        (lines(PARTY)[:-9], "line 1: not a JSON object"),
        (lines({"judging": 1}), "line 1: url is missing"),
        (lines({**PARTY, "url": " "}), "line 1: url is empty"),
        (lines(PARTY, {**WALK, "mark": None}), "line 2: mark cannot be None"),
        (lines(PARTY, {**WALK, "mark": "good"}), "line 2: 'good' is not a mark. Use one of relevant, irrelevant, boilerplate"),
        (lines({**PARTY, "text": ["党课"]}), r"line 1: text cannot be \['党课'\]"),
        (lines({**PARTY, "text": "", "title": "　"}), "line 1: neither title nor text. Fill in"),
        (lines(PARTY, WALK, {**PARTY, "mark": "irrelevant"}), "line 3: '.*1.html' is already in line 1. Keep one"),
        (lines(PARTY).encode() + lines(WALK).encode("gb18030"), "line 2: not UTF-8 .*Save the file as UTF-8"),
        (lines(PARTY, {**WALK, "text": "山" * 400_000}), "line 2: longer than 1,048,576 bytes. Shorten its text"),
        (lines(*({**PARTY, "url": str(n)} for n in range(2_001))), "line 2001: more than 2,000 texts. Delete the least"),
    ],
    ids=lambda value: "" if len(value) > 80 else None,
)
def test_damage_is_refused_with_file_line_and_remedy(write_topic: WriteTopic, content: str | bytes, said: str) -> None:
    with pytest.raises(TopicError, match=rf"mytopic/marked\.jsonl, {said}"):
        load_topic(write_topic({"marked.jsonl": content}))
