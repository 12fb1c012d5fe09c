"""The structure that docs/architecture.md describes: lines of code, circles of imports, long functions, paths that exist."""

import re
import runpy
from pathlib import Path

from code_lines import by_folder, long_functions

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "topical_crawler"
DRAWING = runpy.run_path(str(ROOT / "docs/draw_architecture.py"))

MOST_CODE_LINES = 34_624
"""Of the package, without blank lines, comments and docstrings. Whoever deletes lowers it: it only falls."""
MOST_LINES_OF_A_FUNCTION = 100


def test_code_lines_stay_below_the_bound() -> None:
    counts = by_folder([PACKAGE])
    assert counts.total() <= MOST_CODE_LINES, counts.most_common()


def test_functions_stay_short() -> None:
    found = {
        str(file.relative_to(ROOT)): names
        for file in sorted(PACKAGE.rglob("*.py"))
        if (names := long_functions(file.read_text(encoding="utf-8"), MOST_LINES_OF_A_FUNCTION))
    }
    assert found == {}


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    """Imports inside functions count, since they are how a circle hides."""
    circles = DRAWING["circles"](DRAWING["module_graph"](inside=True))
    assert circles == set()


def test_every_package_is_in_the_picture() -> None:
    packages = {folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").is_file()}
    assert packages - {"spiders", "downloadermiddlewares"} | {"shell", "files"} == set(DRAWING["ROOMS"])


def test_every_path_of_the_page_exists() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    paths = re.findall(r"`([a-z_0-9]+(?:/[a-z_0-9]+)*(?:/|\.py))`", text)
    assert len(paths) > 25
    # A bare name stands beside the path before it.
    folders = [PACKAGE, ROOT, *(PACKAGE / Path(path).parent for path in paths if "/" in path.rstrip("/"))]
    assert [path for path in paths if not any((folder / path).exists() for folder in folders)] == []
