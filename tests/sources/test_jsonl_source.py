"""JSON lines as a source."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.sources import Document, SourceError, files, open_source

GOOD = '{"text": "支部召开组织生活会", "title": "通知", "url": "http://a.cn/1", "party": 2, "tags": ["党建"]}'


def write(path: Path, *lines: str | bytes) -> Path:
    content = b"\n".join(line.encode() if isinstance(line, str) else line for line in lines) + b"\n"
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "A.JSONL", "a.ndjson", "wiki_00"])
def test_records(tmp_path: Path, name: str) -> None:
    second = '{"text": "第二篇", "title": null, "url": 7}'
    path = write(tmp_path / name, "\ufeff" + GOOD, "", second, '{"text": " "}', '{"text": null}')
    source = open_source(path)
    expected = [
        Document("支部召开组织生活会", "通知", "http://a.cn/1", {"party": 2, "tags": ["党建"]}),
        Document("第二篇", "", "7"),
    ]
    assert list(source) == list(source) == expected
    assert (source.kind, source.skipped, source.done) == ("jsonl", {"empty": 2}, 1.0)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("没有括号", "not JSON in UTF-8"),
        ('{"text": "断', "not JSON in UTF-8"),
        ("党建".encode("gb18030"), "not JSON in UTF-8"),
        ("[" * 100_000, "not JSON in UTF-8"),
        ('{"text": ' + "9" * 5000 + "}", "not JSON in UTF-8"),
        ('["text"]', "expected a JSON object with a field 'text'"),
        ('{"content": "党建"}', "expected a JSON object with a field 'text'"),
        ('{"text": ["党建"]}', "the text is not a string but list"),
    ],
)
def test_a_bad_line(tmp_path: Path, line: str | bytes, message: str) -> None:
    path = write(tmp_path / "a.jsonl", GOOD, "", line, GOOD)
    found = []
    with pytest.raises(SourceError, match=r"a\.jsonl, line 3: .*Write UTF-8 with one JSON object per line") as told:
        for document in open_source(path):
            found.append(document)
    assert message.replace("an object", "a JSON object") in str(told.value)
    assert len(found) == 1
    source = open_source(path, tolerant=True)
    assert len(list(source)) == 2
    assert source.skipped == {"bad line": 1}


def test_half_a_surrogate_pair_cannot_be_stored(tmp_path: Path) -> None:
    source = open_source(write(tmp_path / "a.jsonl", '{"text": "党\\ud800建"}', GOOD))
    assert len(list(source)) == 1
    assert source.skipped == {"undecodable": 1}


def test_a_line_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_LINE", 1000)
    path = write(tmp_path / "a.jsonl", GOOD, json.dumps({"text": "长" * 900}), GOOD)
    with pytest.raises(SourceError, match="line 2: the line is longer than"):
        list(open_source(path))
    source = open_source(path, tolerant=True)
    assert len(list(source)) == 2
    assert source.skipped == {"bad line": 1}


def test_a_file_cut_off(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl.gz", *[json.dumps({"text": f"第{n}篇党建文章", "n": n}) for n in range(5000)])
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    found = []
    with pytest.raises(SourceError, match=r"a\.jsonl\.gz, after line \d+: .*cut off. Fetch"):
        for document in open_source(path):
            found.append(document.fields["n"])
    source = open_source(path, tolerant=True)
    assert found == [document.fields["n"] for document in source] == list(range(len(found)))
    assert len(found) > 1000
    assert source.skipped == {"truncated": 1}


_JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda v: st.lists(v) | st.dictionaries(st.text(), v))


@given(st.lists(st.one_of(st.binary(max_size=40), _JSON.map(lambda v: json.dumps(v).encode())), max_size=5))
def test_any_lines_can_be_read_tolerantly(tmp_path_factory: pytest.TempPathFactory, lines: list[Any]) -> None:
    path = write(tmp_path_factory.getbasetemp() / "any.jsonl", GOOD, *lines, GOOD)
    documents = list(open_source(path, tolerant=True))
    assert documents[0].title == documents[-1].title == "通知"
    for document in documents:
        document.text.encode()
