"""English glosses of Chinese words (CC-CEDICT, the community's Chinese-English dictionary), by which words can be compared: what
is translated alike means nearly the same."""

from __future__ import annotations

import gzip
import math
import os
import re
import zlib
from collections import Counter
from pathlib import Path

from topical_crawler.resources.registry import open_packed
from topical_crawler.text.segment import normalise

_LINE = re.compile(r"\S+ (?P<word>\S+) \[[^\]]*\] /(?P<glosses>.+)/")
_ASIDE = re.compile(r"\[[^\]]*\]|\([^()]*\)")  # how a word is read; remarks
_NO_MEANING = re.compile(r"CL:|surname |(?:\S+ )?pr\. \[")  # measure words, names, other readings
_HAN = "[\u3400-\u9fff\uf900-\ufaff]"
_REFERENCE = re.compile(  # to another word: "see 電腦|电脑", "erhua variant of 點|点"; a meaning may follow
    rf"^\s*(?:\S+\s+){{0,3}}(?:also|as|called|for|in|of|see|to|with|written)\s+{_HAN}(?:.*{_HAN})?"
)
_WORD = re.compile("[a-z]+")


class Glosses:
    """The glosses of a dictionary of the form of CC-CEDICT, UTF-8, gzipped or not, by normalised simplified word: its lines are
    ``軟件 软件 [ruan3 jian4] /(computer) software/``, or begin with ``#``. A gloss is the set of its English words, without
    remarks and references to other words. Raises ValueError, naming file and line, for a line that is none of these, or a file
    without any word.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.glosses: dict[str, list[frozenset[str]]] = {}
        number = 0
        try:
            with open_packed(self.path) as file:
                for number, raw in enumerate(file, 1):
                    if (line := raw.decode("utf-8-sig").strip()) and not line.startswith("#"):
                        self._read(number, line)
        except UnicodeDecodeError as error:
            raise ValueError(f"{self.path}:{number}: not UTF-8 ({error.reason}); get the file again") from None
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{self.path}: damaged gzip data ({error}); get the file again") from None
        if not self.glosses:
            raise ValueError(f"{self.path}: no word in the file; expected lines like '軟件 软件 [ruan3 jian4] /software/'")
        holders = Counter(english for found in self.glosses.values() for english in frozenset().union(*found))
        self._rarity = {english: math.log(len(self.glosses) / times) ** 2 for english, times in holders.items()}

    def _read(self, number: int, line: str) -> None:
        if (match := _LINE.fullmatch(line)) is None:
            raise ValueError(
                f"{self.path}:{number}: expected '軟件 软件 [ruan3 jian4] /software/', got {line[:60]!r}; correct or delete it"
            )
        meanings = (_ASIDE.sub("", gloss.lower()) for gloss in match["glosses"].split("/") if not _NO_MEANING.match(gloss))
        parts = (_REFERENCE.sub("", part) for meaning in meanings for part in meaning.split(";"))
        self.glosses.setdefault(normalise(match["word"]), []).extend(filter(None, map(frozenset, map(_WORD.findall, parts))))

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and normalise(word) in self.glosses

    def __len__(self) -> int:
        """Number of words."""
        return len(self.glosses)

    def similarity(self, a: str, b: str) -> float:
        """How alike the two most alike glosses of two words are, in [0, 1]: the cosine of their English words, of which the rare
        ones count more (the square of ln(words / words with it in a gloss)); 0.0 where a word has none."""
        ours, theirs = (self.glosses.get(normalise(word), ()) for word in (a, b))
        return max((self._cosine(one, other) for one in ours for other in theirs), default=0.0)

    def _cosine(self, one: frozenset[str], other: frozenset[str]) -> float:
        lengths = self._length(one) * self._length(other)
        return min(sum(map(self._rarity.__getitem__, one & other)) / lengths, 1.0) if lengths else 0.0

    def _length(self, gloss: frozenset[str]) -> float:
        """The length of a gloss as a vector; 0 where each of its words stands in a gloss of every word."""
        return math.sqrt(sum(map(self._rarity.__getitem__, gloss)))
