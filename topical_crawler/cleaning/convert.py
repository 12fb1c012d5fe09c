"""Simplified and traditional script, by OpenCC's phrases: 头发 becomes 頭髮, and 发展 becomes 發展.

>>> to_traditional("头发发展"), to_simplified("頭髮發展")
('頭髮發展', '头发发展')
"""

from __future__ import annotations

from functools import cache
from typing import Any


def to_simplified(text: str) -> str:
    """``text`` in simplified characters; words stay those of its region."""
    return str(_converter("t2s").convert(text))


def to_traditional(text: str) -> str:
    """``text`` in traditional characters, in the forms that OpenCC takes as its standard."""
    return str(_converter("s2t").convert(text))


@cache
def _converter(name: str) -> Any:
    import opencc  # here: a third of a second that only those wait for who convert

    return opencc.OpenCC(name)
