"""``scrapy topic explain``: what Eq. 3 and Eq. 5 see in a page or a text."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from scrapy.settings import BaseSettings

from topical_crawler.actions.explain_display import Explained, decision, show
from topical_crawler.actions.semantic_setup import Opened, console, open_semantic
from topical_crawler.config import crawl_options
from topical_crawler.link_rules import LinkRules
from topical_crawler.page import Page, Verdict, description_of
from topical_crawler.page_fetch import Kind, fetch_pages, kind_of, read_file
from topical_crawler.terms.explain import Explainer
from topical_crawler.topic import Topic, load_topic, read_seeds
from topical_crawler.topic_files import check_seed
from topical_crawler.urls import fingerprint

HELP = "why a page or a text is on topic or not, word by word and link by link"
DESCRIPTION = (
    "Show what the strategy 'semantic' sees in a page: every word of the description (title, keywords, description) with its "
    "weight, the topic term it is like and its share of the relevance (Zhou et al. 2019, Eq. 3), and every link with its "
    "priority (Eq. 5). A URL is fetched as a crawl would fetch it: robots.txt is obeyed, and TOPICAL_REPLAY answers where it is "
    "set. Of a plain text there are words only."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", help="name or path")
    parser.add_argument(
        "source", metavar="URL|FILE|TEXT", help="a page, an HTML or text file, or a text; what it is taken for is said"
    )
    parser.add_argument("--body", action="store_true", help="the words of the main text, too")
    parser.add_argument("--links", type=int, default=20, metavar="N", help="links to show (default: %(default)s)")
    parser.add_argument("--all", action="store_true", help="every word and link, and the words that do not count")
    parser.add_argument(
        "--history",
        action="append",
        default=[],
        metavar="URL|FILE",
        help="a relevant page for Algorithm 3, or a file of such; may be repeated (the page itself counts, where it is relevant)",
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
    opened = open_semantic(topic, settings)
    explained = _explain(opened, settings, opts.source, kind, page, text, reason, history)
    if opts.json:
        print(json.dumps(_figures(explained, opened, topic), ensure_ascii=False, indent=1))
    else:
        show(console(), explained, opened, body=opts.body, links=opts.links, everything=opts.all)
    return 0


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
    rules = LinkRules(options)

    def refusal(url: str) -> str | None:
        return "this page itself" if fingerprint(url) == fingerprint(page.url) else rules.refusal(url, 1)

    links = explainer.links(dataclasses.replace(page, links=page.links[: options.max_links]), verdict, refusal)
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
