"""Harvest curves with characters and as images."""

from xml.etree import ElementTree

import pytest

from topical_crawler.evaluation.curves import svg_curve, terminal_curve


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


def test_an_image_is_well_formed() -> None:
    root = ElementTree.fromstring(svg_curve({"<党建>": [1, 2, 3, 4], "breadth_first": [0, 0, 1, 2]}, 4))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    lines = [line.get("points", "").split() for line in root.iter("{http://www.w3.org/2000/svg}polyline")]
    assert [len(points) for points in lines] == [2, 5, 5]  # the ideal crawl, then ours
    assert lines[0] == [lines[1][0], lines[1][-1]]  # the first of ours is ideal
    assert "■ <党建>" in [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
