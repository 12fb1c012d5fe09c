"""Zhou, Wang, Yu 2019 by hand: Eq. 2, 3 and 5, Algorithms 1 and 3, and ``as_printed``. (Algorithm 2: test_zhou_urls.py.)"""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler import Candidate, Evidence, Page, Topic, Verdict, load_topic, strategies
from topical_crawler.strategies.semantic.parameters import (
    PRINTED_SIMILARITY,
    SIMILARITY,
    SemanticParameters,
    consistency_ratio,
    read_semantic_parameters,
)
from topical_crawler.strategies.semantic.priority import Priority
from topical_crawler.strategies.semantic.score_table import ScoreTable
from topical_crawler.strategies.semantic.similarity import SimilarityParameters, WordSimilarity, algorithm1
from topical_crawler.strategies.semantic.strategy import Semantic
from topical_crawler.strategies.semantic.url_structure import StructureParameters, UrlParts, struct, structure_similarity
from topical_crawler.text.segment import Segmenter
from topical_crawler.text.statistics import WordStatistics
from topical_crawler.topic.files import TopicError

P = SimilarityParameters(alpha=0.8, beta=0.6, th1=0.2, th2=0.1)


# --- Eq. 2 ---


def test_eq_2_over_five_documents() -> None:
    """w_i = (f_i/N)·log(N/N_i): f counts every occurrence in the whole corpus, N_i the documents."""
    domain = WordStatistics()
    for document in ("巡视 巡视 党建", "巡视 党建 政治", "党建 政治 政治 政治", "政治 天气", "天气"):
        domain.add(document.split())
    assert domain.weight("巡视") == pytest.approx(3 / 5 * math.log(5 / 2))
    assert domain.weight("党建") == pytest.approx(3 / 5 * math.log(5 / 3))
    assert domain.weight("政治") == pytest.approx(5 / 5 * math.log(5 / 3))
    # Of two words that occur equally often, the one in fewer documents weighs more.
    assert domain.weight("巡视") > domain.weight("党建")


def test_words_of_table_3_weigh_less_than_they_would() -> None:
    topic = load_topic("partybuilding")
    for word in ("中国", "我国", "国家", "乡镇", "项目", "知识", "公司", "学生"):
        assert topic.weight(word) < topic.weight("没有这个词")


# --- Algorithm 1 ---


@pytest.mark.parametrize(
    ("sim_h", "sim_d", "expected"),
    [
        pytest.param(0.9, -0.1, 0.0, id="a negative SimD rules the pair out"),
        pytest.param(0.5, 0.4, 0.6 * 0.5 + 0.4 * 0.4, id="both speak: β·SimH + (1−β)·SimD"),
        pytest.param(0.0, 0.5, 0.8 * 0.5, id="HowNet is silent: α·SimD"),
        pytest.param(0.09, 0.5, 0.8 * 0.5, id="SimH below Th2 counts as 0"),
        pytest.param(0.1, 0.5, 0.6 * 0.1 + 0.4 * 0.5, id="SimH at Th2 counts"),
        pytest.param(0.5, 0.19, 0.6 * 0.5, id="SimD below Th1 counts as 0"),
        pytest.param(0.5, 0.2, 0.6 * 0.5 + 0.4 * 0.2, id="SimD at Th1 counts"),
        pytest.param(0.5, 0.0, 0.6 * 0.5, id="a word without a vector: SimD 0"),
        pytest.param(0.3, 0.1, 0.0, id="the result below Th1 is 0: 0.18"),
        pytest.param(0.0, 0.24, 0.0, id="the result below Th1 is 0: 0.192"),
        pytest.param(0.0, 0.25, 0.2, id="the result at Th1 stays"),
        pytest.param(0.05, 0.1, 0.0, id="both below their thresholds"),
        pytest.param(1.0, 1.0, 1.0, id="synonyms"),
        pytest.param(0.0, 0.0, 0.0, id="nothing is known"),
    ],
)
def test_algorithm_1(sim_h: float, sim_d: float, expected: float) -> None:
    assert algorithm1(sim_h, sim_d, P) == pytest.approx(expected)


_UNIT = st.floats(0, 1)


@given(_UNIT, st.floats(-1, 1), _UNIT, _UNIT, _UNIT, _UNIT)
def test_algorithm_1_stays_in_its_range(sim_h: float, sim_d: float, alpha: float, beta: float, th1: float, th2: float) -> None:
    found = algorithm1(sim_h, sim_d, SimilarityParameters(alpha, beta, th1, th2))
    assert found == 0 or th1 <= found <= 1


def test_a_word_and_itself_are_alike_without_any_resource() -> None:
    assert WordSimilarity(parameters=P).sim("两学一做", "两学一做") == 1.0
    assert WordSimilarity(parameters=P).sim("两学一做", "三严三实") == 0.0


# --- Eq. 3 ---

TERMS = {"党建": 2.0, "支部": 0.5}
TOPIC = Topic("t", "党建", TERMS, weights={"组织": 0.8, "会议": 0.3, "足球": 0.1})
# Sim(组织, 党建) = 0.6, Sim(组织, 支部) = 0.9, Sim(会议, 支部) = 0.5, Sim(支部, 党建) = 0.4; each word and itself: 1.
TABLE = ScoreTable(
    {
        "党建": (2.0 * 1 + 0.5 * 0.4**2, "党建"),
        "支部": (2.0 * 0.4**2 + 0.5 * 1, "支部"),
        "组织": (2.0 * 0.6**2 + 0.5 * 0.9**2, "党建"),
        "会议": (0.5 * 0.5**2, "支部"),
    }
)


SEGMENTER = Segmenter(TERMS, backend="rjieba")


def paper(**parameters: object) -> Semantic:
    return Semantic(TOPIC, SEGMENTER, Priority(TOPIC, TABLE, SemanticParameters(**parameters)))  # type: ignore[arg-type]


def test_eq_3_by_hand() -> None:
    """Rel = Σ_d Σ_t w_d·w_t·Sim(d,t)² / M with M words d."""
    strategy = paper()
    by_word = {
        "党建": 2.0 * (2.0 + 0.08),
        "支部": 0.5 * (0.32 + 0.5),
        "组织": 0.8 * (0.72 + 0.405),
        "会议": 0.3 * 0.125,
        "足球": 0.0,
    }
    for word, part in by_word.items():
        assert strategy.eq5.relevance([word]) == pytest.approx(part)
    assert strategy.eq5.relevance(list(by_word)) == pytest.approx(sum(by_word.values()) / 5)
    assert strategy.eq5.relevance(["组织", "足球", "足球场"]) == pytest.approx(by_word["组织"] / 3)
    assert strategy.eq5.relevance([]) == 0.0


# --- Eq. 5 ---


def test_eq_5_with_the_weights_of_the_hierarchy_process() -> None:
    """For 3 × 3 the principal eigenvector is the geometric means of the rows: (3/2)^⅓, 10^⅓, (1/15)^⅓."""
    strategy = paper(bounded=False, comparisons=[[1, "1/2", 3], [2, 1, 5], ["1/3", "1/5", 1]])
    roots = [(3 / 2) ** (1 / 3), 10 ** (1 / 3), (1 / 15) ** (1 / 3)]
    alpha, beta, lam = (root / sum(roots) for root in roots)
    assert (strategy.eq5.alpha, strategy.eq5.beta, strategy.eq5.lam) == pytest.approx((alpha, beta, lam))
    rel_anchor = (2.0 * 2.08 + 0.3 * 0.125) / 2
    evidence = Evidence("http://dj.a.cn/", 0.7, True, "党建会议")
    assert strategy.priority("http://dj.a.cn/1.html", evidence) == pytest.approx(alpha * 0.7 + beta * rel_anchor)
    strategy.learn("http://dj.a.cn/", Verdict(0.7, True))
    assert strategy.priority("http://dj.a.cn/1.html", evidence) == pytest.approx(alpha * 0.7 + beta * rel_anchor + lam)


def test_the_comparisons_in_use_are_consistent() -> None:
    in_topic = load_topic("partybuilding").parameters["semantic"].get("comparisons", SemanticParameters().comparisons)
    for matrix in (SemanticParameters().comparisons, in_topic):
        assert consistency_ratio(matrix) < 0.1


# --- Algorithm 3 ---

SAME = ["http://dj.a.cn/1.html", "http://dj.a.cn/2.html", "http://dj.a.cn/3.html", "http://dj.a.cn/4.html"]
UNLIKE = ["http://b.org/x", "http://b.org/y", "http://b.org/z", "http://b.org/q"]
URL = "http://dj.a.cn/9.html"


@pytest.mark.parametrize(
    ("same", "unlike", "expected"),
    [(0, 0, 0), (1, 0, 1), (0, 1, 0), (1, 1, 0), (2, 1, 1), (1, 2, 0), (2, 2, 0), (3, 2, 1), (2, 3, 0), (4, 4, 0), (4, 3, 1)],
)
def test_algorithm_3_wants_more_than_half(same: int, unlike: int, expected: int) -> None:
    assert all(structure_similarity(URL, url)[0] for url in SAME)
    assert not any(structure_similarity(URL, url)[0] for url in UNLIKE)
    sample = SAME[:same] + UNLIKE[:unlike]
    assert struct(URL, sample) == struct(URL, sample[::-1]) == expected
    assert struct(UrlParts.of(URL), [UrlParts.of(url) for url in sample]) == expected


@pytest.mark.parametrize(("relevant", "others", "expected"), [(30, 10, 1), (10, 30, 0), (0, 0, 0)])
def test_algorithm_3_over_a_history(relevant: int, others: int, expected: int) -> None:
    """Drawn with n = all of the history, chance plays no part."""
    strategy = paper(history_sample=101, own_site=False)
    for i in range(relevant):
        strategy.learn(f"http://dj.a.cn/{i}.html", Verdict(1.0, True))
    for i in range(others):
        strategy.learn(f"http://b.org/{i}", Verdict(1.0, True))
    assert strategy.eq5.struct(URL) == expected


# --- As printed ---

DECIDED = {
    "link_threshold": 0.2,  # Figure 2
    "text_threshold": 0.0,  # §3.1: the description decides alone
    "tunnel": 0,  # §3.1: of a page off topic, plain word match only
    "bounded": False,  # Eq. 5
    "site_words": True,  # §3.1: the whole description
    "first_lines": False,  # §3.1: nothing in place of a description
    "own_site": True,  # §4.4: the URLs of one site
}
"""The rules and constants of :class:`SemanticParameters` that the paper prints."""
OPEN = {"page_threshold", "history_sample", "comparisons"}
"""Those that it does not print."""


def printed(**own: object) -> Semantic:
    topic = Topic("t", "党建", {"党建": 2.0, "支部": 1.0}, parameters={"semantic": {"as_printed": True, **own}})
    strategy = strategies.create(topic, "semantic", resources=None, segmenter="rjieba")
    assert isinstance(strategy, Semantic)
    return strategy


def test_as_printed_has_every_constant_that_is_printed() -> None:
    parameters = printed().parameters
    fields = {f.name: getattr(parameters, f.name) for f in dataclasses.fields(parameters)}
    assert {name: fields.pop(name) for name in DECIDED} == DECIDED
    assert {name: fields.pop(name) for name in OPEN} == {name: getattr(SemanticParameters(), name) for name in OPEN}
    assert fields == {"as_printed": True, "structure": StructureParameters(threshold=0.1, within_host=False)}
    topic = Topic("t", "党建", {"党建": 1.0}, parameters={"semantic": {"as_printed": True, "similarity": {"alpha": 0.4}}})
    assert read_semantic_parameters(topic)[1] == SimilarityParameters(alpha=0.4, th1=0.1, th2=0.1)  # Table 5


def test_a_key_beside_as_printed_overrides_it() -> None:
    strategy = printed(link_threshold=0.3, tunnel=2, site_words=False, structure={"b": 0.2}, similarity={"th1": 0.7})
    p = strategy.parameters
    assert (p.link_threshold, p.tunnel, p.site_words, p.first_lines, p.own_site) == (0.3, 2, False, False, True)
    assert p.structure == StructureParameters(b=0.2)
    assert read_semantic_parameters(strategy.topic)[1] == replace(PRINTED_SIMILARITY, th1=0.7)


def test_without_as_printed_the_defaults_are_ours() -> None:
    ours = read_semantic_parameters(Topic("t", "党建", {"党建": 1.0}, parameters={"semantic": {"as_printed": False}}))
    assert ours == (SemanticParameters(), SIMILARITY)
    bad = Topic("t", "党建", {"党建": 1.0}, parameters={"semantic": {"as_printed": "yes"}})
    with pytest.raises(TopicError, match="as_printed must be true or false, not 'yes'"):
        read_semantic_parameters(bad)


def test_as_printed_a_page_is_its_title_keywords_and_description() -> None:
    page = Page("http://a.cn/1", title="要闻", heading="党建", lead="党建 支部")
    assert not printed().judge(page).keep
    assert printed(first_lines=True).judge(page).keep
    assert printed().judge(replace(page, keywords="党建")).keep and printed().judge(replace(page, description="党建")).keep


def test_as_printed_the_words_of_the_site_count() -> None:
    strategy = printed()
    home, listed = (Page(f"http://a.cn/{path}", title="青河党建网", description="党建 支部") for path in ("", "sport/"))
    strategy.learn(home.url, strategy.judge(home))
    verdict = strategy.judge(listed)
    assert verdict.keep and verdict.link_relevance == verdict.relevance and verdict.inherited is None
    assert strategy.judge(home).lesson is None


def test_as_printed_the_history_is_that_of_the_links_own_site() -> None:
    """Algorithm 3 on a crawl of several sites: each has the history that it would have if it were crawled by itself."""
    strategy, ours = printed(), printed(own_site=False)
    for made in (strategy, ours):
        for n in range(30):
            made.learn(f"http://dj.a.com.cn/{n}.html", Verdict(1.0, True))
        for n in range(5):
            made.learn(f"http://news.b.com.cn/zz/{n}", Verdict(1.0, True))
    url = "http://news.b.com.cn/zz/9"
    assert (strategy.eq5.struct(url), ours.eq5.struct(url)) == (1, 0)
    assert strategy.eq5.struct("http://c.cn/") == 0  # no history yet
    # What is learned survives a stop, and it is the link's site that counts, wherever it was found.
    again = printed()
    again.load_state_dict(json.loads(json.dumps(strategy.state_dict())))
    for made in (strategy, again):
        places = Evidence("http://sports.b.com.cn/", 1.0, True, ""), Evidence("http://www.a.com.cn/", 1.0, True, "")
        assert made.score([Candidate(url, (place,)) for place in places]) == [pytest.approx(made.eq5.alpha + made.eq5.lam)] * 2
        assert made.score([Candidate("http://c.cn/", places)]) == [pytest.approx(made.eq5.alpha)]
        assert made.explain(Candidate(url, places))["struct"] == 1
