"""Words that stand together far more often than by chance become one."""

from __future__ import annotations

import random
from pathlib import Path

from topical_crawler.training.prepare import join_phrases
from topical_crawler.training.vocabulary import read_sentences

WORDS = [chr(0x4E00 + 37 * i) + chr(0x5E00 + 11 * i) for i in range(60)]


def quiet(stage: str, done: float, note: str) -> None:
    """No display."""


def test_phrases_are_joined_as_texts_hold_them(tmp_path: Path) -> None:
    chance = random.Random(1)
    sentences = [[*chance.sample(WORDS, 5), *(["主题", "教育"] if i % 5 == 0 else [])] for i in range(1000)]
    sentences += [[*chance.sample(WORDS, 3), "open", "source"] for _ in range(200)]
    file = tmp_path / "00000.txt"
    file.write_text("".join(" ".join(s) + "\n" for s in sentences), encoding="utf-8")
    (new,) = join_phrases(tmp_path, [file], 10_000, quiet)
    made = list(read_sentences(new))
    assert ["".join(s) for s in made] == ["".join(s) for s in sentences]
    assert sum("主题教育" in s for s in made) == 200
    assert not any("opensource" in s for s in made)
    assert sum(map(len, made)) == sum(map(len, sentences)) - 200
    before = new.stat().st_mtime_ns
    assert join_phrases(tmp_path, [file], 10_000, quiet) == [new] and new.stat().st_mtime_ns == before
