"""Floors: figures of recorded crawls that no change of the crawler may fall below unnoticed.

The file is TOML::

    [data-mining-books.odp2evsm]
    area = 0.85
    kept_f = 0.80

    [[lowered]]
    floor = "data-mining-books.odp2evsm.area"
    from = 0.88
    to = 0.85
    reason = "重复的书页不再计入"

A floor has a topic, a strategy and a figure (a name in :meth:`~experiments.comparison.RunFigures.scalars`). Lowering one takes a
reason under ``lowered``; a floor below its last lowering is an error.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.comparison import RunFigures

_LOWERED: Mapping[str, tuple[type, ...]] = {"floor": (str,), "from": (int, float), "to": (int, float), "reason": (str,)}


class FloorError(ValueError):
    """A file of floors cannot be read; the message names the file, the place and the remedy."""


@dataclass(frozen=True, slots=True)
class Floor:
    """The least value of one figure.

    Attributes:
        topic, strategy: which crawl.
        figure: name of the figure.
        least: its least value.
    """

    topic: str
    strategy: str
    figure: str
    least: float

    @property
    def name(self) -> str:
        """As it is called in the file and in messages."""
        return f"{self.topic}.{self.strategy}.{self.figure}"


def read_floors(path: Path) -> list[Floor]:
    """The floors of a file, in its order.

    Raises:
        FloorError: the file is no TOML or holds no floor, a floor is no number of 0 or more, or a lowering has no reason or
            disagrees with its floor.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FloorError(f"{path}: {error}. Remedy: write [TOPIC.STRATEGY] and lines like area = 0.8 below it") from None
    lowered = data.pop("lowered", [])
    floors = [
        Floor(topic, strategy, figure, _number(path, f"{topic}.{strategy}.{figure}", least))
        for topic, strategies in data.items()
        for strategy, figures in _table(path, topic, strategies).items()
        for figure, least in _table(path, f"{topic}.{strategy}", figures).items()
    ]
    if not floors:
        raise FloorError(f"{path}: no floor in it. Remedy: write [TOPIC.STRATEGY] and lines like area = 0.8 below it")
    _check_lowered(path, lowered, {floor.name: floor.least for floor in floors})
    return floors


def fallen(floors: Iterable[Floor], runs: Iterable[RunFigures]) -> list[tuple[Floor, float]]:
    """The floors that a crawl lies below, with its figure; of several crawls of one topic and strategy the worst counts.

    Raises:
        FloorError: there is no crawl for a floor, or no figure of that name.
    """
    figures: dict[tuple[str, str], list[Mapping[str, float]]] = {}
    for run in runs:
        figures.setdefault((run.key.topic, run.key.strategy), []).append(run.scalars())
    found = []
    for floor in floors:
        crawls = figures.get((floor.topic, floor.strategy))
        if not crawls:
            raise FloorError(f"the floor {floor.name} has no crawl. Remedy: evaluate {floor.strategy} on {floor.topic}, too")
        if floor.figure not in crawls[0]:
            raise FloorError(f"the floor {floor.name}: there is no such figure. Remedy: one of {', '.join(crawls[0])}")
        worst = min(crawl[floor.figure] for crawl in crawls)
        if worst < floor.least:
            found.append((floor, worst))
    return found


def _check_lowered(path: Path, lowered: Any, least: Mapping[str, float]) -> None:
    last: dict[str, float] = {}
    if not isinstance(lowered, list):
        raise FloorError(f"{path}: write each lowering below [[lowered]], with floor, from, to and reason")
    for number, entry in enumerate(lowered, 1):
        where = f"{path}, lowering {number}"
        if not isinstance(entry, dict) or not all(isinstance(entry.get(key), kinds) for key, kinds in _LOWERED.items()):
            raise FloorError(f"{where}: floor, from, to and reason are expected")
        if not entry["reason"].strip():
            raise FloorError(f"{where}: {entry['floor']} was lowered without a reason. Remedy: write why")
        if entry["floor"] not in least:
            raise FloorError(f"{where}: there is no floor {entry['floor']!r}. Remedy: delete the entry, or correct the name")
        last[entry["floor"]] = float(entry["to"])
    for name, to in last.items():
        if least[name] < to:
            raise FloorError(f"{path}: {name} is {least[name]:g}, lower than its last lowering to {to:g}. Remedy: add a reason")


def _table(path: Path, name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FloorError(f"{path}: {name} is no table. Remedy: write [TOPIC.STRATEGY] and lines like area = 0.8 below it")
    return value


def _number(path: Path, name: str, value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not value >= 0:
        raise FloorError(f"{path}: {name} is {value!r}. Remedy: a number of 0 or more")
    return float(value)
