"""``topical-crawler corpus judge``: the workbench, opened at the page for marking texts."""

from __future__ import annotations

import argparse
from pathlib import Path

from topical_crawler.project import AnySettings
from topical_crawler.workbench.command import add_page, serve

DESCRIPTION = (
    "Mark texts in a page of the browser on this machine, as relevant, not relevant or boilerplate, with one key each. For a "
    "CORPUS the page shows the most instructive texts for its crawl: half of them the most uncertain, half the best, none "
    "twice. The crawl learns from each mark at once, even while it runs. For a FILE, written by topical-crawler corpus "
    "sample, it shows all texts. Every mark is saved at once. Ctrl-C ends the program, the same command resumes it, and "
    "topical-crawler corpus report evaluates the marks."
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
