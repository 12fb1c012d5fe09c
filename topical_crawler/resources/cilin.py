"""Cilin, the thesaurus of synonym groups (同义词词林, Mei Jiaju 1983, extended edition of the Harbin Institute of Technology).

A line is a group: ``Aa01A01= 人 士 人物 人士``. The code combines a class on four levels (``A``, ``a``, ``01``, ``A``) and a
group number (``01``). The sign is the relation of the words: ``=`` synonyms, ``#`` of a kind, not synonyms, ``@`` a single
word.

The named classes above the groups are hypernyms of the words. Their file is a JSON object of four levels, ``{"A": {"tag": "人",
"sub": {"a": {"tag": "人-泛称", "sub": …}}}}``. The fourth level's ``sub`` holds the groups, ``{"01=": ["人", "士", …]}``.
"""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from topical_crawler.resources.hownet import read_lines
from topical_crawler.resources.registry import read_json
from topical_crawler.text.segment import normalise

Relation = Literal["=", "#", "@"]

_LINE = re.compile(r"(?P<code>[A-Z][a-z]\d\d[A-Z]\d\d)(?P<relation>[=#@])(?P<words>(\s+\S+)+)")


@dataclass(frozen=True, slots=True)
class Group:
    """Words sharing a code."""

    code: str  # the code without its sign, e.g. `Aa01A01`, or `Aa01A01/2` for the second group of the same code
    relation: Relation  # `=` synonyms, `#` words of a kind, `@` a single word
    words: tuple[str, ...]  # normalised, without repetitions, in the order of the file


class Cilin:
    """Groups of a Cilin file by code without its sign and by word. The file is UTF-8 with one group a line.

    Published files use a few codes for two unlike groups each (``Ga05A01`` is 灰心 and 计划). The later ones get ``/2``, lest
    their words pass for synonyms.

    Raises:
        ValueError: a malformed line, or a file without groups. The message names file and line.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.groups: dict[str, Group] = {}
        self._codes: dict[str, list[str]] = {}
        for number, line in read_lines(self.path):
            match = _LINE.fullmatch(line)
            if match is None:
                raise ValueError(
                    f"{self.path}:{number}: expected 'code word word…', e.g. 'Aa01A01= 人 士', got {line[:60]!r}. "
                    f"Correct or delete the line"
                )
            code, times = match["code"], 1
            while code in self.groups:
                times += 1
                code = f"{match['code']}/{times}"
            words = tuple(dict.fromkeys(map(normalise, match["words"].split())))
            self.groups[code] = Group(code, cast(Relation, match["relation"]), words)
            for word in words:
                self._codes.setdefault(word, []).append(code)
        if not self.groups:
            raise ValueError(f"{self.path}: no group in the file; expected lines like 'Aa01A01= 人 士'")

    def codes(self, word: str) -> tuple[str, ...]:
        """Return the codes of the groups with ``word``, without their sign, in the order of the file, () if there are none."""
        return tuple(self._codes.get(normalise(word), ()))

    def synonyms(self, word: str) -> list[str]:
        """Return the other words of the ``=`` groups of ``word``, each once, in the order of the file."""
        return self._others(word, "=")

    def kin(self, word: str) -> list[str]:
        """Return the other words of its ``#`` groups: words of a kind, not synonyms (百合, 茉莉), in the order of the file."""
        return self._others(word, "#")

    def _others(self, word: str, relation: Relation) -> list[str]:
        word = normalise(word)
        groups = [self.groups[code] for code in self._codes.get(word, ())]
        return list(dict.fromkeys(w for g in groups if g.relation == relation for w in g.words if w != word))

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and normalise(word) in self._codes

    def __len__(self) -> int:
        """Return the number of distinct words."""
        return len(self._codes)


_KEYS = (r"[A-Z]", r"[a-z]", r"\d\d", r"[A-Z]")
_GROUP = re.compile(r"\d\d[=#@]")


@dataclass(frozen=True, slots=True)
class CilinClass:
    """Class of words."""

    code: str  # the first one, two, four or five characters of its groups' codes
    names: tuple[str, ...]  # its names, normalised, on level 4 the first word of each of its groups


class CilinTree:
    """Classes of Cilin by code, e.g. ``Dk06``, with the classes of each word.

    Raises:
        ValueError: not UTF-8 JSON of the form above. The message names the file and the place in it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.classes: dict[str, CilinClass] = {}
        self._codes: dict[str, list[str]] = {}
        self._read("", read_json(self.path), 1)
        if not self.classes:
            raise ValueError(f"{self.path}: expected a JSON object of classes, got an empty one. Get the file again")

    def _read(self, code: str, data: Any, level: int) -> None:
        if not isinstance(data, dict):
            self._refuse(code, "a JSON object of classes", data)
        for key, value in data.items():
            if level > len(_KEYS):
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
        raise ValueError(f"{self.path}: at {place or 'the top'}: expected {expected}, got {got}. Get the file again")

    def hypernyms(self, word: str) -> Iterator[tuple[CilinClass, ...]]:
        """Yield for each class with ``word`` in a group: that class (level 4) and its ancestors, up to level 1."""
        for code in dict.fromkeys(self._codes.get(normalise(word), ())):
            yield tuple(self.classes[code[:length]] for length in (5, 4, 2, 1))

    def __len__(self) -> int:
        """Return the number of classes."""
        return len(self.classes)
