#!/usr/bin/env python3
"""Set everything up and run a target, with nothing but Python 3.11 or newer: for machines without make.

    python3 bootstrap.py setup     a virtual environment in .venv with all extras and what the tests need
    python3 bootstrap.py demo      set up what a crawl needs, then crawl the bundled demo web and show what was collected
    python3 bootstrap.py test      set up all of it, then run the tests

What is set up already is not set up again. The folder of the environment: VENV (default .venv).
"""

import hashlib
import os
import subprocess
import sys
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = Path(os.environ.get("VENV", ROOT / ".venv"))
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
EDITABLE = (ROOT, ROOT / "experiments")  # the product, and what compares: its strategies are entry points
BASE, ALL = "requirements-base.lock", "requirements.lock"  # what pyproject.toml needs without extras, and with all of them
LOCKS = {BASE: "a minute or two", ALL: "a minute or two"}
TARGETS = {"setup": (ALL, []), "demo": (BASE, ["-m", "topical_crawler", "demo"]), "test": (ALL, ["-m", "pytest"])}


def setup(lock: str) -> None:
    """Make the environment that a lock file lists. Its stamp is the digest of what decides its contents."""
    project = b"".join((place / "pyproject.toml").read_bytes() for place in EDITABLE)
    wanted = {name: hashlib.sha256((ROOT / name).read_bytes() + project).hexdigest() for name in (lock, ALL)}
    stamp = VENV / "installed"
    if stamp.is_file() and stamp.read_text() in wanted.values():
        return
    start = time.monotonic()
    print(f"Setting up {VENV} (once; {LOCKS[lock]}) … ", end="", file=sys.stderr, flush=True)
    if subprocess.run([BIN / "python", "-m", "pip", "--version"], capture_output=True).returncode if BIN.is_dir() else True:
        venv.create(VENV, with_pip=True, clear=True)
    pip = [BIN / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for what in (["--require-hashes", "-r", ROOT / lock], ["--no-deps", *(f"--editable={place}" for place in EDITABLE)]):
        subprocess.run([*pip, *what], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # shown where it fails
    stamp.write_text(wanted[lock])
    print(f"done in {time.monotonic() - start:.0f} s", file=sys.stderr)


def main() -> int:
    target = sys.argv[1] if len(sys.argv) > 1 else "setup"
    if sys.version_info < (3, 11):  # noqa: UP036 - this runs on the Python that a person happens to have
        print(f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}", file=sys.stderr)
        return 2
    if target not in TARGETS:
        print(__doc__, file=sys.stderr)
        return 2
    lock, command = TARGETS[target]
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each of the many processes compiles what it imports
    try:
        setup(lock)
    except subprocess.CalledProcessError as error:
        sys.stderr.buffer.write(error.stdout or b"")
        print(
            f"Set-up failed: {' '.join(map(str, error.cmd))}. Remedy: see pip's message above, then run this again",
            file=sys.stderr,
        )
        return 1
    return subprocess.run([BIN / "python", *command, *sys.argv[2:]], cwd=ROOT).returncode if command else 0


if __name__ == "__main__":
    sys.exit(main())
