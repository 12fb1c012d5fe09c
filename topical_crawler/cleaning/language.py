"""The language of a text, and which Chinese script it is written in.

>>> identify("各级党组织开展主题教育"), identify("各級黨組織開展主題教育").script
(Identified(language='zh', script='simplified'), 'traditional')
>>> identify("支部の活動について、みんなで話し合いました。").language, identify("Machine learning is a field of study.").language
('ja', 'en')
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

from topical_crawler.cleaning.characters import scripts

MIN_HAN = 0.2
"""From which part of a text's words on Chinese characters, each counted as a word, tell its language: an article that is mostly
source code has fewer Chinese characters than identifiers."""
MIN_KANA = 0.15
"""From which part of Chinese characters and kana together on kana make a text Japanese: real ones have .4 and more, Chinese texts
on Japanese songs less."""
MIN_HANGUL = 0.3
"""The same for Korean, which is written with hardly any Chinese characters today."""
MIXED = 0.1
"""Least part of the characters of one script only that the rarer script has in a text of both."""
PROBE = 20_000
"""Characters of a text that are looked at."""

_CHINESE = ("zh", "cdo", "gan", "hak", "lzh", "nan", "wuu", "yue")
"""What py3langid calls Chinese: it takes a short or a technical text for one of its regional kinds, and rarely is right."""

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_HANGUL = re.compile("[\u1100-\u11ff\uac00-\ud7a3]")
_WORD = re.compile("[^\\W\\d_\u1100-\u11ff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af]{1,100}")


class Identified(NamedTuple):
    """What a text is written in.

    Attributes:
        language: ISO 639-1 code; "" for a text without letters, and where none is known.
        script: "simplified", "traditional", "mixed"; "" without characters that one script alone has, and in other languages.
    """

    language: str
    script: str


def identify(text: str) -> Identified:
    """Language and script of ``text``. Kana and hangul tell Japanese and Korean, Chinese characters Chinese; only what has few
    of all three is asked of py3langid, which knows 97 languages, so that an article with much source code stays Chinese."""
    text = text[:PROBE]
    han, kana, hangul = (len(pattern.findall(text)) for pattern in (_HAN, _KANA, _HANGUL))
    words = len(_WORD.findall(text))
    eastern = han + kana + hangul
    if not eastern + words:
        return Identified("", "")
    if eastern >= MIN_HAN * (eastern + words):
        if kana > MIN_KANA * (kana + han):
            return Identified("ja", "")
        if hangul > MIN_HANGUL * (hangul + han):
            return Identified("ko", "")
        return Identified("zh", script(text))
    code = str(_identifier().classify(text)[0])
    if code in _CHINESE:
        return Identified("zh", script(text))
    return Identified(code if len(code) == 2 else "", "")


def script(text: str) -> str:
    """The script of a Chinese text, see :class:`Identified`."""
    simplified, traditional = (sum(map(only.__contains__, text)) for only in scripts())
    told = simplified + traditional
    if not told:
        return ""
    if min(simplified, traditional) >= MIXED * told:
        return "mixed"
    return "simplified" if simplified > traditional else "traditional"


@cache
def _identifier() -> Any:
    # Here: a second and 60 MB that only those spend whose pages are not Chinese.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
