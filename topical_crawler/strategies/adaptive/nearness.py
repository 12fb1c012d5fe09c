"""Semantic similarity of texts to a topic's sentence: the cosine of their vectors (:mod:`topical_crawler.meaning`)."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from topical_crawler.meaning.encoder import Encoder
from topical_crawler.topic.topic import Topic

logger = logging.getLogger(__name__)

READ = 60
"""Characters read of a text, besides its title. Every further one costs as much and says less."""
SHORT = 60
"""Characters read of a title or an anchor."""
_AT_ONCE = 64
"""Texts encoded per call in a thread. Anyone else needing the encoder waits for at most this many."""
_REMEMBERED = 16_384  # short texts, since the anchor of a link is often the title of its page
MOST_FAILURES = 3
"""Consecutive failures of a server before the crawl continues without it."""


class Nearness:
    """Cosines between texts and the sentence of a topic, -1 to 1. All 0 without an encoder.

    Attributes:
        name: name of the encoder, "" without one.
        waits: True if the encoder is a server. Await :meth:`ask` first.

    >>> from topical_crawler import load_topic
    >>> from topical_crawler.meaning.encoder import open_encoder
    >>> nearness = Nearness(load_topic("operating-systems"), open_encoder("bundled"))
    >>> near, far = nearness.of(["进程调度与内存管理", "红烧肉的做法"])
    >>> near > 0.3 > 0.2 > far
    True
    """

    def __init__(self, topic: Topic, encoder: Encoder | None) -> None:
        self._encoder = encoder
        self._known: OrderedDict[str, float] = OrderedDict()
        self._failures = 0
        self._turn = asyncio.Lock()
        self._encodes = threading.Lock()
        self.name, self.waits = (encoder.name, encoder.waits) if encoder is not None else ("", False)
        if encoder is not None:
            (self._sentence,) = encoder.encode([sentence(topic)])

    def of(self, texts: Iterable[str]) -> list[float]:
        """Return the cosine of each text."""
        texts = list(texts)
        if self._encoder is None:
            return [0.0] * len(texts)
        if new := self._new(texts):
            self._known.update(self._cosines(new))
        found = [self._known[text] if text else 0.0 for text in texts]
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return found

    async def ask(self, texts: Sequence[str]) -> None:
        """Compute and cache the cosines of texts without blocking the crawl. Concurrent calls take turns in order."""
        async with self._turn:
            new = self._new(texts) if self._encoder is not None else []
            size = len(new) if self.waits else _AT_ONCE
            for start in range(0, len(new), size or 1):
                self._known.update(await asyncio.to_thread(self._cosines, new[start : start + size]))

    def _new(self, texts: Iterable[str]) -> list[str]:
        return list(dict.fromkeys(text for text in texts if text and text not in self._known))

    def _cosines(self, texts: list[str]) -> dict[str, float]:
        assert self._encoder is not None
        try:
            with self._encodes:
                cosines = (self._encoder.encode(texts) * self._sentence).sum(axis=1).tolist()
            self._failures = 0
        except OSError as error:  # from a server
            self._failures += 1
            logger.warning("Cannot measure the similarity of %d texts to the topic: %s", len(texts), error)
            if self._failures == MOST_FAILURES:
                self._encoder = None
                logger.error("The crawl continues without an encoder and judges texts by their words alone")
            cosines = [0.0] * len(texts)
        return dict(zip(texts, cosines, strict=True))

    def of_short(self, texts: Iterable[str]) -> list[float]:
        """Return the cosine of each title or anchor, by its beginning."""
        return self.of(map(short, texts))

    def of_page(self, title: str, text: str, anchors: Iterable[str] = ()) -> tuple[float, float]:
        """Return the cosines of a page's text and of its title.

        Also caches those of the anchors: encoding all texts of a page together takes a tenth less time. Anchors are never sent
        to a server, since most belong to links already settled.
        """
        near, of_title, *_ = self.of([*of_page(title, text), *map(short, () if self.waits else anchors)])
        return near, of_title


def short(text: str) -> str:
    """Return the leading part of a title or an anchor, as read by the encoder."""
    return " ".join(text.split())[:SHORT]


def of_page(title: str, text: str) -> tuple[str, str]:
    """Return the parts of a page's text and title read by the encoder."""
    title = short(title)
    return f"{title}\n{text[:READ]}" if text else title, title


def sentence(topic: Topic) -> str:
    """Return the topic's description, preceded by its title unless it contains it.

    >>> from topical_crawler import load_topic
    >>> sentence(load_topic("partybuilding"))[:12]
    '中国共产党的建设：理论学'
    """
    return topic.description if topic.title in topic.description else f"{topic.title} {topic.description}".strip()
