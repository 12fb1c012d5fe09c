"""Words that belong together, found in the text itself and written as one: 主题 教育 → 主题教育."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from topical_crawler.training import Report
from topical_crawler.training.manifest import read_json, write_json
from topical_crawler.training.vocabulary import read_sentences

THRESHOLD = 0.5
"""Least normalised pointwise mutual information of two words (Bouma 2009), -1 to 1."""
_MIN_COUNT = 20
_JOINT = "\x1f"
"""Between the parts of a phrase while they are counted: joined by nothing, 党 建设 and the word 党建设 would share one count."""


def join_phrases(folder: Path, files: Sequence[Path], most: int, report: Report) -> list[Path]:
    """Find pairs of words that stand together far more often than by chance, and write the shards again with these joined.

    gensim's ``Phrases``, scored by normalised pointwise mutual information. Chinese words are joined without a mark, as texts
    hold them; a Latin word and its neighbour stay apart. What is there of an earlier run is not made again.

    Args:
        folder: ``phrases.json`` (phrase → score) and ``phrased/`` go there.
        files: the shards.
        most: different words and pairs in hand while counting; beyond them the rarest are forgotten.

    Returns:
        The new shards.
    """
    known = folder / "phrases.json"
    if not known.exists():
        write_json(known, _learn(files, most, report))
    pairs = frozenset(read_json(known))
    target = folder / "phrased"
    target.mkdir(exist_ok=True)
    made = [target / file.name for file in files]
    for number, (file, new) in enumerate(zip(files, made, strict=True)):
        if not new.exists():
            report("joining phrases", number / len(files), f"{len(pairs):,} phrases")
            part = new.with_suffix(".part")
            with part.open("w", encoding="utf-8", newline="\n") as out:
                out.writelines(" ".join(joined(sentence, pairs)) + "\n" for sentence in read_sentences(file))
                out.flush()
                os.fsync(out.fileno())
            part.replace(new)
    return made


def joined(sentence: Sequence[str], pairs: frozenset[str]) -> Iterator[str]:
    """The sentence with each known pair as one word, from the left.

    >>> list(joined(["开展", "主题", "教育", "活动"], frozenset({"主题\\x1f教育", "教育\\x1f活动"})))
    ['开展', '主题教育', '活动']
    """
    words = iter(sentence)
    word = next(words, None)
    while word is not None:
        following = next(words, None)
        if following is not None and f"{word}{_JOINT}{following}" in pairs:
            yield word + following
            word = next(words, None)
        else:
            yield word
            word = following


def _learn(files: Sequence[Path], most: int, report: Report) -> dict[str, float]:
    from gensim.models.phrases import Phrases

    def sentences() -> Iterator[list[str]]:
        for number, file in enumerate(files):
            report("finding phrases", number / len(files), "")
            yield from read_sentences(file)

    phrases = Phrases(
        sentences(), min_count=_MIN_COUNT, threshold=THRESHOLD, scoring="npmi", delimiter=_JOINT, max_vocab_size=most
    )
    found = phrases.export_phrases()
    return {pair: round(float(score), 4) for pair, score in sorted(found.items()) if not _has_latin(pair)}


def _has_latin(text: str) -> bool:
    return any(c.isascii() and c.isalpha() for c in text)
