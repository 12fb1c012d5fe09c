"""``topical-crawler topic new``: create a topic folder from a sentence, keywords, example texts or pages, or a category."""

import argparse
import math
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from topical_crawler.authoring.start import (
    Start,
    check_free,
    from_category,
    from_keywords,
    from_texts,
    read_sentence,
    write_start,
)
from topical_crawler.cli.actions import CORPUS
from topical_crawler.cli.base import add_number, whole
from topical_crawler.cli.terminal import console, table
from topical_crawler.cli.topic.nearness import show_nearness, texts_of
from topical_crawler.config import cache_dir, data_dir, resources
from topical_crawler.crawl.crawl_folder import CrawlFolder
from topical_crawler.project import AnySettings
from topical_crawler.resources.categories import CategoryTree, read_clc
from topical_crawler.resources.registry import RESOURCES, Resources
from topical_crawler.services.nearness import by_nearness
from topical_crawler.sources import open_source
from topical_crawler.topic.files import TopicError, check_seed
from topical_crawler.topic.topic import load_topic
from topical_crawler.web.urls import is_url

DESCRIPTION = (
    "Create a topic folder to crawl with and to edit. Describe the topic in one or several ways: a sentence, keywords, "
    "example texts, example pages, or a class of the Chinese Library Classification (or of another tree)."
)
_TEXTS = 1000
_SURVEY = 300
_FEW = 2  # at most so many words get a warning
_MORE = "Write a longer sentence, or add terms (--keywords A,B) or example texts (--text, --url)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="new folder; its name is the topic's name")
    parser.add_argument(
        "sentence", nargs="?", metavar="SENTENCE", help="subject of the topic, e.g. 操作系统内核与文件系统的原理和实现"
    )
    parser.add_argument("--keywords", metavar="A,B,…", help="terms, taken unchanged")
    parser.add_argument(
        "--text", nargs="+", type=Path, default=[], metavar="SOURCE", help="example texts: .txt, folders, JSONL, a corpus"
    )
    parser.add_argument("--url", nargs="+", default=[], metavar="URL", help="example pages (or HTML files), also used as seeds")
    parser.add_argument(
        "--against", nargs="+", type=Path, default=[], metavar="SOURCE",
        help="texts of any field, such as a corpus, to show those nearest to the SENTENCE in meaning, and the farthest",
    )  # fmt: skip
    parser.add_argument("--category", metavar="NAME|CODE", help="a class and its four generations, e.g. TP316 or 操作系统")
    parser.add_argument(
        "--tree", type=Path, metavar="FILE", help="category tree in JSON, like the CLC (default: the resource clc)"
    )
    parser.add_argument("--seeds", nargs="+", default=[], metavar="URL", help="start URLs for seeds.txt")
    parser.add_argument(
        "--questions", action=argparse.BooleanOptionalAction,
        help="ask about the twenty most useful texts after a first survey of the seeds' web (default: a terminal is asked)",
    )  # fmt: skip
    add_number(parser, "--survey", type=whole(1), default=_SURVEY, help="pages of that survey")
    parser.add_argument("--title", help="title of the topic (default: the sentence, or the first terms)")


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    if not (opts.sentence or opts.keywords or opts.text or opts.url or opts.category):
        place = _place(opts.folder)
        raise TopicError(
            f"say what the topic is about, behind its folder {place}: a SENTENCE, --keywords, --text, --url or --category"
        )
    check_free(opts.folder)
    if CrawlFolder(opts.folder).has_crawl:
        raise TopicError(f"{opts.folder} holds a crawl. Name another folder")
    seeds = [check_seed(url, "--seeds") for url in opts.seeds]
    language = resources(settings) or Resources.none()
    messages, start = console(stderr=True), Start()
    messages.print(f"Looking for the terms of {opts.folder} …", markup=False)  # reading dictionaries and vectors takes seconds
    if opts.keywords:
        start.add(from_keywords(opts.keywords.replace("，", ",").replace("、", ",").split(",")))
    if opts.sentence:
        start.add(read_sentence(opts.sentence, language, cache_dir(settings)))
    tree = None
    if path := opts.tree or language.path("clc"):
        tree = read_clc(path)
    if opts.category:
        if tree is None:
            raise TopicError(
                f"there is no category tree. To get one: {RESOURCES['clc'].cost.rpartition('. Get it: ')[2]}, or --tree FILE"
            )
        start.add(from_category(tree, opts.category))
    texts = _texts(opts.text)
    pages = []
    if opts.url:
        from topical_crawler.cli.topic.fetch_pages import fetch_pages  # takes half a second, like the imports of a survey

        pages = fetch_pages(list(dict.fromkeys(opts.url)), settings)
    for fetched in pages:
        if fetched.page is None or not (fetched.text or fetched.page.title):
            messages.print(f"[yellow]left out[/] {escape(fetched.url)}: {escape(fetched.reason)}")
            continue
        texts.append(f"{fetched.page.title}\n{fetched.text}")
        seeds += [fetched.url] if is_url(fetched.url) else []
    if opts.url and not texts and not start.terms:
        raise TopicError("none of the pages can be read. See the reasons above, or give another example")
    if texts:
        start.add(from_texts(texts))
    if not start.terms:
        without = f" (not {' '.join(start.left_out)})" if start.left_out else ""
        raise TopicError(
            f"no word in what you gave can be a term{without}. Name some of two characters or more, --keywords 操作系统,内核"
        )
    if start.is_foreign:
        messages.print("[yellow]No word of these is Chinese.[/] Unless they are names, say it in Chinese, as the texts do")
    elif len(start.words) <= _FEW:
        without = f" (without {' '.join(start.left_out)})" if start.left_out else ""
        messages.print(
            f"[yellow]Only {len(start.words)} of your words tell the topic:[/] {escape(' '.join(start.words) + without)}. "
            f"A crawl misses texts without them. {_MORE}"
        )
    elif start.is_general:
        listed = escape(" ".join(start.words))
        messages.print(f"[yellow]All of your words are of general use:[/] {listed}. Texts of any field may have them. {_MORE}")
    words = [term.word for term in start.terms]
    title = opts.title or opts.sentence or "、".join(words[:3])
    write_start(opts.folder, title, opts.sentence or "、".join(words[:10]), start.terms, list(dict.fromkeys(seeds)))
    topic = load_topic(opts.folder)  # checks that it can be read
    _show(out := console(), opts, start, tree)
    if opts.sentence:
        examples = [(text.partition("\n")[0], text) for text in texts]
        show_nearness(out, topic, by_nearness(topic, [*examples, *texts_of(opts.against)], settings))
    return _survey(opts, settings) if seeds and opts.questions is not False else 0


def _survey(opts: argparse.Namespace, settings: AnySettings) -> int:
    """Crawl some pages, ask about some of them, and copy the marks into the topic, or print the commands for it."""
    place, data = _place(opts.folder), shlex.quote(str(data_dir(settings, opts.folder.name)))
    arguments = ["crawl", place, "-a", f"pages={opts.survey}"]
    if opts.questions is None:
        print(f"Twenty marked texts teach it most, after a survey of {opts.survey} pages:")
        print(f"  topical-crawler {shlex.join(arguments)}\n  topical-crawler corpus judge {data}")
        print(f"  topical-crawler corpus report {data} --to-topic {shlex.quote(place)}")
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            return 0
        print("Do so now? [y/N] ", end="", flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            return 0
    given = [part for setting in opts.set for part in ("-s", setting)]
    if code := subprocess.run([sys.executable, "-m", "topical_crawler", *arguments, *given], check=False).returncode:
        return code
    for action in (["judge", opts.folder.name], ["report", opts.folder.name, "--to-topic", str(opts.folder)]):
        if code := CORPUS.run([], CORPUS.parser().parse_args([*action, *given]), settings):
            return code
    print(f"Next: topical-crawler crawl {shlex.quote(place)} goes on from there")
    return 0


def _texts(paths: Sequence[Path]) -> list[str]:
    """Return the documents of example texts, preceded by their titles. At most a thousand: a topic needs a handful."""
    texts: list[str] = []
    for path in paths:
        source = open_source(path)
        for document in source:
            if len(texts) == _TEXTS:
                remedy = "Give fewer, or use topical-crawler topic build for a whole corpus"
                raise TopicError(f"{path}: more than {_TEXTS} examples. {remedy}")
            texts.append(f"{document.title}\n{document.text}" if document.title else document.text)
        if source.skipped:
            listed = ", ".join(f"{n} {reason}" for reason, n in sorted(source.skipped.items()))
            print(f"{path}: left out: {listed}", file=sys.stderr)
    if paths and not texts:
        raise TopicError(f"{', '.join(map(str, paths))}: no text in it. Give texts about the topic")
    return texts


def _place(folder: Path) -> str:
    """Return the topic's name for commands, with ./ before a bare name, because that may be another topic's."""
    return f"./{folder}" if len(folder.parts) == 1 else str(folder)


def _show(out: Console, opts: argparse.Namespace, start: Start, tree: CategoryTree | None) -> None:
    rows = ((t.word, "" if math.isnan(t.weight) else f"{t.weight:.2f}", t.why) for t in start.terms[:30])
    out.print(table(("term", "weight", "from"), rows))
    if len(start.terms) > 30:
        out.print(f"… and {len(start.terms) - 30} more")
    if start.left_out:
        listed = " ".join(start.left_out)
        out.print(f"Left out as too general: {listed} (--keywords takes any word)", markup=False)
    specific = [term.word for term in start.terms if math.isnan(term.weight)]
    if tree and not opts.category and (classes := tree.search(specific, 3)):
        listed = "; ".join(f"{c.code} {c.name}" for c in classes)
        out.print(f"Classes that may fit (--category CODE): {listed}", markup=False)
    out.print(f"→ {opts.folder}/terms.tsv, topic.toml, seeds.txt, adjust.tsv", markup=False)
    place = shlex.quote(_place(opts.folder))
    out.print(
        f"Next: read terms.tsv; topical-crawler topic seeds {place}; topical-crawler topic check {place}; "
        f"topical-crawler crawl {place} -a seeds=…",
        soft_wrap=True,
        markup=False,
    )
