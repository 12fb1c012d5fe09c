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


PLACE = Evidence("http://news.sohu.com/", 0.2, True)
NEWS, PICTURES, BLOGS = (
    [f"http://{place}/{n}.shtml" for n in range(3)] for place in ("news.sohu.com", "news.sohu.com/pic", "t.sohu.com/p/m")
)


@pytest.mark.parametrize(
    ("on", "off", "factors"),
    [
        pytest.param([SOHU[n] for n in (1, 2, 3)], [], {SOHU[4]: 1.5, SOHU[5]: 1, SOHU[6]: 1}, id="named like relevant pages"),
        pytest.param([], BLOGS, {SOHU[6]: 0.5, SOHU[5]: 1}, id="named like irrelevant pages"),
        pytest.param(NEWS, PICTURES, {SOHU[4]: 1.5, "http://news.sohu.com/pic/9.shtml": 0.75}, id="begins with both"),
        pytest.param(NEWS, [f"{url}?off" for url in NEWS], {SOHU[4]: 1.5}, id="strings of both kinds are relevant: U = M − S"),
    ],
)
def test_links_named_like_known_pages_rise_or_fall(on: list[str], off: list[str], factors: dict[str, float]) -> None:
    strategy = ContentUrl(TOPIC)
    for title, urls in ((ON, on), (OFF, off)):
        for url in urls:
            strategy.learn(url, strategy.judge(Page(url, title=title), found=(PLACE,)))
    assert strategy.score([Candidate(url, (PLACE,)) for url in factors]) == pytest.approx([0.2 * x for x in factors.values()])


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
