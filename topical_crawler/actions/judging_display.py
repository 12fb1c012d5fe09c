"""The report on judged texts, for the terminal, for programs and for spreadsheets."""

from __future__ import annotations

import csv
import dataclasses
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from topical_crawler.export.files import replacing
from topical_crawler.judging.agreement import agreements, krippendorff, marks_by_text
from topical_crawler.judging.estimates import Estimate
from topical_crawler.judging.report import Report, Row, report
from topical_crawler.judging.sample import Sample


def show(found: Report, console: Console) -> None:
    """Print a report as tables."""
    of = f" ({escape(found.topic)})" if found.topic else ""
    console.print(f"[bold]{escape(found.corpus)}[/bold]{of}", highlight=False, soft_wrap=True)
    console.print(f"{found.judged:,} of {found.drawn:,} texts judged", highlight=False)
    if found.whole is not None:
        console.print(_table("site", found.sites, found), _table("relevance", found.bands))
        if found.covered < 0.9995:
            console.print(
                f"Nothing is said of {1 - found.covered:.1%} of the kept pages: of their strata no text is judged yet.",
                highlight=False,
            )
    for row in found.rejected:
        pages, low, high = row.relevant_pages
        console.print(
            f"Of {row.pages:,.0f} pages rejected as {escape(row.name)}, {row.relevant:,} of {row.judged:,} judged are relevant "
            f"({_percent(row.precision)}): about {pages:,.0f} were missed ({low:,.0f} to {high:,.0f}).",
            highlight=False,
        )


def show_agreement(samples: Sequence[Sample], names: Sequence[str], console: Console) -> None:
    """Print what every one found, and how far they agree."""
    table = Table("judged by", "judged", "precision %", "95 %", title="Each by itself", title_justify="left")
    for name, sample in zip(names, samples, strict=True):
        alone = report(sample)
        shown = _cells(alone.whole.precision) if alone.whole else ("–", "–")
        table.add_row(escape(name), f"{alone.judged:,}", *shown)
    console.print(table)
    table = Table("of two", "both judged", "same mark %", "κ", "κ of relevant or not", title="Agreement", title_justify="left")
    for pair in agreements(samples):
        two = f"{escape(names[pair.first])}, {escape(names[pair.second])}"
        table.add_row(two, f"{pair.texts:,}", _number(100 * pair.same, 1), _number(pair.kappa), _number(pair.kappa_relevant))
    console.print(table)
    console.print(f"Krippendorff's α of all: {_number(krippendorff(marks_by_text(samples)))}", highlight=False)


def figures(found: Report, samples: Sequence[Sample], names: Sequence[str]) -> dict[str, Any]:
    """All that is shown, for JSON: None for what is not defined."""
    shown: dict[str, Any] = found.as_dict()
    if len(samples) > 1:
        shown["files"] = [{"file": name, **report(sample).as_dict()} for name, sample in zip(names, samples, strict=True)]
        shown["agreement"] = [
            dataclasses.asdict(pair) | {"first": names[pair.first], "second": names[pair.second]} for pair in agreements(samples)
        ]
        shown["krippendorff"] = krippendorff(marks_by_text(samples))
    return dict(_defined(shown))


def write_csv(found: Report, path: Path) -> None:
    """The rows of all tables, shares from 0 to 1."""
    with replacing(path, "utf-8-sig") as out:
        table = csv.writer(out, lineterminator="\r\n")
        table.writerow(
            ["of", "name", "pages", "judged", "relevant", "boilerplate"]
            + [f"{share}{end}" for share in ("precision", "share_of_boilerplate") for end in ("", "_low", "_high")]
        )
        for kind, row in _rows(found):
            counts = [kind, row.name, f"{row.pages:.1f}", row.judged, row.relevant, row.boilerplate]
            shares = [f"{x:.6f}" for e in (row.precision, row.share_of_boilerplate) for x in (e.share, e.low, e.high)]
            table.writerow([*counts, *shares])


def _rows(found: Report) -> Iterator[tuple[str, Row]]:
    if found.whole is not None:
        yield "all", found.whole
    for kind, rows in (("site", found.sites), ("relevance", found.bands), ("rejected", found.rejected)):
        for row in rows:
            yield kind, row


def _table(head: str, rows: Sequence[Row], whole: Report | None = None) -> Table:
    table = Table()
    table.add_column(head, overflow="fold")
    for column in ("pages", "judged", "relevant", "precision\n%", "95 %", "boiler-\nplate %"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*_row(row), end_section=row is rows[-1])
    if whole is not None and whole.whole is not None:
        table.add_row(*_row(dataclasses.replace(whole.whole, name="all pages")), style="bold")
        table.add_row("mean of the sites", "", "", "", _number(100 * whole.mean_of_sites, 2), "", "")
    return table


def _row(row: Row) -> tuple[str, ...]:
    counts = (f"{row.pages:,.0f}", f"{row.judged:,}", f"{row.relevant:,}")
    return (escape(row.name), *counts, *_cells(row.precision), f"{100 * row.share_of_boilerplate.share:.1f}")


def _cells(found: Estimate) -> tuple[str, str]:
    return f"{100 * found.share:.2f}", f"{100 * found.low:.1f}–{100 * found.high:.1f}"


def _percent(found: Estimate) -> str:
    share, interval = _cells(found)
    return f"{share} %, {interval} %"


def _number(found: float, digits: int = 3) -> str:
    return "–" if math.isnan(found) else f"{found:.{digits}f}"


def _defined(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _defined(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_defined(inner) for inner in value]
    return None if isinstance(value, float) and math.isnan(value) else value
