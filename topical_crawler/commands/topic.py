"""``scrapy topic``: the topics there are, and what can be done with them."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from topical_crawler.cli.base import ActionsCommand, AddAction
from topical_crawler.crawl.options import CrawlError
from topical_crawler.topic.topic import list_topics, load_topic


class Command(ActionsCommand):
    name = "topic"
    modules = ("new", "build", "check", "expand", "explain")
    errors = (CrawlError, ValueError, OSError, ImportError)

    def syntax(self) -> str:
        return (
            "list | show TOPIC | new FOLDER [SENTENCE] | build FOLDER --corpus SOURCE… | expand TOPIC | check TOPIC [PAGE…] | "
            "explain TOPIC URL|FILE|TEXT"
        )

    def short_desc(self) -> str:
        return "List topics, show one, build one from texts"

    def long_desc(self) -> str:
        return (
            "Topics are folders of plain files (topic.toml, terms.tsv, …). 'build' finds terms in a domain corpus, chooses and "
            "weighs them (w = f/N · ln(N/N_i), Zhou et al. 2019, Eq. 2); what a person wrote into the folder stays."
        )

    def add_actions(self, add: AddAction) -> None:
        add("list", help="the topics that come with the product")
        show = add("show", help="a topic's heaviest terms, parameters and seeds")
        show.add_argument("topic", help="name or path")
        show.add_argument("-n", type=int, default=20, help="terms to show (default: %(default)s)")

    def _list(self, opts: argparse.Namespace) -> None:
        table = Table("name", "title", "terms", "seeds", "strategy")
        for name in list_topics():
            topic = load_topic(name)
            table.add_row(name, escape(topic.title), str(len(topic.terms)), str(len(topic.seeds)), topic.default_strategy)
        Console().print(table)

    def _show(self, opts: argparse.Namespace) -> None:
        topic = load_topic(opts.topic)
        console = Console()
        console.print(
            f"[bold]{escape(topic.title)}[/] ({escape(topic.name)}), {len(topic.terms)} terms, {len(topic.weights)} other words\n"
            f"{escape(topic.source)}"
        )
        if topic.description:
            console.print(topic.description, markup=False)
        table = Table("term", "weight")
        for term in topic.keywords(opts.n):
            table.add_row(escape(term), f"{topic.terms[term]:.6g}")
        console.print(table)
        for seed in topic.seeds:
            console.print(seed, markup=False)
