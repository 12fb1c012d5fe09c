"""Chen & Zhu 2011: the example of sohu.com (§2.2.3), Eq. 1 and 2, the factors 1.5 and 0.5, and the three sets of URLs."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import pytest

from topical_crawler import Candidate, Evidence, Link, Page
from topical_crawler.strategies.content_url import ContentUrl, FrequentPrefixes, TopicVector
from topical_crawler.text.segment import Segmenter
from topical_crawler.text.statistics import Idf

SOHU = {
    1: "http://news.sohu.com/20110225/n279530112.shtml",
    2: "http://news.sohu.com/20110224/n279505996.shtml",
    3: "http://news.sohu.com/20110124/n279044809.shtml",
    4: "http://news.sohu.com/20110224/n279500720.shtml",
    5: "http://star.news.sohu.com/",
    6: "http://t.sohu.com/p/m/484111946",
}
"""The paper's links: (1) is a news page on the weather, (2) to (6) are links on it."""

TERMS = {"天气": 1.0, "降雨": 2.0}
SEGMENTER = Segmenter(TERMS)
IDF = Idf({"天气": 2.0, "降雨": 3.0, "球队": 4.0})
TOPIC = TopicVector(TERMS, SEGMENTER, IDF)
ON, OFF = "天气 降雨", "球队"


def test_the_printed_example_of_a_frequent_string() -> None:
    """假设链接(1)(2)(3)都在队列 2 中 … f=3 … 抽取出的最大字符串为 http://news.sohu.com/."""
    found = FrequentPrefixes(frequency=3)
    for n in (1, 2, 3):
        found.add(SOHU[n])
    assert found.maximal == {"http://news.sohu.com/"}


def test_links_named_alike_come_before_the_others_of_the_page() -> None:
    """With (1) to (3) relevant, (4) is likelier than (5) and (6) to be: 1.5 times the priority."""
    strategy = ContentUrl(TOPIC)
    for n in (1, 2, 3):
        strategy.learn(SOHU[n], strategy.judge(Page(SOHU[n], title=ON)))
    place = Evidence(SOHU[1], 0.2, True)
    scores = strategy.score([Candidate(SOHU[n], (place,)) for n in (4, 5, 6)])
    assert scores == [pytest.approx(0.2 * 1.5), 0.2, 0.2]


def test_links_named_like_irrelevant_pages_get_half() -> None:
    strategy = ContentUrl(TOPIC)
    for n in range(3):
        strategy.learn(f"http://t.sohu.com/p/m/{n}", strategy.judge(Page("http://t.sohu.com/", title=OFF), found=(PLACE,)))
    assert strategy.score([Candidate(SOHU[6], (PLACE,)), Candidate(SOHU[5], (PLACE,))]) == [0.1, 0.2]


def test_a_link_that_begins_with_strings_of_either_kind_gets_both_factors() -> None:
    """The news are relevant, their pictures, three irrelevant pages in a folder of their own, are not: 1.5 · 0.5."""
    strategy = ContentUrl(TOPIC)
    for n in range(3):
        news, picture = f"http://news.sohu.com/{n}.shtml", f"http://news.sohu.com/pic/{n}.shtml"
        strategy.learn(news, strategy.judge(Page(news, title=ON)))
        strategy.learn(picture, strategy.judge(Page(picture, title=OFF), found=(PLACE,)))
    scores = strategy.score([Candidate(f"http://news.sohu.com/{path}9.shtml", (PLACE,)) for path in ("", "pic/")])
    assert scores == [pytest.approx(0.2 * 1.5), pytest.approx(0.2 * 0.75)]


def test_strings_of_both_kinds_are_relevant_ones() -> None:
    """U = M − S."""
    strategy = ContentUrl(TOPIC)
    for n in range(3):
        for title in (ON, OFF):
            url = f"http://news.sohu.com/{title}{n}"
            strategy.learn(url, strategy.judge(Page(url, title=title)))
    assert strategy.score([Candidate(SOHU[4], (PLACE,))]) == [pytest.approx(0.2 * 1.5)]


PLACE = Evidence("http://news.sohu.com/", 0.2, True)


@pytest.mark.parametrize("words", [["天气"], ["天气", "降雨"], ["天气", "天气", "球队"], ["降雨", "球队", "球队"], ["球队"]])
def test_equation_1(words: list[str]) -> None:
    w_p = {word: count * IDF.of(word) for word, count in Counter(words).items()}
    w_q = {word: weight * IDF.of(word) for word, weight in TERMS.items()}
    product = sum(w_q[k] * w_p[k] for k in w_q.keys() & w_p.keys())
    expected = product / sqrt(sum(w * w for w in w_p.values()) * sum(w * w for w in w_q.values()))
    verdict = ContentUrl(TOPIC).judge(Page("http://a.cn/", title=" ".join(words)))
    assert verdict.relevance == pytest.approx(expected)
    assert verdict.keep == (expected > 0.01)


def test_equation_2_and_the_links_that_it_counts() -> None:
    """N_p leaves the known irrelevant links out, the known relevant ones in."""
    links = tuple(Link(f"http://news.sohu.com/{n}/") for n in range(10))
    page = Page(SOHU[1], title=ON, links=links)
    strategy = ContentUrl(TOPIC)
    assert strategy.judge(page).link_relevance == pytest.approx(strategy.judge(page).relevance / 10)
    for n, title in enumerate((OFF, OFF, OFF, ON, ON)):
        strategy.learn(links[n].url, strategy.judge(Page(links[n].url, title=title), found=(PLACE,)))
    assert strategy.judge(page).link_relevance == pytest.approx(strategy.judge(page).relevance / 7)


def test_links_of_an_irrelevant_page_are_not_followed() -> None:
    strategy = ContentUrl(TOPIC)
    verdict = strategy.judge(Page(SOHU[4], title=OFF, links=(Link(SOHU[5]),)), found=(PLACE,))
    assert (verdict.relevance, verdict.keep, verdict.link_relevance) == (0.0, False, 0.0)
    place = Evidence(SOHU[4], verdict.link_relevance, verdict.keep, distance=1)
    assert strategy.score([Candidate(SOHU[5], (place,)), Candidate(SOHU[5], (place, PLACE))]) == [None, 0.2]
