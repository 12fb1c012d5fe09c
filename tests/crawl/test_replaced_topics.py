"""A crawl whose topic word gives way to its hypernym: searches are asked anew, and it ends when it has enough."""

from __future__ import annotations

from pathlib import Path

import pytest
from step_tools import finish, next_entry, open_crawl

from topical_crawler.crawl.crawl import Crawl
from topical_crawler.crawl.steering import seed_entry
from topical_crawler.web.page import Page

SEARCH = "http://shop.example/search?q={keyword}"


@pytest.fixture
def topic(tmp_path: Path) -> Path:
    folder = tmp_path / "phones"
    folder.mkdir()
    parameters = "[strategy.esvsm]\nstall_pages = 3\nmost_results = 2\n"
    (folder / "topic.toml").write_text(f'title = "智能手机"\ndefault_strategy = "esvsm"\n{parameters}', encoding="utf-8")
    (folder / "terms.tsv").write_text("智能手机\n", encoding="utf-8")
    return folder


def fetch(crawl: Crawl, title: str) -> str:
    entry = next_entry(crawl)
    return finish(crawl, entry, Page(entry.url, title=title)).url


@pytest.mark.slow
def test_searches_are_asked_for_the_hypernym(topic: Path) -> None:
    crawl = open_crawl(topic, topic.parent / "data", seeds=SEARCH)
    crawl.push([seed_entry(f"http://shop.example/{n}") for n in range(3)])
    assert [fetch(crawl, "天气") for _ in range(3)] == [f"http://shop.example/{n}" for n in range(3)]
    search = "http://shop.example/search?q=%E6%89%8B%E6%9C%BA"
    assert [entry.url for entry in crawl.frontier.waiting(9)] == [search]
    crawl.close()
    again = open_crawl(topic, topic.parent / "data", seeds=SEARCH)  # a resumed crawl does not ask twice
    assert fetch(again, "手机") == search
    assert [entry.url for entry in again.frontier.waiting(9)] == []
    again.push([seed_entry(f"http://shop.example/{n}") for n in range(3, 9)])
    assert not again.is_over
    fetch(again, "手机")
    assert again.is_over and not again.has_more
    again.close()
