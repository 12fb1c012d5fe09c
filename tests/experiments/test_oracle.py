"""The oracles: their rules on small webs, and that it only goes where links lead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.oracle import ORACLES, greedy, path
from experiments.web_graph import WebGraph
from topical_crawler.evaluation.labels import Label
from topical_crawler.web.urls import fingerprint, host


def url(name: str) -> str:
    return f"http://{name}.cn/" if len(name) == 1 else f"http://{name[0]}.cn/{name[1:]}"


def web(links: Mapping[str, Sequence[str]]) -> WebGraph:
    """A graph of pages named by a letter for the host and what follows for the path."""
    names = list(links)
    urls = [url(name) for name in names]
    return WebGraph(urls, [[names.index(t) for t in targets] for targets in links.values()], {u: i for i, u in enumerate(urls)})


def texts(**docs: str) -> dict[bytes, Label]:
    """Relevant texts: page and number of its text."""
    return {fingerprint(url(name)): Label(url(name), name[0], "article", 2, doc) for name, doc in docs.items()}


def way(
    graph: WebGraph,
    labels: Mapping[bytes, Label],
    *starts: str,
    budget: int = 99,
    cap: int = 0,
    oracle: Callable[..., list[str]] = path,
) -> list[str]:
    return [u[7] + u[12:] for u in oracle(graph, map(url, starts), labels, budget, cap)]


@pytest.mark.parametrize(
    ("links", "docs", "order"),
    [
        pytest.param("a:a1,a2,a3 a2:a4", "a3 a4", "a a3 a2 a4", id="relevant texts come first"),
        pytest.param("a:a1,a2 a1:b1 a2:b2,b3", "b1 b2 b3", "a a2 b2 b3 a1 b1", id="then the page with most links to them"),
        pytest.param("a:a1,a2 a1:b1,b2 a2:b1,b2,b3", "b1 b2 b3", "a a2 b1 b2 b3", id="links to read texts do not count"),
        pytest.param("a:a1,a2 a1:a3 a2:a5 a3:a4 a4:a7 a5:a6", "a6 a7", "a a2 a5 a6 a1 a3 a4 a7", id="then the nearest"),
        pytest.param("a:a1,b1,b2", "a1=1 b1=1 b2=2", "a a1 b2", id="copies are read once"),
    ],
)
def test_rules_of_the_oracle_on_small_webs(links: str, docs: str, order: str) -> None:
    leads = {name: targets.split(",") for name, _, targets in (part.partition(":") for part in links.split())}
    pages = dict.fromkeys(sorted({*leads, *(target for targets in leads.values() for target in targets)}), ())
    relevant = {name: doc or name for name, _, doc in (part.partition("=") for part in docs.split())}
    assert way(web(pages | leads), texts(**relevant), "a") == order.split()


def test_a_host_that_is_full_is_left_alone() -> None:
    graph = web({"a": ["a1", "a2", "b"], "a1": [], "a2": [], "b": ["a2", "b1"], "b1": []})
    labels = texts(a1="1", a2="2", b1="3")
    assert way(graph, labels, "a", cap=2) == ["a", "a1", "b", "b1"]
    assert way(graph, labels, "a", cap=1) == ["a", "b"]  # it does not see that b will be full


def test_the_budget_and_starts_that_do_not_answer() -> None:
    graph = web({"a": ["a1"], "a1": []})
    assert way(graph, texts(a1="1"), "z", "a", budget=1) == ["a"]
    assert way(graph, texts(a1="1"), "z") == way(graph, {}, "a") == way(graph, texts(a1="1"), "a", budget=0) == []


def test_the_greedy_oracle_knows_what_it_has_found_and_goes_breadth_first_else() -> None:
    graph = web({"a": ["a1", "a2", "a3"], "a1": ["a4"], "a2": ["a5", "a6"], "a3": [], "a4": [], "a5": [], "a6": []})
    labels = texts(a3="3", a5="5", a6="5")
    assert way(graph, labels, "a") == ["a", "a3", "a2", "a5"]
    assert way(graph, labels, "a", oracle=greedy) == ["a", "a3", "a1", "a2", "a5", "a4", "a6"]
    assert way(graph, labels, "a", oracle=greedy, cap=3) == ["a", "a3", "a1"]
    labels[fingerprint(url("a2"))] = Label(url("a2"), "a", "list", 2, "")
    assert way(graph, labels, "a", oracle=greedy)[:4] == ["a", "a2", "a3", "a5"], "a list on topic counts, too"
    del labels[fingerprint(url("a2"))]
    assert way(graph, labels, "a", oracle=greedy, budget=4) == ["a", "a3", "a1", "a2"]


PAGES = [f"{letter}{i}" for letter in "ab" for i in range(1, 6)]


@pytest.mark.parametrize("oracle", ORACLES.values(), ids=ORACLES)
@given(
    links=st.lists(st.lists(st.sampled_from(range(10)), unique=True, max_size=4), min_size=10, max_size=10),
    relevant=st.dictionaries(st.sampled_from(PAGES), st.sampled_from("123"), max_size=6),
    budget=st.integers(0, 12),
    cap=st.integers(0, 4),
)
def test_any_web(
    oracle: Callable[..., list[str]], links: list[list[int]], relevant: dict[str, str], budget: int, cap: int
) -> None:
    graph = web({name: [PAGES[t] for t in targets] for name, targets in zip(PAGES, links, strict=True)})
    labels = texts(**relevant)
    found = oracle(graph, [url("a1"), url("b1")], labels, budget, cap)
    assert len(found) == len(set(found)) <= budget
    assert not cap or max(Counter(map(host, found)).values(), default=0) <= cap
    known = {url("a1"), url("b1")}
    for one in found:
        assert one in known
        known |= {graph.urls[t] for t in graph.links[graph.urls.index(one)]}
    if not cap and budget >= 10:  # then nothing that can be reached is left out
        open_pages = ["a1", "b1"]
        for name in open_pages:
            open_pages += [PAGES[t] for t in links[PAGES.index(name)] if PAGES[t] not in open_pages]
        reached = {labels[fingerprint(one)].doc for one in found if fingerprint(one) in labels}
        assert reached == {doc for name, doc in relevant.items() if name in open_pages}
