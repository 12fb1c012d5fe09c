"""benchmarks/fuzz.py: the same pages in every run, offenders are kept and named, and a run can go on."""

import json
import os
import random
import subprocess
from pathlib import Path

from fork_tools import run_forked
from mutations import MUTATIONS, mutate

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "demo" / "demo-web.warc.gz"


def fuzz(out: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["benchmarks/fuzz.py", str(DEMO), "--out", str(out), *arguments]
    return run_forked(command, ROOT, {**os.environ, "PYTHONPATH": str(ROOT)})


def test_a_seed_gives_the_same_bytes() -> None:
    page = "<html><head><meta charset=gbk><title>党建</title></head><p>支部</p><a href='/1.html'>2026</a></html>".encode()
    for mutation in MUTATIONS:
        assert [mutation(page, random.Random(seed)) for seed in range(9)] == [
            mutation(page, random.Random(seed)) for seed in range(9)
        ]
        assert any(mutation(page, random.Random(seed)) != page for seed in range(9)), mutation.__name__
    done = {name for seed in range(300) for name in mutate(page, lambda: page, random.Random(seed)).mutations}
    assert done == {"spliced", *(mutation.__name__ for mutation in MUTATIONS)}


def test_offenders_are_kept(tmp_path: Path) -> None:
    """With a bound that no page can keep, each is one; looking at one of them again gives the same page."""
    out = tmp_path / "out"
    done = fuzz(out, "--pages", "3", "--start", "7", "--slow", "-1")
    assert done.returncode == 1
    assert "pages 7 to 9 with --seed 0: 0 exceptions, 0 died, 3 over -1 s" in done.stdout
    lines = [json.loads(line) for line in (out / "offenders.jsonl").read_text("utf-8").splitlines()]
    assert [line["number"] for line in lines] == [7, 8, 9]
    first = (out / "8.html").read_bytes()
    fuzz(tmp_path / "again", "--pages", "1", "--start", "8", "--slow", "-1")
    assert (tmp_path / "again" / "8.html").read_bytes() == first
