"""Visible part of a page: no hidden or screen-reader text, line breaks kept by styles.

Only styles in the page itself count, and of these only rules for wide screens with selectors of tags, classes and ids. If they
hide most of a page, a script shows it later, and the whole page is read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from itertools import islice, pairwise
from textwrap import dedent
from typing import cast
from unicodedata import east_asian_width

from lxml.etree import XPath
from lxml.html import HtmlElement

LINE = "\u2028"  # line break kept by a style, in the tree
# Most characters of styles, most rules, and most parts of a selector.
MOST_STYLES, MOST_RULES, MOST_PARTS = 200_000, 500, 8

_ALOUD = frozenset((".jammer", ".sr-only", ".visually-hidden", ".screen-reader-text"))  # only for screen readers or copying
_WORDS = ("none", "hidden", "visib", "size:0", "size: 0", "SIZE: 0", "opacity:0", "opacity: 0", "-9", "white-space")
_STYLED = XPath("//@style[" + " or ".join(f"contains(., '{word}')" for word in _WORDS) + "]/..")
_CLOSED = XPath("//@hidden/.. | //dialog[not(@open)]")
_ATTRIBUTE = re.compile(r"hidden(?<=[\s\"']hidden)[\s=>/]")  # a literal prefix makes it fast
_NAMED, _TEXT = XPath("descendant::*[@class or @id]"), XPath("string()", smart_strings=False)
_NO_RULES = re.compile(  # comments; rules for printers, small screens and the like
    r"/\*(?:[^*]++|\*(?!/))*+(?:\*/)?|@[^{};@]*+(?:;|\{(?:[^{}]*+\{[^{}]*+\})*+[^{}]*+\}?)"
)
_WIDE = re.compile(  # rules for a screen of 1,024 pixels
    r"@media\s*+(?:(?:only\s++)?(?:screen|all)\s*+)?+(?:and\s*+)?+(?:\(min-width:\s*+(?:\d{1,3}|10[01]\d|102[0-4])px\)\s*+)?+\{(.*)\}",
    re.S | re.I,
)
_RULE = re.compile(r"(?:^|(?<=[{}]))([^{}]++)\{([^{}]*+)\}")
_SIMPLE = re.compile(r"(?:[a-z][a-z\d]*|\*)?(?:[.#][\w-]+)*", re.I)
_NAME = re.compile(r"[.#][\w-]+")
_PAIR = re.compile(r"(?<![\w-])(display|visibility|opacity|font-size|left|text-indent|white-space)\s*:\s*([^;!\s]+)")
_KEEPS = "(?:white-space:(?:pre|break).*)"
_HIDES = re.compile(r"display:none|visibility:(?:hidden|collapse)|(?:opacity|font-size):0(?:\.0*)?[a-z%]*|[a-z-]+:-\d{3,}\w*")
_TELLS = re.compile(f"{_HIDES.pattern}|{_KEEPS}")

# Of a selector: tag ("" or "*" for any), names, and number of ancestors searched (None for all).
_Part = tuple[str, frozenset[str], int | None]
_Rule = tuple[tuple[bool, int, int], list[_Part], dict[str, str]]  # importance, ids and classes; selector; values by property
_StyleTable = dict[HtmlElement, dict[str, str]]


def show(tree: HtmlElement, source: str) -> HtmlElement:
    """Turn each hidden element of ``tree`` into a ``template`` and mark kept line breaks with :data:`LINE`, in place.

    The ``source`` of the page only serves to skip searches without a chance.

    >>> from lxml.html import fromstring, tostring
    >>> html = "<div><style>.a {display: none}</style><p class=a>盗版</p><p>老<ruby>埠<rt>bù</rt></ruby>头</p></div>"
    >>> print(tostring(show(fromstring(html), html)[2], encoding="unicode"))
    <p>老<ruby>埠<template>bù</template></ruby>头</p>
    """
    rules = _rules("".join(style.text or "" for style in tree.iter("style"))[:MOST_STYLES])
    named = cast("list[HtmlElement]", _NAMED(tree)) if rules or any(name[1:] in source for name in _ALOUD) else []
    names = {e: frozenset([f"#{e.get('id')}", *(f".{name}" for name in e.get("class", "").split())]) for e in named}
    styles = _styles(tree, rules, names)
    for element in cast("list[HtmlElement]", _CLOSED(tree)) if "<dialog" in source or _ATTRIBUTE.search(source) else []:
        styles[element]["display"] = "none"
    hidden = [element for element, own in styles.items() if _is_hidden(element, own, styles)]
    if hidden and 2 * sum(map(_length, hidden)) > _length(tree):
        hidden = []
    for element in (*hidden, *(e for e in named if not names[e].isdisjoint(_ALOUD)), *tree.iter("rt", "rp", "rtc")):
        element.tag = "template"
    for element, own in styles.items():
        for part in element.iter() if re.match(_KEEPS, f"white-space:{own.get('white-space')}") else ():
            if part is element or "white-space" not in styles.get(part, ()):
                part.text = (part.text or "").replace("\n", LINE)
            if part is not element:
                part.tail = (part.tail or "").replace("\n", LINE)
    return tree


def _is_hidden(element: HtmlElement, own: dict[str, str], styles: _StyleTable) -> bool:
    hides = [name for name, value in own.items() if _HIDES.fullmatch(f"{name}:{value}")]
    if not hides or not {"visibility", "font-size"}.issuperset(hides):
        return bool(hides)
    return not any(below in styles or _PAIR.search(below.get("style", "")) for below in element.iterdescendants())  # inherited


def _length(element: HtmlElement) -> int:
    return len(str(_TEXT(element))) - sum(len(part.text or "") for part in element.iter("script", "style"))


def _styles(tree: HtmlElement, rules: list[_Rule], names: dict[HtmlElement, frozenset[str]]) -> _StyleTable:
    """Return the values of the page's own styles by element."""
    styles: _StyleTable = defaultdict(dict)
    places: dict[str, list[HtmlElement]] = defaultdict(list)
    for element, own in names.items() if rules else ():
        for name in own:
            places[name].append(element)

    def fits(element: HtmlElement, part: _Part) -> bool:
        return part[0] in ("", "*", element.tag) and names.get(element, frozenset()) >= part[1]

    for _, (*above, last), values in rules:
        for element in min((places.get(name, []) for name in last[1]), key=len) if last[1] else tree.iter(last[0] or "*"):
            ups = (islice(element.iterancestors(), part[2]) for part in above)
            if fits(element, last) and all(any(fits(up, part) for up in some) for part, some in zip(above, ups, strict=True)):
                styles[element].update(values)
    for element in cast("list[HtmlElement]", _STYLED(tree)):
        styles[element].update(_pairs(element.get("style", "")))
    return styles


def _pairs(style: str) -> dict[str, str]:
    return dict(_PAIR.findall(style.lower()))


@lru_cache(maxsize=64)  # pages of a site share them
def _rules(sheet: str) -> list[_Rule]:
    """Return the rules with simple selectors for properties able to hide text or keep lines, the weakest first."""
    found: list[_Rule] = []
    sheet = _NO_RULES.sub(lambda rule: f"}}{wide[1]}" if (wide := _WIDE.fullmatch(rule[0])) else "", sheet)
    for selectors, body in _RULE.findall(sheet):
        pairs = _pairs(body)
        for selector in selectors.split(",") if pairs else ():
            written = selector.replace(">", " > ").split()
            reach = 1 if written[-2:-1] == [">"] else None  # other child combinators are read as descendant ones
            names = [part for part in written if part != ">"]
            parts = [
                (_NAME.sub("", part), frozenset(_NAME.findall(part)), reach if n == len(names) - 2 else None)
                for n, part in enumerate(names)
            ]
            if 0 < len(parts) <= MOST_PARTS and all(map(_SIMPLE.fullmatch, names)):
                found.append((("!important" in body, selector.count("#"), selector.count(".")), parts, pairs))
    tells = {name for *_, styles in found for name, value in styles.items() if _TELLS.fullmatch(f"{name}:{value}")}
    return sorted((rule for rule in found if not tells.isdisjoint(rule[2])), key=lambda rule: rule[0])[-MOST_RULES:]


# -- Lines of preformatted text

LEAST_WIDTH, LEAST_FULL = 30, 3  # columns of the widest line, and full lines, of text possibly broken at a fixed width
_MARKS = "，。；：！？、…”,.;:!?"
_WORD = re.compile("[!-~]+")  # not divided at the end of a line


def unwrapped(text: str) -> list[str]:
    """Return the paragraphs of preformatted prose, joining lines broken at a fixed width.

    Such lines end anywhere, lines of verse and lists with punctuation or without any.

    >>> wrapped = ["渡口的船修好了，明天一早就可以下", "水，船夫请大家去看一看，晚上在祠", "堂里有戏，演的是白蛇传，锣鼓"]
    >>> wrapped[2:] = ["堂里有戏，演的是白蛇传，锣鼓已经", "借来了。"]
    >>> len(unwrapped("\\n".join(wrapped)))
    1
    """
    lines = [line.rstrip() for line in dedent(text.replace("\u3000", "  ")).splitlines()]
    widths = list(map(_width, lines))
    widest = max(widths, default=0)
    full = [
        bool(a and b) and not b[0].isspace() and width + (1 + len(word[0]) if (word := _WORD.match(b)) else _width(b[0])) > widest
        for (a, b), width in zip(pairwise(lines if widest >= LEAST_WIDTH else []), widths, strict=False)
    ]
    ends = [line[-1] for line, is_full in zip(lines, full, strict=False) if is_full]
    anywhere = 2 * sum(end in _MARKS for end in ends) <= len(ends) <= sum(map(text.count, _MARKS))
    if len(ends) < LEAST_FULL or not anywhere:
        full = []
    joined = "".join(
        a.strip() + ("\n" if not is_full else " " * (a[-1] + b[0]).isascii())
        for a, b, is_full in zip(lines, [*lines[1:], ""], [*full, *[False] * len(lines)], strict=False)
    )
    return [line for line in joined.split("\n") if line]


def _width(text: str) -> int:
    """Return the terminal columns taken by ``text``."""
    return sum(1 + (east_asian_width(letter) in "WF" or letter in "“”‘’…—") for letter in text)
