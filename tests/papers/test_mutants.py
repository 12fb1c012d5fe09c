"""The formulas that papers print, changed one place at a time: a test must notice. ``make mutate`` does so for all of them."""

import subprocess
import sys
from pathlib import Path

import mutants
import pytest

ROOT = Path(__file__).resolve().parents[2]
PRINTED = ("Priority.of:", "WordExtension.exp:", "TextAndAnchor.priority:", "ContentUrl._factor:")
"""Eq. 5 of Zhou et al., Eq. 5 of Zhang et al., Eq. 9 of Sun et al., the factors of Chen & Zhu."""


@pytest.mark.slow
def test_a_test_notices_every_change_of_the_priorities() -> None:
    line = [sys.executable, "benchmarks/mutants.py", *(part for name in PRINTED for part in ("--only", name))]
    done = subprocess.run(line, cwd=ROOT, env=mutants.environment(), capture_output=True, text=True)
    assert done.returncode == 0 and "0 survivors" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_a_change_that_no_test_notices_is_named() -> None:
    name = "order_weights: 1.0 -> 1.1"  # is equivalent
    line = [sys.executable, "-c", f"import mutants; mutants.EQUIVALENT.pop({name!r}); raise SystemExit(mutants.main())"]
    environment = mutants.environment()
    environment["PYTHONPATH"] += f":{ROOT / 'benchmarks'}"
    done = subprocess.run([*line, "--only", name], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and f"no test fails: {name}" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a - b", ["a + b", "a", "b", "b - a"]),
        ("a < b", ["a <= b", "a >= b"]),
        ("min(a, 2)", ["max(a, 2)", "min(a, 3)"]),
        ("x if a else y", ["x", "y"]),
        ("p.alpha * 0.5", ["p.alpha / 0.5", "p.alpha", "0.5", "p.beta * 0.5", "p.alpha * 0.55"]),
        ("[w for w in ws if w]", ["[w for w in ws]"]),
    ],
)
def test_what_is_changed(text: str, expected: list[str]) -> None:
    assert mutants.changed(text) == expected
