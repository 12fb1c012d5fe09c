"""Text of PDF files, read with PDFium."""

from __future__ import annotations

import ctypes
import unicodedata
from collections.abc import Callable
from importlib.resources import files
from math import sin
from typing import Any

import pypdfium2
from pypdfium2 import raw

from topical_crawler.extraction.documents import BROKEN, ENCRYPTED, TOO_LONG, UnreadableError
from topical_crawler.extraction.typeset import Run, SetPage

OBLIQUE = 0.2  # sine of twice the angle over which a character is oblique
JOINS = 1.0  # greatest gap within a run, in characters
_Box = tuple[float, float, float, float]
_HYPHEN = 2  # PDFium's code of a hyphen at the end of a line
_CHINESE = 0x2E80  # first code of Chinese characters and punctuation
_ASIAN = frozenset((128, 129, 134, 136))  # character sets of Windows: Japanese, Korean, simplified and traditional Chinese
_FONT = 1  # any handle


class _Boxes(pypdfium2.PdfSysfontBase):  # type: ignore[misc]
    """Substitutes for fonts not embedded in a file: one with a box for every character in Chinese, Japanese and Korean.

    For other languages PDFium uses its own fonts. Otherwise it would search the system, and without a Chinese font there leave
    out characters set one by one, such as a full stop alone on its line. The text of a file would depend on the machine.
    """

    def __init__(self) -> None:
        super().__init__()
        self._data = files(__package__).joinpath("boxes.ttf").read_bytes()

    def EnumFonts(self, _: Any, mapper: Any) -> None:
        """Offer no fonts to choose from."""

    def MapFont(self, _: Any, weight: int, italic: int, charset: int, *more: Any) -> int | None:
        return _FONT if charset in _ASIAN else None

    def GetFont(self, _: Any, face: Any) -> None:
        """Find no font by its name."""

    def GetFontData(self, _: Any, font: Any, table: int, buffer: Any, size: int) -> int:
        if table:  # PDFium asks for one to detect font collections
            return 0
        if size >= len(self._data):
            ctypes.memmove(buffer, self._data, len(self._data))
        return len(self._data)

    def GetFaceName(self, _: Any, font: Any, buffer: Any, size: int) -> int:
        return 0

    def GetFontCharset(self, _: Any, font: Any) -> int:
        return 134

    def DeleteFont(self, _: Any, font: Any) -> None:
        """Free nothing."""


_Boxes().setup()


def read_pdf(body: bytes, most_pages: int, most_characters: int) -> list[SetPage]:
    """Return the pages of a PDF file.

    Raises:
        UnreadableError: a broken or locked file, or more than ``most_pages`` or ``most_characters``.
    """
    try:
        return _read(pypdfium2.PdfDocument(body), most_pages, most_characters)
    except pypdfium2.PdfiumError as error:
        locked = getattr(error, "err_code", None) == raw.FPDF_ERR_PASSWORD
        raise UnreadableError(ENCRYPTED if locked else BROKEN) from None


def _read(document: pypdfium2.PdfDocument, most_pages: int, most_characters: int) -> list[SetPage]:
    if len(document) > most_pages:
        raise UnreadableError(TOO_LONG)
    pages: list[SetPage] = []
    characters = 0
    for number in range(len(document)):
        page = document[number]
        text = page.get_textpage()
        characters += text.count_chars()
        if characters > most_characters:
            raise UnreadableError(TOO_LONG)
        width, height = page.get_size()
        pages.append(SetPage(width, height, _runs(text, _placing(page))))
        text.close()
        page.close()
    return pages


def _placing(page: pypdfium2.PdfPage) -> Callable[[float, float, float, float], _Box]:
    """Return the map of a box in the file (left, bottom, right, top) to the shown page (left, right, top, bottom).

    Places on the page are in points from its upper left corner. Files have turned landscape pages and any origin.
    """
    west, south, east, north = page.get_bbox()
    match page.get_rotation():
        case 90:
            return lambda left, bottom, right, top: (bottom - south, top - south, left - west, right - west)
        case 180:
            return lambda left, bottom, right, top: (east - right, east - left, bottom - south, top - south)
        case 270:
            return lambda left, bottom, right, top: (north - top, north - bottom, east - right, east - left)
    return lambda left, bottom, right, top: (left - west, right - west, north - top, north - bottom)


def _is_oblique(text: object, place: int) -> bool:
    """Return True if a character is oblique, like those of a watermark."""
    return abs(sin(2 * raw.FPDFText_GetCharAngle(text, place))) > OBLIQUE


def _runs(text: pypdfium2.PdfTextPage, placing: Callable[[float, float, float, float], _Box]) -> list[Run]:
    """Join neighbouring characters of a line, in the order of the file. Drop single oblique characters."""
    handle, box = text.raw, raw.FS_RECTF()
    place = ctypes.byref(box)
    code_at, box_at = raw.FPDFText_GetUnicode, raw.FPDFText_GetLooseCharBox
    runs: list[Run] = []
    places: list[int] = []  # of the first character of each
    letters: list[str] = []
    last: Run | None = None
    space = False
    before = 0.0  # left edge of the last character, shared by all letters of a ligature
    for n in range(text.count_chars()):
        code = code_at(handle, n)
        if code == _HYPHEN:
            code = ord("-")
        if code <= 0x20 or code in (0xA0, 0x3000, 0xFFFE, 0xFFFF):
            space = space or code in (0x20, 0xA0, 0x3000)
            continue
        if not box_at(handle, n, place) or box.top <= box.bottom:
            continue
        left, right, top, bottom = placing(box.left, box.bottom, box.right, box.top)
        size = bottom - top
        joins = last is not None and (left == before or -0.5 * size <= left - last.right <= JOINS * size)
        before = left
        if last is not None and joins and abs(bottom - last.bottom) < 0.3 * size and abs(size - last.size) < 0.3 * size:
            if space and ((code < _CHINESE and ord(letters[-1][-1]) < _CHINESE) or left - last.right > 0.4 * size):
                letters.append(" ")
            last.right = max(last.right, right)
        else:
            _close(last, letters)
            last = Run(left, right, top, bottom, size, "")
            runs.append(last)
            places.append(n)
            letters = []
        letters.append(_letter(code))
        space = False
    _close(last, letters)
    return [run for run, n in zip(runs, places, strict=True) if len(run.text) > 1 or not _is_oblique(handle, n)]


def _close(run: Run | None, letters: list[str]) -> None:
    if run is not None:
        run.text = "".join(letters).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _letter(code: int) -> str:
    """Return a character as written: many programs use a radical (⽂) for the character of the same look (文)."""
    letter = chr(code)
    return unicodedata.normalize("NFKC", letter) if _CHINESE <= code <= 0x2FDF else letter
