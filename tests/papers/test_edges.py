"""Formulas where a mistake would not show in the middle of their range: at a bound, at 0, at a tie, with unequal weights.

``python benchmarks/mutants.py`` changes the formulas one place at a time, and tells which change no test notices."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from experiments.comparison import Quality
from topical_crawler import Candidate, Evidence, Page, Topic
from topical_crawler.evaluation.metrics import SiteScore
from topical_crawler.resources.categories import GENERAL, CategoryTree
from topical_crawler.resources.cilin import Cilin
from topical_crawler.resources.hownet import NO_PATH, SememeTree, value_similarities
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.strategies.content_url import ContentUrl, ContentUrlParameters, TopicVector
from topical_crawler.strategies.esvsm.topic_model import sub_topics, topic_vector
from topical_crawler.strategies.esvsm.vector_space import TermSimilarity, TermSvsm, TextAndAnchor, TextAndAnchorParameters
from topical_crawler.strategies.odp2evsm import extension
from topical_crawler.strategies.odp2evsm.page_keywords import ExtensionMeasure, NodeWeights
from topical_crawler.strategies.odp2evsm.topic_keywords import Expansion, initial_keywords, own_keywords
from topical_crawler.strategies.semantic import score_table
from topical_crawler.strategies.semantic.parameters import MAX_INCONSISTENCY, RANDOM_INDEX, SemanticParameters
from topical_crawler.strategies.semantic.priority import Priority
from topical_crawler.strategies.semantic.score_table import ScoreTable
from topical_crawler.strategies.semantic.similarity import SimilarityParameters, WordSimilarity, algorithm1
from topical_crawler.strategies.semantic.strategy import Semantic
from topical_crawler.strategies.semantic.url_structure import (
    StructureParameters,
    UrlParts,
    struct,
    struct_of_host,
    structure_similarity,
)
from topical_crawler.text.segment import Segmenter
from topical_crawler.text.statistics import Idf, Vsm

TERMS = {"内核": 3.0, "进程": 4.0}
SEGMENTER = Segmenter(TERMS, backend="rjieba")
EVEN = Idf({"内核": 1.0, "进程": 1.0, "天气": 1.0})

# -- Zhou, Wang, Yu 2019


def semantic(**parameters: object) -> Semantic:
    topic = Topic("t", "内核", TERMS)
    table = ScoreTable({"内核": (3.0, "内核"), "进程": (4.0, "进程")})
    return Semantic(topic, SEGMENTER, Priority(topic, table, SemanticParameters(**parameters)))  # type: ignore[arg-type]


def test_algorithm_1_of_a_cosine_above_1() -> None:
    assert algorithm1(0.0, 1.0000001, SimilarityParameters(alpha=1.0)) == 1.0


def test_rel_is_bounded_unless_the_topic_says_otherwise() -> None:
    assert semantic().eq5.bound(3.0) == 0.75
    assert semantic(bounded=False).eq5.bound(3.0) == 3.0


def test_a_text_or_link_at_its_threshold_is_not_above_it() -> None:
    text = semantic().confirm("内核天气")[0]
    assert semantic(text_threshold=text).confirm("内核天气") == (text, False)
    link = Candidate("http://a.cn/1", (Evidence("http://a.cn/", 0.4, True, "内核天气"),))
    (priority,) = semantic().score([link])
    assert priority and semantic(link_threshold=priority).score([link]) == [None]


def test_the_printed_figures_of_the_hierarchy_process() -> None:
    """Saaty 1980."""
    assert RANDOM_INDEX == (0.0, 0.0, 0.58, 0.90, 1.12, 1.24, 1.32, 1.41, 1.45, 1.49)
    assert MAX_INCONSISTENCY == 0.1


def test_a_pair_of_www_parts_is_a_pair() -> None:
    """www and wap have one of three characters in common, which counts in full; of www and www a quarter does."""
    plain = StructureParameters(alpha=1.0, beta=0.0, a_host=1.0, b=1.0, d=4.0)
    assert structure_similarity("http://www.a.cn/", "http://wap.b.org/", plain)[1] == pytest.approx(1 / 3)
    assert structure_similarity("http://www.a.cn/", "http://www.b.org/", plain)[1] == pytest.approx(1 / 4)


def test_struct_of_a_host_with_any_parameters() -> None:
    chance = random.Random(1)
    hosts, words = ("dj.a.cn", "dj.b.cn", "www.a.cn", "a.cn", "dang.c.org", ""), ("dj", "djyw", "zz", "1.html", "x9")
    answers = set()
    for _ in range(3_000):
        share = chance.choice((0.1, 0.3, 0.5, 0.9))
        p = StructureParameters(
            alpha=1 - share, beta=share, threshold=chance.choice((0.02, 0.1, 0.2, 0.4)), a_host=chance.choice((0.3, 0.8)),
            a_path=chance.choice((0.1, 0.4)), within_host=chance.random() < 0.5,
        )  # fmt: skip
        url, *sample = (
            f"http://{chance.choice(hosts)}/{'/'.join(chance.choices(words, k=chance.randrange(4)))}"
            for _ in range(1 + chance.choice((1, 2, 3, 4)))
        )
        of_host = struct_of_host(UrlParts.of(url).host, [UrlParts.of(other) for other in sample], p)
        found = of_host(url) if callable(of_host) else of_host
        answers.add((callable(of_host), found))
        assert found == struct(url, sample, p), (url, sample, p)
    assert len(answers) == 4
    by_path = StructureParameters(alpha=0.1, beta=0.9, threshold=0.1, a_host=0.0, a_path=0.1)
    sample = [UrlParts.of("http://q.z/dj/djyw/zz")]
    assert struct_of_host("x.y", sample, by_path)("http://x.y/dj/djyw/zz") == 1  # type: ignore[operator]


def test_the_table_of_scores_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(3).normal(size=(7, 4)).astype(np.float32)
    words = WordSimilarity(None, WordVectors(list("甲乙丙丁戊己庚"), rows / np.linalg.norm(rows, axis=1, keepdims=True)))
    terms, at_once = {"乙": 1.0, "己": 2.0}, score_table._ROWS_AT_ONCE
    monkeypatch.setattr(score_table, "_ROWS_AT_ONCE", 2)
    in_blocks = dict(ScoreTable.build(terms, words))  # first, lest it find the cosines of the other in the memory that it gets
    monkeypatch.setattr(score_table, "_ROWS_AT_ONCE", at_once)
    whole = dict(ScoreTable.build(terms, words))
    assert whole.keys() == in_blocks.keys() and len(whole) > 2
    for word, (score, term) in whole.items():
        assert in_blocks[word] == (pytest.approx(score), term)


# -- Liu & Li 2002


def test_sememes_at_several_places_and_of_several_trees(tmp_path: Path) -> None:
    nodes = (
        "1 entity|实体 1\n2 thing|万物 1\n3 human|人 2\n4 animal|兽 2\n5 event|事件 5\n6 act|行动 5\n7 human|人 6\n8 end|终 5\n"
    )
    (tmp_path / "tree.txt").write_text(nodes, encoding="utf-8")
    found = SememeTree(tmp_path / "tree.txt").similarities(
        ["human|人", "animal|兽", "act|行动", "end|终", "nothing|无", "none|没"]
    )
    human, animal, act, end = range(4)
    assert NO_PATH == 20
    assert found[human, animal] == pytest.approx(1.6 / (1.6 + 2))
    assert found[human, act] == found[act, human] == pytest.approx(1.6 / (1.6 + 1))
    assert found[act, end] == pytest.approx(1.6 / (1.6 + 2))
    assert found[animal, act] == found[animal, end] == found[4, 5] == found[human, 4] == pytest.approx(1.6 / 21.6)
    assert np.diag(found).tolist() == [1.0] * 6


def test_concrete_words(tmp_path: Path) -> None:
    (tmp_path / "tree.txt").write_text("1 entity|实体 1\n2 human|人 1\n", encoding="utf-8")
    found = value_similarities(["(China|中国)", "human|人", "(US|美国)"], SememeTree(tmp_path / "tree.txt"))
    assert found.tolist() == [[1.0, 0.2, 0.0], [0.2, 1.0, 0.2], [0.0, 0.2, 1.0]]


def test_words_without_a_vector() -> None:
    vectors = WordVectors(["内核", "进程"], np.array([[1, 0], [0.6, 0.8]], dtype=np.float32))
    assert vectors.similarity("内核", "进程") == pytest.approx(0.6)
    assert vectors.similarity("内核", "天气") == vectors.similarity("天气", "内核") == 0.0


# -- Sun et al. 2018


def method(**parameters: float) -> TextAndAnchor:
    return TextAndAnchor(Vsm(TERMS, EVEN), SEGMENTER, TextAndAnchorParameters(**parameters))


def test_the_share_of_the_title() -> None:
    page = Page.from_html("http://a.cn/", "<title>内核</title><body>进程，进程，进程，天气</body>")
    plain, titled = method(title_weight=0.0).judge(page), method(title_weight=0.3).judge(page)
    assert plain.inherited is None and titled.relevance == plain.relevance != pytest.approx(0.6)
    assert titled.inherited == pytest.approx(0.7 * plain.relevance + 0.3 * 0.6)
    assert plain.keep and not method(page_threshold=plain.relevance).judge(page).keep


def test_a_text_at_its_threshold_is_not_above_it() -> None:
    text = method().confirm("内核天气")[0]
    assert method(text_threshold=text).confirm("内核天气") == (text, False)


@pytest.mark.parametrize("measure", [Vsm, lambda topic, idf: TermSvsm(topic, dict.fromkeys(topic, 1.0), idf)])
def test_no_cosine_is_above_1(measure: type[Vsm]) -> None:
    """That of a text with itself, as the sums of floats come out, can be."""
    chance = random.Random(0)
    for _ in range(500):
        counts = {word: chance.randint(1, 9) for word in ("内核", "进程", "天气")}
        words = [word for word, count in counts.items() for _ in range(count)]
        assert 1 - 1e-12 < measure({word: count / len(words) for word, count in counts.items()}, EVEN).of(words) <= 1.0


def test_words_like_no_term_have_no_mean() -> None:
    similarity = TermSimilarity(["内核"], {"核心": 0, "天气": 1}, np.array([[0.5], [0.0]], dtype=np.float32))
    assert dict(similarity.means()) == {"核心": 0.5, "内核": 1.0}


def test_words_of_equal_weight_are_in_their_order_and_seeds_differ() -> None:
    assert list(topic_vector([{"进程": 0.5, "内核": 0.5}, {"天气": 0.9}], EVEN)) == ["天气", "内核", "进程"]
    documents = [{"内核": 3, "进程": 1, "调度": 2}, {"天气": 2, "降雨": 1, "进程": 1}]
    assert sub_topics(documents, 33, topics=2, words=3) != sub_topics(documents, 1, topics=2, words=3)


# -- Zhang et al.


def test_of_several_relations_the_greatest_counts(tmp_path: Path) -> None:
    file = tmp_path / "cilin.txt"
    file.write_text("Dk17A01= 数据 资料\nDk17A02# 数据 资料\nDk17A03@ 挖掘\n", encoding="utf-8")
    assert extension.WordExtension(None, Cilin(file)).rel("数据", "资料") == 1.0
    assert extension.RELATED == {"#": 1.0, "=": 0.85, "@": 0.0}  # Eq. 4: "else 0"


def test_a_pair_at_the_bound_of_faint_ones_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "cilin.txt"
    file.write_text("Dk17A01= 数据 资料\n", encoding="utf-8")
    topic = extension.TopicExtension(extension.WordExtension(None, Cilin(file)), {"数据": 1.0})
    monkeypatch.setattr(extension, "FAINT", 0.5 * 0.85)
    assert topic.degree("资料") == 0.425


def test_a_long_word_is_long_and_the_first_keyword_weighs_1() -> None:
    weights = NodeWeights(lambda word: "n")
    assert weights.features(["计算机操作系统"], ())["计算机操作系统"]["length"] == 1.0
    topic = extension.TopicExtension(extension.WordExtension(), TERMS)
    keywords = ExtensionMeasure(topic, SEGMENTER, weights, n=3).of_page("内核", "进程天气进程内核进程").keywords
    assert keywords[0][1] == 1.0 and all(0 < b[1] <= a[1] for a, b in pairwise(keywords))


def test_as_many_keywords_as_are_asked_for() -> None:
    topic = Topic("os", "操作系统", {"操作系统": 0.1, "内核": 2.0, "进程": 1.0})
    assert own_keywords(topic, 2) == {"操作系统": 1.0, "内核": 1.0}
    names = ["操作系统", *(f"操作系统{letter}" for letter in "甲乙丙丁戊己庚辛壬癸"), "调度"]
    nodes: dict[str, tuple[str, str | None]] = {f"A{n}": (name, "A0" if n else None) for n, name in enumerate(names)}
    tree = CategoryTree(nodes, "an example")
    found = initial_keywords(topic, tree, own_terms=False)
    assert found["调度"] == pytest.approx(1 / 11)
    assert list(initial_keywords(topic, tree, threshold=1 / 11, own_terms=False)) == list(found)
    assert len(initial_keywords(topic, tree, most=3)) == 3


def test_general_terms_are_left_out() -> None:
    """设计 stands in as many names elsewhere as are allowed, 材料 in one more, 系统 within the node's own name too."""
    nodes: dict[str, tuple[str, str | None]] = {
        "A": ("内核系统", None),
        "B": ("设计", "A"),
        "C": ("材料", "A"),
        "D": ("材料内核系统", "A"),
    }
    nodes |= {f"X{n}": ("设计", None) for n in range(GENERAL)} | {f"Y{n}": ("材料", None) for n in range(GENERAL + 1)}
    found = CategoryTree(nodes, "an example").keywords("A")
    assert found == pytest.approx({"内核系统": 1.0, "材料内核系统": 0.5, "设计": 0.5})
    tree = CategoryTree({"A": ("数据挖掘", None), "B": ("数据", "A"), "C": ("挖掘数据库", "A")}, "an example")
    assert tree.keywords("A") == pytest.approx({"数据": 1.0, "挖掘数据库": 1 / 3, "数据挖掘": 1 / 3})


def test_what_is_learned_first_leaves_less_room() -> None:
    expansion = Expansion({"内核": 1.0}, batch=2, most=4)
    for n, words in enumerate(
        [[("甲", 0.5)], [("乙", 0.5)], [("丙", 0.9), ("丁", 0.8)], [("丁", 0.2), ("丙", 0.3)], [("戊", 1.0)]]
    ):
        expansion.learn(f"http://a.cn/{n}", words)
    assert list(expansion.added) == ["乙", "甲", "丙"]
    by_sum = Expansion({"内核": 1.0}, batch=2, most=2)
    by_sum.learn("http://a.cn/1", [("甲", 0.9), ("乙", 0.8)])
    by_sum.learn("http://a.cn/2", [("甲", 0.1), ("乙", 0.8)])
    assert list(by_sum.added) == ["乙"]


# -- Chen, Zhu 2011


def test_a_page_at_its_threshold_is_not_relevant() -> None:
    topic, page = TopicVector(TERMS, SEGMENTER, EVEN), Page("http://a.cn/", title="内核天气")
    relevance = ContentUrl(topic).judge(page).relevance
    assert relevance > 0 and not ContentUrl(topic, ContentUrlParameters(page_threshold=relevance)).judge(page).keep


# -- Precision, recall, F


def test_f_and_shares_of_nothing() -> None:
    assert Quality(9, collected=10, relevant=8, held=3, available=12).f == pytest.approx(2 * 0.8 * 0.25 / 1.05)
    assert Quality(9, collected=10, relevant=0, held=0, available=12).f == 0.0
    nothing = SiteScore("a.cn", collected=0, relevant=0, held=0, available=4)
    assert (nothing.precision, nothing.recall) == (0.0, 0.0)
    assert SiteScore("a.cn", collected=4, relevant=2, held=0, available=0).recall == 0.0
