"""JSON lines, CSV and plain text, packed or not."""

import csv
import gzip
import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import zstandard
from export_tools import COPY, PAGE, PASSAGES, PLAIN, STRUCTURED, row, texts
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.corpus.record import Record
from topical_crawler.export.formats import FORMATS, PlainText, Setup
from topical_crawler.export.job import Job, to_files, to_stream
from topical_crawler.export.rows import COLUMNS, REJECTED, as_dict, parse_without, rows, without
from topical_crawler.text.passages import markdown, passages, plain

EVERYTHING = Setup(rejected=True, topic="党建", tagger=lambda sentence: ((word, "x", "X") for word in sentence))


def written(kind: str, *found: object, setup: Setup = EVERYTHING) -> bytes:
    out = io.BytesIO()
    to_stream(found, out, Job(kind=kind, setup=setup))  # type: ignore[arg-type]
    return out.getvalue()


def test_json_lines() -> None:
    said = written(
        "jsonl", *rows([PAGE, COPY], lambda urls: {url: [("http://c.cn/", url, "duplicate")] for url in urls})
    ).decode()
    first, second = (json.loads(line) for line in said.splitlines())
    names = ("url", "title", "text", "host", "relevance", "fetched", "date", "priority", "depth", "why", "source", "personal")
    assert {name: first[name] for name in names} == {name: getattr(PAGE, name) for name in names}
    assert first["places"] == ["http://a.cn/1.html", "http://a.cn/1", "http://c.cn/"]
    assert (first["minhash_cluster_size"], second["minhash_cluster_size"]) == (2, 1)
    assert first["measures"] == PAGE.measures
    assert set(first) == {column.name for column in COLUMNS}
    assert (second["text"], second["reason"], second["duplicate_of"], second["similarity"]) == ("", "duplicate", PAGE.url, 0.9)
    assert second["places"] == [COPY.url]
    assert set(second) == {column.name for column in COLUMNS + REJECTED}
    assert "党建" in said


def test_what_leads_to_pages_is_asked_for_in_batches_and_only_for_kept_pages() -> None:
    asked: list[int] = []

    def leading(urls: Sequence[str]) -> dict[str, list[tuple[str, str, str]]]:
        asked.append(len(urls))
        return {}

    assert len(list(rows([PAGE, COPY] * 250, leading))) == 500
    assert asked == [100, 100, 50]


def test_text_with_and_without_headers() -> None:
    said = written("txt", as_dict(PAGE), as_dict(COPY), setup=Setup(rejected=True)).decode()
    assert said.startswith(
        f"# 主题 教育\n# http://a.cn/1.html\n# 2024-01-02  a.cn  relevance 0.75\n{PAGE.text}\n\n# http://b.cn/\n"
    )
    assert "rejected: duplicate" in said
    bare = written("txt", as_dict(PAGE), as_dict(PLAIN), setup=Setup(headers=False)).decode()
    assert bare == f"{PAGE.text}\n\n开会。\n\n"


@pytest.mark.parametrize("kind", ["txt", "md"])
def test_the_day_of_the_fetch_is_never_that_of_the_text(kind: str) -> None:
    found = row(date="", fetched="2026-11-20T08:00:00+00:00")
    assert "2026" not in written(kind, found).decode() and "2024-01-02" in written(kind, found | {"date": "2024-01-02"}).decode()


def test_the_columns_of_a_table() -> None:
    kept, copied = csv.DictReader(io.StringIO(written("csv", as_dict(PAGE), as_dict(COPY)).decode(), newline=""))
    assert [kept[name] for name in ("order", "keep", "han", "latin", "reason")] == ["1", "1", "0.0", "0.125", ""]
    assert (json.loads(kept["places"]), json.loads(kept["personal"])) == ([PAGE.url, PAGE.final_url], {"phone": 2})
    assert (copied["reason"], copied["keep"], copied["han"]) == ("duplicate", "0", "")
    header = written("csv", setup=Setup(bom=True))
    assert header.startswith(b"\xef\xbb\xbfurl,title,text,") and b"reason" not in header


@given(texts, st.text(alphabet="=+-@＝＋－＠,\"'\r\n 党"))
def test_csv_can_be_read_back_and_runs_no_formula(text: str, title: str) -> None:
    found = written("csv", row(text, title=title))
    (read,) = csv.DictReader(io.StringIO(found.decode(), newline=""))
    for name, said in (("text", text), ("title", title)):
        assert read[name] == (f"'{said}" if said.startswith((*"=+-@＝＋－＠\t\r",)) else said)


def test_markdown_has_a_heading_for_each_text() -> None:
    found = as_dict(STRUCTURED)
    said = written("md", as_dict(PAGE), found).decode()
    assert said.startswith(
        "# 主题 教育\n\n<http://a.cn/1.html>, 2024-01-02, a.cn\n\n第一段，“引文”。还有！\n\n第二段 \\<b>\\&amp;\\</b>\n\n# http"
    )
    assert said.endswith(f"c.cn\n\n{found['markdown']}\n\n")
    assert written("md", found, setup=Setup(alone=True)).decode() == f"{found['markdown']}\n"
    assert written("md", found, setup=Setup(headers=False)).decode() == f"{found['markdown']}\n\n"


@pytest.mark.parametrize(("names", "gone"), [("code", {"code"}), ("tables, formulas", {"table", "formula"})])
def test_passages_are_left_out(names: str, gone: set[str]) -> None:
    record = without(*parse_without(names))(STRUCTURED)
    assert record is not None
    found = as_dict(record)
    kept = [passage for passage in PASSAGES if passage.kind not in gone]
    assert passages(found["text"], found["layout"]) == kept
    assert (found["markdown"], found["characters"]) == (markdown(PASSAGES, gone), len(plain(kept)))
    assert without("code")(Record(url="a", host="a", keep=True, text="x", layout=[[0, 1, "code", 0, ""]])) is None
    assert without("code")(COPY) == COPY


def test_words_with_blanks_between_them_and_no_code() -> None:
    out = io.BytesIO()
    PlainText(out, alone=True, tagger=lambda sentence: ((c, "x", "X") for c in sentence)).write(as_dict(STRUCTURED))
    lines = out.getvalue().decode().splitlines()
    assert lines[0] == "开 场 白 。" and lines[-1] == "完 。" and "名 称" in lines and "次 数" in lines
    assert not any("def" in line or "mc" in line.replace(" ", "") for line in lines)


@pytest.mark.parametrize("kind", [name for name, form in FORMATS.items() if form.open])
def test_the_same_rows_give_the_same_bytes(kind: str) -> None:
    found = [as_dict(PAGE), as_dict(PLAIN), *([as_dict(COPY)] if FORMATS[kind].rejected else [])]
    assert written(kind, *found) == written(kind, *found)


def test_packed_files_have_the_same_bytes_and_read_as_the_plain_one(tmp_path: Path) -> None:
    found = [row("主题教育" * 50, n) for n in range(50)]
    job = Job(kind="jsonl", setup=Setup())
    names = ("one.jsonl", "one.jsonl.gz", "two.jsonl.gz", "one.jsonl.zst", "two.jsonl.zst")
    for name in names:
        assert to_files(found, tmp_path / name, job).whole.texts == 50
    plain, *packed = ((tmp_path / name).read_bytes() for name in names)
    assert (packed[0], packed[2]) == (packed[1], packed[3])
    assert gzip.decompress(packed[0]) == plain
    with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed[2])) as unpacked:
        assert unpacked.read() == plain
    assert len(packed[0]) < len(plain) / 3 > len(packed[2])
