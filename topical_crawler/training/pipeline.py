"""Training of word vectors from texts (Zhou et al. 2019, §4): prepare, count, train, write vectors and report.

An interrupted run resumes at its last complete stage, shard or epoch.

Layout::

    OUT/vectors.npy, vectors.vocab   the result, memory-mapped by WordVectors.open
    OUT/report.json                  figures of the texts, the vocabulary and the training
    OUT/work/                        state of an interrupted run, disposable once the result exists
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from topical_crawler.resources.vectors import WordVectors, write_vectors
from topical_crawler.training.prepare import SHARD, PrepareOptions, prepare
from topical_crawler.training.vocabulary import MemoryPlan, Vocabulary, choose_words, count_words, plan_memory
from topical_crawler.training.word2vec import ModelOptions, Trainer, first_vectors, learning_factors, open_known, write_continued
from topical_crawler.training.work_folder import (
    Manifest,
    Report,
    TrainingError,
    fingerprint,
    read_json,
    refuse_changes,
    work_folder,
    write_json,
)

COUNTS = ("documents", "kilobytes", "characters", "sentences", "tokens")  # the figures of Table 1 in Zhou et al. 2019


def figures(
    manifest: Manifest, vocabulary: Vocabulary, tokens: Sequence[int], model: Mapping[str, Any], seconds: Sequence[float]
) -> dict[str, Any]:
    """Return the report as JSON: counts and speeds, with the settings of the ``model``.

    For each source and in total: documents (条), kilobytes (of 1,024 bytes in UTF-8), characters, sentences, tokens and skipped
    documents by reason. Speeds are words per second over all processes.

    Args:
        manifest: the prepared text.
        vocabulary: words of the model.
        tokens: number of words in each training file.
        model: settings of the model.
        seconds: duration of each epoch.
    """
    sources = []
    for source in manifest.sources:
        counts = {name: int(source.total("size" if name == "kilobytes" else name)) for name in COUNTS}
        counts["documents"] -= int(source.total("empty"))
        counts["kilobytes"] = round(counts["kilobytes"] / 1024)
        sources.append({"source": source.path, "kind": source.kind, **counts, "skipped": source.skipped})
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


@dataclass(frozen=True)
class TrainingOptions:
    """Options determining the result."""

    text: PrepareOptions = field(default_factory=PrepareOptions)  # from texts to words
    model: ModelOptions = field(default_factory=ModelOptions)  # from words to vectors
    min_count: int = 5  # least number of occurrences of a word, not applied to words of `continue_from`
    memory: int = 2000  # bound in MB (10⁶ bytes) over all processes
    continue_from: Path | None = None  # finished vectors to start from
    free: float = 0.0  # share of each update applied to a word of these, 0 (fixed) to 1


def train_vectors(
    out: Path,
    sources: Sequence[str | Path],
    options: TrainingOptions,
    processes: int,
    report: Report = lambda stage, done, note: None,
    show: Sequence[str] = (),
    shard_bytes: int = SHARD,
) -> dict[str, Any]:
    """Train vectors of the words in ``sources``, or resume an interrupted run in ``out``, the folder of the layout above.

    Uses as many threads for training as processes for segmenting.

    Args:
        out: output folder.
        sources: see :func:`topical_crawler.sources.open_source`.
        options: see :class:`TrainingOptions`.
        processes: number of segmenting processes.
        report: progress callback.
        show: words to report the neighbours of. Default with ``continue_from``: the five most frequent new words.
        shard_bytes: size of a shard.

    Returns:
        The report, see :func:`figures`.

    Raises:
        TrainingError: bad options, an empty source, or an ``out`` unwritable or begun with other options.
        SourceError: a source cannot be read.
    """
    plan = check_request(out, sources, options, processes)
    with work_folder(out) as work:
        known = open_known(options.continue_from, work / "known") if options.continue_from else None
        if known:
            options = replace(options, model=replace(options.model, dimensions=known.dimensions))
            plan = plan_memory(options.memory, known.dimensions, False, processes)
        _check_options(work, options, plan)
        manifest = prepare(work, sources, options.text, processes, report, shard_bytes)
        files = [work / shard.file for shard in manifest.shards]
        vocabulary, tokens = _vocabulary(work, files, options.min_count, plan, known, report)
        trainer = Trainer(vocabulary.counts, options.model, processes, work / "checkpoints", plan.buckets)
        if known:
            first = first_vectors(trainer.words, known, options.model.seed)
            trainer.start_at(first, learning_factors(trainer.words, known, options.free))
        seconds = _train(work, trainer, files, tokens, report)
        words = _write(out, work, trainer, known, options.free)
        summary = figures(manifest, vocabulary, tokens, asdict(options.model), seconds)
        summary["options"] = {"min_count": options.min_count, "memory_mb": options.memory}
        summary["result"] = {"path": str(out / "vectors.npy"), "words": words, "dimensions": options.model.dimensions}
        if known:
            new = [word for word in trainer.words if word not in known.rows]
            summary["continued"] = {
                "from": str(options.continue_from),
                "free": options.free,
                "known": len(known),
                "known_in_text": len(trainer.words) - len(new),
                "new": len(new),
            }
            show = show or new[:5]
        summary["neighbours"] = _neighbours(show, known, WordVectors.open(out / "vectors.npy"))
        write_json(out / "report.json", summary)
        return summary


def check_request(out: Path, sources: Sequence[str | Path], options: TrainingOptions, processes: int) -> MemoryPlan:
    """Check a request before reading, writing or removing anything. Return the memory plan.

    Raises:
        TrainingError: a source or ``continue_from`` does not exist, ``out`` lies in a source, options contradict each other, or
            memory is too small.
    """
    if options.continue_from and options.model.model == "fasttext":
        raise TrainingError(
            f"{options.continue_from}: word vectors have no character n-grams for FastText to continue from. Use --model word2vec"
        )
    if options.free and not options.continue_from:
        raise TrainingError(
            "--free limits the change of existing vectors, but there are none. Add --continue-from, or drop --free"
        )
    if options.continue_from and not options.continue_from.is_file():
        raise TrainingError(f"{options.continue_from}: no such file. Pass a file of word vectors to --continue-from")
    for source in map(Path, sources):
        if not source.exists():
            raise TrainingError(f"{source}: no such file or folder. Pass an existing source")
        if source.is_dir() and out.resolve().is_relative_to(source.resolve()):
            raise TrainingError(
                f"{out}: lies in the source {source}, so its files would become input. Choose a folder beside the source"
            )
    return plan_memory(options.memory, options.model.dimensions, options.model.model == "fasttext", processes)


def _check_options(work: Path, options: TrainingOptions, plan: MemoryPlan) -> None:
    """Refuse to resume a work folder with other options."""
    decisive: dict[str, Any] = {
        **asdict(options.model),
        "min_count": options.min_count,
        "words_in_memory": plan.words,
        "continue_from": str(options.continue_from) if options.continue_from else None,
        "state_of_these_vectors": fingerprint(options.continue_from) if options.continue_from else None,
        "free": options.free,
    }
    path = work / "training.json"
    if path.exists():
        refuse_changes(path, read_json(path), decisive, "retrain with --retrain, keeping the segmented text")
    else:
        write_json(path, decisive)


def _vocabulary(
    work: Path, files: Sequence[Path], min_count: int, plan: MemoryPlan, known: WordVectors | None, report: Report
) -> tuple[Vocabulary, list[int]]:
    """Return the words to train, and the number of words in each file. Counts only once."""
    file = work / "counts.json"
    if file.exists():
        state = read_json(file)
        return Vocabulary(**state["vocabulary"]), state["tokens"]
    counts, tokens, forgotten = count_words(files, plan.counted, report)
    vocabulary = choose_words(counts, forgotten, min_count, plan.words, known.rows if known else ())
    write_json(file, {"tokens": tokens, "vocabulary": vars(vocabulary)})
    return vocabulary, tokens


def _train(work: Path, trainer: Trainer, files: Sequence[Path], tokens: Sequence[int], report: Report) -> list[float]:
    """Train the remaining epochs. Return the seconds of each epoch, including earlier runs."""
    times = work / "epochs.json"
    done = trainer.restore()
    seconds: list[float] = read_json(times)[:done] if times.exists() else []
    began = time.monotonic()

    def after_epoch(epoch: int) -> None:
        nonlocal began
        seconds.append(round(time.monotonic() - began, 3))
        write_json(times, seconds)
        began = time.monotonic()

    trainer.train(files, tokens, done, report, after_epoch)
    return seconds


def _write(out: Path, work: Path, trainer: Trainer, known: WordVectors | None, free: float) -> int:
    """Write the result to the work folder, then move it into place, so only a complete result replaces an old one."""
    rows = trainer.vectors()
    path = work / "vectors.npy"
    if known:
        trained = dict(zip(trainer.words, rows, strict=True))
        words = write_continued(path, known, trained, trainer.words, free > 0)
    else:
        words = write_vectors(path, trainer.words, rows, rows.shape[1]).words
    target = out / path.name
    target.unlink(missing_ok=True)  # never show an old matrix with new words
    path.with_suffix(".vocab").replace(target.with_suffix(".vocab"))
    path.replace(target)
    return words


def _neighbours(show: Sequence[str], known: WordVectors | None, made: WordVectors) -> dict[str, Any]:
    stages = {"before": known, "after": made} if known else {"after": made}
    return {
        word: {name: [(w, round(cosine, 3)) for w, cosine in vectors.nearest(word, 8)] for name, vectors in stages.items()}
        for word in dict.fromkeys(show)
    }
