"""T of Chen & Zhu, which is T&L without what it learns of addresses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from experiments.baselines.content import Content, ContentParameters
from topical_crawler import Candidate, Evidence, Link, Page, TopicError, load_topic, strategies
from topical_crawler.strategies.content_url import ContentUrl, TopicVector
from topical_crawler.text.segment import Segmenter
from topical_crawler.text.statistics import Idf

TERMS = {"天气": 1.0, "降雨": 2.0}
TOPIC = TopicVector(TERMS, Segmenter(TERMS), Idf({"天气": 2.0, "降雨": 3.0, "球队": 4.0}))
ON, OFF = "天气 降雨", "球队"
PLACE = Evidence("http://news.cn/", 0.2, True)


def test_all_links_count_whatever_was_learned() -> None:
    """N_p of T is the number of links; T&L leaves the known irrelevant ones out, the known relevant ones in."""
    links = tuple(Link(f"http://news.cn/{n}/") for n in range(10))
    page = Page("http://news.cn/", title=ON, links=links)
    for kind, counted in ((Content, 10), (ContentUrl, 7)):
        strategy = kind(TOPIC)
        for n, title in enumerate((OFF, OFF, OFF, ON, ON)):
            strategy.learn(links[n].url, strategy.judge(Page(links[n].url, title=title), found=(PLACE,)))
        assert strategy.judge(page).link_relevance == pytest.approx(strategy.judge(page).relevance / counted)


def test_the_best_place_counts_whatever_the_address() -> None:
    strategy = Content(TOPIC)
    for n in range(5):
        strategy.learn(f"http://news.cn/x/{n}", strategy.judge(Page(f"http://news.cn/x/{n}", title=ON)))
    candidate = Candidate("http://news.cn/x/9", (PLACE, Evidence("http://b.cn/", 0.3, True)))
    assert strategy.score([candidate, Candidate("http://news.cn/x/8", ())]) == [0.3, None]
    assert strategy.explain(candidate) == {"parent": 0.3}
    assert strategy.revision == 0


def test_parameters(write_topic: Callable[..., Path]) -> None:
    with pytest.raises(ValueError, match="page_threshold must be above 0, since links"):
        ContentParameters(page_threshold=0)
    with pytest.raises(ValueError, match=r"page_threshold must be a number of 0 or more, not '0\.1'"):
        ContentParameters(page_threshold="0.1")  # type: ignore[arg-type]
    folder = write_topic({"topic.toml": 'title = "试验"\n[strategy.content]\nfrequency = 3\n'})
    with pytest.raises(TopicError, match=r"topic\.toml, line 3: \[strategy\.content\] has no parameter 'frequency'"):
        strategies.create(load_topic(folder), "content", resources=None)
    folder.joinpath("topic.toml").write_text('title = "试验"\n[strategy.content]\npage_threshold = 0.2\n', encoding="utf-8")
    assert strategies.create(load_topic(folder), "content", resources=None).page_threshold == 0.2
