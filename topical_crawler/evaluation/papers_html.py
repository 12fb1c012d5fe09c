"""The experiments of the papers as one page of HTML: what holds, curves, and our numbers beside the printed ones. It needs no
script and nothing from elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from topical_crawler.evaluation.comparison_css import style_sheet
from topical_crawler.evaluation.curve_styles import styles
from topical_crawler.evaluation.curve_svg import Curve, chart, sample
from topical_crawler.evaluation.paper_claims import Row
from topical_crawler.evaluation.paper_results import Chart, Curves, Reproduction


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
