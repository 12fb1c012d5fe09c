"""What every strategy keeps to. A new entry of ``STRATEGIES`` goes through all of this by itself."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler import Candidate, Evidence, Page, Topic, Verdict, load_topic, strategies
from topical_crawler.strategies import STRATEGIES, Strategy

SITES = ("http://dj.a.cn", "http://news.b.com", "http://www.c.cn")
TITLES = (
    "学习贯彻党章 严肃党内政治生活",
    "主场三比一取胜 球队升至榜首",
    "支部开展主题教育 党员重温入党誓词",
    "天气预报：明天多云转晴",
    "",
    "全面从严治党 落实三会一课制度",
)
ODD_PAGES = (
    Page("http://a.cn/"),
    Page("http://a.cn/", title=" \n\t"),
    Page("http://a.cn/", title="\0\ufffd \U0001f600 ﷽\u202e"),
    Page("http://a.cn/", title="党建" * 50_000),
    Page("http://a.cn/", title="的了吗", keywords=",,,", description="。。。", heading="2019", lead="12345"),
    Page("no address at all", title="党建"),
    Page("", title="党建"),
    Page("http://[broken/", title="党建"),
    Page.from_html("http://a.cn/", "</html><title>党<a href=x><h1>"),
)


@cache
def topic() -> Topic:
    return load_topic("partybuilding")


@pytest.fixture(scope="module", params=list(STRATEGIES))
def make(request: pytest.FixtureRequest) -> Callable[..., Strategy]:
    """Makes a fresh instance."""

    def build(seed: int = 0) -> Strategy:
        return strategies.create(topic(), request.param, resources=None, segmenter="rjieba", seed=seed)

    return build


@pytest.fixture(scope="module")
def untaught(make: Callable[..., Strategy]) -> Strategy:
    return make()


@pytest.fixture(scope="module")
def taught(make: Callable[..., Strategy]) -> Strategy:
    strategy = make()
    crawl(strategy)
    return strategy


def pages(n: int = 60) -> list[Page]:
    return [
        Page(
            f"{SITES[i % 3]}/{'djyw' if i % 2 else 'sports'}/{i}.html",
            title=TITLES[i % len(TITLES)],
            description=TITLES[i * 5 % 6],
        )
        for i in range(n)
    ]


def candidates(n: int = 40) -> list[Candidate]:
    """With no, one and several places where they were found, on and off topic."""
    found = []
    for i in range(n):
        evidence = tuple(
            Evidence(f"{SITES[k % 3]}/{k}.html", 0.1 * k * (i % 3), (i + k) % 2 == 0, TITLES[(i + k) % 6], (i + k) % 2)
            for k in range(i % 4)
        )
        found.append(Candidate(f"{SITES[i % 3]}/{'djyw' if i % 5 else 'sports'}/{1000 + i}.html", evidence))
    return found


def crawl(strategy: Strategy) -> list[object]:
    """Judge, learn, score, over and over; everything that was answered."""
    answers: list[object] = []
    for i, page in enumerate(pages()):
        verdict = strategy.judge(page)
        strategy.learn(page.url, verdict)
        answers += [verdict.relevance, verdict.keep, dict(verdict.why)]
        if i % 20 == 0:
            answers += strategy.score(candidates())
    return answers + [strategy.explain(c) for c in candidates(6)]


def state(strategy: Strategy) -> str:
    return json.dumps(strategy.state_dict(), ensure_ascii=False, sort_keys=True)


def check_verdict(verdict: Verdict) -> None:
    assert isinstance(verdict.relevance, float)
    assert math.isfinite(verdict.relevance) and verdict.relevance >= 0
    assert verdict.keep in (True, False)
    assert all(isinstance(name, str) and math.isfinite(value) for name, value in verdict.why.items())
    json.dumps(dict(verdict.why))


def check_scores(scores: Sequence[float | None], given: Sequence[Candidate]) -> None:
    assert len(scores) == len(given)
    for score in scores:
        assert score is None or (isinstance(score, float) and math.isfinite(score))


def test_is_a_strategy_under_its_own_name(untaught: Strategy) -> None:
    assert isinstance(untaught, Strategy)
    assert untaught.name in STRATEGIES
    made = strategies.create(topic(), untaught.name, resources=None, segmenter="rjieba")
    assert (type(made), made.name) == (type(untaught), untaught.name)


def test_tells_the_topic_from_something_else(untaught: Strategy) -> None:
    on, off = (untaught.judge(Page("http://a.cn/", title=TITLES[i], description=TITLES[i + 2])) for i in (0, 1))
    assert (on.keep, off.keep) == (True, False)
    assert on.relevance > off.relevance
    assert on.why


def test_judgements_are_final_or_can_be_reconsidered_from_their_lessons(taught: Strategy) -> None:
    lessons = [json.loads(json.dumps(taught.judge(page).lesson)) for page in (*pages(12), *ODD_PAGES)]
    found = taught.reconsider(lessons)
    assert len(found) == len(lessons) and taught.reconsider([]) == []
    for verdict in found:
        if verdict is not None:
            check_verdict(verdict)
    assert all(one is None for one in found) or taught.learns_links
    assert [taught.reconsider([lesson])[0] for lesson in lessons] == found


def test_the_page_threshold_can_be_changed_while_the_strategy_works(make: Callable[..., Strategy]) -> None:
    strategy, page = make(), Page("http://a.cn/", title=TITLES[0], description=TITLES[2])
    own = strategy.page_threshold
    before = strategy.judge(page)
    assert own < before.relevance and before.keep
    strategy.page_threshold = before.relevance  # it must be above
    assert strategy.page_threshold == before.relevance
    assert (strategy.judge(page).relevance, strategy.judge(page).keep) == (before.relevance, False)
    untouched = make()  # what one strategy is told says nothing to another of the same topic
    assert (untouched.page_threshold, untouched.judge(page)) == (own, before)
    strategy.page_threshold = (own + before.relevance) / 2
    assert strategy.judge(page).keep
    strategy.page_threshold = own
    assert strategy.judge(page) == before
    assert state(strategy) == state(make())


@pytest.mark.parametrize("value", [-0.1, math.nan, "0.5", None, True], ids=str)
def test_a_page_threshold_that_is_no_number_of_0_or_more_is_refused(make: Callable[..., Strategy], value: object) -> None:
    strategy = make()
    own = strategy.page_threshold
    with pytest.raises(ValueError, match=r"page_threshold must be a (number of 0 or more|probability, 0 to 1), not"):
        strategy.page_threshold = value  # type: ignore[assignment]
    assert strategy.page_threshold == own


def test_scores_are_aligned_and_do_not_depend_on_the_company(taught: Strategy) -> None:
    given = candidates()
    scores = taught.score(given)
    check_scores(scores, given)
    assert any(score is not None for score in scores)
    assert taught.score(given[::-1]) == scores[::-1]
    assert [taught.score([candidate])[0] for candidate in given] == scores
    assert taught.score(given + given) == scores + scores
    assert taught.score([]) == []
    assert taught.score(tuple(given)) == scores


def test_the_order_of_the_evidence_does_not_matter(taught: Strategy) -> None:
    given = candidates()
    turned = [Candidate(c.url, c.evidence[::-1]) for c in given]
    assert taught.score(turned) == pytest.approx(taught.score(given), nan_ok=False)


def test_the_same_crawl_under_one_seed_gives_the_same_answers(make: Callable[..., Strategy]) -> None:
    one, other = make(7), make(7)
    assert crawl(one) == crawl(other)
    assert state(one) == state(other)


@pytest.mark.parametrize("page", ODD_PAGES, ids=range(len(ODD_PAGES)))
def test_odd_pages(taught: Strategy, page: Page) -> None:
    check_verdict(taught.judge(page))


def test_a_page_without_words_is_off_topic(taught: Strategy) -> None:
    verdict = taught.judge(Page("http://a.cn/", html="<html></html>"))
    assert (verdict.relevance, verdict.keep, dict(verdict.why)) == (0.0, False, {})


def test_odd_candidates(taught: Strategy) -> None:
    on_topic = Evidence("http://dj.a.cn/", 0.5, True, "支部")
    given = [
        Candidate("", ()),
        Candidate("", (on_topic,)),
        Candidate("no address", (on_topic,)),
        Candidate("http://[broken/", (on_topic,)),
        Candidate("http://a.cn/" + "x/" * 5_000, (on_topic,)),
        Candidate("http://党建.cn/支部?页=1", (on_topic,)),
        Candidate("http://a.cn/1", (Evidence("", 0.0, True),)),  # a seed
        Candidate("http://a.cn/2", (Evidence("http://a.cn/", 1e300, True, "\0\ufffd"),)),
        Candidate("http://a.cn/3", (Evidence("http://a.cn/", 0.0, False, "", 10_000),)),
        Candidate("http://a.cn/4", tuple(Evidence(f"http://a.cn/{k}", 0.1, True, "党建") for k in range(500))),
    ]
    check_scores(taught.score(given), given)
    for candidate in given:
        json.dumps(dict(taught.explain(candidate)))


def test_huge_anchors(taught: Strategy) -> None:
    huge = "支部生活的标题很长" * 20_000
    given = [Candidate("http://a.cn/1", (Evidence("http://a.cn/", 0.5, keep, huge),)) for keep in (True, False)]
    check_scores(taught.score(given), given)


def test_asking_does_not_change_the_strategy(make: Callable[..., Strategy]) -> None:
    strategy = make()
    crawl(strategy)
    before, scores = state(strategy), strategy.score(candidates())
    for page in (*pages(), *ODD_PAGES):
        strategy.judge(page)
    for candidate in candidates():
        strategy.explain(candidate)
    strategy.score(candidates(80))
    strategy.confirm("各支部认真开展主题教育。")
    assert state(strategy) == before
    assert strategy.score(candidates()) == scores


def test_learning_twice_is_learning_once(make: Callable[..., Strategy]) -> None:
    once, twice = make(), make()
    for page in pages():
        verdict = once.judge(page)
        once.learn(page.url, verdict)
        twice.learn(page.url, verdict)
        twice.learn(page.url, verdict)
    for page in pages(10):  # as after a crash: the last outcomes are told again
        verdict = twice.judge(page)
        twice.learn(page.url, verdict)
    assert state(once) == state(twice)
    assert once.score(candidates()) == twice.score(candidates())


def test_the_state_survives_json(make: Callable[..., Strategy], taught: Strategy) -> None:
    restored = make()
    restored.load_state_dict(json.loads(json.dumps(taught.state_dict())))
    assert state(restored) == state(taught)
    assert restored.score(candidates()) == taught.score(candidates())
    assert [restored.judge(page) for page in pages()] == [taught.judge(page) for page in pages()]
    empty = make()
    empty.load_state_dict(json.loads(state(make())))
    assert state(empty) == state(make())


def test_a_restored_strategy_learns_on(make: Callable[..., Strategy]) -> None:
    through, restored = make(), make()
    for i, page in enumerate(pages()):
        if i == 30:
            restored.load_state_dict(json.loads(state(through)))
        verdict = through.judge(page)
        through.learn(page.url, verdict)
        if i >= 30:
            restored.learn(page.url, verdict)
    assert state(through) == state(restored)
    assert through.score(candidates()) == restored.score(candidates())


def test_confirm_gives_a_relevance_and_a_decision(taught: Strategy) -> None:
    for text in ("", " ", "版权所有 不得转载", "党建" * 10_000, "\ufffd\0"):
        relevance, keep = taught.confirm(text)
        assert math.isfinite(relevance) and relevance >= 0
        assert keep in (True, False)


_SHORT = st.one_of(st.text(max_size=20), st.lists(st.sampled_from(TITLES), max_size=3).map("".join))
_EVIDENCE = st.builds(Evidence, st.just("http://a.cn/"), st.floats(0, 1e6), st.booleans(), _SHORT, st.integers(0, 9))


@given(st.builds(Page, st.just("http://a.cn/"), _SHORT, _SHORT, _SHORT, _SHORT, _SHORT))
def test_any_page_gets_a_verdict(taught: Strategy, page: Page) -> None:
    verdict = taught.judge(page)
    check_verdict(verdict)
    assert taught.judge(page) == verdict


@given(
    st.lists(
        st.builds(
            Candidate, st.one_of(st.just("http://a.cn/1"), st.text(max_size=20)), st.lists(_EVIDENCE, max_size=3).map(tuple)
        ),
        max_size=5,
    )
)
def test_any_candidate_gets_a_score_or_none(taught: Strategy, given: list[Candidate]) -> None:
    scores = taught.score(given)
    check_scores(scores, given)
    for candidate in given:
        explained = taught.explain(candidate)
        assert all(math.isfinite(part) for part in explained.values())
