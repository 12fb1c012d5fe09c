"""Agreement with judged pairs: the rank correlation against scipy's, and the file's form."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from topical_crawler.evaluation.words import Agreement, JudgedPair, evaluate, read_pairs, spearman

few = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=30)


@given(few)
def test_rank_correlation_with_ties(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array(pairs, dtype=float).T
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert math.isnan(spearman(a, b))
    else:
        assert spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-12)


def test_pairs_without_a_similarity_count_zero_overall() -> None:
    pairs = [JudgedPair("甲", str(i), float(i)) for i in range(4)]
    found = evaluate(lambda a, b: float(b), pairs, covers=lambda a, b: b != "3")
    assert found == Agreement(pairs=4, covered=3, rho=pytest.approx(0.1054, abs=1e-4), rho_covered=pytest.approx(1.0))


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("# 词\t词\t分\n党员\t干部\t6.5\n\n", encoding="utf-8")
    assert read_pairs(path) == [JudgedPair("党员", "干部", 6.5)]
    path.write_text("党员\t干部\t6.5\n党员 干部 6.5\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"pairs\.tsv:2: expected"):
        read_pairs(path)
