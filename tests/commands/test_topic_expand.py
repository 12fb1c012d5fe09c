"""``topical-crawler topic expand`` as a user runs it, on resources of a few words."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., subprocess.CompletedProcess[str]]
WriteTopic = Callable[[Mapping[str, str]], Path]

VECTORS = "6 2\n内核 1 0\n线程 0.9 0.1\n内存 0.95 0.05\n缓存 0.9 0.2\n工作 0.95 0.1\n肺炎 0.1 1\n"
CILIN = "Aa01A01= 内核 核心 精髓\n"


@pytest.fixture
def expand(call_scrapy: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """``topical-crawler topic expand`` with vectors and Cilin, without HowNet."""
    for name, text in (("VECTORS", VECTORS), ("CILIN", CILIN)):
        path = tmp_path / f"{name}.txt"
        path.write_text(text, encoding="utf-8")
        monkeypatch.setenv(f"TOPICAL_{name}", str(path))
    monkeypatch.delenv("TOPICAL_HOWNET", raising=False)
    monkeypatch.setenv("TOPICAL_RESOURCES_DIR", str(tmp_path / "none"))
    cache = ("-s", f"TOPICAL_CACHE_DIR={tmp_path / 'cache'}")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return call_scrapy("topic", "expand", *arguments, *cache, cwd=tmp_path)

    return run


def rows(output: str) -> list[str]:
    """The words of the table, in order."""
    return [line.split("│")[2].strip() for line in output.splitlines() if line.startswith("│")]


def test_a_table_best_first(expand: Run, write_topic: WriteTopic) -> None:
    folder = write_topic({"terms.tsv": "内核\n线程\n"})
    before = {path: path.read_bytes() for path in folder.iterdir()}
    done = expand("./mytopic", "--min-score", "0")
    assert done.returncode == 0, done.stderr
    assert rows(done.stdout)[:2] == ["内存", "缓存"] and {"核心", "精髓", "工作"} <= set(rows(done.stdout))
    assert "vectors: 内核 1.00, 线程 1.00" in done.stdout and "cilin: 内核" in done.stdout
    assert "hownet is missing and proposes nothing. Get it: topical-crawler resources fetch hownet" in done.stderr
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_what_is_known_is_left_out_and_the_list_bounded(expand: Run, write_topic: WriteTopic) -> None:
    write_topic({"terms.tsv": "内核\n线程\n", "adjust.tsv": "内存\t0\t太常见\n", "candidates.txt": "# 候选\n缓存\n"})
    done = expand("./mytopic", "--min-score", "0", "--show", "2", "--by", "vectors,cilin")
    assert done.returncode == 0 and len(rows(done.stdout)) == 2 and "more of score 0 or more" in done.stdout
    assert not {"内存", "缓存"} & set(rows(done.stdout)) and "missing" not in done.stderr
    assert "no proposal of score 1 or more. Remedy: a lower --min-score" in expand("./mytopic", "--min-score", "1").stdout


def test_write_candidates(expand: Run, write_topic: WriteTopic) -> None:
    folder = write_topic({"terms.tsv": "内核\n线程\n"})
    done = expand("./mytopic", "--by", "vectors", "--write")
    file = folder / "candidates.txt"
    assert done.returncode == 0 and f"2 candidates → {file}" in done.stdout
    text = file.read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if not line.startswith("#")] == ["内存", "缓存"]
    assert "# 1.00  vectors: 内核 1.00, 线程 1.00\n内存\n" in text
    again = expand("./mytopic", "--by", "vectors", "--write")
    assert again.returncode == 0 and "no proposal" in again.stdout and file.read_text(encoding="utf-8") == text


def test_a_persons_candidates_stay(expand: Run, write_topic: WriteTopic) -> None:
    own = "# 我的候选词\r\n党建  \n缓存"
    folder = write_topic({"terms.tsv": "内核\n线程\n", "candidates.txt": own})
    assert expand("./mytopic", "--by", "vectors", "--write").returncode == 0
    assert (folder / "candidates.txt").read_bytes().decode().startswith(own + "\n# Proposed by")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("./mytopic", "--by", "hownet"), 1, "the resource hownet is missing. Remedy: topical-crawler resources fetch hownet"),
        (("./mytopic", "--by", "wordnet"), 1, "'wordnet' proposes no words. Remedy: choose among hownet, cilin, vectors"),
        (("./mytopic", "--n", "0"), 2, "--n: '0' is no whole number of 1 or more"),
        (("operating-systems", "--write"), 1, "comes with the product, and an update would undo what is written there"),
        (("./nowhere",), 1, "no topic './nowhere'"),
    ],
)
def test_mistakes_are_explained(expand: Run, write_topic: WriteTopic, arguments: tuple[str, ...], code: int, says: str) -> None:
    write_topic({"terms.tsv": "内核\n"})
    done = expand(*arguments)
    assert done.returncode == code and says in done.stdout + done.stderr, done.stderr


def test_in_a_process_of_its_own(run_scrapy: Run, write_topic: WriteTopic, tmp_path: Path) -> None:
    write_topic({"terms.tsv": "内核\n"})
    path = tmp_path / "cilin.txt"
    path.write_text(CILIN, encoding="utf-8")
    done = run_scrapy(
        "topic", "expand", "./mytopic", "--by", "cilin", "--min-score", "0", "-s", f"TOPICAL_CILIN={path}", cwd=tmp_path
    )
    assert done.returncode == 0 and done.stderr == "" and rows(done.stdout) == ["精髓", "核心"], done.stderr


def test_candidates_are_written_though_the_reader_leaves_early(write_topic: WriteTopic, tmp_path: Path) -> None:
    folder = write_topic({"terms.tsv": "内核\n"})
    path = tmp_path / "cilin.txt"
    path.write_text(CILIN, encoding="utf-8")
    reading, writing = os.pipe()
    os.close(reading)  # as head does, when it has enough
    arguments = ("./mytopic", "--by", "cilin", "--min-score", "0", "--write", "-s", f"TOPICAL_CILIN={path}")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SCRAPY_SETTINGS_MODULE": "topical_crawler.settings"}
    command = [sys.executable, "-m", "topical_crawler", "topic", "expand", *arguments]
    subprocess.run(command, cwd=tmp_path, env=environment, stdout=writing, stderr=subprocess.DEVNULL, check=False)
    os.close(writing)
    assert {"精髓", "核心"} <= set((folder / "candidates.txt").read_text(encoding="utf-8").splitlines())


def test_the_terms_that_a_person_named_propose(expand: Run, write_topic: WriteTopic) -> None:
    write_topic({"terms.tsv": "内核\n缓存\t0.1\tnear 内核\n", "weights.tsv": "!mean\t1\n"})
    done = expand("./mytopic", "--by", "vectors", "--min-score", "0")
    assert done.returncode == 0 and "缓存 " not in done.stdout.replace("内核", ""), done.stderr
