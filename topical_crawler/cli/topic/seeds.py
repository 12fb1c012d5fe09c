"""``topical-crawler topic seeds``: propose start URLs for a crawl."""

import argparse
import dataclasses
import json
from pathlib import Path

from topical_crawler.authoring.searxng import from_searches
from topical_crawler.authoring.seeds import Hint, Nearness, from_sites, from_wikipedia, rank
from topical_crawler.authoring.start import read_sentence
from topical_crawler.cli.base import add_json, add_number, whole
from topical_crawler.cli.terminal import console, progress, table
from topical_crawler.config import cache_dir, resources
from topical_crawler.files import replacing
from topical_crawler.project import AnySettings
from topical_crawler.resources.registry import Resources
from topical_crawler.sources import open_source
from topical_crawler.sources.wikipedia import Wikipedia
from topical_crawler.text import counted
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import list_topics, load_topic
from topical_crawler.topic.topic_folder import TopicFolder
from topical_crawler.web.urls import host

DESCRIPTION = (
    "Propose start URLs for a topic or for a sentence about it, best first: known Chinese sites of its field (from a bundled "
    "list, not visited for it), links of the Wikipedia articles nearest to the topic, and results of your SearXNG server. One "
    "address a host, without archives, social networks and wikis. Nothing is written without --write, and nothing is asked but "
    "the server: look at the addresses before a crawl."
)
_SEARCHED = 4  # terms of the second search


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", metavar="TOPIC|SENTENCE", help="name, path of a topic folder, or a sentence")
    parser.add_argument("--wikipedia", type=Path, metavar="DUMP", help="zhwiki-…-pages-articles.xml.bz2, read whole")
    parser.add_argument(
        "--searxng", metavar="URL", help="a SearXNG server with JSON output, queried with the title and some terms"
    )
    add_number(parser, "--n", type=whole(1), default=20, help="seeds to propose")
    parser.add_argument("--write", action="store_true", help="append them to seeds.txt of the topic folder")
    add_json(parser, "print them as JSON")


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    shipped = opts.topic in list_topics()
    named = shipped or opts.topic.startswith(("./", "../", "/", "~")) or Path(opts.topic).is_dir()
    if opts.write and (shipped or not named):
        raise TopicError(f"{opts.topic}: --write needs a topic folder of your own. Create one: topical-crawler topic new")
    if named:
        topic = load_topic(opts.topic if shipped else Path(opts.topic))
        title, terms, present = topic.title, topic.terms, {host(url).removeprefix("www.") for url in topic.seeds}
    else:
        title, present = opts.topic, set()
        reading = read_sentence(opts.topic, resources(settings) or Resources.none(), cache_dir(settings))
        terms = {term.word: term.in_means for term in reading.terms}
        if not terms:
            raise TopicError(f"no word in {opts.topic!r} can be a term. Write a longer sentence, or name a topic folder")
    near = Nearness(terms)
    sources = [from_sites(near)]
    if opts.wikipedia:
        sources.append(_wikipedia(opts.wikipedia, near))
    if opts.searxng:
        heaviest = sorted(terms, key=lambda term: (-terms[term], term))[:_SEARCHED]
        sources.append(from_searches(near, opts.searxng, list(dict.fromkeys((title, " ".join(heaviest))))))
    found = rank(sources)
    seeds = [seed for seed in found if host(seed.url).removeprefix("www.") not in present][: opts.n]
    written = ""
    if opts.write and seeds:
        file = TopicFolder(Path(topic.source)).seeds
        before = file.read_text(encoding="utf-8") if file.is_file() else ""
        with replacing(file) as out:
            out.write(before + "\n" * (before[-1:] not in ("", "\n")))
            out.writelines(f"{seed.url}\t{seed.why}\n" for seed in seeds)
        written = f"{len(seeds)} seeds → {file}"
    if opts.json:
        print(json.dumps([dataclasses.asdict(seed) for seed in seeds], ensure_ascii=False, indent=1))
        return 0
    shown = console()
    if seeds:
        shown.print(table(("seed", "score", "why"), ((seed.url, f"{seed.score:.2f}", seed.why) for seed in seeds)))
    elif found:
        shown.print("The topic has every site found already. For more add --wikipedia DUMP or --searxng URL")
    else:
        shown.print("No seed found. Add --wikipedia DUMP or --searxng URL, or write a sentence with more of the topic's words")
    if written:
        shown.print(written, markup=False)
    return 0


def _wikipedia(path: Path, near: Nearness) -> list[Hint]:
    dump = open_source(path)
    if not isinstance(dump, Wikipedia):
        raise TopicError(f"{path} is no Wikipedia dump. Name a zhwiki-…-pages-articles.xml.bz2")
    with progress() as shown:
        task = shown.add_task("reading articles", total=100)
        hints, articles = from_wikipedia(near, dump, lambda: shown.update(task, completed=100 * dump.done))
    console(stderr=True).print(
        f"{path}: {counted(articles, 'article')} near the topic, {counted(len(hints), 'link')} to Chinese pages", markup=False
    )
    return hints
