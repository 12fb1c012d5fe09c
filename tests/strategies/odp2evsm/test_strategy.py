"""The strategies for books on pages of a small shop, and on ordinary pages."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shop_tools import BAD, FOUND, GOOD, SEARCH, TERMS, book, recorded_books

from topical_crawler import Candidate, Evidence, Page, Topic, TopicError, load_topic, strategies
from topical_crawler.resources.registry import Resources
from topical_crawler.strategies import PAGE_OFF_TOPIC, Strategy
from topical_crawler.strategies.odp2evsm.books import read
from topical_crawler.strategies.odp2evsm.strategy import Odp2evsm


def make(*, title: str = "数据挖掘", resources: Resources | None = None, **parameters: object) -> Strategy:
    topic = Topic("dm", title, TERMS, parameters={"odp2evsm": parameters})
    return strategies.create(topic, "odp2evsm", resources=resources, segmenter="rjieba")


def search(page: int = 1, words: str = "数据挖掘") -> Page:
    books = "".join(f"<li><a href=http://item.shop.cn/{n}.html>{words}的第{n}种书</a>" for n in range(8))
    more = f"<a href=/Search?keyword=%E6%95%B0&page={page + 1}>下一页</a>"
    return Page.from_html(f"{SEARCH}&page={page}" if page > 1 else SEARCH, f"<title>{words} 商品搜索</title>{books}{more}")


def links_of(strategy: Strategy, page: Page, found: tuple[Evidence, ...] = FOUND) -> dict[str, float | None]:
    """Anchor → score, as the crawl asks for it."""
    verdict = strategy.judge(page, found)
    strategy.learn(page.url, verdict)
    places = [Candidate(x.url, (Evidence(page.url, verdict.link_relevance, verdict.keep, x.anchor),)) for x in page.links]
    return dict(zip((x.anchor for x in page.links), strategy.score(places), strict=True))


def test_books_by_title_and_introduction() -> None:
    strategy = make()
    good, bad = strategy.judge(GOOD, FOUND), strategy.judge(BAD, FOUND)  # 数据挖掘 in the contents of BAD is not read
    assert (good.keep, bad.keep, bad.relevance) == (True, False, 0.0)
    assert next(iter(good.why)) == "数据挖掘" and sum(good.why.values()) == pytest.approx(1, abs=0.001)
    assert strategy.drop_reason == PAGE_OFF_TOPIC


def test_a_search_leads_to_books_first_and_then_to_its_next_page() -> None:
    strategy = make()
    verdict = strategy.judge(search())
    assert not verdict.keep and verdict.link_relevance > 0
    scores = links_of(strategy, search(), found=())
    following = scores.pop("下一页")
    assert following is not None and all(score is not None and score > following > 0 for score in scores.values())


def test_lists_are_followed_where_they_are_relevant_or_where_the_crawl_began() -> None:
    strategy = make()
    far = search(9, "小说")
    assert set(links_of(strategy, far).values()) == {None}
    links_of(strategy, search(), found=())
    assert None not in links_of(strategy, far).values()
    elsewhere = Page.from_html("http://b.cn/list/", far.html)
    assert set(links_of(strategy, elsewhere).values()) == {None}
    assert None not in links_of(strategy, Page.from_html("http://b.cn/list/", search().html)).values()


def test_links_of_books() -> None:
    strategy = make()
    recommended = "<h3>相关推荐</h3><a href=/3.html>聚类的方法</a><a href=/4.html>育儿百科</a>"
    good = Page.from_html(GOOD.url, GOOD.html + recommended)
    relevance = strategy.judge(good, FOUND).relevance
    scores = links_of(strategy, good)
    assert scores["育儿百科"] == pytest.approx(relevance / 2)
    assert scores["聚类的方法"] > scores["育儿百科"]  # type: ignore[operator]
    assert links_of(strategy, Page.from_html(BAD.url, BAD.html + recommended)) == {"聚类的方法": None, "育儿百科": None}
    place = Evidence(good.url, 0.4, True, "聚类分析")
    explained = strategy.explain(Candidate("http://item.shop.cn/3.html", (place,)))
    assert explained["parent"] == 0.4
    assert strategy.score([Candidate("http://item.shop.cn/3.html", (place,))]) == [sum(explained.values()) / 2]


def test_ordinary_pages_by_what_they_say() -> None:
    strategy = make()
    text = "先用决策树划分，再用聚类检查。" * 20
    assert strategy.judge(Page.from_html("http://blog.cn/1", f"<title>周末笔记</title><p>{text}"), FOUND).keep
    assert not strategy.judge(Page.from_html("http://blog.cn/2", f"<title>周末笔记</title><p>{'爬山与钓鱼。' * 20}"), FOUND).keep
    assert strategy.judge(Page("http://blog.cn/3", title="关联规则"), FOUND).keep


def test_the_topic_grows_by_relevant_books() -> None:
    strategy = make(batch=3, learned_keywords=4)
    assert isinstance(strategy, Odp2evsm)
    new = Candidate("http://item.shop.cn/9.html", (Evidence(SEARCH, 0.5, False, "频繁项集"),))
    before = strategy.score([new])[0]
    for n in range(3):
        assert strategy.revision == 0
        page = book(n, "数据挖掘与频繁项集", "讲解频繁项集与关联规则。")
        strategy.learn(page.url, strategy.judge(page, FOUND))
    assert "频繁" in strategy.expansion.added or "频繁项集" in strategy.expansion.added
    assert strategy.revision == len(strategy.expansion.added) > 0
    assert max(strategy.expansion.added.values()) < min(TERMS.values())
    after = strategy.score([new])[0]
    assert before is not None and after is not None and after > before == 0


def test_irrelevant_books_teach_nothing() -> None:
    strategy = make(batch=1)
    strategy.learn(BAD.url, strategy.judge(BAD, FOUND))
    assert strategy.revision == 0
    without = make(batch=1, learned_keywords=0)
    without.learn(GOOD.url, without.judge(GOOD, FOUND))
    assert without.revision == 0 and without.judge(GOOD, FOUND).lesson is None


TREE = {"TP": ("计算机技术", None), "TP311": ("数据挖掘", "TP"), "TP311.1": ("聚类分析", "TP311"), "TP312": ("程序语言", "TP")}


@pytest.fixture
def resources(tmp_path: Path) -> Resources:
    clc = {code: {"name": name, "up_level": parent} for code, (name, parent) in TREE.items()}
    (tmp_path / "clc.json").write_text(json.dumps(clc), encoding="utf-8")
    return Resources(None, {"clc": tmp_path / "clc.json"})


def keywords(resources: Resources | None, title: str = "数据挖掘", **parameters: object) -> dict[str, float]:
    strategy = make(title=title, resources=resources, **parameters)
    assert isinstance(strategy, Odp2evsm)
    return strategy.expansion.keywords


def test_the_topic_s_category(resources: Resources) -> None:
    assert keywords(resources, own_terms=False) == {"数据挖掘": 1.0, "聚类分析": 1.0}
    assert keywords(resources, own_terms=False, category="tp312") == {"数据挖掘": 1.0, "程序语言": 1.0}
    assert keywords(resources) == {**TERMS, "聚类分析": 1.0}
    assert list(keywords(resources, keyword_threshold=0.5)) == ["数据挖掘", "聚类分析", "关联规则", "聚类"]
    assert keywords(resources, max_keywords=1) == {"数据挖掘": 1.0}
    # Words of the category are kept whole.
    assert "聚类分析" in make(resources=resources).judge(book(1, "聚类分析", "方法与实例"), FOUND).why
    with pytest.raises(TopicError, match="no category matches '烹饪'"):
        keywords(resources, category="烹饪")


def test_own_terms_where_there_is_no_category(resources: Resources, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    assert keywords(resources, title="挖掘数据") == TERMS
    assert "own terms" in caplog.text and "category =" in caplog.text
    caplog.clear()
    assert keywords(None) == TERMS
    assert "No tree of categories" in caplog.text


def test_a_category_of_a_tree_of_ones_own(write_topic: Callable[..., Path]) -> None:
    tree = {"1": ("计算机", None), "2": ("数据挖掘", "1"), "3": ("文本聚类", "2")}
    written = json.dumps({code: {"name": name, "up_level": parent} for code, (name, parent) in tree.items()})
    table = 'title = "数据挖掘"\n[strategy.odp2evsm]\ntree = "tree.json"\n'
    folder = write_topic({"topic.toml": table, "tree.json": written})
    strategy: Any = strategies.create(load_topic(folder), "odp2evsm", resources=None)
    assert strategy.expansion.keywords == {"党建": 1.0, "数据挖掘": 1.0, "文本聚类": 1.0}
    folder.joinpath("tree.json").unlink()
    with pytest.raises(TopicError, match=r"topic\.toml, line 3: no file .*tree\.json"):
        strategies.create(load_topic(folder), "odp2evsm", resources=None)


@pytest.fixture(scope="module")
def shop() -> list[tuple[Page, bool]]:
    return recorded_books()


@pytest.mark.slow
def test_books_of_the_recorded_shop(shop: list[tuple[Page, bool]]) -> None:
    strategy = strategies.create("data-mining-books", "odp2evsm", resources=None, segmenter="rjieba")
    kept = [relevant for page, relevant in shop if strategy.judge(page, FOUND).keep]
    assert sum(kept) / len(kept) >= 0.9
    assert sum(kept) / sum(relevant for _, relevant in shop) >= 0.75


def test_every_book_of_the_recorded_shop_is_read(shop: list[tuple[Page, bool]]) -> None:
    assert all(read(page).kind == "book" for page, _ in shop)
