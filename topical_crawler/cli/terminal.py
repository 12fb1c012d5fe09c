"""Terminal output: consoles, pager, progress, tables, links."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

UNWRAPPED = 1_000_000  # columns of an output outside of terminals, to avoid wrapping
WIDTH = 100  # widest lines of running text in a terminal, in columns
_BETWEEN = " · "


def console(*, stderr: bool = False, most: int | None = None) -> Console:
    """Return standard output or standard error. Lines wrap only in a terminal, at ``most`` columns (default: its width)."""
    out = Console(stderr=stderr, emoji=False, highlight=False)
    if not out.is_terminal:
        out.width = UNWRAPPED
    elif most is not None:
        out.width = min(out.width, most)
    return out


def show_paged(out: Console, *parts: RenderableType) -> None:
    """Print parts, in a terminal through ``PAGER`` (default: less, ending by itself if all fits on the screen)."""
    pager = shlex.split(os.environ.get("PAGER", "less"))
    if out.is_terminal and pager:
        with out.capture() as capture:
            out.print(*parts, sep="\n")
        try:
            environment = {"LESS": "FRX", "LV": "-c", **os.environ}
            subprocess.run(pager, input=capture.get().encode(), env=environment, check=False)
            return
        except OSError:  # no such program
            pass
    out.print(*parts, sep="\n")


def progress(*columns: str | ProgressColumn, transient: bool = True) -> Progress:
    """Return a progress display on standard error, with a description, a bar and ``columns``.

    A ``transient`` one appears only in a terminal, and disappears at the end.
    """
    from rich.progress import BarColumn, Progress

    err = console(stderr=True)
    shown = ("{task.description}", BarColumn(), *columns)
    return Progress(*shown, console=err, transient=transient, disable=transient and not err.is_terminal)


@contextmanager
def making_progress() -> Iterator[Callable[[float, str], None]]:
    """Yield a function taking the share done (0 to 1) and a description. The display appears with its first call."""
    from rich.progress import TaskProgressColumn

    with progress(TaskProgressColumn()) as display:
        task = display.add_task("", total=1.0, visible=False)
        yield lambda share, what: display.update(task, completed=share, description=what, visible=True)


@contextmanager
def corpus_progress(doing: str) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function taking the current step, pages done, and all pages, for a display with times."""
    from rich.progress import MofNCompleteColumn, TimeElapsedColumn, TimeRemainingColumn

    with progress(MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()) as display:
        task = display.add_task(doing, total=None)
        yield lambda what, done, total: display.update(task, description=what, completed=done, total=total)


def table(columns: Iterable[str], rows: Iterable[Iterable[RenderableType]], *, title: str = "", plain: bool = False) -> Table:
    """Return a table. Text in its cells is no markup.

    Args:
        columns: names. Cells of one beginning with ">" are right-aligned and not broken.
        rows: cells by row.
        title: title above the table.
        plain: without lines.

    >>> Console(width=30).print(table(("host", ">pages"), [("a.cn", "7"), ("b.cn", "12")], plain=True))
    host  pages
    a.cn      7
    b.cn     12
    """
    out = Table(title=title or None, title_justify="left")
    if plain:
        out.box, out.header_style, out.pad_edge = None, "dim", False
    for name in columns:
        number = name.startswith(">")
        out.add_column(Text(name.removeprefix(">")), justify="right" if number else "left", no_wrap=number, overflow="fold")
    for row in rows:
        out.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return out


# -- Links and text from the web


def link_cell(url: str, origin: str, reasons: Mapping[str, float]) -> Group:
    """Return a table cell with the address of a link, its origin ("" for none), and the parts of its priority.

    A part is broken only if it is wider than the cell.

    >>> cell = link_cell("http://a.cn/1", "“支部” on http://a.cn/", {"anchor holds 支部": 1.9, "anchor word 下一页": -0.4})
    >>> Console(width=30).print(cell)
    http://a.cn/1
    “支部” on http://a.cn/
    anchor holds 支部 1.9
    anchor word 下一页 -0.4
    """
    lines = [Text(printable(url))]
    if origin:
        lines.append(Text(printable(origin), "dim"))
    return Group(*lines, _Reasons(reasons)) if reasons else Group(*lines)


class _Reasons:
    """Parts of a priority, as many in a line as fit."""

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
    """Replace characters steering a terminal or reversing its reading direction.

    >>> printable("党建\\x1b[31m\u3000要闻")
    '党建\ufffd[31m\u3000要闻'
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or unicodedata.category(character) == "Zs" else "\N{REPLACEMENT CHARACTER}"
        for character in text
    )


def print_text(text: str) -> None:
    """Print a text from the web unchanged, in a terminal :func:`printable`."""
    if sys.stdout.isatty():
        text = "\n".join(printable(line.expandtabs(4)) for line in text.split("\n"))
    print(text)


def fitted(text: str, width: int, *, right: bool = False) -> str:
    """Fit a text into ``width`` columns: its beginning, or (``right``) its end aligned to the right.

    >>> fitted("三会一课", 5) + "|", fitted("三会一课", 5, right=True) + "|"
    ('三会 |', ' 一课|')
    """
    if cell_len(text) > width:
        ordered = text[::-1] if right else text
        part = chop_cells(ordered, width)[0] if width > 1 else ""
        text = part[::-1] if right else part
    blanks = " " * (width - cell_len(text))
    return blanks + text if right else text + blanks
