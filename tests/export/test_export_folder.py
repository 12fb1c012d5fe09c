"""A folder with a file for every text."""

import csv
import hashlib
import json
import unicodedata
from pathlib import Path

import pytest
from export_tools import PAGE, PLAIN, row
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.export.folder import INDEX, SUMS, file_name
from topical_crawler.export.formats import FORMATS, Setup
from topical_crawler.export.job import Job, to_folder
from topical_crawler.export.rows import Split, as_dict


def read_index(folder: Path) -> list[dict[str, str]]:
    with (folder / INDEX).open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.parametrize("kind", [name for name, form in FORMATS.items() if form.alone])
def test_every_text_is_a_file_and_a_line_of_the_index(tmp_path: Path, kind: str) -> None:
    setup = Setup(alone=True, tagger=lambda sentence: [(sentence, "x", "X")])
    tally = to_folder([as_dict(PAGE), as_dict(PLAIN)], tmp_path / "out", Job(kind=kind, setup=setup))
    suffix = FORMATS[kind].alone
    names = [f"texts/0000001-主题_教育{suffix}", f"texts/0000002{suffix}"]
    index = read_index(tmp_path / "out")
    assert [line["file"] for line in index] == names and [line["url"] for line in index] == [PAGE.url, PLAIN.url]
    assert not {"text", "markdown", "layout"} & set(index[0])
    assert (index[0]["title"], index[0]["date"], index[0]["han"]) == ("主题\n教育", "2024-01-02", "0.0")
    sums = (tmp_path / "out" / SUMS).read_text("utf-8").splitlines()
    assert sums == [f"{hashlib.sha256((tmp_path / 'out' / name).read_bytes()).hexdigest()}  {name}" for name in names]
    assert "开会" in (tmp_path / "out" / names[1]).read_text("utf-8")
    manifest = json.loads((tmp_path / "out/manifest.json").read_text("utf-8"))
    assert (manifest["format"], [file["name"] for file in manifest["files"]]) == (kind, [INDEX, SUMS])
    assert tally.whole.texts == 2


def test_splits_are_folders(tmp_path: Path) -> None:
    split, found = Split.parse("0.5,0,0.5"), [row(f"第{n}讲", n) for n in range(20)]
    to_folder(found, tmp_path / "out", Job(kind="txt", setup=Setup(alone=True), split=split))
    assert [line["file"] for line in read_index(tmp_path / "out")] == [f"{split.of(one)}/{one['order']:07}.txt" for one in found]
    assert {file.parent.name for file in (tmp_path / "out").rglob("*.txt")} == {"train", "test"}


@given(st.integers(1, 10**9), st.text(max_size=300))
def test_names_are_safe_everywhere(order: int, title: str) -> None:
    name = file_name(order, title) + ".txt"
    assert len(name.encode()) <= 255 and unicodedata.is_normalized("NFC", name) and name.startswith(f"{order:07}")
    assert all(c.isalnum() or c in "_-." for c in name)
