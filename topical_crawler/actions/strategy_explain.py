"""What any strategy makes of a page: its verdict, and the places of the page's links with their reasons."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from topical_crawler.actions.explain_display import show_missing, show_source
from topical_crawler.actions.link_display import link_cell, printable
from topical_crawler.crawl import BELOW_THRESHOLD, evidence_of
from topical_crawler.page import Candidate, Page, Verdict
from topical_crawler.page_fetch import Kind
from topical_crawler.semantics.resources import Resource, Resources
from topical_crawler.strategies import NEEDS, Strategy

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


def show(
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
    if NEEDS.get(strategy.name):
        show_missing(out, found, missing)
    show_source(out, e.source, e.kind, e.page)
    if e.text is None:
        out.print(f"\nMain text: none ({e.no_text}): a crawl would not keep this page", markup=False)
    else:
        out.print(f"\nAs a main text: relevance {e.text[0]:.3g}, {'kept' if e.text[1] else 'not kept'}")
    if e.page is not None:
        _show_links(out, e.links, most)


def _show_links(out: Console, links: Sequence[Weighed], most: int) -> None:
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
