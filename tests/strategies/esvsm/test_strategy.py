"""The strategy ``esvsm``: its topic model, and when and how a topic word gives way to its hypernym."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from pathlib import Path

import pytest

from topical_crawler import Candidate, Evidence, Page, Topic, Verdict
from topical_crawler.resources.registry import Resources
from topical_crawler.strategies.base import Setup
from topical_crawler.strategies.esvsm import strategy as module
from topical_crawler.strategies.esvsm.strategy import Esvsm, EsvsmParameters
from topical_crawler.strategies.esvsm.topic_model import Replacement, TopicModel
from topical_crawler.text.segment import Segmenter

DOCUMENTS = ("智能手机有触摸屏。智能手机运行应用程序。", "触摸屏与应用程序", "智能手机的电池与屏幕")
TOPIC = Topic("phones", "智能手机", {"触摸屏": 2.0, "应用程序": 1.0}, documents=DOCUMENTS)
SEGMENTER = Segmenter(["智能手机", "手机", *TOPIC.terms], backend="rjieba")
REPLACED = Replacement("智能手机", "手机", "head", 5)
PARAMETERS = EsvsmParameters(least_results=4, stall_pages=5, most_results=0)
CILIN = "Bo04A01= 手机 大哥大 移动电话\n"


def esvsm(resources: Resources | None = None, topic: Topic = TOPIC, word: str = "智能手机", **changes: object) -> Esvsm:
    parameters = replace(PARAMETERS, **changes)  # type: ignore[arg-type]
    return Esvsm(TopicModel(topic, SEGMENTER, resources or Resources.none()), word, SEGMENTER, parameters)


def learn(strategy: Esvsm, pattern: str, start: int = 0) -> None:
    """Pages on topic (+) and off topic (-)."""
    for i, sign in enumerate(pattern, start):
        strategy.learn(f"http://a.cn/{i}", Verdict(0.5, sign == "+"))


def state(strategy: Esvsm) -> str:
    return json.dumps(strategy.state_dict(), ensure_ascii=False, sort_keys=True)


def test_the_topic_is_read_from_its_documents() -> None:
    vector = TopicModel(TOPIC, SEGMENTER, Resources.none()).vector()
    assert {"智能手机", "触摸屏", "应用程序", "电池", "屏幕"} <= set(vector)
    assert 1 <= len(TopicModel(TOPIC, SEGMENTER, Resources.none(), sub_topics=2, words=1).vector()) <= 2


def test_a_topic_without_documents_says_so(caplog: pytest.LogCaptureFixture) -> None:
    topic = replace(TOPIC, documents=(), source="mytopic")
    made = Esvsm.make(Setup("esvsm", topic, SEGMENTER, Resources.none()))
    assert made.judge(Page("http://a.cn/", title="触摸屏")).keep
    (record,) = caplog.records
    assert record.levelname == "WARNING" and "mytopic/documents.txt is missing" in record.getMessage()
    caplog.clear()
    Esvsm.make(Setup("esvsm", TOPIC, SEGMENTER, Resources.none()))
    assert not caplog.records


def test_the_topic_word_is_the_title_unless_it_is_named() -> None:
    for parameters, word in (({}, "智能手机"), ({"word": "卷积神经网络"}, "卷积神经网络")):
        topic = replace(TOPIC, parameters={"esvsm": {**parameters, "stall_pages": 1}})
        made = Esvsm.make(Setup("esvsm", topic, SEGMENTER, Resources.none()))
        learn(made, "-")
        assert made.replacements[0].word == word


@pytest.mark.parametrize(
    ("pattern", "page"),
    [
        pytest.param("-----", 5, id="nothing relevant from the start"),
        pytest.param("+-----", 6, id="no growth after the first"),
        pytest.param("----+----", None, id="growth in time, twice"),
        pytest.param("----+-----", 10, id="growth in time, once"),
        pytest.param("++++-----", None, id="results enough"),
        pytest.param("+++-----", 8, id="one result too few"),
    ],
)
def test_when_the_topic_word_is_replaced(pattern: str, page: int | None) -> None:
    strategy = esvsm()
    learn(strategy, pattern)
    assert [made.page for made in strategy.replacements] == ([] if page is None else [page])


def test_once_as_in_the_paper_or_as_often_as_is_said() -> None:
    for most, words in ((0, []), (1, ["神经网络"]), (3, ["神经网络", "网络"])):
        strategy = esvsm(word="卷积神经网络", max_replacements=most)
        learn(strategy, "-" * 40)
        assert [made.hypernym for made in strategy.replacements] == words


def test_seconds_count_where_they_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    strategy, other = esvsm(stall_seconds=15, stall_pages=0), esvsm(stall_pages=0)
    for seconds, sign, replaced in ((10, "-", 0), (4, "+", 0), (14, "-", 0), (1, "-", 1)):
        now[0] += seconds
        learn(strategy, sign, int(now[0]))
        learn(other, sign, int(now[0]))
        assert len(strategy.replacements) == replaced
    assert not other.replacements


def test_a_word_without_a_hypernym_stays(caplog: pytest.LogCaptureFixture) -> None:
    strategy = esvsm(word="酷睿", max_replacements=3)
    before = strategy.judge(Page("http://a.cn/", title="触摸屏"))
    learn(strategy, "-" * 30)
    assert strategy.replacements == []
    assert strategy.revision == 0
    assert strategy.judge(Page("http://a.cn/", title="触摸屏")) == before
    (record,) = caplog.records
    assert record.getMessage().startswith("After 5 pages, 0 of them relevant, no source has a hypernym")


def test_the_topic_is_built_again_around_the_hypernym(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "cilin.txt").write_text(CILIN, encoding="utf-8")
    strategy = esvsm(Resources(None, {"cilin": tmp_path / "cilin.txt"}))
    page = Page("http://a.cn/", title="移动电话")
    link = Candidate("http://a.cn/9", (Evidence("http://a.cn/", 0.0, False, page.title),))
    assert (strategy.judge(page).relevance, strategy.score([link])) == (0.0, [0.0])
    with caplog.at_level(logging.INFO):
        learn(strategy, "-----")
    # 智能手机 is in no dictionary here: its head is its hypernym, as in the paper.
    assert strategy.replacements == [REPLACED]
    assert strategy.revision == 1
    assert [r.getMessage() for r in caplog.records if r.name == module.__name__] == [
        "After 5 pages, 0 of them relevant, replacing the topic word '智能手机' by its hypernym '手机' (head)"
    ]
    assert strategy.judge(page).relevance > 0
    (score,) = strategy.score([link])
    assert score is not None and score > 0


def test_documents_after_a_replacement(tmp_path: Path) -> None:
    (tmp_path / "cilin.txt").write_text(CILIN, encoding="utf-8")
    model = TopicModel(TOPIC, SEGMENTER, Resources(None, {"cilin": tmp_path / "cilin.txt"}))
    before, after = model.documents(), model.documents([REPLACED])
    assert [d["智能手机"] for d in before] == [2, 0, 1, 1]
    assert [d["智能手机"] for d in after] == [0] * 5
    assert [d["手机"] for d in after] == [2, 0, 1, 1, 2]
    assert after[-1] == {"手机": 2, "大哥大": 1, "移动电话": 1}
    assert model.documents() == before


@pytest.mark.parametrize("cut", [1, 2, 5, 6, 8, 12])
def test_a_crawl_that_is_cut_anywhere_replaces_at_the_same_page(cut: int) -> None:
    pattern = "-+----+-----"
    through, restored = esvsm(), esvsm()
    learn(through, pattern[:cut])
    restored.load_state_dict(json.loads(state(through)))
    learn(restored, pattern[max(0, cut - 2) :], max(0, cut - 2))  # the last two are told again
    learn(through, pattern[cut:], cut)
    assert restored.replacements == through.replacements != []
    assert state(restored) == state(through)
    page = Page("http://a.cn/", title="手机")
    assert restored.judge(page) == through.judge(page) != esvsm().judge(page)


def test_a_killed_crawl_learns_from_its_pages_that_a_word_had_been_replaced() -> None:
    """The clock had run out, which pages do not tell: the lesson of the next page does."""
    before = esvsm(stall_pages=0, stall_seconds=15)
    learn(before, "-----")
    lessons = [before.judge(Page("http://a.cn/", title="手机")).lesson]
    before._replace()
    lessons.append(before.judge(Page("http://a.cn/", title="手机")).lesson)
    assert lessons == [{"words": {"手机": 1}}, {"replaced": 1}]
    resumed = esvsm(stall_pages=0, stall_seconds=15)
    learn(resumed, "-----")
    resumed.learn("http://a.cn/5", Verdict(0.1, False, lesson={"replaced": 1}))
    assert resumed.replacements == before.replacements


def test_rejected_pages_are_judged_again_by_the_new_topic() -> None:
    strategy = esvsm(max_replacements=1)
    phone, weather = (strategy.judge(Page("http://a.cn/", title=title)) for title in ("手机 手机 充电", "天气"))
    assert (phone.keep, weather.keep) == (False, False)
    lessons = json.loads(json.dumps([phone.lesson, weather.lesson]))
    before = strategy.reconsider(lessons)
    assert [verdict and verdict.keep for verdict in before] == [False, False]
    learn(strategy, "-----")
    assert strategy.search_words == ["手机"]
    now = strategy.reconsider([*lessons, None])
    assert [verdict and verdict.keep for verdict in now] == [True, False, None]
    assert strategy.judge(Page("http://a.cn/", title="手机 手机 充电")).keep
    settled = esvsm()  # no further replacement: a page that stays rejected need not be remembered
    learn(settled, "-----")
    assert settled.judge(Page("http://a.cn/", title="天气")).lesson == {"replaced": 1}


def test_the_crawl_has_enough_with_so_many_results() -> None:
    strategy = esvsm(most_results=6)
    learn(strategy, "+++++")
    learn(strategy, "+++++")  # the same pages again
    assert not strategy.has_enough
    learn(strategy, "-+", 5)
    assert strategy.has_enough
    restored = esvsm(most_results=6)
    restored.load_state_dict(json.loads(state(strategy)))
    assert restored.has_enough


def test_the_title_counts_for_links_where_it_is_given_a_share() -> None:
    page = Page.from_html("http://a.cn/", "<title>触摸屏</title><body><p>电池 屏幕</p></body>")
    plain, titled = (esvsm(title_weight=share).judge(page) for share in (0.0, 0.5))
    assert (plain.relevance, plain.keep) == (titled.relevance, titled.keep)
    of_title = esvsm().relevance("触摸屏")
    assert plain.link_relevance == plain.relevance != pytest.approx(of_title)
    assert titled.link_relevance == pytest.approx((titled.relevance + of_title) / 2)


def test_addresses_are_let_go_when_nothing_more_is_to_be_counted() -> None:
    for pattern in ("++++", "-----"):
        strategy = esvsm()
        learn(strategy, pattern[:-1])
        assert len(strategy.state_dict()["growth"]["seen"]) == len(pattern) - 1
        learn(strategy, pattern[-1], len(pattern) - 1)
        assert strategy.state_dict()["growth"]["seen"] == []
        final = state(strategy)
        learn(strategy, "-+" * 10)
        assert state(strategy) == final
