"""``topical-crawler corpus copy``: copy a corpus from SQLite to PostgreSQL, back, or between two of a kind."""

import argparse

from topical_crawler.cli.terminal import corpus_progress
from topical_crawler.corpus.copy import copy, merge
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.project import AnySettings
from topical_crawler.services.places import find_corpus, new_corpus
from topical_crawler.text import counted

DESCRIPTION = (
    "Copy every page of SOURCE, rejected ones too, with all columns and order numbers into TARGET. TARGET is created if missing "
    "and must be empty. The copy is one transaction: the rows are read back and compared before it commits, and on any error "
    "TARGET stays empty. With --into-existing the pages are added one by one: texts already in TARGET become duplicates, new "
    "pages get new order numbers, and the same command resumes an interrupted run. SOURCE does not change. Pages added by a "
    "crawl meanwhile are left out."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SOURCE", help="topic, folder, file or database URL")
    parser.add_argument(
        "target", metavar="TARGET", help="database URL, file (with a suffix, as all.sqlite), or folder for its corpus.sqlite"
    )
    parser.add_argument("--into-existing", action="store_true", help="add to the pages of TARGET")


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    with (
        CorpusStore(find_corpus(opts.source, settings), read_only=True) as source,
        CorpusStore(new_corpus(opts.target)) as target,
        corpus_progress("copying") as show,
    ):
        if opts.into_existing:
            merged = merge(source, target, show)
            summary = (
                f"{merged.pages:,} pages of {source.name} are in {target.name}: {merged.new:,} of them new there, "
                f"{merged.kept:,} kept, {merged.duplicates:,} duplicates of pages there"
            )
        else:
            copied = copy(source, target, show)
            summary = (
                f"{counted(copied.pages, 'page')} copied from {source.name} to {target.name}, {copied.kept:,} of them kept\n"
                f"verified: both have the same rows (digest {copied.digest})"
            )
    print(summary)
    return 0
