"""The guide says what an export has."""

import re
from pathlib import Path

from topical_crawler.export.formats import FORMATS
from topical_crawler.export.presets import PRESETS
from topical_crawler.export.rows import COLUMNS, REJECTED

GUIDE = (Path(__file__).parents[2] / "docs/export.md").read_text(encoding="utf-8")


def rows(section: str) -> list[list[str]]:
    part = GUIDE.split(f"## {section}\n")[1].split("\n## ")[0]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in part.splitlines() if line.startswith("| `")]


def test_every_field_is_in_the_guide() -> None:
    assert [(name.strip("`"), meaning) for name, meaning in rows("Fields")] == [(c.name, c.meaning) for c in COLUMNS]
    assert all(f"`{column.name}`" in GUIDE for column in REJECTED)


def test_every_program_is_in_the_guide() -> None:
    assert {name.strip("`") for row in rows("Programs") for name in row[0].split(", ")} == {*PRESETS, "tei"}


def test_every_format_and_ending_is_in_the_guide() -> None:
    said = {row[0].strip("`"): tuple(re.findall(r"`(\.\w+)`", row[1])) for row in rows("Formats")}
    assert said == {name: found.suffixes for name, found in FORMATS.items()}
