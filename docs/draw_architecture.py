#!/usr/bin/env python3
"""Draw docs/architecture.svg from the imports in the code: ``python docs/draw_architecture.py``.

A box is a package (or the modules at the root, which are the Scrapy shell); an arrow points at what it imports. Arrows that
follow from others are left out.
"""

from __future__ import annotations

import ast
import io
import re
import sys
from collections import defaultdict
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "topical_crawler"
PICTURE = Path(__file__).with_name("architecture.svg")
SHELL = "shell"
"""The modules at the root that a Scrapy user knows, and the spiders."""
ROOMS = {
    "commands": "scrapy crawl | settings",
    "workbench": "the page in the browser",
    "cli": "one file per action",
    "services": "what both faces do",
    SHELL: "settings, spider, middlewares,\nscheduler, pipelines, extensions",
    "crawl": "session, policy, second looks, steering",
    "strategies": "adaptive; one folder per paper",
    "corpus": "record, store, near-duplicates",
    "extraction": "main text, date, kind",
    "meaning": "sentence encoders",
    "topic": "terms, seeds, thresholds",
    "resources": "HowNet, Cilin, vectors",
    "frontier": "SQLite, Redis",
    "cleaning": "boilerplate, quality",
    "recordings": "WARC reader and writer",
    "web": "page, addresses, decoding",
    "text": "words, rarity",
    "files": "atomic writes",
    "export": "JSONL, Parquet, TEI",
    "judging": "samples and marks",
    "evaluation": "labels, metrics",
    "sources": "texts to read",
    "authoring": "make a topic",
    "training": "word vectors",
}
_SMALL = {"items", "logs", "config", "workers", "package_data", "__init__", "version", "statistics"}
"""Modules of use to everybody, left out of the picture."""
_STEP, _WIDTH, _HEIGHT = 1.25, 2.5, 0.66


def room_of(module: str) -> str | None:
    """The box that a module belongs to; None for what the picture leaves out.

    >>> room_of("topical_crawler.frontier.sqlite"), room_of("topical_crawler.scheduler"), room_of("topical_crawler.items")
    ('frontier', 'shell', None)
    """
    parts = module.split(".")
    first = parts[1] if len(parts) > 1 else "__init__"
    if first in ROOMS:
        return first
    return None if first in _SMALL else SHELL


def module_graph(inside: bool = False) -> dict[str, set[str]]:
    """What each module imports of our own modules: at its top level, or ``inside`` its functions, too."""
    files = {}
    for file in sorted((ROOT / PACKAGE).rglob("*.py")):
        name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        files[name.removesuffix(".__init__")] = file
    graph: dict[str, set[str]] = {name: set() for name in files}
    for name, file in files.items():
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree) if inside else tree.body:
            for wanted in _imported(node):
                target = wanted if wanted in files else wanted.rpartition(".")[0]
                if target in files and target != name:
                    graph[name].add(target)
    return graph


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def circles(graph: dict[str, set[str]]) -> set[frozenset[str]]:
    """The largest sets of modules in which each one reaches all others.

    >>> sorted(map(sorted, circles({"a": {"b"}, "b": {"a", "c"}, "c": set()})))
    [['a', 'b']]
    """
    reached: dict[str, set[str]] = {}
    for name in graph:
        waiting, found = [name], set()
        while waiting:
            new = graph[waiting.pop()] - found
            found |= new
            waiting += new
        reached[name] = found
    return {frozenset(other for other in reached[name] if name in reached[other]) for name in graph if name in reached[name]}


def rooms(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """What each box imports of the others, without what follows from a longer way."""
    direct: dict[str, set[str]] = defaultdict(set)
    for name, others in graph.items():
        if (room := room_of(name)) is not None:
            direct[room] |= {other for m in others if (other := room_of(m)) is not None and other != room}

    def reached(room: str, seen: set[str]) -> set[str]:
        for other in direct[room] - seen:
            seen.add(other)
            reached(other, seen)
        return seen

    return {
        room: {other for other in direct[room] if not any(other in reached(third, set()) for third in direct[room] - {other})}
        for room in ROOMS
    }


def levels(arrows: dict[str, set[str]]) -> dict[str, int]:
    """The height of each box: above everything that it imports."""
    found: dict[str, int] = {}

    def level(room: str, above: tuple[str, ...]) -> int:
        if room not in found:
            below = [level(other, (*above, room)) for other in arrows[room] if other not in above]
            found[room] = 1 + max(below, default=-1)
        return found[room]

    for room in ROOMS:
        level(room, ())
    return found


def draw() -> str:
    """The picture as SVG, the same for the same code."""
    arrows = rooms(module_graph())
    height = levels(arrows)
    rows: dict[int, list[str]] = defaultdict(list)
    for room in ROOMS:
        rows[height[room]].append(room)
    place: dict[str, tuple[float, float]] = {}
    for row in sorted(rows):
        order = sorted(rows[row], key=lambda room: _middle(room, arrows, place))
        for n, room in enumerate(order):
            place[room] = ((n - (len(order) - 1) / 2) * (_WIDTH + 0.35), row * _STEP)
    widest = max(map(len, rows.values()))
    matplotlib.rcParams["svg.hashsalt"] = PACKAGE
    matplotlib.rcParams["svg.fonttype"] = "none"
    figure, axes = plt.subplots(figsize=(widest * 1.75, len(rows) * 0.95), layout="constrained")
    axes.axis("off")
    for room, others in arrows.items():
        for other in sorted(others):
            (x, y), (u, v) = place[room], place[other]
            arrow = FancyArrowPatch(
                (x, y - _HEIGHT / 2), (u, v + _HEIGHT / 2), arrowstyle="-|>", mutation_scale=9, color="#8a94a6", lw=0.9, zorder=1
            )
            axes.add_patch(arrow)
    for room, (x, y) in place.items():
        strong = room in ("strategies", "frontier", SHELL, "crawl", "corpus")
        box = FancyBboxPatch(
            (x - _WIDTH / 2, y - _HEIGHT / 2), _WIDTH, _HEIGHT, boxstyle="round,pad=0.03", zorder=2,
            facecolor="#dbe9f6" if strong else "#f4f6f9", edgecolor="#33557a" if strong else "#8a94a6", lw=1,
        )  # fmt: skip
        axes.add_patch(box)
        axes.text(x, y + 0.16, room, ha="center", va="center", fontsize=10, weight="bold", zorder=3)
        axes.text(x, y - 0.13, ROOMS[room], ha="center", va="center", fontsize=6, color="#333333", zorder=3)
    axes.set_xlim(-widest * (_WIDTH + 0.35) / 2, widest * (_WIDTH + 0.35) / 2)
    axes.set_ylim(-0.6, (len(rows) - 1) * _STEP + 0.6)
    picture = io.StringIO()
    figure.savefig(picture, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    return re.sub(r"[ \t]+$", "", picture.getvalue(), flags=re.MULTILINE)


def _middle(room: str, arrows: dict[str, set[str]], place: dict[str, tuple[float, float]]) -> float:
    below = [place[other][0] for other in arrows[room] if other in place]
    return sum(below) / len(below) if below else list(ROOMS).index(room) / 100


def main() -> int:
    PICTURE.write_text(draw(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
