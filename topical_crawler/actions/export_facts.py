"""What an export tells of its topic, its crawl and its hosts, and how it cuts texts into words."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from scrapy.settings import BaseSettings

from topical_crawler.corpus import hosts
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.export.failures import ExportError
from topical_crawler.topic import Topic, TopicError, load_topic

CRAWL = "crawl.json"
"""In a crawl's folder, beside its corpus: whose crawl it is."""


def crawl_facts(place: str) -> dict[str, Any]:
    """What the folder of the corpus notes of its crawl; empty for a corpus in a server and for one that lies alone."""
    if "://" in place:
        return {}
    try:
        found = json.loads(Path(place).with_name(CRAWL).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def topic_of(name: str | None, crawl: Mapping[str, Any]) -> Topic | None:
    """The topic that was named, else that of the crawl where it can still be read.

    Raises:
        ExportError: the topic that was named cannot be read.
    """
    if name:
        try:
            return load_topic(name)
        except TopicError as error:
            raise ExportError(str(error)) from None
    for known in (crawl.get("source"), crawl.get("topic")):
        try:
            if known:
                return load_topic(str(known))
        except (TopicError, OSError):
            continue
    return None


def topic_facts(topic: Topic | None, crawl: Mapping[str, Any]) -> dict[str, Any]:
    """For the manifest: name, title and description; ``edition`` is a digest of its terms, weights and parameters as they are
    now."""
    if topic is None:
        return {"name": crawl["topic"]} if crawl.get("topic") else {}
    from topical_crawler.opening import edition

    said = {"name": topic.name, "title": topic.title, "description": topic.description, "keywords": topic.keywords()}
    return said | {"edition": edition(topic)}


def robots(store: CorpusStore) -> dict[str, dict[str, Any]]:
    """By host, what its robots.txt said, as the corpus notes it; empty for a corpus of an older version."""
    with store.reading() as connection:
        found = hosts.read(connection)
    return {host: {"robots": told.robots, "crawl_delay": told.crawl_delay, "asked": told.asked} for host, told in found.items()}


def tagger(topic: Topic | None, settings: BaseSettings) -> Callable[[str], Iterator[tuple[str, str]]]:
    """Cuts sentences as the crawl does, the topic's terms kept whole, and tags words from the dictionary.

    A word that the dictionary lacks is a noun (``n``) where it is a term, a number (``m``), a foreign word (``eng``), or ``x``.
    """
    from topical_crawler.language import language
    from topical_crawler.text import Segmenter, normalise

    terms = {normalise(term) for term in topic.terms} if topic else set()
    cache = settings.get("TOPICAL_CACHE_DIR")
    cut = Segmenter(terms, backend=settings.get("TOPICAL_SEGMENTER", "auto"), cache_dir=Path(cache) if cache else None).pieces
    tag = language().tag

    @functools.lru_cache(maxsize=50_000)
    def tag_of(word: str) -> str:
        plain = normalise(word)
        return tag(plain) or ("n" if plain in terms else _guess(plain))

    return lambda sentence: ((word, tag_of(word)) for word in cut(sentence))


def _guess(word: str) -> str:
    if any(c.isdigit() for c in word):
        return "m"
    return "eng" if word.isascii() and word.isalpha() else "x"
