"""Zhang et al. (ODP2EVSM): the formulas, their constants, and the printed seed.

Equations 6 to 8, precision, recall and F, are tested with the other measures (tests/evaluation/test_metrics.py). The numbers of
books (899, 501, 625, 575) and the curves are those of a shop of 2017; experiments/notes/paper-figures.md has a recorded one.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from topical_crawler import Topic
from topical_crawler.config import seeds
from topical_crawler.resources.categories import GENERATIONS, CategoryTree
from topical_crawler.resources.cilin import Cilin
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.strategies.odp2evsm.books import is_search
from topical_crawler.strategies.odp2evsm.extension import LAMBDA, WordExtension
from topical_crawler.strategies.odp2evsm.page_keywords import DAMPING, textrank
from topical_crawler.strategies.odp2evsm.topic_keywords import initial_keywords


def test_equation_1_over_four_generations() -> None:
    nodes: dict[str, tuple[str, str | None]] = {"A": ("数据挖掘", None), "B": ("图数据挖掘", "A"), "C": ("聚类", "B")}
    nodes |= {"D": ("谱聚类", "C"), "E": ("多视图谱聚类", "D"), "F": ("第五代", "E")}
    assert GENERATIONS == 4
    tree = CategoryTree(nodes, "an example")
    topic = Topic("dm", "数据挖掘", {"数据挖掘": 1.0, "分类": 0.5})
    keywords = initial_keywords(topic, tree, own_terms=False)
    # q_i = N_i / N_max: 聚类 stands in three names, 数据挖掘 and 谱聚类 in two; the topic word itself has the weight 1.
    assert keywords == pytest.approx({"数据挖掘": 1, "聚类": 1, "谱聚类": 2 / 3, "图数据挖掘": 1 / 3, "多视图谱聚类": 1 / 3})
    assert list(initial_keywords(topic, tree, threshold=0.5, own_terms=False)) == ["数据挖掘", "聚类", "谱聚类"]
    assert initial_keywords(topic, tree) == pytest.approx({**keywords, "分类": 0.5})


def test_equation_2() -> None:
    words, weights = ["数据", "挖掘", "聚类", "数据", "聚类"], {"数据": 0.9, "挖掘": 0.6, "聚类": 0.3}
    ranks = textrank(words, weights, window=2, tolerance=1e-12)
    edges = {("数据", "挖掘"): 1, ("挖掘", "聚类"): 1, ("聚类", "数据"): 2}
    both = {**edges, **{(b, a): n for (a, b), n in edges.items()}}
    leaving = {v: sum(n for (a, _), n in both.items() if a == v) for v in weights}
    d = DAMPING
    assert d == 0.85
    for v, w in weights.items():
        received = sum(both[j, v] / leaving[j] * ranks[j] for j in weights if (j, v) in both)
        assert ranks[v] == pytest.approx((1 - d) * w + d * w * received)


def test_equation_3() -> None:
    x, y = np.array([1.0, 2, 2]), np.array([2.0, 0, 1])
    rows = np.array([x / np.linalg.norm(x), y / np.linalg.norm(y)], dtype=np.float32)
    cosine = (x * y).sum() / (np.sqrt((x**2).sum()) * np.sqrt((y**2).sum()))
    assert WordExtension(WordVectors(["数据", "资料"], rows)).sem("数据", "资料") == pytest.approx(cosine)


def test_equations_4_and_5(tmp_path: Path) -> None:
    file = tmp_path / "cilin.txt"
    file.write_text("Dk17A01= 数据 资料\nDk17A02# 聚类 分类\nDk17A03@ 挖掘\n", encoding="utf-8")
    vectors = WordVectors(["数据", "资料", "聚类", "分类"], np.array([[1, 0], [0.6, 0.8], [0.8, 0.6], [1, 0]], dtype=np.float32))
    words = WordExtension(vectors, Cilin(file))
    assert [words.rel(*pair) for pair in (("聚类", "分类"), ("数据", "资料"), ("数据", "聚类"))] == [1, 0.85, 0]
    assert LAMBDA == 0.5
    assert words.exp("数据", "资料") == pytest.approx(0.5 * 0.6 + 0.5 * 0.85)
    assert words.exp("聚类", "分类") == pytest.approx(0.5 * 0.8 + 0.5 * 1)
    assert words.exp("数据", "聚类") == pytest.approx(0.5 * 0.8)


def test_the_printed_seed() -> None:
    # The paper's address also has the letters that were typed (wq=shujuwajue), which the search does without.
    topic = Topic(
        "dm", "数据挖掘", {"数据挖掘": 1.0, "聚类": 0.5}, seeds=("https://search.jd.com/Search?keyword={keyword}&enc=utf-8",)
    )
    printed = "https://search.jd.com/Search?keyword=%E6%95%B0%E6%8D%AE%E6%8C%96%E6%8E%98&enc=utf-8"
    assert seeds(topic, {"keywords": "1"}) == [printed]
    assert is_search(f"{printed}&wq=shujuwajue")
