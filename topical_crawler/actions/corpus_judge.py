"""``scrapy corpus judge``: a person marks the texts of a sample, and what the marks say."""

from __future__ import annotations

import argparse
import csv
import json
import sys
import webbrowser
from pathlib import Path

from rich.console import Console
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from topical_crawler.actions.argument_types import whole
from topical_crawler.actions.judging_display import figures, show, show_agreement, write_csv
from topical_crawler.judging.for_topic import Taken, take_over
from topical_crawler.judging.report import report
from topical_crawler.judging.sample import MARKS, Sample, merged, read_sample
from topical_crawler.judging.sample_file import SampleFile
from topical_crawler.judging.server import JudgingServer
from topical_crawler.topic_files import TopicError

HELP = "mark drawn texts in the browser; precision per site"
DESCRIPTION = (
    "Show the texts of FILE, which scrapy corpus sample has written, in a page of the browser on this machine: a person marks "
    "each as relevant, not relevant or boilerplate with one key. Every mark is on the disk at once; Ctrl-C ends the program "
    "with the report, and the same command goes on later. Of several copies of one sample, judged by several "
    "people, --report gives their agreement; a text then has the mark that most gave it, and of as many that of the file "
    "named first. --to-topic takes the marks so far over into a topic folder, as examples of what is on the topic and what is "
    "not; there a text on which as many say one thing as another is left out."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a sample; several for --report, --marks, --to-topic")
    parser.add_argument("--report", action="store_true", help="the report only, without the page")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--marks", action="store_true", help="only the marks so far, as TSV: key, url, mark")
    only.add_argument("--to-topic", type=Path, metavar="FOLDER", help="only take the marks so far over into FOLDER/marked.jsonl")
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the rows of the report's tables to FILE, too")
    parser.add_argument("--port", type=whole(0, 65535), default=0, metavar="N", help="of the page (default: any that is free)")
    parser.add_argument("--no-browser", action="store_true", help="do not open the page, only print its address")


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    if opts.report or opts.marks or opts.to_topic:
        samples = [read_sample(path) for path in opts.files]
    elif len(opts.files) > 1:
        raise UsageError("one file is judged at a time. Remedy: name one, or add --report", print_help=False)
    else:
        samples = [_judge(opts.files[0], opts.port, not opts.no_browser)]
    if opts.to_topic:
        try:
            print(_said(take_over(samples, opts.to_topic)))
        except TopicError as error:
            raise UsageError(str(error), print_help=False) from None
        return 0
    together = merged(samples)
    if opts.marks:
        _print_marks(together)
        return 0
    names = [str(path) for path in opts.files]
    found = report(together)
    if opts.csv is not None:
        write_csv(found, opts.csv)
    if opts.json:
        print(json.dumps(figures(found, samples, names), ensure_ascii=False, indent=1))
        return 0
    console = Console()
    show(found, console)
    if len(samples) > 1:
        show_agreement(samples, names, console)
    return 0


def _judge(path: Path, port: int, browser: bool) -> Sample:
    """Serve the page until Ctrl-C; the sample with its marks."""
    with SampleFile(path) as file:
        with JudgingServer(file, port) as server:
            print(f"{server.url}\nCtrl-C ends it with the report.", file=sys.stderr, flush=True)
            if browser:
                webbrowser.open(server.url)
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                print(file=sys.stderr)
        return file.now()


def _print_marks(sample: Sample) -> None:
    out = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n")
    out.writerow(["key", "url", "mark"])
    out.writerows([item.key, item.url, item.mark] for item in sample.items if item.mark is not None)


def _said(taken: Taken) -> str:
    held = ", ".join(f"{taken.marks.get(mark, 0):,} {mark}" for mark in MARKS)
    said = f"{taken.file}: {taken.added:,} added, {taken.changed:,} changed, {taken.same:,} as before; it now holds {held}"
    if taken.ties:
        said += f"\n{taken.ties:,} left out on which as many say one thing as another"
    if taken.blank:
        said += f"\n{taken.blank:,} left out with neither title nor text"
    return said
