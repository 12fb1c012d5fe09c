"""Label files of a recorded web."""

import re
from pathlib import Path

import pytest

from topical_crawler.evaluation.labels import Label, LabelError, read_labels
from topical_crawler.web.urls import fingerprint


def labels_of(tmp_path: Path, text: str, column: str = "grade") -> list[Label]:
    file = tmp_path / "labels.tsv"
    file.write_text(text, encoding="utf-8")
    return list(read_labels(file, column).values())


def test_every_column(tmp_path: Path) -> None:
    text = 'url\thost\tsite\tkind\tgrade\tdoc\ttitle\nhttp://a.b.cn/1\ta.b.cn\tb.cn\tarticle\t2\t7\t"引号“不”成对\nhttp://a.b.cn/\ta.b.cn\tb.cn\thome\t0\t\t\n'
    assert labels_of(tmp_path, text) == [
        Label("http://a.b.cn/1", "b.cn", "article", 2, "7"),
        Label("http://a.b.cn/", "b.cn", "home", 0, ""),
    ]


def test_without_site_and_doc(tmp_path: Path) -> None:
    """The host stands for the site, and every URL is a text of its own."""
    found = labels_of(tmp_path, "url\tkind\tML\nhttp://a.cn/1\tarticle\t2\nhttp://a.cn/2\tarticle\t1\n", "ML")
    assert found == [
        Label("http://a.cn/1", "a.cn", "article", 2, "http://a.cn/1"),
        Label("http://a.cn/2", "a.cn", "article", 1, "http://a.cn/2"),
    ]


def test_without_a_column_of_grades(tmp_path: Path) -> None:
    text = "url\tkind\tML\nhttp://a.cn/1\tarticle\t2\n"
    assert labels_of(tmp_path, text, "") == [Label("http://a.cn/1", "a.cn", "article", 0, "http://a.cn/1")]


@pytest.mark.parametrize(
    ("kind", "text"), [("article", True), ("copy", True), ("list", False), ("home", False), ("video", False), ("", False)]
)
def test_what_counts_as_a_text(kind: str, text: bool) -> None:
    assert Label("http://a.cn/", "a.cn", kind, 2, "1").is_text is text


def test_labels_are_found_by_any_spelling_of_their_url(tmp_path: Path) -> None:
    file = tmp_path / "labels.tsv"
    file.write_text(
        "url\tkind\tgrade\nhttp://a.cn/x?b=1&a=2\tarticle\t2\nhttp://A.cn:80/x?a=2&b=1#top\tlist\t0\n", encoding="utf-8"
    )
    labels = read_labels(file)
    assert len(labels) == 1
    assert labels[fingerprint("http://A.cn/x?a=2&b=1")].kind == "article"  # the first counts


@pytest.mark.parametrize(
    ("text", "line", "parts"),
    [
        ("", 1, ("no column 'url'",)),
        ("adresse\tkind\tgrade\nx\ty\t2\n", 1, ("no column 'url'", "Found: adresse, kind, grade")),
        ("url\tkind\tML\nhttp://a.cn/\tarticle\t2\n", 1, ("no column 'grade'", "url, kind, ML")),
        ("url\tkind\tgrade\nhttp://a.cn/\tarticle\t2\nhttp://b.cn/\tarticle\t3\n", 3, ("grade is '3'", "Set it to 2, 1 or 0")),
        ("url\tkind\tgrade\nhttp://a.cn/\tarticle\t\n", 2, ("grade is ''", "Set it to")),
        ("url\tkind\tgrade\nhttp://a.cn/\tarticle\n", 2, ("grade is None", "Set it to")),
        ("kind\tgrade\turl\narticle\t2\n", 2, ("no URL", "Complete or delete the line")),
        ("grade\turl\tkind\n2\thttp://a.cn/\n", 2, ("no kind", "Complete or delete the line")),
    ],
)
def test_mistakes(tmp_path: Path, text: str, line: int, parts: tuple[str, ...]) -> None:
    with pytest.raises(LabelError, match=re.escape(f"{tmp_path}/labels.tsv, line {line}: ")) as error:
        labels_of(tmp_path, text)
    for part in parts:
        assert part in str(error.value)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=re.escape(str(tmp_path / "nowhere.tsv"))):
        read_labels(tmp_path / "nowhere.tsv")


def test_a_file_as_windows_writes_it(tmp_path: Path) -> None:
    assert labels_of(tmp_path, "\ufeffurl\tkind\tgrade\r\nhttp://a.cn/\tarticle\t2\r\n") == [
        Label("http://a.cn/", "a.cn", "article", 2, "http://a.cn/")
    ]
