"""``topical-crawler topic list`` and ``show``: the bundled topics, and the parts of a topic."""

import argparse

from rich.markup import escape

from topical_crawler.cli.base import Action, add_number, whole
from topical_crawler.cli.terminal import console, table
from topical_crawler.project import AnySettings
from topical_crawler.text import counted
from topical_crawler.topic.topic import list_topics, load_topic


def _show_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", help="name or path")
    add_number(parser, "-n", type=whole(0), default=20, help="terms to show")


def _list(opts: argparse.Namespace, settings: AnySettings) -> int:
    topics = map(load_topic, list_topics())
    rows = ((t.name, t.title, str(len(t.terms)), str(len(t.seeds)), t.default_strategy) for t in topics)
    console().print(table(("name", "title", "terms", "seeds", "strategy"), rows))
    return 0


def _show(opts: argparse.Namespace, settings: AnySettings) -> int:
    topic, out = load_topic(opts.topic), console()
    out.print(
        f"[bold]{escape(topic.title)}[/] ({escape(topic.name)}), {counted(len(topic.terms), 'term')}, "
        f"{counted(len(topic.weights), 'other word')}\n"
        f"{escape(topic.source)}"
    )
    if topic.description:
        out.print(topic.description, markup=False)
    out.print(table(("term", "weight"), ((term, f"{topic.terms[term]:.6g}") for term in topic.keywords(opts.n))))
    for seed in topic.seeds:
        out.print(seed, markup=False)
    return 0


ACTIONS = {
    "list": Action("List the bundled topics.", lambda parser: None, _list),
    "show": Action("Show a topic's heaviest terms, its parameters and seeds.", _show_arguments, _show),
}
