"""Install a wheel into an empty environment, bound its size, and use it from another folder as a new user would.

python tests/tools/installed.py WHEEL
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path

MOST_MB = 585  # of 10⁶ bytes, as pip installs the promised packages (docs/decisions.md), compiled; pip itself is not counted
PAGE = f"<html><body><h1>体检</h1><p>{'社区医院的体检中心上月开放，居民可以预约体检。' * 4}</p></body></html>"


def megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink()) / 1_000_000


def first_output(command: Sequence[str | Path], folder: Path, environment: dict[str, str]) -> float:
    """Seconds until a command says anything."""
    start = time.monotonic()
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as running:
        assert running.stdout is not None
        assert running.stdout.read(1), command
        seconds = time.monotonic() - start
        running.stdout.read()
    return seconds


def main(wheel: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="topical-installed-") as name:
        env, folder = Path(name, "env"), Path(name, "elsewhere")
        folder.mkdir()
        venv.create(env, with_pip=True)
        before = megabytes(env)
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--compile", wheel.absolute()]
        outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # the checkout counts as installed
        done = subprocess.run([env / "bin/python", *install], env=outside, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        size = megabytes(env) - before
        print(f"installed: {size:.0f} MB")
        environment = {"HOME": str(folder), "PATH": os.environ["PATH"], "PYTHONUTF8": "1", "COLUMNS": "120"}
        program = env / "bin/topical-crawler"

        def run(*arguments: str, code: int = 0) -> str:
            ran = subprocess.run([program, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False)
            assert ran.returncode == code, (arguments, ran.stdout, ran.stderr)
            return ran.stdout + ran.stderr

        assert "Usage: topical-crawler COMMAND" in run("--help")
        code = "from topical_crawler import strategies; print(strategies.names() == list(strategies.STRATEGIES))"
        asked = [env / "bin/python", "-c", code]
        told = subprocess.run(asked, cwd=folder, env=environment, capture_output=True, text=True, check=True)
        assert told.stdout == "True\n", "there are strategies besides those of the package"
        start = time.monotonic()
        run("demo")
        print(f"demo: {time.monotonic() - start:.0f} s")
        assert "<svg" in (folder / "data/demo/report.html").read_text("utf-8")
        stats = json.loads(run("corpus", "stats", "data/demo", "--json"))
        assert stats["kept"] > 40, stats
        assert "党课" in run("corpus", "search", "data/demo", "党课")
        run("corpus", "export", "data/demo", "-o", "corpus.jsonl")
        assert (folder / "corpus.jsonl").read_text("utf-8").count("\n") == stats["kept"]
        run("new", "./health", "健康养生与疾病预防", "--keywords", "健康,医院", "-s", "TOPICAL_RESOURCES=0")
        (folder / "page.html").write_text(PAGE, "utf-8")
        assert "社区医院" in run("extract", "page.html", "--text")
        run("resources", "train", "vectors", "corpus.jsonl")
        refused = run("corpus", "export", "data/demo", "-o", "corpus.parquet", code=1)
        assert "Run pip install 'topical-crawler[parquet]'" in refused, refused
        timed = ("--help", "topic list", "corpus stats data/demo", "new ./os 操作系统内核的原理", "demo")
        for arguments in map(str.split, timed):
            seconds = first_output([program, *arguments], folder, environment)
            print(f"first output of {' '.join(arguments[:2])}: {seconds:.2f} s")
        assert size <= MOST_MB, f"{size:.0f} MB are more than {MOST_MB}. Remedy: make what is large an extra"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
