"""``topical-crawler corpus sample`` and ``judge``: texts for a person to judge, and the report on what was judged."""

import argparse
import csv
import dataclasses
import json
import math
import sys
import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from topical_crawler.cli.base import Action, UsageError, add_corpus, add_json, add_number, whole
from topical_crawler.cli.terminal import console, table
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.crawl_folder import CrawlFolder
from topical_crawler.files import replacing
from topical_crawler.judging.draw import BY, draw_sample
from topical_crawler.judging.report import Estimate, GroupFigures, SampleReport, agreements, krippendorff, report
from topical_crawler.judging.sample import (
    MARKS,
    Sample,
    SampleFile,
    Taken,
    asked,
    marks_by_text,
    merged,
    read_sample,
    take_over,
    together,
    write_sample,
)
from topical_crawler.judging.server import JudgingServer
from topical_crawler.project import AnySettings
from topical_crawler.services.asking import Teacher, folder_of, questions
from topical_crawler.services.catalogue import Voice
from topical_crawler.services.places import find_corpus, topic_of
from topical_crawler.text import counted
from topical_crawler.topic.files import TopicError

_SQLITE = b"SQLite format 3"


def _sample_arguments(parser: argparse.ArgumentParser) -> None:
    add_corpus(parser)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="JSON lines; must not be there yet")
    add_number(parser, "-n", "--number", type=whole(1, 100_000), default=200, help="texts")
    parser.add_argument("--by", choices=BY, default=BY[0], help="what the strata are (default: %(default)s)")
    parser.add_argument("--equal", action="store_true", help="as many texts from every stratum")
    add_number(parser, "--seed", type=whole(0), default=0, metavar="S", help="another seed, another sample")
    parser.add_argument(
        "--also-rejected",
        action="append",
        default=[],
        metavar="REASON",
        help="also N pages that were rejected for this reason (by title and address), to see what was missed; may be repeated",
    )
    parser.add_argument("--topic", help="whose terms are shown in the texts (default: the one named as the corpus' folder)")


def _sample(opts: argparse.Namespace, settings: AnySettings) -> int:
    if opts.output.exists():
        raise UsageError(f"{opts.output} is there already, and may hold marks. Remedy: name another file")
    place = find_corpus(opts.corpus, settings)
    topic = None if opts.topic is None and "://" in place else topic_of(opts.topic, crawl_of(Path(place).parent))
    if topic is None:
        print("No topic is known of this corpus: the texts are shown without its terms. Remedy: --topic TOPIC", file=sys.stderr)
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


def _judge_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names", nargs="*", metavar="CORPUS|FILE", help="a corpus, or a sample; several samples for --report, --marks, --to-topic"
    )
    add_number(parser, "-n", "--number", type=whole(1, 1000), default=20, help="texts of a corpus to ask about")
    parser.add_argument("--topic", help="whose terms are shown in the texts of a corpus (default: that of its crawl)")
    parser.add_argument("--report", action="store_true", help="the report only, without the page")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--marks", action="store_true", help="only the marks so far, as TSV: key, url, mark")
    only.add_argument("--to-topic", type=Path, metavar="FOLDER", help="only take the marks so far over into FOLDER/marked.jsonl")
    add_json(parser, "the report as JSON")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the rows of the report's tables to FILE, too")
    parser.add_argument("--port", type=whole(0, 65535), default=0, metavar="N", help="of the page (default: any that is free)")
    parser.add_argument("--no-browser", action="store_true", help="do not open the page, only print its address")


def _judge(opts: argparse.Namespace, settings: AnySettings) -> int:
    names = opts.names or [None]
    if opts.report or opts.marks or opts.to_topic:
        samples = [_read(name, settings) for name in names]
    elif len(names) > 1:
        raise UsageError("one file is judged at a time. Remedy: name one, or add --report")
    elif _is_sample(names[0]):
        samples = [serve(Path(names[0]), settings, opts.port, not opts.no_browser)]
    else:
        samples = [ask(names[0], opts.number, settings, opts.topic, opts.port, not opts.no_browser)]
    if opts.to_topic:
        try:
            print(said(take_over(samples, opts.to_topic)))
        except TopicError as error:
            raise UsageError(str(error)) from None
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


def _is_sample(name: str | None) -> bool:
    if name is None or "://" in name:
        return False
    path = Path(name)
    if not path.is_file():
        return path.suffix == ".jsonl"
    with path.open("rb") as file:
        return not file.read(len(_SQLITE)).startswith(_SQLITE)


def _read(name: str | None, settings: AnySettings) -> Sample:
    """A sample, or all that was asked about a corpus."""
    if name is not None and _is_sample(name):
        return read_sample(Path(name))
    place = find_corpus(name, settings)
    if not (files := asked(folder_of(place, name, settings))):
        remedy = f"topical-crawler corpus judge {name or ''}"
        raise UsageError(f"nothing was asked about {place} yet. Remedy: {remedy}")
    return together([read_sample(file) for file in files])


def ask(
    name: str | None, number: int, settings: AnySettings, topic: str | None = None, port: int = 0, browser: bool = True
) -> Sample:
    """Serve the page with questions about a corpus until Ctrl-C; the questions with their marks."""
    place = find_corpus(name, settings)
    folder = folder_of(place, name, settings)
    path = questions(place, folder, number, topic_of(topic, crawl_of(folder)))
    print(f"{path}: {counted(len(read_sample(path).items), 'text')} to ask about", file=sys.stderr)
    return serve(path, settings, port, browser)


def serve(path: Path, settings: AnySettings, port: int = 0, browser: bool = True) -> Sample:
    """Serve the page until Ctrl-C; the sample with its marks. The crawl that it is to teach learns each at once."""
    with SampleFile(path) as file:
        teacher = Teacher(file, settings) if file.sample.teaches else None
        with JudgingServer(file, Voice("zh").named, port, teacher.tell if teacher else lambda: None) as server:
            try:
                print(f"{server.url}\nCtrl-C ends it with the report.", file=sys.stderr, flush=True)
                if browser:
                    webbrowser.open(server.url)  # which may return only when the browser has ended
                server.serve_forever()
            except KeyboardInterrupt:
                print(file=sys.stderr)
        if teacher and (message := teacher.close()):
            print(message, file=sys.stderr)
        return file.now()


def crawl_of(folder: Path) -> Mapping[str, Any]:
    """What a crawl noted in its folder; where it noted nothing, the folder is taken to be named after the topic."""
    return CrawlFolder(folder).read_claim() or {"topic": folder.absolute().name}


def _print_marks(sample: Sample) -> None:
    out = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n")
    out.writerow(["key", "url", "mark"])
    out.writerows([item.key, item.url, item.mark] for item in sample.items if item.mark is not None)


def said(taken: Taken) -> str:
    """What was taken over into a topic, for people."""
    held = ", ".join(f"{taken.marks.get(mark, 0):,} {mark}" for mark in MARKS)
    text = f"{taken.file}: {taken.added:,} added, {taken.changed:,} changed, {taken.same:,} as before; it now holds {held}"
    if taken.ties:
        text += f"\n{taken.ties:,} left out on which as many say one thing as another"
    if taken.blank:
        text += f"\n{taken.blank:,} left out with neither title nor text"
    return text


ACTIONS = {
    "sample": Action(
        "Draw a random sample of the kept pages and write it to FILE, which corpus judge takes. It is drawn from strata, by "
        "default the hosts, in proportion to their pages but at least two from each; a corpus of many hosts has its smallest "
        "ones in one stratum. Within a stratum the sample has the mixture of relevance (or, for strata of relevance, of hosts) "
        "that the stratum has. The same corpus and seed give the same sample.",
        _sample_arguments,
        _sample,
    ),
    "judge": Action(
        "Ask a person about texts, in a page of the browser on this machine: each is marked as relevant, not relevant or "
        "boilerplate with one key. Of a CORPUS those texts are shown that teach its crawl most: half of them the most uncertain, "
        "half the best, none a second time; the crawl learns from each mark at once, also while it runs. Of a FILE, which scrapy "
        "corpus sample has written, all. Every mark is on the disk at once; Ctrl-C ends the program with the report, and the "
        "same command goes on later. Of several copies of one sample, judged by several people, --report gives their agreement; "
        "a text then has the mark that most gave it, and of as many that of the file named first. --to-topic takes the marks so "
        "far over into a topic folder, as examples of what is on the topic and what is not; there a text on which as many say "
        "one thing as another is left out.",
        _judge_arguments,
        _judge,
    ),
}


# -- The report on judged texts, for the terminal, for programs and for spreadsheets


def show(results: SampleReport, out: Console) -> None:
    """Print a report as tables."""
    of = f" ({escape(results.topic)})" if results.topic else ""
    out.print(f"[bold]{escape(results.corpus)}[/bold]{of}", soft_wrap=True)
    marks = ", ".join(f"{results.marks[mark]:,} {mark}" for mark in MARKS if mark in results.marks)
    out.print(f"{results.judged:,} of {counted(results.drawn, 'text')} judged" + (f": {marks}" if marks else ""))
    if results.teaches:
        out.print("Chosen to teach, they are no random sample: nothing is estimated. Remedy: topical-crawler corpus sample")
    if results.whole is not None:
        out.print(_table("site", results.sites, results), _table("relevance", results.bands))
        if results.covered < 0.9995:
            out.print(
                f"Nothing is said of {1 - results.covered:.1%} of the kept pages: of their strata no text is judged yet.",
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
    """Print what every one found, and how far they agree."""
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
    """All that is shown, for JSON: None for what is not defined."""
    shown: dict[str, Any] = results.as_dict()
    if len(samples) > 1:
        shown["files"] = [{"file": name, **report(sample).as_dict()} for name, sample in zip(names, samples, strict=True)]
        shown["agreement"] = [
            dataclasses.asdict(pair) | {"first": names[pair.first], "second": names[pair.second]} for pair in agreements(samples)
        ]
        shown["krippendorff"] = krippendorff(marks_by_text(samples))
    return dict(_defined(shown))


def write_csv(results: SampleReport, path: Path) -> None:
    """The rows of all tables, shares from 0 to 1."""
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
