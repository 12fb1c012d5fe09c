"""The words in the names of categories: 电子管、晶体管及其测试（1990年～） → 电子管, 晶体管, 测试.

>>> name_terms("马尔可夫过程（随机过程）、其他概率论与数理统计")
['马尔可夫过程', '概率论', '数理统计']
"""

from __future__ import annotations

import re

from topical_crawler.text import normalise

_NOTE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_BY = re.compile(r"[::]?按[^、]*分$")
_LIST = re.compile(
    r"[、,;:/&·\s]+|及其|以及"
    r"|(?<=..)与(?!会)|(?<=..)(?<![普涉埃危波])及(?![格时])"
    # 和 is part of 共和国, 饱和, 和平, …; as 与 and 及 it joins words of two characters or more
    r"|(?<=..)(?<![共饱总缓调中亲混柔温祥附])和(?=..)(?![平谐弦声睦约])"
)
_OTHER = re.compile(r"^[与及和的]?(其他|其它|各种|各类|一般|某些|有关|专用)*")
_YEAR = re.compile(r"\d+年|\d{3,}|世纪|\d~")
_EMPTY = frozenset({"其他", "其它", "一般", "概论", "总论", "应用", "制品", "其制品", "注"})
_MAX_LENGTH = 20


def name_terms(name: str) -> list[str]:
    """The terms that a category's name lists, normalised, each once, in their order.

    Left out: notes in brackets, "by … divided" (桥梁：按材料分 is 桥梁), 其他 before a word, terms with years, single characters.
    """
    text = normalise(name)
    while (shorter := _NOTE.sub("", text)) != text:
        text = shorter
    parts = (_OTHER.sub("", part.strip("\"'“”■…-~。 ")) for part in _LIST.split(_BY.sub("", text)))
    return list(
        dict.fromkeys(part for part in parts if 1 < len(part) <= _MAX_LENGTH and part not in _EMPTY and not _YEAR.search(part))
    )
