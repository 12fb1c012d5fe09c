"""Reads the text of PDF files with PDFium."""

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

OBLIQUE = 0.2  # sine of twice the angle from which a character stands obliquely
JOINS = 1.0  # greatest gap within a run, in characters
_Box = tuple[float, float, float, float]
_HYPHEN = 2  # what PDFium gives for a hyphen at the end of a line
_CHINESE = 0x2E80  # first code of Chinese characters and punctuation
_ASIAN = frozenset((128, 129, 134, 136))  # character sets of Windows: Japanese, Korean, simplified and traditional Chinese
_FONT = 1  # any handle


class _Boxes(pypdfium2.PdfSysfontBase):  # type: ignore[misc]
    """The fonts that PDFium finds for what a file does not embed: for Chinese, Japanese and Korean one in which every character
    is a box, else those of its own.

    It would look for them in the system. Without a Chinese one there it leaves out characters that are set one by one, such as a
    full stop alone on its line; so the text of a file would depend on the machine.
    """

    def __init__(self) -> None:
        super().__init__()
        self._data = files(__package__).joinpath("boxes.ttf").read_bytes()

    def EnumFonts(self, _: Any, mapper: Any) -> None:
        """There are none to choose from."""

    def MapFont(self, _: Any, weight: int, italic: int, charset: int, *more: Any) -> int | None:
        return _FONT if charset in _ASIAN else None

    def GetFont(self, _: Any, face: Any) -> None:
        """None has a name."""

    def GetFontData(self, _: Any, font: Any, table: int, buffer: Any, size: int) -> int:
        if table:  # PDFium asks for one to learn whether the file is a collection
            return 0
        if size >= len(self._data):
            ctypes.memmove(buffer, self._data, len(self._data))
        return len(self._data)

    def GetFaceName(self, _: Any, font: Any, buffer: Any, size: int) -> int:
        return 0

    def GetFontCharset(self, _: Any, font: Any) -> int:
        return 134

    def DeleteFont(self, _: Any, font: Any) -> None:
        """Nothing was made."""


_Boxes().setup()


def read_pdf(body: bytes, most_pages: int, most_characters: int) -> list[SetPage]:
    """The pages of a PDF file. Raises UnreadableError for one that is broken, locked or too long."""
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
    """How a box of the file (left, bottom, right, top) lies on the page as it is shown (left, right, top, bottom from the upper
    left corner). A file has landscape pages turned, and its origin may lie anywhere."""
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
    """Whether a character stands obliquely, as those of a watermark do."""
    return abs(sin(2 * raw.FPDFText_GetCharAngle(text, place))) > OBLIQUE


def _runs(text: pypdfium2.PdfTextPage, placing: Callable[[float, float, float, float], _Box]) -> list[Run]:
    """Neighbouring characters of a line together, in the order of the file."""
    handle, box = text.raw, raw.FS_RECTF()
    place = ctypes.byref(box)
    code_at, box_at = raw.FPDFText_GetUnicode, raw.FPDFText_GetLooseCharBox
    runs: list[Run] = []
    places: list[int] = []  # of the first character of each
    letters: list[str] = []
    last: Run | None = None
    space = False
    before = 0.0  # where the last character begins; all letters of a ligature have its place
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
    """A character as it is written: many programs take a radical (⽂) for the character that looks the same (文)."""
    letter = chr(code)
    return unicodedata.normalize("NFKC", letter) if _CHINESE <= code <= 0x2FDF else letter
