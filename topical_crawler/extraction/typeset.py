"""Passages of a typeset text: rows, columns, running heads, paragraphs, headings.

PDF and OFD files place characters on pages without naming their role. The rules of Chinese typesetting decide: a paragraph begins
with an indent or behind a line that is not full, and its lines join without a space.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from topical_crawler.cleaning.characters import count_letters
from topical_crawler.text.passages import Passage

COLUMN_ROWS = 3  # fewest rows of a column, each side by side with another column
FILLED, FILLED_ROWS = 0.6, 0.5  # least share of a column's width filled by that share of its rows: table cells are shorter
NARROW = 6  # least width of a column of text, in characters: bullets and numbers are narrower
CROSSING = 0.4  # greatest share of rows across the gap between two columns, such as headings
EDGE = 0.12  # share of a page's height at its top and bottom with running heads and page numbers
EDGE_ROWS = 3  # most rows examined there
REPEATED = 0.3  # least share of the pages with the same running head: left and right pages have different ones
APART = 1.5  # least distance of a running head from the text, in characters
LARGE = 1.12  # least size of a heading, in that of the text
INDENT = 0.8  # smallest indent, in characters
SHORT = 2.2  # most characters lacking at the end of a full line
RAGGED = 0.25  # greatest share of a column's width lacking in a full line of Latin letters
SEVERAL = 0.08  # share of a column's rows needed to mark its edge
CELL_GAP = 1.5  # smallest gap between two cells of a row, in characters
TABLE_ROWS = 3  # fewest rows of a table
MOST_HEADING = 60  # most letters of a heading
MOST_PLACES = 50  # most places of a page tried as the left edge of a column

_PAGE_NUMBER = re.compile(
    r"[\W_]*(?:第\s*)?(?:\d{1,4}|[ivxlc]{1,7}|[一二三四五六七八九十百]{1,5})\s*页?(?:\s*[/／,，]?\s*(?:共\s*)?\d{1,4}\s*页?)?[\W_]*",
    re.I,
)
_DIGITS = re.compile(r"\d+")
_ITEM = re.compile(
    r"(?:[一二三四五六七八九十]{1,3}、|[（(][一二三四五六七八九十\d]{1,3}[）)]|第[一二三四五六七八九十百零〇\d]{1,5}[章节条编篇]"
    r"|\d{1,2}[.．、](?!\d)|[•●■◆○◇▪])"
)
_CHAPTER = re.compile(
    r"第[一二三四五六七八九十百零〇\d]{1,5}([章编篇节])|[一二三四五六七八九十]{1,3}(、)|[（(][一二三四五六七八九十]{1,3}[）)]"
)
_END = re.compile(r"[。！？；：，、…!?;:,]\W*$")
_RED_HEAD = re.compile(r"文件$|^〔?\d")
_WORD = re.compile(r"[A-Za-z0-9,.;:!?)%'\"”’]")


@dataclass(slots=True)
class Run:
    """Characters side by side on one line, placed in points from the upper left corner of the page."""

    left: float
    right: float
    top: float
    bottom: float
    size: float  # of the characters
    text: str


@dataclass(slots=True)
class SetPage:
    """Typeset page. Width and height are in points."""

    width: float
    height: float
    runs: list[Run] = field(default_factory=list)


@dataclass(slots=True)
class _Row(Run):
    cells: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Paragraph:
    rows: list[_Row]
    size: float
    page: int
    is_open: bool = False  # its last line is full
    table: bool = False

    @property
    def text(self) -> str:
        if self.table:
            return "\n".join("\t".join(row.cells) for row in self.rows)
        text = ""
        for row in self.rows:
            text = joined(text, row.text.strip())
        return text


def joined(before: str, after: str) -> str:
    """Join two lines of a paragraph: Chinese without a space, Latin words with one, a divided word whole.

    >>> joined("推动全面从严治", "党向基层延伸"), joined("the Chinese", "web"), joined("semi-", "conductor")
    ('推动全面从严治党向基层延伸', 'the Chinese web', 'semiconductor')
    """
    if not before or not after:
        return before + after
    if before[-1] == "-" and before[-2:-1].isalpha() and before[-2:-1].isascii() and after[0].islower() and after[0].isascii():
        return before[:-1] + after
    return f"{before} {after}" if _WORD.match(before[-1]) and _WORD.match(after[0]) else before + after


def read_pages(pages: Sequence[SetPage]) -> tuple[str, list[Passage]]:
    """Return the title of a text ("" if none stands out on the first page) and its other passages.

    >>> lines = ["各级党组织要扎实开展主题教育，推动全面", "从严治党。"]
    >>> page = SetPage(595, 842, [Run(60, 60 + 10 * len(t), 300 + 18 * n, 310 + 18 * n, 10, t) for n, t in enumerate(lines)])
    >>> read_pages([page])
    ('', [Passage(text='各级党组织要扎实开展主题教育，推动全面从严治党。', kind='paragraph', level=0, note='')])
    """
    sizes: Counter[float] = Counter()
    for page in pages:
        for run in page.runs:
            sizes[_rounded(run.size)] += len(run.text)
    if not sizes:
        return "", []
    body = sizes.most_common(1)[0][0]
    groups: list[tuple[int, list[_Row]]] = []
    texts = _without_heads(pages)
    seen: list[list[float]] = [[] for _ in texts]
    columns = [_columns(runs, body, found) for runs, found in zip(texts, seen, strict=True)]
    most = max(seen, key=len)
    for number, (runs, found) in enumerate(zip(texts, seen, strict=True)):
        if len(found) < len(most):  # such as a last page with a line or two in its last column
            columns[number] = _columns(runs, body, [], known=sorted({round(x) for other in seen for x in other}))
        groups += [(number, _rows(group)) for group in columns[number]]
    paragraphs = _paragraphs([group for group in groups if group[1]], body)
    title = _title(paragraphs, pages[0].width, body)
    rest = [paragraph for paragraph in paragraphs if paragraph not in title]
    return "".join(p.text for p in title), _passages(rest, body)


def _rounded(size: float) -> float:
    return round(2 * size) / 2


def _rows(runs: Iterable[Run]) -> list[_Row]:
    """Join runs into rows, from the top down."""
    rows: list[list[Run]] = []
    for run in sorted(runs, key=lambda r: ((r.top + r.bottom) / 2, r.left)):
        last = rows[-1] if rows else None
        if last and abs((last[0].top + last[0].bottom) / 2 - (run.top + run.bottom) / 2) < 0.4 * min(run.size, last[0].size):
            last.append(run)
        else:
            rows.append([run])
    return [_row(sorted(row, key=lambda r: r.left)) for row in rows]


def _row(runs: list[Run]) -> _Row:
    # Some programs fake bold by printing twice with a small offset.
    runs = [run for run, before in zip(runs, [None, *runs], strict=False) if before is None or not _is_again(before, run)]
    size = max(runs, key=lambda r: len(r.text)).size
    cells = [runs[0].text]
    for before, run in pairwise(runs):
        if run.left - before.right >= CELL_GAP * size:
            cells.append(run.text)
        else:
            gap = run.left - before.right > 0.25 * size and _WORD.match(before.text[-1:]) and _WORD.match(run.text[:1])
            cells[-1] += (" " if gap else "") + run.text
    cells = [cell.strip() for cell in cells if cell.strip()]
    left, right = runs[0].left, max(r.right for r in runs)
    return _Row(left, right, min(r.top for r in runs), max(r.bottom for r in runs), size, " ".join(cells), cells)


def _is_again(before: Run, run: Run) -> bool:
    return run.text == before.text and abs(run.left - before.left) < 0.2 * run.size


# -- Running heads and page numbers


def _without_heads(pages: Sequence[SetPage]) -> list[list[Run]]:
    """Return the runs of every page without page numbers and running heads.

    Running heads stand at the edge of a page and recur on others, or stand apart in the place of one, like the head of a chapter
    found on one page only.
    """
    edges = [[row for row in _edge_rows(page) if row.text] for page in pages]
    seen = Counter(key for rows in edges for key in {_key(row) for row in rows})
    least = max(2, REPEATED * len(pages))
    places = {_place(row) for rows in edges for row in rows if seen[_key(row)] >= least}
    kept: list[list[Run]] = []
    for page, rows in zip(pages, edges, strict=True):
        gone = [
            row
            for row in rows
            if seen[_key(row)] >= least
            or (_place(row) in places and _is_apart(row, page.runs))
            or _PAGE_NUMBER.fullmatch(row.text)
        ]
        kept.append([run for run in page.runs if not any(row.top <= run.top and run.bottom <= row.bottom for row in gone)])
    return kept


def _edge_rows(page: SetPage) -> list[_Row]:
    rows = _rows(page.runs)
    above = [row for row in rows[:EDGE_ROWS] if row.bottom <= EDGE * page.height]
    return above + [row for row in rows[-EDGE_ROWS:] if row.top >= (1 - EDGE) * page.height]


def _is_apart(row: _Row, runs: Sequence[Run]) -> bool:
    """Return True if nothing stands close above or below a row. The first line of a text does not stand alone."""
    near = APART * row.size
    return not any(0 <= run.top - row.bottom < near or 0 <= row.top - run.bottom < near for run in runs)


def _place(row: _Row) -> tuple[int, float]:
    return round(row.top / 10), _rounded(row.size)


def _key(row: _Row) -> tuple[tuple[int, float], str]:
    return _place(row), _DIGITS.sub("0", "".join(row.text.split()))


# -- Columns


def _columns(runs: list[Run], size: float, found: list[float], known: Sequence[float] = ()) -> list[list[Run]]:
    """Return groups of runs in reading order. Runs across two columns stand between groups of their own.

    Adds the places of the gaps to ``found``. At a gap ``known`` from other pages, a column may have a single row.
    """
    gutter = _gutter(runs, size)
    if gutter is None:
        gutter = next((x for x in known if _parts(runs, x, size)), None)
    if gutter is None:
        return [runs]
    found.append(gutter)
    groups: list[list[Run]] = []
    left: list[Run] = []
    right: list[Run] = []
    across: list[Run] = []

    def flush() -> None:
        groups.extend(group for side in (left, right) if side for group in _columns(list(side), size, found, known))
        left.clear()
        right.clear()

    for run in sorted(runs, key=lambda r: r.top):
        side = left if run.right <= gutter else right if run.left >= gutter else None
        if side is None:
            flush()
            across.append(run)
            continue
        if across:
            groups.append(list(across))
            across.clear()
        side.append(run)
    flush()
    return [*groups, across] if across else groups


def _gutter(runs: list[Run], size: float) -> float | None:
    """Return the place of the gap between two columns of running text, None with a single column."""
    starts = Counter(round(run.left) for run in runs)
    best: tuple[int, float] | None = None
    for start, _ in starts.most_common(MOST_PLACES):
        gutter = start - 0.6
        if (parts := _parts(runs, gutter, size)) is None:
            continue
        left, right = parts
        crossing = len(runs) - len(left) - len(right)
        first, second = _rows(left), _rows(right)
        low, high = first[0].top - size, first[-1].bottom + size
        beside = [row for row in second if low <= row.top and row.bottom <= high]
        if min(len(first), len(beside)) < COLUMN_ROWS or not (_is_filled(first, size) and _is_filled(second, size)):
            continue
        rank = min(len(first), len(second)) - crossing
        if best is None or rank > best[0]:
            best = rank, gutter
    return best[1] if best else None


def _parts(runs: list[Run], gutter: float, size: float) -> tuple[list[Run], list[Run]] | None:
    """Return the runs on either side of a gap, None if one side is empty or too many runs cross it."""
    left = [run for run in runs if run.right <= gutter - 0.6 * size]
    right = [run for run in runs if run.left >= gutter - 1]
    return (left, right) if left and right and len(runs) - len(left) - len(right) <= CROSSING * len(runs) else None


def _is_filled(rows: list[_Row], size: float) -> bool:
    left, right = min(row.left for row in rows), max(row.right for row in rows)
    if right - left < NARROW * size:
        return False
    return sum(row.right - row.left >= FILLED * (right - left) for row in rows) >= FILLED_ROWS * len(rows)


# -- Paragraphs


def _paragraphs(groups: list[tuple[int, list[_Row]]], body: float) -> list[_Paragraph]:
    edges = [_edges(rows, body) for _, rows in groups]
    pitches = [b.top - a.top for _, rows in groups for a, b in pairwise(rows) if b.top > a.top]
    pitch = median(pitches) if pitches else 2 * body
    near = 3 * body
    found: list[_Paragraph] = []
    indented = False
    for (number, rows), (own_left, own_right) in zip(groups, edges, strict=True):
        left = min(e for e, _ in edges if abs(e - own_left) <= near)
        right = max(e for _, e in edges if abs(e - own_right) <= near)
        before: _Row | None = None
        for row in rows:
            last = found[-1] if found else None
            indent = row.left - left >= INDENT * body
            indented = indented or indent
            if last is None or (last.rows and _begins(last, row, before, indent, indented, pitch, body)):
                last = _Paragraph([], row.size, number)
                found.append(last)
            last.rows.append(row)
            lacks = RAGGED * (right - left) if _WORD.match(row.text[-1:]) else SHORT * row.size
            last.is_open = row.right >= right - lacks
            before = row
    return _tables(found)


def _edges(rows: list[_Row], body: float) -> tuple[float, float]:
    """Return the left and right edge of a column, ignoring headings and a few outliers."""
    rows = [row for row in rows if row.size < LARGE * body] or rows
    least = max(1, int(SEVERAL * len(rows)))
    found = []
    for sides in ([row.left for row in rows], [-row.right for row in rows]):
        sides.sort()
        found.append(next(side for n, side in enumerate(sides) if sides[min(n + least, len(sides)) - 1] - side <= body))
    return found[0], -found[1]


def _begins(last: _Paragraph, row: _Row, before: _Row | None, indent: bool, indented: bool, pitch: float, body: float) -> bool:
    """Return True if a row begins a new paragraph behind ``last``. ``before`` is the row above it in the same column."""
    if abs(row.size - last.size) > 0.12 * body:
        return True
    large = min(row.size, last.size) >= LARGE * body
    if before is not None and row.top - before.top > (2.5 * row.size if large else 1.7 * pitch):
        return True
    if large:  # the lines of a heading are centred
        return before is None
    if not last.is_open or indent:
        return True
    if indented:
        return False
    return _ITEM.match(row.text) is not None or (before is None and _END.search(last.rows[-1].text) is not None)


def _tables(paragraphs: list[_Paragraph]) -> list[_Paragraph]:
    """Merge at least :data:`TABLE_ROWS` successive rows of several cells into a table."""
    found: list[_Paragraph] = []
    rows: list[_Paragraph] = []

    def flush() -> None:
        if len(rows) >= TABLE_ROWS:
            found.append(_Paragraph([row for p in rows for row in p.rows], rows[0].size, rows[0].page, table=True))
        else:
            found.extend(rows)
        rows.clear()

    for paragraph in paragraphs:
        if all(len(row.cells) > 1 for row in paragraph.rows):
            rows.append(paragraph)
        else:
            flush()
            found.append(paragraph)
    flush()
    return found


def _title(paragraphs: list[_Paragraph], width: float, body: float) -> list[_Paragraph]:
    """Return the paragraphs of the title: the largest heading of the first page, else one of its first lines if centred.

    The red head of an office (…文件) is no title.
    """
    first = [p for p in paragraphs if p.page == 0 and not p.table and count_letters(p.text) <= MOST_HEADING]
    by_size: defaultdict[float, list[_Paragraph]] = defaultdict(list)
    for paragraph in first:
        if paragraph.size >= LARGE * body and not _RED_HEAD.search(paragraph.text) and count_letters(paragraph.text) > 3:
            by_size[_rounded(paragraph.size)].append(paragraph)
    if by_size:
        return by_size[max(by_size)][:1]
    for paragraph in first[:3]:
        row = paragraph.rows[0]
        centred = abs(row.left + row.right - width) < 2 * body and row.right - row.left < 0.7 * width
        if centred and len(paragraph.rows) == 1 and not _END.search(paragraph.text) and count_letters(paragraph.text) > 3:
            return [paragraph]
    return []


def _passages(paragraphs: list[_Paragraph], body: float) -> list[Passage]:
    sizes = sorted({_rounded(p.size) for p in paragraphs if p.size >= LARGE * body}, reverse=True)
    levels = {size: min(2 + n, 6) for n, size in enumerate(sizes)}
    found = []
    for paragraph in paragraphs:
        if not (text := paragraph.text):
            continue
        if paragraph.table:
            found.append(Passage(text, "table"))
            continue
        level = levels.get(_rounded(paragraph.size), 0) if count_letters(text) <= MOST_HEADING else 0
        level = level or (heading_level(text) if len(paragraph.rows) == 1 else 0)
        found.append(Passage(text, "heading" if level else "paragraph", level))
    return found


def heading_level(text: str) -> int:
    """Return the level of a heading by its number, 2 or 3, or 0 for running text.

    >>> [heading_level(text) for text in ("第一章 总则", "（二）加强领导", "一、认真学习，深刻领会。", "第三条 本办法施行")]
    [2, 3, 0, 0]
    """
    match = _CHAPTER.match(text)
    if match is None or count_letters(text) > MOST_HEADING / 2 or _END.search(text):
        return 0
    return 2 if match[2] or (match[1] and match[1] != "节") else 3
