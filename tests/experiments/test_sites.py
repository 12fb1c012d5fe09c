"""``python -m experiments sites`` on a corpus of eight pages."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore

pytest.importorskip("matplotlib", reason="pictures need matplotlib: pip install 'topical-crawler[experiments]'")

RunExperiment = Callable[..., subprocess.CompletedProcess[str]]

LABELS = """url\tsite\tkind\tgrade\tdoc
http://a.cn/\ta.cn\thome\t0\t
http://a.cn/1\ta.cn\tarticle\t2\t1
http://a.cn/2\ta.cn\tarticle\t2\t2
http://a.cn/3\ta.cn\tarticle\t0\t3
http://b.cn/1\tb.cn\tcopy\t2\t1
http://b.cn/4\tb.cn\tarticle\t2\t4
http://b.cn/5\tb.cn\tarticle\t1\t5
"""
PAGES = {"a.cn/": 0, "a.cn/1": 0.9, "a.cn/2": 0.5, "b.cn/1": 0.9, "b.cn/4": 0, "a.cn/3": 0.2, "b.cn/5": 0.4}
"""Relevance by address; what has 0 is rejected. b.cn/1 is a copy of a.cn/1."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("work")
    (folder / "labels.tsv").write_text(LABELS, encoding="utf-8")
    with CorpusStore(folder / "semantic" / "corpus.sqlite") as store:
        for address, relevance in PAGES.items():
            host, text = address.split("/")[0], f"正文{address[-1]}" if relevance else None
            reason = "" if relevance else "off topic"
            store.put(Record(url=f"http://{address}", host=host, keep=not reason, text=text, reason=reason, relevance=relevance))
    return folder


def figures(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "sites.json").read_text("utf-8"))
    return found


def test_groups_over_the_threshold(call_experiment: RunExperiment, folder: Path) -> None:
    groups = ("--group", "A=a.cn", "--group", "B=b.cn")
    for out in ("out", "again"):
        shown = call_experiment("sites", "semantic", "--labels", "labels.tsv", *groups, "--out", out, cwd=folder)
        assert (shown.returncode, shown.stderr) == (0, "")
        assert f"→ {out}/sites.json, sites.png" in shown.stdout
    for name in ("sites.json", "sites.png"):
        assert (folder / "out" / name).read_bytes() == (folder / "again" / name).read_bytes()
    found = figures(folder / "out")
    assert found["sites"][0] == {"site": "a.cn", "texts": 3, "relevant": 2, "precision": pytest.approx(2 / 3), "recall": 1.0}
    assert found["groups"] == {
        "A": {"mean_precision": pytest.approx(2 / 3), "precision": pytest.approx(2 / 3), "recall": 1.0},
        "B": {"mean_precision": 0.0, "precision": 0.0, "recall": 0.5},
    }
    curve = found["curve"]
    assert [step["threshold"] for step in curve] == [0.0, 0.2, 0.4, 0.5, 0.9]
    assert [step["A_precision"] for step in curve] == pytest.approx([2 / 3, 2 / 3, 1, 1, 1])
    assert [step["A_recall"] for step in curve] == [1, 1, 1, 1, 0.5]
    groups = ("--group", "party=a.cn", "--group", "others=b.cn")  # those of the paper: its means beside ours
    shown = call_experiment("sites", "semantic", "--labels", "labels.tsv", *groups, "--out", "paper", cwd=folder)
    # 37,155 of 39,166 texts, and the mean of 93.96, 99.55, 95.01 and 97.42.
    assert "94.87" in shown.stdout and "96.49" in shown.stdout and "64.20" not in shown.stdout
    assert figures(folder / "paper")["groups"]["party"]["paper_precision"] == pytest.approx(37_155 / 39_166)


@pytest.mark.parametrize(
    ("group", "parts"), [("A=a.cn,x.cn", ("x.cn", "a.cn, b.cn")), ("A", ("--group A: NAME=SITE,SITE is expected",))]
)
def test_mistakes(call_experiment: RunExperiment, folder: Path, group: str, parts: tuple[str, ...]) -> None:
    failed = call_experiment("sites", "semantic", "--labels", "labels.tsv", "--group", group, cwd=folder)
    assert failed.returncode == 2 and not (folder / "results").exists()
    for part in parts:
        assert part in failed.stderr
