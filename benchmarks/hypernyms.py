"""How many words get a sensible hypernym (Sun et al. 2018, section 1.3), by a person's reading.

    python benchmarks/hypernyms.py [WORDS ...]

``benchmarks/hypernyms.tsv`` holds the set that a word is of, the word, and the hypernyms that were read as sensible. For files
with a word a line, their hypernyms are printed instead, to be read.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from topical_crawler.resources.registry import Resources
from topical_crawler.strategies.esvsm.hypernyms import HypernymFinder


def main(files: list[str]) -> None:
    finder = HypernymFinder(Resources.from_settings({}, {}))
    for word in (line for file in files for line in _lines(Path(file))):
        print(word, *((found.word, found.source) if (found := finder.of(word)) else ("–",)))
    if files:
        return
    words, right = Counter[str](), Counter[str]()
    for line in _lines(Path(__file__).with_suffix(".tsv")):
        group, word, sensible = line.split("\t")
        found = finder.of(word)
        words[group] += 1
        if found and found.word in sensible.split():
            right[group] += 1
        else:
            print(f"{group}: {word} – {found.word if found else 'none'}, not {sensible.replace(' ', ', ') or 'read as any'}")
    for group in words:
        print(f"{group}: {right[group]} of {words[group]}")
    print(f"all: {right.total()} of {words.total()}")


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


if __name__ == "__main__":
    main(sys.argv[1:])
