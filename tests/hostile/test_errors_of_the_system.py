"""What the operating system refuses is said in one line, with the file and what to do."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from crawl_tools import ROOT, environment

from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore

RunScrapy = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A crawl whose lock cannot be taken, beside a corpus of one text."""
    folder = tmp_path / "data"
    (folder / "crawl.lock").mkdir(parents=True)
    (folder / "frontier.sqlite").touch()
    with CorpusStore(str(folder / "corpus.sqlite")) as store:
        store.put(Record(url="http://a.cn/1", host="a.cn", keep=True, title="党课", text="支部开展党课学习。"))
    return folder


COMMANDS = {
    "frontier stats FOLDER": "FOLDER/crawl.lock: Is a directory",
    "crawl topical -a topic=partybuilding -s TOPICAL_DATA_DIR=FOLDER -s TOPICAL_RESOURCES=0": "FOLDER/crawl.lock: Is a directory",
    "corpus export FOLDER -o FOLDER/none/x.jsonl": "FOLDER/none/x.jsonl: No such file or directory",
    "corpus sample FOLDER -o FOLDER/corpus.sqlite/x.jsonl": "FOLDER/corpus.sqlite/x.jsonl: Not a directory",
    "corpus extract FOLDER": "FOLDER: Is a directory",
    "evaluate harvest a=FOLDER/none --labels FOLDER/none": "FOLDER/none: No such file or directory",
}


@pytest.mark.parametrize("line", COMMANDS)
def test_it_is_explained(line: str, data: Path, call_scrapy: RunScrapy, tmp_path: Path) -> None:
    refused = call_scrapy(*line.replace("FOLDER", str(data)).split(), cwd=tmp_path)
    assert refused.returncode in (1, 2)
    said = refused.stderr.splitlines()[-1]
    assert re.search(re.escape(COMMANDS[line].replace("FOLDER", str(data))) + r"\. (Check|Name) ", said)
    assert "[Errno" not in refused.stderr and "Traceback" not in refused.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_disk_that_is_full_while_an_export_is_written_out(data: Path) -> None:
    with Path("/dev/full").open("wb") as out:
        refused = subprocess.run(
            [sys.executable, "-m", "topical_crawler", "corpus", "export", str(data)],
            cwd=ROOT, env=environment(), stdout=out, stderr=subprocess.PIPE, encoding="utf-8", check=False,
        )  # fmt: skip
    assert refused.returncode == 1
    assert "No space left on device. Make room on the disk" in refused.stderr and "Traceback" not in refused.stderr
