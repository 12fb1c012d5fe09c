"""What an experiment leaves behind: its figures as JSON, its curves as a picture.

The same figures give the same bytes, so that a result can be compared with an earlier one and kept under version control.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topical_crawler.files import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# -- What an experiment leaves behind: its figures as JSON, its curves as a picture


def write_json(path: Path, figures: Mapping[str, Any]) -> None:
    """Write ``figures`` to ``path``, whole or not at all; folders above it are made. What is not a number (nan, infinity) becomes
    null, for JSON does not know it; a number of numpy's becomes a plain one.

    Raises:
        TypeError: a value that is neither text, number, truth value, None nor a collection of those.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as out:
        out.write(json.dumps(_plain(figures), ensure_ascii=False, indent=1) + "\n")


def new_figure(title: str, x: str, y: str) -> tuple[Figure, Axes]:
    """An empty figure with one pair of axes, named ``x`` and ``y``, in the look that all pictures share. Write its labels in
    English: the fonts that come with matplotlib have no Chinese characters.

    Raises:
        ImportError: matplotlib is not installed; the message says how to get it.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("a picture needs matplotlib: pip install 'topical-crawler[plots]'") from None
    # Not through pyplot, which keeps every figure until the process ends and asks for a display.
    figure = Figure(figsize=(7, 4), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(alpha=0.25)
    return figure, axes


def save_figure(figure: Figure, path: Path) -> None:
    """Write ``figure`` to ``path`` (PNG, SVG or PDF by the name's ending); folders above it are made.

    Raises:
        ValueError: matplotlib does not write files of that kind.
    """
    import matplotlib

    path.parent.mkdir(parents=True, exist_ok=True)
    # A date, a version and random names in the file's head would make every file another one.
    without = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix.lower())
    with matplotlib.rc_context({"svg.hashsalt": "topical_crawler"}):
        figure.savefig(path, metadata=without)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, Sequence | set | frozenset):
        return [_plain(one) for one in (value if isinstance(value, Sequence) else sorted(value))]
    if hasattr(value, "tolist"):  # numpy's arrays and numbers
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, int | float):
        return value
    raise TypeError(f"{value!r} has no place in a file of figures")


# -- Harvest curves for people: in the terminal, and as a picture


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
