"""The table of similarities from HowNet."""

from __future__ import annotations

from pathlib import Path

import pytest
from relevance_tools import write_resources

from topical_crawler.resources.hownet import HowNet
from topical_crawler.resources.registry import Resources
from topical_crawler.strategies.esvsm.vector_space import TermSimilarity

TERMS = ["操作系统", "电脑", "深度学习"]


@pytest.mark.parametrize("names", [("hownet", "hownet_tree"), ("hownet",)])
def test_the_table_has_the_similarities_of_hownet(tmp_path: Path, names: tuple[str, ...]) -> None:
    resources = write_resources(tmp_path, *names)
    glossary = resources.path("hownet")
    assert glossary is not None
    hownet = HowNet(glossary, resources.path("hownet_tree"))
    table = TermSimilarity.of_terms(TERMS, resources)
    for place, term in enumerate(TERMS):
        alone = table.means([float(place == other) for other in range(len(TERMS))])
        for word in (*hownet.senses, "深度学习", "足球"):
            expected = float(word == term) if "深度学习" in (word, term) else hownet.similarity(word, term)
            assert alone.get(word, 0.0) == pytest.approx(expected, abs=1e-6), (word, term)


def test_without_hownet() -> None:
    table = TermSimilarity.of_terms(TERMS, Resources.none())
    assert table.means() == pytest.approx(dict.fromkeys(TERMS, 1 / 3))
