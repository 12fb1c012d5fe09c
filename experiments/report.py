"""Reports of experiments: pages by Jinja2 templates, curves by matplotlib.

A page stands alone: no script, nothing loaded. Its curves are SVG whose colours are variables of the style sheet, so that they
follow the reader's light or dark theme. The same figures give the same bytes.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from experiments.figures import blank_figure, style_axes

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# -- Colours and the look of strategies


TONES = {
    "blue": ("#0067ab", "#5fb8f0"),
    "orange": ("#c24e00", "#ff9a4d"),
    "green": ("#007a58", "#35c795"),
    "purple": ("#8b3a97", "#d990e0"),
    "red": ("#b3123c", "#ff7d94"),
    "teal": ("#1f6f78", "#63c6d0"),
    "brown": ("#76532c", "#c9a06d"),
    "pale-orange": ("#bd7f4e", "#a9764d"),
    "pale-green": ("#579c86", "#4f8d79"),
    "pale-purple": ("#ab7ab3", "#96709c"),
    "grey": ("#7d7d7d", "#8c8c8c"),
    "ink": ("#1c1c1c", "#ececec"),
}
"""Colours of curves by name, on light and on dark paper. Each has a contrast of at least 3 with the paper (WCAG 2.2, 1.4.11);
the strong ones can be told apart with any kind of colour vision."""
PAPER = ("#ffffff", "#16181b")
PALETTE = TONES | {"paper": PAPER, "rule": ("#d4d7dc", "#3a4047"), "quiet": ("#5a6068", "#a4abb4"), "bar": ("#cfe3f4", "#1f4058")}
"""Every colour of a page."""

DASHES: tuple[tuple[float, ...], ...] = ((), (2, 2.5), (8, 4), (9, 3, 2, 3), (15, 4), (9, 3, 2, 3, 2, 3), (1, 5))
"""Lengths of strokes and gaps in points; () is a solid line."""

_METHODS = {"semantic": "blue", "esvsm": "orange", "odp2evsm": "green", "content_url": "purple"}
_BASELINES = {
    "pale-orange": ("svsm", "ssrm", "vsm"),
    "pale-green": ("category_vsm", "keyword_vsm"),
    "pale-purple": ("content",),
    "grey": ("breadth_first", "anchor", "random", "shark_search", "pagerank"),
}
_OTHERS = ("red", "teal", "brown")


@dataclass(frozen=True, slots=True)
class Style:
    """Look of a curve: its colour in :data:`TONES`, its dashes, its width in points."""

    tone: str
    dash: tuple[float, ...]
    width: float


def styles(strategies: Iterable[str]) -> dict[str, Style]:
    """A look for every strategy, the same in every picture: methods in strong colours, the baselines of their papers in a paler
    tone, the other baselines in grey; dashes tell strategies of one tone apart. Unknown names get the remaining strong colours.

    >>> styles(["semantic", "vsm", "mine"])["mine"]
    Style(tone='red', dash=(), width=1.8)
    """
    known = {"oracle": Style("ink", (5, 4), 1.2)} | {name: Style(tone, (), 1.8) for name, tone in _METHODS.items()}
    for tone, names in _BASELINES.items():
        known |= {name: Style(tone, dash, 1.1) for name, dash in zip(names, DASHES, strict=False)}
    looks: dict[str, Style] = {}
    for name in strategies:
        if name in known:
            looks[name] = known[name]
        else:
            turn, place = divmod(len(looks.keys() - known.keys()), len(_OTHERS))
            looks[name] = Style(_OTHERS[place], DASHES[turn % len(DASHES)], 1.8)
    return looks


# -- Curves


Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis that begins at 0: its name and its end. Up to an end of 1, its numbers are per cent."""

    name: str
    end: float


def _plot(axes: Axes, curves: Mapping[str, Sequence[Point]], looks: Mapping[str, Style]) -> dict[str, Any]:
    """Draw curves, the first ones on top; the lines by name. A curve without points is left out."""
    return {
        name: axes.plot(
            *zip(*points, strict=True),
            color=TONES[looks[name].tone][0],
            linewidth=looks[name].width,
            linestyle=(0, looks[name].dash) if looks[name].dash else "-",
            clip_on=False,
            zorder=3 - place / 100,
        )[0]
        for place, (name, points) in enumerate(curves.items())
        if points
    }


def _legend(figure: Figure, lines: Mapping[str, Any]) -> None:
    figure.legend(
        list(lines.values()),
        list(lines),
        loc="outside right center",
        frameon=False,
        fontsize=8.5,
        handlelength=3.6,
        labelcolor="linecolor",
    )


def chart(curves: Mapping[str, Sequence[Point]], looks: Mapping[str, Style], title: str, x: Axis, y: Axis) -> Markup:
    """Curves as SVG to stand in a page.

    Args:
        curves: points by name. The legend lists them by the height at which they end.
        looks: of every curve.
        title: what the picture shows, for those who cannot see it.
        x, y: the axes.
    """
    import matplotlib
    from markupsafe import Markup, escape
    from matplotlib.ticker import PercentFormatter, StrMethodFormatter

    figure = blank_figure(10.5, 5.2)
    axes = figure.add_subplot()
    quiet = PALETTE["quiet"][0]
    for axis, side in ((axes.xaxis, x), (axes.yaxis, y)):
        axis.set_label_text(side.name, color=quiet, fontsize=9)
        axis.set_major_formatter(PercentFormatter(1, 0) if side.end <= 1 else StrMethodFormatter("{x:,.0f}"))
    axes.set(xlim=(0, x.end), ylim=(0, y.end))
    axes.tick_params(length=0, labelsize=8.5, labelcolor=quiet)
    axes.grid(color=PALETTE["rule"][0], linewidth=0.6, clip_on=False)
    axes.set_axisbelow(True)
    for name, spine in axes.spines.items():
        spine.set(color=quiet, linewidth=0.8, visible=name in ("left", "bottom"))
    lines = _plot(axes, curves, looks)
    if lines:
        _legend(figure, {name: lines[name] for name in sorted(lines, key=lambda n: -curves[n][-1][1])})
    drawn = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "topical_crawler", "path.simplify_threshold": 0.5}):
        figure.savefig(drawn, format="svg", transparent=True, metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    return Markup(_inline(drawn.getvalue(), str(escape(title))))


def _inline(svg: str, title: str) -> str:
    """matplotlib's SVG file as an element of an HTML page: no namespaces, no ids, fonts and colours of the page."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>|<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    view = re.search(r'viewBox="([^"]*)"', svg)
    assert view is not None
    body = re.sub(r' id="[^"]*"', "", svg[svg.index(">") + 1 :])
    body = re.sub(r"font: (?:\w+ )?([\d.]+px)[^;\"]*", r"font-size: \1", body)
    body = re.sub(r"(\d\.\d\d)\d+", r"\1", body)
    for name, (light, _) in PALETTE.items():
        body = body.replace(light, f"var(--{name})")
    body = re.sub(r"\s*\n\s*", "\n", body)
    return f'<svg class="chart" viewBox="{view[1]}" role="img" aria-label="{title}">{body.strip()}'


@dataclass(frozen=True, slots=True)
class Panel:
    """One of several pictures side by side: its title, its curves."""

    title: str
    curves: Mapping[str, Sequence[Point]]


def draw_panels(
    panels: Sequence[Panel | None], columns: int, names: tuple[str, str], ends: tuple[float, float], title: str = ""
) -> Figure:
    """Pictures in rows of ``columns``, with one legend and common names of the axes.

    Args:
        panels: row by row; None leaves a place empty.
        columns: pictures in a row.
        names: of the axes.
        ends: of the axes; 0 leaves the end to the curves.
        title: of the whole.
    """
    rows = -(-len(panels) // columns)
    figure = blank_figure(1.8 + 4.2 * columns, 0.4 + 3.1 * rows + (0.4 if title else 0))
    grid = figure.subplots(rows, columns, squeeze=False)
    looks = styles(dict.fromkeys(name for panel in panels if panel for name in panel.curves))
    lines: dict[str, Any] = {}
    for axes, panel in zip_longest(grid.flat, panels):
        if panel is None:
            axes.set_visible(False)
            continue
        lines |= _plot(axes, panel.curves, looks)
        style_axes(axes)
        axes.set_title(panel.title, fontsize=9)
        axes.set_xlim(0, ends[0] or None)
        axes.set_ylim(0, ends[1] or end_of_axis(panel.curves))
        axes.tick_params(labelsize=8)
    figure.suptitle(title, fontsize=10)
    figure.supxlabel(names[0], fontsize=9)
    figure.supylabel(names[1], fontsize=9)
    _legend(figure, lines)
    return figure


def end_of_axis(curves: Mapping[str, Sequence[Point]]) -> float:
    """End of a vertical axis: a round number above the highest point, at least 5 %.

    >>> end_of_axis({"a": [(1, 0.31)]}), end_of_axis({"a": [(1, 0.071)]}), end_of_axis({"a": [(1, 97)]})
    (0.4, 0.08, 100.0)
    """
    highest = max((y for points in curves.values() for _, y in points), default=0.0)
    if highest <= 0.05:
        return 0.05
    size = 10.0 ** math.floor(math.log10(highest))
    return round(math.ceil(highest / size) * size, 9)


# -- Pages


@dataclass(frozen=True, slots=True)
class Head:
    """Head of a column: its text; what it means; the id of the section it leads to; a small note below."""

    text: str
    meaning: str = ""
    target: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A number as it is written; a small note below it; whether it is the best of its column; how far a bar fills it, 0 to 1."""

    text: str
    note: str = ""
    best: bool = False
    bar: float | None = None


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row: its name, its cells, whether it is the oracle's."""

    name: str
    cells: Sequence[Cell]
    oracle: bool = False


def check_libraries() -> None:
    """Fail before an experiment rather than after it.

    Raises:
        ImportError: matplotlib or Jinja2 is missing; the message says how to get it.
    """
    blank_figure(1, 1)
    _templates()


def render(template: str, title: str, about: Mapping[str, str], **values: object) -> str:
    """A page from ``experiments/templates``; everything in it is escaped.

    Args:
        template: name of the file.
        title: of the page.
        about: what the figures were made with, for the head of the page: names and values.
        values: further variables of the template.
    """
    return str(_templates().get_template(template).render(title=title, about=about, palette=PALETTE, **values)) + "\n"


@cache
def _templates() -> Environment:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise ImportError("a page needs Jinja2: pip install 'topical-crawler[experiments]'") from None
    return Environment(
        loader=PackageLoader("experiments"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
