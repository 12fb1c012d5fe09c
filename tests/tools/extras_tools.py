"""An installation with some extras only: links to what their distributions have, and Python without anything else."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = tuple(name for name in PROJECT["optional-dependencies"] if name != "dev")


def link(folder: Path, *extras: str) -> Path:
    """``folder``, with links to the packages of the base install and of the extras.

    Raises:
        importlib.metadata.PackageNotFoundError: one of them is not installed here.
    """
    folder.mkdir()
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in PROJECT["optional-dependencies"][extra])]
    waiting = [(Requirement(line), "") for line in lines]
    seen = set()
    while waiting:
        requirement, asked = waiting.pop()
        key = (requirement.name.lower(), *sorted(requirement.extras))
        if key in seen or (requirement.marker and not requirement.marker.evaluate({"extra": asked})):
            continue
        seen.add(key)
        found = importlib.metadata.distribution(requirement.name)
        for top in {file.parts[0] for file in found.files or () if file.parts[0] not in ("..", "__pycache__")}:
            if not (folder / top).exists():
                (folder / top).symlink_to(Path(str(found.locate_file(top))))
        for extra in ("", *requirement.extras):
            waiting += [(Requirement(line), extra) for line in found.requires or ()]
    return folder


def python(folder: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run Python with what a folder links to."""
    line = [sys.executable, "-S", *arguments]
    return subprocess.run(line, cwd=cwd, env=_environment(folder), capture_output=True, encoding="utf-8", check=False)


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}


if __name__ == "__main__":  # the workbench, in place of this process
    os.execve(sys.executable, [sys.executable, "-S", "-m", "topical_crawler", *sys.argv[2:]], _environment(Path(sys.argv[1])))
