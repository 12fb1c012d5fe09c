"""``topical-crawler resources train`` as a user calls it."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from command_tools import RunScrapy, environment
from crawl_tools import DEMO
from wait_tools import stopped, wait_for

from topical_crawler.resources.vectors import WordVectors


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """The demo web's texts, four times, one in two of the field ``half`` 1."""
    texts = [t["text"] for f in sorted((DEMO / "texts").rglob("*.toml")) for t in tomllib.loads(f.read_text("utf-8"))["text"]]
    lines = [json.dumps({"text": text, "half": i % 2}, ensure_ascii=False) for i, text in enumerate(texts * 4)]
    (tmp_path / "texts.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / "texts.jsonl"


@pytest.mark.slow
def test_train_and_continue(run_scrapy: RunScrapy, call_scrapy: RunScrapy, corpus: Path, tmp_path: Path) -> None:
    small = ("--dimensions", "20", "--min-count", "4", "--processes", "1", "--memory", "400")
    trained = run_scrapy("resources", "train", "own", corpus, "--topic", "partybuilding", *small, "--show", "党员", cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    report = json.loads((tmp_path / "own/report.json").read_text(encoding="utf-8"))
    vectors = WordVectors.open(tmp_path / "own/vectors.npy")
    assert "texts.jsonl" in trained.stdout and f"{report['total']['tokens']:,}" in trained.stdout
    assert f"{len(vectors):,} words trained" in trained.stdout and "党员: " in trained.stdout
    assert report["sources"][0]["documents"] == len(corpus.read_text(encoding="utf-8").splitlines())
    assert "组织生活会" in vectors

    (tmp_path / "words.txt").write_text("青河市\n", encoding="utf-8")
    more = ("--continue-from", "own/vectors.npy", "--words", "words.txt", "--where", "half=1", "--epochs", "2")
    again = call_scrapy("resources", "train", "more", corpus, *more, *small[4:], cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert f"continued from {len(vectors):,} words" in again.stdout and "青河市 before: no vector" in again.stdout
    assert "other half" in again.stdout
    longer = WordVectors.open(tmp_path / "more/vectors.npy")
    assert longer.words[: len(vectors)] == vectors.words
    assert longer.matrix[: len(vectors)].tobytes() == vectors.matrix.tobytes()


@pytest.mark.slow
def test_ctrl_c_says_how_to_go_on(corpus: Path, tmp_path: Path) -> None:
    train = ["resources", "train", "own", str(corpus), "--epochs", "500", "--processes", "1"]
    command = [sys.executable, "-m", "topical_crawler", *train]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, encoding="utf-8")
    wait_for(lambda: list(tmp_path.glob("own/work/checkpoints/epoch-*")))
    _, said = stopped(process)
    assert process.returncode == 130
    assert "stopped. Finished work is kept in own/work. Run the same command to resume" in said
    assert "Traceback" not in said and list(tmp_path.glob("own/work/checkpoints/epoch-*"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("own", "none.jsonl"), "none.jsonl: no such file or folder. Pass"),
        (("own", "texts.jsonl", "--words", "none.txt"), "none.txt: there is no such file. Name"),
        (("own", "texts.jsonl", "--topic", "none"), "no topic 'none'"),
        (("own", "texts.jsonl", "--continue-from", "none.npy"), "none.npy: no such file. Pass"),
        (("own", "texts.jsonl", "--memory", "20"), "--memory 20: "),
        (("own", "texts.jsonl", "--where", "a=1", "--where", "a=2"), "--where a=… is given 2 times"),
        (("texts.jsonl/own", "texts.jsonl"), "texts.jsonl/own: cannot be created or written"),
    ],
)
def test_errors_in_one_line(call_scrapy: RunScrapy, corpus: Path, arguments: tuple[str, ...], message: str) -> None:
    result = call_scrapy("resources", "train", *arguments, cwd=corpus.parent)
    assert result.returncode == 1
    assert result.stderr.strip().splitlines()[-1].startswith(f"topical-crawler resources train: {message}")


@pytest.mark.parametrize(
    "arguments",
    # the numbers were seen to fail after the segmentation, or to hang
    [
        "--free 2", "--where party", "--seed -1", "--seed 4294967296", "--window 99999999999", "--dimensions 3000000000",
        "--negative 9999999999", "--epochs 1000",
    ],
)  # fmt: skip
def test_misspelt_arguments(call_scrapy: RunScrapy, tmp_path: Path, arguments: str) -> None:
    result = call_scrapy("resources", "train", "own", "a.jsonl", *arguments.split(), cwd=tmp_path)
    assert result.returncode == 2 and "_" not in result.stderr.splitlines()[-1]


def test_a_misspelt_option_or_source_costs_no_training(call_scrapy: RunScrapy, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "own/work/checkpoints/epoch-001").mkdir(parents=True)
    (tmp_path / "own/work/manifest.json").write_text("{}", encoding="utf-8")
    for wrong in (("--continue-from", "none.npy"), ("--memory", "20"), ("--free", "0.5")):
        assert call_scrapy("resources", "train", "own", "texts.jsonl", "--retrain", *wrong, cwd=tmp_path).returncode == 1
    assert call_scrapy("resources", "train", "own", "text.jsonl", "--restart", cwd=tmp_path).returncode == 1
    assert (tmp_path / "own/work/checkpoints/epoch-001").exists() and (tmp_path / "own/work/manifest.json").exists()
