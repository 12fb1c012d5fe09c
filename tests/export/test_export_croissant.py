"""The Croissant of a data set is valid by the format's own library, which reads the texts by it."""

import hashlib
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore

Run = Callable[..., subprocess.CompletedProcess[str]]
TEXTS = (
    "党员们在晒谷场上开了一次组织生活会。",
    "村里的图书室添了三百本农技书，借阅不收押金。",
    "云岭的茶农说，今年的头采比去年晚了九天。",
)


@pytest.fixture
def folder(tmp_path: Path, call_scrapy: Run) -> Path:
    """An export for Hugging Face of three texts, one with a date and a reservation."""
    with CorpusStore(tmp_path / "corpus.sqlite") as store:
        for n, text in enumerate(TEXTS):
            why = {"rights": {"noai": True}} if n == 0 else {}
            record = Record(
                url=f"http://a{n}.cn/", host=f"a{n}.cn", keep=True, text=text, why=why, date="2026-05-01" if n else ""
            )
            store.put(record)
    done = call_scrapy("corpus", "export", "corpus.sqlite", "-f", "hf", "-o", "set", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path / "set"


def test_the_croissant_says_what_was_collected(folder: Path) -> None:
    data = json.loads((folder / "croissant.json").read_text("utf-8"))
    assert data["conformsTo"] == ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"]
    (file, files) = data["distribution"]
    assert file["sha256"] == hashlib.sha256((folder / file["contentUrl"]).read_bytes()).hexdigest()
    assert files["@type"] == "cr:FileSet"
    assert "noai for 1 texts" in data["rai:dataLimitations"][0]
    assert {name for name in data if name.startswith("rai:")} >= {"rai:dataCollection", "rai:personalSensitiveInformation"}
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert "croissant.json" in [file["name"] for file in manifest["files"]]


def test_the_library_of_the_format_reads_the_texts(folder: Path) -> None:
    library = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed: pip install 'topical-crawler[croissant]'")
    data = library.Dataset(jsonld=folder / "croissant.json")
    assert data.metadata.ctx.issues.errors == set()
    assert [record["texts/text"].decode() for record in data.records("texts")] == list(TEXTS)
