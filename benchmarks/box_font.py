"""Makes the font with which PDFium reads files that embed none, ``topical_crawler/extraction/boxes.ttf``.

Every character is the same small box, narrower than any letter: PDFium takes the width of a character from the file, but never
less than its shape has. A table of the format 13 maps all characters to one glyph, so the font has some hundred bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable

EM, WIDTH, HEIGHT = 1000, 100, 500  # of the square that a Chinese character fills, and of a box
ASCENT, DESCENT = 880, -120
GLYPHS = (".notdef", "box")
CODES = ((0x21, 0xD800), (0xE000, 0xFFF0), (0x10000, 0x33480))  # Unicode without surrogates
JAPANESE_TO_KOREAN = sum(1 << bit for bit in range(17, 22))  # OS/2: code pages, with both Chinese ones


def font() -> FontBuilder:
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    for point in ((0, HEIGHT), (WIDTH, HEIGHT), (WIDTH, 0)):
        pen.lineTo(point)
    pen.closePath()
    made = FontBuilder(EM, isTTF=True)
    made.font.recalcTimestamp = False
    made.setupHead(unitsPerEm=EM, created=0, modified=0)
    made.setupGlyphOrder(list(GLYPHS))
    made.setupCharacterMap({})
    made.setupGlyf(dict.fromkeys(GLYPHS, pen.glyph()))
    made.setupHorizontalMetrics(dict.fromkeys(GLYPHS, (EM, 0)))
    made.setupHorizontalHeader(ascent=ASCENT, descent=DESCENT)
    made.setupNameTable({"familyName": "Boxes", "styleName": "Regular"})
    made.setupOS2(ulCodePageRange1=JAPANESE_TO_KOREAN, usWinAscent=ASCENT, usWinDescent=-DESCENT)
    made.setupPost()
    table = CmapSubtable.getSubtableClass(13)(13)
    table.platformID, table.platEncID, table.language = 3, 10, 0
    table.format, table.reserved, table.length, table.nGroups = 13, 0, 0, 0
    table.cmap = {code: GLYPHS[1] for first, end in CODES for code in range(first, end)}
    made.font["cmap"].tables = [table]
    return made


if __name__ == "__main__":
    font().save(Path(sys.argv[1]))
