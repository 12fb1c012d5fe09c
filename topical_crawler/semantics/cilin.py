"""Cilin, the thesaurus of synonym groups (同义词词林, Mei Jiaju 1983; extended edition of the Harbin Institute of Technology).

A line is a group: ``Aa01A01= 人 士 人物 人士``. The code names a class on four levels (``A``, ``a``, ``01``, ``A``) and the group
in it (``01``); the sign says what its words are to each other: ``=`` synonyms, ``#`` of a kind, not synonyms, ``@`` a word alone.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from topical_crawler.semantics.sememes import read_lines
from topical_crawler.text import normalise

Relation = Literal["=", "#", "@"]

_LINE = re.compile(r"(?P<code>[A-Z][a-z]\d\d[A-Z]\d\d)(?P<relation>[=#@])(?P<words>(\s+\S+)+)")


@dataclass(frozen=True, slots=True)
class Group:
    """Words that stand under one code.

    Attributes:
        code: the code without its sign, e.g. ``Aa01A01``; ``Aa01A01/2`` for the second group of the same code.
        relation: ``=`` synonyms, ``#`` words of a kind, ``@`` a word alone.
        words: normalised, without repetitions, in the order of the file.
    """

    code: str
    relation: Relation
    words: tuple[str, ...]


class Cilin:
    """The groups of a Cilin file, by code and by word.

    Published files use a few codes for two unlike groups each (``Ga05A01`` is 灰心 and 计划): the later ones get ``/2``, so that
    their words do not pass for synonyms.

    Args:
        path: the file, UTF-8, a group a line.

    Attributes:
        groups: by code without its sign.

    Raises:
        ValueError: a line that is no group, or a file without any; names file and line.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.groups: dict[str, Group] = {}
        self._codes: dict[str, list[str]] = {}
        for number, line in read_lines(self.path):
            match = _LINE.fullmatch(line)
            if match is None:
                raise ValueError(
                    f"{self.path}:{number}: expected 'code word word…', e.g. 'Aa01A01= 人 士', got {line[:60]!r}; "
                    f"correct or delete the line"
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
        """The codes of the groups that hold ``word``, without their sign, in the order of the file; () if there is none."""
        return tuple(self._codes.get(normalise(word), ()))

    def synonyms(self, word: str) -> list[str]:
        """The other words of the ``=`` groups of ``word``, each once, in the order of the file."""
        return self._others(word, "=")

    def kin(self, word: str) -> list[str]:
        """The other words of its ``#`` groups: of the same kind, not synonyms (百合, 茉莉), in the order of the file."""
        return self._others(word, "#")

    def _others(self, word: str, relation: Relation) -> list[str]:
        word = normalise(word)
        groups = [self.groups[code] for code in self._codes.get(word, ())]
        return list(dict.fromkeys(w for g in groups if g.relation == relation for w in g.words if w != word))

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and normalise(word) in self._codes

    def __len__(self) -> int:
        """Number of distinct words."""
        return len(self._codes)
