"""``topical-crawler corpus why``: the reasons for keeping or rejecting a page, or the fate of any other address, in sentences."""

import argparse

from rich.text import Text

from topical_crawler.cli.base import add_json, amount
from topical_crawler.cli.corpus.reading import add_page, print_json
from topical_crawler.cli.terminal import WIDTH, console, making_progress, printable
from topical_crawler.project import AnySettings
from topical_crawler.services.places import find_corpus
from topical_crawler.services.why import why

DESCRIPTION = (
    "Explain why a page was kept or rejected: its relevance and the words behind it, the link to it, the check of its text, the "
    "original of a copy, the marks of people. For an address not fetched: its priority in the queue and the reasons, or the rule "
    "refusing it. A running crawl is asked for it."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_page(parser)
    add_json(parser, "the sentences and the facts behind them as JSON")
    parser.add_argument(
        "--wait", type=amount, default=15.0, metavar="SECONDS",
        help="seconds for a running crawl to answer (default: %(default)g)",
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
