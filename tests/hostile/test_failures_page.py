"""Each line of docs/failures.md names a test that exists."""

from __future__ import annotations

import ast
import re
from functools import cache

from crawl_tools import ROOT

PAGE = (ROOT / "docs/failures.md").read_text(encoding="utf-8")


@cache
def names_in(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_each_line_names_a_test_that_exists() -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| what")]
    assert len(lines) > 40
    for line in lines:
        named = re.fullmatch(r"\| .+ \| .+ \| `(tests/\S+\.py)::(test_\w+)` \|", line)
        assert named and named[2] in names_in(named[1]), line
