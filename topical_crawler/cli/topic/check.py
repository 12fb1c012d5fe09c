"""``scrapy topic check``: the health of a topic's files, and a handful of pages scored by it."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from scrapy.settings import BaseSettings

from topical_crawler.authoring.check import LENGTHS, Explainer, Figures, Finding, Report, TopicLines, check_topic, share_line
from topical_crawler.cli.strategy import WIDTH, Opened, open_semantic
from topical_crawler.cli.terminal import console
from topical_crawler.cli.topic.fetch_pages import Fetched, fetch_pages, kind_of, read_file
from topical_crawler.config import cache_dir, resources
from topical_crawler.resources.registry import Resources
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict, description_of

# -- A handful of pages and texts under a topic, for ``scrapy topic check``


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
        title=title,
        title_justify="left",
        title_style="bold",
        box=None,
        header_style="dim",
        pad_edge=False,
        expand=out.is_terminal,
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


# -- ``scrapy topic check``: the health of a topic's files, and a handful of pages scored by it


DESCRIPTION = (
    "Look over a topic: which terms the language resources know, which do not come out of the segmentation, which weights "
    "dominate, what the thresholds come to, seeds, duplicates. Every finding names file, line and remedy. PAGEs are scored: "
    "relevance, decision, the words that carry it. Exit code 1 if there is an error: something with which no crawl can start."
)
_MOST_WORDS = 8
_STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", help="name or path")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="URLs, HTML files or text files to be scored")
    parser.add_argument("--fetch", action="store_true", help="fetch the seeds, too: do they answer, and do they lead on?")
    parser.add_argument("--all", action="store_true", help="every word of a finding, with its line")
    parser.add_argument("--json", action="store_true", help="print findings and figures as JSON")


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    kinds = {given: kind_of(given) for given in opts.pages}
    for given, kind in kinds.items():
        if kind == "text":
            raise FileNotFoundError(f"{given}: no URL and no file. Remedy: scrapy topic explain {opts.topic} TEXT takes a text")
    found = resources(settings) or Resources.none()
    report = check_topic(opts.topic, found, cache_dir(settings), settings.get("TOPICAL_SEGMENTER"))
    findings = list(report.findings)
    pages: list[Scored] = []
    seeds: list[Scored] = []
    if report.topic is not None and not report.errors and (opts.pages or opts.fetch):
        opened = open_semantic(report.topic, settings)
        explainer = Explainer(opened.strategy, opened.similarity)
        addresses = [given for given, kind in kinds.items() if kind != "text file"]
        with console(stderr=True).status(f"fetching {len(addresses)} pages"):
            fetched = iter(fetch_pages(addresses, settings))
        for given, kind in kinds.items():
            pages.append(
                score_text(given, explainer, opened) if kind == "text file" else score_page(next(fetched), explainer, opened)
            )
        if opts.fetch:
            seeds, more = _fetch_seeds(explainer, opened, settings)
            findings = [*more, *findings]
    if opts.json:
        print(json.dumps(_figures(report, findings, pages, seeds), ensure_ascii=False, indent=1))
    else:
        _show(console(most=WIDTH), report, findings, pages, seeds, opts)
    return 1 if report.errors else 0


def _fetch_seeds(explainer: Explainer, opened: Opened, settings: BaseSettings) -> tuple[list[Scored], list[Finding]]:
    """The seeds scored, and those that do not answer or lead nowhere."""
    topic = opened.strategy.topic
    lines = TopicLines(topic)
    keyword = quote(topic.keywords(1)[0])
    addresses = [url.replace("{keyword}", keyword) for url, _, _ in lines.seeds]
    with console(stderr=True).status(f"fetching {len(addresses)} seeds"):
        found = fetch_pages(addresses, settings)
    scored = [score_page(fetched, explainer, opened) for fetched in found]
    findings = []
    for seed, (url, file, number) in zip(scored, lines.seeds, strict=True):
        if seed.relevance is None:
            message = f"{url} does not answer: {seed.reason}"
            findings.append(Finding("warning", "seeds", message, "Correct or leave out the seed", file, number))
        elif not seed.leads_to:
            message = f"{url} leads nowhere: none of its links would be queued"
            findings.append(Finding("warning", "seeds", message, "Take a page nearer to the topic", file, number))
    return scored, findings


def _show(
    out: Console,
    report: Report,
    findings: Sequence[Finding],
    pages: Sequence[Scored],
    seeds: Sequence[Scored],
    opts: argparse.Namespace,
) -> None:
    numbers = [f"{(n := sum(f.severity == s for f in findings))} {s}{'' if n == 1 else 's'}" for s in _STYLES]
    topic = report.topic
    what = f"{topic.title} ({topic.name}), {len(topic.terms)} terms" if topic else f"{report.name} cannot be read"
    style = next((style for severity, style in _STYLES.items() if any(f.severity == severity for f in findings)), "green")
    out.print(Text(f"{what}: {', '.join(numbers)}", style=f"bold {style}"))
    if topic:
        out.print(topic.source, style="dim", markup=False)
    if topic and report.known:
        n = len(topic.terms)
        out.print("\n[bold]Terms known[/]: " + ", ".join(f"{name} {k} ({k / n:.0%})" for name, k in report.known.items()))
    if report.figures:
        _show_figures(out, report.figures)
    if findings:
        _show_findings(out, findings, opts.all)
    if report.errors and (opts.pages or opts.fetch):
        out.print("\nNo page is scored before the errors are gone.", style="red")
    if pages:
        show_scored(out, "Pages", pages)
    if seeds:
        show_scored(out, "Seeds", seeds)


def _show_figures(out: Console, figures: Figures) -> None:
    out.print(f"\n[bold]A term alone[/] in a text of M words scores w²/M; page_threshold is {figures.page_threshold:g}:")
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("term")
    for name in ("weight", *(f"{m} words" for m in LENGTHS)):
        table.add_column(name, justify="right")
    same = figures.weights["lightest"][1] == figures.weights["heaviest"][1]
    for name, (term, weight) in figures.weights.items():
        if same and name != "median":
            continue
        scores = [
            f"{x:.3g} [green]above[/]" if x > figures.page_threshold else f"{x:.3g} [red]below[/]"
            for x in figures.single[name].values()
        ]
        table.add_row("every term" if same else f"{name}: {escape(term)}", f"{weight:.3g}", *scores)
    out.print(table)
    top = ", ".join(f"{term} {share:.0%}" for term, share in figures.top[:4])
    out.print(f"Half of Σ w² lies with {figures.half} of the terms; heaviest: {top}", markup=False)
    one, zero = figures.anchor_needed[1], figures.anchor_needed[0]
    out.print(
        f"\n[bold]A link[/] has the priority α {figures.alpha:.3f}·Rel(parent) + β {figures.beta:.3f}·Rel(anchor) + "
        f"λ {figures.lam:.3f}·struct (consistency ratio {figures.consistency:.3f}). On a page just on topic, "
        f"link_threshold {figures.link_threshold:g} asks of its anchor a relevance above {one:.3g} (struct 1) or {zero:.3g} (0)"
    )


def _show_findings(out: Console, findings: Sequence[Finding], everything: bool) -> None:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for finding in findings:
        where = f"{finding.file}{f', line {finding.line}' if finding.line else ''}: " if finding.file else ""
        text = Text.assemble((where, "bold"), finding.message)
        shown = finding.words if everything else finding.words[:_MOST_WORDS]
        if shown:
            words = ", ".join(f"{word} ({line})" if line else word for word, line in shown)
            text.append(f"\n{words}{', …' if len(shown) < len(finding.words) else ''}", style="dim")
        if finding.remedy:
            text.append(f"\n→ {finding.remedy}", style="dim")
        grid.add_row(Text(finding.severity, style=_STYLES[finding.severity]), text)
    out.print("", grid)


def _figures(report: Report, findings: Sequence[Finding], pages: Sequence[Scored], seeds: Sequence[Scored]) -> dict[str, Any]:
    def plain(finding: Finding) -> dict[str, Any]:
        return {**dataclasses.asdict(finding), "words": [{"word": word, "line": line} for word, line in finding.words]}

    return {
        "topic": report.name,
        "terms": len(report.topic.terms) if report.topic else 0,
        "known": dict(report.known),
        "figures": dataclasses.asdict(report.figures) if report.figures else None,
        "findings": [plain(finding) for finding in findings],
        "pages": [dataclasses.asdict(s) for s in pages],
        "seeds": [dataclasses.asdict(s) for s in seeds],
    }
