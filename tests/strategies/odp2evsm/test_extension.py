from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.resources.cilin import Cilin
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.strategies.odp2evsm.extension import FAINT, TopicExtension, WordExtension

WORDS = ["数据", "资料", "挖掘", "聚类", "分类", "小说"]
GROUPS = "Dk17A01= 数据 资料\nDk17B01# 聚类 分类\nDk17C01@ 挖掘\nDk17D01= 数据 聚类\nDk17D02# 数据 分类\n"


@pytest.fixture(scope="module")
def cilin(tmp_path_factory: pytest.TempPathFactory) -> Cilin:
    file = tmp_path_factory.mktemp("cilin") / "cilin.txt"
    file.write_text(GROUPS, encoding="utf-8")
    return Cilin(file)


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    rows = np.random.default_rng(4).normal(size=(4, 8)).astype(np.float32)
    return WordVectors(WORDS[:4], rows / np.linalg.norm(rows, axis=1, keepdims=True))


def test_relations_of_words(cilin: Cilin) -> None:
    words = WordExtension(None, cilin)
    assert words.rel("数据", "资料") == 0.85
    assert words.rel("聚类", "分类") == 1.0
    assert words.rel("资料", "聚类") == words.rel("数据", "小说") == 0.0
    assert words.rel("挖掘", "挖掘") == 0.0 and words.exp("挖掘", "挖掘") == 1.0  # a word alone, and a word with itself
    assert WordExtension().rel("数据", "资料") == 0.0


def test_lambda_joins_both(cilin: Cilin, vectors: WordVectors) -> None:
    cosine = vectors.similarity("数据", "资料")
    for lam in (0.0, 0.3, 1.0):
        assert WordExtension(vectors, cilin, lam).exp("数据", "资料") == pytest.approx(lam * cosine + (1 - lam) * 0.85)
    with pytest.raises(ValueError, match=r"lam must be from 0 to 1, not 1\.5"):
        WordExtension(lam=1.5)


WEIGHTS = st.dictionaries(st.sampled_from(WORDS), st.floats(0.05, 1), min_size=1)


@given(WEIGHTS, WEIGHTS)
def test_vectors_against_the_formula(cilin: Cilin, vectors: WordVectors, topic: dict[str, float], page: dict[str, float]) -> None:
    words = WordExtension(vectors, cilin, lam=0.3)
    near = {j: max(q * e if (e := words.exp(i, j)) >= FAINT else 0.0 for i, q in topic.items()) for j in page}
    expected = sum(k * near[j] for j, k in page.items()) / sum(page.values())
    assert TopicExtension(words, topic).between(page) == pytest.approx(expected, abs=1e-6)


def test_rows_are_exp_with_every_keyword(cilin: Cilin, vectors: WordVectors) -> None:
    words = WordExtension(vectors, cilin, lam=0.3)
    topic = TopicExtension(words, dict.fromkeys(WORDS, 1.0))
    for word in (*WORDS, "天气"):
        assert topic.row(word) == pytest.approx([words.exp(i, word) for i in WORDS], abs=1e-6)


def test_the_nearest_keyword(cilin: Cilin) -> None:
    topic = TopicExtension(WordExtension(None, cilin), {"资料": 1.0, "分类": 0.5})
    assert (topic.nearest("数据"), topic.degree("数据")) == ("资料", 0.425)
    assert (topic.nearest("分类"), topic.degree("分类")) == ("分类", 0.5)


def test_faint_likeness_does_not_count() -> None:
    rows = np.array([[1, 0], [0.5, np.sqrt(0.75)]], dtype=np.float32)
    words = WordExtension(WordVectors(["数据", "小说"], rows))
    assert words.exp("数据", "小说") == pytest.approx(0.25)
    assert TopicExtension(words, {"数据": 1.0}).degree("小说") == 0.0


def test_nothing_and_less_than_nothing() -> None:
    opposite = WordVectors(["数据", "小说"], np.array([[1, 0], [-1, 0]], dtype=np.float32))
    topic = TopicExtension(WordExtension(opposite), {"数据": 1.0})
    assert topic.between({}) == topic.between({"小说": 0.0}) == 0.0
    assert topic.row("小说") == [-0.5] and topic.degree("小说") == topic.between({"小说": 1.0}) == 0.0
    assert topic.own == 1.0


def test_likeness_to_itself_is_the_scale() -> None:
    assert TopicExtension(WordExtension(), {"数据": 1.0, "聚类": 0.5}).own == pytest.approx((1 + 0.25) / 1.5)
