"""Crawls that were made otherwise are refused; further topics and start URLs may join those that are there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from experiments.recorded_crawls import claim, topic_digest
from topical_crawler.topic.topic import load_topic


def crawled(folder: Path, name: str = "one") -> None:
    data = folder / name / "data"
    data.mkdir(parents=True)
    (data / "corpus.sqlite").touch()


@pytest.fixture
def web(tmp_path: Path) -> Path:
    file = tmp_path / "web.warc.gz"
    file.write_bytes(b"recorded")
    return file


def known(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "experiment.json").read_text("utf-8"))
    return found


def test_what_joins_is_added(tmp_path: Path, web: Path) -> None:
    folder = tmp_path / "crawls"
    claim(folder, web, ("A=1",), {"topic a": {"terms.tsv": "1"}})
    crawled(folder)
    claim(folder, web, ("A=1",), {"topic b": {"terms.tsv": "2"}})
    claim(folder, web, ("A=1",), {"topic a": {"terms.tsv": "1"}})
    assert {"topic a", "topic b", "web", "settings", "version"} == known(folder).keys()
    crawled(tmp_path / "unknown")  # crawls that nothing is known of
    with pytest.raises(ValueError, match="differ in topic a, web, settings, version"):
        claim(tmp_path / "unknown", web, (), {"topic a": "1"})


@pytest.mark.parametrize(
    ("settings", "made_of", "named"),
    [
        (("A=2",), {"topic a": "1"}, "settings"),
        (("A=1",), {"topic a": "2"}, "topic a"),
        (("A=2",), {"topic a": "2"}, "topic a, settings"),
    ],
)
def test_what_differs_is_named(tmp_path: Path, web: Path, settings: tuple[str, ...], made_of: dict[str, str], named: str) -> None:
    folder = tmp_path / "crawls"
    claim(folder, web, ("A=1",), {"topic a": "1"})
    claim(folder, web, settings, made_of)  # no crawl is there that could be mixed up
    claim(folder, web, ("A=1",), {"topic a": "1"})
    crawled(folder)
    before = known(folder)
    with pytest.raises(ValueError, match=rf"crawls holds crawls that differ in {named}, .*Remedy: choose another --out"):
        claim(folder, web, settings, made_of)
    assert known(folder) == before
    web.write_bytes(b"recorded again")  # another recording of that name
    with pytest.raises(ValueError, match="differ in web"):
        claim(folder, web, ("A=1",), {"topic a": "1"})


def test_a_topic_changes_with_every_file(write_topic: Callable[..., Path]) -> None:
    before = topic_digest(load_topic(write_topic()))
    after = topic_digest(load_topic(write_topic({"terms.tsv": "党建\t2\n"})))
    assert before.keys() == after.keys() == {"topic.toml", "terms.tsv"}
    assert before["topic.toml"] == after["topic.toml"]
    assert before["terms.tsv"] != after["terms.tsv"]
