"""What an experiment leaves behind: its figures as JSON, its curves as a picture.

The same figures give the same bytes, so that a result can be compared with an earlier one and kept under version control.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topical_crawler.export.files import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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
