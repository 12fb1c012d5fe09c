"""What an installation without the large packages says where one is needed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

RunScrapy = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(
    "command",
    [
        ("lexicon", "train", "vectors", "texts.txt"),
        ("topic", "explain", "operating-systems", "内核与文件系统", "--strategy", "esvsm", "-s", "TOPICAL_RESOURCES=0"),
        ("lexicon", "import", "model.bin", "vectors.npy", "--trust-pickle"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_a_missing_package_is_named_with_its_extra(
    command: tuple[str, ...], call_scrapy: RunScrapy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for module in ("gensim", "gensim.models"):
        monkeypatch.setitem(sys.modules, module, None)  # as Python notes a module that cannot be imported
    (tmp_path / "texts.txt").write_text("操作系统的内核。", "utf-8")
    (tmp_path / "model.bin").write_bytes(b"\x80\x04\x95")
    refused = call_scrapy(*command, cwd=tmp_path)
    assert refused.returncode == 1
    assert "Remedy: pip install 'topical-crawler[gensim]'" in refused.stderr
    assert not (tmp_path / "vectors").exists() and not (tmp_path / "vectors.npy").exists()
