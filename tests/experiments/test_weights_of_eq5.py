"""Eq. 5 of Zhou et al. by its effect: exchange the weights of page and anchor, and a crawl finds the texts later.

The webs are portals in four layouts made of the demo's texts, whose lists say little of the pages that they link to. Measured
when this was written, area under recall after 60 pages, as given and exchanged: .405, .239; .466, .395; .336, .119; .375, .228.
"""

import gzip
import json
import shutil
import tomllib
from pathlib import Path

from experiments.__main__ import main
from experiments.runs import read_runs

ROOT = Path(__file__).resolve().parents[2]
TOPIC = ROOT / "lexicon/topics/partybuilding"
SEEDS = (1, 3)
GIVEN = '[1, "1/2", 3],\n    [2, 1, 5],\n    ["1/3", "1/5", 1],'
EXCHANGED = '[1, 2, 5],\n    ["1/2", 1, 3],\n    ["1/5", "1/3", 1],'


def areas(folder: Path, seed: int, *topics: Path) -> list[float]:
    """Area under recall of `semantic` on the web of a seed, with each of the topics."""
    web, figures = folder / f"web{seed}", folder / f"{seed}.json"
    given = {"web": f"{web}.warc.gz", "labels": f"{web}.tsv", "seeds": f"{web}.seeds.txt", "cache": folder, "json": figures}
    given |= {"strategies": "semantic", "budget": 60, "processes": 1}
    line = ["ablation", *(part for name, value in given.items() for part in (f"--{name}", str(value)))]
    assert main([*line, "--topics", *(f"{topic}=PARTY" for topic in topics), "-s", "TOPICAL_RESOURCES=0"]) == 0
    found = {run.topic: run.area for run in read_runs(figures)}
    return [found[topic.name] for topic in topics]


def test_anchors_weigh_more_than_the_pages_that_hold_them(tmp_path: Path) -> None:
    texts = tmp_path / "texts.jsonl.gz"
    with gzip.open(texts, "wt", encoding="utf-8") as out:
        for file in sorted((ROOT / "demo/texts").glob("*/*.toml")):
            for text in tomllib.loads(file.read_text(encoding="utf-8"))["text"]:
                day = str(text["date"]).replace("-", "")
                row = {"date": day, "title": text["title"], "text": text["text"].strip(), "channel": text.get("channel", "")}
                out.write(json.dumps({**row, "party": text["grade"]}, ensure_ascii=False) + "\n")
    exchanged = tmp_path / "exchanged"
    shutil.copytree(TOPIC, exchanged)
    toml = (exchanged / "topic.toml").read_text(encoding="utf-8")
    assert GIVEN in toml
    (exchanged / "topic.toml").write_text(toml.replace(GIVEN, EXCHANGED), encoding="utf-8")
    given, turned = 0.0, 0.0
    for seed in SEEDS:
        assert main(["news-web", str(texts), str(tmp_path / f"web{seed}"), "--seed", str(seed)]) == 0
        for_given, for_turned = areas(tmp_path, seed, TOPIC, exchanged)
        given, turned = given + for_given, turned + for_turned
    assert given / len(SEEDS) > 0.34
    assert (given - turned) / len(SEEDS) > 0.1
