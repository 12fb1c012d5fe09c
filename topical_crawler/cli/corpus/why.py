"""``topical-crawler corpus why``: in plain sentences, why a page was kept or rejected, and what became of any other address."""

import argparse

from rich.text import Text

from topical_crawler.cli.base import add_json, amount
from topical_crawler.cli.corpus.reading import add_page, print_json
from topical_crawler.cli.terminal import WIDTH, console, making_progress, printable
from topical_crawler.project import AnySettings
from topical_crawler.services.places import find_corpus
from topical_crawler.services.why import why

DESCRIPTION = (
    "Say why a page was kept or rejected: its relevance and the words behind it, the link that led to it, what the check of its "
    "text said, the page that it is a copy of, the marks of people. Of an address that was not fetched: whether it waits, with "
    "which priority and why, or is refused, and by which rule. A crawl that runs is asked for it."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_page(parser)
    add_json(parser, "the sentences, and what they are made of, as JSON")
    parser.add_argument(
        "--wait", type=amount, default=15.0, metavar="SECONDS",
        help="how long a crawl that runs may take to answer (default: %(default)g)",
    )  # fmt: skip


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    with making_progress() as progress:
        story = why(find_corpus(opts.corpus, settings), opts.page, settings, opts.wait, progress=progress)
    if opts.json:
        print_json(story)
        return 0
    out = console(most=WIDTH)
    out.print(Text(printable(f"{story['title'] or ''} {story['url']}".strip()), "bold"))
    for sentence in story["because"]:
        out.print(Text(printable(sentence)))
    return 0
