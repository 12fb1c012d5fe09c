"""The structure that docs/architecture.md describes: bounds on its size, and paths that exist."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "topical_crawler"
DRAWING = runpy.run_path(str(ROOT / "docs/draw_architecture.py"))
MOST_FILES, MOST_LINES, MOST_AT_ROOT, MOST_DEPTH, MOST_ON_THE_WAY = 230, 50_300, 17, 14, 45


def test_the_package_stays_small() -> None:
    files = list(PACKAGE.rglob("*.py"))
    assert len(files) <= MOST_FILES
    assert sum(file.read_bytes().count(b"\n") for file in files) <= MOST_LINES
    assert len(list(PACKAGE.glob("*.py"))) <= MOST_AT_ROOT


def test_chains_of_imports_stay_short() -> None:
    chain = DRAWING["depth"](DRAWING["module_graph"]())
    assert len(chain) <= MOST_DEPTH, " -> ".join(chain)


def test_a_fetched_page_runs_through_few_files() -> None:
    way = subprocess.run([sys.executable, ROOT / "benchmarks/page_way.py"], capture_output=True, text=True, check=True)
    files = re.findall(r"^ +\d+  (topical_crawler/\S+\.py)$", way.stdout, re.MULTILINE)
    assert 20 < len(files) <= MOST_ON_THE_WAY, files


def test_every_package_is_in_the_picture() -> None:
    packages = {folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").is_file()} - {"spiders"}
    assert packages | {"shell", "files"} == set(DRAWING["ROOMS"])


def test_every_path_of_the_page_exists() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    paths = re.findall(r"`([a-z_0-9]+(?:/[a-z_0-9]+)*(?:/|\.py))`", text)
    assert len(paths) > 25
    # A bare name stands beside the path before it.
    folders = [PACKAGE, ROOT, *(PACKAGE / Path(path).parent for path in paths if "/" in path.rstrip("/"))]
    assert [path for path in paths if not any((folder / path).exists() for folder in folders)] == []
