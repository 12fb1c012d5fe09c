"""Which crawls a comparison is made of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from experiments.comparison import Setting
from experiments.plan import DRAWING, Bounds, LabelledTopic, Start, cells, drawn_starts, given_starts, settings_of
from experiments.thinning import KEEP_LINKS
from topical_crawler.evaluation.labels import read_labels
from topical_crawler.recordings.reader import Recording
from topical_crawler.resources.registry import Resources
from topical_crawler.strategies import load, names
from topical_crawler.strategies.base import Setup
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.topic import Topic, load_topic
from topical_crawler.web.urls import fingerprint

DEMO = Path(__file__).resolve().parents[2] / "demo"


@pytest.fixture(scope="module")
def party() -> LabelledTopic:
    return LabelledTopic(load_topic("partybuilding"), "grade", read_labels(DEMO / "labels.tsv"))


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return Recording(DEMO / "demo-web.warc.gz", tmp_path_factory.mktemp("cache"))


def named(topic: Topic, starts: list[Start], bounds: Bounds = Bounds()) -> list[str]:  # noqa: B008 - it cannot be changed
    return [cell.name for cell in cells(topic, ["breadth_first", "random"], starts, bounds)]


def test_a_crawl_that_can_only_repeat_another_is_left_out(party: LabelledTopic) -> None:
    starts = given_starts(party.topic, {"home": [DEMO / "seeds.txt"]}, seeds=2)
    assert named(party.topic, starts, Bounds((0, 50))) == [
        "partybuilding.breadth_first.home.seed0.cap0",
        "partybuilding.random.home.seed0.cap0",
        "partybuilding.breadth_first.home.seed0.cap50",
        "partybuilding.random.home.seed0.cap50",
        "partybuilding.random.home.seed1.cap0",
        "partybuilding.random.home.seed1.cap50",
    ]
    settings = [setting for setting, _ in settings_of(party.topic, starts, Bounds((0, 50)))]
    assert settings == [Setting("partybuilding", "home", cap) for cap in (0, 50)]


def test_where_links_are_gone_every_seed_is_another_web(party: LabelledTopic) -> None:
    starts = given_starts(party.topic, {"home": [DEMO / "seeds.txt"]}, seeds=2)
    bounds = Bounds(keep_links=(1.0, 0.5))
    assert named(party.topic, starts, bounds) == [
        "partybuilding.breadth_first.home.seed0.cap0",
        "partybuilding.random.home.seed0.cap0",
        "partybuilding.breadth_first.home.seed0.cap0.links0.5",
        "partybuilding.random.home.seed0.cap0.links0.5",
        "partybuilding.random.home.seed1.cap0",
        "partybuilding.breadth_first.home.seed1.cap0.links0.5",
        "partybuilding.random.home.seed1.cap0.links0.5",
    ]
    settings = [setting for setting, _ in settings_of(party.topic, starts, bounds)]
    assert settings == [Setting("partybuilding", "home", 0, share) for share in (1.0, 0.5)]
    for cell in cells(party.topic, ["anchor"], starts, bounds):
        assert cell.key.setting.keep_links == (0.5 if "links" in cell.name else 1)


def test_the_draws(party: LabelledTopic, web: Recording) -> None:
    first, second = drawn_starts(party, web, 10, seeds=2)
    assert first.urls == drawn_starts(party, web, 10, seeds=1)[0].urls != second.urls
    for start in (first, second):
        labels = [party.labels[fingerprint(url)] for url in start.urls]
        assert all(label.is_text and label.grade == 2 for label in labels)
        assert len({label.doc for label in labels}) == 10
        assert all(url in web for url in start.urls)
    assert len(named(party.topic, [first, second])) == 4  # every strategy starts at every draw
    assert first.called != second.called
    assert list(settings_of(party.topic, [first, second], Bounds())) == [(Setting("partybuilding", "texts10", 0), first)]
    with pytest.raises(ValueError, match="--start-texts 1000: the labels know 46 recorded texts on topic 'partybuilding'"):
        drawn_starts(party, web, 1000, seeds=1)


def test_start_urls_of_the_topic_itself(write_topic: Callable[..., Path]) -> None:
    topic = load_topic(write_topic({"seeds.txt": "http://a.cn/?q={keyword}\n"}))
    [start] = given_starts(topic, {}, seeds=1)
    assert (start.name, start.urls) == ("seeds", ("http://a.cn/?q=%E5%85%9A%E5%BB%BA",))
    (Path(topic.source) / "seeds.txt").unlink()
    with pytest.raises(ValueError, match=r"the topic 'mytopic' has no start URLs\. Remedy: --seeds FILE"):
        given_starts(load_topic(Path(topic.source)), {}, seeds=1)


def test_how_a_crawl_is_made(party: LabelledTopic) -> None:
    start = Start("home", 1, ("http://a.cn/",))
    [cell] = cells(party.topic, ["random"], [start], Bounds((50,)))
    planned = cell.planned(Path("seeds.txt"))
    assert planned.name == cell.name == "partybuilding.random.home.seed1.cap50"
    assert planned.settings == {"TOPICAL_SEED": "1"}
    assert {"strategy": "random", "seeds": "seeds.txt", "pages_per_host": "50"}.items() <= planned.arguments.items()
    assert load_topic(planned.arguments["topic"]).name == "partybuilding"
    [cell] = cells(party.topic, ["random"], [start], Bounds(keep_links=(0.125,)))
    assert cell.name.endswith(".links0.125") and cell.planned(Path("seeds.txt")).settings[KEEP_LINKS] == "0.125"


def test_the_strategies_that_ask_for_a_random_seed_are_those_that_draw(party: LabelledTopic) -> None:
    asked = set()

    class Watched(Setup):
        def __getattribute__(self, name: str) -> Any:
            if name == "seed":
                asked.add(object.__getattribute__(self, "strategy"))
            return object.__getattribute__(self, name)

    words = Segmenter(party.topic.terms)
    for name in names():
        load(name).make(Watched(name, party.topic, words, Resources.none()))
    assert asked == DRAWING & set(names())
