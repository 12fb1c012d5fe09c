"""The baselines of odp2evsm on pages of a small shop and of the recorded one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shop_tools import BAD, FOUND, GOOD, TERMS, book, recorded_books

from experiments.baselines.books import KeywordVsmParameters
from topical_crawler import Page, Topic, strategies
from topical_crawler.resources.registry import Resources
from topical_crawler.strategies import PAGE_OFF_TOPIC

CLC = {
    "TP": {"name": "计算机技术", "up_level": None},
    "TP311": {"name": "数据挖掘", "up_level": "TP"},
    "TP311.1": {"name": "聚类分析", "up_level": "TP311"},
}


@pytest.mark.parametrize("name", ["category_vsm", "keyword_vsm"])
def test_books_by_title_and_introduction(name: str) -> None:
    strategy = strategies.create(Topic("dm", "数据挖掘", TERMS), name, resources=None, segmenter="rjieba")
    good, bad = strategy.judge(GOOD, FOUND), strategy.judge(BAD, FOUND)
    assert (good.keep, bad.keep, bad.relevance) == (True, False, 0.0)
    assert next(iter(good.why)) == "数据挖掘" and sum(good.why.values()) == pytest.approx(1, abs=0.001)
    assert strategy.drop_reason == PAGE_OFF_TOPIC
    assert good.lesson is None


def test_words_of_the_category_are_kept_whole(tmp_path: Path) -> None:
    (tmp_path / "clc.json").write_text(json.dumps(CLC, ensure_ascii=False), encoding="utf-8")
    resources = Resources(None, {"clc": tmp_path / "clc.json"})
    strategy = strategies.create(Topic("dm", "数据挖掘", TERMS), "category_vsm", resources=resources, segmenter="rjieba")
    assert "聚类分析" in strategy.judge(book(1, "聚类分析", "方法与实例"), FOUND).why


def test_of_a_topic_of_books_the_topic_word_alone_counts() -> None:
    page = Page("http://a.cn/", title="聚类")
    kept = []
    for strategy, table in (("semantic", {}), ("odp2evsm", {}), ("odp2evsm", {"keywords": 20})):
        topic = Topic("dm", "数据挖掘", TERMS, default_strategy=strategy, parameters={"keyword_vsm": table})
        kept.append(strategies.create(topic, "keyword_vsm", resources=None, segmenter="rjieba").judge(page).keep)
    assert kept == [True, False, True]
    for wrong in (0, 1.5, True, "1"):
        with pytest.raises(ValueError, match="keywords must be a whole number of 1 or more"):
            KeywordVsmParameters(keywords=wrong)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def shop() -> list[tuple[Page, bool]]:
    return recorded_books()


@pytest.mark.parametrize(("name", "precision", "recall"), [("category_vsm", 0.8, 0.9), ("keyword_vsm", 0.8, 0.7)])
def test_books_of_the_recorded_shop(shop: list[tuple[Page, bool]], name: str, precision: float, recall: float) -> None:
    strategy = strategies.create("data-mining-books", name, resources=None, segmenter="rjieba")
    kept = [relevant for page, relevant in shop if strategy.judge(page, FOUND).keep]
    assert sum(kept) / len(kept) >= precision
    assert sum(kept) / sum(relevant for _, relevant in shop) >= recall
