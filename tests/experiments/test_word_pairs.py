"""Agreement with judged pairs: the rank correlation against scipy's, coverage, the choice of constants, the file's form."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from experiments.word_pairs import JudgedPair, Similarities, agreement, candidates, choose, read_pairs, spearman
from topical_crawler.judging.report import wilson
from topical_crawler.resources.hownet import HowNet
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.strategies.semantic.similarity import SimilarityParameters, WordSimilarity, algorithm1

few = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=30)


@given(few)
def test_rank_correlation_with_ties(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array(pairs, dtype=float).T
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert math.isnan(spearman(a, b))
    else:
        assert spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-12)


@pytest.fixture(scope="module")
def similarity(tmp_path_factory: pytest.TempPathFactory) -> WordSimilarity:
    """HowNet knows 医生, 大夫 and 山; the vectors know 医生, 护士 and 山."""
    glossary = tmp_path_factory.mktemp("words") / "glossary.txt"
    glossary.write_text("医生\tN\thuman|人,medical|医\n大夫\tN\thuman|人,medical|医\n山\tN\tland|陆地\n", encoding="utf-8")
    vectors = WordVectors(["医生", "护士", "山"], np.array([[1, 0], [0.8, 0.6], [-0.6, 0.8]], dtype=np.float32))
    return WordSimilarity(HowNet(glossary), vectors)


PAIRS = [("医生", "大夫"), ("医生", "护士"), ("医生", "山"), ("飞碟", "大夫"), ("飞碟", "飞碟")]


def test_what_the_resources_know_of_pairs(similarity: WordSimilarity) -> None:
    found = Similarities.of(PAIRS, similarity)
    assert found.sim_h.tolist() == [1, 0, 0, 0, 1]
    assert found.sim_d.tolist() == pytest.approx([0, 0.8, -0.6, 0, 1])
    assert found.known_h.tolist() == [True, False, True, False, True]
    assert found.known_d.tolist() == [False, True, True, False, True]
    assert found.known.tolist() == [True, True, True, False, True]
    assert len(found[found.known]) == 4
    assert len(Similarities.of([], similarity)) == 0


def test_algorithm_1_is_that_of_the_crawler(similarity: WordSimilarity) -> None:
    for parameters in (SimilarityParameters(), SimilarityParameters(0.4, 0.2, 0.2, 0.3)):
        asked = WordSimilarity(similarity.hownet, similarity.vectors, parameters)
        assert Similarities.of(PAIRS, similarity).sim(parameters).tolist() == [asked.sim(a, b) for a, b in PAIRS]


def test_pairs_without_a_similarity_count_zero_overall() -> None:
    judged = np.arange(4.0)
    found = agreement(judged, judged < 3, judged, seed=1, rounds=200)
    assert (found.pairs, found.covered) == (4, 3)
    assert found.rho == pytest.approx(0.1054, abs=1e-4)
    assert found.rho_covered == pytest.approx(1.0)
    assert found.interval[0] <= found.rho <= found.interval[1]
    assert found == agreement(judged, judged < 3, judged, seed=1, rounds=200)
    nothing = agreement(np.zeros(3), np.zeros(3, bool), np.arange(3.0), seed=1, rounds=5)
    assert math.isnan(nothing.rho) and math.isnan(nothing.rho_covered) and math.isnan(nothing.interval_covered[0])


@given(st.integers(0, 200), st.integers(1, 200))
def test_wilson_holds_the_share_and_stays_within(right: int, more: int) -> None:
    total = right + more - 1 or 1
    right = min(right, total)
    low, high = wilson(right, total)
    assert 0 <= low <= right / total <= high <= 1
    expected = stats.binomtest(right, total).proportion_ci(method="wilson")
    assert (low, high) == (pytest.approx(expected.low, abs=1e-9), pytest.approx(expected.high, abs=1e-9))


def test_the_best_constants_are_chosen() -> None:
    """SimD is inverted here, SimH right: only a β of 1 orders these pairs."""
    sim_h, sim_d = np.array([0.2, 0.4, 0.6, 0.8]), np.array([0.9, 0.6, 0.4, 0.15])
    known = np.ones(4, bool)
    found = Similarities(sim_h, sim_d, known, known, np.zeros(len(known)), np.zeros(len(known)))
    best, value = choose(
        candidates([0.1], SimilarityParameters()), lambda p: spearman(found.sim(p), sim_h) - spearman(found.sim(p), sim_d)
    )
    assert value == pytest.approx(2.0)
    assert algorithm1(0.8, 0.15, best) > algorithm1(0.2, 0.9, best)
    with pytest.raises(ValueError, match="no constants of Algorithm 1"):
        choose(candidates([0.1], SimilarityParameters()), lambda p: math.nan)


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("# 词\t词\t分\n党员\t干部\t6.5\n\n党员\t同志\t5\n", encoding="utf-8")
    assert read_pairs(tmp_path / "pairs.tsv") == [JudgedPair("党员", "干部", 6.5), JudgedPair("党员", "同志", 5.0)]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("党员\t干部\t6.5\n党员 干部 6.5\n".encode(), r"pairs\.tsv, line 2: '党员 干部 6.5' is not"),
        ("党员\t干部\tnan\n".encode(), r"line 1: .* Remedy"),
        ("党员\t干部\t6.5\n".encode(), "1 pairs. Remedy: give two"),
        ("党员\t干部\t6.5\n".encode("gbk"), "save the file as UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "pairs.tsv").write_bytes(content)
    with pytest.raises(ValueError, match=said):
        read_pairs(tmp_path / "pairs.tsv")
