"""``topical-crawler topic check``: the health of a topic's files, and a handful of pages scored by it."""

import argparse
import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from rich.console import Console
from rich.table import Table
from rich.text import Text

from topical_crawler.authoring.check import LENGTHS, Figures, Finding, TopicLines, TopicReport, check_topic
from topical_crawler.cli.base import add_json
from topical_crawler.cli.strategy import QUEUED, as_crawled, judge_page, make_strategy, refusal, word_shares
from topical_crawler.cli.terminal import WIDTH, console, table
from topical_crawler.cli.topic.fetch_pages import Fetched, fetch_pages, kind_of, read_file
from topical_crawler.config import cache_dir, crawl_options, resources, segmenter
from topical_crawler.project import AnySettings
from topical_crawler.resources.registry import Resources
from topical_crawler.text import counted
from topical_crawler.topic.topic import Topic


@dataclass(frozen=True)
class Scored:
    """A page or a text under the topic, judged as a crawl does it that has fetched those before it.

    Attributes:
        source: as it was named.
        title: of the page; the first words of a text.
        relevance: of the page to the topic; None where there is no page, and of a plain text.
        on_topic: whether it is above the page threshold.
        text_relevance: of the main text; None where there is none.
        text_kept: whether that is above the text threshold.
        kept: whether the corpus would hold it.
        carried: the words that carry the relevance, with their shares.
        reason: why it would not, in the words of a crawl's report; of a page that did not come, why.
        leads_to: links that would be queued.
    """

    source: str
    title: str = ""
    relevance: float | None = None
    on_topic: bool = False
    text_relevance: float | None = None
    text_kept: bool = False
    kept: bool = False
    carried: str = ""
    reason: str = ""
    leads_to: int = 0


class PageJudge:
    """Judges pages by the strategy that a crawl of the topic would take, with its settings.

    Raises:
        CrawlError, ValueError: a setting, a parameter of the topic or a resource cannot be used.
    """

    def __init__(self, topic: Topic, settings: AnySettings) -> None:
        self.topic = topic
        self._options = crawl_options(settings, topic, {})
        name = self._options.strategy or topic.default_strategy
        self._strategy = make_strategy(topic, name, resources(settings) or Resources.none(), settings)

    def page(self, fetched: Fetched) -> Scored:
        """Judge what was fetched."""
        if fetched.page is None:
            return Scored(fetched.url, reason=fetched.reason)
        page = as_crawled(fetched.page, self._strategy)
        judged = judge_page(
            self._strategy, fetched.url, "URL", page, fetched.text, fetched.reason, (), refusal(self._options, page)
        )
        relevance, text_kept = judged.text or (None, False)
        queued = sum(link.decision == QUEUED for link in judged.links)
        return Scored(
            fetched.url, page.title, judged.verdict.relevance, judged.verdict.keep, relevance, text_kept, not judged.rejected,
            word_shares(judged.verdict, 3), judged.rejected, queued,
        )  # fmt: skip

    def text(self, path: str) -> Scored:
        """Judge a file of plain text, as a main text."""
        text = read_file(path)[0]
        judged = judge_page(self._strategy, path, "text file", None, text, "", (), lambda url: None)
        relevance, kept = judged.text or (None, False)
        title = " ".join(text.split())[:40]
        return Scored(path, title, None, judged.verdict.keep, relevance, kept, kept, word_shares(judged.verdict, 3))


def show_scored(out: Console, title: str, scored: Sequence[Scored]) -> None:
    """Print a table of them."""
    rows: list[tuple[Text | str, ...]] = []
    for s in scored:
        name = Text.assemble(s.source, *(("\n", (s.title, "dim")) if s.title else ()))
        if s.relevance is None and s.text_relevance is None:
            rows.append((name, "", Text("no page", style="red"), "", "", s.reason))
            continue
        of_text = f"{s.text_relevance:.3g} {'kept' if s.text_kept else 'rejected'}" if s.text_relevance is not None else s.reason
        decision = Text("on topic", style="green") if s.on_topic else Text("off topic", style="red")
        relevance, links = ("", "") if s.relevance is None else (f"{s.relevance:.3g}", str(s.leads_to))
        rows.append((name, relevance, decision, of_text, links, s.carried))
    shown = table(("page", ">relevance", "decision", "main text", ">links", "carried by"), rows, title=title, plain=True)
    shown.expand = out.is_terminal
    for column in shown.columns[2:4]:
        column.no_wrap = True
    shown.columns[0].ratio, shown.columns[-1].ratio = 3, 2
    out.print("", shown)


DESCRIPTION = (
    "Look over a topic: which terms the language resources know, which do not come out of the segmentation, which weights "
    "dominate, what the thresholds come to, seeds, duplicates. Every finding names file, line and remedy. PAGEs are judged as a "
    "crawl with these settings judges them: relevance, decision, the words that carry it. Exit code 1 if there is an error: "
    "something with which no crawl can start."
)
_MOST_WORDS = 8
_STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", help="name or path")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="URLs, HTML files or text files to be scored")
    parser.add_argument("--fetch", action="store_true", help="fetch the seeds, too: do they answer, and do they lead on?")
    parser.add_argument("--all", action="store_true", help="every word of a finding, with its line")
    add_json(parser, "print findings and figures as JSON")


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    kinds = {name: kind_of(name) for name in opts.pages}
    for name, kind in kinds.items():
        if kind == "text":
            raise FileNotFoundError(f"{name}: no URL and no file. A text: topical-crawler topic explain {opts.topic} TEXT")
    language = resources(settings) or Resources.none()
    with console(stderr=True).status(f"looking at the words of {opts.topic}"):  # takes seconds
        report = check_topic(opts.topic, language, cache_dir(settings), segmenter(settings))
    findings = list(report.findings)
    pages: list[Scored] = []
    seeds: list[Scored] = []
    if report.topic is not None and not report.errors and (opts.pages or opts.fetch):
        judge = PageJudge(report.topic, settings)
        addresses = [name for name, kind in kinds.items() if kind != "text file"]
        with console(stderr=True).status(f"fetching {len(addresses)} pages"):
            fetched = iter(fetch_pages(addresses, settings))
        for name, kind in kinds.items():
            pages.append(judge.text(name) if kind == "text file" else judge.page(next(fetched)))
        if opts.fetch:
            seeds, more = _fetch_seeds(judge, settings)
            findings = [*more, *findings]
    if opts.json:
        print(json.dumps(_figures(report, findings, pages, seeds), ensure_ascii=False, indent=1))
    else:
        _show(console(most=WIDTH), report, findings, pages, seeds, opts)
    return 1 if report.errors else 0


def _fetch_seeds(judge: PageJudge, settings: AnySettings) -> tuple[list[Scored], list[Finding]]:
    """The seeds scored, and those that do not answer or lead nowhere."""
    topic = judge.topic
    lines = TopicLines(topic)
    keyword = quote(topic.keywords(1)[0])
    addresses = [url.replace("{keyword}", keyword) for url, _, _ in lines.seeds]
    with console(stderr=True).status(f"fetching {len(addresses)} seeds"):
        fetched_seeds = fetch_pages(addresses, settings)
    scored = [judge.page(fetched) for fetched in fetched_seeds]
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
    report: TopicReport,
    findings: Sequence[Finding],
    pages: Sequence[Scored],
    seeds: Sequence[Scored],
    opts: argparse.Namespace,
) -> None:
    numbers = [counted(sum(f.severity == s for f in findings), s) for s in _STYLES]
    topic = report.topic
    what = f"{topic.title} ({topic.name}), {counted(len(topic.terms), 'term')}" if topic else f"{report.name} cannot be read"
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
    rows: list[list[str | Text]] = []
    words = (("below", "red"), ("above", "green"))
    same = figures.weights["lightest"][1] == figures.weights["heaviest"][1]
    for name, (term, weight) in figures.weights.items():
        if not same or name == "median":
            scores = [Text.assemble(f"{x:.3g} ", words[x > figures.page_threshold]) for x in figures.single[name].values()]
            rows.append(["every term" if same else f"{name}: {term}", f"{weight:.3g}", *scores])
    out.print(table(("term", ">weight", *(f">{m} words" for m in LENGTHS)), rows, plain=True))
    top = ", ".join(f"{term} {share:.0%}" for term, share in figures.top[:4])
    out.print(f"Half of Σ w² lies with {figures.half} of the terms; heaviest: {top}", markup=False)
    out.print(
        f"\n[bold]A link[/] has the priority α {figures.alpha:.3f}·Rel(parent) + β {figures.beta:.3f}·Rel(anchor) + "
        f"λ {figures.lam:.3f}·struct (consistency ratio {figures.consistency:.3f})"
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


def _figures(
    report: TopicReport, findings: Sequence[Finding], pages: Sequence[Scored], seeds: Sequence[Scored]
) -> dict[str, Any]:
    return {
        "topic": report.name,
        "terms": len(report.topic.terms) if report.topic else 0,
        "known": dict(report.known),
        "figures": dataclasses.asdict(report.figures) if report.figures else None,
        "findings": [
            dataclasses.asdict(f) | {"words": [{"word": word, "line": line} for word, line in f.words]} for f in findings
        ],
        "pages": [dataclasses.asdict(s) for s in pages],
        "seeds": [dataclasses.asdict(s) for s in seeds],
    }
