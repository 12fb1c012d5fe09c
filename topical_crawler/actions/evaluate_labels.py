"""What the actions of ``scrapy evaluate`` on labelled crawls share: their options, and how groups and corpora are read."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from scrapy.exceptions import UsageError

from topical_crawler.corpus.record import Filters, Record
from topical_crawler.corpus.store import CorpusStore

Groups = dict[str, list[str]]
"""Names of sites by the name of their group."""


def add_labels(parser: argparse.ArgumentParser) -> None:
    """Declare ``--labels`` and ``--grade``."""
    parser.add_argument("--labels", type=Path, required=True, metavar="FILE", help="TSV with url, kind and a grade of 0, 1 or 2")
    parser.add_argument("--grade", default="grade", metavar="COLUMN", help="column of the grade (default: %(default)s)")


def add_groups(parser: argparse.ArgumentParser) -> None:
    """Declare ``--group``."""
    parser.add_argument(
        "--group", action="append", default=[], metavar="NAME=SITE,SITE", help="sites to take together; may be repeated"
    )


def read_groups(given: Iterable[str], sites: Sequence[str]) -> Groups:
    """The groups as given on the command line, NAME=SITE,SITE each.

    Raises:
        UsageError: another form, or a site that the labels do not name.
    """
    groups: Groups = {}
    for text in given:
        name, _, members = text.partition("=")
        groups[name] = members.split(",")
        if unknown := set(groups[name]) - set(sites):
            raise UsageError(
                f"--group {text}: NAME=SITE,SITE is expected. There is no site {', '.join(sorted(unknown))!r} in the labels; "
                f"there are {', '.join(sites)}",
                print_help=False,
            )
    return groups


def read_corpus(place: str | Path) -> list[Record]:
    """All rows of a crawl's corpus (its data folder, or the file), rejected pages too, in the order of fetching."""
    path = Path(place)
    with CorpusStore(path / "corpus.sqlite" if path.is_dir() else path, read_only=True) as store:
        return list(store.records(Filters(rejected=True)))
