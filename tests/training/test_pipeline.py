"""The whole chain: the same seed gives the same vectors, a killed run ends like one that was not, little memory cuts words."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock
from training_tools import train_until, train_whole, write_jsonl

from topical_crawler.semantics.vectors import WordVectors
from topical_crawler.training import TrainingError
from topical_crawler.training.model import ModelOptions
from topical_crawler.training.pipeline import TrainingOptions, start_anew, train_vectors
from topical_crawler.training.prepare import PrepareOptions

SMALL = 100_000
OPTIONS = TrainingOptions(model=ModelOptions(dimensions=20, epochs=1), min_count=2)


def result(out: Path) -> tuple[bytes, bytes]:
    return (out / "vectors.npy").read_bytes(), (out / "vectors.vocab").read_bytes()


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


def test_a_finished_run_is_not_done_again(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "a.jsonl", 60)
    train_vectors(tmp_path / "out", [source], OPTIONS, 1)
    before, stages = result(tmp_path / "out"), []
    train_vectors(tmp_path / "out", [source], OPTIONS, 1, lambda stage, done, note: stages.append(stage), show=["党员"])
    assert result(tmp_path / "out") == before and stages == []
    vectors = WordVectors.open(tmp_path / "out/vectors.npy")
    assert np.linalg.norm(vectors.matrix, axis=1) == pytest.approx(1, abs=1e-6)


def test_changed_options_train_anew_on_the_same_text(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "a.jsonl", 60)
    out = tmp_path / "out"
    train_vectors(out, [source], OPTIONS, 1)
    other = replace(OPTIONS, model=replace(OPTIONS.model, dimensions=30), phrases=True)
    with pytest.raises(TrainingError, match=r"begun with dimensions 20, now it is 30\. Remedy: .*--retrain"):
        train_vectors(out, [source], other, 1)
    stages: list[str] = []
    start_anew(out, keep_text=True)
    report = train_vectors(out, [source], other, 1, lambda stage, done, note: stages.append(stage))
    assert report["result"]["dimensions"] == 30 and not any(stage.startswith("segmenting") for stage in stages)
    start_anew(out, keep_text=False)
    assert [f.name for f in (out / "work").iterdir()] == [".lock"]


def test_fasttext_and_skip_gram(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "a.jsonl", 60)
    model = ModelOptions(model="fasttext", dimensions=10, epochs=2, skip_gram=True)
    made = [result(_trained(tmp_path / name, source, replace(OPTIONS, model=model, memory=300))) for name in "ab"]
    assert made[0] == made[1]
    vectors = WordVectors.open(tmp_path / "a/vectors.npy")
    assert np.isfinite(vectors.matrix).all() and vectors.dimensions == 10


def _trained(out: Path, source: Path, options: TrainingOptions) -> Path:
    train_vectors(out, [source], options, 1)
    return out


def test_memory_cuts_the_rarest_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_jsonl(tmp_path / "a.jsonl", 60)
    whole = train_vectors(tmp_path / "whole", [source], OPTIONS, 1)["vocabulary"]
    monkeypatch.setattr("topical_crawler.training.vocabulary._TRAINED", 200_000)  # of the 80 MB that are free, for each word
    cut = train_vectors(tmp_path / "cut", [source], replace(OPTIONS, memory=300), 1)["vocabulary"]
    assert 300 < cut["words"] < 400 < whole["words"] and whole["cut"] == 0
    assert cut["words"] + cut["cut"] == whole["words"] and cut["cut_count"] >= 2
    kept, every = (WordVectors.open(tmp_path / name / "vectors.npy").words for name in ("cut", "whole"))
    assert kept == every[: len(kept)]


def test_the_folder(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "a.jsonl", 5)
    with pytest.raises(TrainingError, match=r"a\.jsonl/out: cannot be made or written .* Remedy"):
        train_vectors(source / "out", [source], OPTIONS, 1)
    (tmp_path / "out/work").mkdir(parents=True)
    with FileLock(tmp_path / "out/work/.lock"), pytest.raises(TrainingError, match="another process trains there"):
        train_vectors(tmp_path / "out", [source], OPTIONS, 1)


def test_nothing_over_min_count(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "a.jsonl", 2)
    with pytest.raises(TrainingError, match=r"occurs 100000 times\. Remedy: a lower --min-count"):
        train_vectors(tmp_path / "out", [source], replace(OPTIONS, min_count=100_000), 1)


def test_where_must_leave_something(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "a.jsonl", 3, party=0)
    options = replace(OPTIONS, text=PrepareOptions(where={"party": "2"}))
    with pytest.raises(TrainingError, match="not a single word in it; skipped: 3 other party"):
        train_vectors(tmp_path / "out", [source], options, 1)
