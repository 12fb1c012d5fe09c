"""Results of experiments: figures as JSON, pictures by matplotlib.

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
        raise ImportError("a picture needs matplotlib: pip install 'topical-crawler[experiments]'") from None
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
