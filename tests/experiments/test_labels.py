"""Labels of several webs that are crawled as one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from experiments.labels import merged_labels
from topical_crawler.evaluation.labels import LabelError


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    first, second = tmp_path / "first.tsv", tmp_path / "second.tsv"
    first.write_text("url\tkind\tdoc\tML\nhttp://a.cn/1\tarticle\t1\t2\nhttp://both.cn/\tarticle\t2\t0\n", encoding="utf-8")
    second.write_text(
        "url\tkind\tdoc\tML\tDB\nhttp://b.cn/1\tarticle\t1\t2\t1\nhttp://both.cn/\tlist\t\t2\t2\n", encoding="utf-8-sig"
    )
    return [first, second]


def test_the_first_label_of_an_address_counts_and_texts_of_two_files_are_two(files: list[Path]) -> None:
    labels = merged_labels(files, "ML").values()
    assert {label.url: (label.grade, label.kind) for label in labels} == {
        "http://a.cn/1": (2, "article"),
        "http://both.cn/": (0, "article"),
        "http://b.cn/1": (2, "article"),
    }
    assert len({label.doc for label in labels}) == 3


def test_a_column_that_a_file_lacks_counts_as_0(files: list[Path]) -> None:
    grades = {label.url: label.grade for label in merged_labels(files, "DB").values()}
    assert grades == {"http://a.cn/1": 0, "http://b.cn/1": 1, "http://both.cn/": 2}  # where the second file alone is asked


def test_mistakes_name_their_file(files: list[Path], tmp_path: Path) -> None:
    with pytest.raises(LabelError, match=r"first.tsv, .*second.tsv: there is no column 'OS'; there are url, kind, doc, ML, DB"):
        merged_labels(files, "OS")
    with pytest.raises(FileNotFoundError, match=re.escape(str(tmp_path / "none.tsv"))):
        merged_labels([*files, tmp_path / "none.tsv"], "ML")
    files[1].write_text("url\tML\nhttp://b.cn/\t2\n", encoding="utf-8")
    with pytest.raises(LabelError, match=r"second.tsv, line 1: no column 'kind'"):
        merged_labels(files, "ML")
    files[1].write_bytes("url\tkind\t党建\n".encode("gb18030"))
    with pytest.raises(LabelError, match=r"second.tsv: .*Remedy: save the file as UTF-8"):
        merged_labels(files, "ML")
