"""``topical-crawler topic explain``: what a strategy makes of a page or a text, word by word and link by link."""

import argparse
import dataclasses
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from topical_crawler.cli.base import PROGRAM, add_json, urls_of
from topical_crawler.cli.strategy import (
    QUEUED,
    Judged,
    JudgedLink,
    as_crawled,
    judge_page,
    make_strategy,
    missing_for,
    refusal,
    word_shares,
)
from topical_crawler.cli.terminal import WIDTH, console, link_cell, table
from topical_crawler.cli.topic.fetch_pages import Kind, fetch_pages, kind_of, read_file
from topical_crawler.cli.topic.semantic_view import Explainer, SemanticView
from topical_crawler.config import cache_dir, crawl_options, resources, strategy_name
from topical_crawler.crawl.checkpoints import restore
from topical_crawler.crawl.options import CrawlError
from topical_crawler.frontier import FrontierFileError
from topical_crawler.project import AnySettings
from topical_crawler.resources.registry import Resource, Resources
from topical_crawler.services.reach import Reached, reach
from topical_crawler.strategies import Strategy
from topical_crawler.strategies.semantic.parameters import read_semantic_parameters
from topical_crawler.strategies.semantic.similarity import WordSimilarity
from topical_crawler.strategies.semantic.strategy import Semantic
from topical_crawler.topic.files import check_seed
from topical_crawler.topic.topic import Topic, load_topic
from topical_crawler.web.page import Page

DESCRIPTION = (
    "Show what a strategy makes of a page: whether it is on topic, the words that carry that, and every link with its score and "
    "the reasons for it; with --crawl by what a crawl has learned. Of 'semantic' every word of the description (title, keywords, "
    "description) is shown with its weight, the topic term it is like and its share of the relevance (Zhou et al. 2019, Eq. 3), "
    "and every link with the parts of its priority (Eq. 5). A URL is fetched as a crawl would: robots.txt is obeyed, and "
    "TOPICAL_REPLAY answers where it is set. Of a plain text there are words only."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", help="name or path")
    parser.add_argument(
        "source", metavar="URL|FILE|TEXT", help="a page, an HTML or text file, or a text; what it is taken for is said"
    )
    parser.add_argument("--strategy", metavar="NAME", help="judge by this strategy (default: the one that a crawl would take)")
    parser.add_argument(
        "--crawl",
        metavar="CRAWL",
        help="judge by what this crawl has learned (topic, directory, or name in Redis); it must not run",
    )
    parser.add_argument("--body", action="store_true", help="the words of the main text, too (semantic)")
    parser.add_argument("--links", type=int, default=20, metavar="N", help="links to show (default: %(default)s)")
    parser.add_argument("--all", action="store_true", help="every word and link, and the words that do not count")
    parser.add_argument(
        "--history",
        action="append",
        default=[],
        metavar="URL|FILE",
        help="a page known to be relevant, or a file of such; may be repeated",
    )
    parser.add_argument("--base", metavar="URL", help="where an HTML file comes from: its relative links need it")
    add_json(parser)


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    topic = load_topic(opts.topic)
    kind = kind_of(opts.source)
    history = [url for name in opts.history for url in urls_of(name)]
    if opts.base:
        check_seed(opts.base, "--base")
    page, text, reason = None, opts.source, ""
    if kind in ("URL", "HTML file"):
        with console(stderr=True).status(f"fetching {opts.source}"):
            (fetched,) = fetch_pages([opts.source], settings)
        page, text, reason = fetched.page, fetched.text, fetched.reason
        if page is None:
            remedy = ". Remedy: check the address and the network, or save the page and give its file" * (kind == "URL")
            print(f"{PROGRAM} topic explain: {opts.source}: no page: {reason}{remedy}", file=sys.stderr)
            return 1
        if opts.base and kind == "HTML file":
            page = Page.from_html(opts.base, page.html, page.encoding)
    elif kind == "text file":
        text = read_file(opts.source)[0]
    language = resources(settings) or Resources.none()
    with _crawl(opts, settings) as crawl:
        claim = crawl.claim() if crawl else {}
        name = _strategy_name(opts, settings, topic, claim)
        if opts.body and name != "semantic":
            raise CrawlError(f"--body is about the words that 'semantic' sees, not {name!r}. Remedy: --strategy semantic")
        strategy = make_strategy(topic, name, language, settings, claim.get("seed"))
        if crawl is not None:
            crawl.look(lambda frontier: restore(strategy, frontier))
    options = crawl_options(settings, topic, {})
    if page is not None:
        page = as_crawled(page, strategy)
    missing = missing_for(name, language)
    judged = judge_page(strategy, opts.source, kind, page, text, reason, history, refusal(options, page))
    learned = crawl.name if crawl else ""
    view = None
    if isinstance(strategy, Semantic):
        similarity = WordSimilarity.from_resources(language, read_semantic_parameters(topic)[1], cache_dir(settings))
        view = SemanticView(judged, text, Explainer(strategy, similarity))
    if opts.json:
        print(json.dumps(figures(judged, topic.name, strategy, missing, learned, view), ensure_ascii=False, indent=1))
    else:
        most = len(judged.links) if opts.all else opts.links
        out = console(most=WIDTH)
        show_by_strategy(out, judged, strategy, language, missing, learned, most, view, body=opts.body, everything=opts.all)
    return 0


@contextmanager
def _crawl(opts: argparse.Namespace, settings: AnySettings) -> Iterator[Reached | None]:
    """The crawl that is named, if one is."""
    if not opts.crawl:
        yield None
        return
    try:
        with reach(settings, opts.crawl, wait=0.0) as crawl:
            yield crawl
    except FrontierFileError as error:
        raise CrawlError(str(error)) from None


def _strategy_name(opts: argparse.Namespace, settings: AnySettings, topic: Topic, claim: Mapping[str, Any]) -> str:
    """The strategy to judge by: that of the crawl; else that which is asked for, else that which a crawl would take."""
    given = opts.strategy or strategy_name(settings)
    for what, wanted in (("topic", topic.name), ("strategy", given)):
        if wanted and claim.get(what, wanted) != wanted:
            raise CrawlError(f"--crawl {opts.crawl}: its {what} is {claim[what]!r}, not {wanted!r}. Remedy: take that {what}")
    return str(claim.get("strategy") or given or topic.default_strategy)


def show_missing(out: Console, resources: Resources, missing: Sequence[Resource]) -> None:
    """Say without which language resources a page was judged, and what that costs."""
    if resources.directory is None and not resources.overrides:
        out.print("Language resources are switched off (TOPICAL_RESOURCES): words are like themselves only.", style="yellow")
        return
    for resource in (r for r in missing if r.archive):  # what no command can fetch costs little
        out.print(f"Without {resource.name}: {resource.cost}", style="yellow", markup=False)


def show_source(out: Console, source: str, kind: Kind, page: Page | None) -> None:
    """Say what was looked at: a page with what its head says, or a text (``page`` is None)."""
    if page is None:
        words = " ".join(source.split())
        named = f"{'file of plain text' if kind == 'text file' else 'text'}: {words[:60]}{'…' if len(words) > 60 else ''}"
        out.print(f"\nTaken for a {named}", markup=False)
        return
    out.print(f"\n{'Fetched' if kind == 'URL' else 'Read from the file'}: {source}", markup=False)
    if kind == "URL" and page.url != source:
        out.print(f"redirected: {page.url}", markup=False)
    grid = Table.grid(padding=(0, 2))
    for name in ("title", "keywords", "description") if page.description else ("title", "keywords", "heading", "lead"):
        grid.add_row(f"{name}:", escape(getattr(page, name)) or "[dim]none[/]")
    out.print(grid)
    if not page.description:
        out.print("No meta description: the first heading and the first lines stand for it.", style="dim")


def show_by_strategy(
    out: Console,
    judged: Judged,
    strategy: Strategy,
    language: Resources,
    missing: Sequence[Resource],
    crawl: str,
    most: int,
    view: SemanticView | None = None,
    *,
    body: bool = False,
    everything: bool = False,
) -> None:
    """Print what a strategy makes of a page or a text.

    Args:
        out: where to.
        judged: by the strategy.
        strategy: that judged it.
        language: the language resources.
        missing: those of them that the strategy would use and that are not there.
        crawl: whose learned state it has; "" for none.
        most: most links.
        view: its words, of ``semantic``.
        body: the words of the main text, too.
        everything: all words.
    """
    verdict, page = judged.verdict, judged.page
    on, above, style = ("on", "above", "bold green") if verdict.keep else ("off", "not above", "bold red")
    relevance = f"{on} topic: relevance {verdict.relevance:.3g} is {above} {strategy.page_threshold:g}"
    out.print(Text(f"{relevance}; {word_shares(verdict) or 'no word speaks for the topic'}", style))
    learned = f"with what the crawl {crawl} has learned" if crawl else "with nothing learned from a crawl (--crawl)"
    out.print(f"Judged by the strategy {strategy.name!r}, {learned}.", style="dim", markup=False)
    if strategy.needs:
        show_missing(out, language, missing)
    show_source(out, judged.source, judged.kind, page)
    if view:
        view.show_words(out, everything)
    if judged.text is None:
        out.print(f"\nMain text: none ({judged.no_text}): a crawl would not keep this page", markup=False)
    else:
        kept = _kept(judged.text[1], strategy)
        first = "" if verdict.keep else ". A crawl does not come to judge it: what it judges first, above, is off topic"
        out.print(f"\nThe main text by itself: relevance {judged.text[0]:.3g}, {kept}{first}", soft_wrap=True)
    if view and body:
        view.show_body(out, everything)
    if page is not None:
        _show_links(out, judged.links, most, view)


def _kept(kept: bool, strategy: Strategy) -> str:
    threshold = getattr(strategy.parameters, "text_threshold", None)
    if threshold is None:
        return "on topic" if kept else "off topic"
    return f"{'' if kept else 'not '}above text_threshold {threshold:g}" if threshold else "text_threshold is 0: not looked at"


def _show_links(out: Console, links: Sequence[JudgedLink], most: int, view: SemanticView | None) -> None:
    queued = sum(link.decision == QUEUED for link in links)
    out.print(f"\n[bold]Links[/]: {queued} of {len(links)} would be queued")
    if view:
        out.print(view.priority_line(), style="dim")
    rows = [
        (
            "none" if link.score is None else f"{link.score:.4g}",
            Text(link.decision, "green" if link.decision == QUEUED else ""),
            link_cell(link.url, f"“{link.anchor}”" if link.anchor else "", link.reasons),
        )
        for link in links[: max(0, most)]
    ]
    if rows:
        out.print(table((">score", "decision", "link"), rows, plain=True))
    if len(links) > len(rows):
        out.print(f"… and {len(links) - len(rows)} more (--links N, --all)", style="dim")


def figures(
    judged: Judged, topic: str, strategy: Strategy, missing: Sequence[Resource], crawl: str, view: SemanticView | None
) -> dict[str, Any]:
    """The same as JSON data; ``topic`` is the name of the topic."""
    names = ("url", "title", "keywords", "description", "heading", "lead")
    relevance, kept = judged.text or (None, False)
    extra = view.figures() if view else {}
    links = []
    for link in judged.links:
        parts = view.link_figures(link.url, link.anchor, link.decision) if view else {}
        links.append({**dataclasses.asdict(link), "queued": link.decision == QUEUED, **parts})
    return {
        "topic": topic,
        "source": judged.source,
        "kind": judged.kind,
        "strategy": strategy.name,
        "crawl": crawl,
        **({name: getattr(judged.page, name) for name in names} if judged.page else {}),
        "on_topic": judged.verdict.keep,
        "page_threshold": strategy.page_threshold,
        "relevance": judged.verdict.relevance,
        "why": dict(judged.verdict.why),
        **extra,
        "text": {"relevance": relevance, "kept": kept, "reason": judged.no_text} | extra.get("text", {}),
        "links": links,
        "missing_resources": [resource.name for resource in missing],
    }
