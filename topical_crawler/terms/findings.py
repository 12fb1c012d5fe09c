"""What a check of a topic finds, and where in the topic's files it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from topical_crawler.text import normalise
from topical_crawler.topic import Topic, topic_line
from topical_crawler.topic_files import read_lines

Severity = Literal["error", "warning", "note"]

TERMS, WEIGHTS, ADJUST, SEEDS, CONFIG = "terms.tsv", "weights.tsv", "adjust.tsv", "seeds.txt", "topic.toml"

_LOCATED = re.compile(r"(?P<file>.+?)(?:, line |:)(?P<line>\d+): (?P<rest>.+)", re.DOTALL)
_NAMED = re.compile(r"(?P<file>[^:]+\.(?:toml|tsv|txt)): (?P<rest>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a person should know of a topic.

    Attributes:
        severity: "error": no crawl can start so; "warning": likely a mistake; "note": worth knowing.
        about: what was looked at: "files", "resources", "coverage", "segmentation", "weights", "thresholds", "seeds".
        message: what was found.
        remedy: what to do; "" where there is nothing to do.
        file: the file's name in the topic's folder, or a path; "" for none.
        line: the first line concerned; 0 for the whole file.
        words: the words or URLs concerned with their lines (0: not known), the most important first.
    """

    severity: Severity
    about: str
    message: str
    remedy: str = ""
    file: str = ""
    line: int = 0
    words: tuple[tuple[str, int], ...] = field(default=())

    @classmethod
    def from_error(cls, error: Exception, about: str = "files") -> Finding:
        """The finding that an error of a reader tells: "FILE, line N: what. Remedy: what to do".

        >>> finding = Finding.from_error(ValueError("./t/terms.tsv, line 3: '党建' stands already in line 1. Remedy: keep one"))
        >>> finding.file, finding.line, finding.message, finding.remedy
        ('./t/terms.tsv', 3, "'党建' stands already in line 1", 'keep one')
        """
        file, line, rest = "", 0, str(error)
        if found := _LOCATED.fullmatch(rest):
            file, line, rest = found["file"], int(found["line"]), found["rest"]
        elif found := _NAMED.fullmatch(rest):
            file, rest = found["file"], found["rest"]
        message, _, remedy = rest.partition(" Remedy: ")
        return cls("error", about, message.rstrip(". "), remedy, file, line)


class TopicLines:
    """Where the words of a topic stand in its files.

    Args:
        topic: read from a folder; of one inside a zipped egg no line is known.

    Attributes:
        words: per file (terms.tsv, weights.tsv, adjust.tsv) the line of each normalised word.
        raw: per file the cell as it is written.
        reasons: words of adjust.tsv with a reason.
        seeds: (URL, file, line) of every seed.
    """

    def __init__(self, topic: Topic) -> None:
        folder = Path(topic.source)
        self.words: dict[str, dict[str, int]] = {}
        self.raw: dict[str, dict[str, str]] = {}
        self.reasons: set[str] = set()
        for name in (TERMS, WEIGHTS, ADJUST):
            self.words[name], self.raw[name] = {}, {}
            for number, line in read_lines(folder / name):
                cells = [cell.strip() for cell in line.split("\t")]
                word = normalise(cells[0])
                self.words[name][word] = number
                self.raw[name][word] = cells[0]
                if name == ADJUST and len(cells) > 2 and cells[2]:
                    self.reasons.add(word)
        lines = [(line.split()[0], SEEDS, number) for number, line in read_lines(folder / SEEDS)]
        told = topic.seeds[: len(topic.seeds) - len(lines)]
        self.seeds = [(url, CONFIG, self.config(topic, "seeds")) for url in told] + lines

    def located(self, words: Iterable[str], file: str = TERMS) -> tuple[tuple[str, int], ...]:
        """``words`` with their lines in ``file``."""
        return tuple((word, self.words[file].get(word, 0)) for word in words)

    @staticmethod
    def config(topic: Topic, key: str) -> int:
        """The line of topic.toml that sets ``key``; 0 where none does."""
        found = re.search(r", line (\d+)$", topic_line(topic, key))
        return int(found[1]) if found else 0
