r"""Characters of a text: count letters, convert scripts, identify languages, repair text, detect wrong decoding.

>>> "的" in common_han(), "們" in common_han(), "瓴" in usual_han(), "鍙" in usual_han()
(True, True, True, False)
>>> script("國"), script("国"), script("中")
('traditional', 'simplified', '')
>>> to_traditional("头发发展"), to_simplified("頭髮發展")
('頭髮發展', '头发发展')
>>> identify("各级党组织开展主题教育"), identify("各級黨組織開展主題教育").script
(Identified(language='zh', script='simplified'), 'traditional')
>>> identify("支部の活動について、みんなで話し合いました。").language, identify("Machine learning is a field of study.").language
('ja', 'en')
>>> repair("ＡＢＣ１２３　主题\u200b教育，&nbsp;常态化（２０２４）")
'ABC123 主题教育， 常态化（2024）'
>>> is_garbled("各级党组织开展主题教育".encode().decode("gb18030", "replace")), is_garbled("主题教育")
(True, False)
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from functools import cache
from typing import Any, NamedTuple

from topical_crawler.package_data import data_folder

_NOT_LETTERS = re.compile(r"[\W_]+")


def count_letters(text: str) -> int:
    """Count letters and digits.

    >>> count_letters("党建，2024！")
    6
    """
    return len(_NOT_LETTERS.sub("", text))


# -- Common, usual, simplified and traditional characters

HAN = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))  # blocks of Chinese characters

_CANTONESE = "嘅喺咗哋嘢佢冇咁嚟嗰啲咩晒噉瞓揀㗎唔啱乜嘥攞瞓慳諗睇嬲孖咪嗱喎囉啩噃畀俾唞靚叻冚佬仔掟郁踎揸攰埋搵嘈嗌諗"


@cache
def _written() -> tuple[frozenset[str], frozenset[str], frozenset[str], dict[int, int]]:
    """Return the tables of ``scripts.txt``: OpenCC's data on single characters, without loading its 30 MB."""
    lines = data_folder().joinpath("scripts.txt").read_text(encoding="utf-8").splitlines()
    *sets, pairs = (line for line in lines if line[:1] != "#")
    simplified, traditional, common, forms = map(frozenset, sets)
    return simplified, traditional, common | forms, str.maketrans(pairs[::2], pairs[1::2])


@cache
def common_han() -> frozenset[str]:
    """Return the 1,000 most frequent characters and their traditional forms."""
    return _written()[2]


@cache
def usual_han() -> frozenset[str]:
    """Return the 9,000 characters of nearly all texts: GB 2312, the first level of Big5, and Cantonese characters."""
    cells = (*range(0x40, 0x7F), *range(0xA1, 0xFF))
    traditional = (bytes((row, cell)).decode("big5", "ignore") for row in range(0xA4, 0xC7) for cell in cells)
    return frozenset("".join((*_gb2312(), *traditional, _CANTONESE)))


@cache
def only_chinese() -> frozenset[str]:
    """Return the 3,291 characters of GB 2312 absent from JIS X 0208 and KS X 1001, most of them simplified (这, 们, 说)."""
    return frozenset(c for c in _gb2312() if c and not c.encode("shift_jis", "ignore") and not c.encode("euc_kr", "ignore"))


@cache
def japanese() -> tuple[frozenset[str], frozenset[str]]:
    """Return the characters of Japanese texts, and those of them only in Japanese.

    The former are the 2,965 characters of the first level of JIS X 0208, the latter 327 absent from GB 2312 and Big5 (駅, 験,
    発).
    """
    first = frozenset(filter(None, _cells("euc_jp", range(0xB0, 0xD0))))
    return first, frozenset(c for c in first if not c.encode("gb2312", "ignore") and not c.encode("big5", "ignore"))


def _gb2312() -> list[str]:
    return _cells("gb2312", range(0xB0, 0xF8))


def _cells(encoding: str, rows: range) -> list[str]:
    """Return the character of each cell, "" for an empty one."""
    return [bytes((row, cell)).decode(encoding, "ignore") for row in rows for cell in range(0xA1, 0xFF)]


def scripts() -> tuple[frozenset[str], frozenset[str]]:
    """Return the characters only in simplified, and only in traditional script.

    These are the characters converted by OpenCC, except those also in the other script (后, 台 and 里 are in Big5, 於 and 乾 in
    GB 2312).
    """
    return _written()[:2]


def in_one_script(text: str) -> str:
    """Replace each traditional character of ``text`` by a simplified one, to compare texts. 著 becomes 着, even in 著名.

    >>> in_one_script("臺灣的著名作家走著說話") == in_one_script("台湾的著名作家走着说话")
    True
    """
    return text.translate(_written()[3])


def to_simplified(text: str) -> str:
    """Convert ``text`` to simplified characters by OpenCC's phrases, keeping regional words."""
    return str(_converter("t2s").convert(text))


def to_traditional(text: str) -> str:
    """Convert ``text`` to traditional characters by OpenCC's phrases (头发: 頭髮, 发展: 發展), in OpenCC's standard forms."""
    return str(_converter("s2t").convert(text))


def to_mainland(text: str) -> str:
    """Convert ``text`` to simplified characters and words of the mainland.

    >>> to_mainland("軟體與資料庫")
    '软件与数据库'
    """
    return str(_converter("tw2sp").convert(text))


def traditional_forms(text: str) -> list[str]:
    """Return ``text`` in traditional characters, and in words of Taiwan.

    >>> traditional_forms("软件")
    ['軟件', '軟體']
    """
    return [to_traditional(text), str(_converter("s2twp").convert(text))]


@cache
def _converter(name: str) -> Any:
    import opencc  # takes a third of a second

    return opencc.OpenCC(name)


# -- Language and script

MIN_HAN_SHARE = 0.2
"""Least share of Chinese, Japanese and Korean characters among the words (each character counting as one) to identify the
language by them: a Chinese article with mostly source code has more identifiers than characters."""
MIN_KANA = 0.15  # share of kana in kana and Chinese characters over which a text is Japanese (real ones have .4 and more)
# Least share of kana and Japanese-only characters in a Japanese text with nearly all others on the first level of JIS X 0208:
# notices and minutes have hardly any kana. At least .08 of the characters of Chinese texts in traditional script, .17 in
# simplified script, are not on that level.
MIN_JAPANESE = 0.03
MIN_HANGUL_SHARE = 0.3  # the same as MIN_KANA for Korean
MIN_CHINESE = 0.05
"""Least share of :func:`only_chinese` in the letters of all three languages to take such a text for Chinese after all, like a
lesson of Japanese. It is a fifth of the share in Chinese prose (.25). Japanese and Korean have none."""
MIN_ENGLISH_WORDS, MIN_ENGLISH = 50, 0.15
"""Least number of words, and least share of :data:`_ENGLISH` among them, to take a text for English without py3langid."""
MIXED = 0.1  # least share of the rarer script among the characters in one script only, in a mixed text
PROBE = 20_000  # characters examined of a text

_CHINESE = ("zh", "cdo", "gan", "hak", "lzh", "nan", "wuu", "yue")  # py3langid takes short texts for a regional language

_ENGLISH = frozenset(
    ("the", "and", "that", "which", "with", "this", "these", "are", "from", "for", "by", "to", "be", "it", "they", "was", "have")
)
"""Common English words, hardly found in other languages."""
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_HANGUL = re.compile("[\u1100-\u11ff\uac00-\ud7a3]")
_WORD = re.compile("[^\\W\\d_\u1100-\u11ff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af]{1,100}")


class Identified(NamedTuple):
    """Language and script of a text."""

    language: str  # ISO 639-1 code, "" if unknown or without letters
    script: str  # "simplified", "traditional" or "mixed", "" in other languages or with characters common to both scripts only


def identify(text: str) -> Identified:
    """Identify language and script of a text by its first :data:`PROBE` characters.

    Kana and hangul identify Japanese and Korean, unless Chinese-only characters make the text a Chinese one about them. Chinese
    characters identify Chinese, also beside much source code. Longer English is identified by its commonest words, because
    py3langid takes 70 MB. Everything else is left to py3langid (97 languages).
    """
    text = text[:PROBE]
    han, kana, hangul = (len(pattern.findall(text)) for pattern in (_HAN, _KANA, _HANGUL))
    found = _WORD.findall(text)
    words = len(found)
    eastern = han + kana + hangul
    if not eastern + words:
        return Identified("", "")
    if eastern >= MIN_HAN_SHARE * (eastern + words):
        is_japanese = kana > MIN_KANA * (kana + han) or _has_few_kana(text, han, kana)
        other = "ja" if is_japanese else "ko" if hangul > MIN_HANGUL_SHARE * (hangul + han) else ""
        if not other:
            return Identified("zh", script(text))
        if sum(map(only_chinese().__contains__, text)) >= MIN_CHINESE * eastern:
            return Identified("zh", "simplified")  # what is traditional in it may be Japanese or Korean
        return Identified(other, "")
    if words >= MIN_ENGLISH_WORDS and sum(map(_ENGLISH.__contains__, found)) >= MIN_ENGLISH * words:
        return Identified("en", "")
    code = str(_identifier().classify(text)[0])
    if code in _CHINESE:
        return Identified("zh", script(text))
    return Identified(code if len(code) == 2 else "", "")


def _has_few_kana(text: str, han: int, kana: int) -> bool:
    """Return True if a text with so many Chinese characters and kana is Japanese by its Chinese characters."""
    first, only = japanese()
    if not kana and only.isdisjoint(text):
        return False  # most texts
    own, others = (sum(map(characters.__contains__, text)) for characters in (only, first))
    return kana + own >= MIN_JAPANESE * (kana + han) and han - others < MIN_CHINESE * han


def language_score(text: str, language: str) -> float:
    """Return the share of the words of ``text`` in the writing system of ``language``, 0 to 1.

    Each Chinese, Japanese or Korean character is a word. All other languages share one writing system. 0 without letters.

    >>> language_score("用Python学机器学习", "zh"), language_score("用Python学机器学习", "en")
    (0.8571428571428571, 0.14285714285714285)
    """
    text = text[:PROBE]
    writings = {"zh": (_HAN,), "ja": (_HAN, _KANA), "ko": (_HAN, _HANGUL)}
    counts = {pattern: len(pattern.findall(text)) for pattern in (_HAN, _KANA, _HANGUL, _WORD)}
    own = sum(counts[pattern] for pattern in writings.get(language, (_WORD,)))
    return own / sum(counts.values()) if own else 0.0


def script(text: str) -> str:
    """Return the script of a Chinese text, see :class:`Identified`."""
    counts = Counter(text)
    simplified, traditional = (sum([n for character, n in counts.items() if character in only]) for only in scripts())
    decisive = simplified + traditional
    if not decisive:
        return ""
    if min(simplified, traditional) >= MIXED * decisive:
        return "mixed"
    return "simplified" if simplified > traditional else "traditional"


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # takes a second and 60 MB

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


# -- Repair, and texts decoded with a wrong encoding

GARBLED = "garbled text"
MAX_GARBLED = 0.05  # greatest share of a text in garbled lines: some articles quote one
MIN_HAN_CHARACTERS = 16  # fewest Chinese characters judged by their rarity: fewer may be names
MIN_COMMON, MAX_RARE = 0.4, 0.10
"""Chinese characters are garbled if fewer than ``MIN_COMMON`` are common and more than ``MAX_RARE`` unusual. Of 144,000 lines of
news and articles none has more than .08 unusual ones. Wrongly decoded texts of 130 characters have .12 and more, and up to .36
common ones."""
# Least Chinese punctuation marks for each Chinese character of a classical text, with rare characters by nature: rhapsodies and
# word books have .2 and more, wrongly decoded texts at most .01.
MIN_MARKS = 0.05
# Greatest share of single U+FFFD, private and control characters within words. Between words and in twos or more they are emoji
# lost by a site.
MAX_BROKEN = 0.01
MIN_LATIN = 0.3  # share of a line over which sequences of accented letters are bytes of Chinese, not foreign words
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_ENDS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_DROPPED = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
# Radicals, half-width katakana, full-width letters and digits.
_COMPATIBLE = re.compile("[\u2e80-\u2fdf\uff61-\uff9f０-９Ａ-Ｚａ-ｚ]{1,1000}")
_BLANK = "\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_SPACES = re.compile(f"(?:[{_BLANK}]| (?=[ {_BLANK}]))[ {_BLANK}]{{0,10000}}")  # but not the many single spaces
_DOT = re.compile(r"(?<=[0-9A-Za-z])．(?=[0-9A-Za-z])")
_ODD = re.compile("[^\n !-%'-~\u4e00-\u9fff，。、；：？！“”‘’（）《》【】…—·]")  # signs possibly in need of repair

_BROKEN = re.compile("[\ufffd\ue000-\uf8ff\x80-\x84\x86-\x9f]")
_IN_WORDS = re.compile(rf"(?<=\w){_BROKEN.pattern}(?=\w)")
_REPLACED = re.compile("(?:锟斤拷|锟|ï¿½)")  # U+FFFD itself, decoded wrongly
_AS_LATIN = re.compile(
    "(?:[ã-é][\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]{1,2}){2,1000}"  # UTF-8, three bytes a character
    "|(?:[¡-ù][¡-þ@-~]){2,1000}"  # GBK and Big5, two
)
_ACCENTED = re.compile("[À-ÖØ-öø-þ]")
_HAN_RUN = re.compile("[\u3400-\u9fff\uf900-\ufaff]+")
_MARKS = re.compile("[，。、；：！？]")


def repair(text: str) -> str:
    """Normalise ``text`` to NFC with ``\\n`` line ends and visible characters only. Idempotent.

    Resolves left-over entities, however often escaped. Removes control and zero-width characters, variation selectors, private
    characters (icons) and U+FFFD. Turns full-width Latin letters and digits into ASCII, and half-width katakana, radicals and
    compatibility ideographs into their standard forms. Merges runs of spaces. Keeps Chinese punctuation.

    >>> repair("卷１．２ ⼈⼯智能 &amp;amp; ｱｲ\\ufffd")
    '卷1.2 人工智能 & アイ'
    """
    while (mended := _mended(text)) != text and "&" in mended:
        text = mended  # an entity escaped twice
    return mended


def _mended(text: str) -> str:
    if "  " not in text and _ODD.search(text) is None:  # most lines and anchors
        return text
    text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    text = _DROPPED.sub("", _ENDS.sub("\n", text))
    text = _COMPATIBLE.sub(lambda run: unicodedata.normalize("NFKC", run[0]), text)
    if "．" in text:
        text = _DOT.sub(".", text)
    return unicodedata.normalize("NFC", _SPACES.sub(" ", text))


def visible(text: str) -> str:
    """Remove invisible characters: control, zero-width, private and bidirectional ones."""
    return _DROPPED.sub("", text)


def repair_verbatim(text: str) -> str:
    """Normalise text to be kept as written, such as code: NFC, ``\\n`` line ends, visible characters. Idempotent.

    Drops blank lines at its edges.

    >>> repair_verbatim("\\n if a\u00a0&amp;&amp; b:\u200b\\r\\n\\tｘ = 1\\n\\n")
    ' if a &amp;&amp; b:\\n\\tｘ = 1'
    """
    text = _ENDS.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n")).replace("\u00a0", " ")
    return _without_blank_edges(unicodedata.normalize("NFC", _DROPPED.sub("", text)))


def _without_blank_edges(text: str) -> str:
    """Drop blank lines at the edges of ``text``. Not by a pattern: it would try each of many blank lines as the last."""
    first = text.rfind("\n", 0, len(text) - len(text.lstrip(" \t\n"))) + 1
    last = text.find("\n", max(first, len(text.rstrip(" \t\n"))))
    return text[first : last if last >= 0 else None]


def is_garbled(text: str) -> bool:
    """Return True if more than :data:`MAX_GARBLED` of ``text`` was decoded wrongly.

    Detects UTF-8 as GBK or Big5, GBK or UTF-8 as Latin-1, Big5 as GBK and back, and text with many replaced characters. Call it
    before :func:`repair`, because that removes some of the signs.

    >>> [is_garbled(t) for t in ("ÄãºÃ£¬Ö÷ÌâœÌÓý", "锟斤拷锟斤拷", "Café à Genève", "乇氪鼪孓")]
    [True, True, False, False]
    """
    if text.isascii():
        return False
    broken = len(_BROKEN.findall(text))
    if broken >= 3 and (len(_IN_WORDS.findall(text)) > MAX_BROKEN * len(text) or broken > count_letters(text)):
        return True
    letters = "".join(set(text))
    sign = broken >= 3 or "锟" in letters or _ACCENTED.search(letters)
    if not sign and usual_han().issuperset("".join(_HAN_RUN.findall(letters))):
        return False  # most texts: no possible sign
    if _rare(text):
        return True
    garbled = sum(len(line) for line in text.splitlines() if _line_is_garbled(line))
    return garbled > MAX_GARBLED * len(text)


def _line_is_garbled(line: str) -> bool:
    if line.isascii():
        return False
    replaced = 3 * len(_REPLACED.findall(line))
    latin = sum(len(run) for run in _AS_LATIN.findall(line) if _ACCENTED.search(run))
    if 0 < count_letters(line) < len(_BROKEN.findall(line)):
        return True
    return max(replaced, latin) > MIN_LATIN * len(line) or _rare(line)


def _rare(text: str) -> bool:
    """Return True if the Chinese characters of ``text`` are rare, without the punctuation of a classical text."""
    han = "".join(_HAN_RUN.findall(text))
    if len(han) < MIN_HAN_CHARACTERS or len(_MARKS.findall(text)) >= MIN_MARKS * len(han):
        return False
    if sum(map(common_han().__contains__, han)) >= MIN_COMMON * len(han):
        return False
    return len(han) - sum(map(usual_han().__contains__, han)) > MAX_RARE * len(han)
