"""``scrapy settings`` shows no password."""

from pathlib import Path

import pytest
from command_tools import RunScrapy

SECRET = "postgresql://crawler:s3cret@db.example/corpus"


@pytest.mark.parametrize("option", ["--get", "--getlist"])
def test_a_password_is_hidden(option: str, run_scrapy: RunScrapy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOPICAL_CORPUS", SECRET)
    shown = run_scrapy("settings", option, "TOPICAL_CORPUS", cwd=tmp_path)
    assert shown.returncode == 0 and SECRET.replace("s3cret", "***") in shown.stdout
    assert run_scrapy("settings", "--get", "DOWNLOAD_DELAY", cwd=tmp_path).stdout == "1.0\n"
