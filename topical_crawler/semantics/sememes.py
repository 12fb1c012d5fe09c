"""Sememes, the units of meaning of HowNet, and how similar two of them are (Liu & Li 2002, Eq. 3)."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ALPHA = 1.6
"""Distance at which two sememes are half similar (α of Liu & Li 2002, Eq. 3)."""
GAMMA = 0.2
"""Similarity of a sememe and a concrete word (γ of Liu & Li 2002, section 4.2)."""
NO_PATH = 20
"""Distance of sememes of different trees. Not printed; it follows from 思考-思想 = 0.074 = 1.6 / (20 + 1.6) in Table 4."""


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """(number from 1, stripped line) of the lines that are not blank.

    Raises:
        ValueError: the file is not UTF-8, as the original HowNet files are not.
    """
    with path.open(encoding="utf-8-sig") as file:
        try:
            for number, line in enumerate(file, 1):
                if line := line.strip():
                    yield number, line
        except UnicodeDecodeError:
            raise ValueError(
                f"{path}: not UTF-8; convert it, e.g. iconv -f GB18030 -t UTF-8 {path.name} > {path.stem}.txt"
            ) from None


class SememeTree:
    """The hypernym forest of the sememes, read from lines ``index sememe parent`` (a root is its own parent).

    A sememe that stands at several places (``event|事件`` does) is as far from another as its nearest place.

    Args:
        path: the file, UTF-8 with or without byte order mark.

    Raises:
        ValueError: a line that does not have this form, an index that comes twice, a parent that does not exist, or a cycle.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._parents: dict[int, int] = {}
        self._names: dict[int, str] = {}
        lines: dict[int, int] = {}
        for number, line in read_lines(self.path):
            index, name, parent = self._fields(line, number)
            if index in self._parents:
                raise ValueError(f"{self.path}:{number}: index {index} comes twice; give every sememe its own number")
            self._names[index], self._parents[index], lines[index] = name, parent, number
        for index, parent in self._parents.items():
            if parent not in self._parents:
                raise ValueError(f"{self.path}:{lines[index]}: parent {parent} is no index of this file; is the file complete?")
        self._places: dict[str, list[int]] = defaultdict(list)
        for index, name in self._names.items():
            self._places[name].append(index)
        self._english: dict[str, list[int]] = defaultdict(list)
        for name, places in self._places.items():
            self._english[name.partition("|")[0]].extend(places)
        self._chains = {index: self._chain(index, lines) for index in self._parents}

    def _fields(self, line: str, number: int) -> tuple[int, str, int]:
        fields = line.split()
        try:
            index, name, parent = int(fields[0]), fields[1], int(fields[2])
        except (ValueError, IndexError):
            fields = []
        if len(fields) != 3:
            raise ValueError(f"{self.path}:{number}: expected 'index sememe parent', got {line!r}; correct or delete the line")
        return index, name, parent

    def _chain(self, index: int, lines: dict[int, int]) -> list[int]:
        chain = [index]
        while (parent := self._parents[chain[-1]]) != chain[-1]:
            if len(chain) > len(self._parents):
                raise ValueError(f"{self.path}:{lines[index]}: {index} is its own ancestor; a root has itself as parent")
            chain.append(parent)
        return chain

    def places(self, sememe: str) -> list[int]:
        """The indices at which a sememe stands, found by its full name or, failing that, by its English part; [] if unknown."""
        return self._places.get(sememe) or self._english.get(sememe.partition("|")[0], [])

    def __contains__(self, sememe: object) -> bool:
        return isinstance(sememe, str) and bool(self.places(sememe))

    def __len__(self) -> int:
        return len(self._places)

    def similarities(self, sememes: Sequence[str]) -> NDArray[np.float64]:
        """Similarity of every pair, shape ``(len(sememes), len(sememes))``, range (0, 1]: α / (α + distance).

        Different sememes of which one is unknown to the tree are :data:`NO_PATH` apart.
        """
        chosen = [self.places(s) for s in sememes]
        nodes = sorted({index for places in chosen for index in places})
        row = {index: i for i, index in enumerate(nodes)}
        column = {index: i for i, index in enumerate(sorted({a for n in nodes for a in self._chains[n]}))}
        ancestors = np.zeros((len(nodes), len(column)), dtype=np.float32)
        for index in nodes:
            ancestors[row[index], [column[a] for a in self._chains[index]]] = 1
        shared = ancestors @ ancestors.T  # how many ancestors two places share, themselves counted
        depth = ancestors.sum(axis=1)
        distance = np.where(shared > 0, depth[:, None] + depth[None, :] - 2 * shared, NO_PATH)

        result = np.full((len(sememes), len(sememes)), NO_PATH, dtype=np.float64)
        known = [i for i, places in enumerate(chosen) if places]
        if known:
            flat = np.array([row[p] for i in known for p in chosen[i]])
            starts = np.cumsum([0] + [len(chosen[i]) for i in known[:-1]])
            nearest = np.minimum.reduceat(distance[flat][:, flat], starts, axis=0)
            result[np.ix_(known, known)] = np.minimum.reduceat(nearest, starts, axis=1)
        result = ALPHA / (ALPHA + result)
        np.fill_diagonal(result, 1.0)
        return result


def value_similarities(values: Sequence[str], tree: SememeTree) -> NDArray[np.float64]:
    """Similarity of all that can be a value in a definition: sememes, and concrete words, which stand in brackets.

    Shape ``(len(values), len(values))``, range [0, 1]. A concrete word and a sememe: :data:`GAMMA`; two concrete words: 1 if
    they are the same, else 0 (Liu & Li 2002, section 4.2).
    """
    concrete = np.array([v.startswith("(") for v in values], dtype=bool)
    result = tree.similarities(values)
    result[concrete[:, None] ^ concrete[None, :]] = GAMMA
    result[concrete[:, None] & concrete[None, :]] = 0.0
    np.fill_diagonal(result, 1.0)
    return result
