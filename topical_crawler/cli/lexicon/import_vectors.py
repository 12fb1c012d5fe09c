"""``scrapy lexicon import``: vectors of one's own, in the form that opens at once."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from scrapy.settings import BaseSettings

from topical_crawler.cli.terminal import progress
from topical_crawler.resources.vectors import convert

DESCRIPTION = (
    "Convert word vectors into the form that the strategies open at once and share between processes: a matrix of unit vectors "
    "(OUT.npy) and its words (OUT.vocab). FILE is of word2vec (text or binary), fastText (.vec) or GloVe (text), gzipped or not; "
    "its content tells which. What gensim's save() wrote is a pickle, which runs code when it is read: it is refused without "
    "--trust-pickle. Name OUT.npy in TOPICAL_VECTORS to use it. Exit code 1 if FILE is damaged or of another form; OUT is then "
    "as it was before."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the vectors")
    parser.add_argument("out", metavar="OUT", help="where to write: OUT.npy and OUT.vocab (OUT with or without .npy)")
    parser.add_argument(
        "--limit",
        type=int,
        metavar="N",
        help="take the first N vectors of FILE, the N most frequent words where it is sorted so, as most are (default: all)",
    )
    parser.add_argument(
        "--trust-pickle",
        action="store_true",
        help="load FILE with gensim although that runs code of FILE: in a process of few rights, which is no sandbox",
    )


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    out = Path(opts.out)
    if out.suffix != ".npy":
        out = out.with_name(f"{out.name}.npy")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with progress(*columns) as display:
        task = display.add_task("vectors", total=None)
        report = convert(
            opts.file,
            out,
            opts.limit,
            lambda done, total: display.update(task, completed=done, total=total, refresh=total == done),
            opts.trust_pickle,
        )
    print(f"{report.words:,} words, {report.dimensions} dimensions, of {report.read:,} vectors read")
    for reason, number in report.dropped.items():
        print(f"left out: {number:,} {reason}")
    print(f"written: {report.path} and {report.path.with_suffix('.vocab').name}")
    print(f'to use it, in the settings: TOPICAL_VECTORS = "{report.path.resolve()}"')
    return 0
