"""PageRank: the numbers of the formula, links whose place changes while they wait, and the same order after a resume."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.baselines.pagerank import FIRST_RANKING, MAX_LINKS, LinkGraph, PageRank, PageRankParameters
from topical_crawler import Candidate, Evidence, Link, Page, Topic, Verdict, strategies
from topical_crawler.text.segment import Segmenter

WriteTopic = Callable[..., Path]  # see conftest.py

D = 0.85
Web = list[tuple[int, list[int]]]


def node(number: int) -> bytes:
    return number.to_bytes(8)


def graph_of(web: Web) -> LinkGraph:
    graph = LinkGraph(D)
    for page, links in web:
        graph.add(node(page), [node(link) for link in links])
    return graph


def by_definition(web: Web) -> dict[int, float]:
    """IR(p) = (1 − d) + d·Σ IR(t)/c(t), iterated page by page until nothing moves."""
    pages = dict(web)
    ranks = dict.fromkeys([*pages, *(link for links in pages.values() for link in links)], 1.0)
    for _ in range(300):
        inflow = dict.fromkeys(ranks, 0.0)
        for page, links in pages.items():
            for link in links:
                inflow[link] += ranks[page] / len(links)
        ranks = {address: 1 - D + D * flow for address, flow in inflow.items()}
    return ranks


def random_web(seed: int, pages: int = FIRST_RANKING) -> Web:
    chance = random.Random(seed)
    draw = lambda: {int(3 * pages * chance.random() ** 3) for _ in range(chance.randrange(12))}  # noqa: E731
    return [(page, list(draw())) for page in chance.sample(range(pages), pages)]


@pytest.mark.parametrize("seed", range(3))
def test_ranks_are_those_of_the_formula(seed: int) -> None:
    web = random_web(seed)
    graph = graph_of(web)
    assert graph.ranked == FIRST_RANKING
    for address, rank in by_definition(web).items():
        assert graph.rank(node(address)) == pytest.approx(rank, rel=1e-4)


def test_between_two_rankings_every_parent_counts() -> None:
    graph = graph_of(random_web(5))
    waiting = 1_000_001
    assert graph.rank(node(waiting)) is None
    expected = 1 - D
    for page in range(2_000_000, 2_000_003):
        graph.add(node(page), [node(waiting), node(0)])
        expected += D * (1 - D) / 2
        assert graph.rank(node(waiting)) == pytest.approx(expected)
        assert graph.share(node(page)) == pytest.approx((1 - D) / 2)
    assert graph.ranked == FIRST_RANKING
    assert graph.share(node(waiting)) == 0.0


_WEBS = st.lists(st.tuples(st.integers(0, 60), st.lists(st.integers(0, 80), max_size=6, unique=True)), max_size=70)


@given(_WEBS, _WEBS)
def test_what_json_brings_back_is_the_same_to_the_last_digit(first: Web, later: Web) -> None:
    through = graph_of(first)
    restored = LinkGraph.from_json(json.loads(json.dumps(through.to_json())), D)
    for page, links in later:
        for graph in (through, restored):
            graph.add(node(page), [node(link) for link in links])
    assert restored.to_json() == through.to_json()
    for address in range(81):
        assert restored.rank(node(address)) == through.rank(node(address))
        assert restored.share(node(address)) == through.share(node(address))


# -- the strategy


def strategy(**parameters: float) -> PageRank:
    return PageRank(Topic("t", "试验", {"党建": 1.0}), Segmenter(["党建"]), PageRankParameters(**parameters))


def page_of(name: str, *targets: str) -> Page:
    return Page(f"http://a.cn/{name}", title="党建", links=tuple(Link(f"http://a.cn/{t}") for t in targets))


def learn(pagerank: PageRank, *pages: Page) -> None:
    for page in pages:
        pagerank.learn(page.url, pagerank.judge(page))


def test_the_lesson_is_the_distinct_links_of_the_page_and_enough_to_learn_from() -> None:
    pagerank, resumed = strategy(), strategy()
    page = page_of("x", "1", "2", "1#top", "x", "x#top", "2?utm_source=wx")
    verdict = pagerank.judge(page)
    assert len(verdict.lesson) == 24  # two digests of 8 bytes in base64
    pagerank.learn(page.url, verdict)
    resumed.learn(page.url, Verdict(0.0, False, lesson=json.loads(json.dumps(verdict.lesson))))
    assert resumed.state_dict() == pagerank.state_dict()
    endless = page_of("y", *map(str, range(3 * MAX_LINKS)))
    assert len(strategy().judge(endless).lesson) == -(-MAX_LINKS * 8 // 3) * 4


def test_a_link_found_again_has_the_ranks_of_all_its_parents() -> None:
    pagerank = strategy(damping=0.5)
    link = Candidate("http://a.cn/1", (Evidence("http://a.cn/x", 0.0, True),))
    learn(pagerank, page_of("x", "1", "2"))
    assert pagerank.score([link]) == [0.5 + 0.5 * 0.25]
    learn(pagerank, page_of("y", "1"))
    assert pagerank.score([link]) == [0.5 + 0.5 * (0.25 + 0.5)]
    assert pagerank.explain(link) == {"rank": 0.875}
    assert pagerank.revision == 0


def test_the_target_of_a_redirect_has_the_shares_of_the_places_where_the_link_was_found() -> None:
    pagerank = strategy(damping=0.5)
    learn(pagerank, page_of("x", "old", "2"), page_of("y", "old"))
    places = tuple(Evidence(f"http://a.cn/{name}", 0.0, True) for name in ("x", "y", "unknown"))
    assert pagerank.score([Candidate("http://a.cn/new", places)]) == pagerank.score([Candidate("http://a.cn/old", places)])
    assert pagerank.score([Candidate("http://a.cn/new", ())]) == [0.5]


def test_the_revision_changes_when_the_ranks_are_computed() -> None:
    pagerank = strategy()
    seen = set()
    for n in range(100):
        learn(pagerank, page_of(str(n), str(n + 1)))
        seen.add(pagerank.revision)
    assert seen == {0, 16, 20, 25, 31, 38, 47, 58, 72, 90}  # at every fourth part more
    restored = strategy()
    restored.load_state_dict(json.loads(json.dumps(pagerank.state_dict())))
    assert restored.revision == pagerank.revision


def test_parameters_come_from_the_topic_and_are_checked() -> None:
    terms = {"党建": 1.0}
    made = strategies.create(Topic("t", "试验", terms, parameters={"pagerank": {"damping": 0.5}}), "pagerank", resources=None)
    assert isinstance(made, PageRank)
    assert made.parameters.damping == 0.5
    for value in (1, -0.1, "0.85", True):
        with pytest.raises(ValueError, match="damping must be a number from 0 to below 1"):
            PageRankParameters(damping=value)  # type: ignore[arg-type]
