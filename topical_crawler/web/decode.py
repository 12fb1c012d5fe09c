"""Bytes of a Chinese page into text, whatever its server and its head say about the encoding.

>>> decode("<title>党建工作</title>".encode("gb18030"))
('<title>党建工作</title>', 'gb18030')
>>> decode("主题教育".encode("gb18030"), "text/html; charset=utf-8")  # the declaration is wrong
('主题教育', 'gb18030')
"""

from __future__ import annotations

import codecs
import re

from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom, resolve_encoding

_COMMON = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运"
)
"""The most frequent characters of running Chinese text: garbled text is Chinese characters too, but hardly ever these."""
_NO_CHARSETS = frozenset(("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"))
"""Names that Python knows and browsers do not: they raise, or give text that cannot be stored. Scripts write "undefined"."""
_HAN = re.compile(r"[\u4e00-\u9fff]")
_PROBE = 20_000
_TOLERATED = 0.002


def decode(body: bytes, content_type: str = "") -> tuple[str, str]:
    """Text of ``body`` and the name of the encoding it was read with. Never raises.

    A byte order mark decides; next a declared encoding (HTTP header, then the page's head) that can read all bytes and gives
    plausible Chinese; else the best of UTF-8, GB18030, Big5 and UTF-16: fewest unreadable bytes, then the largest share of common
    characters.

    Args:
        body: as received, decompressed.
        content_type: value of the Content-Type header.
    """
    encoding, mark = read_bom(body)
    if encoding is not None and mark is not None:
        return body[len(mark) :].decode(encoding, "replace"), codecs.lookup(encoding).name
    declared = http_content_type_encoding(content_type) or html_body_declared_encoding(body)
    first = (resolve_encoding(declared) if declared else None) or "utf-8"
    if first in ("gb2312", "gbk"):
        first = "gb18030"  # the superset, as browsers do
    elif first in ("cp1252", "iso8859-1", "latin-1", "ascii"):
        first = "utf-8"  # the default of some servers: it can read any bytes, and no Chinese
    elif first in _NO_CHARSETS:
        first = "utf-8"
    text, bad = _read(body, first)
    # A few unreadable bytes may be an accident, or all the Chinese that a long page of source code has.
    if bad == 0 and (first == "utf-8" or _plausible(text)):
        return text, codecs.lookup(first).name
    best = (bad, -_common_share(text), text, first)
    for name in ("utf-8", "gb18030", "big5", "utf-16-le", "utf-16-be"):
        if name == first or (name.startswith("utf-16") and b"\0" not in body[:_PROBE]):
            continue
        other, worse = _read(body, name)
        rival = (worse if worse > _TOLERATED else 0.0, -_common_share(other), other, name)
        if rival[:2] < (best[0] if best[0] > _TOLERATED else 0.0, best[1]):
            best = rival
    return best[2], codecs.lookup(best[3]).name


def _read(body: bytes, encoding: str) -> tuple[str, float]:
    """Text, and the share of it that could not be read."""
    try:
        return body.decode(encoding), 0.0
    except (UnicodeDecodeError, LookupError):
        try:
            text = body.decode(encoding, "replace")
        except LookupError:
            return body.decode("utf-8", "replace"), 1.0
        return text, text.count("\ufffd") / max(1, len(text))


def _common_share(text: str) -> float:
    """Share of the Chinese characters that are common ones; 0.5 where there are hardly any to tell by."""
    han = _HAN.findall(text[:_PROBE])
    return sum(c in _COMMON for c in han) / len(han) if len(han) >= 4 else 0.5


def _plausible(text: str) -> bool:
    return _common_share(text) >= 0.15
