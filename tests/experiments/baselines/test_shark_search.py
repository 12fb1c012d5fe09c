"""Shark-Search: the scores of the paper's figure 2, step by step."""

from __future__ import annotations

import pytest

from experiments.baselines.shark_search import SharkSearch, SharkSearchParameters
from topical_crawler import Candidate, Evidence, Page, Topic, strategies
from topical_crawler.strategies.content_url import TopicVector
from topical_crawler.text.segment import Segmenter
from topical_crawler.text.statistics import Idf

TERMS = {"天气": 1.0, "降雨": 1.0}
VECTOR = TopicVector(TERMS, Segmenter(TERMS), Idf.load())


def similarity(text: str) -> float:
    return VECTOR.compare(text)[0]


def make(**parameters: float) -> SharkSearch:
    topic = Topic("t", "试验", TERMS, parameters={"shark_search": parameters})
    made = strategies.create(topic, "shark_search", resources=None)
    assert isinstance(made, SharkSearch)
    return made


def place(relevance: float = 0.0, anchor: str = "", around: str = "", parent: str = "http://a.cn/") -> Evidence:
    return Evidence(parent, relevance, False, anchor, around=around)


def test_it_reads_the_text_around_links() -> None:
    assert make().wants_around


def test_a_page_hands_on_half_of_its_similarity() -> None:
    text = "天气 要闻"
    verdict = make().judge(Page("http://a.cn/", title=text), found=(place(0.9),))
    assert verdict.link_relevance == pytest.approx(0.5 * similarity(text))
    assert make(decay=0.1).judge(Page("http://a.cn/", title=text)).link_relevance == pytest.approx(0.1 * similarity(text))


def test_a_page_without_anything_of_the_topic_hands_on_half_of_what_it_inherited() -> None:
    strategy, page = make(), Page("http://a.cn/", title="要闻")
    assert strategy.judge(page).link_relevance == 0.0
    assert strategy.judge(page, found=(place(0.3), place(0.4, parent="http://b.cn/"))).link_relevance == 0.2
    inherited = 0.8
    for _ in range(3):
        inherited = strategy.judge(page, found=(place(inherited),)).link_relevance
    assert inherited == pytest.approx(0.1)


def test_pages_are_kept_by_their_description() -> None:
    said = "<title>要闻</title><meta name=description content='体育'><p>天气</p>"
    verdict = make().judge(Page.from_html("http://a.cn/", said))
    assert (verdict.keep, verdict.relevance) == (False, 0.0)
    assert verdict.link_relevance > 0


@pytest.mark.parametrize(
    ("anchor", "around", "neighbourhood"),
    [
        ("天气 要闻", "", 0.8 * similarity("天气 要闻") + 0.2),  # the context of an anchor that says something is 1
        ("要闻", "今日 降雨", 0.2 * similarity("今日 降雨")),
        ("", "天气", 0.2 * similarity("天气")),
        ("要闻", "体育", 0.0),
        ("", "", 0.0),
    ],
)
def test_neighbourhood_and_potential(anchor: str, around: str, neighbourhood: float) -> None:
    strategy, found = make(), place(0.3, anchor, around)
    assert strategy.neighbourhood(found) == pytest.approx(neighbourhood)
    assert strategy.potential(found) == pytest.approx(0.8 * 0.3 + 0.2 * neighbourhood)
    assert strategy.score([Candidate("http://a.cn/1", (found,))]) == [strategy.potential(found)]


def test_the_best_place_counts() -> None:
    strategy = make()
    places = (place(0.1, "要闻"), place(0.0, "天气", parent="http://b.cn/"), place(0.1, parent="http://c.cn/"))
    candidate = Candidate("http://a.cn/1", places)
    assert strategy.score([candidate]) == [max(map(strategy.potential, places))]
    assert strategy.explain(candidate) == {"inherited": 0.0, "neighbourhood": strategy.neighbourhood(places[1])}
    nowhere = Candidate("http://a.cn/1", ())
    assert (strategy.score([nowhere]), strategy.explain(nowhere)) == ([0.0], {})


def test_parameters_are_parts_of_one() -> None:
    found = place(0.4, "天气", "")
    assert make(inherited=1.0).potential(found) == 0.4
    assert make(inherited=0.0, anchor=0.0).potential(found) == 1.0
    for name in ("decay", "anchor", "inherited"):
        with pytest.raises(ValueError, match=f"{name} must be 1 at most, not 1.5"):
            SharkSearchParameters(**{name: 1.5})
        with pytest.raises(ValueError, match=f"{name} must be a number of 0 or more"):
            SharkSearchParameters(**{name: -0.5})
