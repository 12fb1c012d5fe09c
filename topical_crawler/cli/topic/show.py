"""``scrapy topic list`` and ``show``: the topics that come with the product, and what one consists of."""

from __future__ import annotations

import argparse

from rich.markup import escape
from rich.table import Table
from scrapy.settings import BaseSettings

from topical_crawler.cli.base import Action
from topical_crawler.cli.terminal import console
from topical_crawler.topic.topic import list_topics, load_topic


def _show_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", help="name or path")
    parser.add_argument("-n", type=int, default=20, help="terms to show (default: %(default)s)")


def _list(opts: argparse.Namespace, settings: BaseSettings) -> int:
    table = Table("name", "title", "terms", "seeds", "strategy")
    for name in list_topics():
        topic = load_topic(name)
        table.add_row(name, escape(topic.title), str(len(topic.terms)), str(len(topic.seeds)), topic.default_strategy)
    console().print(table)
    return 0


def _show(opts: argparse.Namespace, settings: BaseSettings) -> int:
    topic, out = load_topic(opts.topic), console()
    out.print(
        f"[bold]{escape(topic.title)}[/] ({escape(topic.name)}), {len(topic.terms)} terms, {len(topic.weights)} other words\n"
        f"{escape(topic.source)}"
    )
    if topic.description:
        out.print(topic.description, markup=False)
    table = Table("term", "weight")
    for term in topic.keywords(opts.n):
        table.add_row(escape(term), f"{topic.terms[term]:.6g}")
    out.print(table)
    for seed in topic.seeds:
        out.print(seed, markup=False)
    return 0


ACTIONS = {
    "list": Action("List the topics that come with the product.", lambda parser: None, _list),
    "show": Action("Show a topic's heaviest terms, its parameters and seeds.", _show_arguments, _show),
}
