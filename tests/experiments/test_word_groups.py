"""Word groups: what may be drawn as a synonym and as none, that both halves are alike in frequency, and how they are judged."""

import numpy as np
import pytest

from experiments.word_groups import PRINTED, Negatives, accuracy, accuracy_grid, distance, draw_groups, order
from experiments.word_pairs import Similarities
from topical_crawler.resources.cilin import Cilin
from topical_crawler.strategies.semantic.similarity import SimilarityParameters

CLASSES = ("Aa01", "Aa02", "Ab01", "Ba01", "Ba02", "Bb01", "Ca01", "Ca02")


@pytest.fixture(scope="module")
def cilin(tmp_path_factory: pytest.TempPathFactory) -> Cilin:
    """Eight small classes of ten groups of four words, each of two characters of its own; and what must not be drawn."""
    lines, code = [], 0x4E00
    for name in CLASSES:
        for number in range(10):
            words = [chr(code + 2 * k) + chr(code + 2 * k + 1) for k in range(4)]
            code += 8
            lines.append(f"{name}A{number + 1:02}= {' '.join(words)}")
    lines += ["Da01A01# 百合 茉莉", "Da01A02@ 孤词", "Da01A03= 山 岳", "Da01A04= 罕见 鲜见"]
    path = tmp_path_factory.mktemp("cilin") / "cilin.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    return Cilin(path)


@pytest.fixture(scope="module")
def frequencies(cilin: Cilin) -> dict[str, int]:
    drawn = [w for g in cilin.groups.values() for w in g.words]
    found = {
        word: int(count) for word, count in zip(drawn, np.random.default_rng(3).lognormal(5, 2, len(drawn)) + 10, strict=True)
    }
    return found | {"鲜见": 2}


@pytest.mark.parametrize("negatives", ["far", "near"])
def test_synonyms_and_others(cilin: Cilin, frequencies: dict[str, int], negatives: Negatives) -> None:
    groups = draw_groups(cilin, frequencies, 60, seed=4, negatives=negatives)
    assert [g.synonyms for g in groups] == [True, False] * 30
    for synonyms, others in zip(groups[::2], groups[1::2], strict=True):
        assert synonyms.first == others.first
        assert synonyms.second in cilin.synonyms(synonyms.first)
        (one,), (other,) = cilin.codes(others.first), cilin.codes(others.second)
        if negatives == "far":
            assert one[0] != other[0]
        else:
            assert one[:2] == other[:2] and one[:4] != other[:4]
    words = [w for g in groups[::2] for w in (g.first, g.second)] + [g.second for g in groups[1::2]]
    assert len(set(words)) == len(words) == 90
    assert all(len(w) == 2 and frequencies[w] >= 10 for w in words)


def test_both_halves_have_the_same_frequencies(cilin: Cilin, frequencies: dict[str, int]) -> None:
    groups = draw_groups(cilin, frequencies, 100, seed=1)
    logs = np.log([[frequencies[a.second], frequencies[b.second]] for a, b in zip(groups[::2], groups[1::2], strict=True)])
    assert abs(logs[:, 0].mean() - logs[:, 1].mean()) < 0.1
    assert np.corrcoef(logs.T)[0, 1] > 0.95


def test_too_many_or_odd(cilin: Cilin, frequencies: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"Cilin has \d+ such word groups, and 2000 are wanted\. Remedy"):
        draw_groups(cilin, frequencies, 2000)
    for count in (0, 7):
        with pytest.raises(ValueError, match="even number"):
            draw_groups(cilin, frequencies, count)


def test_judging() -> None:
    """Synonyms with SimH 1 and .15, others with SimD .25 and -.5; at Th1 = .3 what is left of .25 goes, at Th2 = .2 the .15."""
    known = np.ones(4, bool)
    found = Similarities(np.array([1, 0.15, 0, 0]), np.array([0.5, 0, 0.25, -0.5]), known, known, np.zeros(4), np.zeros(4))
    synonyms = np.array([True, True, False, False])
    grid = accuracy_grid(found, synonyms, [0.1, 0.2, 0.3], SimilarityParameters(alpha=1.0, beta=1.0))
    assert [grid[th1, 0.1].accuracy for th1 in (0.1, 0.2, 0.3)] == [0.75, 0.5, 0.75]
    assert [grid[th1, 0.2].accuracy for th1 in (0.1, 0.2, 0.3)] == [0.5, 0.5, 0.75]
    cell = grid[0.1, 0.1]
    assert (cell.synonyms, cell.others) == (1.0, 0.5)
    assert cell.interval[0] < 0.75 < cell.interval[1]
    assert accuracy(found, synonyms, SimilarityParameters(1.0, 1.0), decision=0.2).accuracy == 0.5
    assert accuracy(found, synonyms, SimilarityParameters(1.0, 1.0), decision=0.3).accuracy == 0.75
    assert -1 <= order(grid) <= 1
    assert distance(grid) == pytest.approx(np.mean([abs(grid[c].accuracy - p) for c, p in PRINTED.items()]))
    assert np.isnan(distance({}))
