"""How near texts are in meaning to the sentence of a topic: the cosine of their vectors (:mod:`topical_crawler.meaning`)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from topical_crawler.meaning.encoder import Encoder
from topical_crawler.topic.topic import Topic

READ = 60
"""Characters of a text that are read, besides its title: every further one costs as much, and says less."""
SHORT = 60
"""Characters of a title or an anchor that are read."""
_REMEMBERED = 16_384  # short texts: the anchor of a link is often the title of the page


class Nearness:
    """Cosines between texts and the sentence of a topic, -1 to 1; 0 for all where there is no encoder.

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
        self.name = encoder.name if encoder is not None else ""
        if encoder is not None:
            (self._sentence,) = encoder.encode([sentence(topic)])

    def of(self, texts: Iterable[str]) -> list[float]:
        """The cosine of each text."""
        texts = list(texts)
        if self._encoder is None:
            return [0.0] * len(texts)
        new = list(dict.fromkeys(text for text in texts if text not in self._known and text))
        if new:
            cosines = (self._encoder.encode(new) * self._sentence).sum(axis=1)
            self._known.update(zip(new, cosines.tolist(), strict=True))
        found = [self._known[text] if text else 0.0 for text in texts]
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return found

    def of_short(self, texts: Iterable[str]) -> list[float]:
        """The cosine of each title or anchor, by its beginning."""
        return self.of(" ".join(text.split())[:SHORT] for text in texts)

    def of_page(self, title: str, text: str) -> tuple[float, float]:
        """The cosines of a page's text and of its title."""
        title = " ".join(title.split())[:SHORT]
        near, of_title = self.of([f"{title}\n{text[:READ]}" if text else title, title])
        return near, of_title


def sentence(topic: Topic) -> str:
    """What a topic says of itself.

    >>> from topical_crawler import load_topic
    >>> sentence(load_topic("partybuilding"))[:12]
    '中国共产党的建设：理论学'
    """
    return topic.description if topic.title in topic.description else f"{topic.title} {topic.description}".strip()
