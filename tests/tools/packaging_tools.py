"""The project's source away from the checkout, to be packaged: building leaves folders behind."""

import importlib.metadata
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NEWEST_LICENSE_FIELD = 77
"""The setuptools that first reads ``license = "Apache-2.0"``; [build-system] asks for it."""


def copy_source(folder: Path) -> Path:
    """``folder``, with the files that packaging and deploying read."""
    try:
        found = importlib.metadata.version("setuptools")
    except importlib.metadata.PackageNotFoundError:
        found = "0 (not installed)"
    # Not skipped: a wheel that lacks its data would go unnoticed.
    assert int(found.split(".")[0]) >= NEWEST_LICENSE_FIELD, (
        f"setuptools {found}: pip install 'setuptools>={NEWEST_LICENSE_FIELD}'"
    )
    for name in ("pyproject.toml", "setup.py", "scrapy.cfg", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    (folder / "demo").mkdir()
    for name in ("demo-web.warc.gz", "labels.tsv", "seeds.txt"):
        shutil.copy(ROOT / "demo" / name, folder / "demo")
    for name in ("topical_crawler", "lexicon"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    return folder


def run(*command: str, cwd: Path, environment: Mapping[str, str] | None = None) -> str:
    """What a Python program prints; it must succeed."""
    done = subprocess.run(
        [sys.executable, *command], cwd=cwd, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build_egg(source: Path, egg: Path) -> Path:
    """``egg``, built as ``make egg`` builds it."""
    egg.parent.mkdir(parents=True, exist_ok=True)
    run("-m", "scrapyd_client.deploy", "--build-egg", str(egg), cwd=source)
    return egg
