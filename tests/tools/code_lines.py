"""Count lines of code: ``python tests/tools/code_lines.py [PATH ...]``, by folder, for the package by default.

A line counts when it holds a token of a statement. Blank lines, comments and docstrings are free.
"""

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "topical_crawler"
_NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER,
}  # fmt: skip
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_lines(source: str) -> int:
    """Return how many lines of a module hold code.

    >>> code_lines('\"\"\"What it is.\"\"\"\\n\\nx = [\\n    1,  # one\\n]\\n')
    3
    """
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            docstring = node.body[0]
            lines.difference_update(range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1))
    return len(lines)


def long_functions(source: str, most: int) -> list[str]:
    """Return the functions longer than ``most`` lines, from ``def`` to the last line, docstrings and all.

    >>> long_functions("def f():\\n    x = 1\\n    return x\\n", 2)
    ['f (3 lines)']
    """
    return [
        f"{node.name} ({length} lines)"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (length := (node.end_lineno or node.lineno) - node.lineno + 1) > most
    ]


def by_folder(paths: list[Path]) -> Counter[str]:
    """Return the lines of code of each folder among files and folders."""
    counts: Counter[str] = Counter()
    for path in paths:
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            counts[str(file.parent)] += code_lines(file.read_text(encoding="utf-8"))
    return counts


if __name__ == "__main__":
    counts = by_folder([Path(path) for path in sys.argv[1:]] or [PACKAGE])
    for folder, number in counts.most_common():
        print(f"{number:7,} {folder}")
    print(f"{counts.total():7,}")
