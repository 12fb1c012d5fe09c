"""``python -m experiments``: its help, and what it imports."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from experiments.__main__ import EXPERIMENTS

RunScrapy = Callable[..., subprocess.CompletedProcess[str]]
ROOT = Path(__file__).resolve().parents[2]
IMPORTED = """
import sys
from experiments.__main__ import main
try:
    main(["--help"])
except SystemExit:
    pass
print(sorted(name for name in sys.modules if name.split(".")[0] in ("experiments", "topical_crawler", "scrapy")))
"""


def test_the_help_lists_all_and_imports_none() -> None:
    shown = subprocess.run([sys.executable, "-c", IMPORTED], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert all(name in shown for name in EXPERIMENTS)
    assert shown.splitlines()[-1] == "['experiments', 'experiments.__main__']"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_help(name: str, call_experiment: RunScrapy, tmp_path: Path) -> None:
    shown = call_experiment(name, "--help", cwd=tmp_path)
    assert shown.returncode == 0 and f"python -m experiments {name}" in shown.stdout


def test_a_setting_without_a_value(call_experiment: RunScrapy, tmp_path: Path) -> None:
    failed = call_experiment("words", "-s", "TOPICAL_SEED", cwd=tmp_path)
    assert failed.returncode == 2 and "-s TOPICAL_SEED: NAME=VALUE is expected" in failed.stderr
