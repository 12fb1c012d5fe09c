"""Each line of docs/failures.md names a test that exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from crawl_tools import ROOT

PAGE = (ROOT / "docs/failures.md").read_text(encoding="utf-8")
LINES = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| what")]


def names_in(file: Path) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("line", LINES)
def test_each_line_names_a_test_that_exists(line: str) -> None:
    named = re.fullmatch(r"\| .+ \| .+ \| `(tests/\S+\.py)::(test_\w+)` \|", line)
    assert named, line
    assert named[2] in names_in(ROOT / named[1])
