"""Texts, and a training run in a process of its own that can be killed, for several tests."""

import functools
import json
import os
import random
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

from wait_tools import HANGS

ROOT = Path(__file__).resolve().parents[2]

_RUN = """
import json, sys
from pathlib import Path
from topical_crawler.training.word2vec import ModelOptions
from topical_crawler.training.pipeline import TrainingOptions, train_vectors
out, source, epochs, shard, slow = sys.argv[1:]
def report(stage, done, note):
    print(stage, flush=True)
    if slow == stage: sys.stdin.readline()
if __name__ == "__main__":
    options = TrainingOptions(model=ModelOptions(dimensions=20, epochs=int(epochs)), min_count=2)
    train_vectors(Path(out), [source], options, 1, report, shard_bytes=int(shard))
"""


@functools.cache
def demo_texts() -> tuple[str, ...]:
    """The texts of the demo web."""
    texts = []
    for file in sorted((ROOT / "demo" / "texts").rglob("*.toml")):
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        texts += _strings(data)
    return tuple(text for text in texts if len(text) > 100)


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in inside for text in _strings(part)]


def write_jsonl(path: Path, texts: int, seed: int = 0, **fields: object) -> Path:
    """``texts`` documents drawn from the demo web's paragraphs."""
    chance = random.Random(seed)
    lines = [
        json.dumps({"text": "\n".join(chance.sample(demo_texts(), 3)), "title": f"第{i}篇", **fields}, ensure_ascii=False)
        for i in range(texts)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def train_until(out: Path, source: Path, epochs: int, shard: int, stage: str, ready: Callable[[], bool]) -> None:
    """Train in another process, which stops for good in ``stage`` once ``ready``; then it is killed."""
    process = _start(out, source, epochs, shard, stage)
    try:
        assert process.stdout is not None and process.stdin is not None
        for line in process.stdout:
            if line.strip() == stage:
                if ready():
                    break
                process.stdin.write("go on\n")
                process.stdin.flush()
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def train_whole(out: Path, source: Path, epochs: int, shard: int, hash_seed: str = "random") -> None:
    """Train in another process to the end, with Python's string hashes as ``hash_seed`` makes them."""
    process = _start(out, source, epochs, shard, "", hash_seed)
    assert process.communicate(timeout=HANGS)[0] and process.returncode == 0


def _start(out: Path, source: Path, epochs: int, shard: int, stage: str, hash_seed: str = "random") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _RUN, str(out), str(source), str(epochs), str(shard), stage],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "PYTHONHASHSEED": hash_seed},
    )
