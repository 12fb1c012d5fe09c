"""Resolution of names to corpora, crawls, topics and pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from topical_crawler.config import corpus_place, data_dir, named_data_dir
from topical_crawler.corpus.record import CorpusError, Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.crawl_folder import CrawlFolder
from topical_crawler.crawl.options import CrawlError
from topical_crawler.project import AnySettings
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic import Topic, load_topic
from topical_crawler.topic.topic_folder import TopicFolder

# -- Corpora


def find_corpus(name: str | None, settings: AnySettings) -> str:
    """Return the file or URL of an existing corpus.

    ``name`` is a topic, folder, file or database URL. None: the corpus in the settings, or the only one under ``data/``.

    Raises:
        FileNotFoundError: there is none. The message lists the existing ones.
    """
    name = name or corpus_place(settings) or named_data_dir(settings) or _only()
    if "://" in name:
        return name
    path = Path(name).expanduser()
    if path.is_file():
        return str(path)
    places = [CrawlFolder(path).corpus, CrawlFolder(data_dir(settings, name)).corpus]
    if corpus := corpus_place(settings):
        if "://" in corpus:
            return corpus
        places.append(Path(corpus).expanduser())
    for place in places:
        if place.is_file():
            return str(place)
    existing = [folder.name for folder in _existing()]
    there = f"There are: {', '.join(existing)}. " if existing else "There is none under data/ yet. "
    if path.suffix == ".sqlite":
        raise FileNotFoundError(f"there is no file {name}. {there}Check the spelling of the path")
    looked_for = ", ".join(dict.fromkeys(map(str, places)))
    topic = name if path.name == name or TopicFolder(path).is_topic else "TOPIC"
    raise FileNotFoundError(
        f"there is no corpus {name!r} (looked for {looked_for}). {there}Make one with: topical-crawler crawl {topic}"
    )


def new_corpus(name: str) -> str:
    """Return the file or URL of a corpus, new or not. A name without a suffix is a folder for it."""
    if "://" in name:
        return name
    path = Path(name).expanduser()
    return str(path if path.suffix and not path.is_dir() else CrawlFolder(path).corpus)


def _only() -> str:
    existing = [str(folder) for folder in _existing()]
    if len(existing) == 1:
        return existing[0]
    raise FileNotFoundError(f"which corpus? Name one of {', '.join(existing) or 'those made by a crawl (none yet)'}")


def _existing() -> list[Path]:
    return [folder.path for folder in CrawlFolder.all_in("data") if folder.corpus.is_file()]


def topic_of(name: str | None, crawl: Mapping[str, Any]) -> Topic | None:
    """Return the named topic, else the crawl's if it can be read. Raise TopicError for an unreadable named one."""
    if name:
        return load_topic(name)
    for known in (crawl.get("source"), crawl.get("topic")):
        try:
            if known:
                return load_topic(str(known))
        except (TopicError, OSError):
            continue
    return None


# -- Pages


def no_page(store: CorpusStore, name: str) -> CorpusError:
    """Return the error for a number or URL without a page in the corpus."""
    return CorpusError(
        f"{store.name} has no page {name}. Name a number shown by topical-crawler corpus list, or a URL. "
        "topical-crawler corpus why also explains URLs never fetched"
    )


def find_page(store: CorpusStore, name: str) -> tuple[Record, list[str]]:
    """Return a page by number or URL, and the other URLs of its text. Raise CorpusError if there is none."""
    if (record := store.page(name)) is None:
        raise no_page(store, name)
    return record, store.places([record.url])[record.url] if record.keep else []


# -- Crawls


@dataclass(frozen=True)
class Place:
    """Folder of a crawl, and path or URL of its corpus ("": none yet)."""

    name: str
    folder: CrawlFolder
    corpus: str


def place_of(name: str, corpus: str, settings: AnySettings) -> Place:
    """Return the place of a crawl by its name, or by its corpus."""
    short = sa.make_url(name).database or "corpus" if "://" in name else Path(name).name
    in_file = corpus and "://" not in corpus
    return Place(short, CrawlFolder(Path(corpus).parent if in_file else data_dir(settings, short)), corpus)


def find_folder(settings: AnySettings, name: str | None) -> CrawlFolder:
    """Return the folder of a crawl by its topic or path. Without a name it is ``TOPICAL_DATA_DIR``, or the only one under
    data/.

    Raises:
        CrawlError: there is none.
    """
    configured = named_data_dir(settings)
    existing = [str(folder.path) for folder in CrawlFolder.all_in("data") if folder.has_crawl]
    if name is None and not configured and len(existing) != 1:
        raise CrawlError(f"which crawl? Name one of {', '.join(existing) or 'those started (none yet)'}")
    places = [Path(configured or existing[0])] if name is None else [Path(name), data_dir(settings, name)]
    for place in places:
        if (folder := CrawlFolder(place)).has_crawl:
            return folder
    known = f" (there are: {', '.join(existing)})" if existing else ""
    raise CrawlError(
        f"there is no crawl in {' or '.join(str(place) for place in places)}. Name its topic or its directory{known}. "
        f"Reach one over Redis with -s TOPICAL_FRONTIER=redis"
    )
