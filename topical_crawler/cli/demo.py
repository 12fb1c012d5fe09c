"""``topical-crawler demo``: crawl the bundled web for party building, without network, and leave a corpus and a report.

Precision and recall come from labels hidden from the crawl.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import as_file, files
from pathlib import Path
from string import Template

from rich.table import Table

from topical_crawler.cli.evaluate import read_corpus
from topical_crawler.cli.terminal import console
from topical_crawler.corpus.record import Record
from topical_crawler.evaluation.curves import svg_curve, terminal_curve
from topical_crawler.evaluation.labels import read_labels
from topical_crawler.evaluation.metrics import SiteScore, group_score, harvest_curve, relevant_texts, site_scores
from topical_crawler.files import replacing
from topical_crawler.package_data import data_folder
from topical_crawler.web.urls import REDIRECTED

_MARK = "made-by-demo.txt"


def main(arguments: Sequence[str]) -> int:
    """Run the demo. Return 1 if it collects less than expected, 2 if the folder is not the demo's."""
    parser = argparse.ArgumentParser(prog="topical-crawler demo", description=__doc__.split("\n\n")[0].split(": ", 1)[1])
    parser.add_argument(
        "--out", type=Path, default=Path("data/demo"), metavar="DIR", help="folder of the corpus (default: %(default)s)"
    )
    folder = parser.parse_args(arguments).out
    if folder.exists() and not (folder / _MARK).is_file():
        print(f"topical-crawler demo: {folder} exists and is not the demo's. Name another, --out DIR", file=sys.stderr)
        return 2
    print("Crawling a recorded web of 3 sites for the topic 党建 (party building); no network …", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / _MARK).write_text("Made by topical-crawler demo, which recreates this folder each time.\n", encoding="utf-8")
    with as_file(data_folder("demo").joinpath("labels.tsv")) as file:
        labels = read_labels(file)
    corpora = _crawls(folder)
    found = read_corpus(folder)
    scores = site_scores(found, labels)
    curves = {
        name: harvest_curve([r.url for r in read_corpus(place) if r.reason != REDIRECTED], labels) for name, place in corpora
    }
    out = console()
    out.print(_table(scores))
    total = relevant_texts(labels)
    out.print(f"\nOn-topic texts reached (of {total}) over pages fetched, beside a breadth-first crawl of the same web:\n")
    print(terminal_curve(curves))
    report = folder / "report.html"
    with replacing(report) as page:
        page.write(_report(found, scores, curves, total, _next(folder)))
    print(f"\nReport: {report.absolute().as_uri()}\nCorpus: {folder}")
    print("Next:   " + "\n        ".join(_next(folder)))
    _, together = group_score("all", scores)
    return 0 if together.precision >= 0.9 and together.recall >= 0.75 else 1


def _crawls(folder: Path) -> list[tuple[str, Path]]:
    """Crawl with both strategies at once by the real command. Return each with the folder of its corpus."""
    places = [("adaptive", folder), ("breadth_first", folder / "breadth_first")]
    demo = data_folder("demo")
    with as_file(demo.joinpath("demo-web.warc.gz")) as web, as_file(demo.joinpath("seeds.txt")) as seeds:
        running = [
            subprocess.Popen(
                _command(strategy, place, web, seeds), env={**os.environ, "SCRAPY_SETTINGS_MODULE": "topical_crawler.settings"}
            )
            for strategy, place in places
        ]
        codes = [one.wait() for one in running]
    for (strategy, _), code in zip(places, codes, strict=True):
        if code:
            raise SystemExit(f"topical-crawler demo: the crawl by {strategy} failed (code {code}). See its message above")
    return places


def _command(strategy: str, place: Path, web: Path, seeds: Path) -> list[str]:
    given = ("topic=partybuilding", f"strategy={strategy}", f"seeds={seeds}")
    # Without language resources the figures are the same on every machine.
    settings = (
        *(f"TOPICAL_REPLAY={web}", f"TOPICAL_DATA_DIR={place}", "TOPICAL_RESOURCES=0"),
        *("LOG_LEVEL=WARNING", f"TOPICAL_DISPLAY={'auto' if strategy == 'adaptive' else 'off'}"),
    )
    arguments = [part for one in given for part in ("-a", one)] + [part for one in settings for part in ("-s", one)]
    return [sys.executable, "-m", "scrapy", "crawl", "topical", *arguments]


def _next(folder: Path) -> list[str]:
    place = shlex.quote(str(folder))
    return [
        f"topical-crawler corpus search {place} 党课",
        f"topical-crawler corpus export {place} -o corpus.jsonl",
        'topical-crawler new ./mytopic "a sentence in Chinese that says what it is about"',
        f"topical-crawler workbench {place}",
    ]


def _rows(scores: Sequence[SiteScore]) -> list[tuple[str, ...]]:
    together = group_score("all", scores)[1]
    named = [*((s.site, s) for s in scores), ("all", together)]
    return [
        (name, str(s.collected), str(s.relevant), f"{s.precision:.1%}", f"{s.recall:.1%} of {s.available}") for name, s in named
    ]


def _table(scores: Sequence[SiteScore]) -> Table:
    table = Table("site", "texts kept", "on topic", "precision", "recall", title="Held against the labels", title_justify="left")
    for row in _rows(scores):
        table.add_row(*row)
    return table


def _report(
    found: Sequence[Record], scores: Sequence[SiteScore], curves: Mapping[str, Sequence[int]], total: int, then: Sequence[str]
) -> str:
    """Return the report as one HTML file without external resources."""
    template = Template(files("topical_crawler").joinpath("cli/demo.html").read_text("utf-8"))
    kept = [record for record in found if record.keep]
    reached = {name: curve[:100][-1] for name, curve in curves.items()}
    rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in _rows(scores))
    return template.substitute(
        title="党建 (party building)",
        pages=sum(record.reason != REDIRECTED for record in found),
        kept=len(kept),
        total=total,
        curve=svg_curve(curves, total),
        beside="After 100 pages: " + ", ".join(f"{escape(name)} {n}" for name, n in reached.items()) + ".",
        rows="\n".join(f"<tr>{row}</tr>" for row in rows),
        texts="\n".join(map(_text, kept)),
        next=escape("\n".join(then)),
    )


def _text(record: Record) -> str:
    why = "、".join(f"{term} {share:.0%}" for term, share in list(record.why.get("terms", {}).items())[:4])
    return (
        f"<details lang=zh><summary>{escape(record.title or record.url)}</summary><p>{escape(record.text or '')}</p>"
        f"<p class=dim>{escape(record.url)}<br>{escape(record.date)} "
        f"relevance {record.relevance:.4f}; {escape(why)}</p></details>"
    )
