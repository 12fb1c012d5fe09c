"""benchmarks/performance.py: the cost of links is found from pages that hold several kinds, and a missed aim is in bold."""

import itertools
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import performance


def test_cost_of_each_kind_of_link_is_told_apart() -> None:
    numbers = itertools.product(range(0, 30, 7), range(0, 80, 13), range(5))
    pages = [(3e-4 + 2e-6 * fetched + 5e-6 * waiting + 40e-6 * new, fetched, waiting, new) for fetched, waiting, new in numbers]
    pages.append((1.0, 1, 1, 1))  # memory was collected
    assert performance.of_links(pages) == pytest.approx({"fetched": 2, "waiting": 5, "new": 40})
