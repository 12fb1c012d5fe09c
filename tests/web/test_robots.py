"""What a robots.txt says to this crawler."""

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.robotstxt import ProtegoRobotParser

from topical_crawler.web.robots import MOST_ASKED, MOST_BYTES, Answer, addressed, classify, read_answer

AGENT = "topical_crawler"


def allowed_by(text: str) -> Callable[[str], bool]:
    """What Scrapy's parser allows this crawler."""
    parser = ProtegoRobotParser(addressed(text, AGENT).encode(), None)
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
    assert classify(addressed(text, AGENT), allowed_by(text)) == said


@pytest.mark.parametrize(("pairs", "said"), [(MOST_ASKED, "allows all"), (MOST_ASKED + 1, "restricts"), (20_000, "restricts")])
def test_a_parser_is_asked_about_few_paths_however_many_are_named(pairs: int, said: str) -> None:
    asked: list[str] = []
    text = "User-agent: *\n" + "".join(f"Disallow: /s{number}\nAllow: /s{number}\n" for number in range(pairs))
    assert classify(text, lambda path: not asked.append(path)) == said
    assert len(asked) <= MOST_ASKED


@given(st.text(alphabet=st.sampled_from("User-agent: *Disallow\n\r/#党:"), max_size=200))
def test_any_text_says_something(text: str) -> None:
    assert classify(addressed(text, AGENT), allowed_by(text)) in ("allows all", "restricts")


@pytest.mark.parametrize(
    ("status", "said", "lasts"),
    [(204, None, True), (301, "unreachable", False), (401, "none", False), (404, "none", True), (410, "none", True)],
)
def test_what_an_answer_means(status: int, said: str | None, lasts: bool) -> None:
    assert read_answer(status, b"") == Answer("", said, lasts)  # type: ignore[arg-type]


@pytest.mark.parametrize("status", [429, 500, 503, 599])
def test_a_server_that_fails_forbids_everything_for_now(status: int) -> None:
    assert read_answer(status, b"User-agent: *\nAllow: /") is None


def test_of_a_large_one_whole_lines_count() -> None:
    line = "Disallow: /党建\n".encode()
    answer = read_answer(200, line * (MOST_BYTES // len(line) + 1))
    assert answer is not None and answer.text.encode() == line[:-1] + (b"\n" + line[:-1]) * (MOST_BYTES // len(line) - 1)


def test_broken_characters_are_left_out() -> None:
    assert read_answer(200, b"\xef\xbb\xbfDisallow: /a\xff\0b") == Answer("Disallow: /ab", None, lasts=True)


CLOSED = "\nDisallow: /"


@pytest.mark.parametrize(
    ("named", "ours"),
    [
        ("User-agent: topical_crawler/0.1", True),
        ("User-agent: TOPICAL_CRAWLER 2.0 (+http://a.cn)", True),
        ("User-agent: topical_crawler-1.0 # 我们", True),
        ("User-agent: topical_*crawler*", True),
        ("User-agent: Mozilla/5.0 (compatible; topical_crawler/1.1)", True),
        ("User-agent: Baiduspider, topical_crawler", True),
        ("user agent topical_crawler/1", True),
        ("User-agent: topical_crawler/1\nX-Note: 1\nUser-agent: Baiduspider", True),
        ("User-agent: topical", False),
        ("User-agent: crawler", False),
        ("User-agent: topical_crawlers", False),
        ("User-agent: topical_crawler-images/1.0", False),
        ("User-agent: my-topical_crawler", False),
        ("User-agent: (all but topical-crawler)", False),
    ],
)
def test_a_group_is_ours_whatever_stands_beside_our_name(named: str, ours: bool) -> None:
    assert allowed_by(named + CLOSED)("/x") is not ours
    others = f"{named}\nAllow: /\nUser-agent: *{CLOSED}"
    assert allowed_by(others)("/x") is ours, "a group of ours takes the place of the one for all"


@pytest.mark.parametrize("agent", ["MJ12bot", "Mozilla/5.0 (compatible; MJ12bot/1.4)", "mj12bot/v2"])
def test_an_agent_is_known_by_each_of_its_words(agent: str) -> None:
    text = f"User-agent: MJ12bot/1.2{CLOSED}"
    assert not ProtegoRobotParser(addressed(text, agent).encode(), None).allowed("http://a.cn/x", agent)


def test_a_group_of_many_names_and_rules_is_read_at_once() -> None:
    """512 KB of them took half a minute when each name had its own list of rules."""
    names, rules = "".join(f"User-agent: b{n}\n" for n in range(15_000)), "".join(f"Disallow: /{n}\n" for n in range(15_000))
    began = time.process_time()
    said = addressed(f"{names}User-agent: *\n{rules}", "topical_crawler").splitlines()
    assert time.process_time() - began < 2
    assert said[:3] == ["User-agent: *", "Disallow: /0", "Disallow: /1"] and len(said) == 15_001


def test_a_group_that_names_us_twice_and_comes_again_is_joined() -> None:
    text = "User-agent: topical_crawler\nUser-agent: topical_crawler\nDisallow: /a\nUser-agent: topical_crawler\nDisallow: /b"
    assert addressed(text, "topical_crawler") == "User-agent: *\nDisallow: /a\nDisallow: /b"
