"""Parts of adaptive that are left out are gone, and nothing else; what they are worth: tests/strategies/adaptive."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.adaptive_without import Changing, Links, adaptive_without
from topical_crawler import Evidence, Page, strategies
from topical_crawler.strategies.adaptive.link_model import KINDS, ChangingFeatures, Feature, LinkFeatures
from topical_crawler.strategies.adaptive.strategy import Adaptive

URL = "http://a.cn/党建/支部/1.html?x=1"
PARENT = "http://dj.a.cn/index.html"
FOUND = (Evidence(PARENT, 0.5, True, "党建 要闻", path="div/a"), Evidence(PARENT, 0.5, True, "要闻 党建"))
WAYS = (
    str.split,
    lambda words: float(sum(word == "党建" for word in words)),
    lambda words: " ".join(words).encode(),
    lambda words: 0.5 * (next(iter(words), "") == "党建"),
    lambda anchors: [0.4 * (anchor == "党建") for anchor in anchors],
)
CHANGING = ("best", "mean", "terms", "distance", "likeness", "parent", "wording", "struct", "near")


def links(*without: str) -> LinkFeatures:
    return Links(frozenset(without), *WAYS)


def meanings(features: LinkFeatures) -> dict[int, Feature]:
    return features.meanings(URL, FOUND, features.view(URL, FOUND))


@pytest.mark.parametrize("part", ["address", "anchor", "place"])
def test_features_of_a_part(part: str) -> None:
    whole, left = meanings(links()), meanings(links(part))
    assert whole == meanings(LinkFeatures(*WAYS))  # type: ignore[arg-type]
    assert {f[0] for f in whole.values()} - {f[0] for f in left.values()} == set(KINDS[part]) - set(CHANGING)
    assert left == {n: f for n, f in whole.items() if f[0] not in KINDS[part]}


def test_changing_features() -> None:
    state = np.array([[0.5, 0.25, 1.0, 3, 1.2, 0.4, 0.6, 1, 0.3, 0]], dtype=np.float32).T
    best, mean, terms, distance, likeness, *eq5, near = ChangingFeatures().numbers(state)[0].tolist()
    some = Changing(frozenset(("anchor", "likeness")))
    assert some.kinds == ("best", "mean", "distance", "parent", "wording", "struct", "near")
    assert some.numbers(state)[0].tolist() == [best, mean, distance, *eq5, near]
    assert Changing(frozenset(["eq5"])).numbers(state)[0].tolist() == [best, mean, terms, distance, likeness, near]
    assert Changing(frozenset(KINDS)).numbers(np.repeat(state, 2, axis=1)).shape == (2, 0)


def test_a_part_that_there_is_not() -> None:
    with pytest.raises(ValueError, match=r"adaptive has no part hosts\. Remedy: choose among feedback, labels, .*, meaning"):
        adaptive_without("hubs", "hosts")


def test_the_strategy_is_made_like_any_other() -> None:
    strategy = strategies.create("partybuilding", adaptive_without("labels", "eq5"), resources=None)
    assert isinstance(strategy, Adaptive) and strategy.name == "adaptive"
    assert strategy.parameters == strategies.create("partybuilding", "adaptive", resources=None).parameters
    pages = [Page("http://a.cn/1.html", title="要闻", labels=labels) for labels in ((), ("党建",))]
    assert len({strategy.judge(page).relevance for page in pages}) == 1
