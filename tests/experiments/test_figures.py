"""Figures and pictures of experiments: identical input, identical bytes."""

from __future__ import annotations

import json
import sys
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from experiments.figures import CHINESE_FONTS, chinese_font, new_figure, save_figure, write_json


def test_figures_are_read_as_they_were_written(tmp_path: Path) -> None:
    figures = {"主题": "党建", "share": np.float64(0.5), "row": np.arange(3), "pair": (1, 2.5), "sites": {"b", "a"}, 7: True}
    write_json(tmp_path / "new" / "folder" / "x.json", figures)
    text = (tmp_path / "new" / "folder" / "x.json").read_text("utf-8")
    assert "党建" in text and text.endswith("}\n")
    assert json.loads(text) == {
        "主题": "党建", "share": 0.5, "row": [0, 1, 2], "pair": [1, 2.5], "sites": ["a", "b"], "7": True
    }  # fmt: skip


def test_what_is_no_number_is_null(tmp_path: Path) -> None:
    write_json(tmp_path / "x.json", {"a": float("nan"), "b": [float("inf")], "c": np.float64("nan")})
    assert json.loads((tmp_path / "x.json").read_text()) == {"a": None, "b": [None], "c": None}


def test_a_failure_leaves_the_earlier_file(tmp_path: Path) -> None:
    write_json(tmp_path / "x.json", {"a": 1})
    with pytest.raises(TypeError, match="2026"):
        write_json(tmp_path / "x.json", {"a": date(2026, 1, 1)})
    assert json.loads((tmp_path / "x.json").read_text()) == {"a": 1}
    assert [f.name for f in tmp_path.iterdir()] == ["x.json"]


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_equal_pictures_have_equal_bytes(tmp_path: Path, kind: str) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib: pip install 'topical-crawler[experiments]'")
    files = [tmp_path / f"{n}" / f"picture.{kind}" for n in (1, 2)]
    for file in files:
        figure, axes = new_figure("Harvest", "pages", "texts")
        axes.plot([1, 2, 3], [1, 4, 9], label="semantic")
        axes.legend()
        save_figure(figure, file)
    data = [file.read_bytes() for file in files]
    assert data[0] == data[1]
    assert data[0].startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[kind])


def test_chinese_labels_are_drawn(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib: pip install 'topical-crawler[experiments]'")
    if not chinese_font():
        pytest.skip(f"needs one of the fonts {', '.join(CHINESE_FONTS)}")
    save_figure(new_figure("党建", "网页", "正文")[0], tmp_path / "x.png")
    assert not [warning for warning in recwarn if "Glyph" in str(warning.message)]


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'topical-crawler\[experiments\]'"):
        new_figure("", "", "")
