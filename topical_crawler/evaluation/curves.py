"""Harvest curves for people: in the terminal, and as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from topical_crawler.evaluation.report import new_figure, save_figure

_MARKS = "●○◆◇▲△"


def terminal_curve(curves: Mapping[str, Sequence[int]], width: int = 64, height: int = 14) -> str:
    """Curves drawn with characters: pages fetched to the right, relevant texts reached upwards.

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


def picture(curves: Mapping[str, Sequence[int]], path: Path, title: str, total: int) -> None:
    """The same as an image file (PNG, SVG or PDF by the name's ending), with the ideal crawl, of which every page is a relevant
    text that was not there yet, until it has all ``total`` of them.

    Raises:
        ImportError: matplotlib is not installed; the message says how to get it.
    """
    figure, axes = new_figure(title, "pages fetched", "relevant texts reached")
    pages = max((len(c) for c in curves.values()), default=0)
    for name, curve in curves.items():
        axes.plot(range(len(curve) + 1), [0, *curve], label=name, linewidth=1.8)
    corners = sorted({0, min(pages, total), pages})
    axes.plot(corners, [min(k, total) for k in corners], color="grey", linewidth=0.8, linestyle=":", label=f"ideal (of {total})")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    save_figure(figure, path)
