"""Words per second and memory of training: python benchmarks/training.py [--megabytes 100] [--processes 1 2] [--json FILE].

A dump in the form of Chinese Wikipedia's is made, then `resources train` runs on it in a process of its own, once for each
number of processes, and beside it gensim alone (Word2Vec from the pre-cut text as one file, with the same settings and as many
threads, its counting of words included as it is in ours). Memory is the greatest sum over a process and its children of what is
resident, sampled ten times a second; pages that processes share count for each.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "tools"))

_ALONE = """
import sys, time
from gensim.models import Word2Vec
file, threads, dimensions, epochs, limit = sys.argv[1], *map(int, sys.argv[2:])
began = time.monotonic()
model = Word2Vec(corpus_file=file, vector_size=dimensions, epochs=epochs, workers=threads, max_final_vocab=limit)
print(model.corpus_total_words, model.total_train_time, time.monotonic() - began)
"""


def watch(command: list[str]) -> tuple[str, float, float]:
    """Run a command; its output, seconds, and peak memory in MB, children included."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SCRAPY_SETTINGS_MODULE": "topical_crawler.settings"}
    began, peak = time.monotonic(), 0.0
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
        process = psutil.Popen(command, env=environment, stdout=out, stderr=subprocess.DEVNULL)
        while process.poll() is None:
            resident = 0
            for one in [process, *_children(process)]:
                try:
                    resident += one.memory_info().rss
                except psutil.Error:  # it has just ended
                    continue
            peak = max(peak, resident / 1e6)
            time.sleep(0.1)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)} failed with exit code {process.returncode}")
        out.seek(0)
        return out.read(), time.monotonic() - began, peak


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        children: list[psutil.Process] = process.children(recursive=True)
    except psutil.Error:
        children = []
    return children


def measure(source: Path, folder: Path, processes: int, options: argparse.Namespace) -> dict[str, Any]:
    """Train with so many processes, ours and gensim alone; the figures."""
    out = folder / f"processes-{processes}"
    settings = ["--dimensions", str(options.dimensions), "--epochs", str(options.epochs), "--memory", str(options.memory)]
    command = [
        sys.executable,
        "-m",
        "topical_crawler",
        "resources",
        "train",
        str(out),
        str(source),
        "--processes",
        str(processes),
        *settings,
    ]
    _, seconds, peak = watch(command)
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    text = folder / "all.txt"
    with text.open("wb") as whole:
        for shard in sorted((out / "work/text").glob("*.txt")):
            whole.write(shard.read_bytes())
    numbers = [str(n) for n in (processes, options.dimensions, options.epochs, report["vocabulary"]["words"])]
    printed, alone, alone_peak = watch([sys.executable, "-c", _ALONE, str(text), *numbers])
    words, training, _ = (float(n) for n in printed.split())
    return {
        "processes": processes,
        "words": report["total"]["tokens"],
        "vocabulary": report["vocabulary"]["words"],
        "segmentation_words_per_second": report["segmentation"]["tokens_per_second"],
        "training_words_per_second": report["training"]["tokens_per_second"],
        "gensim_words_per_second": round(words * options.epochs / training),
        "seconds": round(seconds, 1),
        "gensim_seconds_from_cut_text": round(alone, 1),
        "peak_mb": round(peak),
        "gensim_peak_mb": round(alone_peak),
    }


def main() -> None:
    """Make the dump, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=100, help="of XML in the dump (default: %(default)s)")
    parser.add_argument(
        "--names", type=int, default=0, help="foreign names in every article: a vocabulary that grows with the dump"
    )
    parser.add_argument("--source", type=Path, help="train on this instead")
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--dimensions", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--memory", type=int, default=2000, help="bound given to our training, in MB (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = options.source
        if source is None:
            from dump_tools import make_large_dump

            source = folder / "zhwiki.xml.bz2"
            make_large_dump(source, options.megabytes, names=options.names)
        rows = [measure(source, folder, processes, options) for processes in options.processes]
    for figure in rows[0]:
        print(f"{figure.replace('_', ' '):34}" + "".join(f"{row[figure]:>14,}" for row in rows))
    if options.json:
        options.json.write_text(json.dumps({"megabytes": options.megabytes, "runs": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
