"""What an export may change of a page: personal data covered, Chinese characters converted.

``topical_crawler.cleaning`` is imported when it is needed.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable
from typing import Any

from topical_crawler.corpus.record import Record

Change = Callable[[Record], Record | None]
"""Gives the page as it is exported; None to leave it out."""

_SAID = ("title", "text", "author", "source", "section")
"""The fields in which a person's words stand."""


def without_personal(record: Record) -> Record | None:
    """Leaves out texts that hold or held personal data. A text that was stored by a version that did not look is looked at now.

    >>> without_personal(Record(url="http://a.cn/", host="a.cn", keep=True, text="开会", personal={"phone": 1})) is None
    True
    """
    if record.personal:
        return None
    if record.text and not record.measures:
        from topical_crawler.cleaning.personal import find

        return None if find(record.text) else record
    return record


def masked(record: Record) -> Record:
    """Covers personal data in what the page says and in the words of the link that led to it; addresses stay as they are."""
    from topical_crawler.cleaning.personal import mask

    found: Counter[str] = Counter()

    def cover(text: str) -> str:
        covered: tuple[str, dict[str, int]] = mask(text)
        found.update(covered[1])
        return covered[0]

    changed = _changed(record, cover)
    return dataclasses.replace(changed, personal=dict(record.personal) or dict(found))


def simplified(record: Record) -> Record:
    """Writes what the page says in simplified characters."""
    from topical_crawler.cleaning.convert import to_simplified

    return dataclasses.replace(_changed(record, to_simplified), script="simplified" if record.script else "")


def traditional(record: Record) -> Record:
    """Writes what the page says in traditional characters.

    >>> traditional(Record(url="http://a.cn/", host="a.cn", keep=True, text="组织")).text
    '組織'
    """
    from topical_crawler.cleaning.convert import to_traditional

    return dataclasses.replace(_changed(record, to_traditional), script="traditional" if record.script else "")


def _changed(record: Record, change: Callable[[str], str]) -> Record:
    new: dict[str, Any] = {name: change(said) for name in _SAID if (said := getattr(record, name))}
    return dataclasses.replace(record, **new, why=_inside(record.why, change))


def _inside(value: Any, change: Callable[[str], str]) -> Any:
    """``value`` with every string in it changed, keys too: they are words of the text."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list | tuple):
        return [_inside(part, change) for part in value]
    if isinstance(value, dict):
        return {change(key): _inside(part, change) for key, part in value.items()}
    return value
