"""``python -m experiments words`` as a user runs it, on a small thesaurus, glossary and vectors of our own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from experiments import word_pairs
from experiments.sampling import halves

RunScrapy = Callable[..., subprocess.CompletedProcess[str]]

SYNONYMS = [
    ("医生", "大夫"), ("老师", "教师"), ("高兴", "快乐"), ("美丽", "漂亮"), ("声音", "嗓音"), ("道路", "路途"),
    ("帮助", "协助"), ("立刻", "马上"), ("观点", "看法"), ("房屋", "房子"), ("检查", "检验"), ("增加", "增长"),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every group lies in a class of its own; HowNet knows the first half and the vectors the second one."""
    folder = tmp_path_factory.mktemp("words")
    names = "ABCDEFGHIJKL"
    vectors = [f"{w} {' '.join('1' if k == n else '0.1' for k in range(6))}" for n, pair in enumerate(SYNONYMS[6:]) for w in pair]
    files = {
        "cilin.txt": "".join(f"{n}a01A01= {a} {b}\n" for n, (a, b) in zip(names, SYNONYMS, strict=True)),
        "hownet.txt": "".join(f"{w}\tN\tthing{n}|物\n" for n, pair in enumerate(SYNONYMS[:6]) for w in pair),
        "vectors.txt": f"{len(vectors)} 6\n" + "\n".join(vectors) + "\n",
        "pairs.tsv": "医生\t大夫\t9\n医生\t道路\t1\n检查\t检验\t8\n检查\t观点\t2\n飞碟\t检验\t3\n房屋\t房子\t9\n",
        "part.tsv": "医生\t大夫\t9\n道路\t医生\t1\n",
        "bad.tsv": "医生\t大夫\n",
    }
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def settings(folder: Path, *without: str) -> list[str]:
    files = {"CILIN": "cilin.txt", "HOWNET": "hownet.txt", "VECTORS": "vectors.txt"}
    found = [f"TOPICAL_{name}={folder / file}" for name, file in files.items() if name not in without]
    return [s for one in [*found, "TOPICAL_RESOURCES_DIR=none", f"TOPICAL_CACHE_DIR={folder / 'cache'}"] for s in ("-s", one)]


def test_table_5(run_experiment: RunScrapy, call_experiment: RunScrapy, folder: Path, tmp_path: Path) -> None:
    """All synonyms have a similarity of 1; where only 1 passes both thresholds, rounding decides about the vectors' half."""
    arguments = ("words", "--groups", "8", "--grid", "0.1,1", "--parameters", *settings(folder))
    shown = run_experiment(*arguments, "--out", tmp_path / "run1", cwd=folder)
    assert (shown.returncode, shown.stderr) == (0, ""), shown.stderr
    for part in (
        "Table 5",
        "hownet: hownet.txt",
        "hownet_tree: none",
        "(0.79)",
        "Th2=1",
        "both words known",
        "nearest",
        "words.tsv",
    ):
        assert part in shown.stdout, shown.stdout
    found = json.loads((tmp_path / "run1/words.json").read_text(encoding="utf-8"))
    cells = {(c["parameters"]["th1"], c["parameters"]["th2"]): c for c in found["table5"]}
    assert cells[0.1, 0.1]["accuracy"] > 0.7
    assert cells[0.1, 0.1]["synonyms"] == 1.0
    assert cells[1, 1]["accuracy"] == 0.5
    assert cells[0.1, 0.1]["printed"] == 0.79
    assert found["known"]["either"]["synonyms"] == 1.0
    assert set(found["search"]) == {"Th1, Th2", "all", "nearest"}
    assert len((tmp_path / "run1/words.tsv").read_text(encoding="utf-8").splitlines()) == 9
    again = call_experiment(*arguments, "--out", tmp_path / "run2", cwd=folder)
    assert again.stdout.replace("run2", "run1") == shown.stdout
    for name in ("words.json", "words.png", "words.tsv"):
        assert (tmp_path / "run1" / name).read_bytes() == (tmp_path / "run2" / name).read_bytes(), name


def test_judged_pairs(call_experiment: RunScrapy, folder: Path, tmp_path: Path) -> None:
    shown = call_experiment("words", "pairs.tsv", "--split", "3", "--out", tmp_path, *settings(folder), cwd=folder)
    assert (shown.returncode, shown.stderr) == (0, ""), shown.stderr
    found = json.loads((tmp_path / "words.json").read_text(encoding="utf-8"))["files"]["pairs.tsv"]
    rows = found["all"]
    assert {name: row["covered"] for name, row in rows.items()} == {"SimH (HowNet)": 2, "SimD (vectors)": 3, "Algorithm 1": 5}
    assert rows["Algorithm 1"]["rho_covered"] > rows["SimH (HowNet)"]["rho"]
    assert rows["Algorithm 1"]["pairs"] == 6
    assert "Chosen on 3 pairs" in shown.stdout
    assert found["search"]["chosen"].keys() >= {"alpha", "beta", "th1", "th2"}
    assert (tmp_path / "words.png").read_bytes().startswith(b"\x89PNG")
    assert not (tmp_path / "words.tsv").exists()


def test_a_setting_is_chosen_on_pairs_that_are_not_judged(
    call_experiment: RunScrapy, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of `pairs.tsv` a half is chosen on and a half judged; a pair of it that `train.tsv` has in the other order, too, is judged
    alone."""
    monkeypatch.setattr(word_pairs, "SHARES", (0.1, 0.5, 1.0))  # all ten take seconds
    one, other = halves(6, seed=1)
    lines = (folder / "pairs.tsv").read_text(encoding="utf-8").splitlines()
    first, second, _ = lines[other[0]].split("\t")
    pairs = ["老师\t教师\t9", "老师\t医生\t4", "房屋\t检验\t1", "增加\t增长\t7", f"{second}\t{first}\t5"]
    (folder / "train.tsv").write_text("\n".join(pairs), encoding="utf-8")
    line = ("words", "pairs.tsv", "--choose", "train.tsv", "pairs.tsv", "--grid", "0.1", "--out", tmp_path, *settings(folder))
    shown = call_experiment(*line, cwd=folder)
    assert (shown.returncode, shown.stderr) == (0, ""), shown.stderr
    found = json.loads((tmp_path / "words.json").read_text(encoding="utf-8"))
    assert {path: of["pairs"] for path, of in found["chosen_on"].items()} == {"train.tsv": 4, "pairs.tsv": len(one)}
    assert found["files"]["pairs.tsv"]["all"]["Algorithm 1"]["pairs"] == len(other)
    assert found["chosen_on"]["train.tsv"]["rho"] > 0.7
    assert f"α={found['parameters']['alpha']:g} β={found['parameters']['beta']:g}" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "without", "said"),
    [
        (("bad.tsv",), (), r"bad.tsv, line 1: '医生\t大夫' is not"),
        (("none.tsv",), (), "none.tsv"),
        ((), ("HOWNET", "VECTORS"), "neither HowNet nor word vectors to compare words by"),
        ((), ("CILIN",), "Remedy: topical-crawler resources fetch cilin"),
        (("--groups", "400"), (), "and 400 are wanted"),
        (("--groups", "3"), (), "even number"),
        (("--synonyms",), (), "the word groups are drawn from Cilin itself"),
        (("--choose", "pairs.tsv"), (), "--choose: a setting is chosen for PAIRS.tsv. Remedy"),
        (("pairs.tsv", "--choose", "part.tsv"), (), "--choose part.tsv: 0 pairs that are not judged, too. Remedy"),
        (("--decision", "2"), (), "--decision 2: a similarity from 0 to 1"),
        (("--alpha", "2"), (), "alpha must be a number from 0 to 1"),
    ],
)
def test_what_cannot_be_done(
    call_experiment: RunScrapy, folder: Path, tmp_path: Path, arguments: tuple[str, ...], without: tuple[str, ...], said: str
) -> None:
    shown = call_experiment("words", *arguments, "--out", tmp_path, *settings(folder, *without), cwd=folder)
    assert shown.returncode == 1
    assert shown.stderr.startswith("python -m experiments words: ")
    assert said in shown.stderr
    assert len(shown.stderr.splitlines()) == 1
