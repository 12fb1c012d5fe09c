"""What a site says of itself, and what is a page's own."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.strategies.base import SiteWords
from topical_crawler.web.page import Page

HOME = Page("http://a.cn/", "小林的博客 - 写写代码", "机器学习与生活", "博客,机器学习", heading="小林", lead="你好")


@pytest.fixture
def words() -> SiteWords:
    made = SiteWords()
    made.learn(HOME.url, made.lesson(HOME))
    return made


def test_parts_of_the_title_single_keywords_and_whole_heads_of_the_home_page_are_not_a_pages_own(words: SiteWords) -> None:
    page = Page("http://a.cn/tag/1", "分类：春游 | 小林的博客", "机器学习与生活", "春游,博客", "小林", "三月里去了山上")
    own = words.own(page)
    assert own == Page("http://a.cn/tag/1", "分类：春游", "", "春游", "", "三月里去了山上")


def test_the_sites_name_is_no_label_of_a_page_and_its_subjects_are() -> None:
    words, home = SiteWords(), Page("http://a.cn/", "党建研究_党建研究 - Linux", keywords="机器学习")
    words.learn(home.url, words.lesson(home))
    page = Page("http://a.cn/7.html", "春游_党建研究", labels=("党建研究", "要闻", "机器学习", "Linux"))
    assert words.own(page) == Page("http://a.cn/7.html", "春游", labels=("要闻", "机器学习", "Linux"))
    only_labels = Page("http://a.cn/8.html", "秋游", labels=("党建研究",))
    assert words.own(only_labels).labels == ()


@pytest.mark.parametrize(
    ("title", "own"),
    [
        ("青河党建网 支部动态", "支部动态"),
        ("支部动态　三月 青河党建网", "支部动态 三月"),
        ("青河党建网", ""),
        ("我看青河党建网 支部动态", "我看青河党建网 支部动态"),
        ("支部 青河党建网 动态", "支部 青河党建网 动态"),
        ("Linux 支部动态", "Linux 支部动态"),
    ],
)
def test_a_name_that_only_a_space_parts_from_the_title(title: str, own: str) -> None:
    words = SiteWords()
    home = Page("http://a.cn/", "青河党建网 首页 Linux")
    words.learn(home.url, words.lesson(home))
    assert words.own(Page("http://a.cn/1", title)).title == own


def test_the_home_page_and_other_sites_stay_as_they_are(words: SiteWords) -> None:
    assert words.own(HOME) is HOME
    other = Page("http://b.cn/tag/1", "分类：春游 | 小林的博客", "机器学习与生活")
    assert words.own(other) is other


def test_only_a_home_page_teaches_and_only_the_first(words: SiteWords) -> None:
    before = words.state_dict()
    later = Page("http://A.cn", title="换了名字", description="另一种说法")
    for page in (later, Page("http://a.cn/index", title="春游"), Page("http://a.cn/?p=1", title="春游"), Page("", title="春游")):
        words.learn(page.url, words.lesson(page))
    assert words.state_dict() == before
    assert words.lesson(Page("http://a.cn/index", title="春游")) is None
    assert words.lesson(Page("http://[broken/", title="春游")) is None


def test_the_state_survives_json(words: SiteWords) -> None:
    restored = SiteWords()
    restored.load_state_dict(json.loads(json.dumps(words.state_dict())))
    page = Page("http://a.cn/tag/1", "春游 | 小林的博客", "机器学习与生活")
    assert restored.own(page) == words.own(page)
    assert restored.state_dict() == words.state_dict()


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_page(title: str, description: str) -> None:
    words = SiteWords()
    home = Page("http://a.cn/", title, description)
    words.learn(home.url, words.lesson(home))
    own = words.own(Page("http://a.cn/1", title, description))
    assert own.description == ""
    assert set(own.title.split()) <= {"|", "｜", "_", "–", "—", "·", "•", "»", "-"} or own.title == ""
