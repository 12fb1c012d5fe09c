"""Floors: read, held, lowered with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.comparison import RunFigures, RunKey, measure_path
from experiments.floors import Floor, FloorError, fallen, read_floors
from topical_crawler.evaluation.labels import Label
from topical_crawler.web.urls import fingerprint

GOOD = "[books.odp2evsm]\narea = 0.5\nkept_f = 0\n\n[party.semantic]\nrecall = 1\n"
LOWERED = '{}[[lowered]]\nfloor = "party.semantic.recall"\nfrom = 1.0\nto = {}\nreason = "{}"\n'


def file(folder: Path, text: str) -> Path:
    path = folder / "floors.toml"
    path.write_text(text, encoding="utf-8")
    return path


def run(topic: str, strategy: str, reached: int, seed: int = 0) -> RunFigures:
    """Four relevant texts there, the first ``reached`` of them fetched."""
    urls = [f"http://a.cn/{n}" for n in range(4)]
    labels = {fingerprint(url): Label(url, "a.cn", "article", 2, str(n)) for n, url in enumerate(urls)}
    urls = urls[:reached]
    return measure_path(RunKey(strategy, topic, "seeds", seed), urls, labels, budget=4)


def test_floors_are_read_in_their_order(tmp_path: Path) -> None:
    assert read_floors(file(tmp_path, GOOD)) == [
        Floor("books", "odp2evsm", "area", 0.5),
        Floor("books", "odp2evsm", "kept_f", 0.0),
        Floor("party", "semantic", "recall", 1.0),
    ]
    lowered = LOWERED.format("[party.semantic]\nrecall = 0.9\n", 0.9, "标注改了两处")
    assert read_floors(file(tmp_path, lowered))[0].least == 0.9


def test_what_lies_below_its_floor_is_named_with_its_figure(tmp_path: Path) -> None:
    floors = read_floors(file(tmp_path, GOOD))
    assert fallen(floors, [run("books", "odp2evsm", 4), run("party", "semantic", 4)]) == []
    several = [run("party", "semantic", 4, seed=1), run("party", "semantic", 3)]  # the worst counts
    assert fallen(floors, [run("books", "odp2evsm", 4), *several]) == [(floors[2], 0.75)]


def test_a_floor_without_a_crawl_or_a_figure(tmp_path: Path) -> None:
    floors = read_floors(file(tmp_path, "[party.semantic]\nrecal = 0.6\n"))
    with pytest.raises(FloorError, match=r"party\.semantic\.recal: there is no such figure. Remedy: one of pages"):
        fallen(floors, [run("party", "semantic", 4)])
    with pytest.raises(FloorError, match=r"party\.semantic\.recal has no crawl"):
        fallen(floors, [run("party", "vsm", 4)])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LOWERED.format("[party.semantic]\nrecall = 0.9\n", 0.9, " "), "was lowered without a reason"),
        (LOWERED.format("[party.semantic]\nrecall = 0.8\n", 0.9, "标注"), "lower than its last lowering to 0.9"),
        (LOWERED.format("[party.vsm]\nrecall = 0.8\n", 0.9, "标注"), "there is no floor 'party.semantic.recall'"),
        ("[a.b]\nc = 1\n[[lowered]]\nfloor = 3\n", "lowering 1: floor, from, to and reason are expected"),
        ("lowered = 3\n[a.b]\nc = 1\n", "write each lowering below"),
        ("[party.semantic]\nrecall = '高'\n", "party.semantic.recall is '高'. Remedy: a number"),
        ("[party.semantic]\nrecall = true\n", "recall is True"),
        ("party = 0.5\n", "party is no table"),
        ("[party]\nsemantic = 0.5\n", "party.semantic is no table"),
        ("[party", "Remedy: write"),
        ("# 还没有", "no floor in it"),
    ],
)
def test_files_that_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FloorError, match=message.replace(".", r"\.")) as error:
        read_floors(file(tmp_path, text))
    assert "floors.toml" in str(error.value)
    with pytest.raises(FloorError, match=r"none\.toml"):
        read_floors(tmp_path / "none.toml")
