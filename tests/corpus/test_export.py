"""Formats of the export."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.corpus.export import WRITERS, replacing, write_csv, write_jsonl, write_txt
from topical_crawler.corpus.record import Record

PAGE = Record(
    url="http://a.cn/1.html", host="a.cn", keep=True, title="主题\n教育", text="第一段，“引文”\n第二段",
    relevance=0.75, date="2024-01-02",
    fetched="2026-11-20T08:00:00+00:00", priority=0.5, depth=2, why={"党建": 0.6}, order=1,
)  # fmt: skip
COPY = Record(
    url="http://b.cn/", host="b.cn", keep=False, reason="duplicate", duplicate_of=PAGE.url, fetched="2026-11-20T09:00:00+00:00"
)


def test_json_lines() -> None:
    out = io.StringIO()
    assert write_jsonl([PAGE, COPY], out) == 2
    first, second = (json.loads(line) for line in out.getvalue().splitlines())
    names = ("url", "title", "text", "host", "relevance", "fetched", "date", "priority", "depth", "why")
    assert {name: first[name] for name in names} == {
        "url": PAGE.url, "title": "主题\n教育", "text": "第一段，“引文”\n第二段", "host": "a.cn", "relevance": 0.75,
        "fetched": "2026-11-20T08:00:00+00:00", "date": "2024-01-02", "priority": 0.5, "depth": 2, "why": {"党建": 0.6},
    }  # fmt: skip
    assert "reason" not in first
    assert (second["text"], second["reason"], second["duplicate_of"]) == ("", "duplicate", PAGE.url)
    assert "党建" in out.getvalue()


def test_text_with_and_without_headers() -> None:
    out = io.StringIO()
    write_txt([PAGE, COPY], out)
    assert out.getvalue().startswith(
        "# 主题 教育\n# http://a.cn/1.html\n# 2024-01-02  a.cn  relevance 0.75\n第一段，“引文”\n第二段\n\n# http://b.cn/\n"
    )
    assert "rejected: duplicate" in out.getvalue()
    bare = io.StringIO()
    write_txt([PAGE], bare, headers=False)
    assert bare.getvalue() == "第一段，“引文”\n第二段\n\n"


@given(
    st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1),
    st.text(alphabet="=+-@,\"'\r\n 党"),
)
def test_csv_can_be_read_back_and_runs_no_formula(text: str, title: str) -> None:
    out = io.StringIO(newline="")
    write_csv([Record(url="http://a.cn/", host="a.cn", keep=True, text=text, title=title, order=7)], out)
    (row,) = csv.DictReader(io.StringIO(out.getvalue(), newline=""))
    assert row["text"].removeprefix("'") == text.removeprefix("'")
    assert row["title"].removeprefix("'") == title.removeprefix("'")
    assert not row["text"].startswith(("=", "+", "-", "@"))
    assert (row["order"], row["keep"]) == ("7", "1")


@pytest.mark.parametrize("name", WRITERS)
def test_the_same_records_give_the_same_bytes(name: str) -> None:
    outs = [io.StringIO(), io.StringIO()]
    for out in outs:
        WRITERS[name]([PAGE, COPY], out)
    assert outs[0].getvalue() == outs[1].getvalue()


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    target.write_text("old")
    with pytest.raises(RuntimeError), replacing(target) as out:
        out.write("half")
        raise RuntimeError
    assert (target.read_text(), [p.name for p in tmp_path.iterdir()]) == ("old", ["out.jsonl"])
    with replacing(target, "utf-8-sig") as out:
        out.write("党建\r\n")
    assert target.read_bytes() == b"\xef\xbb\xbf" + "党建\r\n".encode()
