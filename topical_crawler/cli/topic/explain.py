"""``topical-crawler topic explain``: the verdict of a strategy on pages and texts, with words and reasons of links."""

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

from topical_crawler.cli.base import PROGRAM, add_json, whole
from topical_crawler.cli.terminal import WIDTH, console, link_cell, making_progress, table
from topical_crawler.cli.topic.fetch_pages import Fetched
from topical_crawler.cli.topic.judging import QUEUED, Judge, Judged, read, show_table
from topical_crawler.config import resources, strategy_name
from topical_crawler.crawl.checkpoints import restore
from topical_crawler.crawl.options import CrawlError
from topical_crawler.frontier.sqlite import FrontierFileError
from topical_crawler.project import AnySettings
from topical_crawler.resources.registry import Resources
from topical_crawler.services.reach import Reached, reach
from topical_crawler.services.reasons import make_strategy
from topical_crawler.strategies import Strategy
from topical_crawler.topic.files import check_seed
from topical_crawler.topic.topic import Topic, load_topic

DESCRIPTION = (
    "Show the verdict of a strategy on a page, with the words behind it, and the score of every link with its reasons. With "
    "--crawl the strategy knows what a crawl has learned. Several PAGEs are judged one after the other, as in a crawl, and shown "
    "in a line each. A URL is fetched like in a crawl: robots.txt is obeyed, and TOPICAL_REPLAY answers if it is set. A plain "
    "text has words only. Exit code 1 if a page is unavailable."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", help="name or path")
    parser.add_argument(
        "pages", nargs="+", metavar="PAGE", help="a URL, an HTML or text file, or a text; the output names the kind"
    )
    parser.add_argument("--strategy", metavar="NAME", help="judge by this strategy (default: that of a crawl)")
    parser.add_argument(
        "--crawl",
        metavar="CRAWL",
        help="judge by what this crawl has learned (topic, directory, or name in Redis); it must not run",
    )
    parser.add_argument("--links", type=whole(0), default=20, metavar="N", help="links to show (default: %(default)s)")
    parser.add_argument("--all", action="store_true", help="every link")
    parser.add_argument("--base", metavar="URL", help="origin of an HTML file, needed for its relative links")
    add_json(parser)


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    topic = load_topic(opts.topic)
    if opts.base:
        check_seed(opts.base, "--base")
    with console(stderr=True).status(f"reading {', '.join(opts.pages)}"):
        named = read(opts.pages, settings)
    language = resources(settings) or Resources.none()
    with _crawl(opts, settings) as crawl:
        claim = crawl.claim() if crawl else {}
        name = _strategy_name(opts, settings, topic, claim)
        with making_progress() as progress:
            strategy = make_strategy(topic, name, language, settings, claim.get("seed"), progress)
        if crawl is not None:
            crawl.look(lambda frontier: restore(strategy, frontier))
    explain = Explain(topic, settings, strategy, language, crawl.name if crawl else "")
    pages = [(fetched, explain.judge(kind, fetched, opts.base or "")) for kind, fetched in named]
    if opts.json:
        every = [explain.figures(*page) for page in pages]
        print(json.dumps(every if len(every) > 1 else every[0], ensure_ascii=False, indent=1))
    elif len(pages) > 1:
        explain.show_table(console(most=WIDTH), pages)
    elif (judged := pages[0][1]) is not None:
        explain.show(console(most=WIDTH), judged, None if opts.all else opts.links)
    missing = [fetched for fetched, judged in pages if judged is None]
    for fetched in missing:
        remedy = "Check the address and the network, or save the page and give its file"
        print(f"{PROGRAM} topic explain: {fetched.url}: no page: {fetched.reason}. {remedy}", file=sys.stderr)
    return int(bool(missing))


@contextmanager
def _crawl(opts: argparse.Namespace, settings: AnySettings) -> Iterator[Reached | None]:
    """Open the crawl named in the options, if any."""
    if not opts.crawl:
        yield None
        return
    try:
        with reach(settings, opts.crawl, wait=0.0) as crawl:
            yield crawl
    except FrontierFileError as error:
        raise CrawlError(str(error)) from None


def _strategy_name(opts: argparse.Namespace, settings: AnySettings, topic: Topic, claim: Mapping[str, Any]) -> str:
    """Return the strategy to judge by: that of the crawl, else the requested one, else a crawl's default."""
    given = opts.strategy or strategy_name(settings)
    for what, wanted in (("topic", topic.name), ("strategy", given)):
        if wanted and claim.get(what, wanted) != wanted:
            raise CrawlError(f"--crawl {opts.crawl}: its {what} is {claim[what]!r}, not {wanted!r}. Use that {what}")
    return str(claim.get("strategy") or given or topic.default_strategy)


class Explain:
    """Explanations of a strategy's verdicts on pages and texts.

    Args:
        topic: topic of the strategy.
        settings: the project's.
        strategy: a new strategy, or one restored from a crawl.
        language: the language resources.
        crawl: name of that crawl, "" for none.
    """

    def __init__(self, topic: Topic, settings: AnySettings, strategy: Strategy, language: Resources, crawl: str = "") -> None:
        self._topic, self._strategy, self._language, self._crawl = topic, strategy, language, crawl
        self._missing = [resource for resource in language.missing() if resource.name in strategy.needs]
        self.judge = Judge(topic, settings, strategy)

    def show_table(self, out: Console, pages: Sequence[tuple[Fetched, Judged | None]]) -> None:
        """Print a line for each page or text."""
        self._show_strategy(out)
        show_table(out, "Pages", pages)

    def show(self, out: Console, judged: Judged, links: int | None) -> None:
        """Print the verdict on one page or text, and at most so many links (None: all)."""
        verdict = judged.verdict
        on, above, style = ("on", "above", "bold green") if verdict.keep else ("off", "not above", "bold red")
        relevance = f"{on} topic: relevance {verdict.relevance:.3g} is {above} {self._strategy.page_threshold:g}"
        out.print(Text(f"{relevance}; {judged.carried_by() or 'no word speaks for the topic'}", style))
        self._show_strategy(out)
        _show_source(out, judged)
        if judged.text is None:
            out.print(f"\nMain text: none ({judged.no_text}): a crawl would not keep this page", markup=False)
        else:
            first = "" if verdict.keep else ". A crawl never gets to judge it, because the page above is off topic"
            kept = _kept(judged.text[1], self._strategy)
            out.print(f"\nThe main text by itself: relevance {judged.text[0]:.3g}, {kept}{first}", soft_wrap=True)
        if judged.page is not None:
            _show_links(out, judged, links)

    def _show_strategy(self, out: Console) -> None:
        """Print the strategy, and the missing language resources with their cost."""
        learned = (
            f"with what the crawl {self._crawl} has learned" if self._crawl else "with nothing learned from a crawl (--crawl)"
        )
        out.print(f"Judged by the strategy {self._strategy.name!r}, {learned}.", style="dim", markup=False)
        if not self._strategy.needs:
            return
        if self._language.directory is None and not self._language.overrides:
            out.print("Language resources are switched off (TOPICAL_RESOURCES): words are like themselves only.", style="yellow")
            return
        for resource in (r for r in self._missing if r.archive):  # resources without an archive cost little
            out.print(f"Without {resource.name}: {resource.cost}", style="yellow", markup=False)

    def figures(self, fetched: Fetched, judged: Judged | None) -> dict[str, Any]:
        """Return everything about a page or a text as JSON data."""
        if judged is None:
            return {"topic": self._topic.name, "source": fetched.url, "kept": False, "reason": fetched.reason}
        names = ("url", "title", "keywords", "description", "heading", "lead")
        relevance, kept = judged.text or (None, False)
        links = [{**dataclasses.asdict(link), "queued": link.decision == QUEUED} for link in judged.links]
        return {
            "topic": self._topic.name,
            "source": judged.source,
            "kind": judged.kind,
            "strategy": self._strategy.name,
            "crawl": self._crawl,
            **({name: getattr(judged.page, name) for name in names} if judged.page else {}),
            "on_topic": judged.verdict.keep,
            "page_threshold": self._strategy.page_threshold,
            "relevance": judged.verdict.relevance,
            "why": dict(judged.verdict.why),
            "near": judged.verdict.near,
            "kept": not judged.rejected,
            "reason": judged.rejected,
            "text": {"relevance": relevance, "kept": kept, "reason": judged.no_text},
            "links": links,
            "missing_resources": [resource.name for resource in self._missing],
        }


def _show_source(out: Console, judged: Judged) -> None:
    """Print the source: a page with the contents of its head, or a text."""
    source, page = judged.source, judged.page
    if page is None:
        words = " ".join(source.split())
        named = f"{'file of plain text' if judged.kind == 'text file' else 'text'}: {words[:60]}{'…' if len(words) > 60 else ''}"
        out.print(f"\nTaken for a {named}", markup=False)
        return
    out.print(f"\n{'Fetched' if judged.kind == 'URL' else 'Read from the file'}: {source}", markup=False)
    if judged.kind == "URL" and page.url != source:
        out.print(f"redirected: {page.url}", markup=False)
    grid = Table.grid(padding=(0, 2))
    for name in ("title", "keywords", "description") if page.description else ("title", "keywords", "heading", "lead"):
        grid.add_row(f"{name}:", escape(getattr(page, name)) or "[dim]none[/]")
    out.print(grid)
    if not page.description:
        out.print("No meta description: the first heading and the first lines replace it.", style="dim")


def _kept(kept: bool, strategy: Strategy) -> str:
    threshold = getattr(strategy.parameters, "text_threshold", None)
    if threshold is None:
        return "on topic" if kept else "off topic"
    return f"{'' if kept else 'not '}above text_threshold {threshold:g}" if threshold else "text_threshold is 0: not looked at"


def _show_links(out: Console, judged: Judged, most: int | None) -> None:
    links = judged.links
    out.print(f"\n[bold]Links[/]: {judged.queued} of {len(links)} would be queued")
    rows = [
        (
            "none" if link.score is None else f"{link.score:.4g}",
            Text(link.decision, "green" if link.decision == QUEUED else ""),
            link_cell(link.url, f"“{link.anchor}”" if link.anchor else "", link.reasons),
        )
        for link in links[:most]
    ]
    if rows:
        out.print(table((">score", "decision", "link"), rows, plain=True))
    if len(links) > len(rows):
        out.print(f"… and {len(links) - len(rows)} more (--links N, --all)", style="dim")
