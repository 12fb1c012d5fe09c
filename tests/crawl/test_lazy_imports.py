"""A crawl imports none of the large packages that it does not use, in none of its processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LARGE = ("gensim", "scipy", "sklearn", "trafilatura")


def crawl(folder: Path, topic: str, *arguments: str) -> set[str]:
    """Crawl the demo web with shadows of the large packages that note their import and fail; the names of those noted."""
    shadows = folder / "shadows"
    for name in LARGE:
        (shadows / name).mkdir(parents=True)
        (shadows / name / "__init__.py").write_text(
            f"import pathlib\npathlib.Path({str(folder / name)!r}).touch()\nraise ImportError({name!r})\n", encoding="utf-8"
        )
    words = ["-m", "topical_crawler", "crawl", topic, "-s", "TOPICAL_RESOURCES=0", *arguments]
    words += ["-s", f"TOPICAL_REPLAY={ROOT / 'demo/demo-web.warc.gz'}", "-a", f"seeds={ROOT / 'demo/seeds.txt'}"]
    environment = {**os.environ, "PYTHONPATH": f"{shadows}:{ROOT}", "PYTHONUTF8": "1"}
    subprocess.run([sys.executable, *words], cwd=folder, env=environment, capture_output=True, check=False)
    return {name for name in LARGE if (folder / name).exists()}


def test_a_crawl_imports_no_large_package(tmp_path: Path) -> None:
    assert crawl(tmp_path, "partybuilding", "-a", "pages=6") == set()
    assert (tmp_path / "data/partybuilding/corpus.sqlite").is_file()


@pytest.mark.slow
def test_a_method_imports_what_it_uses(tmp_path: Path) -> None:
    """The sub-topics of esvsm come from gensim: the shadows are seen."""
    assert crawl(tmp_path, "operating-systems", "-a", "strategy=esvsm") == {"gensim"}
