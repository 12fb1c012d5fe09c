"""``scrapy topic explain``: what a strategy makes of a page or a text, word by word and link by link."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from scrapy.settings import BaseSettings

from topical_crawler.actions.explain_display import Explained, decision, show
from topical_crawler.actions.frontier_reach import Reached, reach
from topical_crawler.actions.semantic_setup import Opened, console, make_strategy, missing_for, open_semantic
from topical_crawler.actions.strategy_explain import figures, look
from topical_crawler.actions.strategy_explain import show as show_looked
from topical_crawler.checkpoint import restore
from topical_crawler.config import crawl_options, resources
from topical_crawler.frontier import FrontierFileError
from topical_crawler.link_rules import LinkRules
from topical_crawler.options import CrawlError, CrawlOptions
from topical_crawler.page import Page, Verdict, description_of
from topical_crawler.page_fetch import Kind, fetch_pages, kind_of, read_file
from topical_crawler.semantics.resources import Resources
from topical_crawler.strategies import Strategy
from topical_crawler.terms.explain import Explainer
from topical_crawler.topic import Topic, load_topic, read_seeds
from topical_crawler.topic_files import check_seed
from topical_crawler.urls import fingerprint

HELP = "why a page or a text is on topic or not, word by word and link by link"
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
        help="judge by what this crawl has learned, which does not run now: a topic, a directory, or a name in Redis",
    )
    parser.add_argument("--body", action="store_true", help="the words of the main text, too (semantic)")
    parser.add_argument("--links", type=int, default=20, metavar="N", help="links to show (default: %(default)s)")
    parser.add_argument("--all", action="store_true", help="every word and link, and the words that do not count")
    parser.add_argument(
        "--history",
        action="append",
        default=[],
        metavar="URL|FILE",
        help="a relevant page that is known already, or a file of such; may be repeated (the page itself counts, where it is "
        "relevant)",
    )
    parser.add_argument("--base", metavar="URL", help="where an HTML file comes from: its relative links need it")
    parser.add_argument("--json", action="store_true", help="print figures as JSON")


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    topic = load_topic(opts.topic)
    kind = kind_of(opts.source)
    history = [url for given in opts.history for url in _urls(given)]
    if opts.base:
        check_seed(opts.base, "--base")
    page, text, reason = None, opts.source, ""
    if kind in ("URL", "HTML file"):
        with Console(stderr=True).status(f"fetching {opts.source}"):
            (fetched,) = fetch_pages([opts.source], settings)
        page, text, reason = fetched.page, fetched.text, fetched.reason
        if page is None:
            print(f"scrapy topic explain: {opts.source}: no page: {reason}", file=sys.stderr)
            return 1
        if opts.base and kind == "HTML file":
            page = Page.from_html(opts.base, page.html, page.encoding)
    elif kind == "text file":
        text = read_file(opts.source)[0]
    with _crawl(opts, settings) as crawl:
        claim = crawl.claim() if crawl else {}
        name = _strategy_name(opts, settings, topic, claim)
        if opts.body and name != "semantic":
            raise CrawlError(f"--body is about the words that 'semantic' sees, not {name!r}. Remedy: --strategy semantic")
        opened = open_semantic(topic, settings, claim.get("seed")) if name == "semantic" else None
        found = resources(settings) or Resources.none()
        strategy = opened.strategy if opened else make_strategy(topic, name, found, settings, claim.get("seed"))
        _restore(strategy, crawl)
    if opened is not None:
        explained = _explain(opened, settings, opts.source, kind, page, text, reason, history)
        if opts.json:
            print(json.dumps(_figures(explained, opened, topic), ensure_ascii=False, indent=1))
        else:
            show(console(), explained, opened, body=opts.body, links=opts.links, everything=opts.all)
        return 0
    options = crawl_options(settings, topic, {})
    if page is not None:
        if strategy.wants_around or strategy.wants_paths:
            page = Page.from_html(page.url, page.html, page.encoding, strategy.wants_around, strategy.wants_paths)
        page = dataclasses.replace(page, links=page.links[: options.max_links])
    looked = look(strategy, opts.source, kind, page, text, reason, history, _refusal(options, page))
    missing, learned = missing_for(name, found), crawl.name if crawl else ""
    if opts.json:
        print(json.dumps(figures(looked, topic.name, strategy, missing, learned), ensure_ascii=False, indent=1))
    else:
        show_looked(console(), looked, strategy, found, missing, learned, len(looked.links) if opts.all else opts.links)
    return 0


@contextmanager
def _crawl(opts: argparse.Namespace, settings: BaseSettings) -> Iterator[Reached | None]:
    """The crawl that is named, if one is."""
    if not opts.crawl:
        yield None
        return
    try:
        with reach(settings, opts.crawl, wait=0.0) as crawl:
            yield crawl
    except FrontierFileError as error:
        raise CrawlError(str(error)) from None


def _strategy_name(opts: argparse.Namespace, settings: BaseSettings, topic: Topic, claim: Mapping[str, Any]) -> str:
    """The strategy to judge by: that of the crawl; else that which is asked for, else that which a crawl would take."""
    given = opts.strategy or settings.get("TOPICAL_STRATEGY")
    for what, wanted in (("topic", topic.name), ("strategy", given)):
        if wanted and claim.get(what, wanted) != wanted:
            raise CrawlError(f"--crawl {opts.crawl}: its {what} is {claim[what]!r}, not {wanted!r}. Remedy: take that {what}")
    return str(claim.get("strategy") or given or topic.default_strategy)


def _restore(strategy: Strategy, crawl: Reached | None) -> None:
    """Give a strategy what a crawl has learned.

    Raises:
        CrawlError: the crawl runs, or what it has learned cannot be read.
    """
    if crawl is None:
        return
    try:
        crawl.look(lambda frontier: restore(strategy, frontier))
    except (LookupError, TypeError, ValueError) as error:
        said = f"{type(error).__name__}: {error}"
        raise CrawlError(f"{crawl.name}: what the crawl has learned cannot be read ({said})") from None


def _refusal(options: CrawlOptions, page: Page | None) -> Callable[[str], str | None]:
    """Why a link of ``page`` is not followed whatever it may lead to."""
    rules, own = LinkRules(options), fingerprint(page.url) if page is not None else b""
    return lambda url: "this page itself" if fingerprint(url) == own else rules.refusal(url, 1)


def _urls(given: str) -> list[str]:
    return [given] if given.startswith(("http://", "https://")) else read_seeds(Path(given).expanduser())


def _explain(
    opened: Opened, settings: BaseSettings, source: str, kind: Kind, page: Page | None, text: str, reason: str, history: list[str]
) -> Explained:
    strategy, topic = opened.strategy, opened.strategy.topic
    explainer = Explainer(strategy, opened.similarity)
    if page is None:
        view = explainer.text(text)
        return Explained(
            source, kind, None, view, view.relevance > strategy.parameters.page_threshold, None, strategy.confirm(text)[1], "", ()
        )
    verdict = strategy.judge(page)
    for url in [*history, page.url] if verdict.keep else history:
        strategy.learn(url, Verdict(verdict.relevance, True))
    options = crawl_options(settings, topic, {})
    links = explainer.links(dataclasses.replace(page, links=page.links[: options.max_links]), verdict, _refusal(options, page))
    body = explainer.text(text) if text else None
    view = explainer.text(description_of(page))
    return Explained(source, kind, page, view, verdict.keep, body, bool(text) and strategy.confirm(text)[1], reason, links)


def _figures(e: Explained, opened: Opened, topic: Topic) -> dict[str, Any]:
    strategy = opened.strategy
    head = {n: getattr(e.page, n) for n in ("url", "title", "keywords", "description", "heading", "lead")} if e.page else {}
    return {
        "topic": topic.name,
        "source": e.source,
        "kind": e.kind,
        **head,
        "on_topic": e.on_topic,
        "page_threshold": strategy.parameters.page_threshold,
        **dataclasses.asdict(e.view),
        "text": {
            **(dataclasses.asdict(e.body) if e.body else {}),
            "kept": e.body_kept,
            "text_threshold": strategy.parameters.text_threshold,
            "reason": e.no_body,
        },
        "alpha": strategy.alpha,
        "beta": strategy.beta,
        "lambda": strategy.lam,
        "link_threshold": strategy.parameters.link_threshold,
        "links": [{**dataclasses.asdict(link), "decision": decision(link, e.on_topic)} for link in e.links],
        "missing_resources": [resource.name for resource in opened.missing],
    }
