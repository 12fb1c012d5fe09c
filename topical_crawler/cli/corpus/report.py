"""``topical-crawler corpus sample`` and ``report``: draw texts for people to judge, and report on the marks."""

import argparse
import csv
import dataclasses
import json
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from topical_crawler.cli.base import Action, add_corpus, add_json, add_number, whole
from topical_crawler.cli.terminal import console, table
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.crawl_folder import claim_of
from topical_crawler.files import replacing
from topical_crawler.judging.draw import BY, draw_sample
from topical_crawler.judging.report import Estimate, GroupFigures, SampleReport, agreements, krippendorff, report
from topical_crawler.judging.sample import (
    MARKS,
    Sample,
    Taken,
    asked,
    is_sample,
    marks_by_text,
    merged,
    read_sample,
    take_over,
    together,
    write_sample,
)
from topical_crawler.project import AnySettings
from topical_crawler.services import MistakeError
from topical_crawler.services.places import find_corpus, place_of, topic_of
from topical_crawler.text import counted


def _sample_arguments(parser: argparse.ArgumentParser) -> None:
    add_corpus(parser)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="new JSON lines file")
    add_number(parser, "-n", "--number", type=whole(1, 100_000), default=200, help="texts")
    parser.add_argument("--by", choices=BY, default=BY[0], help="strata of the sample (default: %(default)s)")
    parser.add_argument("--equal", action="store_true", help="as many texts from every stratum")
    add_number(parser, "--seed", type=whole(0), default=0, metavar="S", help="seed of the random sample")
    parser.add_argument(
        "--also-rejected",
        action="append",
        default=[],
        metavar="REASON",
        help="also N pages rejected for this reason (by title and address), to estimate misses; may be repeated",
    )
    parser.add_argument("--topic", help="topic of the terms shown in the texts (default: by the name of the corpus' folder)")


def _sample(opts: argparse.Namespace, settings: AnySettings) -> int:
    if opts.output.exists():
        raise MistakeError(f"{opts.output} exists already, and may hold marks. Name another file")
    place = find_corpus(opts.corpus, settings)
    named = {} if "://" in place else {"topic": Path(place).absolute().parent.name}
    topic = topic_of(opts.topic, named | claim_of(place))
    if topic is None:
        print("The topic of this corpus is unknown, so its terms are not shown in the texts. Add --topic TOPIC", file=sys.stderr)
    with CorpusStore(place, read_only=True) as store:
        sample = draw_sample(
            store,
            opts.number,
            by=opts.by,
            seed=opts.seed,
            equal=opts.equal,
            rejected=opts.also_rejected,
            topic=topic.title if topic else "",
            terms=tuple(topic.keywords(len(topic.terms))) if topic else (),
        )
    write_sample(sample, opts.output)
    strata = sample.header.strata
    pages = sum(stratum.population for stratum in strata)
    print(
        f"{len(sample.items):,} of {pages:,} pages in {len(strata):,} strata written to {opts.output}\n"
        f"judge them with: topical-crawler corpus judge {opts.output}",
        file=sys.stderr,
    )
    return 0


def _report_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="CORPUS|FILE", help="a corpus, or samples (default: the only corpus)")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--marks", action="store_true", help="print only the marks, as TSV: key, url, mark")
    only.add_argument("--to-topic", type=Path, metavar="FOLDER", help="only copy the marks into FOLDER/marked.jsonl")
    add_json(parser, "the report as JSON")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write the rows of the report's tables to FILE")


def _report(opts: argparse.Namespace, settings: AnySettings) -> int:
    names = opts.names or [None]
    samples = [_read(name, settings) for name in names]
    if opts.to_topic:
        print(summary_of(take_over(samples, opts.to_topic)))
        return 0
    whole = merged(samples)
    if opts.marks:
        _print_marks(whole)
        return 0
    names = [name or whole.header.corpus for name in names]
    results = report(whole)
    if opts.csv is not None:
        write_csv(results, opts.csv)
    if opts.json:
        print(json.dumps(figures(results, samples, names), ensure_ascii=False, indent=1))
        return 0
    out = console()
    show(results, out)
    if len(samples) > 1:
        show_agreement(samples, names, out)
    return 0


def _read(name: str | None, settings: AnySettings) -> Sample:
    """Return a sample, or all questions asked about a corpus."""
    if name is not None and is_sample(name):
        return read_sample(Path(name))
    place = find_corpus(name, settings)
    if not (files := asked(place_of(name or place, place, settings).folder.path)):
        raise MistakeError(f"no text of {place} is judged yet. Run topical-crawler corpus judge {name or ''}".rstrip())
    return together([read_sample(file) for file in files])


def _print_marks(sample: Sample) -> None:
    out = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n")
    out.writerow(["key", "url", "mark"])
    out.writerows([item.key, item.url, item.mark] for item in sample.items if item.mark is not None)


def summary_of(taken: Taken) -> str:
    """Return a summary of the marks copied into a topic."""
    held = ", ".join(f"{taken.marks.get(mark, 0):,} {mark}" for mark in MARKS)
    text = f"{taken.file}: {taken.added:,} added, {taken.changed:,} changed, {taken.same:,} as before; it now holds {held}"
    if taken.ties:
        text += f"\n{taken.ties:,} left out because of a tie between their marks"
    if taken.blank:
        text += f"\n{taken.blank:,} left out without title and text"
    return text


ACTIONS = {
    "sample": Action(
        "Draw a random sample of the kept pages and write it to FILE for corpus judge. It is drawn from strata, by default the "
        "hosts, in proportion to their pages but at least two from each. The smallest of many hosts share one stratum. Within a "
        "stratum the sample has the stratum's mixture of relevance (or, for strata of relevance, of hosts). The same corpus and "
        "seed give the same sample.",
        _sample_arguments,
        _sample,
    ),
    "report": Action(
        "Report on people's marks: for a FILE written by corpus sample the precision, also by site, with 95 % intervals; for a "
        "CORPUS the number of texts its crawl learns from. For several copies of one sample, judged by several people, the "
        "report includes their agreement. A text then has the mark given most often, or of a tie that of the file named first. "
        "--to-topic copies the marks into a topic folder, as examples on and off the topic, without texts with a tie.",
        _report_arguments,
        _report,
    ),
}


# -- Report on judged texts, for the terminal, for programs and for spreadsheets


def show(results: SampleReport, out: Console) -> None:
    """Print a report as tables."""
    of = f" ({escape(results.topic)})" if results.topic else ""
    out.print(f"[bold]{escape(results.corpus)}[/bold]{of}", soft_wrap=True)
    marks = ", ".join(f"{results.marks[mark]:,} {mark}" for mark in MARKS if mark in results.marks)
    out.print(f"{results.judged:,} of {counted(results.drawn, 'text')} judged" + (f": {marks}" if marks else ""))
    if results.teaches:
        out.print("Chosen to teach, they are no random sample, so nothing is estimated. Run topical-crawler corpus sample")
    if results.whole is not None:
        out.print(_table("site", results.sites, results), _table("relevance", results.bands))
        if results.covered < 0.9995:
            out.print(
                f"Nothing is known about {1 - results.covered:.1%} of the kept pages: no text of their strata is judged yet.",
                highlight=False,
            )
    for row in results.rejected:
        pages, low, high = row.relevant_pages
        out.print(
            f"Of {row.pages:,.0f} pages rejected as {escape(row.name)}, {row.relevant:,} of {row.judged:,} judged are relevant "
            f"({_percent(row.precision)}): about {pages:,.0f} were missed ({low:,.0f} to {high:,.0f}).",
            highlight=False,
        )


def show_agreement(samples: Sequence[Sample], names: Sequence[str], out: Console) -> None:
    """Print the result of each judge, and their agreement."""
    rows: list[tuple[str, ...]] = []
    for name, sample in zip(names, samples, strict=True):
        alone = report(sample)
        rows.append((name, f"{alone.judged:,}", *(_cells(alone.whole.precision) if alone.whole else ("–", "–"))))
    out.print(table(("judged by", "judged", "precision %", "95 %"), rows, title="Each by itself"))
    rows = []
    for pair in agreements(samples):
        kappas = _number(pair.kappa), _number(pair.kappa_relevant)
        rows.append((f"{names[pair.first]}, {names[pair.second]}", f"{pair.texts:,}", _number(100 * pair.same, 1), *kappas))
    out.print(table(("of two", "both judged", "same mark %", "κ", "κ of relevant or not"), rows, title="Agreement"))
    out.print(f"Krippendorff's α of all: {_number(krippendorff(marks_by_text(samples)))}")


def figures(results: SampleReport, samples: Sequence[Sample], names: Sequence[str]) -> dict[str, Any]:
    """Return the report as JSON data, with None for undefined figures."""
    shown: dict[str, Any] = results.as_dict()
    if len(samples) > 1:
        shown["files"] = [{"file": name, **report(sample).as_dict()} for name, sample in zip(names, samples, strict=True)]
        shown["agreement"] = [
            dataclasses.asdict(pair) | {"first": names[pair.first], "second": names[pair.second]} for pair in agreements(samples)
        ]
        shown["krippendorff"] = krippendorff(marks_by_text(samples))
    return dict(_defined(shown))


def write_csv(results: SampleReport, path: Path) -> None:
    """Write the rows of all tables as CSV, with shares from 0 to 1."""
    with replacing(path, "utf-8-sig") as out:
        writer = csv.writer(out, lineterminator="\r\n")
        writer.writerow(
            ["of", "name", "pages", "judged", "relevant", "boilerplate"]
            + [f"{share}{end}" for share in ("precision", "share_of_boilerplate") for end in ("", "_low", "_high")]
        )
        for kind, row in _rows(results):
            counts = [kind, row.name, f"{row.pages:.1f}", row.judged, row.relevant, row.boilerplate]
            shares = [f"{x:.6f}" for e in (row.precision, row.share_of_boilerplate) for x in (e.share, e.low, e.high)]
            writer.writerow([*counts, *shares])


def _rows(results: SampleReport) -> Iterator[tuple[str, GroupFigures]]:
    if results.whole is not None:
        yield "all", results.whole
    for kind, rows in (("site", results.sites), ("relevance", results.bands), ("rejected", results.rejected)):
        for row in rows:
            yield kind, row


def _table(head: str, rows: Sequence[GroupFigures], results: SampleReport | None = None) -> Table:
    shown = table((head, ">pages", ">judged", ">relevant", ">precision\n%", ">95 %", ">boiler-\nplate %"), map(_row, rows))
    if results is not None and results.whole is not None:
        shown.add_section()
        shown.add_row(*_row(dataclasses.replace(results.whole, name="all pages")), style="bold")
        shown.add_row("mean of the sites", "", "", "", _number(100 * results.mean_of_sites, 2), "", "")
    return shown


def _row(row: GroupFigures) -> tuple[str, ...]:
    counts = (f"{row.pages:,.0f}", f"{row.judged:,}", f"{row.relevant:,}")
    return (row.name, *counts, *_cells(row.precision), f"{100 * row.share_of_boilerplate.share:.1f}")


def _cells(share: Estimate) -> tuple[str, str]:
    return f"{100 * share.share:.2f}", f"{100 * share.low:.1f}–{100 * share.high:.1f}"


def _percent(estimate: Estimate) -> str:
    share, interval = _cells(estimate)
    return f"{share} %, {interval} %"


def _number(value: float, digits: int = 3) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def _defined(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _defined(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_defined(inner) for inner in value]
    return None if isinstance(value, float) and math.isnan(value) else value
