"""Conversion of texts to files of sentences with words separated by blanks: simplified, segmented, without stop words.

This process reads the documents, others segment them. The sentences go to *shards* of bounded size. A manifest lists the
complete shards with their end position in the source, so an interrupted run resumes after the last one. The shards do not
depend on the number of processes.

>>> sentences(["同志", "们", ":", "大会", "召开", "了", "。", "天气", "2019", "。"], frozenset({"了"}))
[['同志', '们', '大会', '召开'], ['天气']]
"""

import functools
import importlib.util
import json
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import asdict, dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple, get_args

from topical_crawler.files import replacing_bytes
from topical_crawler.sources import Condition, Source, open_source
from topical_crawler.text.segment import Backend, Segmenter, default_stopwords, normalise
from topical_crawler.training.work_folder import (
    Manifest,
    Report,
    Shard,
    SourceState,
    TrainingError,
    fingerprint,
    refuse_changes,
    write_json,
)
from topical_crawler.workers import WorkerDied, WorkerLate, WorkerPool

# -- Segmentation in several processes

_AHEAD = 2  # batches per process: one at work, one waiting
_PATIENCE = 900.0  # timeout in seconds for one batch, which takes about 0.1 s


@dataclass(frozen=True, slots=True)
class Segmented:
    """Batch of documents as ``lines``: a sentence a line, words separated by blanks, UTF-8.

    The counts are those of :class:`~.work_folder.Shard`.
    """

    lines: bytes
    sentences: int
    tokens: int
    empty: int
    characters: int
    size: int


class _Batch(NamedTuple):
    """Texts segmented together. ``position``: number of documents read from the source, including the last of them."""

    position: int
    texts: list[str]


def _segmented(batches: Iterator[_Batch], words_file: Path, processes: int) -> Generator[tuple[_Batch, Segmented], None, None]:
    """Yield each batch with its sentences, in order, reading at most ``2·processes`` batches ahead of the results.

    Raises:
        TrainingError: a process was killed twice on the same batch, or hangs.
    """
    pool = WorkerPool(segment, warm_up, processes)

    def call(batch: _Batch) -> Segmented:
        try:
            return pool.run(_PATIENCE, str(words_file), batch.texts)
        except WorkerDied:
            return pool.run(_PATIENCE, str(words_file), batch.texts)  # retry in a new process, as memory may have been short

    waiting: deque[tuple[_Batch, Future[Segmented]]] = deque()
    try:
        while True:
            for batch in islice(batches, _AHEAD * processes - len(waiting)):
                waiting.append((batch, pool.threads.submit(call, batch)))
            if not waiting:
                return
            batch, future = waiting.popleft()
            yield batch, future.result()
    except (WorkerDied, WorkerLate) as error:
        killed = isinstance(error, WorkerDied)
        problem = "was killed twice on one batch" if killed else f"takes over {_PATIENCE:.0f} s for one batch"
        raise TrainingError(
            f"a segmentation process {problem}. Restart with fewer --processes if memory is short, keeping the progress so far"
        ) from None
    finally:
        pool.close()


_ENDS = frozenset("。!?;…\n\r\v\f\x85\u2028\u2029")  # ends of a sentence in normalised text (full-width marks are folded)


def segment(options_file: str, texts: Sequence[str]) -> Segmented:
    """Segment a batch of texts with the options in ``options_file`` (:class:`PrepareOptions` as JSON)."""
    simplify, cut, stopwords = _tools(options_file)
    lines, count, tokens, empty = [], 0, 0, 0
    for text in texts:
        cut_sentences = sentences(cut(simplify(text)), stopwords)
        lines += [" ".join(words) for words in cut_sentences]
        count += len(cut_sentences)
        tokens += sum(map(len, cut_sentences))
        empty += not cut_sentences
    # "replace", since lone surrogates from broken pages cannot be written.
    size = sum(len(text.encode("utf-8", "replace")) for text in texts)
    body = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    return Segmented(body, count, tokens, empty, sum(map(len, texts)), size)


def warm_up() -> None:
    """Do nothing, as the options come with the first batch."""


def sentences(tokens: Collection[str], stopwords: Collection[str]) -> list[list[str]]:
    """Return the words of each nonempty sentence: tokens with a letter or Chinese character, except stop words.

    Skips numbers: there is no end of them, and word2vec would give each a row.
    """
    complete: list[list[str]] = []
    sentence: list[str] = []
    for token in tokens:
        if token.isalpha() or (len(token) > 1 and any(c.isalpha() for c in token)):
            if token not in stopwords:
                sentence.append(token)
        elif sentence and not _ENDS.isdisjoint(token):
            complete.append(sentence)
            sentence = []
    if sentence:
        complete.append(sentence)
    return complete


@functools.cache
def _tools(options_file: str) -> tuple[Callable[[str], str], Callable[[str], list[str]], frozenset[str]]:
    options = json.loads(Path(options_file).read_text(encoding="utf-8"))
    if options["simplify"]:
        import opencc

        simplify: Callable[[str], str] = opencc.OpenCC("t2s").convert
    else:
        simplify = str
    keep_whole = [simplify(word) for word in options["keep_whole"]]  # 黨建 is 党建 in a simplified text
    segmenter = Segmenter(keep_whole, backend=options["segmenter"])
    stopwords: frozenset[str] = frozenset() if options["keep_stopwords"] else default_stopwords()
    return simplify, segmenter.cut, stopwords - frozenset(keep_whole)


# -- Shards

BATCH = 200_000  # characters sent to a process together. A longer document goes alone
SHARD = 64_000_000  # bytes of a shard, about ten million words. An interrupted run loses at most the work on one


@dataclass(frozen=True)
class PrepareOptions:
    """Options determining the text."""

    simplify: bool = True  # convert traditional to simplified characters (OpenCC, t2s)
    keep_whole: Sequence[str] = ()  # words the segmentation must not cut, such as a topic's terms
    keep_stopwords: bool = False  # keep stop words
    segmenter: Backend = "auto"  # see `Segmenter`
    where: dict[str, str] = field(default_factory=dict)  # a `Condition` on documents, `{"party": "2"}`
    tolerant: bool = False  # count and skip damage in a source instead of stopping. May be set to resume a stopped run


def prepare(
    folder: Path,
    sources: Sequence[str | Path],
    options: PrepareOptions,
    processes: int,
    report: Report = lambda stage, done, note: None,
    shard_bytes: int = SHARD,
) -> Manifest:
    """Write the shards of ``sources`` (:func:`topical_crawler.sources.open_source`), or the missing ones, in this order.

    Creates ``manifest.json``, ``words.json`` and ``text/`` in ``folder``. This process reads, and ``processes`` others segment.

    Raises:
        TrainingError: the folder was begun with other sources or options, or the sources contain no words.
        SourceError: a source cannot be read.
    """
    backend = _backend(options.segmenter)
    words = sorted({normalise(word) for word in options.keep_whole})
    decisive = {**asdict(options), "keep_whole": words, "segmenter": backend, "shard_bytes": shard_bytes}
    manifest = _open_manifest(folder, [str(s) for s in sources], decisive)
    write_json(folder / "words.json", decisive)
    for left in (folder / "text").glob(".*.part"):  # left by a killed run
        left.unlink()
    for number, state in enumerate(manifest.sources):
        if not state.complete:
            name = f"segmenting {number + 1} of {len(sources)}: {Path(state.path).name}"
            _prepare_source(folder, manifest, state, options, processes, name, report)
    if not sum(shard.tokens for shard in manifest.shards):
        skipped = sum((Counter(s.skipped) for s in manifest.sources), Counter[str]())
        why = f" (skipped: {', '.join(f'{n} {reason}' for reason, n in skipped.items())})" if skipped else ""
        raise TrainingError(
            f"{', '.join(s.path for s in manifest.sources)}: no words found{why}. "
            "Pass a source with texts, and start over with --restart"
        )
    return manifest


def _backend(wanted: Backend) -> Backend:
    """Return the segmenter to use. Fails here if it is missing, rather than in every process."""
    has_fast = importlib.util.find_spec("rjieba") is not None
    if wanted not in get_args(Backend):
        raise TrainingError(f"no segmenter {wanted!r}. Set TOPICAL_SEGMENTER to auto, jieba or rjieba")
    if wanted == "rjieba" and not has_fast:
        raise TrainingError("the segmenter rjieba is not installed. Run pip install rjieba, or set TOPICAL_SEGMENTER to jieba")
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
    remedy = "start over with --restart"
    refuse_changes(path, {"sources": [s.path for s in manifest.sources]}, {"sources": list(sources)}, remedy)
    if options["tolerant"]:  # earlier shards are the same. Dropping the option instead could hide damage
        manifest.options["tolerant"] = True
    refuse_changes(path, manifest.options, options, remedy)
    for before, now in zip(manifest.sources, states, strict=True):
        if before.fingerprint != now.fingerprint:
            raise TrainingError(f"{now.path}: changed since the start of {path}. Use the unchanged source, or {remedy}")
    for shard in manifest.shards:
        file = folder / shard.file
        if not file.exists() or file.stat().st_size != shard.bytes:
            raise TrainingError(f"{file}: expected the {shard.bytes} bytes written before. Restore the file, or {remedy}")
    return manifest


def _prepare_source(
    folder: Path, manifest: Manifest, state: SourceState, options: PrepareOptions, processes: int, name: str, report: Report
) -> None:
    source = open_source(state.path, tolerant=options.tolerant)
    state.kind = source.kind
    unwanted: Counter[str] = Counter()
    batches = _batches(source, state.position, options.where, unwanted)
    began = time.monotonic()
    with closing(_segmented(batches, folder / "words.json", processes)) as results:
        for first in results:
            shard = Shard(f"text/{len(manifest.shards):05d}.txt")
            with replacing_bytes(folder / shard.file) as out:
                for batch, result in chain([first], results):
                    shard.bytes += out.write(result.lines)
                    shard.position = batch.position
                    shard.documents += len(batch.texts)
                    for count in ("sentences", "tokens", "empty", "characters", "size"):
                        setattr(shard, count, getattr(shard, count) + getattr(result, count))
                    report(name, source.done, f"{state.total('tokens') + shard.tokens:,.0f} words")
                    if shard.bytes >= manifest.options["shard_bytes"]:
                        break
            shard.seconds, began = round(time.monotonic() - began, 3), time.monotonic()
            state.shards.append(shard)
            manifest.save(folder / "manifest.json")
    state.skipped = dict(source.skipped + unwanted + Counter({"no word": int(state.total("empty"))}))
    state.complete = True
    manifest.save(folder / "manifest.json")


def _batches(source: Source, start: int, where: dict[str, str], unwanted: Counter[str]) -> Iterator[_Batch]:
    """Yield batches. Their boundaries depend only on the documents."""
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
