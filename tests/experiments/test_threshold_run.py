"""``python -m experiments threshold`` as a user runs it, on the demo web: real crawls in processes of their own."""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from crawl_tools import rows

pytest.importorskip("matplotlib", reason="pictures need matplotlib: pip install 'topical-crawler[experiments]'")

RunScrapy = Callable[..., subprocess.CompletedProcess[str]]

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "demo"


def command(out: str | Path, *options: str | Path) -> list[str | Path]:
    start: list[str | Path] = ["threshold", "partybuilding", "--labels", DEMO / "labels.tsv"]
    return [
        *(*start, "--web", DEMO / "demo-web.warc.gz", "--seeds", DEMO / "seeds.txt"),
        *("-s", "TOPICAL_RESOURCES=0", "--out", out, *options),
    ]


def figures(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "threshold.json").read_text("utf-8"))
    return found


def urls(data: Path) -> list[str]:
    return [record.url for record in rows(data)]


@pytest.fixture(scope="module")
def made(run_experiment: RunScrapy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the experiment ``first``: two thresholds, 40 pages."""
    folder = tmp_path_factory.mktemp("work")
    shown = run_experiment(*command("first", "--thresholds", "0.9,0.1", "--seconds", "4", "--cost", "0.1"), cwd=folder)
    assert shown.returncode == 0, shown.stderr
    best = "best within 1 point of the highest precision: 0.1, with"
    for part in ("4 seconds, 0.1 s for a page", best, "ours: precision", "paper: (Figure 2", "→ first/threshold.json"):
        assert part in shown.stdout, shown.stdout
    return folder


def test_the_experiment(made: Path) -> None:
    found = figures(made / "first")
    assert (found["topic"], found["cost"]) == ("partybuilding", {"fetch": 0.1, "judge": 0.0})
    [budget] = found["budgets"]
    low, high = budget["points"]
    assert (budget["seconds"], budget["best_threshold"]) == (4.0, 0.1)
    assert (low["threshold"], low["pages"]) == (0.1, 40)
    assert high["threshold"] == 0.9 and high["pages"] < 40  # nothing more is above that threshold
    assert low["relevant"] > high["relevant"] > 0
    assert low["precision"] == low["relevant"] / low["texts"] > 0.8
    assert (made / "first" / "threshold.png").read_bytes().startswith(b"\x89PNG")


def test_every_crawl_has_its_copy_of_the_topic(made: Path) -> None:
    original = ROOT / "lexicon" / "topics" / "partybuilding"
    config = tomllib.loads((original / "topic.toml").read_text("utf-8"))
    for threshold in (0.1, 0.9):
        copy = made / "first" / "threshold.crawls" / f"{threshold:g}" / "partybuilding"
        config["strategy"]["semantic"]["link_threshold"] = threshold
        assert tomllib.loads((copy / "topic.toml").read_text("utf-8")) == config
        assert (copy / "terms.tsv").read_bytes() == (original / "terms.tsv").read_bytes()


def test_what_is_there_is_not_made_again_and_a_longer_budget_continues_it(run_experiment: RunScrapy, made: Path) -> None:
    before = {name: (made / "first" / name).read_bytes() for name in ("threshold.json", "threshold.png")}
    log = made / "first" / "threshold.crawls" / "0.1" / "log"
    said = log.read_bytes()
    again = run_experiment(*command("first", "--thresholds", "0.1,0.9", "--seconds", "4", "--cost", "0.1"), cwd=made)
    assert again.returncode == 0, again.stderr
    assert "2 of 2 crawls are there already" in again.stderr
    assert log.read_bytes() == said
    assert {name: (made / "first" / name).read_bytes() for name in before} == before

    longer = run_experiment(*command("first", "--thresholds", "0.1", "--seconds", "4,8", "--cost", "0.1"), cwd=made)
    assert longer.returncode == 0, longer.stderr
    straight = run_experiment(*command("straight", "--thresholds", "0.1", "--seconds", "4,8", "--cost", "0.1"), cwd=made)
    assert straight.returncode == 0, straight.stderr
    assert figures(made / "first") == figures(made / "straight")
    short, long = (budget["points"] for budget in figures(made / "first")["budgets"])
    assert (short[0]["pages"], long[0]["pages"]) == (40, 80)
    assert short[0] == json.loads(before["threshold.json"])["budgets"][0]["points"][0]
    assert urls(log.with_name("data")) == urls(made / "straight" / "threshold.crawls" / "0.1" / "data")


@pytest.mark.parametrize(
    ("options", "code", "parts"),
    [
        (("--thresholds", "0.1,x"), 2, ("'x' is no number of 0 or more",)),
        (("--seconds", "0"), 2, ("'0' is no number above 0",)),
        (("--seconds", "5", "--cost", "9"), 1, ("do not pay for one page", "Remedy")),
        (("--seeds", "nowhere.txt"), 1, ("nowhere.txt",)),
        (("--group", "party=x.cn"), 2, ("x.cn",)),
    ],
)
def test_mistakes(
    call_experiment: RunScrapy, tmp_path: Path, options: tuple[str, ...], code: int, parts: tuple[str, ...]
) -> None:
    failed = call_experiment(*command("out", *options), cwd=tmp_path)
    assert "Traceback" not in failed.stderr, failed.stderr
    assert failed.returncode == code, failed.stderr
    for part in parts:
        assert part in failed.stdout + failed.stderr, failed.stderr
    assert not (tmp_path / "out" / "threshold.json").exists()
