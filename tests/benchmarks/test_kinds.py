"""The confusion table of kinds of pages."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import kinds
import pytest

from topical_crawler.extraction.kinds import KINDS


def test_corrections_name_kinds() -> None:
    assert set(kinds.corrections().values()) <= {*KINDS, ""}


def test_made_pages_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [f"支部的人第{n}天清早就开始忙了，有人扫雪，有人生火，到傍晚谁也不肯先走，账目对到最后一行才散。" for n in range(12)]
    texts = [
        {
            "title": f"{place}里第{n}天是怎样过的",
            "date": f"202302{n % 28 + 1:02d}",
            "text": "\n".join(lines[: 2 if n % 3 else 12]),
        }
        for n, place in enumerate(("支部", "社区", "列车", "车间", "医院", "果园") * 20)
    ]
    with gzip.open(tmp_path / "texts.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(text, ensure_ascii=False) + "\n" for text in texts)
    assert kinds.main(["--layouts", str(tmp_path / "texts.jsonl.gz")]) == 0
    shown = capsys.readouterr().out
    rows = {cells[0]: cells[1:] for line in shown.splitlines() if (cells := line.split())}
    assert rows["forum"].count("·") == len(rows["forum"]) - 1  # all of them are taken for one kind
