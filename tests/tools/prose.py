#!/usr/bin/env python3
"""Count what makes prose hard to read, by folder, and exit with 1 above a bound: ``python tests/tools/prose.py``.

First paragraphs of docstrings: the share that begins with What, Whether, How or Of, the share with a semicolon, and relative
words per 100 words. Messages: lines with "Remedy:". Documentation: words, without the bars of tables. The bounds only fall.
"""

import ast
import re
import sys
from collections import defaultdict
from dataclasses import astuple, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "topical_crawler"
NOUN_CLAUSES = {"What", "Whether", "How", "Of"}
RELATIVE = {"that", "what", "where", "which", "who", "whom", "whose"}
BOUNDS = {"What/Whether/How/Of %": 0.1, "semicolon %": 0.2, "relative/100": 0.3, "Remedy:": 0, "words of the site": 19_000}


@dataclass
class Counts:
    paragraphs: int = 0
    noun_clauses: int = 0
    semicolons: int = 0
    words: int = 0
    relative: int = 0
    remedies: int = 0

    def add(self, paragraph: str) -> None:
        words = re.findall("[A-Za-z]+", paragraph)
        self.paragraphs += 1
        self.noun_clauses += bool(words) and words[0] in NOUN_CLAUSES
        self.semicolons += ";" in paragraph
        self.words += len(words)
        self.relative += sum(word.lower() in RELATIVE for word in words)

    def figures(self) -> tuple[float, float, float, int]:
        paragraphs, words = max(1, self.paragraphs), max(1, self.words)
        shares = 100 * self.noun_clauses / paragraphs, 100 * self.semicolons / paragraphs, 100 * self.relative / words
        return *shares, self.remedies


def first_paragraphs(source: str) -> list[str]:
    """Return the first paragraph of each docstring of a module."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = [ast.get_docstring(node) for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]
    return [text.split("\n\n")[0] for text in docstrings if text]


def main() -> int:
    folders: defaultdict[str, Counts] = defaultdict(Counts)
    total = Counts()
    for file in sorted(PACKAGE.rglob("*")):
        if file.suffix not in (".py", ".tsv"):
            continue
        text = file.read_text(encoding="utf-8")
        folder = file.relative_to(PACKAGE).parts[0] if file.parent != PACKAGE else "(root)"
        for counts in (folders[folder], total):
            counts.remedies += sum("Remedy:" in line for line in text.splitlines())
            for paragraph in first_paragraphs(text) if file.suffix == ".py" else ():
                counts.add(paragraph)
    print(f"{'folder':<24}{'docstrings':>11}{'What… %':>9}{'; %':>7}{'rel./100':>10}{'Remedy:':>9}")
    for name, counts in (*sorted(folders.items()), ("total", total)):
        if any(astuple(counts)):
            noun_clauses, semicolons, relative, remedies = counts.figures()
            print(f"{name:<24}{counts.paragraphs:>11}{noun_clauses:>9.1f}{semicolons:>7.1f}{relative:>10.2f}{remedies:>9}")
    site = sum(len(re.findall(r"\S*\w\S*", page.read_text(encoding="utf-8"))) for page in (ROOT / "docs").rglob("*.md"))
    print(f"words of the site: {site:,}")
    above = [
        f"{name} is {value:.2f}, above {bound}"
        for (name, bound), value in zip(BOUNDS.items(), (*total.figures(), site), strict=True)
        if value > bound
    ]
    print("\n".join(above), end="\n" if above else "", file=sys.stderr)
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
