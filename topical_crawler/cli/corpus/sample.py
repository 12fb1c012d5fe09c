"""``scrapy corpus sample``: texts for a person to judge."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from topical_crawler.cli.base import whole
from topical_crawler.cli.corpus import find
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.judging.sample import BY, draw_sample, write_sample
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import Topic, list_topics, load_topic

SIZE = 200
MOST = 100_000
DESCRIPTION = (
    "Draw a random sample of the kept pages and write it to FILE, for scrapy corpus judge. It is drawn from strata, by default "
    "the hosts, in proportion to their pages but at least two from each; a corpus of many hosts has its smallest ones in one "
    "stratum. Within a stratum the sample has the mixture of relevance (or, for strata of relevance, of hosts) that the stratum "
    "has. The same corpus and seed give the same sample."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("corpus", nargs="?", help="topic, folder, file or database URL")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="JSON lines; must not be there yet")
    parser.add_argument("-n", "--number", type=whole(1, MOST), default=SIZE, metavar="N", help="texts (default: %(default)s)")
    parser.add_argument("--by", choices=BY, default=BY[0], help="what the strata are (default: %(default)s)")
    parser.add_argument("--equal", action="store_true", help="as many texts from every stratum")
    parser.add_argument(
        "--seed", type=whole(0), default=0, metavar="S", help="another seed, another sample (default: %(default)s)"
    )
    parser.add_argument(
        "--also-rejected",
        action="append",
        default=[],
        metavar="REASON",
        help="also N pages that were rejected for this reason (by title and address), to see what was missed; may be repeated",
    )
    parser.add_argument("--topic", help="whose terms are shown in the texts (default: the one named as the corpus' folder)")


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    if opts.output.exists():
        raise UsageError(f"{opts.output} is there already, and may hold marks. Remedy: name another file", print_help=False)
    place = find(opts.corpus, settings)
    topic = _topic(opts.topic, place)
    with CorpusStore(place, read_only=True) as store:
        sample = draw_sample(
            store,
            opts.number,
            by=opts.by,
            seed=opts.seed,
            equal=opts.equal,
            rejected=opts.also_rejected,
            topic=topic.title if topic else "",
            terms=tuple(topic.keywords(len(topic.terms))) if topic else (),
        )
    write_sample(sample, opts.output)
    strata = sample.header.strata
    pages = sum(stratum.population for stratum in strata)
    print(
        f"{len(sample.items):,} of {pages:,} pages in {len(strata):,} strata written to {opts.output}\n"
        f"judge them with: scrapy corpus judge {opts.output}",
        file=sys.stderr,
    )
    return 0


def _topic(name: str | None, place: str) -> Topic | None:
    if name is None:
        name = Path(place).absolute().parent.name
        if "://" in place or (name not in list_topics() and not Path(name, "topic.toml").is_file()):
            return None
    try:
        return load_topic(name)
    except TopicError as error:
        raise UsageError(str(error), print_help=False) from None
