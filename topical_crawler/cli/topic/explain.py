"""``scrapy topic explain``: what a strategy makes of a page or a text, word by word and link by link."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from scrapy.settings import BaseSettings

from topical_crawler.authoring.check import Explainer, LinkView, TextView, share_line
from topical_crawler.cli.frontier.reach import Reached, reach
from topical_crawler.cli.strategy import WIDTH, Opened, make_strategy, missing_for, open_semantic
from topical_crawler.cli.terminal import console, link_cell, printable
from topical_crawler.cli.topic.fetch_pages import Kind, fetch_pages, kind_of, read_file
from topical_crawler.config import crawl_options, resources
from topical_crawler.crawl.link_policy import LinkRules
from topical_crawler.crawl.options import CrawlError, CrawlOptions
from topical_crawler.crawl.session import BELOW_THRESHOLD, evidence_of, restore
from topical_crawler.frontier import FrontierFileError
from topical_crawler.resources.registry import Resource, Resources
from topical_crawler.strategies import NO_TOPIC_WORD, Strategy
from topical_crawler.topic.files import check_seed
from topical_crawler.topic.topic import Topic, load_topic, read_seeds
from topical_crawler.web.page import Candidate, Page, Verdict, description_of
from topical_crawler.web.urls import fingerprint

# -- How ``scrapy topic explain`` shows what the strategy ``semantic`` sees


_MOST_WORDS = 20
_MOST_LISTED = 12


@dataclass(frozen=True)
class Explained:
    """All that is shown."""

    source: str
    kind: Kind
    page: Page | None
    view: TextView
    on_topic: bool
    body: TextView | None
    body_kept: bool
    no_body: str
    links: Sequence[LinkView]


def decision(link: LinkView, on_topic: bool) -> str:
    """What a crawl would do with a link, in the words of its report."""
    if link.queued:
        return "queued"
    return link.refused or (BELOW_THRESHOLD if on_topic else NO_TOPIC_WORD)


def sentence(relevance: float, threshold: float, on_topic: bool, words: str) -> str:
    """The decision in a sentence: "on topic: relevance 0.31 is above 0.07; 主题教育 73%"."""
    said, is_above = ("on topic", "is above") if on_topic else ("off topic", "is not above")
    return f"{said}: relevance {relevance:.3g} {is_above} {threshold:g}; {words or 'no word is like a topic term'}"


def show(out: Console, e: Explained, opened: Opened, *, body: bool, links: int, everything: bool) -> None:
    """Print it.

    Args:
        out: where to.
        e: what was found.
        opened: the strategy that found it.
        body: the words of the main text, too.
        links: most links.
        everything: all words and links.
    """
    parameters = opened.strategy.parameters
    said = sentence(e.view.relevance, parameters.page_threshold, e.on_topic, share_line(e.view.words))
    out.print(Text(said, style="bold green" if e.on_topic else "bold red"))
    show_missing(out, opened.resources, opened.missing)
    show_source(out, e.source, e.kind, e.page)
    _show_words(out, "Words of the " + ("description" if e.page else "text"), e.view, everything)
    if e.page is None or e.body is not None:
        _show_text_line(out, e.body or e.view, e.body_kept, parameters.text_threshold)
        if e.body is not None and body:
            _show_words(out, "Words of the main text", e.body, everything)
    else:
        out.print(f"\nMain text: none ({e.no_body}): a crawl would not keep this page", markup=False)
    if e.page is not None:
        _show_links(out, e, opened, len(e.links) if everything else links)


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
        out.print(f"\nTaken for a {'file of plain text' if kind == 'text file' else 'text'}: {_short(source)}", markup=False)
        return
    out.print(f"\n{'Fetched' if kind == 'URL' else 'Read from the file'}: {source}", markup=False)
    if kind == "URL" and page.url != source:
        out.print(f"redirected: {page.url}", markup=False)
    grid = Table.grid(padding=(0, 2))
    names = ("title", "keywords", "description") if page.description else ("title", "keywords", "heading", "lead")
    for name in names:
        grid.add_row(f"{name}:", escape(getattr(page, name)) or "[dim]none[/]")
    out.print(grid)
    if not page.description:
        out.print("No meta description: the first heading and the first lines stand for it.", style="dim")


def _show_words(out: Console, title: str, view: TextView, everything: bool) -> None:
    out.print(
        f"\n[bold]{title}[/]: {view.counted} count, {len(view.words)} are like a topic term; "
        f"Σ w_d·Σ w_t·Sim² / {view.counted} = {view.relevance:.4g}"
    )
    shown = view.words if everything else view.words[:_MOST_WORDS]
    if shown:
        table = Table("word", "nearest term", "Sim", "through", box=None, header_style="dim", pad_edge=False)
        for name in ("w_d", "Σ w_t·Sim²", "part", "share"):
            table.add_column(name, justify="right")
        for w in shown:
            numbers = f"{w.sim:.2f}", w.through, f"{w.weight:.2f}", f"{w.similar:.2f}", f"{w.contribution:.4f}", f"{w.share:.0%}"
            table.add_row(escape(w.word), escape(w.term), *numbers)
        out.print(table)
    if len(view.words) > len(shown):
        out.print(f"… and {len(view.words) - len(shown)} more (--all)", style="dim")
    for what, words in (
        ("like no topic term; they dilute the others", view.unlike),
        ("weigh 0 (adjust.tsv)", view.silenced),
        *((f"do not count, {reason}", words) for reason, words in view.left_out.items()),
    ):
        if words:
            listed = words if everything else words[:_MOST_LISTED] if words is view.unlike or words is view.silenced else ()
            more = " …" if 0 < len(listed) < len(words) else ""
            out.print(f"{len(words)} {what}{': ' if listed else ''}{' '.join(listed)}{more}", style="dim", markup=False)


def _show_text_line(out: Console, view: TextView, kept: bool, threshold: float) -> None:
    where = (
        f"{'above' if kept else 'not above'} text_threshold {threshold:g}" if threshold else "text_threshold is 0: not looked at"
    )
    out.print(f"\nAs a main text: relevance {view.relevance:.3g}, {where}; {share_line(view.words)}", markup=False)


def _show_links(out: Console, e: Explained, opened: Opened, most: int) -> None:
    strategy = opened.strategy
    queued = sum(link.queued for link in e.links)
    out.print(f"\n[bold]Links[/]: {queued} of {len(e.links)} would be queued")
    rule = f"those above link_threshold {strategy.parameters.link_threshold:g}"
    if not e.on_topic:
        rule = "those with a topic term in their anchor" if not strategy.parameters.tunnel else "all, at a low place (tunnel)"
    out.print(
        f"priority = α {strategy.alpha:.3f}·Rel(parent) {e.view.relevance:.3g} + β {strategy.beta:.3f}·Rel(anchor) "
        f"+ λ {strategy.lam:.3f}·struct; queued: {rule}",
        style="dim",
    )
    table = Table(box=None, header_style="dim", pad_edge=False, expand=out.is_terminal)
    for name in ("priority", "Rel(anchor)", "struct"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("decision", no_wrap=True)
    table.add_column("anchor and address", ratio=1, no_wrap=True, overflow="ellipsis")
    for link in e.links[: max(0, most)]:
        numbers = f"{link.priority:.3f}", f"{link.of_anchor:.3f}", str(link.struct)
        place = Text.assemble(link.anchor or "(no text)", "  ", (link.url, "dim"))
        table.add_row(*numbers, Text(decision(link, e.on_topic), style="green" if link.queued else ""), place)
    if table.row_count:
        out.print(table)
    if len(e.links) > max(0, most):
        out.print(f"… and {len(e.links) - max(0, most)} more (--links N, --all)", style="dim")


def _short(text: str, most: int = 60) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[:most] + "…"


# -- What any strategy makes of a page: its verdict, and the places of the page's links with their reasons


QUEUED = "queued"


@dataclass(frozen=True, slots=True)
class Weighed:
    """A link of a page as a strategy sees it.

    Attributes:
        url, anchor: as on the page.
        score: the priority; None: not worth a visit.
        reasons: the parts of the priority by name.
        decision: what a crawl would do with it, in the words of its report.
    """

    url: str
    anchor: str
    score: float | None
    reasons: Mapping[str, float]
    decision: str


@dataclass(frozen=True)
class Looked:
    """All that is shown.

    Attributes:
        source, kind: what was asked about, and what it was taken for.
        page: None for a text.
        verdict: on the page, or on a page that is described by the text.
        text: (relevance, whether it belongs) of the main text; None where there is none.
        no_text: why there is none.
        links: best first; those that would not be queued last.
    """

    source: str
    kind: Kind
    page: Page | None
    verdict: Verdict
    text: tuple[float, bool] | None
    no_text: str
    links: Sequence[Weighed]


def look(
    strategy: Strategy,
    source: str,
    kind: Kind,
    page: Page | None,
    text: str,
    no_text: str,
    history: Sequence[str],
    refusal: Callable[[str], str | None],
) -> Looked:
    """Have ``strategy`` judge a page and weigh its links, in the order in which a crawl does it.

    Args:
        strategy: as new, or as a crawl has taught it; it learns the page.
        source, kind: what was asked about.
        page: None for a text.
        text: the main text, or the text.
        no_text: why there is none.
        history: addresses of relevant pages, which it is to learn first.
        refusal: why a URL is not followed whatever it may lead to; None where nothing speaks against it.
    """
    verdict = strategy.judge(page or Page("", description=text))
    confirmed = strategy.confirm(text) if text else None
    links: list[Weighed] = []
    if page is not None:
        for url in history:
            strategy.learn(url, Verdict(verdict.relevance, True))
        strategy.learn(page.url, verdict)
        distance = 0 if verdict.keep else 1
        candidates = [Candidate(link.url, (evidence_of(link, page.url, verdict, distance),)) for link in page.links]
        for candidate, score in zip(candidates, strategy.score(candidates), strict=True):
            decision = refusal(candidate.url)
            if decision is None:
                decision = QUEUED if score is not None else BELOW_THRESHOLD if verdict.keep else strategy.closed
            reasons = {name: float(part) for name, part in strategy.explain(candidate).items()}
            links.append(Weighed(candidate.url, candidate.evidence[0].anchor, score, reasons, decision))
        links.sort(key=lambda link: (link.decision != QUEUED, -(link.score if link.score is not None else float("-inf"))))
    return Looked(source, kind, page, verdict, confirmed, no_text, links)


def show_by_strategy(
    out: Console, e: Looked, strategy: Strategy, found: Resources, missing: Sequence[Resource], crawl: str, most: int
) -> None:
    """Print it.

    Args:
        out: where to.
        e: what was found.
        strategy: that found it.
        found: the language resources.
        missing: those of them that the strategy would use and that are not there.
        crawl: whose learned state it has; "" for none.
        most: most links.
    """
    verdict = e.verdict
    words = ", ".join(f"{printable(word)} {share:.0%}" for word, share in verdict.why.items())
    out.print(
        Text(
            f"{'on' if verdict.keep else 'off'} topic: relevance {verdict.relevance:.3g}, pages are kept above "
            f"{strategy.page_threshold:g}; {words or 'no word speaks for the topic'}",
            style="bold green" if verdict.keep else "bold red",
        )
    )
    learned = f"with what the crawl {crawl} has learned" if crawl else "with nothing learned from a crawl (--crawl)"
    out.print(f"Judged by the strategy {strategy.name!r}, {learned}.", style="dim", markup=False)
    if strategy.needs:
        show_missing(out, found, missing)
    show_source(out, e.source, e.kind, e.page)
    if e.text is None:
        out.print(f"\nMain text: none ({e.no_text}): a crawl would not keep this page", markup=False)
    else:
        out.print(f"\nAs a main text: relevance {e.text[0]:.3g}, {'kept' if e.text[1] else 'not kept'}")
    if e.page is not None:
        _show_weighed_links(out, e.links, most)


def _show_weighed_links(out: Console, links: Sequence[Weighed], most: int) -> None:
    queued = sum(link.decision == QUEUED for link in links)
    out.print(f"\n[bold]Links[/]: {queued} of {len(links)} would be queued")
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("decision", no_wrap=True)
    table.add_column("link", overflow="fold")
    for link in links[: max(0, most)]:
        score = "none" if link.score is None else f"{link.score:.4g}"
        anchor = f"“{link.anchor}”" if link.anchor else ""
        decision = Text(link.decision, style="green" if link.decision == QUEUED else "")
        table.add_row(score, decision, link_cell(link.url, anchor, link.reasons))
    if table.row_count:
        out.print(table)
    if len(links) > max(0, most):
        out.print(f"… and {len(links) - max(0, most)} more (--links N, --all)", style="dim")


def figures(e: Looked, topic: str, strategy: Strategy, missing: Sequence[Resource], crawl: str) -> dict[str, Any]:
    """The same as JSON data; ``topic`` is the name of the topic."""
    head = {n: getattr(e.page, n) for n in ("url", "title", "keywords", "description", "heading", "lead")} if e.page else {}
    relevance, kept = e.text or (None, False)
    return {
        "topic": topic,
        "source": e.source,
        "kind": e.kind,
        "strategy": strategy.name,
        "crawl": crawl,
        **head,
        "on_topic": e.verdict.keep,
        "page_threshold": strategy.page_threshold,
        "relevance": e.verdict.relevance,
        "why": dict(e.verdict.why),
        "text": {"relevance": relevance, "kept": kept, "reason": e.no_text},
        "links": [{**dataclasses.asdict(link), "queued": link.decision == QUEUED} for link in e.links],
        "missing_resources": [resource.name for resource in missing],
    }


# -- ``scrapy topic explain``: what a strategy makes of a page or a text, word by word and link by link


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
        with console(stderr=True).status(f"fetching {opts.source}"):
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
            show(console(most=WIDTH), explained, opened, body=opts.body, links=opts.links, everything=opts.all)
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
        show_by_strategy(
            console(most=WIDTH), looked, strategy, found, missing, learned, len(looked.links) if opts.all else opts.links
        )
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
