"""How near texts are in meaning to the sentence of a topic, before a crawl judges by it."""

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from pathlib import Path

from rich.console import Console

from topical_crawler.cli.terminal import table
from topical_crawler.config import cache_dir, encoder
from topical_crawler.meaning import UNRELATED
from topical_crawler.meaning.encoder import open_encoder
from topical_crawler.project import AnySettings
from topical_crawler.sources import open_source
from topical_crawler.strategies.adaptive.nearness import Nearness, of_page, sentence, short
from topical_crawler.topic.topic import Topic

MOST = 1000
"""Texts that are read of a source."""
SHOWN = 5
"""Nearest texts that are shown, and farthest ones."""
_NOTE = (
    f"Unrelated texts are mostly below {UNRELATED:g}. A crawl by adaptive may keep what is above it, though no term is in it: "
    "where the wrong texts are near, say the sentence in other words."
)


def texts_of(sources: Iterable[Path]) -> list[tuple[str, str]]:
    """Return the titles and texts of documents. The first line stands for a missing title."""
    documents = chain.from_iterable(islice(open_source(path), MOST) for path in sources)
    return [(document.title or document.text.partition("\n")[0], document.text) for document in documents]


def by_nearness(topic: Topic, texts: Sequence[tuple[str, str]], settings: AnySettings) -> list[tuple[float, str]]:
    """Return the cosine and the title of each text, the nearest first. Empty without texts or without an encoder."""
    near = Nearness(topic, open_encoder(encoder(settings), cache_dir(settings)) if texts else None)
    cosines = near.of(chain.from_iterable(of_page(*text) for text in texts)) if near.name else []
    found = zip(cosines[::2], cosines[1::2], texts, strict=False)
    return sorted(((round((text + title) / 2, 2), short(name)) for text, title, (name, _) in found), reverse=True)


def show_nearness(out: Console, topic: Topic, found: Sequence[tuple[float, str]]) -> None:
    """Print the nearest texts and the farthest."""
    if found:
        shown = [*found[:SHOWN], *found[max(SHOWN, len(found) - SHOWN) :]]
        title = f"Near in meaning to {sentence(topic)}: {len(shown)} of {len(found)} texts, the nearest and the farthest"
        out.print("", table((">cosine", "text"), [(f"{near:.2f}", text) for near, text in shown], title=title, plain=True), _NOTE)
