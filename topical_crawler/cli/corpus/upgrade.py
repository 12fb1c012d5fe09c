"""``scrapy corpus upgrade``: an older corpus' tables brought up to this program's version."""

from __future__ import annotations

import argparse

from scrapy.settings import BaseSettings

from topical_crawler.cli.corpus.place import find
from topical_crawler.corpus.schema import VERSION
from topical_crawler.corpus.store import CorpusStore

HELP = "bring the tables of an older corpus up to date"
DESCRIPTION = (
    "Bring the tables of a corpus that an older version of this program has made up to date, in one transaction. A crawl does "
    "this by itself when it starts; for a large corpus in PostgreSQL, whose tables are locked meanwhile, choose the time "
    "yourself."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("corpus", nargs="?", help="topic, folder, file or database URL")


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    place = find(opts.corpus, settings)
    CorpusStore(place, read_only=True).close()  # an empty database is no corpus, and does not become one here
    with CorpusStore(place) as store:
        name, found = store.name, store.found_version
    done = f"brought from version {found} to {VERSION}" if found < VERSION else f"has version {VERSION}: nothing to do"
    print(f"{name} {done}")
    return 0
