"""``topical-crawler corpus judge``: the workbench, opened where texts are marked."""

from __future__ import annotations

import argparse
from pathlib import Path

from topical_crawler.project import AnySettings
from topical_crawler.workbench.command import add_page, serve

DESCRIPTION = (
    "Ask a person about texts, in a page of the browser on this machine: each is marked as relevant, not relevant or "
    "boilerplate with one key. Of a CORPUS those texts are shown that teach its crawl most: half of them the most uncertain, "
    "half the best, none a second time; the crawl learns from each mark at once, also while it runs. Of a FILE, which "
    "topical-crawler corpus sample has written, all. Every mark is on the disk at once; Ctrl-C ends the program, the same "
    "command goes on later, and topical-crawler corpus report says what the marks come to."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="CORPUS|FILE", help="a corpus, or a sample (default: the only corpus)")
    add_page(parser)


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    from topical_crawler.judging.sample import is_sample
    from topical_crawler.services.places import find_corpus

    if opts.name and is_sample(opts.name):
        return serve(opts, (), settings, sample=Path(opts.name), judge=True)
    place = find_corpus(opts.name, settings)
    return serve(opts, [opts.name or (place if "://" in place else str(Path(place).parent))], settings, judge=True)
