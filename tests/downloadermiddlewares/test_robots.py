"""What a robots.txt says to this crawler."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.robotstxt import ProtegoRobotParser

from topical_crawler.downloadermiddlewares.robots import classify_robots

AGENT = "topical_crawler"


def allowed_by(text: str) -> Callable[[str], bool]:
    """What Scrapy's parser allows this crawler."""
    parser = ProtegoRobotParser(text.encode(), None)
    return lambda path: parser.allowed(f"http://a.cn{path}", AGENT)


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
