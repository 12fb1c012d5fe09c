"""``topical-crawler corpus evidence``: write a folder of facts on each site of a corpus."""

import argparse
from contextlib import ExitStack
from pathlib import Path

from topical_crawler.cli.base import add_corpus
from topical_crawler.cli.corpus import archive_beside
from topical_crawler.config import cache_dir
from topical_crawler.project import AnySettings
from topical_crawler.recordings.reader import Recording
from topical_crawler.services.evidence import write_evidence
from topical_crawler.services.places import find_corpus
from topical_crawler.text import counted

DESCRIPTION = (
    "Write a folder of facts on each site: pages fetched, kept, rejected by reason; precision by people's marks; robots.txt and "
    "rights as seen by the crawl; licences; links not followed, by reason. A table lists the records required by Chinese rules "
    "for training data."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_corpus(parser)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER", help="new folder, or an earlier one")
    parser.add_argument(
        "--judged", type=Path, action="append", default=[], metavar="FILE", help="judged sample of the corpus; may be repeated"
    )
    parser.add_argument(
        "--archive", metavar="FOLDER", help="for the digests of robots.txt (default: the folder archive beside CORPUS, if any)"
    )


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    place = find_corpus(opts.corpus, settings)
    files = opts.archive or archive_beside(place)
    with ExitStack() as stack:
        archive = stack.enter_context(Recording(files, cache_dir(settings))) if files else None
        whole = write_evidence(place, opts.output, opts.judged, archive)
    print(f"{counted(whole['kept'], 'text')} of {counted(whole['sites'], 'site')}: evidence written to {opts.output}")
    return 0
