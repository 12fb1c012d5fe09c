"""Nearness in meaning of texts to a topic's sentence, before a crawl judges by it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from topical_crawler.config import cache_dir, encoder
from topical_crawler.meaning.encoder import open_encoder
from topical_crawler.project import AnySettings
from topical_crawler.strategies.adaptive.nearness import Nearness, of_page, short
from topical_crawler.topic.topic import Topic

MOST = 1000
"""Most texts read of a source."""
SHOWN = 5
"""Number of nearest texts shown, and of farthest ones."""


def by_nearness(topic: Topic, texts: Sequence[tuple[str, str]], settings: AnySettings) -> list[tuple[float, str]]:
    """Return the cosine and the title of each text, nearest first. Empty without texts or without an encoder."""
    near = Nearness(topic, open_encoder(encoder(settings), cache_dir(settings)) if texts else None)
    cosines = near.of(chain.from_iterable(of_page(*text) for text in texts)) if near.name else []
    found = zip(cosines[::2], cosines[1::2], texts, strict=False)
    return sorted(((round((text + title) / 2, 2), short(name)) for text, title, (name, _) in found), reverse=True)


def ends(found: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Return the nearest and the farthest texts.

    >>> ends([(0.9, "党课"), (0.1, "天气")])
    [(0.9, '党课'), (0.1, '天气')]
    """
    return [*found[:SHOWN], *found[max(SHOWN, len(found) - SHOWN) :]]
