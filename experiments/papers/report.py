"""The report of the papers' experiments: figures as JSON and CSV, a page of HTML, a picture for every figure of a paper."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from experiments.figures import save_figure, write_json
from experiments.papers.experiment import Chart, Measurement, Reproduction
from experiments.report import Axis, Cell, Head, Panel, TableRow, chart, draw_panels, end_of_axis, render, styles
from topical_crawler.files import replacing


def page(papers: Sequence[Reproduction], about: Mapping[str, str]) -> str:
    """All results as one page of HTML: what holds, curves, our numbers beside the printed ones.

    Args:
        papers: their results.
        about: what they were made with, for the head of the page: names and values.
    """
    shown = [
        {"result": one, "charts": [(c.title, list(_panels(c))) for c in one.charts], "tables": list(_tables(one.rows))}
        for one in papers
    ]
    return render("papers.html.j2", "The papers' crawling experiments", about, papers=shown)


def _panels(figure: Chart) -> Iterator[tuple[str, Any]]:
    """Topic and picture of every panel."""
    looks = styles(next(iter(figure.panels.values())))
    for topic, curves in figure.panels.items():
        x = Axis(figure.x, max(point[0] for points in curves.values() for point in points))
        yield topic, chart(curves, looks, f"{figure.title}, {topic}", x, Axis(figure.y, end_of_axis(curves)))


def _tables(rows: Sequence[Measurement]) -> Iterator[tuple[str, list[Head], list[TableRow]]]:
    """A table for every figure and quantity: methods below each other, topics and pages side by side, printed numbers small."""
    for item, quantity in dict.fromkeys((r.item, r.quantity) for r in rows):
        own = [r for r in rows if (r.item, r.quantity) == (item, quantity)]
        columns = list(dict.fromkeys((r.topic, r.pages) for r in own))
        cells = {(r.method, r.topic, r.pages): Cell(r.written, f"printed {r.printed}" if r.printed else "") for r in own}
        yield (
            f"{item}: {quantity}",
            [Head(topic, note=f"{pages:,}" if pages else "") for topic, pages in columns],
            [
                TableRow(method, [cells.get((method, *column), Cell("–")) for column in columns])
                for method in dict.fromkeys(r.method for r in own)
            ],
        )


FILES = ("papers.json", "papers.csv", "papers.html")
"""The files of :func:`write_report` besides the pictures."""
_COLUMNS = 3
"""Most pictures in a row."""


def write_report(out: Path, papers: Sequence[Reproduction], about: Mapping[str, str]) -> list[str]:
    """Write :data:`FILES` and a picture of every chart into the folder ``out``, which is made where it does not exist.

    Returns:
        The names of all files.

    Raises:
        ImportError: matplotlib is not installed; only the pictures are missing then.
    """
    out.mkdir(parents=True, exist_ok=True)
    write_json(out / FILES[0], as_json(papers, about))
    _write_csv(out / FILES[1], papers)
    with replacing(out / FILES[2]) as file:
        file.write(page(papers, about))
    charts = [c for one in papers for c in one.charts]
    for c in charts:
        panels = [Panel(topic, curves) for topic, curves in c.panels.items()]
        drawn = draw_panels(panels, min(_COLUMNS, len(panels)), (c.x, c.y), (0, 0), c.title)
        save_figure(drawn, out / f"{c.key}.png")
    return [*FILES, *(f"{c.key}.png" for c in charts)]


def as_json(papers: Sequence[Reproduction], about: Mapping[str, str]) -> dict[str, Any]:
    """All of it as JSON data."""
    return {
        "about": dict(about),
        "papers": {
            one.name: {
                "paper": one.paper,
                "notes": list(one.notes),
                "claims": [asdict(found) for found in one.findings],
                "figures": [{**asdict(row), "ours": round(row.ours, 6)} for row in one.rows],
            }
            for one in papers
        },
    }


def _write_csv(path: Path, papers: Sequence[Reproduction]) -> None:
    names = ("paper", "item", "quantity", "pages", "topic", "method", "printed", "ours")
    with replacing(path, "utf-8-sig") as out:
        writer = csv.DictWriter(out, names, lineterminator="\r\n")
        writer.writeheader()
        for one in papers:
            for row in one.rows:
                writer.writerow({"paper": one.name, **asdict(row), "ours": format(row.ours, ".6g")})
