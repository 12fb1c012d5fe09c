"""The folder of a crawl: its files, its claim and its lock."""

from __future__ import annotations

from pathlib import Path

import pytest

from topical_crawler.crawl.crawl_folder import CrawlFolder, claim_of, corpus_at


def test_every_file_lies_in_the_folder_under_a_name_of_its_own(tmp_path: Path) -> None:
    folder = CrawlFolder(tmp_path)
    files = [file for name, file in vars(folder).items() if name != "path"]
    assert {file.parent for file in files} == {tmp_path}
    assert len({file.name for file in files}) == len(files)


@pytest.mark.parametrize(("name", "began"), [("crawl.json", True), ("frontier.sqlite", True), ("corpus.sqlite", False)])
def test_a_corpus_alone_is_no_crawl(tmp_path: Path, name: str, began: bool) -> None:
    for other in ("empty", "党建"):
        (tmp_path / other).mkdir()
    (tmp_path / "党建" / name).touch()
    (folder,) = CrawlFolder.all_in(tmp_path)
    assert folder.path == tmp_path / "党建" and folder.has_crawl is began
    assert CrawlFolder.all_in(tmp_path / "nowhere") == []


@pytest.mark.parametrize("claim", ["[1]", '{"topic": '])
def test_a_claim_that_cannot_be_read_says_nothing(tmp_path: Path, claim: str) -> None:
    folder = CrawlFolder(tmp_path)
    folder.claim_file.write_text(claim)
    assert folder.read_claim() == {}


def test_the_claim_is_found_beside_a_corpus(tmp_path: Path) -> None:
    folder = CrawlFolder(tmp_path)
    folder.claim_file.write_text('{"topic": "党建"}', encoding="utf-8")
    assert claim_of(str(folder.corpus)) == {"topic": "党建"}
    assert claim_of("postgresql://localhost/texts") == {}


def test_a_corpus_is_named_by_its_folder_or_by_itself(tmp_path: Path) -> None:
    assert corpus_at(tmp_path) == CrawlFolder(tmp_path).corpus
    assert corpus_at(tmp_path / "texts.sqlite") == tmp_path / "texts.sqlite"


def test_one_at_a_time_has_the_crawl(tmp_path: Path) -> None:
    for _ in range(2):
        lock = CrawlFolder(tmp_path).lock()
        assert lock is not None and CrawlFolder(tmp_path).lock() is None
        lock.release()
