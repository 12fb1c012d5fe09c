"""A handful of pages and texts under a topic, for ``scrapy topic check``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from topical_crawler.actions.semantic_setup import Opened
from topical_crawler.page import Candidate, Evidence, Page, Verdict, description_of
from topical_crawler.page_fetch import Fetched, read_file
from topical_crawler.terms.explain import Explainer, share_line


@dataclass(frozen=True)
class Scored:
    """A page or a text under the topic.

    Attributes:
        source: as it was named.
        title: of the page; the first words of a text.
        relevance: Eq. 3 over the description; None where there is no page, and of a plain text.
        on_topic: whether it is above the page threshold.
        text_relevance: Eq. 3 over the main text; None where there is none.
        text_kept: whether that is above the text threshold.
        carried: the words that carry the relevance, with their shares.
        reason: why there is no page or no main text.
        leads_to: links that would be queued.
    """

    source: str
    title: str = ""
    relevance: float | None = None
    on_topic: bool = False
    text_relevance: float | None = None
    text_kept: bool = False
    carried: str = ""
    reason: str = ""
    leads_to: int = 0


def score_page(fetched: Fetched, explainer: Explainer, opened: Opened) -> Scored:
    """Score what was fetched."""
    page, strategy = fetched.page, opened.strategy
    if page is None:
        return Scored(fetched.url, reason=fetched.reason)
    view = explainer.text(description_of(page))
    verdict = strategy.judge(page)
    relevance, kept = strategy.confirm(fetched.text) if fetched.text else (None, False)
    return Scored(
        fetched.url, page.title, view.relevance, verdict.keep, relevance, kept, share_line(view.words), fetched.reason,
        _leads_to(page, verdict.relevance, verdict.keep, opened),
    )  # fmt: skip


def score_text(path: str, explainer: Explainer, opened: Opened) -> Scored:
    """Score a file of plain text, as a main text."""
    text = read_file(path)[0]
    view = explainer.text(text)
    _, kept = opened.strategy.confirm(text)
    on_topic = view.relevance > opened.strategy.parameters.page_threshold
    return Scored(path, " ".join(text.split())[:40], None, on_topic, view.relevance, kept, share_line(view.words))


def _leads_to(page: Page, relevance: float, keep: bool, opened: Opened) -> int:
    """Links that would be queued, in a crawl that has fetched the pages scored before."""
    opened.strategy.learn(page.url, Verdict(relevance, keep))
    distance = 0 if keep else 1
    candidates = [Candidate(x.url, (Evidence(page.url, relevance, keep, x.anchor, distance),)) for x in page.links]
    return sum(priority is not None for priority in opened.strategy.score(candidates))


def show_scored(out: Console, title: str, scored: Sequence[Scored]) -> None:
    """Print a table of them."""
    table = Table(
        title=title, title_justify="left", title_style="bold", box=None, header_style="dim", pad_edge=False, expand=True
    )
    table.add_column("page", ratio=3, overflow="fold")
    table.add_column("relevance", justify="right", no_wrap=True)
    table.add_column("decision", no_wrap=True)
    table.add_column("main text", no_wrap=True)
    table.add_column("links", justify="right", no_wrap=True)
    table.add_column("carried by", ratio=2)
    for s in scored:
        name = Text.assemble(s.source, *(("\n", (s.title, "dim")) if s.title else ()))
        if s.relevance is None and s.text_relevance is None:
            table.add_row(name, "", Text("no page", style="red"), "", "", Text(s.reason))
            continue
        of_text = s.reason if s.text_relevance is None else f"{s.text_relevance:.3g} {'kept' if s.text_kept else 'rejected'}"
        table.add_row(
            name,
            "" if s.relevance is None else f"{s.relevance:.3g}",
            Text("on topic", style="green") if s.on_topic else Text("off topic", style="red"),
            Text(of_text),
            "" if s.relevance is None else str(s.leads_to),
            Text(s.carried),
        )
    out.print("", table)
