"""Texts of any source into files of sentences, words separated by blanks: simplified, segmented, without stop words.

Documents are read by this process and cut by others. The sentences go to *shards* of bounded size; a manifest says which shards
are whole and how far in its source each one reaches, so that an interrupted run goes on after the last whole shard. The same
sources give the same shards, however many processes cut them.
"""

from __future__ import annotations

import importlib.util
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple, get_args

from topical_crawler.sources import Condition, Source, open_source
from topical_crawler.text import Backend, normalise
from topical_crawler.training import Report, TrainingError
from topical_crawler.training.manifest import Manifest, Shard, SourceState, fingerprint, refuse_changes, write_json
from topical_crawler.training.pool import map_in_order
from topical_crawler.training.segment import Segmented, segment, warm_up

BATCH = 200_000
"""Characters that travel to a process together; a longer document travels alone."""
SHARD = 64_000_000
"""Bytes of a shard, about ten million words. An interrupted run loses at most the work on one."""


@dataclass(frozen=True)
class PrepareOptions:
    """What decides the text.

    Attributes:
        simplify: traditional characters become simplified ones (OpenCC, t2s).
        keep_whole: words that the segmentation must not cut, such as a topic's terms.
        keep_stopwords: leave stop words in.
        segmenter: see :class:`~topical_crawler.text.Segmenter`.
        where: only documents whose fields have these values, see :class:`~topical_crawler.sources.Condition`: ``{"party": "2"}``.
        tolerant: damage in a source is counted and skipped instead of ending the run. A run that damage has ended may go on so.
    """

    simplify: bool = True
    keep_whole: Sequence[str] = ()
    keep_stopwords: bool = False
    segmenter: Backend = "auto"
    where: dict[str, str] = field(default_factory=dict)
    tolerant: bool = False


def prepare(
    folder: Path,
    sources: Sequence[str | Path],
    options: PrepareOptions,
    processes: int,
    report: Report = lambda stage, done, note: None,
    shard_bytes: int = SHARD,
) -> Manifest:
    """Make the shards of ``sources`` in ``folder``, or those that are missing yet.

    Args:
        folder: ``manifest.json``, ``words.json`` and ``text/`` go there.
        sources: anything that :func:`topical_crawler.sources.open_source` reads; in this order.
        processes: segmenting; this process reads besides.

    Raises:
        TrainingError: the folder was begun with other sources or options, or there is not one word in the sources.
        SourceError: a source cannot be read.
    """
    backend = _backend(options.segmenter)
    words = sorted({normalise(word) for word in options.keep_whole})
    decisive = {**asdict(options), "keep_whole": words, "segmenter": backend, "shard_bytes": shard_bytes}
    manifest = _open_manifest(folder, [str(s) for s in sources], decisive)
    words_file = folder / "words.json"
    write_json(words_file, decisive)
    for number, state in enumerate(manifest.sources):
        if not state.complete:
            source = open_source(state.path, tolerant=options.tolerant)
            state.kind = source.kind
            name = f"segmenting {number + 1} of {len(sources)}: {Path(state.path).name}"
            _prepare_source(folder, manifest, state, source, words_file, options.where, processes, name, report)
    if not sum(shard.tokens for shard in manifest.shards):
        skipped = sum((Counter(s.skipped) for s in manifest.sources), Counter[str]())
        why = f"; skipped: {', '.join(f'{n} {reason}' for reason, n in skipped.items())}" if skipped else ""
        raise TrainingError(
            f"{', '.join(s.path for s in manifest.sources)}: not a single word in it{why}. "
            "Remedy: name a source with texts, and begin anew with --restart"
        )
    return manifest


def _backend(wanted: Backend) -> Backend:
    """The segmenter that is used; one that is not there is told here, where a process that starts it could only die of it."""
    has_fast = importlib.util.find_spec("rjieba") is not None
    if wanted not in get_args(Backend):
        raise TrainingError(f"there is no segmenter {wanted!r}. Remedy: TOPICAL_SEGMENTER = auto, jieba or rjieba")
    if wanted == "rjieba" and not has_fast:
        raise TrainingError("the segmenter rjieba is not installed. Remedy: pip install rjieba, or TOPICAL_SEGMENTER = jieba")
    return ("rjieba" if has_fast else "jieba") if wanted == "auto" else wanted


def _open_manifest(folder: Path, sources: Sequence[str], options: dict[str, object]) -> Manifest:
    path = folder / "manifest.json"
    states = [SourceState(source, fingerprint(source)) for source in sources]
    if not path.exists():
        (folder / "text").mkdir(parents=True, exist_ok=True)
        manifest = Manifest(options, states)
        manifest.save(path)
        return manifest
    manifest = Manifest.load(path)
    remedy = "begin anew with --restart"
    refuse_changes(path, {"sources": [s.path for s in manifest.sources]}, {"sources": list(sources)}, remedy)
    if options["tolerant"]:  # what was made before damage ended the run is the same; only the other way round it would hide some
        manifest.options["tolerant"] = True
    refuse_changes(path, manifest.options, options, remedy)
    for before, now in zip(manifest.sources, states, strict=True):
        if before.fingerprint != now.fingerprint:
            raise TrainingError(f"{now.path}: changed since {path} was begun with it. Remedy: {remedy}")
    for shard in manifest.shards:
        file = folder / shard.file
        if not file.exists() or file.stat().st_size != shard.bytes:
            raise TrainingError(f"{file}: {shard.bytes} bytes were written, they are not there any more. Remedy: {remedy}")
    return manifest


def _prepare_source(
    folder: Path,
    manifest: Manifest,
    state: SourceState,
    source: Source,
    words_file: Path,
    where: dict[str, str],
    processes: int,
    name: str,
    report: Report,
) -> None:
    unwanted: Counter[str] = Counter()
    batches = _batches(source, state.position, where, unwanted)
    written = _Shard(folder, f"text/{len(manifest.shards):05d}.txt")
    with closing(map_in_order(segment, warm_up, batches, lambda b: (str(words_file), b.texts), processes)) as results:
        for batch, result in results:
            written.add(result, batch)
            report(name, source.done, f"{state.total('tokens') + written.tokens:,.0f} words")
            if written.bytes >= manifest.options["shard_bytes"]:
                state.shards.append(written.finish())
                manifest.save(folder / "manifest.json")
                written = _Shard(folder, f"text/{len(manifest.shards):05d}.txt")
    if written.documents:
        state.shards.append(written.finish())
    else:
        written.discard()
    state.skipped = dict(source.skipped + unwanted + Counter({"no word": int(state.total("empty"))}))
    state.complete = True
    manifest.save(folder / "manifest.json")


class _Batch(NamedTuple):
    """Texts that are cut together; ``position``: documents that the source has given with the last of them."""

    position: int
    texts: list[str]


def _batches(source: Source, start: int, where: dict[str, str], unwanted: Counter[str]) -> Iterator[_Batch]:
    """Where a batch begins depends on the documents alone."""
    conditions = [Condition(name, value) for name, value in where.items()]
    texts: list[str] = []
    size = position = 0
    for position, document in enumerate(source, 1):
        if not all(condition.holds(document.fields) for condition in conditions):
            unwanted["other " + ", ".join(where)] += 1
        elif position > start:
            texts.append(document.text)
            size += len(document.text)
            if size >= BATCH:
                yield _Batch(position, texts)
                texts, size = [], 0
    if texts:
        yield _Batch(position, texts)


class _Shard:
    """A shard that is being written; it gets its name when it is whole."""

    def __init__(self, folder: Path, name: str) -> None:
        self._target = folder / name
        self._part = self._target.with_suffix(".part")
        self._file: BinaryIO = self._part.open("wb")
        self._began = time.monotonic()
        self._name = name
        self.position = self.documents = self.sentences = self.tokens = 0
        self.characters = self.size = self.empty = self.bytes = 0

    def add(self, result: Segmented, batch: _Batch) -> None:
        self.bytes += self._file.write(result.lines)
        self.position = batch.position
        self.documents += len(batch.texts)
        self.sentences += result.sentences
        self.tokens += result.tokens
        self.characters += result.characters
        self.size += result.size
        self.empty += result.empty

    def finish(self) -> Shard:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._part.replace(self._target)
        return Shard(
            self._name,
            self.position,
            self.documents,
            self.sentences,
            self.tokens,
            self.characters,
            self.size,
            self.empty,
            self.bytes,
            round(time.monotonic() - self._began, 3),
        )

    def discard(self) -> None:
        self._file.close()
        self._part.unlink()
