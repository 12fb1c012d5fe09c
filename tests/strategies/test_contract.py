"""Every strategy keeps the contract of ``experiments.contract``. (Those of the experiments: tests/experiments/baselines.)"""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.contract import CHECKS, TITLES, Check, Subject, check_scores, check_strategy, check_verdict
from topical_crawler import Candidate, Evidence, Page, Verdict
from topical_crawler.strategies import STRATEGIES, Strategy


@pytest.fixture(scope="module", params=STRATEGIES)
def subject(request: pytest.FixtureRequest) -> Subject:
    return Subject(request.param)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_contract(subject: Subject, check: Check) -> None:
    check(subject)


_SHORT = st.one_of(st.text(max_size=20), st.lists(st.sampled_from(TITLES), max_size=3).map("".join))
_EVIDENCE = st.builds(Evidence, st.just("http://a.cn/"), st.floats(0, 1e6), st.booleans(), _SHORT, st.integers(0, 9))


@given(st.builds(Page, st.just("http://a.cn/"), _SHORT, _SHORT, _SHORT, _SHORT, _SHORT))
def test_any_page_gets_a_verdict(subject: Subject, page: Page) -> None:
    verdict = subject.taught.judge(page)
    check_verdict(verdict)
    assert subject.taught.judge(page) == verdict


@given(
    st.lists(
        st.builds(
            Candidate, st.one_of(st.just("http://a.cn/1"), st.text(max_size=20)), st.lists(_EVIDENCE, max_size=3).map(tuple)
        ),
        max_size=5,
    )
)
def test_any_candidate_gets_a_score_or_none(subject: Subject, given: list[Candidate]) -> None:
    check_scores(subject.taught.score(given), given)
    for candidate in given:
        explained = subject.taught.explain(candidate)
        assert all(math.isfinite(part) for part in explained.values())


class Least(Strategy):
    """All that a method needs: a name, a judge and scores."""

    name = "least"

    def judge(self, page: Page, found: Any = ()) -> Verdict:
        words = self.segmenter.words(page.title)
        matching = [word for word in words if word in self.topic.terms]
        relevance = len(matching) / max(1, len(words))
        return Verdict(relevance, relevance > self.page_threshold, dict.fromkeys(matching, 1.0))

    def score(self, candidates: Any) -> list[float | None]:
        return [1 / (1 + len(candidate.url)) for candidate in candidates]


def test_a_name_a_judge_and_scores_are_enough() -> None:
    assert Strategy.__abstractmethods__ == {"judge", "score"}
    check_strategy(Least)


class Unaligned(Least):
    def score(self, candidates: Any) -> list[float | None]:
        return [1.0]


class Forgetful(Least):
    def learn(self, url: str, verdict: Verdict) -> None:
        self.learned = [*getattr(self, "learned", ()), url]

    def state_dict(self) -> dict[str, Any]:
        return {"learned": getattr(self, "learned", [])}


class Enchanted(Least):
    def judge(self, page: Page, found: Any = ()) -> Verdict:
        return Verdict(math.nan, True)


@pytest.mark.parametrize(
    ("kind", "check"),
    [(Unaligned, "check_scores_are_aligned"), (Forgetful, "check_learning_twice"), (Enchanted, "check_it_tells_the_topic")],
)
def test_a_broken_contract_is_named(kind: type[Strategy], check: str) -> None:
    with pytest.raises(AssertionError) as caught:
        check_strategy(kind)
    assert any(f"The strategy 'least' fails {check}" in note for note in caught.value.__notes__)


def test_the_checks_need_no_test_framework() -> None:
    code = "import sys, experiments.contract; print([m for m in ('pytest', 'hypothesis', 'scrapy') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
