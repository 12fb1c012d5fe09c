"""What is said to people in two languages, English and Chinese: ``catalogue.tsv``, a line for each.

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

LANGUAGES = ("en", "zh")
_NAMED = "named."


@functools.cache
def catalogue() -> Mapping[str, tuple[str, str]]:
    """The English and the Chinese text by name."""
    content = files("topical_crawler.services").joinpath("catalogue.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in content.splitlines() if line and not line.startswith("#"))
    return {name: (english, chinese) for name, english, chinese in rows}


@functools.cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """The names of the code that have any text in the place of ``{}``, with their Chinese."""
    rows = [row for name, row in catalogue().items() if name.startswith(_NAMED) and "{}" in row[0]]
    return [(re.compile("(.+)".join(map(re.escape, english.split("{}"))), re.DOTALL), chinese) for english, chinese in rows]


class Voice:
    """Says things in one of :data:`LANGUAGES`."""

    def __init__(self, language: str) -> None:
        self._place = LANGUAGES.index(language)

    def __call__(self, name: str, /, **values: Any) -> str:
        """The text of a name, with ``values`` in their places. Raises KeyError for an unknown name."""
        return catalogue()[name][self._place].format(**values)

    def named(self, name: str) -> str:
        """What the code calls ``name`` in English: a reason, a part of a priority, a kind of page, a mark, an error. One that
        the catalogue does not have stays as it is: the code of others gives reasons, too. An error and its remedy are two."""
        if self._place == 0:
            return name
        if row := catalogue().get(_NAMED + name):
            return row[1]
        problem, _, remedy = name.partition(". Remedy: ")
        if remedy:
            said = self.named(problem)
            return name if said == problem else f"{said}。{self.named(remedy)}"
        found = ((pattern.fullmatch(name), chinese) for pattern, chinese in _patterns())
        return next((chinese.format(*match.groups()) for match, chinese in found if match), name)


def to_terminal(message: object) -> str:
    """Return an error for a terminal, in Chinese where the locale of the environment is and the catalogue has it."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return Voice("zh" if locale.startswith("zh") else "en").named(str(message))
