"""Harvest curves for people: in the terminal, and as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

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
    """The same as an image file (PNG or SVG by the name's ending).

    Raises:
        ImportError: matplotlib is not installed; the message says how to get it.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("a picture needs matplotlib: pip install 'topical-crawler[plots]'") from None
    figure = Figure(figsize=(7, 4), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    for name, curve in curves.items():
        axes.plot(range(1, len(curve) + 1), curve, label=name, linewidth=1.8)
    axes.axhline(total, color="grey", linewidth=0.8, linestyle=":", label=f"all {total} relevant texts")
    axes.set_xlabel("pages fetched")
    axes.set_ylabel("relevant texts reached")
    axes.set_title(title)
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.25)
    axes.legend(frameon=False)
    # Without a date in its head the same curves give the same bytes.
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else {"Software": None})
