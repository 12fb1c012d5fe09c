"""The figures of a training run, as in Table 1 of Zhou et al. 2019: texts and KB of each source, and what became of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from topical_crawler.training.manifest import Manifest
from topical_crawler.training.vocabulary import Vocabulary

COUNTS = ("documents", "kilobytes", "characters", "sentences", "tokens")


def figures(
    manifest: Manifest, vocabulary: Vocabulary, tokens: Sequence[int], model: Mapping[str, Any], seconds: Sequence[float]
) -> dict[str, Any]:
    """Everything that can be counted.

    Args:
        tokens: words in each file that was trained on (fewer than the sources' where phrases were joined).
        seconds: of each epoch.

    Returns:
        JSON values. ``sources``: for each one documents (条), kilobytes (of 1,024 bytes of text in UTF-8), characters, sentences,
        tokens and what was skipped, by reason; ``total``; words per second of segmentation and of training, over all processes.
    """
    sources = []
    for source in manifest.sources:
        counts = {name: int(source.total(name)) for name in COUNTS if name != "kilobytes"}
        counts["documents"] -= int(source.total("empty"))
        counts["kilobytes"] = round(source.total("size") / 1024)
        ordered = {name: counts[name] for name in COUNTS}
        sources.append({"source": source.path, "kind": source.kind, **ordered, "skipped": source.skipped})
    total: dict[str, Any] = {name: sum(source[name] for source in sources) for name in COUNTS}
    total["skipped"] = dict(sum((Counter(source.skipped) for source in manifest.sources), Counter[str]()))
    cutting = sum(source.total("seconds") for source in manifest.sources)
    training = sum(seconds)
    return {
        "sources": sources,
        "total": total,
        "segmentation": {"seconds": round(cutting, 1), "tokens_per_second": round(total["tokens"] / max(cutting, 0.001))},
        "vocabulary": {
            "words": len(vocabulary.counts),
            "rare": vocabulary.rare,
            "cut": vocabulary.cut,
            "cut_count": vocabulary.cut_count,
            "forgotten_below": vocabulary.forgotten_below,
        },
        "training": {
            **model,
            "tokens": sum(tokens),
            "seconds": round(training, 1),
            "tokens_per_second": round(sum(tokens) * len(seconds) / max(training, 0.001)),
        },
    }
