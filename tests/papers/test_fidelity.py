"""experiments/fidelity.md names a line of code for every equation and algorithm of the papers, and that line is the right one."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = runpy.run_path(str(ROOT / "tests/tools/number_fidelity.py"))
TEXT = (ROOT / "experiments/fidelity.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in TEXT.splitlines() if line.startswith("| ")]
REFERENCES = [match.groups() for match in TOOL["REFERENCE"].finditer(TEXT)]


@pytest.mark.parametrize(("symbol", "path", "line", "target", "anchor"), REFERENCES, ids=[f"{r[1]}:{r[0]}" for r in REFERENCES])
def test_the_line_defines_what_it_is_said_to(symbol: str, path: str, line: str, target: str, anchor: str) -> None:
    assert (target, anchor) == (path, line)
    assert (ROOT / path).is_file(), f"experiments/fidelity.md names {path}, and there is no such file"
    found = TOOL["lines_of"](symbol, ROOT / path)
    assert found[:1] == [int(line)], f"{symbol} is in line {found} of {path}. Remedy: python tests/tools/number_fidelity.py"


def test_every_row_has_a_line_of_code() -> None:
    rows = [row for row in ROWS if row[0] != "paper"]
    assert len(rows) > 40
    assert [row[0] for row in rows if len(row) != 3 or not TOOL["REFERENCE"].fullmatch(row[1]) or not row[2]] == []


@pytest.mark.parametrize(("paper", "equations", "algorithms"), [("Zhou", 6, 3), ("Sun", 10, 0), ("Zhang", 8, 0), ("Chen", 4, 0)])
def test_every_equation_has_a_row(paper: str, equations: int, algorithms: int) -> None:
    section = re.split(r"^## ", TEXT, flags=re.MULTILINE)
    (own,) = (part for part in section if part.startswith(paper))
    listed = " ".join(re.findall(r"^\| .*?Eq\. ([\d, ]+)", own, re.MULTILINE))
    named = set(re.findall(r"\d+", listed))
    assert named == {str(n) for n in range(1, equations + 1)}
    assert set(re.findall(r"^\| Algorithm (\d)", own, re.MULTILINE)) == {str(n) for n in range(1, algorithms + 1)}


def test_another_line_is_found_out(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text("class A:\n    def f(self) -> int:\n        return g(1)\n\n\ndef f() -> int:\n    return 1\n\n\nN = 3\n")
    assert [TOOL["lines_of"](symbol, file) for symbol in ("A", "A.f", "f", "N", "g")] == [[1], [2], [2, 6], [10], []]
