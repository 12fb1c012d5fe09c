"""The experiments of the papers as one page of HTML: what holds, curves, and our numbers beside the printed ones. It needs no
script and nothing from elsewhere.

What the experiments of the papers leave behind: all figures as JSON and CSV, a page to read, a picture for every figure.

The same figures give the same bytes.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Any

from experiments.comparison_report import style_sheet
from experiments.curves import TONES, Curve, chart, sample, styles
from experiments.papers.experiment import Chart, Curves, Reproduction, Row
from topical_crawler.evaluation.report import new_figure, save_figure, write_json
from topical_crawler.files import replacing

# -- The experiments of the papers as one page of HTML: what holds, curves, and our numbers beside the printed ones. It needs no
# script and nothing from elsewhere


def page(papers: Sequence[Reproduction], about: Mapping[str, str]) -> str:
    """The whole page.

    Args:
        papers: their results.
        about: what they were made with, for the head: names and values.
    """
    title = "The papers' crawling experiments"
    listed = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in about.items() if value)
    body = [f"<h1>{title}</h1>", f"<dl>{listed}</dl>", *(_paper(one) for one in papers)]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{style_sheet()}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(body)
        + "\n</main>\n</body>\n</html>\n"
    )


def _paper(one: Reproduction) -> str:
    said = "".join(f"<li>{'✓' if f.holds else '✗'} {escape(f.item)}: {escape(f.sentence)}</li>" for f in one.findings)
    held = sum(f.holds for f in one.findings)
    notes = "".join(f"<li>{escape(note)}</li>" for note in one.notes)
    return "\n".join(
        (
            f'<section id="{one.name}">\n<h2>{escape(one.paper)}</h2>',
            f"<ul>{notes}</ul>",
            f"<h3>What the paper says: {held} of {len(one.findings)} hold</h3>\n<ul>{said}</ul>",
            *(_chart(found) for found in one.charts),
            *_tables(one.rows),
            "</section>",
        )
    )


def _chart(found: Chart) -> str:
    looks = styles(next(iter(found.panels.values())))
    legend = "".join(f"<li>{sample(look)} {escape(name)}</li>" for name, look in looks.items())
    parts = [f"<h3>{escape(found.title)}</h3>"]
    for topic, curves in found.panels.items():
        drawn = [Curve(name, looks[name], points) for name, points in curves.items()]
        axes = (found.x, max(p[0] for c in drawn for p in c.points)), (found.y, end_of_axis(curves))
        head = f"<p>{escape(topic)}</p>" if len(found.panels) > 1 else ""
        parts.append(f'{head}<div class="wide">{chart(drawn, f"{found.title}, {topic}", *axes)}</div>')
    return "\n".join([*parts, f'<ul class="legend">{legend}</ul>'])


def end_of_axis(curves: Curves) -> float:
    """Where an axis ends: above the highest point, at a number that is round for its size; at 5 % at least.

    >>> end_of_axis({"a": [(1, 0.31)]}), end_of_axis({"a": [(1, 0.071)]}), end_of_axis({"a": [(1, 97)]})
    (0.4, 0.08, 100.0)
    """
    highest = max((y for points in curves.values() for _, y in points), default=0.0)
    if highest <= 0.05:
        return 0.05
    size = 10.0 ** math.floor(math.log10(highest))
    return round(math.ceil(highest / size) * size, 9)


def _tables(rows: Sequence[Row]) -> Iterable[str]:
    """One table for every figure and quantity: methods below each other, topics and pages side by side; printed numbers small."""
    for item, quantity in dict.fromkeys((r.item, r.quantity) for r in rows):
        own = [r for r in rows if (r.item, r.quantity) == (item, quantity)]
        columns = list(dict.fromkeys((r.topic, r.pages) for r in own))
        cells = {(r.method, r.topic, r.pages): r for r in own}
        heads = "".join(f'<th scope="col">{escape(t)}{f"<br>{p:,}" if p else ""}</th>' for t, p in columns)
        lines = []
        for method in dict.fromkeys(r.method for r in own):
            values = "".join(_cell(cells.get((method, *column))) for column in columns)
            lines.append(f'<tr><th scope="row">{escape(method)}</th>{values}</tr>')
        yield (
            f'<h3>{escape(item)}: {escape(quantity)}</h3>\n<div class="wide" tabindex="0"><table>\n<thead><tr><th scope="col">'
            f"method</th>{heads}</tr></thead>\n<tbody>\n" + "\n".join(lines) + "\n</tbody>\n</table></div>"
        )


def _cell(row: Row | None) -> str:
    if row is None:
        return "<td>–</td>"
    printed = f"<small>printed {escape(row.printed)}</small>" if row.printed else ""
    return f"<td>{row.written}{printed}</td>"


# -- What the experiments of the papers leave behind: all figures as JSON and CSV, a page to read, a picture for every figure


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
    charts = [c for one in papers for c in one.charts]
    for c in charts:
        _draw(out / f"{c.key}.png", c)
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
