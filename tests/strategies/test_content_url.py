"""content_url beyond the paper's print: the topic as a vector, seeds, waiting links that rise and fall, the state."""

from __future__ import annotations

import json
import random

import pytest

from topical_crawler import Candidate, Evidence, Link, Page, Topic, Verdict, strategies
from topical_crawler.strategies.content_url import ContentUrl, TopicVector
from topical_crawler.text.segment import Segmenter
from topical_crawler.text.statistics import Idf

ON, OFF = "党建", "天气"
PLACE = Evidence("http://a.cn/", 0.2, True)
TERMS = {"党建": 3.0, "支部": 4.0}
SEGMENTER = Segmenter(TERMS)
VECTOR = TopicVector(TERMS, SEGMENTER, Idf({"党建": 1.0, "支部": 1.0, "天气": 1.0}))


def make(**parameters: float) -> ContentUrl:
    topic = Topic("t", "试验", {"党建": 1.0}, parameters={"content_url": parameters})
    made = strategies.create(topic, "content_url", resources=None)
    assert isinstance(made, ContentUrl)
    return made


def learn(strategy: ContentUrl, title: str, *urls: str) -> None:
    for url in urls:
        strategy.learn(url, strategy.judge(Page(url, title=title), found=(PLACE,)))


def score(strategy: ContentUrl, url: str, *places: Evidence) -> float | None:
    return strategy.score([Candidate(url, places or (PLACE,))])[0]


def test_a_seed_off_topic_is_left_by_links_that_come_after_those_of_relevant_pages() -> None:
    strategy = make(page_threshold=0.1)
    links = tuple(Link(f"http://a.cn/{n}") for n in range(4))
    seed = strategy.judge(Page("http://a.cn/", title=OFF, links=links))
    assert (seed.keep, seed.link_relevance) == (False, 0.1 / 4)
    assert score(strategy, "http://a.cn/1", Evidence("http://a.cn/", seed.link_relevance, False, distance=1)) == 0.1 / 4
    relevant = strategy.judge(Page("http://a.cn/", title=ON, links=links))
    assert relevant.link_relevance > seed.link_relevance
    assert strategy.judge(Page("http://a.cn/", title=OFF, links=links), found=(PLACE,)).link_relevance == 0.0


def test_the_best_place_counts_and_a_link_found_nowhere_has_none() -> None:
    strategy = make()
    places = (PLACE, Evidence("http://b.cn/", 0.3, True), Evidence("http://c.cn/", 0.0, False, distance=1))
    assert score(strategy, "http://a.cn/1", *places) == 0.3
    assert strategy.explain(Candidate("http://a.cn/1", places))["parent"] == 0.3
    assert strategy.score([Candidate("http://a.cn/1", ())]) == [None]


def test_links_that_lead_to_one_page_count_once() -> None:
    strategy = make()
    links = tuple(map(Link, ("http://a.cn/1", "http://a.cn/1#top", "http://a.cn/2", "http://A.cn/2?utm_source=wx")))
    verdict = strategy.judge(Page("http://a.cn/", title=ON, links=links))
    assert verdict.link_relevance == verdict.relevance / 2
    assert strategy.judge(Page("http://a.cn/", title=ON)).link_relevance == verdict.relevance  # no links: nothing is divided by 0


def test_the_whole_text_is_judged_not_the_head() -> None:
    said = "本支部党建工作" * 3
    page = Page.from_html("http://a.cn/", f"<title>首页</title><p>{said}</p><nav>天气 天气 天气</nav>")
    assert make().judge(page).why == {"党建": 1.0}


def test_waiting_links_rise_and_fall_with_what_is_learned() -> None:
    strategy = make()
    revisions = [strategy.revision]

    def after(title: str, *urls: str) -> float | None:
        learn(strategy, title, *urls)
        revisions.append(strategy.revision)
        return score(strategy, "http://a.cn/x/9")

    assert after(OFF, "http://a.cn/1", "http://a.cn/2") == 0.2
    assert after(OFF, "http://a.cn/3") == 0.1  # U = {a.cn/}
    assert after(OFF, "http://a.cn/y/1", "http://a.cn/y/2") == 0.1
    assert after(OFF, "http://a.cn/y/3") == 0.2  # the longer a.cn/y/ takes the place of a.cn/
    assert after(ON, "http://a.cn/x/1", "http://a.cn/x/2", "http://a.cn/x/3") == pytest.approx(0.3)  # S = {a.cn/x/}
    assert revisions[3] < revisions[4] < revisions[5]
    candidate = Candidate("http://a.cn/x/9", (PLACE,))
    assert strategy.explain(candidate) == {"parent": 0.2, "url": 1.5}


def test_an_address_is_learned_once_whatever_form_it_has() -> None:
    strategy = make()
    learn(strategy, ON, "http://a.cn/x/1", "http://a.cn/x/1#a", "http://A.cn:80/x/1?utm_source=wx")
    learn(strategy, OFF, "http://a.cn/x/1")
    assert score(strategy, "http://a.cn/x/9") == 0.2


def test_a_resumed_crawl_knows_no_more_than_relevance_and_keep() -> None:
    through, resumed = make(), make()
    for n in range(12):
        url = f"http://a.cn/{n % 3}/{n}"
        verdict = through.judge(Page(url, title=ON if n % 2 else OFF))
        through.learn(url, verdict)
        resumed.learn(url, Verdict(verdict.relevance, verdict.keep))
    assert json.dumps(resumed.state_dict()) == json.dumps(through.state_dict())
    assert resumed.revision == through.revision


def test_the_state_is_small_and_does_not_depend_on_the_order() -> None:
    """1,000 pages as blogs name them: a folder for every article, by day."""
    chance = random.Random(1)
    urls = [
        f"http://blog{n % 14}.cn/20{chance.randrange(10, 25)}/{chance.randrange(12):02}/{chance.randrange(28):02}/"
        f"{'%E6%9C%BA%E5%99%A8' if n % 2 else 'learning-notes'}-{n}/"
        for n in range(1000)
    ]
    one, other = make(), make()
    for strategy, order in ((one, urls), (other, chance.sample(urls, len(urls)))):
        for url in order:
            strategy.learn(url, Verdict(0.0, len(url) % 3 == 0))
    state = json.dumps(one.state_dict())
    assert len(state) < 100_000
    assert json.dumps(other.state_dict()) == state
    assert other.revision == one.revision
    restored = make()
    restored.load_state_dict(json.loads(state))
    assert restored.revision == one.revision
    page = Page("http://a.cn/", title=ON, links=tuple(Link(url) for url in urls[:100]))
    assert restored.judge(page) == one.judge(page)
    assert one.judge(page).link_relevance > make().judge(page).link_relevance


def test_parameters_come_from_the_topic() -> None:
    strategy = make(frequency=1, raise_factor=3.0, lower_factor=0.0)
    learn(strategy, ON, "http://a.cn/x/1")
    learn(strategy, OFF, "http://a.cn/y/1")
    assert [score(strategy, f"http://a.cn/{folder}/2") for folder in "xyz"] == [pytest.approx(0.6), 0.0, 0.2]


def test_the_cosine_and_the_shares_of_the_words() -> None:
    relevance, why = VECTOR.compare("党建 支部 支部 天气")
    assert relevance == pytest.approx((3 + 8) / (5 * 6**0.5))
    assert list(why.items()) == [("支部", 0.7273), ("党建", 0.2727)]
    assert [VECTOR.compare(text) for text in ("", "天气", "，。", "\ufffd\0")] == [(0.0, {})] * 4  # nothing in common


def test_the_topic_itself_is_1_and_eight_words_are_told() -> None:
    many = {f"词{chr(0x4E00 + n)}": 1.0 for n in range(20)}
    relevance, why = TopicVector(many, Segmenter(many), Idf.load()).compare(" ".join(many))
    assert relevance == pytest.approx(1.0)
    assert relevance <= 1.0
    assert len(why) == 8
    made = TopicVector.of(Topic("t", "试验", TERMS), SEGMENTER)  # with the general document frequencies
    assert made.compare("支部 天气") == TopicVector(TERMS, SEGMENTER, Idf.load()).compare("支部 天气")
