"""The contract of strategies as checks, for methods of this package and of others. Needs no test framework.

In the tests of a distribution that adds the method ``mine``::

    from experiments.contract import check_strategy

    def test_contract():
        check_strategy("mine")  # or its class

One test per check, with pytest: ``@pytest.mark.parametrize("check", CHECKS)``, and ``check(Subject("mine"))``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from topical_crawler import strategies
from topical_crawler.resources.registry import Resources
from topical_crawler.strategies.base import Setup, Strategy
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.files import MarkedText
from topical_crawler.topic.topic import load_topic
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict

__all__ = ["CHECKS", "ODD_PAGES", "Subject", "check_scores", "check_strategy", "check_verdict"]

SITES = ("http://dj.a.cn", "http://news.b.com", "http://www.c.cn")
TITLES = (  # titles on and off the topic of party building, in turn
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


class Subject:
    """The strategy under test, by name or class, over the bundled topic of party building, with ``parameters``, its table
    ``[strategy.NAME]``, and the language ``resources`` that it gets (None: none)."""

    def __init__(
        self, strategy: str | type[Strategy], parameters: Mapping[str, Any] | None = None, resources: Resources | None = None
    ) -> None:
        self.kind = strategies.load(strategy) if isinstance(strategy, str) else strategy
        self.name = strategy if isinstance(strategy, str) else strategy.name
        topic = load_topic("partybuilding")
        self._topic = topic if parameters is None else replace(topic, parameters={**topic.parameters, self.name: parameters})
        self._words = Segmenter(self._topic.terms)
        self._resources = resources or Resources.none()

    def make(self, seed: int = 0) -> Strategy:
        """A fresh instance."""
        return self.kind.make(Setup(self.name, self._topic, self._words, self._resources, seed=seed))

    @cached_property
    def taught(self) -> Strategy:
        """An instance after a crawl; not to be changed."""
        strategy = self.make()
        _crawl(strategy)
        return strategy


Check = Callable[[Subject], None]
CHECKS: list[Check] = []  # all checks; each raises AssertionError where the strategy breaks the contract


def check_strategy(
    strategy: str | type[Strategy], parameters: Mapping[str, Any] | None = None, resources: Resources | None = None
) -> None:
    """Run all :data:`CHECKS` on a strategy; the arguments are those of :class:`Subject`. Raises AssertionError with a note that
    names the check.

    >>> check_strategy("breadth_first")
    """
    subject = Subject(strategy, parameters, resources)
    for check in CHECKS:
        try:
            check(subject)
        except Exception as error:
            error.add_note(f"The strategy {subject.name!r} fails {check.__name__}: {check.__doc__}")
            raise


def check_verdict(verdict: Verdict) -> None:
    """A verdict has a finite relevance of 0 or more, and reasons and a lesson that are JSON data."""
    assert isinstance(verdict.relevance, float), f"relevance is {verdict.relevance!r}, not a float"
    assert math.isfinite(verdict.relevance) and verdict.relevance >= 0, f"relevance is {verdict.relevance}"
    assert isinstance(verdict.keep, bool), f"keep is {verdict.keep!r}, not a bool"
    assert all(isinstance(name, str) and math.isfinite(value) for name, value in verdict.why.items()), f"why is {verdict.why}"
    json.dumps([dict(verdict.why), verdict.lesson])


def check_scores(scores: Sequence[float | None], candidates: Sequence[Candidate]) -> None:
    """There is one score for each candidate: None or a finite float."""
    assert len(scores) == len(candidates), f"{len(scores)} scores for {len(candidates)} candidates"
    for score, candidate in zip(scores, candidates, strict=True):
        assert score is None or (isinstance(score, float) and math.isfinite(score)), f"score {score!r} of {candidate}"


def _check(check: Check) -> Check:
    CHECKS.append(check)
    return check


@_check
def check_its_name(subject: Subject) -> None:
    """The class derives from Strategy and has the name under which it is registered."""
    strategy = subject.make()
    assert isinstance(strategy, Strategy)
    assert (type(strategy), strategy.name) == (subject.kind, subject.name)


@_check
def check_it_tells_the_topic(subject: Subject) -> None:
    """A page on party building is kept, with reasons; one on football is not, and is less relevant."""
    strategy = subject.make()
    on, off = (strategy.judge(Page("http://a.cn/", title=TITLES[i], description=TITLES[i + 2])) for i in (0, 1))
    assert (on.keep, off.keep) == (True, False)
    assert on.relevance > off.relevance
    assert on.why


@_check
def check_second_judgements(subject: Subject) -> None:
    """Judgements are final, or can be made again from their lessons, one by one as together."""
    strategy = subject.taught
    lessons = [json.loads(json.dumps(strategy.judge(page).lesson)) for page in (*_pages(12), *ODD_PAGES)]
    again = strategy.reconsider(lessons)
    assert len(again) == len(lessons) and strategy.reconsider([]) == []
    for verdict in again:
        if verdict is not None:
            check_verdict(verdict)
    assert [strategy.reconsider([lesson])[0] for lesson in lessons] == again
    assert [strategy.may_reconsider(lesson) for lesson in lessons] == [verdict is not None for verdict in again]


@_check
def check_the_threshold_can_be_changed(subject: Subject) -> None:
    """page_threshold can be set while the strategy works; a page is kept above it; other instances are not affected."""
    strategy, page = subject.make(), Page("http://a.cn/", title=TITLES[0], description=TITLES[2])
    own = strategy.page_threshold
    before = strategy.judge(page)
    assert own < before.relevance and before.keep
    strategy.page_threshold = before.relevance
    assert strategy.page_threshold == before.relevance
    assert (strategy.judge(page).relevance, strategy.judge(page).keep) == (before.relevance, False)
    untouched = subject.make()
    assert (untouched.page_threshold, untouched.judge(page)) == (own, before)
    strategy.page_threshold = (own + before.relevance) / 2
    assert strategy.judge(page).keep
    strategy.page_threshold = own
    assert strategy.judge(page) == before
    assert _state(strategy) == _state(subject.make())


@_check
def check_wrong_thresholds_are_refused(subject: Subject) -> None:
    """page_threshold refuses what is no number of 0 or more, and stays as it was."""
    strategy = subject.make()
    own = strategy.page_threshold
    not_thresholds: Sequence[Any] = (-0.1, math.nan, "0.5", None, True)
    for value in not_thresholds:
        try:
            strategy.page_threshold = value
        except ValueError as error:
            assert str(error).startswith("page_threshold must be a "), f"the message {error} does not say what it must be"
        else:
            raise AssertionError(f"page_threshold = {value!r} is not refused")
        assert strategy.page_threshold == own


@_check
def check_scores_are_aligned(subject: Subject) -> None:
    """Scores are in the order of the candidates and do not depend on the others that are scored with them."""
    candidates, score = _candidates(), subject.taught.score
    scores = score(candidates)
    check_scores(scores, candidates)
    assert any(value is not None for value in scores)
    assert score(candidates[::-1]) == scores[::-1]
    assert [score([candidate])[0] for candidate in candidates] == scores
    assert score(candidates + candidates) == scores + scores
    assert score([]) == []
    assert score(tuple(candidates)) == scores


@_check
def check_the_order_of_the_evidence_does_not_matter(subject: Subject) -> None:
    """A link gets the same score in whatever order it was found in its places."""
    candidates = _candidates()
    turned = subject.taught.score([Candidate(c.url, c.evidence[::-1]) for c in candidates])
    for a, b in zip(subject.taught.score(candidates), turned, strict=True):
        assert a == b or (a is not None and b is not None and math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-12))


@_check
def check_one_seed_gives_one_crawl(subject: Subject) -> None:
    """The same crawl with the same seed gives the same answers."""
    one, other = subject.make(7), subject.make(7)
    assert _crawl(one) == _crawl(other)
    assert _state(one) == _state(other)


@_check
def check_odd_pages(subject: Subject) -> None:
    """Any page gets a verdict: empty, huge, broken, without an address."""
    for page in ODD_PAGES:
        check_verdict(subject.taught.judge(page))


@_check
def check_a_page_without_words_is_off_topic(subject: Subject) -> None:
    """A page without words has a relevance of 0, and no reasons."""
    verdict = subject.taught.judge(Page("http://a.cn/", html="<html></html>"))
    assert (verdict.relevance, verdict.keep, dict(verdict.why)) == (0.0, False, {})


@_check
def check_odd_candidates(subject: Subject) -> None:
    """Any candidate gets a score or None, and an explanation that is JSON data."""
    on_topic, huge = Evidence("http://dj.a.cn/", 0.5, True, "支部"), "支部生活的标题很长" * 20_000
    candidates = [
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
        *(Candidate("http://a.cn/1", (Evidence("http://a.cn/", 0.5, keep, huge),)) for keep in (True, False)),
    ]
    check_scores(subject.taught.score(candidates), candidates)
    for candidate in candidates:
        json.dumps(dict(subject.taught.explain(candidate)))


@_check
def check_asking_changes_nothing(subject: Subject) -> None:
    """Only learn() changes the strategy: judge, score, explain and confirm do not."""
    strategy = subject.make()
    _crawl(strategy)
    before, scores = _state(strategy), strategy.score(_candidates())
    for page in (*_pages(), *ODD_PAGES):
        strategy.judge(page)
    for candidate in _candidates():
        strategy.explain(candidate)
    strategy.score(_candidates(80))
    strategy.confirm("各支部认真开展主题教育。")
    assert _state(strategy) == before
    assert strategy.score(_candidates()) == scores


@_check
def check_learning_twice_is_learning_once(subject: Subject) -> None:
    """A page that is learned again, at once or later, changes nothing."""
    once, twice = subject.make(), subject.make()
    for page, verdict in _judged(once):
        once.learn(page.url, verdict)
        twice.learn(page.url, verdict)
        twice.learn(page.url, verdict)
    for page, verdict in _judged(twice, 10):  # as after a crash
        twice.learn(page.url, verdict)
    assert _state(once) == _state(twice)
    assert once.score(_candidates()) == twice.score(_candidates())


@_check
def check_the_state_survives_json(subject: Subject) -> None:
    """state_dict() is JSON data from which load_state_dict() restores all that was learned."""
    restored = subject.make()
    restored.load_state_dict(json.loads(_state(subject.taught)))
    assert _state(restored) == _state(subject.taught)
    assert restored.score(_candidates()) == subject.taught.score(_candidates())
    assert [verdict for _, verdict in _judged(restored)] == [verdict for _, verdict in _judged(subject.taught)]
    empty = subject.make()
    empty.load_state_dict(json.loads(_state(subject.make())))
    assert _state(empty) == _state(subject.make())


@_check
def check_a_restored_strategy_learns_on(subject: Subject) -> None:
    """A crawl that is resumed ends as one that was never interrupted."""
    through, restored = subject.make(), subject.make()
    for i, (page, verdict) in enumerate(_judged(through)):
        if i == 30:
            restored.load_state_dict(json.loads(_state(through)))
        through.learn(page.url, verdict)
        if i >= 30:
            restored.learn(page.url, verdict)
    assert _state(through) == _state(restored)
    assert through.score(_candidates()) == restored.score(_candidates())


@_check
def check_marks(subject: Subject) -> None:
    """Marking a text twice is marking it once; a crawl that is resumed and given its marks again ends as if it went through."""
    marks = [MarkedText(p.url, p.title, p.description, "relevant" if i % 2 else "irrelevant") for i, p in enumerate(_pages(12))]
    through, restored = subject.make(), subject.make()
    for i, (page, verdict) in enumerate(_judged(through)):
        if i in (10, 40):
            through.mark(marks[: i // 4])
        if i == 30:
            restored.load_state_dict(json.loads(_state(through)))
        if i in (30, 40):
            restored.mark(marks[:1])
            restored.mark(marks[: 2 if i == 30 else 10])
        for strategy in (through, restored) if i >= 30 else (through,):
            strategy.learn(page.url, verdict)
    assert _state(through) == _state(restored)
    assert through.score(_candidates()) == restored.score(_candidates())
    assert [verdict for _, verdict in _judged(through)] == [verdict for _, verdict in _judged(restored)]


@_check
def check_confirm(subject: Subject) -> None:
    """confirm() gives a finite relevance of 0 or more and a decision for any text."""
    for text in ("", " ", "版权所有 不得转载", "党建" * 10_000, "\ufffd\0"):
        relevance, keep = subject.taught.confirm(text)
        assert math.isfinite(relevance) and relevance >= 0
        assert isinstance(keep, bool)


def _pages(n: int = 60) -> Iterator[Page]:
    for i in range(n):
        url = f"{SITES[i % 3]}/{'djyw' if i % 2 else 'sports'}/{i}.html"
        yield Page(url, title=TITLES[i % len(TITLES)], description=TITLES[i * 5 % 6])


def _judged(strategy: Strategy, n: int = 60) -> Iterator[tuple[Page, Verdict]]:
    """Pages with their verdicts, each judged when its turn comes."""
    for page in _pages(n):
        yield page, strategy.judge(page)


def _candidates(n: int = 40) -> list[Candidate]:
    """Links that were found in no, one and several places, on and off topic."""
    candidates = []
    for i in range(n):
        evidence = tuple(
            Evidence(f"{SITES[k % 3]}/{k}.html", 0.1 * k * (i % 3), (i + k) % 2 == 0, TITLES[(i + k) % 6], (i + k) % 2)
            for k in range(i % 4)
        )
        candidates.append(Candidate(f"{SITES[i % 3]}/{'djyw' if i % 5 else 'sports'}/{1000 + i}.html", evidence))
    return candidates


def _crawl(strategy: Strategy) -> list[object]:
    """Judge, learn, score, over and over; all answers."""
    answers: list[object] = []
    for i, (page, verdict) in enumerate(_judged(strategy)):
        strategy.learn(page.url, verdict)
        answers += [verdict.relevance, verdict.keep, dict(verdict.why)]
        if i % 20 == 0:
            answers += strategy.score(_candidates())
    return answers + [strategy.explain(c) for c in _candidates(6)]


def _state(strategy: Strategy) -> str:
    return json.dumps(strategy.state_dict(), ensure_ascii=False, sort_keys=True)
