"""Training goes on from finished vectors: they stay, new words find their place among them."""

import random
from pathlib import Path

import numpy as np
import pytest

from topical_crawler.resources.vectors import WordVectors, write_vectors
from topical_crawler.topic.topic import load_topic
from topical_crawler.training.pipeline import TrainingOptions, train_vectors
from topical_crawler.training.prepare import PrepareOptions
from topical_crawler.training.word2vec import ModelOptions, first_vectors, learning_factors, open_known
from topical_crawler.training.work_folder import TrainingError

PARTY = [term for term in load_topic("partybuilding").keywords(60) if term != "三严三实"][:30]
SYSTEMS = [f"{first}{second}" for first in ("内核", "进程", "线程", "页表", "中断", "磁盘") for second in "甲乙丙丁戊"]


@pytest.fixture
def known(tmp_path: Path) -> Path:
    """Vectors in which words of party work and of operating systems stand apart, and words that the texts lack."""
    random_ = np.random.default_rng(0)
    centre = {**dict.fromkeys(PARTY, 0), **dict.fromkeys(SYSTEMS, 1), "星系": 2, "木星": 2}
    rows = [np.eye(20)[c] * 2 + 0.5 * random_.standard_normal(20) / 4 for c in centre.values()]
    write_vectors(tmp_path / "known.npy", centre, (row.astype(np.float32) for row in rows), 20)
    return tmp_path / "known.npy"


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Texts with two words that the vectors lack: 三严三实 among words of party work, 银河麒麟 among those of systems."""
    chance = random.Random(5)
    sentences = []
    for words, new in ((PARTY, "三严三实"), (SYSTEMS, "银河麒麟")):
        sentences += ["，".join([*chance.sample(words, 7), new]) + "。" for _ in range(600)]
    (tmp_path / "domain.txt").write_text("\n".join(sentences), encoding="utf-8")
    return tmp_path / "domain.txt"


def options(known: Path, free: float = 0.0) -> TrainingOptions:
    text = PrepareOptions(keep_whole=[*PARTY, *SYSTEMS, "三严三实", "银河麒麟"])
    return TrainingOptions(text, ModelOptions(epochs=5), continue_from=known, free=free)


@pytest.mark.slow
def test_old_words_stay_and_new_ones_find_their_like(known: Path, texts: Path, tmp_path: Path) -> None:
    before = WordVectors.open(known)
    report = train_vectors(tmp_path / "out", [texts], options(known), 1)
    after = WordVectors.open(tmp_path / "out/vectors.npy")
    assert after.words == [*before.words, "三严三实", "银河麒麟"]
    assert after.matrix[: len(before)].tobytes() == before.matrix.tobytes()
    assert np.linalg.norm(after.matrix, axis=1) == pytest.approx(1, abs=1e-6)
    assert {word for word, _ in after.nearest("三严三实", 4)} <= set(PARTY)
    assert {word for word, _ in after.nearest("银河麒麟", 4)} <= set(SYSTEMS)
    assert report["continued"] == {"from": str(known), "free": 0.0, "known": 62, "known_in_text": 60, "new": 2}
    assert report["neighbours"]["三严三实"]["before"] == []
    assert len(report["neighbours"]["三严三实"]["after"]) == 8
    assert report["result"]["dimensions"] == 20


def test_free_words_move_others_do_not(known: Path, texts: Path, tmp_path: Path) -> None:
    before = WordVectors.open(known)
    train_vectors(tmp_path / "out", [texts], options(known, free=0.5), 1)
    after = WordVectors.open(tmp_path / "out/vectors.npy")
    assert not np.array_equal(after.matrix[before.rows[PARTY[0]]], before.matrix[before.rows[PARTY[0]]])
    assert np.array_equal(after.matrix[before.rows["木星"]], before.matrix[before.rows["木星"]])


def test_a_new_word_begins_at_its_parts() -> None:
    known = WordVectors(["组织", "生活"], np.eye(50, dtype=np.float32)[:2])
    rows = first_vectors(["组织", "组织生活", "党"], known, seed=1)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert np.array_equal(unit[0], known.matrix[0])
    assert unit[1] @ known.matrix[0] == pytest.approx(unit[1] @ known.matrix[1], abs=0.1)
    assert unit[1] @ known.matrix[0] > 0.6
    assert abs(unit[2] @ known.matrix[0]) < 0.5
    assert np.array_equal(rows, first_vectors(["组织", "组织生活", "党"], known, seed=1))
    assert not np.array_equal(rows[1:], first_vectors(["组织", "组织生活", "党"], known, seed=2)[1:])
    assert learning_factors(["组织", "党"], known, 0.25).tolist() == [0.25, 1.0]


def test_what_cannot_be_continued(known: Path, texts: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"none\.npy: no such file\. Pass"):
        train_vectors(tmp_path / "out", [texts], TrainingOptions(continue_from=tmp_path / "none.npy"), 1)
    np.save(tmp_path / "zero.npy", np.zeros((1, 2), dtype=np.float32))
    (tmp_path / "zero.vocab").write_text("党员\n", encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"the vector of '党员' has length 0, .* Run topical-crawler"
    ):  # not after hours of training
        open_known(tmp_path / "zero.npy", tmp_path)
    fasttext = TrainingOptions(model=ModelOptions(model="fasttext"), continue_from=known)
    with pytest.raises(TrainingError, match="no character n-grams for FastText"):
        train_vectors(tmp_path / "out", [texts], fasttext, 1)
