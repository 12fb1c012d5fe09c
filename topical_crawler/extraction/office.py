"""Text of DOCX files (Word) and OFD files (GB/T 33190, the format of Chinese offices), both XML in a ZIP file.

python-docx skips text inserted as a tracked change or standing in content controls, and unpacks every part of a file, images too.
For OFD no read-only Python library exists.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator

from lxml import etree

from topical_crawler.cleaning.characters import count_letters
from topical_crawler.extraction.documents import BROKEN, ENCRYPTED, TOO_LONG, UnreadableError
from topical_crawler.extraction.typeset import MOST_HEADING, Run, SetPage, heading_level
from topical_crawler.text.passages import Passage

MOST_PART = 32_000_000  # bytes of one unpacked part: the text of a long book has a tenth
MOST_PARTS = 64_000_000  # bytes of all unpacked parts of a file
MOST_FILES = 20_000  # files in a ZIP file
_POINT = 72 / 25.4  # points in a millimetre, the unit of OFD
_FURTHEST = 1e6  # bound on OFD numbers: beyond it, or with infinity and NaN, no place on a page is meant


class Packed:
    """Parts of a ZIP file, unpacked one by one within bounds.

    Raises:
        UnreadableError: a broken file, or one beyond the bounds.
    """

    def __init__(self, body: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError):
            raise UnreadableError(BROKEN) from None
        if len(self._zip.infolist()) > MOST_FILES:
            raise UnreadableError(TOO_LONG)
        self._read = 0

    def __contains__(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def xml(self, name: str) -> etree._Element:
        """Return a part as XML, without resolving entities or loading anything from outside. Raise UnreadableError."""
        try:
            info = self._zip.getinfo(name)
            if info.flag_bits & 1:
                raise UnreadableError(ENCRYPTED)
            self._read += info.file_size
            if info.file_size > MOST_PART or self._read > MOST_PARTS:
                raise UnreadableError(TOO_LONG)
            with self._zip.open(info) as part:
                data = part.read(MOST_PART)
            parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
            return etree.fromstring(data, parser)
        except (UnreadableError, MemoryError):
            raise
        except Exception:  # from zipfile, zlib and other compression modules, and lxml
            raise UnreadableError(BROKEN) from None


# -- DOCX

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_UNSEEN = frozenset(
    (f"{_W}del", f"{_W}moveFrom", f"{_W}txbxContent", "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback")
) | {f"{_W}rt"}  # phonetic guides
_SIGNS = {f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}tab": " ", f"{_W}noBreakHyphen": "-"}
_HEADING = re.compile(r"(?:heading|标题|標題)\s*([1-9])", re.IGNORECASE)
_TITLE = frozenset(("title", "标题", "標題"))
_FIRST = 6  # leading paragraphs searched for the title


def read_docx(body: bytes) -> tuple[str, list[Passage]]:
    """Return the title of a Word file ("" without one) and its other passages. Raise UnreadableError.

    Notes follow the paragraph or table referring to them. Hidden text is left out.
    """
    packed = Packed(body)
    document = packed.xml("word/document.xml")
    levels, hidden = _styles(packed.xml("word/styles.xml")) if "word/styles.xml" in packed else ({}, {})
    for name in ("endnote", "footnote"):
        notes = {note.get(f"{_W}id"): note for note in packed.xml(part)} if (part := f"word/{name}s.xml") in packed else {}
        for reference in reversed(list(document.iter(f"{_W}{name}Reference"))):
            for place in list(reference.iterancestors(f"{_W}p", f"{_W}tbl"))[-1:]:
                for paragraph in reversed(notes.get(reference.get(f"{_W}id"), ())):
                    place.addnext(paragraph)
    for run in list(document.iter(f"{_W}r")):
        if _is_hidden(run, hidden) and (parent := run.getparent()) is not None:
            parent.remove(run)
    content = document.find(f"{_W}body")
    found = list(_blocks(content, levels)) if content is not None else []
    title = next(
        (i for i, (passage, mark) in enumerate(found[:_FIRST]) if mark == "title" and count_letters(passage.text) > 3), None
    )
    if title is None:
        return "", [passage for passage, _ in found]
    return found[title][0].text, [passage for i, (passage, _) in enumerate(found) if i != title]


def _styles(styles: etree._Element) -> tuple[dict[str, int], dict[str, int]]:
    """Return the heading level of each style (0 for the title of a document), and 1 for each style hiding its text.

    Styles inherit both from the style in ``basedOn``.
    """
    own: dict[str, int] = {}
    hidden: dict[str, int] = {}
    base: dict[str, str] = {}
    for style in styles.iter(f"{_W}style"):
        key, name = style.get(f"{_W}styleId", ""), _value(style, "name")
        level = _value(style, f"pPr/{_W}outlineLvl")
        if (match := _HEADING.match(name)) or level.isdecimal():
            own[key] = int(match[1]) if match else min(int(level[:2]) + 1, 10)
        elif name.strip().lower() in _TITLE:
            own[key] = 0
        if (vanish := _vanish(style)) is not None:
            hidden[key] = vanish
        base[key] = _value(style, "basedOn")
    for known, key in ((known, key) for known in (own, hidden) for key in base):
        above = key
        for _ in range(10):
            if above in known:
                known[key] = known[above]
                break
            above = base.get(above, "")
    return {key: level for key, level in own.items() if level < 10}, hidden


def _vanish(element: etree._Element) -> bool | None:
    """Return True if a style or a run hides its text, None if it does not say."""
    found = element.find(f"{_W}rPr/{_W}vanish")
    return None if found is None else found.get(f"{_W}val", "1") not in ("0", "false", "off")


def _is_hidden(run: etree._Element, hidden: dict[str, int]) -> int:
    if (own := _vanish(run)) is not None:
        return own
    around = next(run.iterancestors(f"{_W}p"), run)
    return hidden.get(_value(run, f"rPr/{_W}rStyle"), hidden.get(_value(around, f"pPr/{_W}pStyle"), 0))


def _value(element: etree._Element, path: str) -> str:
    found = element.find(_W + path)
    return found.get(f"{_W}val", "") if found is not None else ""


def _blocks(parent: etree._Element, levels: dict[str, int]) -> Iterator[tuple[Passage, str]]:
    """Yield the passages in an element, with "title" for candidates of the title."""
    for element in parent:
        if element.tag == f"{_W}p":
            yield from _paragraph(element, levels)
        elif element.tag == f"{_W}tbl":
            rows = [row for row in element.iter(f"{_W}tr") if next(row.iterancestors(f"{_W}tbl")) is element]
            cells = [[cell for cell in row.iter(f"{_W}tc") if next(cell.iterancestors(f"{_W}tr")) is row] for row in rows]
            if max(map(len, cells), default=0) < 2:  # a frame around a text
                for cell in (cell for row in cells for cell in row):
                    yield from _blocks(cell, levels)
                continue
            text = "\n".join("\t".join(_inline(cell) for cell in row) for row in cells)
            if text.strip():
                yield Passage(text, "table"), ""
        elif element.tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml", f"{_W}smartTag"):
            yield from _blocks(element, levels)


def _inline(cell: etree._Element) -> str:
    return " ".join(line for p in cell.iter(f"{_W}p") for line in _lines(p))


def _paragraph(paragraph: etree._Element, levels: dict[str, int]) -> Iterator[tuple[Passage, str]]:
    level = levels.get(_value(paragraph, f"pPr/{_W}pStyle"), -1)
    outline = _value(paragraph, f"pPr/{_W}outlineLvl")
    if level < 0 and outline.isdecimal() and int(outline[:2]) < 9:
        level = int(outline[:2]) + 1
    item = _value(paragraph, f"pPr/{_W}numPr/{_W}ilvl")
    for line in _lines(paragraph):
        short = count_letters(line) <= MOST_HEADING
        if level > 0 and short:
            yield Passage(line, "heading", min(level, 6)), "title" if level == 1 else ""
        elif level == 0 or (short and _value(paragraph, f"pPr/{_W}jc") == "center"):
            yield Passage(line), "title"
        elif item:
            yield Passage(line, "item", int(item[:1]) + 1 if item.isdecimal() else 1), ""
        else:
            number = heading_level(line)
            yield Passage(line, "heading" if number else "paragraph", number), ""


def _lines(paragraph: etree._Element) -> list[str]:
    """Return the lines of a paragraph, split at manual line breaks."""
    parts: list[str] = []
    stack = [paragraph]
    while stack:
        element = stack.pop()
        if element.tag == f"{_W}t":
            parts.append(element.text or "")
        elif element.tag in _SIGNS:
            parts.append(_SIGNS[str(element.tag)])
        elif element.tag not in _UNSEEN:
            stack += reversed([child for child in element if child.tag != f"{_W}pPr"])
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return [line for line in lines if line]


# -- OFD


def read_ofd(body: bytes, most_pages: int, most_characters: int) -> list[SetPage]:
    """Return the pages of all documents in an OFD file, without page templates and their running heads.

    Raises:
        UnreadableError: an encrypted or broken file, or more than ``most_pages`` or ``most_characters``.
    """
    packed = Packed(body)
    root = packed.xml("OFD.xml")
    if "Encryptions.xml" in packed or _texts(root, "Encryptions"):
        raise UnreadableError(ENCRYPTED)
    pages: list[SetPage] = []
    characters = 0
    for place in _texts(root, "DocRoot"):
        document = packed.xml(_place("", place))
        usual = _box(next(iter(_texts(document, "PhysicalBox")), ""), (210.0, 297.0))
        listed = [page for pages_of in _named(document, "Pages") for page in _named(pages_of, "Page")]
        if len(pages) + len(listed) > most_pages:
            raise UnreadableError(TOO_LONG)
        for page in listed:
            content = packed.xml(_place(_place("", place), page.get("BaseLoc", "")))
            width, height = _box(next(iter(_texts(content, "PhysicalBox")), ""), usual)
            runs = [run for text in _named(content, "TextObject") for run in _set(text)]
            characters += sum(len(run.text) for run in runs)
            if characters > most_characters:
                raise UnreadableError(TOO_LONG)
            pages.append(SetPage(width * _POINT, height * _POINT, runs))
    return pages


def _named(element: etree._Element, name: str) -> Iterator[etree._Element]:
    """Iterate over the elements of that name in any namespace, since programs use several."""
    return element.iter(f"{{*}}{name}")


def _texts(element: etree._Element, name: str) -> list[str]:
    return [(found.text or "").strip() for found in _named(element, name)]


def _place(beside: str, path: str) -> str:
    """Resolve the path of a part against the part naming it.

    >>> _place("Doc_0/Document.xml", "Pages/Page_0/Content.xml"), _place("Doc_0/Document.xml", "/Doc_0/Pages/Content.xml")
    ('Doc_0/Pages/Page_0/Content.xml', 'Doc_0/Pages/Content.xml')
    """
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(beside), path)).lstrip("/")


def _numbers(text: str) -> list[float]:
    """Return the numbers of an attribute. ``g 3 2.5`` stands for three times 2.5.

    >>> _numbers("0 g 3 2.5")
    [0.0, 2.5, 2.5, 2.5]
    """
    found: list[float] = []
    words = iter(text.split())
    try:
        for word in words:
            times = int(next(words)) if word == "g" else 1
            value = float(next(words) if word == "g" else word)
            if not abs(value) < _FURTHEST:
                return found
            found += [value] * min(times, MOST_FILES)
    except (StopIteration, ValueError):
        return found
    return found


def _box(text: str, usual: tuple[float, float]) -> tuple[float, float]:
    numbers = _numbers(text)
    return (numbers[2], numbers[3]) if len(numbers) == 4 else usual


def _set(text: etree._Element) -> Iterator[Run]:
    """Yield the runs of a TextObject."""
    boundary, matrix = _numbers(text.get("Boundary", "")), _numbers(text.get("CTM", ""))
    if len(boundary) != 4:
        return
    across, down, shift_x, shift_y = (matrix[0], matrix[3], *matrix[4:]) if len(matrix) == 6 else (1.0, 1.0, 0.0, 0.0)
    size = next(iter(_numbers(text.get("Size", ""))), 0.0)
    x = y = 0.0
    for code in _named(text, "TextCode"):
        words = (code.text or "").strip()
        x = next(iter(_numbers(code.get("X", ""))), x)  # default: that of the TextCode before
        y = next(iter(_numbers(code.get("Y", ""))), y)
        if not words:
            continue
        steps = _numbers(code.get("DeltaX", ""))[: len(words) - 1]
        right = x + sum(steps) + size if steps else x + size * sum(0.5 if letter.isascii() else 1.0 for letter in words)
        height = abs(size * down) * _POINT
        bottom = (boundary[1] + y * down + shift_y) * _POINT + 0.12 * height
        left, end = (boundary[0] + x * across + shift_x) * _POINT, (boundary[0] + right * across + shift_x) * _POINT
        yield Run(left, max(left, end), bottom - height, bottom, height, words)
