"""What the experiments of the papers leave behind: all figures as JSON and CSV, a page to read, a picture for every figure.

The same figures give the same bytes.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from topical_crawler.evaluation.curve_styles import TONES, styles
from topical_crawler.evaluation.paper_results import Chart, Reproduction
from topical_crawler.evaluation.papers_html import end_of_axis, page
from topical_crawler.evaluation.report import new_figure, save_figure, write_json
from topical_crawler.export.files import replacing

FILES = ("papers.json", "papers.csv", "papers.html")
"""The files of :func:`write_report` besides the pictures."""
_COLUMNS = 3


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
    charts = [chart for one in papers for chart in one.charts]
    for chart in charts:
        _draw(out / f"{chart.key}.png", chart)
    return [*FILES, *(f"{chart.key}.png" for chart in charts)]


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


def _draw(path: Path, chart: Chart) -> None:
    """A small picture for every topic, at most three in a row."""
    columns = min(_COLUMNS, len(chart.panels))
    rows = -(-len(chart.panels) // columns)
    figure, axes = new_figure("", "", "")
    axes.remove()
    figure.set_size_inches(2.4 + 4.2 * columns, 0.8 + 3.2 * rows)
    grid = figure.subplots(rows, columns, squeeze=False)
    lines: dict[str, Any] = {}
    for axes, (topic, curves) in zip(grid.flat, chart.panels.items(), strict=False):
        for name, style in styles(curves).items():
            dash = (0, tuple(map(float, style.dash.split()))) if style.dash else "-"
            look = {"color": TONES[style.tone][0], "linewidth": style.width * 0.75, "linestyle": dash}
            (lines[name],) = axes.plot(*zip(*curves[name], strict=True), **look)
        axes.set_title(topic, fontsize=9)
        axes.set_xlim(left=0)
        axes.set_ylim(0, end_of_axis(curves))
        axes.tick_params(labelsize=8)
        axes.grid(alpha=0.25)
    for axes in grid.flat:
        axes.set_visible(axes.has_data())
    figure.suptitle(chart.title, fontsize=10)
    figure.supxlabel(chart.x, fontsize=9)
    figure.supylabel(chart.y, fontsize=9)
    figure.legend(list(lines.values()), list(lines), loc="outside right center", frameon=False, fontsize=8, handlelength=3.6)
    save_figure(figure, path)
