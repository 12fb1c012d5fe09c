"""How ``scrapy topic explain`` shows what the strategy ``semantic`` sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from topical_crawler.actions.semantic_setup import Opened
from topical_crawler.crawl import BELOW_THRESHOLD
from topical_crawler.page import Page
from topical_crawler.page_fetch import Kind
from topical_crawler.semantics.resources import Resource, Resources
from topical_crawler.strategies import NO_TOPIC_WORD
from topical_crawler.terms.explain import LinkView, TextView, share_line

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
    table = Table(box=None, header_style="dim", pad_edge=False, expand=True)
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
