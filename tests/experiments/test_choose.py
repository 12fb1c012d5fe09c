"""Values chosen without the topics that they are measured on."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from experiments.__main__ import main
from experiments.choose import left_out, spread
from experiments.regret import HostFigures
from experiments.runs import Run, read_runs, write_runs


def run(variant: str, topic: str, web: str, area: float, seed: int = 0, kept: float = 0.0) -> Run:
    """A crawl; the column of a topic is its name without the number."""
    figures = {
        "recall": {10: area},
        "kept": 3,
        "precision": kept,
        "kept_recall": kept,
        "hosts": {"a.cn": HostFigures(1, 1, 2, 0.5)},
    }
    webs = tuple(web.split("+"))
    return Run(
        variant, topic, f"seeds {seed}", seed, 10, area, cpu_ms=1, link_us=1, make_s=1, column=topic[:-1], webs=webs, **figures
    )


AREAS = {  # by topic and web: the areas under the values "low" and "high"
    ("db1", "w1"): (0.9, 0.1),
    ("db2", "w1"): (0.8, 0.2),
    ("os1", "w1+w2"): (0.9, 0.1),
    ("law1", "w3"): (0.4, 0.6),
    ("news1", "w4"): (0.5, 0.6),
    ("db3", "w4"): (0.9, 0.1),
}
RUNS = {value: [run(value, *key, areas[n]) for key, areas in AREAS.items()] for n, value in enumerate(("low", "high"))}


def test_neither_its_column_nor_its_web_has_a_part_in_the_choice() -> None:
    found = {one.topic: one for one in left_out(RUNS, lambda one: one.area)}
    # db1 has law1 and news1 alone to be chosen on: db2 and db3 have its column, os1 has its web
    assert (found["db1"].others, found["db1"].value, dict(found["db1"].figures)) == (2, "high", {("seeds 0", 0): 0.1})
    assert found["db1"].best == 0.9
    assert (found["os1"].others, found["os1"].value) == (3, "low")  # law1, news1 and db3
    assert (found["law1"].others, found["law1"].value) == (5, "low")
    assert (found["db3"].others, found["db3"].value) == (2, "low")  # os1 and law1


def test_what_every_value_has_is_compared() -> None:
    few = {"low": RUNS["low"], "high": [one for one in RUNS["high"] if one.topic != "law1"]}
    assert [one.topic for one in left_out(few, lambda one: one.area)] == [topic for topic, _ in AREAS if topic != "law1"]
    alone = left_out({"low": RUNS["low"][:2]}, lambda one: one.area)
    assert [(one.others, one.value) for one in alone] == [(0, ""), (0, "")]
    assert spread([1.0]) == 0 and spread([1.0, 3.0]) == pytest.approx(math.sqrt(2))


def test_the_command_reads_what_ablations_have_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / f"{value}.json" for value in RUNS]
    for file, (value, runs) in zip(files, RUNS.items(), strict=True):
        again = [run(value, one.topic, "+".join(one.webs), one.area + 0.1, 1, 0.5) for one in runs]
        write_runs(file, [*runs, *again, run("oracle path", "db1", "w1", 1.0)])
    assert [one.area for one in read_runs(files[0])][:2] == [0.9, 0.8] and math.isnan(read_runs(files[0])[0].share)
    assert read_runs(files[0])[0].hosts == {"a.cn": HostFigures(1, 1, 2, 0.5)}
    assert main(["choose", *map(str, files)]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.replace("│", " ").splitlines() if line.strip()}
    assert "high: high" in lines["db1"] and "0.150 ± 0.071" in lines["db1"] and "0.950" in lines["db1"]
    # .15, .25, .95, .45, .55 and .95 in the mean of the topics: .55, and .1 more in the second order
    assert "0.550 ± 0.071" in lines["mean"] and "0.150" in lines["least"]
    assert main(["choose", str(files[0]), "--figure", "kept_f"]) == 0
    assert main(["choose", str(files[0]), "--figure", "share"]) == 1
    assert "--oracles" in capsys.readouterr().err
    for damage in ("{", "[1]", json.dumps([{"area": 1}])):
        files[0].write_text(damage)
        assert main(["choose", str(files[0])]) == 1
        assert "low.json: no figures of an ablation" in capsys.readouterr().err
