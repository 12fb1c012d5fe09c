"""``topical-crawler topic check``: check the files and seeds of a topic."""

import argparse
import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rich.console import Console
from rich.table import Table
from rich.text import Text

from topical_crawler.authoring.check import Finding, TopicLines, TopicReport, check_topic
from topical_crawler.cli.base import add_json
from topical_crawler.cli.terminal import WIDTH, console, making_progress
from topical_crawler.cli.topic.fetch_pages import Fetched, fetch_pages
from topical_crawler.cli.topic.judging import Judge, Judged, show_table
from topical_crawler.cli.topic.nearness import show_nearness, texts_of
from topical_crawler.config import cache_dir, resources, segmenter, strategy_name
from topical_crawler.project import AnySettings
from topical_crawler.resources.registry import Resources
from topical_crawler.services.nearness import by_nearness
from topical_crawler.services.reasons import make_strategy
from topical_crawler.text import counted
from topical_crawler.topic.topic import Topic

DESCRIPTION = (
    "Check a topic for terms lost in segmentation, words of the general language, dominant weights, bad seeds, duplicates. Every "
    "finding names file, line and fix. Exit code 1 if there is an error: no crawl can start with it."
)
_MOST_WORDS = 8
_STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", help="name or path")
    parser.add_argument(
        "texts", nargs="*", type=Path, metavar="SOURCE",
        help="show the texts nearest in meaning and the farthest: .txt, folders, JSONL, a corpus",
    )  # fmt: skip
    parser.add_argument("--fetch", action="store_true", help="also fetch the seeds: do they answer, and do they lead on?")
    parser.add_argument("--all", action="store_true", help="show every word of a finding, with its line")
    add_json(parser, "print findings as JSON")


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    with console(stderr=True).status(f"looking at the words of {opts.topic}"):  # takes seconds
        report = check_topic(opts.topic, cache_dir(settings), segmenter(settings))
    findings = list(report.findings)
    seeds: list[tuple[Fetched, Judged | None]] = []
    if report.topic is not None and not report.errors and opts.fetch:
        seeds, more = _fetch_seeds(report.topic, settings)
        findings = [*more, *findings]
    texts = texts_of(opts.texts) + [(fetched.page.title, fetched.text) for fetched, _ in seeds if fetched.page is not None]
    near = by_nearness(report.topic, texts, settings) if report.topic is not None else []
    if opts.json:
        of_texts = {"near": [{"cosine": cosine, "title": title} for cosine, title in near]}
        print(json.dumps(_figures(report, findings, seeds) | of_texts, ensure_ascii=False, indent=1))
    else:
        _show(console(most=WIDTH), report, findings, seeds, near, opts)
    return 1 if report.errors else 0


def _fetch_seeds(topic: Topic, settings: AnySettings) -> tuple[list[tuple[Fetched, Judged | None]], list[Finding]]:
    """Fetch and judge the seeds as a crawl would. Return them with findings on unreachable and useless ones."""
    lines = TopicLines(topic)
    keyword = quote(topic.keywords(1)[0])
    addresses = [url.replace("{keyword}", keyword) for url, _, _ in lines.seeds]
    name, language = strategy_name(settings) or topic.default_strategy, resources(settings) or Resources.none()
    with making_progress() as progress:
        judge = Judge(topic, settings, make_strategy(topic, name, language, settings, progress=progress))
    with console(stderr=True).status(f"fetching {len(addresses)} seeds"):
        seeds = [(fetched, judge("URL", fetched)) for fetched in fetch_pages(addresses, settings)]
    findings = []
    for (fetched, judged), (url, file, number) in zip(seeds, lines.seeds, strict=True):
        if judged is None:
            message = f"{url} does not answer: {fetched.reason}"
            findings.append(Finding("warning", "seeds", message, "Correct or leave out the seed", file, number))
        elif not judged.queued:
            message = f"{url} leads nowhere: none of its links would be queued"
            findings.append(Finding("warning", "seeds", message, "Take a page nearer to the topic", file, number))
    return seeds, findings


def _show(
    out: Console,
    report: TopicReport,
    findings: Sequence[Finding],
    seeds: Sequence[tuple[Fetched, Judged | None]],
    near: Sequence[tuple[float, str]],
    opts: argparse.Namespace,
) -> None:
    numbers = [counted(sum(f.severity == s for f in findings), s) for s in _STYLES]
    topic = report.topic
    what = f"{topic.title} ({topic.name}), {counted(len(topic.terms), 'term')}" if topic else f"{report.name} cannot be read"
    style = next((style for severity, style in _STYLES.items() if any(f.severity == severity for f in findings)), "green")
    out.print(Text(f"{what}: {', '.join(numbers)}", style=f"bold {style}"))
    if topic:
        out.print(topic.source, style="dim", markup=False)
    if findings:
        _show_findings(out, findings, opts.all)
    if report.errors and opts.fetch:
        out.print("\nFix the errors first, no seed is fetched before.", style="red")
    if seeds:
        show_table(out, "Seeds", seeds)
    if topic:
        show_nearness(out, topic, near)


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


def _figures(report: TopicReport, findings: Sequence[Finding], seeds: Sequence[tuple[Fetched, Judged | None]]) -> dict[str, Any]:
    return {
        "topic": report.name,
        "terms": len(report.topic.terms) if report.topic else 0,
        "findings": [
            dataclasses.asdict(f) | {"words": [{"word": word, "line": line} for word, line in f.words]} for f in findings
        ],
        "seeds": [
            {"source": fetched.url, "reason": fetched.reason, "leads_to": judged.queued if judged else 0}
            for fetched, judged in seeds
        ],
    }
