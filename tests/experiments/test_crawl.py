"""``python -m experiments crawl`` as a user runs it, on the demo web: real crawls in processes of their own."""

from __future__ import annotations

import csv
import json
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from crawl_tools import interrupted, rows

from experiments.thinning import Thinning
from topical_crawler.web.urls import fingerprint

pytest.importorskip("matplotlib", reason="pictures need matplotlib: pip install 'topical-crawler[experiments]'")

Run = Callable[..., subprocess.CompletedProcess[str]]

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "demo"
FIGURES = ("crawl.json", "crawl.csv", "crawl.html", "crawl.png")
SMALL = ("--strategy", "breadth_first,random", "--random-seeds", "2", "--budget", "20", "--cap", "30")
LONGER = ("--strategy", "breadth_first", "--budget", "70", "--cap", "30")
BREADTH_FIRST = "partybuilding.breadth_first.seeds.seed0.cap30"


def command(out: str | Path, *options: str | Path, seeds: str | Path = DEMO / "seeds.txt") -> list[str | Path]:
    start: list[str | Path] = ["crawl", "partybuilding", "--labels", DEMO / "labels.tsv"]
    return [
        *(*start, "--web", DEMO / "demo-web.warc.gz", "--seeds", seeds),
        *("-s", "TOPICAL_RESOURCES=0", "--out", out, *options),
    ]


def figures(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "crawl.json").read_text("utf-8"))
    return found


def costs(out: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((out / "costs.json").read_text("utf-8"))["crawls"]
    return found


def urls(data: Path) -> list[str]:
    return [record.url for record in rows(data)]


@pytest.fixture(scope="module")
def made(run_experiment: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the comparison ``first``: two strategies, one of which draws, two random seeds, 20 pages, 30 of a host."""
    folder = tmp_path_factory.mktemp("work")
    shown = run_experiment(*command("first", *SMALL), cwd=folder)
    assert shown.returncode == 0, shown.stderr
    head = "partybuilding from seeds, at most 30 pages of a host; 46 texts"
    for part in (head, "breadth_first", "random ×2", "oracle", "→ first/crawl.json"):
        assert part in shown.stdout, shown.stdout
    assert f"{BREADTH_FIRST}: 20 pages, " in shown.stderr
    return folder


def test_the_comparison(made: Path) -> None:
    found = figures(made / "first")
    [setting] = found["settings"]
    assert (setting["topic"], setting["start"], setting["cap"]) == ("partybuilding", "seeds", 30)
    runs = {name: [run["seed"] for run in row["runs"]] for name, row in setting["strategies"].items()}
    assert runs == {"breadth_first": [0], "random": [0, 1]}  # what draws nothing has nothing to repeat
    crawls = made / "first" / "crawls"
    one, other = (urls(crawls / f"partybuilding.random.seeds.seed{seed}.cap30" / "data") for seed in (0, 1))
    assert one != other
    areas = [run["figures"]["area"] for row in setting["strategies"].values() for run in row["runs"]]
    assert setting["oracle"]["figures"]["area"] > max(areas)
    assert all((made / "first" / name).stat().st_size for name in FIGURES)


def test_crawls_of_a_part_of_the_links(run_experiment: Run, tmp_path: Path) -> None:
    shown = run_experiment(*command("out", "--strategy", "breadth_first", "--budget", "60", "--keep-links", "0.5"), cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "partybuilding from seeds, 50 % of the links of every page; 46 texts" in shown.stdout
    place = tmp_path / "out" / "crawls" / "partybuilding.breadth_first.seeds.seed0.cap0.links0.5"
    records = rows(place / "data")
    followed = [(fingerprint(r.why["parent"]), fingerprint(r.url)) for r in records if r.why.get("parent") and not r.duplicate_of]
    assert len(followed) > 40 and all(Thinning(0.5).stays(parent, url) for parent, url in followed)
    [setting] = figures(tmp_path / "out")["settings"]
    assert setting["keep_links"] == 0.5 and [run["seed"] for run in setting["strategies"]["breadth_first"]["runs"]] == [0]
    assert setting["oracle"]["figures"]["relevant"] == 45  # no way leads to the last one
    assert [row["keep_links"] for row in costs(tmp_path / "out")] == [0.5]


def test_what_the_crawls_took(made: Path) -> None:
    rows = costs(made / "first")
    assert [(row["strategy"], row["seed"]) for row in rows] == [("breadth_first", 0), ("random", 0), ("random", 1)]
    for row in rows:
        assert row["pages"] == 20
        assert 0.2 < row["cpu_seconds"] < 60
        assert 40 < row["peak_mb"] < 2000
        assert row["pages_per_cpu_second"] == pytest.approx(20 / row["cpu_seconds"], abs=0.01)
    with (made / "first" / "costs.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [float(row["peak_mb"]) for row in csv.DictReader(file)] == [row["peak_mb"] for row in rows]


def test_what_is_there_is_not_made_again(call_experiment: Run, made: Path) -> None:
    first = made / "first"
    before = {name: (first / name).read_bytes() for name in (*FIGURES, "costs.json", "costs.csv")}
    log = first / "crawls" / BREADTH_FIRST / "log"
    said = log.read_bytes()
    again = call_experiment(*command("first", *SMALL, "--json"), cwd=made)
    assert again.returncode == 0, again.stderr
    assert "3 of 3 crawls are there already" in again.stderr
    assert again.stdout.encode() == before["crawl.json"]
    assert log.read_bytes() == said
    assert {name: (first / name).read_bytes() for name in before} == before


def test_crawls_made_otherwise_are_not_mixed(call_experiment: Run, made: Path, tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("http://www.qinghedj.example/\n", "utf-8")
    failed = call_experiment(*command("first", "--strategy", "random", "-s", "TOPICAL_RESCORE=0", seeds=seeds), cwd=made)
    assert failed.returncode == 1
    assert "first/crawls holds crawls that differ in start URLs seeds of partybuilding, settings, which" in failed.stderr


def test_a_crawl_that_was_interrupted_or_lengthened_is_like_any_other(run_experiment: Run, made: Path, tmp_path: Path) -> None:
    place = tmp_path / "out" / "crawls" / BREADTH_FIRST
    said = interrupted("experiments", command("out", *LONGER), place / "data", tmp_path)
    assert "interrupted; the same command goes on from here" in said
    assert "Traceback" not in said
    assert not (place / "finished.json").exists()
    part = json.loads((place / "usage.json").read_text("utf-8"))
    assert 5 < part["pages"] < 70

    short = (made / "first" / "costs.json").read_bytes()
    for folder, out in ((tmp_path, "out"), (made, "first")):
        shown = run_experiment(*command(out, *LONGER), cwd=folder)
        assert shown.returncode == 0, shown.stderr
    resumed, lengthened = tmp_path / "out", made / "first"
    assert [(resumed / name).read_bytes() for name in FIGURES] == [(lengthened / name).read_bytes() for name in FIGURES]
    fetched = urls(place / "data")
    assert fetched == urls(lengthened / "crawls" / BREADTH_FIRST / "data")
    assert max(Counter(urlsplit(url).netloc for url in fetched).values()) == 30
    assert part["cpu_seconds"] < costs(resumed)[0]["cpu_seconds"]
    assert json.loads(short)["crawls"][0]["cpu_seconds"] < costs(lengthened)[0]["cpu_seconds"]
    pages = figures(lengthened)["settings"][0]["strategies"]["breadth_first"]["runs"][0]["figures"]["pages"]
    assert costs(resumed)[0]["pages"] == costs(lengthened)[0]["pages"] == pages > part["pages"]


def test_a_crawl_that_fails_is_named(run_experiment: Run, tmp_path: Path) -> None:
    failed = run_experiment(
        *command("out", "--strategy", "random", "--cap", "30", "-s", "TOPICAL_LANGUAGES=chinese"), cwd=tmp_path
    )
    assert failed.returncode == 1
    assert "the crawl partybuilding.random.seeds.seed0.cap30 ended with code 2" in failed.stderr
    assert "TOPICAL_LANGUAGES='chinese'" in failed.stderr
    assert "out/crawls/partybuilding.random.seeds.seed0.cap30/log" in failed.stderr


@pytest.mark.parametrize(
    ("options", "code", "parts"),
    [
        (("--strategy", "random,best"), 2, ("there is no strategy 'best'", "breadth_first")),
        (("--budget", "0"), 2, ("'0' is no whole number of 1 or more",)),
        (("--cap", "0,x"), 2, ("'x' is no whole number of 0 or more",)),
        (("--keep-links", "1,0"), 2, ("'0' is no number over 0 and up to 1",)),
        (("--start-texts", "3"), 2, ("not allowed with argument --seeds",)),
        (("--seeds", "nowhere.txt"), 2, ("two sets of --seeds have one name", "Remedy")),
        (("--seeds", "other=nowhere.txt"), 1, ("nowhere.txt: no such seed file",)),
        (("--web", "nowhere.warc.gz"), 1, ("nowhere.warc.gz: no such file",)),
        (("--labels", "nowhere.tsv"), 1, ("nowhere.tsv",)),
    ],
)
def test_mistakes(call_experiment: Run, tmp_path: Path, options: tuple[str, ...], code: int, parts: tuple[str, ...]) -> None:
    failed = call_experiment(*command("out", *options), cwd=tmp_path)
    assert "Traceback" not in failed.stderr, failed.stderr
    assert failed.returncode == code, failed.stderr
    for part in parts:
        assert part in failed.stdout + failed.stderr, failed.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("topics", "code", "part"),
    [
        (("partybuilding", "partybuilding=grade"), 2, "two topics are named 'partybuilding'"),
        (("./mytopic",), 1, "the topic 'mytopic' has no start URLs. Remedy: --seeds FILE"),
        (("partybuilding=ML",), 1, "no column 'ML'"),
        (("nothing",), 1, "no topic 'nothing'"),
    ],
)
def test_mistakes_about_topics(
    call_experiment: Run, write_topic: Callable[[], Path], tmp_path: Path, topics: tuple[str, ...], code: int, part: str
) -> None:
    web = ("--labels", DEMO / "labels.tsv", "--web", DEMO / "demo-web.warc.gz")
    write_topic()
    failed = call_experiment("crawl", *topics, *web, cwd=tmp_path)
    assert failed.returncode == code, failed.stderr
    assert part in failed.stderr
