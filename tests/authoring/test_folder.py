"""Weights that a person gives to the terms of a topic that is there."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from topical_crawler.authoring.folder import set_weights
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import load_topic

WriteTopic = Callable[..., Path]

BARE = {"topic.toml": 'title = "健康"\n', "terms.tsv": "# 健康的词\n医院\n病人\t\t来自句子\n体检\n"}
WEIGHED = {
    "topic.toml": 'title = "党建"\nweight_floor = 1.0\n',
    "terms.tsv": "党员\t0.9\tn=267\n党支部\t0.02\n干部\t0.6\n",
    "weights.tsv": "!mean\t0.3\n社会\t0.6\n",
    "adjust.tsv": "# 人工\n干部\t0.06\t太泛\n中国\t0\n",
}
OWN_MEAN = {"topic.toml": 'title = "健康"\n', "terms.tsv": "医院\t1\n病人\t6\n体检\t2\n"}


@pytest.mark.parametrize("files", [BARE, WEIGHED, OWN_MEAN], ids=["bare", "weighed", "own mean"])
def test_the_topic_has_the_weights_that_were_given_and_no_others_change(write_topic: WriteTopic, files: dict[str, str]) -> None:
    folder = write_topic(files)
    before = load_topic(folder)
    first, second, third = before.terms
    set_weights(folder, {first: 0.25, second: 0, "门诊": 1, "住院": 2.5})
    after = load_topic(folder)
    expected = {first: 0.25, third: before.terms[third], "门诊": 1, "住院": 2.5}
    assert after.terms == pytest.approx(expected)
    assert after.weights == before.weights
    set_weights(folder, {first: before.terms[first], second: before.terms[second], "门诊": 0, "住院": 0})
    assert load_topic(folder).terms == pytest.approx(before.terms)


def test_what_a_person_wrote_into_the_files_stays(write_topic: WriteTopic) -> None:
    folder = write_topic(WEIGHED)
    set_weights(folder, {"党员": 1.5, "干部": 2})
    assert (folder / "terms.tsv").read_text("utf-8") == WEIGHED["terms.tsv"]
    # 干部 weighs 0.6 / 0.3 = 2 by terms.tsv itself.
    assert (folder / "adjust.tsv").read_text("utf-8") == "# 人工\n中国\t0\n党员\t0.45\tworkbench\n"


def test_files_that_do_not_change_are_left_alone(write_topic: WriteTopic) -> None:
    folder = write_topic(BARE)
    set_weights(folder, {"医院": 1.0})
    assert {file.name: file.read_text("utf-8") for file in folder.iterdir()} == BARE


def test_changes_at_the_same_time_all_count(write_topic: WriteTopic) -> None:
    folder = write_topic(BARE)
    words = [f"词语{number}" for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda word: set_weights(folder, {word: 0.5}), words))
    assert load_topic(folder).terms == {"医院": 1, "病人": 1, "体检": 1} | dict.fromkeys(words, 0.5)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"医院": 0.0, "病人": 0.0, "体检": 0.0}, "no term would be left"),
        ({"医院": 0.5, "诊": 1.0}, "'诊' cannot be a term"),
        ({"医院": 0.5, "#门诊": 1.0}, "'#门诊' cannot be a term"),
    ],
)
def test_what_would_be_no_topic_is_refused_and_nothing_written(
    write_topic: WriteTopic, weights: dict[str, float], said: str
) -> None:
    folder = write_topic(BARE)
    with pytest.raises(TopicError, match=said):
        set_weights(folder, weights)
    assert {file.name: file.read_text("utf-8") for file in folder.iterdir()} == BARE
