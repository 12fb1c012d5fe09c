"""The whole chain: the same seed gives the same vectors, a killed run ends like one that was not, little memory cuts words."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock
from training_tools import train_until, train_whole, write_jsonl

from topical_crawler.resources.vectors import WordVectors
from topical_crawler.training.pipeline import TrainingOptions, train_vectors
from topical_crawler.training.word2vec import ModelOptions, Trainer
from topical_crawler.training.work_folder import TrainingError, start_anew

SMALL = 100_000
OPTIONS = TrainingOptions(model=ModelOptions(dimensions=20, epochs=1), min_count=2)


def result(out: Path) -> tuple[bytes, bytes]:
    return (out / "vectors.npy").read_bytes(), (out / "vectors.vocab").read_bytes()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A source, and the folder that was trained on it with ``OPTIONS``."""
    folder = tmp_path_factory.mktemp("trained")
    source = write_jsonl(folder / "a.jsonl", 60)
    train_vectors(folder / "out", [source], OPTIONS, 1)
    return source, folder / "out"


@pytest.fixture
def copy(trained: tuple[Path, Path], tmp_path: Path) -> Callable[[str], Path]:
    """Copies of that folder without anything trained: ``copy("name")``; the text need not be segmented again."""

    def make(name: str) -> Path:
        shutil.copytree(trained[1] / "work", tmp_path / name / "work")
        start_anew(tmp_path / name, keep_text=True)
        return tmp_path / name

    return make


Copy = Callable[[str], Path]
Trained = tuple[Path, Path]


@pytest.mark.slow
def test_killed_between_epochs_it_ends_the_same(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "a.jsonl", 150)
    train_whole(tmp_path / "whole", source, 3, SMALL, hash_seed="1")
    checkpoints = tmp_path / "out/work/checkpoints"
    train_until(tmp_path / "out", source, 3, SMALL, "epoch 3 of 3", lambda: True)
    assert [f.name for f in checkpoints.iterdir()] == ["epoch-002"]
    assert not (tmp_path / "out/vectors.npy").exists()
    train_whole(tmp_path / "out", source, 3, SMALL, hash_seed="2")
    assert result(tmp_path / "out") == result(tmp_path / "whole")
    report = json.loads((tmp_path / "out/report.json").read_text(encoding="utf-8"))
    assert report["total"]["documents"] == 150 and report["training"]["tokens"] == report["total"]["tokens"]


def test_a_finished_run_is_not_done_again(trained: Trained) -> None:
    source, out = trained
    before, stages = result(out), []
    report = train_vectors(out, [source], OPTIONS, 1, lambda stage, done, note: stages.append(stage), show=["党员"])
    assert result(out) == before and stages == []
    assert len(report["neighbours"]["党员"]["after"]) == 8
    assert np.linalg.norm(WordVectors.open(out / "vectors.npy").matrix, axis=1) == pytest.approx(1, abs=1e-6)


def test_changed_options_train_anew_on_the_same_text(trained: Trained, copy: Copy) -> None:
    other = replace(OPTIONS, model=replace(OPTIONS.model, dimensions=30))
    with pytest.raises(TrainingError, match=r"begun with dimensions 20, now it is 30\. Use .*--retrain"):
        train_vectors(trained[1], [trained[0]], other, 1)
    stages: list[str] = []
    out = copy("other")
    report = train_vectors(out, [trained[0]], other, 1, lambda stage, done, note: stages.append(stage))
    assert report["result"]["dimensions"] == 30
    assert not any(stage.startswith("segmenting") for stage in stages)
    start_anew(out, keep_text=False)
    assert [f.name for f in (out / "work").iterdir()] == [".lock"]


def test_fasttext_and_skip_gram(trained: Trained, copy: Copy) -> None:
    model = ModelOptions(model="fasttext", dimensions=10, epochs=2, skip_gram=True)
    outs = [copy("a"), copy("b")]
    for out in outs:
        train_vectors(out, [trained[0]], replace(OPTIONS, model=model, memory=300), 1)
    assert result(outs[0]) == result(outs[1])
    vectors = WordVectors.open(outs[0] / "vectors.npy")
    assert np.isfinite(vectors.matrix).all() and vectors.dimensions == 10
    assert vectors.words == WordVectors.open(trained[1] / "vectors.npy").words


def test_memory_cuts_the_rarest_words(trained: Trained, copy: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    every = WordVectors.open(trained[1] / "vectors.npy").words
    monkeypatch.setattr("topical_crawler.training.vocabulary._TRAINED", 200_000)  # of the 80 MB that are free, for each word
    cut = train_vectors(copy("cut"), [trained[0]], replace(OPTIONS, memory=300), 1)
    kept = WordVectors.open(cut["result"]["path"]).words
    assert 300 < len(kept) < 400 < len(every)
    assert kept == every[: len(kept)]
    assert cut["vocabulary"]["cut"] == len(every) - len(kept) and cut["vocabulary"]["cut_count"] >= 2


def test_the_folder(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "a.jsonl", 5)
    with pytest.raises(TrainingError, match=r"a\.jsonl/out: cannot be created or written .* Choose"):
        train_vectors(source / "out", [source], OPTIONS, 1)
    (tmp_path / "out/work").mkdir(parents=True)
    with FileLock(tmp_path / "out/work/.lock"), pytest.raises(TrainingError, match="another process trains there"):
        train_vectors(tmp_path / "out", [source], OPTIONS, 1)


def test_a_folder_of_others_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "home/work/thesis").mkdir(parents=True)
    (tmp_path / "home/work/thesis/a.txt").write_text("论文", encoding="utf-8")
    for keep in (True, False):
        with pytest.raises(TrainingError, match=r"home/work: holds files from elsewhere \(thesis\)\. Choose"):
            start_anew(tmp_path / "home", keep_text=keep)
    assert (tmp_path / "home/work/thesis/a.txt").exists()


def test_the_result_may_not_lie_in_a_source(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", 5)
    with pytest.raises(TrainingError, match=r"lies in the source .* Choose a folder beside"):
        train_vectors(tmp_path / "own", [tmp_path], OPTIONS, 1)
    assert not (tmp_path / "own").exists()


def test_nothing_moves_without_given_vectors(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "a.jsonl", 5)
    with pytest.raises(TrainingError, match=r"--free .* Add --continue-from"):
        train_vectors(tmp_path / "out", [source], replace(OPTIONS, free=0.5), 1)


def test_a_thousand_epochs_are_taken_up(tmp_path: Path) -> None:
    trainer = Trainer({"党员": 3, "学习": 2}, ModelOptions(dimensions=4, epochs=1001), 1, tmp_path)
    trainer._save(1000)
    assert trainer.restore() == 1000
