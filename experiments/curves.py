"""Curves as SVG to stand in a page: colours come from the page's style sheet, every curve has its name at its end.

How the curves of strategies look, the same in every picture: the methods in strong colours, the baselines of a method's paper
in a paler tone of its colour, all others in grey; strategies of one tone differ in their dashes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

# -- How the curves of strategies look, the same in every picture: the methods in strong colours, the baselines of a method's
# paper in a paler tone of its colour, all others in grey; strategies of one tone differ in their dashes


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
"""Colours by name: on white, and on the dark background. Each stands out from it by a contrast of at least 3 (WCAG 2.2, 1.4.11);
the strong ones are told apart with any kind of colour vision."""

DASHES = ("", "2 2.5", "8 4", "9 3 2 3", "15 4", "9 3 2 3 2 3", "1 5")
"""Lengths of strokes and gaps; "" is a solid line."""

_ORACLE = "oracle"
_METHODS = {"semantic": "blue", "esvsm": "orange", "odp2evsm": "green", "content_url": "purple"}
_BASELINES = {
    "pale-orange": ("svsm", "ssrm", "vsm"),
    "pale-green": ("category_vsm", "keyword_vsm"),
    "pale-purple": ("content",),
    "grey": ("breadth_first", "keyword", "random", "shark_search", "pagerank"),
}
_OTHERS = ("red", "teal", "brown")


@dataclass(frozen=True, slots=True)
class Style:
    """Look of a curve: name of its colour in :data:`TONES`, its dashes, its width in pixels."""

    tone: str
    dash: str
    width: float


def styles(strategies: Iterable[str]) -> dict[str, Style]:
    """A look for every strategy; those that this project does not know get strong colours in their order.

    >>> styles(["semantic", "vsm", "mine"])["mine"]
    Style(tone='red', dash='', width=2.4)
    """
    known = {_ORACLE: Style("ink", "5 4", 1.6)}
    known |= {name: Style(tone, "", 2.4) for name, tone in _METHODS.items()}
    for tone, names in _BASELINES.items():
        known |= {name: Style(tone, dash, 1.5) for name, dash in zip(names, DASHES, strict=False)}
    found: dict[str, Style] = {}
    others = 0
    for name in strategies:
        if name in known:
            found[name] = known[name]
        else:
            dash = DASHES[others // len(_OTHERS) % len(DASHES)]
            found[name] = Style(_OTHERS[others % len(_OTHERS)], dash, 2.4)
            others += 1
    return found


# -- Curves as SVG to stand in a page: colours come from the page's style sheet, every curve has its name at its end


Point = tuple[float, float]

WIDTH, HEIGHT = 760, 470
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 132, 10, 40
_LABEL_GAP = 13.0


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve: its name, its look, its points in the data's numbers."""

    name: str
    style: Style
    points: Sequence[Point]


def chart(curves: Sequence[Curve], title: str, x: tuple[str, float], y: tuple[str, float]) -> str:
    """An SVG picture of curves over axes that begin at 0; curves without points are left out.

    Args:
        curves: the first ones are drawn on top.
        title: what the picture shows, for those who cannot see it.
        x, y: name and end of the axes. Up to an end of 1, the numbers beside the axis are per cent.
    """
    drawn = [c for c in curves if c.points]
    parts = [f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">', _axes(x, y)]
    right = WIDTH - _RIGHT

    def place(point: Point) -> Point:
        across = _LEFT + (right - _LEFT) * min(1.0, point[0] / x[1])
        return across, HEIGHT - _BOTTOM - (HEIGHT - _BOTTOM - _TOP) * min(1.0, point[1] / y[1])

    placed = [[place(p) for p in curve.points] for curve in drawn]
    labels = _spread([points[-1][1] for points in placed], _TOP + 4, HEIGHT - _BOTTOM)
    for curve, points, label in reversed(list(zip(drawn, placed, labels, strict=True))):
        end = points[-1]
        tone = f"t-{curve.style.tone}"
        parts.append(f'<path class="line {tone}" d="{_path(points)}"{_stroke(curve.style)}/>')
        parts.append(f'<circle class="dot {tone}" cx="{_n(end[0])}" cy="{_n(end[1])}" r="2.5"/>')
        parts.append(
            f'<path class="leader {tone}" d="M{_n(end[0])} {_n(end[1])}L{right + 6} {_n(end[1])}L{right + 14} {_n(label)}"/>'
        )
        parts.append(f'<text class="name {tone}" x="{right + 17}" y="{_n(label + 4)}">{escape(curve.name)}</text>')
    return "\n".join([*parts, "</svg>"])


def sample(style: Style) -> str:
    """A short piece of a curve, for a legend."""
    return (
        f'<svg class="sample" viewBox="0 0 34 10" aria-hidden="true"><path class="line t-{style.tone}" d="M1 5H33"'
        f"{_stroke(style)}/></svg>"
    )


def _axes(x: tuple[str, float], y: tuple[str, float]) -> str:
    parts = []
    right, bottom = WIDTH - _RIGHT, HEIGHT - _BOTTOM
    for value in _ticks(x[1]):
        at = _LEFT + (right - _LEFT) * value / x[1]
        parts.append(f'<path class="grid" d="M{_n(at)} {_TOP}V{bottom}"/>')
        parts.append(f'<text class="tick middle" x="{_n(at)}" y="{bottom + 15}">{_number(value, x[1])}</text>')
    for value in _ticks(y[1]):
        at = bottom - (bottom - _TOP) * value / y[1]
        parts.append(f'<path class="grid" d="M{_LEFT} {_n(at)}H{right}"/>')
        parts.append(f'<text class="tick end" x="{_LEFT - 6}" y="{_n(at + 4)}">{_number(value, y[1])}</text>')
    parts.append(f'<path class="axis" d="M{_LEFT} {_TOP}V{bottom}H{right}"/>')
    parts.append(f'<text class="tick middle" x="{(_LEFT + right) / 2:g}" y="{HEIGHT - 6}">{escape(x[0])}</text>')
    middle = (_TOP + bottom) / 2
    parts.append(f'<text class="tick middle" transform="translate(11 {middle:g}) rotate(-90)">{escape(y[0])}</text>')
    return "\n".join(parts)


def _ticks(end: float) -> list[float]:
    """Round numbers from 0 to ``end``, four to eight of them."""
    step = next(s * 10.0**e for e in range(-4, 12) for s in (1, 2, 2.5, 5) if end / (s * 10.0**e) <= 6)
    return [i * step for i in range(int(end / step + 1e-9) + 1)]


def _number(value: float, end: float) -> str:
    return f"{value:.0%}" if end <= 1 else f"{value:,.0f}"


def _spread(wanted: Sequence[float], top: float, bottom: float) -> list[float]:
    """Heights for names, in the order of the wanted ones and as near to them as they can be without two on top of each other."""
    gap = min(_LABEL_GAP, (bottom - top) / max(1, len(wanted) - 1))
    order = sorted(range(len(wanted)), key=lambda i: (wanted[i], i))
    stacks: list[tuple[float, int]] = []  # height of the first name in the middle of what its names want, names
    for i in order:
        first, size = wanted[i], 1
        while stacks and stacks[-1][0] + gap * stacks[-1][1] > first:
            above, names = stacks.pop()
            first = (above * names + (first - gap * names) * size) / (names + size)
            size += names
        first = min(max(first, top), bottom - gap * (size - 1))
        stacks.append((first, size))
    heights = [first + gap * k for first, size in stacks for k in range(size)]
    found = dict(zip(order, heights, strict=True))
    return [found[i] for i in range(len(wanted))]


def _path(points: Sequence[Point]) -> str:
    """The points without those in the middle of a straight line."""
    kept: list[Point] = []
    for point in points:
        if len(kept) > 1 and _turn(kept[-2], kept[-1], point) < 1e-6:
            kept.pop()
        kept.append(point)
    return "M" + "L".join(f"{_n(px)} {_n(py)}" for px, py in kept)


def _turn(a: Point, b: Point, c: Point) -> float:
    return abs((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]))


def _stroke(style: Style) -> str:
    dash = f' stroke-dasharray="{style.dash}"' if style.dash else ""
    return f' stroke-width="{style.width:g}"{dash}'


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
