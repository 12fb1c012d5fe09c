"""Word vectors from texts (Zhou et al. 2019, §4): prepare, count, train, write vectors and report.

An interrupted run resumes at the stage, shard or epoch where it stopped.

Layout::

    OUT/vectors.npy, vectors.vocab   the result, as WordVectors.open maps it
    OUT/report.json                  figures of the texts, the vocabulary and the training
    OUT/work/                        state of an interrupted run; may be deleted once the result exists
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
    """The report as JSON: counts and speeds, with the settings of the ``model``. Of each source and in total: documents (条),
    kilobytes (of 1,024 bytes in UTF-8), characters, sentences, tokens and what was skipped, by reason; words per second over all
    processes.

    ``tokens`` are the words in each file that was trained on, ``seconds``
    those of each epoch.
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
    """Everything that decides the result."""

    text: PrepareOptions = field(default_factory=PrepareOptions)  # how texts become words
    model: ModelOptions = field(default_factory=ModelOptions)  # how words become vectors
    min_count: int = 5  # occurrences that a word needs; one that `continue_from` knows needs none
    memory: int = 2000  # bound in MB (10⁶ bytes) over all processes
    continue_from: Path | None = None  # finished vectors to start from
    free: float = 0.0  # share of each update that is applied to a word of these, 0 (fixed) to 1


def train_vectors(
    out: Path,
    sources: Sequence[str | Path],
    options: TrainingOptions,
    processes: int,
    report: Report = lambda stage, done, note: None,
    show: Sequence[str] = (),
    shard_bytes: int = SHARD,
) -> dict[str, Any]:
    """Train vectors of the words in ``sources``, or resume an interrupted run in ``out``, the folder of the layout above; returns
    the report.

    As many threads train as processes segment. The neighbours of the words in ``show`` are reported, with ``continue_from`` by
    default those of the five most frequent new words. Raises TrainingError for bad options, an empty source, or an ``out`` that
    cannot be written or was begun with other options; SourceError where a source cannot be read.
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
    """Check a request before anything is read, written or removed; returns how memory is shared out. Raises TrainingError where a
    source or ``continue_from`` does not exist, ``out`` lies in a source, options contradict each other, or memory is too small.
    """
    if options.continue_from and options.model.model == "fasttext":
        raise TrainingError(
            f"{options.continue_from}: word vectors have no character n-grams for FastText to go on with. "
            "Remedy: --model word2vec"
        )
    if options.free and not options.continue_from:
        raise TrainingError(
            "--free says how far given vectors may move, and there are none. Remedy: --continue-from, or no --free"
        )
    if options.continue_from and not options.continue_from.is_file():
        raise TrainingError(
            f"{options.continue_from}: there is no such file. Remedy: name a file of word vectors for --continue-from"
        )
    for source in map(Path, sources):
        if not source.exists():
            raise TrainingError(f"{source}: there is no such file or folder. Remedy: name a source that exists")
        if source.is_dir() and out.resolve().is_relative_to(source.resolve()):
            raise TrainingError(
                f"{out}: lies in the source {source}, whose text it would change. Remedy: a folder beside the source"
            )
    return plan_memory(options.memory, options.model.dimensions, options.model.model == "fasttext", processes)


def _check_options(work: Path, options: TrainingOptions, plan: MemoryPlan) -> None:
    """Refuse to resume with other options than the work folder was begun with."""
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
        refuse_changes(path, read_json(path), decisive, "train anew with --retrain, which keeps the segmented text")
    else:
        write_json(path, decisive)


def _vocabulary(
    work: Path, files: Sequence[Path], min_count: int, plan: MemoryPlan, known: WordVectors | None, report: Report
) -> tuple[Vocabulary, list[int]]:
    """The words to train, and the number of words in each file; counted once."""
    file = work / "counts.json"
    if file.exists():
        state = read_json(file)
        return Vocabulary(**state["vocabulary"]), state["tokens"]
    counts, tokens, forgotten = count_words(files, plan.counted, report)
    vocabulary = choose_words(counts, forgotten, min_count, plan.words, known.rows if known else ())
    write_json(file, {"tokens": tokens, "vocabulary": vars(vocabulary)})
    return vocabulary, tokens


def _train(work: Path, trainer: Trainer, files: Sequence[Path], tokens: Sequence[int], report: Report) -> list[float]:
    """Train the epochs that remain; returns the seconds of each epoch, earlier runs included."""
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
    """Write the result to the work folder, then move it into place, so that an old one is replaced only by a complete one."""
    rows = trainer.vectors()
    path = work / "vectors.npy"
    if known:
        trained = dict(zip(trainer.words, rows, strict=True))
        words = write_continued(path, known, trained, trainer.words, free > 0)
    else:
        words = write_vectors(path, trainer.words, rows, rows.shape[1]).words
    target = out / path.name
    target.unlink(missing_ok=True)  # an old matrix is never seen with new words
    path.with_suffix(".vocab").replace(target.with_suffix(".vocab"))
    path.replace(target)
    return words


def _neighbours(show: Sequence[str], known: WordVectors | None, made: WordVectors) -> dict[str, Any]:
    stages = {"before": known, "after": made} if known else {"after": made}
    return {
        word: {name: [(w, round(cosine, 3)) for w, cosine in vectors.nearest(word, 8)] for name, vectors in stages.items()}
        for word in dict.fromkeys(show)
    }
