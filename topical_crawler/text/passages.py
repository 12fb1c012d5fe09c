"""The text model: a text is a list of passages, from which plain text, Markdown, TEI and vertical text are written.

A corpus stores the plain text and, beside it, its *layout*: which of its lines are more than a paragraph. One is no copy of the
other, and a text of paragraphs has an empty layout.

>>> text = [Passage("排序", "heading", 2), Passage("代码如下："), Passage("def f(x):\\n    return x", "code", note="python")]
>>> plain(text)
'排序\\n代码如下：\\ndef f(x):\\n    return x'
>>> layout(text)
[[0, 1, 'heading', 2, ''], [2, 2, 'code', 0, 'python']]
>>> passages(plain(text), layout(text)) == text
True
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["paragraph", "heading", "item", "quote", "code", "formula", "table", "caption"]

KINDS: tuple[Kind, ...] = ("paragraph", "heading", "item", "quote", "code", "formula", "table", "caption")
VERBATIM = frozenset(("code", "formula", "table"))  # kinds of which every blank and line is kept as it is

Layout = Sequence[Sequence[int | str]]  # per passage that is no paragraph: first line, number of lines, kind, level, note


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a text. Formulas within a line stand there as TeX between dollar signs, ``$x_i$``."""

    # one line; of code the lines as written, of a formula its TeX, of a table a line for each row with tabs between cells
    text: str
    kind: Kind = "paragraph"
    level: int = 0  # of a heading 1 to 6, depth of a list's item from 1; otherwise 0
    note: str = ""  # language of code as the page names it; the number of an item of a numbered list


def plain(text: Iterable[Passage], without: Collection[str] = ()) -> str:
    """The plain text, a paragraph a line; passages of the kinds in ``without`` are left out."""
    return "\n".join(passage.text for passage in text if passage.kind not in without)


def prose(text: str, layout: Layout = ()) -> str:
    """A plain text with its layout, without code, formulas and tables."""
    return plain(passages(text, layout), VERBATIM) if layout else text


def mapped(text: str, layout: Layout, change: Callable[[str], str]) -> str:
    """A plain text with ``change`` made to all of it but code and formulas; ``change`` keeps the number of lines.

    >>> mapped("組織\\nprint('組織')", [[1, 1, "code", 0, ""]], lambda words: words.replace("組織", "组织"))
    "组织\\nprint('組織')"
    """
    if not layout:
        return change(text)
    found = passages(text, layout)
    return "\n".join(passage.text if passage.kind in ("code", "formula") else change(passage.text) for passage in found)


def layout(text: Iterable[Passage]) -> list[list[int | str]]:
    """Which lines of :func:`plain` are more than a paragraph; small JSON data."""
    found: list[list[int | str]] = []
    line = 0
    for passage in text:
        lines = passage.text.count("\n") + 1
        if passage.kind != "paragraph" or lines > 1:
            found.append([line, lines, passage.kind, passage.level, passage.note])
        line += lines
    return found


def passages(text: str, layout: Layout = ()) -> list[Passage]:
    """The passages of a plain text with its layout. Raises ValueError where the layout is none of this text."""
    lines = text.split("\n") if text or layout else []
    found: list[Passage] = []
    here = 0
    for first, count, kind, level, note in layout:
        if not (isinstance(first, int) and isinstance(count, int) and here <= first < first + count <= len(lines)):
            raise ValueError(f"the layout names lines {first} to {first}+{count} of a text with {len(lines)}")
        if kind not in KINDS or not isinstance(level, int):
            raise ValueError(f"the layout names a passage of the kind {kind!r}; there are {', '.join(KINDS)}")
        found += map(Passage, lines[here:first])
        here = first + count
        found.append(Passage("\n".join(lines[first:here]), kind, level, str(note)))
    return found + list(map(Passage, lines[here:]))
