"""Crawls with a model of the user's own: what it takes to be off topic is rejected, and it never holds up or ends a crawl."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from crawl_tools import DEMO, Reply, Site, article, crawl, make_topic, rows
from model_tools import Chat, by_bundled, save_pipeline

from topical_crawler.crawl.steering import Marks
from topical_crawler.frontier.sqlite import SqliteFrontier
from topical_crawler.items import OFF_TOPIC_MODEL

ARTICLES = 24


def topic_with(folder: Path, model: Mapping[str, object]) -> Path:
    """A topic with a table ``[model]``."""
    topic = make_topic(folder)
    lines = ["[model]", *(f"{key} = {value!r}" for key, value in model.items())]
    with (topic / "topic.toml").open("a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return topic


@pytest.mark.slow
def test_texts_that_a_pipeline_takes_to_be_off_topic_are_rejected(tmp_path: Path) -> None:
    """The terms are words of any news. The model has read two dozen sentences, none of them of the demo web."""
    topic = topic_with(tmp_path / "news", {"kind": "sklearn", "path": "party.skops"})
    (topic / "terms.tsv").write_text("\n".join(["学习", "组织", "活动", "群众", "服务", "社区"]) + "\n", encoding="utf-8")
    save_pipeline(topic / "party.skops")
    options = {"pages": 80, "strategy": "breadth_first", "TOPICAL_REPLAY": DEMO / "demo-web.warc.gz"}
    crawls = {}
    for model in ("", "none"):
        data = tmp_path / f"data-{model}"
        crawled = crawl(topic, data, str(DEMO / "seeds.txt"), **options, **({"model": model} if model else {}))
        assert crawled.code == 0, crawled.log
        crawls[model] = rows(data)
        assert (OFF_TOPIC_MODEL in crawled.log) == (not model)  # the summary counts its reason
    having, without = crawls[""], crawls["none"]
    assert [row.url for row in having] == [row.url for row in without]
    assert not any("model" in row.why for row in without)
    kept = {row.url for row in having if row.keep}
    rejected = {row.url: row for row in having if row.reason == OFF_TOPIC_MODEL}
    assert kept | set(rejected) == {row.url for row in without if row.keep}
    assert all(row.why["model"] < 0.5 and row.text is None for row in rejected.values())
    assert all(row.why["model"] >= 0.5 for row in having if row.keep)
    with (DEMO / "labels.tsv").open(encoding="utf-8") as file:
        grades = {line["url"]: line["grade"] for line in csv.DictReader(file, delimiter="\t")}
    assert len(rejected) >= 2 and all(grades[url] != "2" for url in rejected)  # none that is on topic


@pytest.fixture
def pages() -> dict[str, str]:
    links = {f"/{n}.html": f"党建第{n}期" for n in range(ARTICLES)}
    return {"/": article("首页", links)} | {f"/{n}.html": article(f"第{n}期") for n in range(ARTICLES)}


@pytest.mark.slow
def test_the_answers_of_a_server_count_within_its_budget_over_crawls(tmp_path: Path, pages: dict[str, str]) -> None:
    def reply(texts: list[str], number: int) -> str:
        return '{"answers": [' + ", ".join(["false"] * len(texts)) + "]}"

    with Site({path: Reply(page) for path, page in pages.items()}) as web, Chat(reply) as chat:
        topic = topic_with(tmp_path / "party", {"kind": "openai", "url": chat.url, "model": "small", "budget": 5})
        for name in ("first", "again"):
            options = {"DOWNLOAD_DELAY": 0, "TOPICAL_CACHE_DIR": tmp_path / "cache"}
            crawled = crawl(topic, tmp_path / name, web.url + "/", **options)
            assert crawled.code == 0, crawled.log
            found = rows(tmp_path / name)
            rejected = [row.url for row in found if row.reason == OFF_TOPIC_MODEL]
            assert len(rejected) == 5 and sum(row.keep for row in found) > 5
            with closing(SqliteFrontier(tmp_path / name / "frontier.sqlite")) as frontier:
                learned = {text.url: text.mark for _, texts in Marks(frontier).due for text in texts}
            assert learned == dict.fromkeys(rejected, "irrelevant")  # other texts are judged by what was learned from them
            assert "5 texts are marked by now" in crawled.log
    assert len(chat.asked) == 5


def test_a_crawl_goes_on_without_a_model_that_fails(tmp_path: Path, pages: dict[str, str]) -> None:
    with Site({path: Reply(page) for path, page in pages.items()}) as web, Chat(lambda *_: (401, b"who?")) as chat:
        topic = topic_with(tmp_path / "party", {"kind": "openai", "url": chat.url, "model": "small", "retries": 0})
        crawled = crawl(topic, tmp_path / "data", web.url + "/", DOWNLOAD_DELAY=0)
    assert crawled.code == 0, crawled.log
    assert "HTTP Error 401" in crawled.log and "The crawl continues without it" in crawled.log
    assert len(chat.batches) == 3
    found = rows(tmp_path / "data")
    assert sum(row.keep for row in found) > 20 and not any("model" in row.why for row in found)


@pytest.mark.slow
def test_a_model_that_cannot_be_used_ends_the_crawl_before_it_begins(tmp_path: Path) -> None:
    topic = topic_with(tmp_path / "party", {"kind": "sklearn", "path": "party.pkl"})
    crawled = crawl(topic, tmp_path / "data", "http://a.example/")
    assert crawled.code == 2 and "party.pkl is not usable" in crawled.log and "topic.toml, line" in crawled.log
    assert "Traceback" not in crawled.log


@pytest.mark.slow
def test_an_encoder_behind_a_server_judges_as_it_does_at_hand(tmp_path: Path, pages: dict[str, str]) -> None:
    """Each page is asked about once, before it is judged: what the judge then asks itself would hold up all others."""
    with Site({path: Reply(page) for path, page in pages.items()}) as web, Chat(by_bundled, "embeddings") as server:
        found = []
        for number, encoder in enumerate(("bundled", f"openai:{server.url}#use-3")):
            data = tmp_path / f"data{number}"
            crawled = crawl(
                make_topic(tmp_path / f"t{number}"),
                data,
                web.url + "/",
                DOWNLOAD_DELAY=0,
                TOPICAL_ENCODER=encoder,
                strategy="adaptive",
            )
            assert crawled.code == 0, crawled.log
            found.append({row.url: (row.keep, row.why["near"]) for row in rows(data)})
    assert found[0] == found[1] and len(found[0]) == ARTICLES + 1
    asked = server.asked
    assert len(asked) == len(set(asked)) and len(server.batches) <= 1 + len(found[0])


def test_a_crawl_goes_on_without_an_encoder_that_fails(tmp_path: Path, pages: dict[str, str]) -> None:
    def reply(texts: list[str], number: int) -> tuple[int, bytes]:
        return (404, b"gone") if number > 2 else by_bundled(texts)

    with Site({path: Reply(page) for path, page in pages.items()}) as web, Chat(reply, "embeddings") as server:
        encoder = f"openai:{server.url}#use-3"
        crawled = crawl(
            make_topic(tmp_path / "t"),
            tmp_path / "data",
            web.url + "/",
            DOWNLOAD_DELAY=0,
            TOPICAL_ENCODER=encoder,
            strategy="adaptive",
        )
        assert crawled.code == 0, crawled.log
        assert "continues without an encoder" in crawled.log and len(server.batches) == 6
        assert len(rows(tmp_path / "data")) == ARTICLES + 1
        crawled = crawl(
            make_topic(tmp_path / "u"),
            tmp_path / "none",
            web.url + "/",
            DOWNLOAD_DELAY=0,
            TOPICAL_ENCODER=encoder,
            strategy="adaptive",
        )
    assert crawled.code != 0 and "HTTP Error 404" in crawled.log and "Traceback" not in crawled.log
