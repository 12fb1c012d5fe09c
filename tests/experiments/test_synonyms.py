"""What Cilin adds to vectors and to HowNet."""

from pathlib import Path

import numpy as np
import pytest

from experiments.extended_similarity import lend_senses, retrofit
from topical_crawler.resources.cilin import Cilin
from topical_crawler.resources.hownet import HowNet
from topical_crawler.resources.vectors import WordVectors

GROUPS = "Aa01A01= 甲 乙 丙\nAa01A02= 丙 丁\nAa01A03# 甲 戊\nAa01A04@ 己\nAa01A05= 庚 辛\nAa01A06= 壬 癸\n"
ROWS = np.array([[1, 0], [0, 1], [0.6, 0.8], [1, 0], [-1, 0]], dtype=np.float32)
VECTORS = WordVectors(["甲", "乙", "戊", "壬", "癸"], ROWS)


@pytest.fixture
def cilin(tmp_path: Path) -> Cilin:
    (tmp_path / "cilin.txt").write_text(GROUPS, encoding="utf-8")
    return Cilin(tmp_path / "cilin.txt")


def by_the_formula(vectors: WordVectors, cilin: Cilin, rounds: int) -> dict[str, np.ndarray]:
    """Word by word: q = (own + mean of the synonyms' vectors) / 2, or what there is of the two."""
    own = {word: vectors.matrix[row].astype(float) for word, row in vectors.rows.items()}
    current = dict(own)
    groups = [group.words for group in cilin.groups.values() if group.relation == "="]
    for _ in range(rounds):
        following = dict(current)
        for word in {w for group in groups for w in group}:
            met = [current[w] for group in groups if word in group for w in group if w != word and w in current]
            terms = [*([own[word]] if word in own else []), *([np.mean(met, axis=0)] if met else [])]
            if terms:
                following[word] = np.mean(terms, axis=0)
        current = following
    return current


@pytest.mark.parametrize("rounds", [1, 2, 10])
def test_retrofitting_is_the_published_rule(cilin: Cilin, rounds: int) -> None:
    expected = by_the_formula(VECTORS, cilin, rounds)
    found = retrofit(VECTORS, cilin, rounds)
    for word, row in found.rows.items():
        length = np.linalg.norm(expected[word])
        if length > 1e-6:
            assert np.allclose(found.matrix[row], expected[word] / length, atol=1e-6), word
    assert found.words[: len(VECTORS)] == VECTORS.words
    assert set(found.words[len(VECTORS) :]) == set("丙丁" if rounds > 1 else "丙")


def test_what_has_no_synonym_stays_and_the_given_vectors_do(cilin: Cilin, tmp_path: Path) -> None:
    before = VECTORS.matrix.copy()
    found = retrofit(VECTORS, cilin)
    assert found.similarity("甲", "乙") > 0.3 and np.array_equal(VECTORS.matrix, before)
    assert np.allclose(found.matrix[found.rows["戊"]], ROWS[2]) and "庚" not in found
    assert np.allclose(np.linalg.norm(found.matrix, axis=1), 1)
    once = retrofit(VECTORS, cilin, rounds=1)  # 壬 and 癸 are opposed: each meets the other at 0
    assert once.vector("壬") == pytest.approx([1, 0]) and once.vector("癸") == pytest.approx([-1, 0])
    (tmp_path / "none.txt").write_text("Aa01A03# 甲 戊\n", encoding="utf-8")
    assert retrofit(VECTORS, Cilin(tmp_path / "none.txt")) is VECTORS


def test_senses_are_lent_to_words_that_have_none(cilin: Cilin, tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("甲 N human|人\n乙 N thing|物\n丁 V do|做\n", encoding="utf-8")
    hownet = HowNet(tmp_path / "g.txt")
    richer = lend_senses(hownet, cilin)
    assert richer.senses["丙"] == sorted({*hownet.senses["甲"], *hownet.senses["乙"], *hownet.senses["丁"]})
    assert richer.senses["甲"] == hownet.senses["甲"] and "丙" not in hownet and "戊" not in richer and "庚" not in richer
    assert richer.similarity("丙", "甲") == 1.0 == richer.similarity("丙", "丁") and richer.similarity("甲", "丁") == 0.0
