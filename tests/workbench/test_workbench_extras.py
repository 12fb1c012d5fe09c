"""A topic is made on the base install, and with every extra."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from extras_tools import EXTRAS, link, python
from workbench_tools import workbench

from topical_crawler.topic.topic import load_topic

SENTENCE = "健康养生与疾病预防的知识"
MODULES = {"workbench": "starlette", "fast": "rjieba", "parquet": "pyarrow", "sklearn": "sklearn", "mcp": "mcp", "dev": "pytest"}
"""One of each of these extras."""
EACH = [pytest.param(extra, marks=[] if extra == "workbench" else [pytest.mark.slow]) for extra in EXTRAS]


def found_by(site: Path, folder: Path) -> set[str]:
    """The modules of other extras that can be imported."""
    code = f"import importlib.util as u; print(*(m for m in {[*MODULES.values()]} if u.find_spec(m)))"
    return set(python(site, "-c", code, cwd=folder).stdout.split())


def test_the_base_install_makes_one_by_a_command(tmp_path: Path) -> None:
    site = link(tmp_path / "site")
    assert found_by(site, tmp_path) == set()
    done = python(site, "-m", "topical_crawler", "new", "./health", SENTENCE, "-s", "TOPICAL_RESOURCES=0", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {"健康", "养生"} <= {*load_topic(tmp_path / "health").terms}
    refused = python(site, "-m", "topical_crawler", "workbench", cwd=tmp_path)
    assert refused.returncode == 2 and "Run pip install 'topical-crawler[workbench]'" in refused.stderr


@pytest.mark.parametrize("extra", EACH)
def test_the_workbench_makes_one(tmp_path: Path, extra: str) -> None:
    try:
        site = link(tmp_path / "site", "workbench", extra)
    except PackageNotFoundError as error:
        pytest.skip(str(error))
    here = {module for name, module in MODULES.items() if name in ("workbench", extra)}
    assert here <= found_by(site, tmp_path) < set(MODULES.values())
    program = (Path(__file__).resolve().parents[1] / "tools/extras_tools.py", site)
    with workbench(tmp_path, "-s", f"TOPICAL_RESOURCES_DIR={tmp_path / 'none'}", program=program) as served:
        found = served.api("/topics/new", sentence=SENTENCE)
        terms = {term["word"]: term["weight"] for term in found["terms"]}
        assert {"健康", "养生"} <= {*terms} and found["missing"] > 0
        served.act("/topics", name="health", sentence=SENTENCE, word=[*terms], weight=[*map(str, terms.values())])
    assert load_topic(tmp_path / "topics/health").terms.keys() == terms.keys()
