"""What is noted of hosts, in either kind of database."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.robotstxt import ProtegoRobotParser

from topical_crawler.corpus.record import HostFacts
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.middlewares import classify_robots

AGENT = "topical_crawler"


def allowed_by(text: str) -> Callable[[str], bool]:
    """What Scrapy's parser allows this crawler."""
    parser = ProtegoRobotParser(text.encode(), None)
    return lambda path: parser.allowed(f"http://a.cn{path}", AGENT)


def test_the_latest_is_known_of_every_host(place: str) -> None:
    first = HostFacts("a.cn", "unreachable", 0.0, "2026-11-20T08:30:00+00:00")
    then = HostFacts("a.cn", "restricts", 2.5, "2026-11-20T08:40:00+00:00")
    other = HostFacts("党建.cn:8080", "none", asked="2026-11-20T08:30:00+00:00")
    with CorpusStore(place) as store:
        assert store.host_facts() == {}
        for facts in (first, other, then):
            store.note_host(facts)
        store.note_host(then)
    with CorpusStore(place, read_only=True) as store:
        assert store.host_facts() == {"a.cn": then, "党建.cn:8080": other}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "allows all"),
        ("<!DOCTYPE html><p>Disallow: /", "allows all"),
        ("User-agent: *\nDisallow:\nAllow: /", "allows all"),
        ("User-agent: *\nDisallow: # nothing", "allows all"),
        ("user-agent:*\r\n\r\ndisallow : /a", "restricts"),
        ("User-agent: Baiduspider\nDisallow: /", "allows all"),
        ("User-agent: *\nDisallow: /\n\nUser-agent: Topical_Crawler\nDisallow:", "allows all"),
        ("User-agent: *\nAllow: /\n\nUser-agent: topical_crawler\nCrawl-delay: 5\nDisallow: /x", "restricts"),
        ("User-agent: a\nUser-agent: *\nUser-agent: b\nDisallow: /", "restricts"),
        ("User-agent: *\nDisallow: /one\nUser-agent: b\nAllow: /\nUser-agent: *\nAllow: /", "restricts"),
        ("Disallow: /\nUser-agent: *\nAllow: /", "allows all"),
        ("Sitemap: http://a.cn/map.xml\nUser-agent: *\nSitemap: /x\nDisallow: /y", "restricts"),
    ],
)
def test_what_a_robots_txt_says_to_this_crawler(text: str, said: str) -> None:
    assert classify_robots(text, allowed_by(text)) == said


@given(st.text(alphabet=st.sampled_from("User-agent: *Disallow\n\r/#党:"), max_size=200))
def test_any_text_says_something(text: str) -> None:
    assert classify_robots(text, allowed_by(text)) in ("allows all", "restricts")
