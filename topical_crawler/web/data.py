"""Texts held by a page as data for scripts or machines, outside of its markup."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from html import escape, unescape

SHORTEST, DEEPEST = 20, 3  # least characters of a text in a string, and deepest nesting of strings in strings
NOTHING = 50  # letters of its markup over which a page has a text of its own
_SCRIPTS = re.compile(r"<(/?)script\b([^<>]*+)>?", re.IGNORECASE)
_DESCRIPTION = re.compile(r"<meta\b(?=[^<>]*?og:description)[^<>]*?\bcontent\s*=\s*(?:\"([^\"<>]*)\"|'([^'<>]*)')", re.IGNORECASE)
_STRING = re.compile(  # with the name before it, or the colon after a name. An unclosed one ends with its line
    r"""(?:(?<![\w"'])([a-z_$][\w$]*+)\s*+:\s*+)?(?:"((?:[^"\\\n]++|\\.)*+)"?|'((?:[^'\\\n]++|\\.)*+)'?)(\s*+:)?""", re.IGNORECASE
)
_DATA = re.compile(r"""\s*(?:\{\s*["}]|\[\s*["\[{\d]|[\da-f]{1,4}:[\[{"])""")
_PROSE = re.compile("[，。！？；]|[a-z][.!?] [A-Z]")
_EXCERPTS = frozenset(("title", "summary", "desc", "description", "abstract", "excerpt", "intro", "name"))
_MARKUP = re.compile("<[^<>]*>")


def text_in_data(html: str, seen: int) -> tuple[str, str, int]:
    """Return the longest text held by a page as data: its place, its HTML and the number of its letters.

    The place is ``__NEXT_DATA__``, ``json-ld``, ``og:description`` or the like. Strings of the same name and similar length are
    the paragraphs of one text. No script is run. Without such a text, returns ("", "", 0).

    Args:
        html: the source.
        seen: letters of the page's visible text. No text is returned from :data:`NOTHING` on, nor one of less than twice as many.

    >>> text_in_data("<script>window.__STATE__ = {desc: '渡口的船修好了，请来看看吧。\\\\n船夫在等着大家。'}</script>", 0)
    ('__STATE__', '<p>渡口的船修好了，请来看看吧。</p><p>船夫在等着大家。</p>', 19)
    """
    if seen >= NOTHING:
        return "", "", 0
    found = [("og:description", unescape(double or single)) for double, single in _DESCRIPTION.findall(html)]
    parts = _SCRIPTS.split(html, 2_000)  # no page has more
    for closes, attributes, script in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        named = re.search("__[A-Z_]+__", attributes + script[:200])
        place = named[0] if named else "json-ld" if "ld+json" in attributes else "script"
        texts: dict[str, list[str]] = defaultdict(list)
        for name, text in () if closes else _strings(script):
            texts[name].append(text)
        for name, own in texts.items():
            longest = max(own, key=_letters)
            several = name not in _EXCERPTS and 2 * _letters(longest) < sum(map(_letters, own))
            found.append((place, "\n".join(filter(_letters, own)) if several else longest))
    place, text = max(found, key=lambda pair: _letters(pair[1]), default=("", ""))
    if (letters := _letters(text)) < 2 * seen or not letters:
        return "", "", 0
    if not re.search(r"<\w", text):
        text = "".join(f"<p>{escape(line.strip())}</p>" for line in text.splitlines() if line.strip())
    return place, text, letters


def _strings(source: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield the longer strings in a script or in JSON, each with its name in its object."""
    name = ""
    for own, double, single, colon in (found.groups("") for found in _STRING.finditer(source)):  # a list of them may be long
        name = (double or single) if colon else own or name
        if colon or len(double or single) < SHORTEST:
            continue
        raw = re.sub(r'(?<!\\)"', '\\\\"', re.sub(r"\\x(?=[\da-fA-F]{2})", r"\\u00", double or single).replace("\\'", "'"))
        try:
            text = str(json.loads(f'"{raw}"', strict=False)).encode("utf-8", "ignore").decode()
        except ValueError:
            continue
        if depth < DEEPEST and _DATA.match(text):
            yield from _strings(text, depth + 1)
        else:
            yield name, text if "<" in text or "&lt;" not in text else unescape(text)


def _letters(text: str) -> int:
    """Count the letters of a text in HTML, 0 unless it is prose."""
    text = _MARKUP.sub(" ", text)
    return sum(map(str.isalnum, text)) if _PROSE.search(text) else 0
