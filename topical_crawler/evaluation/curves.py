"""Harvest curves: relevant texts over fetched pages, drawn as text and as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

_MARKS = "●○◆◇▲△"


def terminal_curve(curves: Mapping[str, Sequence[int]], width: int = 64, height: int = 14) -> str:
    """Draw curves as text: fetched pages on the x-axis, relevant texts on the y-axis.

    >>> print(terminal_curve({"semantic": [1, 2, 3, 4], "breadth_first": [0, 0, 1, 2]}, width=8, height=3))
       4 ┤    ●●●●
         │  ●●  ○○
       0 ┤●●○○○○
         └────────
          0      4
    ● semantic   ○ breadth_first
    """
    pages = max((len(c) for c in curves.values()), default=0)
    top = max((c[-1] for c in curves.values() if c), default=0)
    if not pages or not top:
        return "(no relevant text was reached)"
    grid = [[" "] * width for _ in range(height)]
    for (_, curve), mark in reversed(list(zip(curves.items(), _MARKS, strict=False))):
        for x in range(width):
            k = x * pages // width
            if k < len(curve):
                y = round(curve[k] / top * (height - 1))
                grid[height - 1 - y][x] = mark
    margin = max(4, len(str(top)))
    lines = []
    for i, row in enumerate(grid):
        name = str(top) if i == 0 else "0" if i == height - 1 else ""
        lines.append(f"{name:>{margin}} {'┤' if name else '│'}{''.join(row)}".rstrip())
    lines.append(f"{'':>{margin}} └{'─' * width}")
    lines.append(f"{'':>{margin}}  0{pages:>{width - 1}}")
    lines.append("   ".join(f"{mark} {name}" for name, mark in zip(curves, _MARKS, strict=False)))
    return "\n".join(lines)


_COLOURS = ("#0b6e4f", "#b35c1e", "#3d5a98", "#7a3b69", "#5b6b1e", "#444444")


def svg_curve(curves: Mapping[str, Sequence[int]], total: int, width: int = 720, height: int = 320) -> str:
    """Draw the curves as an SVG image beside the ideal crawl, with every page a new relevant text until all ``total`` are
    found.

    Escapes the names.

    >>> svg_curve({"semantic": [1, 1, 2]}, 2).count("<polyline")
    2
    """
    pages, left, bottom = max((len(c) for c in curves.values()), default=0) or 1, 40, 40
    top = max(total, *(c[-1] for c in curves.values() if c), 1)

    def points(curve: Sequence[tuple[int, int]]) -> str:
        across, up = (width - left - 10) / pages, (height - bottom - 10) / top
        return " ".join(f"{left + x * across:.1f},{height - bottom - y * up:.1f}" for x, y in curve)

    ideal = sorted({0, min(pages, total), pages})
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'aria-label="relevant texts reached over pages fetched">',
        f'<path d="M{left} 10V{height - bottom}H{width - 10}" fill="none" stroke="currentColor"/>',
        f'<text x="{left - 6}" y="16" text-anchor="end">{top}</text>',
        f'<text x="{left - 6}" y="{height - bottom}" text-anchor="end">0</text>',
        f'<text x="{width - 10}" y="{height - bottom + 16}" text-anchor="end">{pages} pages fetched</text>',
        f'<polyline points="{points([(k, min(k, total)) for k in ideal])}" fill="none" stroke="#888" stroke-dasharray="3"/>',
    ]
    for number, (name, curve) in enumerate(curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        line = points(list(enumerate([0, *curve])))
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        parts.append(f'<text x="{left + number * 200}" y="{height - 6}" fill="{colour}">■ {escape(name)}</text>')
    ideal_at = left + len(curves) * 200
    return "\n".join([*parts, f'<text x="{ideal_at}" y="{height - 6}" fill="#888">┄ ideal (of {total})</text>', "</svg>"])
