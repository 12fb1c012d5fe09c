"""Nearness in meaning of texts to the sentence of a topic, for a look before a crawl."""

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from pathlib import Path

from rich.console import Console

from topical_crawler.cli.terminal import table
from topical_crawler.meaning import UNRELATED
from topical_crawler.services.nearness import MOST, ends
from topical_crawler.sources import open_source
from topical_crawler.strategies.adaptive.nearness import sentence
from topical_crawler.topic.topic import Topic

_NOTE = (
    f"Unrelated texts are mostly below {UNRELATED:g}. A crawl by adaptive may keep texts above it without any term. If the wrong "
    "texts are near, reword the sentence."
)


def texts_of(sources: Iterable[Path]) -> list[tuple[str, str]]:
    """Return the titles and texts of documents, with the first line for a missing title."""
    documents = chain.from_iterable(islice(open_source(path), MOST) for path in sources)
    return [(document.title or document.text.partition("\n")[0], document.text) for document in documents]


def show_nearness(out: Console, topic: Topic, found: Sequence[tuple[float, str]]) -> None:
    """Print the nearest and the farthest texts."""
    if found:
        shown = ends(found)
        title = f"Near in meaning to {sentence(topic)}: {len(shown)} of {len(found)} texts, the nearest and the farthest"
        out.print("", table((">cosine", "text"), [(f"{near:.2f}", text) for near, text in shown], title=title, plain=True), _NOTE)
