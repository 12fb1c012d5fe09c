"""``topical-crawler corpus why`` on the corpus and the queue of a crawl that ended early."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from command_tools import RunScrapy
from corpus_tools import everything
from postgres_tools import GivenServer
from postgres_tools import postgresql as postgresql

from topical_crawler.corpus.copy import copy
from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.frontier.base import State
from topical_crawler.judging.sample import Header, Item, Sample, Stratum, write_sample
from topical_crawler.services.why import threshold_of
from topical_crawler.topic.topic import load_topic

Why = Callable[..., dict[str, Any]]


@pytest.fixture
def folder(demo_crawl: Path) -> Path:
    return demo_crawl


@pytest.fixture
def why(folder: Path, call_scrapy: RunScrapy) -> Why:
    def ask(page: str | int, corpus: str = "partybuilding", *more: str) -> dict[str, Any]:
        done = call_scrapy("corpus", "why", corpus, str(page), "--json", "-s", "TOPICAL_RESOURCES=0", *more, cwd=folder)
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        plain = call_scrapy("corpus", "why", corpus, str(page), "-s", "TOPICAL_RESOURCES=0", *more, cwd=folder).stdout
        assert "".join(plain.split()).endswith("".join("".join(answer["because"]).split()))
        return answer

    return ask


def records(folder: Path) -> list[Record]:
    return everything(folder / "data/partybuilding/corpus.sqlite")


def in_queue(folder: Path, state: State, more: str = "") -> tuple[str, float]:
    with closing(sqlite3.connect(folder / "data/partybuilding/frontier.sqlite")) as db:
        url, priority = db.execute(f"SELECT url, priority FROM entries WHERE state = ? {more} LIMIT 1", (state,)).fetchone()
    return str(url), float(priority)


def test_a_kept_page(folder: Path, why: Why) -> None:
    record = next(r for r in records(folder) if r.keep and r.why.get("anchor") and r.depth == 2)
    story = why(record.order)
    assert story == why(record.url) and story["state"] == "kept" and story["number"] == record.order
    said = "\n".join(story["because"])
    assert said.startswith("It was kept.\n") and story["threshold"] == 0.3
    assert f"Its relevance of {record.relevance:.3g} is above the topic's threshold of 0.3." in said
    near, all_near = record.why["near"], [r.why["near"] for r in records(folder) if "near" in r.why]
    farther = sum(other < near for other in all_near) / len(all_near)
    assert f"meaning to the topic's sentence: {near:.2f}, nearer than {farther:.0%} of the pages fetched." in said
    word, share = next(iter(record.why["terms"].items()))
    assert f"These words carry it: {word} {share:.0%}" in said
    assert f"by the link “{record.why['anchor']}” on {record.why['parent']} (page " in said and "2 links from a seed." in said
    assert f"Its priority was {record.priority:.3g}, above all because of this: " in said and "found nothing against it" in said


def test_rejected_pages(folder: Path, why: Why) -> None:
    rejected = {record.reason: record for record in records(folder) if record.reason}
    said = "\n".join(why(rejected["off topic"].order)["because"])
    assert said.startswith("It was rejected: off topic (its relevance is not above the threshold).\nIts relevance of ")
    assert "is not above the topic's threshold of 0.3." in said
    said = "\n".join(why(rejected["list page"].order)["because"])
    assert "a page of links or excerpts" in said and "So it was on topic" in said
    copied = rejected["duplicate"]
    kept = next(record for record in records(folder) if record.url == copied.duplicate_of)
    assert f"See page {kept.order} “{kept.title}”, {kept.url}, similarity {copied.similarity:.2f}." in why(copied.url)["because"]


def test_addresses_that_were_not_fetched(folder: Path, why: Why) -> None:
    url, priority = in_queue(folder, State.WAITING)
    story = why(url)
    assert story["state"] == "waiting" and story["number"] is None and story["why"]["reasons"] and story["why"]["parent"]
    assert story["because"][0] == f"It was not fetched yet: it waits with a priority of {priority:.3g}."
    assert story["because"][1].startswith("What speaks for it most as of now: ")
    assert story["because"][2].startswith("It was found by ")
    url, _ = in_queue(folder, State.DROPPED, "AND dropped = 'file type'")
    story = why(url)
    assert (story["state"], story["reason"]) == ("dropped", "file type")
    assert story["because"][0].startswith("It is not fetched: file type (by its name ")
    story = why("http://www.qinghedj.example/never/seen.html")
    assert story["because"] == ["The crawl has not seen it: no page that it fetched links to it."] and story["state"] == "unknown"
    story = why("http://www.qinghedj.example/never/seen.zip")
    assert story["because"][1].startswith("If it was found, it would not be fetched: file type")


def test_marks_and_second_looks(folder: Path, why: Why) -> None:
    record = next(r for r in records(folder) if r.keep)
    stratum = Stratum(name="all", population=1, sample=1)
    header = Header(corpus="x", program="1", by="none", equal=True, seed=0, edges=(), strata=(stratum,))
    fields = {name: getattr(record, name) for name in ("key", "url", "title", "host", "date", "relevance")}
    asked = folder / "data/partybuilding/asked-1.jsonl"
    write_sample(Sample(header, (Item(**fields, stratum="all", weight=1, text="", mark="irrelevant"),)), asked)
    try:
        assert why(record.order)["because"][-1] == "A person (asked-1.jsonl) marked it as irrelevant."
    finally:
        asked.unlink()


@pytest.mark.slow
def test_a_corpus_in_postgresql(folder: Path, why: Why, postgresql: GivenServer) -> None:
    place = postgresql.new_database()
    with CorpusStore(folder / "data/partybuilding/corpus.sqlite", read_only=True) as mine, CorpusStore(place) as theirs:
        copy(mine, theirs, lambda *_: None)
    ours, other = why(5), why(5, place)
    assert [line for line in ours["because"] if "in meaning" in line] == [
        line for line in other["because"] if "in meaning" in line
    ]
    assert other["because"][0] == ours["because"][0] and other["url"] == ours["url"] and other["threshold"] is None
    url, _ = in_queue(folder, State.WAITING)
    assert "Give -s TOPICAL_DATA_DIR=FOLDER" in why(url, place)["because"][0]
    assert why(url, place, "-s", "TOPICAL_DATA_DIR=data/partybuilding")["state"] == "waiting"


def test_a_page_that_there_is_not(folder: Path, call_scrapy: RunScrapy) -> None:
    done = call_scrapy("corpus", "why", "partybuilding", "4711", cwd=folder)
    assert done.returncode == 1 and "has no page 4711. Name a number shown by topical-crawler corpus list" in done.stderr


def test_thresholds_are_those_of_the_strategies() -> None:
    topic = load_topic("partybuilding")
    assert [threshold_of(topic, name) for name in ("adaptive", "vsm", "no such strategy")] == [0.3, 0.01, None]
