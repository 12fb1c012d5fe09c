"""Text model: a text is a list of passages, convertible to plain text, Markdown, TEI and vertical text.

A corpus stores the plain text together with its *layout*, the list of lines other than paragraphs. Neither copies the other,
and a text of paragraphs has an empty layout.

>>> text = [Passage("排序", "heading", 2), Passage("代码如下："), Passage("def f(x):\\n    return x", "code", note="python")]
>>> plain(text)
'排序\\n代码如下：\\ndef f(x):\\n    return x'
>>> layout(text)
[[0, 1, 'heading', 2, ''], [2, 2, 'code', 0, 'python']]
>>> passages(plain(text), layout(text)) == text
True
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["paragraph", "heading", "item", "quote", "code", "formula", "table", "caption"]

KINDS: tuple[Kind, ...] = ("paragraph", "heading", "item", "quote", "code", "formula", "table", "caption")
VERBATIM = frozenset(("code", "formula", "table"))  # kinds with significant white space and line breaks

Layout = Sequence[Sequence[int | str]]  # per passage except paragraphs: first line, number of lines, kind, level, note


@dataclass(frozen=True, slots=True)
class Passage:
    """Part of a text. Formulas within a line are TeX between dollar signs, ``$x_i$``."""

    # One line, or several: code as written, a formula's TeX, a table with a line per row and tabs between cells.
    text: str
    kind: Kind = "paragraph"
    level: int = 0  # 1 to 6 for a heading, depth from 1 for a list item, otherwise 0
    note: str = ""  # language of code as named by the page, or the number of a numbered list item


def plain(text: Iterable[Passage], without: Collection[str] = ()) -> str:
    """Return the plain text, one line per paragraph, leaving out passages of the kinds in ``without``."""
    return "\n".join(passage.text for passage in text if passage.kind not in without)


def prose(text: str, layout: Layout = ()) -> str:
    """Return a plain text with its layout, without code, formulas and tables."""
    return plain(passages(text, layout), VERBATIM) if layout else text


def judged(text: str, layout: Layout = ()) -> str:
    """Return the part of a text used to judge its language and quality: its prose, plus its tables if these are longer.

    >>> guide, note = "办理须知\\n对象\\t本市居民", "本市居民都能办理。\\n时限\\t五天"
    >>> judged(guide, [[1, 1, "table", 0, ""]]) == guide, judged(note, [[1, 1, "table", 0, ""]])
    (True, '本市居民都能办理。')
    """
    words = prose(text, layout)
    with_tables = plain(passages(text, layout), ("code", "formula")) if layout else text
    return with_tables if 2 * len(words) < len(with_tables) else words


def mapped(text: str, layout: Layout, change: Callable[[str], str]) -> str:
    """Apply ``change`` to a plain text except its code and formulas. ``change`` must keep the number of lines.

    >>> mapped("組織\\nprint('組織')", [[1, 1, "code", 0, ""]], lambda words: words.replace("組織", "组织"))
    "组织\\nprint('組織')"
    """
    if not layout:
        return change(text)
    found = passages(text, layout)
    return "\n".join(passage.text if passage.kind in ("code", "formula") else change(passage.text) for passage in found)


def layout(text: Iterable[Passage]) -> list[list[int | str]]:
    """Return the layout of the text of :func:`plain`, as small JSON data."""
    found: list[list[int | str]] = []
    line = 0
    for passage in text:
        lines = passage.text.count("\n") + 1
        if passage.kind != "paragraph" or lines > 1:
            found.append([line, lines, passage.kind, passage.level, passage.note])
        line += lines
    return found


def passages(text: str, layout: Layout = ()) -> list[Passage]:
    """Return the passages of a plain text with its layout.

    Raises:
        ValueError: the layout does not fit the text.
    """
    lines = text.split("\n") if text or layout else []
    found: list[Passage] = []
    here = 0
    for first, count, kind, level, note in layout:
        if not (isinstance(first, int) and isinstance(count, int) and here <= first < first + count <= len(lines)):
            raise ValueError(f"the layout has lines {first} to {first}+{count}, but the text has {len(lines)} lines")
        if kind not in KINDS or not isinstance(level, int):
            raise ValueError(f"the layout has a passage of unknown kind {kind!r}. Known: {', '.join(KINDS)}")
        found += map(Passage, lines[here:first])
        here = first + count
        found.append(Passage("\n".join(lines[first:here]), kind, level, str(note)))
    return found + list(map(Passage, lines[here:]))


# -- Markdown

_MATH = re.compile(r"(?<!\\)\$(?=[^\s$])(?:[^$\\\n]|\\.){1,1000}?(?<=\S)\$(?!\d)")  # as in Pandoc: $5 is no formula
_MARKUP = re.compile(
    r"\\(?=[!-/:-@\[-`{-~]|\Z)|[*`$\[]|(?<![^\W_])_|_(?![^\W_])|~(?=~)|(?<=~)~|<(?=[A-Za-z/!?])|&(?=#?\w{1,40};)"
    r"|\A(?:#(?=#{0,5}(?:\s|\Z))|[-+](?=\s|\Z)|-(?=[-\s]*\Z)|>|\d{1,9}[.)](?=\s|\Z))|#(?=#*\Z)"
)


def markdown(text: Iterable[Passage], without: Collection[str] = ()) -> str:
    """Return the text as Markdown (CommonMark, with tables as on GitHub), without passages of the kinds in ``without``.

    Code is fenced, formulas stand between ``$$``, captions are emphasised, the first row of a table is its head. Accidental
    markup is escaped. Within the dollar signs of a formula in a table, bars become ``\\vert``.

    >>> print(markdown([Passage("排序_1", "heading", 2), Passage("数组", "item", 1, "1"), Passage("*ptr", "item", 2)]))
    ## 排序_1
    <BLANKLINE>
    1. 数组
       - \\*ptr
    """
    blocks: list[str] = []
    before = ""
    indents: list[int] = []  # of the enclosing items
    for passage in text:
        kind = passage.kind
        if kind in without or not passage.text.strip():
            continue
        gap = "\n\n"
        if kind == "item":
            inner = passage.level > len(indents)
            del indents[max(0, passage.level - 1) :]
            number = passage.note if re.fullmatch("[0-9]{1,9}", passage.note) else ""
            mark = f"{number}. " if number else "- "
            block = " " * sum(indents) + mark + _escaped(passage.text)
            indents.append(len(mark))
            if before == kind and not (inner and number and int(number) != 1):
                gap = "\n"  # a list interrupting a paragraph must start with 1
        else:
            indents.clear()
            block = _block(passage)
            if before == kind == "quote":
                gap = "\n>\n"
        blocks += [gap, block] if blocks else [block]
        before = kind
    return "".join(blocks)


def _block(passage: Passage) -> str:
    text = passage.text
    match passage.kind:
        case "code":
            return _fenced(text, re.sub(r"[^\w.+#-]", "", passage.note))
        case "formula":
            lines = "\n".join(line for line in text.split("\n") if line.strip())
            return _fenced(text, "math") if "$$" in text else f"$$\n{lines}\n$$"
        case "table":
            rows = [[_escaped(cell, in_table=True) for cell in row.split("\t")] for row in text.split("\n")]
            width = max(map(len, rows))
            rows = [row + [""] * (width - len(row)) for row in rows]
            return "\n".join(f"| {' | '.join(row)} |" for row in (rows[0], ["---"] * width, *rows[1:]))
        case "heading":
            return f"{'#' * min(max(passage.level, 1), 6)} {_escaped(text)}"
        case "caption":
            return f"*{_escaped(text)}*"
        case "quote":
            return f"> {_escaped(text)}"
    return _escaped(text)


def _fenced(text: str, note: str) -> str:
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return f"{fence}{note}\n{text}\n{fence}"


def _escaped(text: str, in_table: bool = False) -> str:
    """Escape a line as Markdown text, leaving formulas as they are."""
    line = " ".join(text.split())
    found: list[str] = []
    end = 0
    for formula in (*_MATH.finditer(line), None):
        words = _MARKUP.sub(_escape, line[end : formula.start() if formula else None])
        math = formula[0] if formula else ""
        if in_table:
            words, math = words.replace("|", r"\|"), math.replace(r"\|", r"\Vert ").replace("|", r"\vert ")
        found += [words, math]
        end = formula.end() if formula else end
    return "".join(found)


def _escape(markup: re.Match[str]) -> str:
    return f"{markup[0][:-1]}\\{markup[0][-1]}"
