"""What a crawl is estimated to have kept: on made webs of known truth, and of the demo web."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from crawl_tools import DEMO, crawl, rows
from hypothesis import given, settings
from hypothesis import strategies as st
from option_tools import options
from pytest import approx

from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl import estimate as module
from topical_crawler.crawl.estimate import LEAST_KEPT, Estimate, estimate, promise, recall
from topical_crawler.crawl.link_policy import LinkPolicy
from topical_crawler.frontier import SEED_PRIORITY, Entry, MemoryFrontier, Outcome
from topical_crawler.strategies import OFF_TOPIC, Strategy
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.topic import Topic
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict
from topical_crawler.web.urls import fingerprint, host

KEPT_ABOVE = 0.3


class Told(Strategy):
    """Knows of each page how probably it is on topic: the page's lesson."""

    name = "told"
    relevance_is_probability = True

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        raise NotImplementedError

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        raise NotImplementedError

    def reconsider(self, lessons: Sequence[Any]) -> list[Verdict | None]:
        return [Verdict(p, p > KEPT_ABOVE) for p in lessons]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CorpusStore]:
    with CorpusStore(str(tmp_path_factory.mktemp("empty") / "corpus.sqlite")) as found:
        yield found


def told() -> Told:
    return Told(Topic("t", "党建", {"党建": 1.0}), Segmenter(["党建"]))


def policy_of(frontier: MemoryFrontier) -> LinkPolicy:
    policy = LinkPolicy(options(), learns=True)
    for _, outcome in frontier.journal.outcomes():
        policy.count(outcome)
    return policy


def link(url: str, score: float) -> Entry:
    return Entry(fingerprint(url), url, host(url), score, 1, (Evidence("http://a0.cn/", score, False, "党建"),))


def made(fetched: Sequence[float], waiting: Sequence[float]) -> MemoryFrontier:
    """A crawl of three sites that has fetched pages, and found links, that are so probably on topic."""
    frontier = MemoryFrontier(in_flight_per_host=len(fetched) + 1)
    for i, p in enumerate(fetched):
        frontier.push([link(url := f"http://a{i % 3}.cn/{i}.html", 1.0)])
        entry = frontier.pop(0.0)
        assert entry is not None
        kept = p > KEPT_ABOVE
        frontier.done(entry.key, Outcome(url, kept, p, "" if kept else OFF_TOPIC, lesson=p))
    frontier.push([link(f"http://a{i % 3}.cn/w{i}.html", p) for i, p in enumerate(waiting)])
    return frontier


def estimated(frontier: MemoryFrontier, store: CorpusStore) -> Estimate | None:
    finished = sum(1 for _ in frontier.journal.outcomes())
    return estimate(told(), frontier, policy_of(frontier), store, finished)


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(100, 300), st.integers(0, 300), st.floats(0.2, 3), st.floats(0.02, 1))
def test_the_interval_covers_the_truth_of_a_web_with_true_probabilities(
    store: CorpusStore, seed: int, fetched: int, waiting: int, shape: float, worth: float
) -> None:
    draw = random.Random(seed)
    pages = [draw.random() ** shape for _ in range(fetched)]
    links = [worth * draw.random() ** 3 for _ in range(waiting)]
    kept = [draw.random() < p for p in pages if p > KEPT_ABOVE]
    missed = [draw.random() < p for p in (*(p for p in pages if p <= KEPT_ABOVE), *links)]
    found = estimated(made(pages, links), store)
    if found is None:
        assert len(kept) < LEAST_KEPT
        return
    assert found.precision == approx(sum(p for p in pages if p > KEPT_ABOVE) / len(kept))
    assert abs(found.precision - sum(kept) / len(kept)) < 2 / len(kept) ** 0.5
    assert 0 < found.least < found.recall < 1
    assert found.least <= sum(kept) / (sum(kept) + sum(missed))


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0.1, 1e6))
def test_more_kept_is_more_recall_and_more_missed_is_less(kept: float, missed: float, more: float) -> None:
    before, richer, poorer = recall(kept, missed), recall(kept + more, missed), recall(kept, missed + more)
    assert all(a < b for a, b in zip(before, richer, strict=True))
    assert all(a > b for a, b in zip(before, poorer, strict=True))
    assert recall(more, more)[0] == 0.5


def test_a_long_crawl_is_judged_by_a_sample_of_all_its_parts(store: CorpusStore, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(7)
    pages = [draw.random() * (1 - i / 4000) for i in range(3000)]  # ever less is on topic
    frontier = made(pages, [0.1] * 50)
    whole = estimated(frontier, store)
    monkeypatch.setattr(module, "SAMPLE", 800)
    part = estimated(frontier, store)
    assert whole is not None and part is not None and whole != part
    assert part.precision == approx(whole.precision, abs=0.03) and part.recall == approx(whole.recall, abs=0.03)


def test_which_waiting_links_promise_a_text() -> None:
    policy = policy_of(made([0.5] * 3, []))
    links = [
        Entry(fingerprint("http://a1.cn/new"), "http://a1.cn/new", "a1.cn", SEED_PRIORITY),
        link("http://elsewhere.cn/1.html", 0.9),  # nothing has come from there
        link("http://a2.cn/tags/党建/", 0.8),
        link("http://a2.cn/2.html", 0.7),
        link("http://a1.cn/1.html", 0.2),
    ]
    assert promise(links, 0, policy) == approx(0.9)
    assert promise(links, 10, policy) == approx(0.9 + 10 * 0.2)
    assert promise([], 0, policy) == 0


def test_nothing_is_said_where_little_was_kept_or_relevances_are_no_probabilities(store: CorpusStore) -> None:
    assert estimated(made([0.9] * (LEAST_KEPT - 1) + [0.1] * 50, []), store) is None
    assert estimated(made([0.9] * LEAST_KEPT, []), store) is not None
    assert estimated(made([], []), store) is None
    other = told()
    other.relevance_is_probability = False
    frontier = made([0.9] * 50, [])
    assert estimate(other, frontier, policy_of(frontier), store, 50) is None


def test_the_summary_of_a_crawl_and_of_one_that_goes_on(tmp_path: Path) -> None:
    given = {"strategy": "adaptive", "TOPICAL_REPLAY": DEMO / "demo-web.warc.gz"}
    text = crawl("partybuilding", tmp_path, str(DEMO / "seeds.txt"), **given)
    assert text.code == 0, text.log
    [line] = [line for line in text.log.splitlines() if line.startswith("Expect: ")]
    again = crawl("partybuilding", tmp_path, **given, TOPICAL_LOG_FORMAT="json")  # nothing is left to fetch
    [data] = [found["expected"] for entry in again.log.splitlines() if "expected" in (found := json.loads(entry).get("data", {}))]
    precision, share, least = (f"{data[name]:.0%}" for name in ("precision", "recall", "least"))
    assert line == (
        f"Expect: {precision} of the kept texts on topic; about {share} of what these sites hold is kept ({least} to 100%)"
    )
    with (DEMO / "labels.tsv").open(encoding="utf-8") as file:
        texts = {row["url"] for row in csv.DictReader(file, delimiter="\t") if row["grade"] == "2" and row["kind"] == "article"}
    kept = {row.url for row in rows(tmp_path) if row.keep}
    assert data["least"] <= len(kept & texts) / len(texts)


def test_a_strategy_of_the_papers_promises_nothing(tmp_path: Path) -> None:
    done = crawl("partybuilding", tmp_path, str(DEMO / "seeds.txt"), pages=40, strategy="breadth_first",
                 TOPICAL_REPLAY=DEMO / "demo-web.warc.gz")  # fmt: skip
    assert done.code == 0 and "Corpus: " in done.log and "Expect: " not in done.log
