"""Every baseline keeps the contract of strategies."""

from __future__ import annotations

import pytest

from experiments.contract import check_strategy
from topical_crawler.strategies import STRATEGIES, names


@pytest.mark.parametrize("name", sorted(set(names()) - set(STRATEGIES)))
def test_contract(name: str) -> None:
    check_strategy(name)
