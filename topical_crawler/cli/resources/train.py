"""``topical-crawler resources train``: train word vectors on your own texts."""

import argparse
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import TaskID, TimeElapsedColumn, TimeRemainingColumn

from topical_crawler.cli.base import PROGRAM, add_number, amount, condition, whole
from topical_crawler.cli.terminal import console, progress, table
from topical_crawler.config import segmenter
from topical_crawler.project import AnySettings
from topical_crawler.resources.vectors import MAX_DIMENSIONS
from topical_crawler.topic.files import read_terms
from topical_crawler.topic.topic import load_topic
from topical_crawler.training.pipeline import COUNTS, TrainingOptions, check_request, train_vectors
from topical_crawler.training.prepare import PrepareOptions
from topical_crawler.training.word2vec import CONTINUED_EPOCHS, ModelOptions
from topical_crawler.training.work_folder import TrainingError, start_anew

DESCRIPTION = (
    "Train word vectors: OUT/vectors.npy with its words in OUT/vectors.vocab. A source is a Chinese Wikipedia dump (.xml, "
    ".xml.bz2), JSONL (.jsonl, .jsonl.gz, the field 'text'), a .txt file or a folder of them, or the data folder of a crawl. "
    "Texts are simplified and segmented, without stop words and numbers. The same command resumes an interrupted run: OUT/work "
    "holds the segmented text and a checkpoint of each epoch. Delete it once the result is there. With --continue-from, existing "
    "vectors keep their positions and learn missing words."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's arguments."""
    text, model = ModelOptions(), TrainingOptions()
    # Numbers are bounded: otherwise gensim fails after the segmentation (seed, dimensions) or hangs (window).
    parser.add_argument("out", metavar="OUT", type=Path, help="folder of the result")
    parser.add_argument("sources", metavar="SOURCE", nargs="+", help="texts to learn from, read one after the other")
    parser.add_argument("--topic", metavar="NAME", help="keep this topic's terms whole (a name or a folder)")
    parser.add_argument("--words", metavar="FILE", type=Path, help="keep the words of this file whole, one a line")
    parser.add_argument(
        "--where", metavar="FIELD=VALUE", type=condition, action="append", default=[], help="only documents with this value"
    )
    parser.add_argument("--keep-traditional", action="store_true", help="do not simplify traditional characters")
    parser.add_argument("--keep-stop-words", action="store_true", help="do not remove stop words")
    parser.add_argument("--tolerant", action="store_true", help="skip damaged parts of a source and count them")
    parser.add_argument("--model", choices=("word2vec", "fasttext"), default=text.model, help="default: %(default)s")
    add_number(parser, "--dimensions", type=whole(1, MAX_DIMENSIONS), default=text.dimensions, help="dimensions of a vector")
    add_number(parser, "--window", type=whole(1, 10_000), default=text.window, help="words on either side")
    parser.add_argument(
        "--epochs",
        metavar="N",
        type=whole(1, 999),
        help=f"passes over the text (default: {text.epochs}, continued {CONTINUED_EPOCHS})",
    )
    add_number(parser, "--min-count", type=whole(1, 10**9), default=model.min_count, help="least occurrences of a word")
    add_number(parser, "--negative", type=whole(1, 1_000), default=text.negative, help="random words against each right one")
    parser.add_argument("--skip-gram", action="store_true", help="slower than the default (CBOW), better for rare words")
    add_number(parser, "--seed", type=whole(0, 2**32 - 1), default=text.seed, help="seed of all randomness")
    parser.add_argument(
        "--processes",
        metavar="N",
        type=whole(1, 1_000),
        default=os.cpu_count() or 1,
        help="segmenting processes and training threads (default: %(default)s, the processors); with 1 runs are reproducible",
    )
    add_number(parser, "--memory", metavar="MB", type=whole(1, 10**9), default=model.memory, help="bound over all processes")
    parser.add_argument("--continue-from", metavar="VECTORS", type=Path, help="start from these vectors, with their dimensions")
    parser.add_argument(
        "--free",
        metavar="RATE",
        type=lambda text: amount(text, 1.0),
        default=0.0,
        help="with --continue-from: share of each update applied to known words, 0 to 1 (default: 0, they keep their vectors)",
    )
    parser.add_argument("--show", metavar="WORD", action="append", default=[], help="show this word's neighbours in the result")
    parser.add_argument("--restart", action="store_true", help="discard OUT/work and start over")
    parser.add_argument("--retrain", action="store_true", help="keep the segmented text in OUT/work, train again")


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    """Train and print the report. Return 130 if interrupted."""
    options = _options(opts, settings)
    if opts.restart or opts.retrain:
        check_request(opts.out, opts.sources, options, opts.processes)  # a typo must not cost the work of hours
        start_anew(opts.out, keep_text=not opts.restart)
    columns = ("{task.percentage:>3.0f} %", "{task.fields[note]}", TimeElapsedColumn(), TimeRemainingColumn())
    try:
        with progress(*columns, transient=False) as display:
            stages: dict[str, TaskID] = {}

            def report(stage: str, done: float, note: str) -> None:
                if stage not in stages:
                    for earlier in stages.values():
                        display.update(earlier, completed=1.0)
                    stages[stage] = display.add_task(escape(stage), total=1.0, note="")
                display.update(stages[stage], completed=done, note=note)

            results = train_vectors(opts.out, opts.sources, options, opts.processes, report, opts.show)
            for task in stages.values():
                display.update(task, completed=1.0)
    except KeyboardInterrupt:
        kept = f"Finished work is kept in {opts.out / 'work'}. Run the same command to resume"
        print(f"{PROGRAM} resources train: stopped. {kept}", file=sys.stderr)
        return 130
    _print(results, opts.out, console())
    return 0


def _options(opts: argparse.Namespace, settings: AnySettings) -> TrainingOptions:
    keep = list(load_topic(opts.topic).terms) if opts.topic else []
    if opts.words:
        if not opts.words.is_file():
            raise TrainingError(f"{opts.words}: there is no such file. Name a file with one word a line for --words")
        keep += read_terms(opts.words)
    for name, times in Counter(wanted.field for wanted in opts.where).items():
        if times > 1:
            raise TrainingError(f"--where {name}=… is given {times} times, but a document has only one value. Give it once")
    text = PrepareOptions(
        simplify=not opts.keep_traditional,
        keep_whole=keep,
        keep_stopwords=opts.keep_stop_words,
        segmenter=segmenter(settings),
        where={wanted.field: wanted.value for wanted in opts.where},
        tolerant=opts.tolerant,
    )
    epochs = opts.epochs or (CONTINUED_EPOCHS if opts.continue_from else ModelOptions().epochs)
    model = ModelOptions(
        opts.model, opts.dimensions, opts.window, epochs, opts.negative, skip_gram=opts.skip_gram, seed=opts.seed
    )
    return TrainingOptions(text, model, opts.min_count, opts.memory, opts.continue_from, opts.free)


def _print(data: dict[str, Any], folder: Path, out: Console) -> None:
    columns = (f">{'documents (条)' if name == 'documents' else name.replace('kilobytes', 'KB')}" for name in COUNTS)
    rows = []
    for row in [*data["sources"], *([{"source": "all", **data["total"]}] if len(data["sources"]) > 1 else [])]:
        skipped = ", ".join(f"{n:,} {reason}" for reason, n in row["skipped"].items())
        rows.append((Path(row["source"]).name, *(f"{row[name]:,}" for name in COUNTS), skipped))
    out.print(table(("source", *columns, "skipped"), rows))
    words, training = data["vocabulary"], data["training"]
    out.print(
        f"segmentation {data['segmentation']['tokens_per_second']:,} words/s, training {training['tokens_per_second']:,} words/s"
    )
    out.print(
        f"{words['words']:,} words trained; {words['rare']:,} others are rarer than --min-count {data['options']['min_count']}"
    )
    if words["forgotten_below"]:
        out.print(f"memory: words met fewer than {words['forgotten_below']} times were dropped while counting")
    if words["cut"]:
        out.print(
            f"memory: {words['cut']:,} words with up to {words['cut_count']:,} occurrences left out; raise --memory to keep them"
        )
    if "continued" in data:
        continued = data["continued"]
        out.print(
            f"continued from {continued['known']:,} words, {continued['known_in_text']:,} of them in the text; "
            f"{continued['new']:,} new"
        )
    for word, near in data["neighbours"].items():
        for when, words_near in near.items():
            near_text = " ".join(f"{neighbour} {cosine:.2f}" for neighbour, cosine in words_near) or "no vector"
            label = f"{word} {when}" if len(near) > 1 else word
            out.print(escape(f"{label}: {near_text}"))
    result = data["result"]
    out.print(escape(f"{result['path']}: {result['words']:,} words, {result['dimensions']} dimensions; {folder / 'report.json'}"))
