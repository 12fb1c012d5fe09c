"""How the commands show a link: its address, where it was found, and why it has its place."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.measure import Measurement
from rich.text import Text

_BETWEEN = " · "


def link_cell(url: str, found: str, reasons: Mapping[str, float]) -> Group:
    """A cell of a table: the address; where it was found, "" for nowhere; the parts of its priority, one of them broken only
    where it is wider than the cell.

    >>> cell = link_cell("http://a.cn/1", "“支部” on http://a.cn/", {"anchor holds 支部": 1.9, "anchor word 下一页": -0.4})
    >>> Console(width=30).print(cell)
    http://a.cn/1
    “支部” on http://a.cn/
    anchor holds 支部 1.9
    anchor word 下一页 -0.4
    """
    lines = [Text(printable(url))]
    if found:
        lines.append(Text(printable(found), "dim"))
    return Group(*lines, _Reasons(reasons)) if reasons else Group(*lines)


class _Reasons:
    """The parts of a priority, as many in a line as there is room for."""

    def __init__(self, reasons: Mapping[str, float]) -> None:
        self._parts = [
            Text.assemble((f"{printable(name)} ", "dim"), (f"{part:.3g}", "red" if part < 0 else "green" if part > 0 else "dim"))
            for name, part in reasons.items()
        ]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        line = Text()
        for part in self._parts:
            if line and line.cell_len + len(_BETWEEN) + part.cell_len > options.max_width:
                yield line
                line = Text()
            if line:
                line.append(_BETWEEN, "dim")
            line.append_text(part)
        yield line

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, Text(_BETWEEN).join(self._parts))


def printable(text: str) -> str:
    """Text from the web without what would steer a terminal or turn its reading direction."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
