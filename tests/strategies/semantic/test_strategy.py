"""The strategy ``semantic``: Figure 1's flow, Eq. 5, the history of Algorithm 3, and its explanations."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler import strategies
from topical_crawler.strategies.semantic.parameters import SemanticParameters, ahp_weights
from topical_crawler.strategies.semantic.priority import HISTORY_SIZE, Priority
from topical_crawler.strategies.semantic.score_table import ScoreTable
from topical_crawler.strategies.semantic.similarity import WordSimilarity
from topical_crawler.strategies.semantic.strategy import Semantic
from topical_crawler.strategies.semantic.url_structure import History, StructureParameters
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.topic import Topic
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict

TOPIC = Topic("t", "党建", {"党建": 2.0, "支部": 1.0, "主题教育": 1.5}, weights={"足球": 0.5, "比赛": 0.0})
SEGMENTER = Segmenter(TOPIC.terms, backend="rjieba")
TABLE = ScoreTable.build(TOPIC.terms, WordSimilarity())
PARENT = "http://dj.a.cn/index.html"


def semantic(seed: int = 0, **parameters: object) -> Semantic:
    return Semantic(TOPIC, SEGMENTER, Priority(TOPIC, TABLE, SemanticParameters(**parameters), seed))  # type: ignore[arg-type]


def found(
    anchor: str, on_topic: bool, relevance: float = 0.0, distance: int | None = None, url: str = "http://b.cn/1"
) -> Candidate:
    """A link found on one page; of a page off topic, one link away from the topic unless said otherwise."""
    distance = (0 if on_topic else 1) if distance is None else distance
    return Candidate(url, (Evidence(PARENT, relevance, on_topic, anchor, distance),))


def test_a_page_is_judged_by_its_description_information() -> None:
    strategy = semantic(page_threshold=1.0)
    # Words 党建 (2·2), 支部 (1·1), 足球 (nothing): (4 + 1 + 0) / 3.
    page = Page("http://a.cn/", title="党建 支部 足球", heading="主题教育", lead="主题教育", description="支部")
    by_title = strategy.judge(page)
    assert (by_title.relevance, by_title.keep) == (pytest.approx(5 / 3), True)
    by_heading = strategy.judge(Page("http://a.cn/", title="足球", heading="支部"))
    assert (by_heading.relevance, by_heading.keep) == (0.5, False)
    once, often = (strategy.judge(Page("http://a.cn/", title=title)).relevance for title in ("党建", "党建党建党建"))
    assert once == often


def test_the_threshold_has_to_be_passed() -> None:
    page = Page("http://a.cn/", title="支部")
    assert semantic(page_threshold=1.0).judge(page).keep is False
    assert semantic(page_threshold=0.999).judge(page).keep is True
    assert semantic(page_threshold=0.0).judge(Page("http://a.cn/", title="足球")).keep is False


def test_why_names_the_words_with_their_shares() -> None:
    why = semantic().judge(Page("http://a.cn/", title="党建 支部 足球")).why
    assert why == {"党建": 0.8, "支部": 0.2}
    assert list(why) == ["党建", "支部"]  # the heaviest first
    assert semantic().judge(Page("http://a.cn/", title="足球")).why == {}
    table = ScoreTable({"党建": (2.0, "党建"), "足球": (0.5, "支部")})  # a word that is like a term
    why = Semantic(TOPIC, SEGMENTER, Priority(TOPIC, table)).judge(Page("http://a.cn/", title="党建 足球")).why
    assert why == {"党建": pytest.approx(4 / 4.25, abs=1e-4), "足球~支部": pytest.approx(0.25 / 4.25, abs=1e-4)}


WORDS = ("党建", "支部", "主题教育", "足球", "学习", "会议", "天气", "新闻", "组织", "群众")


@given(st.lists(st.sampled_from((*WORDS, "比赛", "经济")), max_size=20))
def test_shares_sum_to_one_at_most(words: list[str]) -> None:
    table = ScoreTable({w: (0.3 + i / 7, "党建") for i, w in enumerate(WORDS)})
    why = Semantic(TOPIC, SEGMENTER, Priority(TOPIC, table)).judge(Page("http://a.cn/", title=" ".join(words))).why
    assert len(why) <= 8
    assert sum(why.values()) <= 1 + 8 * 0.00005  # each is rounded to four digits
    assert all(0 < share <= 1 for share in why.values())


@pytest.mark.parametrize(
    ("anchor", "followed"), [("支部生活", True), ("党建", True), ("足球比赛", False), ("", False), ("更多", False)]
)
@pytest.mark.parametrize("distance", [0, 1, 5])
def test_of_a_page_off_topic_only_links_with_a_topic_term_are_followed(anchor: str, followed: bool, distance: int) -> None:
    """Whatever the threshold of Eq. 5: the match decides, the priority only says when."""
    (score,) = semantic(link_threshold=0.99).score([found(anchor, on_topic=False, relevance=0.4, distance=distance)])
    assert (score is not None) is followed


@pytest.mark.parametrize(("anchor", "followed"), [("支部生活", True), ("足球比赛", False), ("", False)])
def test_of_a_page_on_topic_links_above_the_threshold_are_followed(anchor: str, followed: bool) -> None:
    strategy = semantic(link_threshold=0.25)
    (score,) = strategy.score([found(anchor, on_topic=True, relevance=0.5)])
    priority = strategy.priority("http://b.cn/1", Evidence(PARENT, 0.5, True, anchor))
    assert (priority > 0.25) is followed
    assert score == (priority if followed else None)
    # The relevance of the page alone can carry a link.
    assert strategy.score([found("", on_topic=True, relevance=5.0)]) == [pytest.approx(5 / 6 * strategy.eq5.alpha)]
    assert strategy.score([found("", on_topic=False, relevance=5.0)]) == [None]


@pytest.mark.parametrize(
    ("tunnel", "distance", "followed"), [(0, 1, False), (1, 1, True), (1, 2, False), (3, 3, True), (3, 4, False)]
)
def test_a_tunnel_passes_pages_off_topic(tunnel: int, distance: int, followed: bool) -> None:
    strategy = semantic(tunnel=tunnel)
    scores = strategy.score([found(anchor, on_topic=False, distance=distance) for anchor in ("更多", "支部")])
    assert scores[1] is not None
    assert (scores[0] is not None) is followed
    assert scores[0] is None or scores[0] < scores[1]


def test_a_link_is_worth_its_best_place() -> None:
    strategy = semantic()
    places = (
        Evidence("http://a.cn/1", 0.9, False, "更多", 1),
        Evidence("http://a.cn/2", 0.3, True, "支部"),
        Evidence("http://a.cn/3", 0.1, False, "党建", 1),
        Evidence("http://a.cn/4", 0.0, True, "更多"),
    )
    alone = [strategy.score([Candidate("http://b.cn/1", (place,))])[0] for place in places]
    assert alone[0] is None and alone[3] is None
    assert strategy.score([Candidate("http://b.cn/1", places)]) == [max(s for s in alone if s is not None)]
    assert strategy.score([Candidate("http://b.cn/1", ())]) == [None]


def test_what_was_learned_in_between_counts() -> None:
    strategy = semantic(link_threshold=0.1)
    waiting = found("更多", on_topic=True, url="http://dj.a.cn/djyw/7.html")
    assert strategy.score([waiting]) == [None]
    strategy.learn("http://sport.b.com/1.html", Verdict(0.0, False))  # a page off topic does not join the history
    assert strategy.score([waiting]) == [None]
    strategy.learn("http://dj.a.cn/djyw/1.html", Verdict(0.9, True))
    assert strategy.score([waiting]) == [pytest.approx(strategy.eq5.lam)]


@given(st.floats(0, 10), st.sampled_from(["党建", "支部", "主题教育支部", "足球", ""]), st.booleans())
def test_eq_5_is_the_weighted_sum_of_the_parts(relevance: float, anchor: str, same: bool) -> None:
    strategy = semantic()
    strategy.learn(PARENT, Verdict(1.0, True))
    url = "http://dj.a.cn/2.html" if same else "http://x.y/2.html"
    alpha, beta, lam = ahp_weights([[1, "1/2", 3], [2, 1, 5], ["1/3", "1/5", 1]])
    parts = {"党建": 4.0, "支部": 1.0, "主题教育支部": (2.25 + 1) / 2, "足球": 0.0, "": 0.0}
    evidence = Evidence(PARENT, relevance, True, anchor)
    bounded = {"parent": relevance / (1 + relevance), "anchor": parts[anchor] / (1 + parts[anchor]), "struct": int(same)}
    expected = alpha * bounded["parent"] + beta * bounded["anchor"] + lam * same
    assert strategy.priority(url, evidence) == pytest.approx(expected)
    assert 0 <= expected < 1
    raw = semantic(bounded=False)
    raw.learn(PARENT, Verdict(1.0, True))
    assert raw.priority(url, evidence) == pytest.approx(alpha * relevance + beta * parts[anchor] + lam * same)
    followed = strategy.priority(url, evidence) > strategy.parameters.link_threshold
    assert strategy.explain(Candidate(url, (evidence,))) == pytest.approx(bounded if followed else {})


def test_explain_speaks_of_the_place_that_the_score_is_of() -> None:
    """A place whose links are not followed gives the link no priority, however relevant the page is."""
    strategy = semantic()
    best = Evidence("http://a.cn/2", 0.1, True, "党建")
    for place in (Evidence("http://a.cn/1", 90.0, False, "更多", 1), Evidence("http://a.cn/1", 0.2, True, "更多")):
        candidate = Candidate("http://b.cn/1", (place, best))
        assert strategy.explain(candidate) == pytest.approx({"parent": 0.1 / 1.1, "anchor": 4 / 5, "struct": 0})
        assert strategy.score([candidate]) == [pytest.approx(strategy.eq5.alpha * 0.1 / 1.1 + strategy.eq5.beta * 4 / 5)]
    assert strategy.explain(Candidate("http://b.cn/1", ())) == {}


@pytest.mark.parametrize(
    ("text", "relevance", "keep"), [("支部 足球", 0.5, True), ("支部 足球 会议", 1 / 3, False), ("", 0.0, False)]
)
def test_confirm_holds_the_text_against_its_threshold(text: str, relevance: float, keep: bool) -> None:
    assert semantic(text_threshold=0.4).confirm(text) == (pytest.approx(relevance), keep)
    assert semantic().confirm(text) == (pytest.approx(relevance), True)  # off by default


def urls(n: int) -> list[str]:
    return [f"http://dj.a.cn/djyw/{i}.html" for i in range(n)]


def history(found: list[str], size: int = 50, seed: int = 0) -> History:
    made = History(size, seed)
    for url in found:
        made.add(url)
    return made


@given(st.randoms(use_true_random=False), st.integers(0, 3))
def test_neither_order_nor_repetition_matters(order: random.Random, seed: int) -> None:
    shuffled = urls(80) + urls(20)
    order.shuffle(shuffled)
    one, other = history(urls(80), 30, seed), history(shuffled, 30, seed)
    assert one.urls() == other.urls()
    assert len(one.urls()) == 30
    assert one.sample(7) == other.sample(7)
    merged = history([*history(urls(50), 30, seed).urls(), *history(urls(80)[40:], 30, seed).urls()], 30, seed)
    assert merged.urls() == one.urls()
    assert set(history(shuffled, 80).urls()) == set(urls(80))  # a small one is kept whole
    assert history([]).urls() == [] == list(history([]).sample(15))


def test_every_url_is_as_likely_to_stay_and_to_be_drawn() -> None:
    """χ² over 40 URLs, of which 10 stay, in 400 histories: 39 degrees of freedom, 0.1 % above 72.1."""
    stayed = Counter(url for seed in range(400) for url in history(urls(40), 10, seed).urls())
    expected = 400 * 10 / 40
    assert sum((stayed[url] - expected) ** 2 / expected for url in urls(40)) < 72.1
    # Those that came first and those that came last alike.
    assert abs(sum(stayed[url] for url in urls(20)) - 2000) < 150
    drawn = Counter(part for seed in range(400) for part in history(urls(40), 50, seed).sample(10))
    assert sum(drawn.values()) == 4000
    # URLs are told apart by their sets of characters here: 0 and 00 are not in it, so 40 URLs give fewer distinct parts.
    classes = Counter(history([url]).sample(1)[0] for url in urls(40))
    assert sum((drawn[part] - 100 * n) ** 2 / (100 * n) for part, n in classes.items()) < 72.1


def test_a_draw_holds_until_the_history_changes() -> None:
    made = history(urls(500))
    draw = made.sample(15)
    assert len(draw) == 15
    assert made.sample(15) is draw
    made.add(made.urls()[0])  # known
    assert made.sample(15) is draw
    new = next(url for url in (f"http://b.cn/{i}" for i in range(1_000)) if made.add(url) or url in made.urls())
    assert new in made.urls()
    assert made.sample(15) is not draw


def test_the_state_of_a_long_crawl_is_bounded() -> None:
    strategy = semantic()
    for url in urls(HISTORY_SIZE + 500):
        strategy.learn(url, Verdict(1.0, True))
    state = strategy.state_dict()
    assert len(state["history"]) == HISTORY_SIZE
    other = semantic()
    other.load_state_dict(json.loads(json.dumps(state)))
    assert other.state_dict() == state


def test_within_one_host_paths_can_be_made_to_count() -> None:
    within = semantic(structure=StructureParameters(within_host=True))
    paper = semantic()
    for strategy in (within, paper):
        for i in range(20):
            strategy.learn(f"http://www.a.cn/djyw/{i}.html", Verdict(1.0, True))
    assert (paper.eq5.struct("http://www.a.cn/zz/qq/"), within.eq5.struct("http://www.a.cn/zz/qq/")) == (1, 0)
    assert (paper.eq5.struct("http://www.a.cn/djyw/99.html"), within.eq5.struct("http://www.a.cn/djyw/99.html")) == (1, 1)


def test_links_inherit_what_is_the_pages_own() -> None:
    strategy = strategies.create("partybuilding", "semantic", resources=None, segmenter="rjieba")
    home = Page("http://a.cn/", title="青河党建网", description="党建 支部 主题教育")
    listed = Page("http://a.cn/sport/", title="体育 | 青河党建网", description="党建 支部 主题教育")
    before = strategy.judge(listed)
    assert before.link_relevance == before.relevance > 0
    strategy.learn(home.url, strategy.judge(home))
    verdict = strategy.judge(listed)
    assert (verdict.relevance, verdict.keep) == (before.relevance, before.keep)  # the page itself is judged as ever
    assert verdict.link_relevance == 0.0
