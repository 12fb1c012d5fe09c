"""Harvest curves with characters and as pictures."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.evaluation.report import picture, terminal_curve

CURVES = {"semantic": [1, 2, 3, 4], "breadth_first": [0, 0, 1, 2]}


def test_the_axes_say_how_many() -> None:
    lines = terminal_curve({"党建": list(range(1, 1_235))}, width=40, height=6).splitlines()
    assert lines[0].startswith("1234 ┤")
    assert lines[5].startswith("   0 ┤")
    assert lines[6] == "     └" + "─" * 40
    assert lines[7].split() == ["0", "1234"]
    assert lines[8] == "● 党建"
    assert len(lines) == 9


def test_a_shorter_crawl_ends_earlier() -> None:
    lines = terminal_curve({"long": [1] * 10, "short": [0] * 5}, width=10, height=2).splitlines()
    assert lines[0] == "   1 ┤●●●●●●●●●●"
    assert lines[1] == "   0 ┤○○○○○"


def test_the_first_curve_is_in_front() -> None:
    assert terminal_curve({"one": [1, 1], "other": [1, 1]}, width=2, height=2).splitlines()[0] == "   1 ┤●●"


@pytest.mark.parametrize("curves", [{}, {"semantic": []}, {"semantic": [0, 0]}, {"a": [], "b": [0]}])
def test_nothing_to_draw(curves: dict[str, list[int]]) -> None:
    assert terminal_curve(curves) == "(no relevant text was reached)"


@given(
    st.dictionaries(
        st.text(st.sampled_from("abc党"), min_size=1, max_size=3), st.lists(st.integers(0, 3), max_size=200), max_size=6
    ),
    st.integers(1, 80),
    st.integers(2, 20),
)
def test_any_curves_fit(steps: dict[str, list[int]], width: int, height: int) -> None:
    curves = {name: [sum(found[: k + 1]) for k in range(len(found))] for name, found in steps.items()}
    drawn = terminal_curve(curves, width, height)
    if drawn.startswith("("):
        assert not any(curve and curve[-1] for curve in curves.values())
        return
    lines = drawn.splitlines()
    assert len(lines) == height + 3
    assert all(len(re.split("[┤│]", line)[1]) <= width for line in lines[:height])


@pytest.mark.parametrize("name", ["curve.png", "curve.svg"])
def test_a_picture(tmp_path: Path, name: str) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib: pip install 'topical-crawler[plots]'")
    picture(CURVES, tmp_path / name, "Harvest", 4)
    data = (tmp_path / name).read_bytes()
    if name.endswith("png"):
        assert data.startswith(b"\x89PNG")
        picture(CURVES, tmp_path / "again.png", "Harvest", 4)
        assert (tmp_path / "again.png").read_bytes() == data
    else:
        assert b"<svg" in data
        assert b"<dc:date>" not in data


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'topical-crawler\[plots\]'"):
        picture(CURVES, tmp_path / "x.png", "Harvest", 4)
