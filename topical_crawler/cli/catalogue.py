"""What is said to people in two languages, English and Chinese: ``catalogue.tsv``, a line for each.

>>> text("zh", "why.kept"), text("en", "why.kept")
('它被收入语料库。', 'It was kept.')
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

LANGUAGES = ("en", "zh")


@functools.cache
def catalogue() -> Mapping[str, tuple[str, str]]:
    """The English and the Chinese text by name."""
    content = files("topical_crawler.cli").joinpath("catalogue.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in content.splitlines() if line and not line.startswith("#"))
    return {name: (english, chinese) for name, english, chinese in rows}


def text(language: str, name: str, /, **values: Any) -> str:
    """The text of a name in one of :data:`LANGUAGES`, with ``values`` in their places. Raises KeyError for an unknown name."""
    return catalogue()[name][LANGUAGES.index(language)].format(**values)
