"""The profile of a crawl counts time by file and function: a name that no longer exists would count for nothing."""

import ast
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = runpy.run_path(str(ROOT / "benchmarks/crawl.py"))["PARTS"]
STRATEGY = ROOT / "topical_crawler/strategies/base.py"  # what a method does not override


@pytest.mark.parametrize(("place", "function"), PARTS)
def test_every_function_of_the_profile_exists(place: str, function: str) -> None:
    files = [file for file in ROOT.glob("topical_crawler/**/*.py") if f"{file.parent.name}/{file.name}" == place]
    assert len(files) == 1
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in (*files, STRATEGY)]
    names = {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert function == "*" or function in names
