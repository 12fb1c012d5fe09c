"""How the curves of strategies look, the same in every picture: the methods in strong colours, the baselines of a method's paper
in a paler tone of its colour, all others in grey; strategies of one tone differ in their dashes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

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
