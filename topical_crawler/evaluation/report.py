"""Results of an evaluation: figures as JSON, curves in the terminal, pictures by matplotlib.

The same figures give the same bytes: results can be compared and kept under version control.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topical_crawler.files import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def write_json(path: Path, figures: Mapping[str, Any]) -> None:
    """Write ``figures`` to ``path`` atomically; missing parent folders are made. NaN and infinity, which JSON does not have,
    become null; numpy's arrays and numbers become plain ones. Raises TypeError for a value that is neither text, number, truth
    value, None nor a collection of those."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as out:
        out.write(json.dumps(_plain(figures), ensure_ascii=False, indent=1) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, Sequence | set | frozenset):
        return [_plain(item) for item in (value if isinstance(value, Sequence) else sorted(value))]
    if hasattr(value, "tolist"):  # numpy's arrays and numbers
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, int | float):
        return value
    raise TypeError(f"{value!r} cannot be written as JSON")


# -- Pictures

CHINESE_FONTS = (
    "Noto Sans CJK SC", "Source Han Sans SC", "Source Han Sans CN", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "PingFang SC",
    "Hiragino Sans GB", "Microsoft YaHei", "SimHei", "Noto Sans CJK JP", "Droid Sans Fallback", "Arial Unicode MS",
)  # fmt: skip
"""Fonts with Chinese characters, which matplotlib's own lacks; the first installed one draws them. matplotlib caches its list of
fonts: after installing one, delete its cache (``matplotlib.get_cachedir()``)."""


@cache
def chinese_font() -> str:
    """The font of Chinese labels; "" where none of :data:`CHINESE_FONTS` is installed."""
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return next((name for name in CHINESE_FONTS if name in installed), "")


def blank_figure(width: float, height: float) -> Figure:
    """A figure of so many inches without axes. Raises ImportError where matplotlib is not installed, saying how to get it."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("a picture needs matplotlib: pip install 'topical-crawler[plots]'") from None
    # Not through pyplot, which keeps every figure until the process ends and asks for a display.
    return Figure(figsize=(width, height), dpi=120, layout="constrained")


def style_axes(axes: Axes) -> None:
    """The look that all pictures share."""
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def new_figure(title: str, x: str, y: str) -> tuple[Figure, Axes]:
    """A figure with one pair of axes named ``x`` and ``y``; raises as :func:`blank_figure`."""
    figure = blank_figure(7, 4)
    axes = figure.add_subplot()
    axes.set(title=title, xlabel=x, ylabel=y)
    style_axes(axes)
    return figure, axes


def save_figure(figure: Figure, path: Path) -> None:
    """Write ``figure`` to ``path`` (PNG, SVG or PDF by its suffix); missing parent folders are made. Raises ValueError for a kind
    of file that matplotlib does not write."""
    import matplotlib
    from matplotlib.text import Text

    path.parent.mkdir(parents=True, exist_ok=True)
    for text in figure.findobj(Text):
        if isinstance(text, Text) and not text.get_text().isascii() and chinese_font():
            text.set_fontfamily(["sans-serif", chinese_font()])
    # A date, a version and random ids would make every file another one.
    metadata = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix.lower())
    with matplotlib.rc_context({"svg.hashsalt": "topical_crawler"}):
        figure.savefig(path, metadata=metadata)


# -- Harvest curves

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


_COLOURS = ("#0b6e4f", "#b35c1e", "#3d5a98", "#7a3b69", "#5b6b1e", "#444444")


def svg_curve(curves: Mapping[str, Sequence[int]], total: int, width: int = 720, height: int = 320) -> str:
    """The same curves as an SVG element for a page, beside the ideal crawl (see :func:`picture`); names are escaped.

    >>> svg_curve({"semantic": [1, 1, 2]}, 2).count("<polyline")
    2
    """
    from html import escape

    pages, left, bottom = max((len(c) for c in curves.values()), default=0) or 1, 40, 40
    top = max(total, *(c[-1] for c in curves.values() if c), 1)

    def points(curve: Sequence[tuple[int, int]]) -> str:
        across, up = (width - left - 10) / pages, (height - bottom - 10) / top
        return " ".join(f"{left + x * across:.1f},{height - bottom - y * up:.1f}" for x, y in curve)

    ideal = sorted({0, min(pages, total), pages})
    parts = [
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="relevant texts reached over pages fetched">',
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


def picture(curves: Mapping[str, Sequence[int]], path: Path, title: str, total: int) -> None:
    """Draw the same curves into an image file (PNG, SVG or PDF by its suffix), beside the ideal crawl: every page a new relevant
    text until all ``total`` are reached. Raises as :func:`blank_figure` and :func:`save_figure`."""
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
