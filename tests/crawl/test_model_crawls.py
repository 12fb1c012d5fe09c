"""Crawls with a model of the user's own: what it takes to be off topic is rejected, and it never holds up or ends a crawl."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from crawl_tools import Reply, Site, article, crawl, make_topic, rows
from model_tools import Chat, by_bundled
from step_tools import open_crawl

from topical_crawler.crawl.steering import Marks
from topical_crawler.frontier.sqlite import SqliteFrontier
from topical_crawler.items import OFF_TOPIC_MODEL
from topical_crawler.topic.files import TopicError

ARTICLES = 24
ADAPTIVE = {"DOWNLOAD_DELAY": 0, "strategy": "adaptive"}


def topic_with(folder: Path, model: Mapping[str, object]) -> Path:
    topic = make_topic(folder)
    lines = ["[model]", *(f"{key} = {value!r}" for key, value in model.items())]
    with (topic / "topic.toml").open("a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return topic


@pytest.fixture
def web() -> Iterator[Site]:
    links = {f"/{n}.html": f"党建第{n}期" for n in range(ARTICLES)}
    with Site({"/": Reply(article("首页", links))} | {path: Reply(article(name)) for path, name in links.items()}) as site:
        yield site


def test_the_answers_of_a_server_count_within_its_budget_over_crawls(tmp_path: Path, web: Site) -> None:
    def reply(texts: list[str], number: int) -> str:
        return '{"answers": [' + ", ".join(["false"] * len(texts)) + "]}"

    with Chat(reply) as chat:
        topic = topic_with(tmp_path / "party", {"kind": "openai", "url": chat.url, "model": "small", "budget": 5})
        for name in ("first", "again"):
            options = {"DOWNLOAD_DELAY": 0, "TOPICAL_CACHE_DIR": tmp_path / "cache"}
            crawled = crawl(topic, tmp_path / name, web.url + "/", **options)
            assert crawled.code == 0, crawled.log
            found = rows(tmp_path / name)
            rejected = [row.url for row in found if row.reason == OFF_TOPIC_MODEL and row.why["model"] < 0.5 and not row.text]
            assert len(rejected) == 5 and sum(row.keep for row in found) > 5 and OFF_TOPIC_MODEL in crawled.log
            with closing(SqliteFrontier(tmp_path / name / "frontier.sqlite")) as frontier:
                learned = {text.url: text.mark for _, texts in Marks(frontier).due for text in texts}
            assert learned == dict.fromkeys(rejected, "irrelevant")  # other texts are judged by what was learned from them
            assert "5 texts are marked by now" in crawled.log
    assert len(chat.asked) == 5


def test_a_crawl_goes_on_without_a_model_that_fails(tmp_path: Path, web: Site) -> None:
    with Chat(lambda *_: (401, b"who?")) as chat:
        topic = topic_with(tmp_path / "party", {"kind": "openai", "url": chat.url, "model": "small", "retries": 0})
        crawled = crawl(topic, tmp_path / "data", web.url + "/", DOWNLOAD_DELAY=0)
    assert crawled.code == 0, crawled.log
    assert "HTTP Error 401" in crawled.log and "The crawl continues without it" in crawled.log
    assert len(chat.batches) == 3
    found = rows(tmp_path / "data")
    assert sum(row.keep for row in found) > 20 and not any("model" in row.why for row in found)


def test_a_model_that_cannot_be_used_ends_the_crawl_before_it_begins(tmp_path: Path) -> None:
    topic = topic_with(tmp_path / "party", {"kind": "sklearn", "path": "party.pkl"})
    with pytest.raises(TopicError, match=r"topic\.toml, line.*party\.pkl is not usable"):
        open_crawl(topic, tmp_path / "data")


@pytest.mark.slow
def test_an_encoder_behind_a_server_judges_as_it_does_at_hand(tmp_path: Path, web: Site) -> None:
    """Each page is asked about once, before it is judged: what the judge then asks itself would hold up all others."""
    with Chat(by_bundled, "embeddings") as server:
        found = []
        for number, encoder in enumerate(("bundled", f"openai:{server.url}#use-3")):
            data = tmp_path / f"data{number}"
            crawled = crawl(make_topic(tmp_path / f"t{number}"), data, web.url + "/", **ADAPTIVE, TOPICAL_ENCODER=encoder)
            assert crawled.code == 0, crawled.log
            found.append({row.url: (row.keep, row.why["near"]) for row in rows(data)})
    assert found[0] == found[1] and len(found[0]) == ARTICLES + 1
    asked = server.asked
    assert len(asked) == len(set(asked)) and len(server.batches) <= 1 + len(found[0])


def test_a_crawl_goes_on_without_an_encoder_that_fails(tmp_path: Path, web: Site) -> None:
    def reply(texts: list[str], number: int) -> tuple[int, bytes]:
        return (404, b"gone") if number > 2 else by_bundled(texts)

    with Chat(reply, "embeddings") as server:
        given = {**ADAPTIVE, "TOPICAL_ENCODER": f"openai:{server.url}#use-3"}
        crawled = crawl(make_topic(tmp_path / "t"), tmp_path / "data", web.url + "/", **given)
        assert crawled.code == 0, crawled.log
        assert "continues without an encoder" in crawled.log and len(server.batches) == 6
        assert len(rows(tmp_path / "data")) == ARTICLES + 1
        crawled = crawl(make_topic(tmp_path / "u"), tmp_path / "none", web.url + "/", **given)
    assert crawled.code != 0 and "HTTP Error 404" in crawled.log and "Traceback" not in crawled.log
