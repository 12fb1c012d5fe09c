"""The experiments of the papers as tables in the terminal: printed and ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from topical_crawler.evaluation.paper_claims import Row
from topical_crawler.evaluation.paper_results import Reproduction

_MOST_COLUMNS = 5


def paper_tables(one: Reproduction) -> Group:
    """A table for every figure, then what the paper says of them and whether it holds, then what has to be known."""
    parts: list[RenderableType] = [Text(f"\n{one.paper}", style="bold")]
    parts += _tables(one.rows)
    for found in one.findings:
        mark = Text("✓ ", style="green") if found.holds else Text("✗ ", style="red")
        parts.append(mark + Text(f"{found.item}: {found.sentence}", style=""))
    parts += [Text(f"· {note}", style="dim") for note in one.notes]
    return Group(*parts)


def _tables(rows: Sequence[Row]) -> Iterator[RenderableType]:
    """Methods below each other; topics, or, where there are several numbers of pages, some of these for mean or only topic."""
    for item, quantity in dict.fromkeys((r.item, r.quantity) for r in rows):
        own = [r for r in rows if (r.item, r.quantity) == (item, quantity)]
        columns, several = _columns(own), len({r.topic for r in own}) > 1
        cells = {(r.method, r.topic, r.pages): r for r in own}
        yield Text(f"{item}: {quantity}", style="italic")
        table = Table("method", pad_edge=False)
        printed = {column: any(r.printed for r in own if (r.topic, r.pages) == column) for column in columns}
        for topic, pages in columns:
            head = " ".join((*([escape(topic)] if several else ()), *([f"@{pages:,}"] if pages else ())))
            if printed[topic, pages]:
                table.add_column(f"{head} printed".strip(), justify="right", style="dim")
                table.add_column("ours", justify="right")
            else:
                table.add_column(head, justify="right")
        for method in dict.fromkeys(r.method for r in own):
            line = []
            for column in columns:
                row = cells.get((method, *column))
                said = [row.printed if row and row.printed else "–"] if printed[column] else []
                line += [*said, row.written if row else "–"]
            table.add_row(escape(method), *map(escape, line))
        yield table


def _columns(rows: Sequence[Row]) -> list[tuple[str, int]]:
    pages = sorted({r.pages for r in rows})
    if len(pages) == 1:
        return list(dict.fromkeys((r.topic, r.pages) for r in rows))
    topic = rows[0].topic
    chosen = sorted({pages[round(i * (len(pages) - 1) / (_MOST_COLUMNS - 1))] for i in range(_MOST_COLUMNS)})
    return [(topic, k) for k in chosen]
