"""Text files as a source, in the encodings that Chinese texts come in."""

import codecs
import random
from pathlib import Path

import pytest

from topical_crawler.sources import SourceError, files, open_source

TEXT = "各级党组织要把学习贯彻会议精神作为当前的重要任务，结合实际工作，推动主题教育走深走实。\n第二段。"
TRADITIONAL = "各級黨組織要把學習作為當前的重要任務，結合實際工作，推動主題教育走深走實。\n第二段。"
BODIES = {
    "a/utf8.txt": TEXT.encode(),
    "a/utf8-bom.txt": codecs.BOM_UTF8 + TEXT.encode(),
    "a/b/gb.TXT": TEXT.encode("gb18030"),
    "big5.txt": TRADITIONAL.encode("big5"),
    "utf16le.txt": codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
    "utf16be.txt": codecs.BOM_UTF16_BE + TEXT.replace("\n", "\r\n").encode("utf-16-be"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, body in BODIES.items():
        path = tmp_path / "texts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    return tmp_path / "texts"


def test_encodings_may_be_mixed(folder: Path) -> None:
    source = open_source(folder)
    found = {document.fields["file"]: document.text for document in source}
    assert list(found) == sorted(BODIES)
    assert found.pop("big5.txt") == TRADITIONAL
    assert set(found.values()) == {TEXT}
    assert (source.kind, source.skipped, source.done) == ("text", {}, 1.0)
    assert [d.fields["file"] for d in source] == sorted(BODIES)


@pytest.mark.parametrize("tolerant", [True, False])
def test_what_is_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch, tolerant: bool) -> None:
    monkeypatch.setattr(files, "MAX_FILE", 100_000)
    chance = random.Random(0)
    (folder / "empty.txt").write_bytes(b"\xef\xbb\xbf \n")
    (folder / "blank.txt").write_text("\n \n", "utf-8")
    (folder / "noise.txt").write_bytes(chance.randbytes(3000))
    (folder / "picture.txt").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + chance.randbytes(2000))
    (folder / "zeros.txt").write_bytes(bytes(500))
    (folder / "long.txt").write_bytes(b"x" * 100_001)
    (folder / "gone.txt").symlink_to(folder / "nowhere")
    (folder / "notes.md").write_text("不是文本文件", "utf-8")
    (folder / ".hidden.txt").write_text("隐藏", "utf-8")
    (folder / "loop").symlink_to(folder)
    source = open_source(folder, tolerant=tolerant)
    assert len(list(source)) == len(BODIES)
    assert source.skipped.pop("too long") == source.skipped.pop("unreadable") == 1
    assert source.skipped == {"empty": 2, "undecodable": 3}


def test_one_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "a/utf8.txt"
    assert [(d.text, d.title, d.fields) for d in open_source(path)] == [(TEXT, "", {"file": "utf8.txt"})]
    monkeypatch.setattr(files, "MAX_FILE", 10)
    with pytest.raises(SourceError, match=r"utf8\.txt: longer than .*Pass a folder"):
        list(open_source(path))


def test_a_folder_without_texts(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"holds no \.txt file\. Pass"):
        list(open_source(tmp_path))


def test_a_file_that_vanishes(folder: Path) -> None:
    path = folder / "big5.txt"
    source = open_source(path)
    path.unlink()
    with pytest.raises(SourceError, match="Check the file, its permissions and its disk"):
        list(source)
