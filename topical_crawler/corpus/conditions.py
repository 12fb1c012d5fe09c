"""Which rows of the corpus meet a choice of filters, as conditions of a query."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from typing import Any

import sqlalchemy as sa

from topical_crawler.corpus.record import Bound, Filters
from topical_crawler.corpus.schema import MEASURES, pages

NUMBERS = ("relevance", "characters", "depth", *MEASURES)
"""What a bound can be on."""

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
_BOUND = re.compile(r"\s*(\w+)\s*(>=|<=|>|<|=)\s*([-+]?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]{1,3})?)\s*", re.ASCII)


def parse_bound(text: str) -> Bound:
    """``NAME>=NUMBER``; also <=, >, < and =.

    Raises:
        ValueError: it is written otherwise, or there is no such name.

    >>> parse_bound("han >= 0.5")
    Bound(name='han', operator='>=', value=0.5)
    >>> parse_bound("hans>=0.5")
    Traceback (most recent call last):
    ...
    ValueError: 'hans' cannot be bounded; there are relevance, characters, depth, han, latin, digits, punctuation, symbols, \
sentences, common, line_length, repeated_lines, repeated_phrases
    """
    match = _BOUND.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no condition; write it as 'han>=0.5' (or with <=, >, <, =)")
    name, sign, value = match.groups()
    if name not in NUMBERS:
        raise ValueError(f"{name!r} cannot be bounded; there are {', '.join(NUMBERS)}")
    return Bound(name, sign, float(value))


def needed(filters: Filters) -> set[str]:
    """The columns of ``pages`` that corpora of older versions may lack and the filters look at."""
    asked = {"language": filters.languages, "script": filters.scripts, "kind": filters.kinds, "personal": filters.no_personal}
    return {name for name, given in asked.items() if given} | {bound.name for bound in filters.bounds}


def conditions(filters: Filters) -> Iterator[sa.ColumnElement[bool]]:
    """All of them have to hold. A bound on a measure leaves out pages that were not measured."""
    if not filters.rejected:
        yield pages.c.keep
    if filters.hosts:
        yield sa.or_(
            *(pages.c.host == h.lower() for h in filters.hosts),
            *(pages.c.host.endswith("." + h.lower(), autoescape=True) for h in filters.hosts),
        )
    if filters.min_relevance is not None:
        yield pages.c.relevance >= filters.min_relevance
    if filters.since or filters.until:
        yield pages.c.date != ""
    if filters.since:
        yield pages.c.date >= filters.since
    if filters.until:
        yield pages.c.date <= filters.until
    if filters.min_characters:
        yield pages.c.characters >= filters.min_characters
    for name, given in (("language", filters.languages), ("script", filters.scripts), ("kind", filters.kinds)):
        if given:
            yield pages.c[name].in_(given)
    for bound in filters.bounds:
        yield _OPERATORS[bound.operator](pages.c[bound.name], bound.value)
    if filters.no_personal:
        yield sa.or_(pages.c.personal.is_(None), sa.cast(pages.c.personal, sa.Text).in_(("{}", "null")))
