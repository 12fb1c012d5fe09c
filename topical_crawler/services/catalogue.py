"""Texts for people in English and Chinese, from ``catalogue.tsv``, one line each.

>>> Voice("zh")("why.kept"), Voice("en")("why.kept")
('它被收入语料库。', 'It was kept.')
>>> Voice("zh").named("off topic"), Voice("zh").named("“党建” in the anchor"), Voice("zh").named("HTTP 404")
('不切题', '锚文本有“党建”', 'HTTP 404')
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from topical_crawler.package_data import cells

LANGUAGES = ("en", "zh")
_NAMED = "named."


@functools.cache
def catalogue() -> Mapping[str, tuple[str, str]]:
    """Return the English and the Chinese text by name."""
    content = files("topical_crawler.services").joinpath("catalogue.tsv").read_text("utf-8")
    return {name: (english, chinese) for name, english, chinese in cells(content)}


@functools.cache
def _patterns() -> list[tuple[re.Pattern[str], tuple[str, str]]]:
    """Return the texts of the code with a placeholder ``{}`` as patterns, with the English and the Chinese for people.

    The pattern with most characters of its own comes first.
    """
    rows = [(name[len(_NAMED) :].split("{}"), row) for name, row in catalogue().items() if name.startswith(_NAMED)]
    rows.sort(key=lambda row: -sum(map(len, row[0])))
    return [(re.compile("(.+)".join(map(re.escape, parts)), re.DOTALL), row) for parts, row in rows if len(parts) > 1]


class Voice:
    """Speaker of one of :data:`LANGUAGES`."""

    def __init__(self, language: str) -> None:
        self._place = LANGUAGES.index(language)

    def __call__(self, name: str, /, **values: Any) -> str:
        """Return the text of a name, with ``values`` filled in. Raise KeyError for an unknown name."""
        return catalogue()[name][self._place].format(**values)

    def named(self, name: str) -> str:
        """Return the text for an English name in the code: a reason, a priority component, a kind of page, a mark, an error.

        Texts of several sentences are translated one by one. Unknown texts stay in English, since other people's code has
        reasons, too.
        """
        if row := catalogue().get(_NAMED + name):
            return row[self._place]
        sentence, _, rest = name.partition(". ")
        if rest and (translated := self.named(sentence)) != sentence:
            return translated + (". ", "。")[self._place] + self.named(rest)
        found = ((pattern.fullmatch(name), row[self._place]) for pattern, row in _patterns())
        return next((translated.format(*match.groups()) for match, translated in found if match), name)


def to_terminal(message: object) -> str:
    """Return an error for a terminal, in Chinese if the locale is Chinese and the catalogue has it."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return Voice("zh" if locale.startswith("zh") else "en").named(str(message))
