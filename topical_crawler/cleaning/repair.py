"""Characters of a text as they should be, and texts that were read with a wrong encoding.

>>> repair("ＡＢＣ１２３　主题\\u200b教育，&nbsp;常态化（２０２４）")
'ABC123 主题教育， 常态化（2024）'
>>> is_garbled("各级党组织开展主题教育".encode().decode("gb18030", "replace")), is_garbled("主题教育")
(True, False)
"""

from __future__ import annotations

import html
import re
import unicodedata

from topical_crawler.cleaning.characters import common_han, usual_han

GARBLED = "garbled text"
"""Why a text is rejected that :func:`is_garbled`."""
MAX_GARBLED = 0.05
"""Most of a text, as a part of 1, that may stand in garbled lines: some articles quote such a line."""
MIN_HAN = 16
"""Fewest Chinese characters of a line that is judged by how rare they are: a shorter one may hold names only."""
MIN_COMMON = 0.4
MAX_RARE = 0.10
"""Chinese characters are garbled where fewer than ``MIN_COMMON`` are common and more than ``MAX_RARE`` unusual ones. Measured: of
144,000 lines of news and of articles none has more than .08 unusual ones; texts of 130 characters that were read wrongly have
.12 and more, and up to .36 common ones."""
MAX_BROKEN = 0.01
"""Most of a text's characters that may be U+FFFD, private or control ones."""
MIN_LATIN = 0.3
"""From which part of a line on sequences of accented letters, as bytes of Chinese make them, are no foreign words."""

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_ENDS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_DROPPED = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
_COMPATIBLE = re.compile("[\u2e80-\u2fdf\uff61-\uff9f]{1,1000}")  # radicals in place of characters, half-width katakana
_SPACES = re.compile("[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]{1,10000}")
_DOT = re.compile(r"(?<=[0-9A-Za-z])．(?=[0-9A-Za-z])")
_NARROW = {full: full - 0xFEE0 for first, last in ("０９", "ＡＺ", "ａｚ") for full in range(ord(first), ord(last) + 1)}

_BROKEN = re.compile("[\ufffd\ue000-\uf8ff\x80-\x84\x86-\x9f]")
_REPLACED = re.compile("(?:锟斤拷|锟|ï¿½)")  # U+FFFD itself, read wrongly
_AS_LATIN = re.compile(
    "(?:[ã-é][\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]{1,2}){2,1000}"  # UTF-8, three bytes a character
    "|(?:[¡-ù][¡-þ@-~]){2,1000}"  # GBK and Big5, two
)
_ACCENTED = re.compile("[À-ÖØ-öø-þ]")


def repair(text: str) -> str:
    """``text`` in NFC with one line end, without what cannot be seen.

    Entities that are left over are resolved, also those escaped more than once; control and zero-width characters, variation
    selectors, private characters (icons) and U+FFFD go; full-width Latin letters and digits become ASCII, while Chinese
    punctuation stays as wide as it is; half-width katakana, radicals and compatibility ideographs become the characters they
    stand for; each run of spaces becomes one space. Repairing twice changes nothing.

    >>> repair("卷１．２ ⼈⼯智能 &amp;amp; ｱｲ\\ufffd")
    '卷1.2 人工智能 & アイ'
    """
    while (mended := _mended(text)) != text and "&" in mended:
        text = mended  # what was escaped twice is an entity again
    return mended


def _mended(text: str) -> str:
    text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    text = _DROPPED.sub("", _ENDS.sub("\n", text))
    text = _COMPATIBLE.sub(lambda run: unicodedata.normalize("NFKC", run[0]), text).translate(_NARROW)
    return unicodedata.normalize("NFC", _SPACES.sub(" ", _DOT.sub(".", text)))


def is_garbled(text: str) -> bool:
    """Whether ``text``, or more of it than :data:`MAX_GARBLED`, was read with another encoding than it was written with: UTF-8
    as GBK or Big5, GBK or UTF-8 as Latin-1, Big5 as GBK and back, anything with many characters replaced.

    To be asked before :func:`repair`, which takes some of the signs away.

    >>> [is_garbled(t) for t in ("ÄãºÃ£¬Ö÷ÌâœÌÓý", "锟斤拷锟斤拷", "Café à Genève", "乇氪鼪孓")]
    [True, True, False, False]
    """
    if text.isascii():
        return False
    broken = len(_BROKEN.findall(text))
    if broken >= 3 and broken > MAX_BROKEN * len(text):
        return True
    if _rare(text):
        return True
    garbled = sum(len(line) for line in text.splitlines() if _line_is_garbled(line))
    return garbled > MAX_GARBLED * len(text)


def _line_is_garbled(line: str) -> bool:
    if line.isascii():
        return False
    replaced = 3 * len(_REPLACED.findall(line))
    latin = sum(len(run) for run in _AS_LATIN.findall(line) if _ACCENTED.search(run))
    return max(replaced, latin) > MIN_LATIN * len(line) or _rare(line)


def _rare(text: str) -> bool:
    """Whether the Chinese characters of ``text`` are such as hardly anybody writes."""
    han = [c for c in text if "\u3400" <= c <= "\u9fff" or "\uf900" <= c <= "\ufaff"]
    if len(han) < MIN_HAN:
        return False
    common, usual = common_han(), usual_han()
    return sum(c in common for c in han) < MIN_COMMON * len(han) and sum(c not in usual for c in han) > MAX_RARE * len(han)
