"""Files of a topic's folder. No other module spells out their names.

>>> TopicFolder(Path("mytopic")).terms
PosixPath('mytopic/terms.tsv')
"""

from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Generic, TypeVar

from topical_crawler.topic.files import TopicError

CONFIG = "topic.toml"
TERMS, WEIGHTS, ADJUST, CANDIDATES = "terms.tsv", "weights.tsv", "adjust.tsv", "candidates.txt"
SEEDS, DOCUMENTS, MARKED, RECORD = "seeds.txt", "documents.txt", "marked.jsonl", ".built.json"

Place = TypeVar("Place", Path, Traversable)


class TopicFolder(Generic[Place]):
    """Paths of a topic's files, existing or not. A built-in topic may lie inside a zipped egg."""

    def __init__(self, path: Place) -> None:
        self.path: Place = path
        self.config: Place = path / CONFIG
        self.terms: Place = path / TERMS
        self.weights: Place = path / WEIGHTS
        self.adjust: Place = path / ADJUST
        self.candidates: Place = path / CANDIDATES  # words considered by `topic build`
        self.seeds: Place = path / SEEDS
        self.documents: Place = path / DOCUMENTS
        self.marked: Place = path / MARKED
        self.record: Place = path / RECORD  # output of the last build

    @property
    def is_topic(self) -> bool:
        """True if the folder holds a topic, marked by a ``topic.toml``."""
        return self.config.is_file()

    def require_topic(self) -> None:
        """Raise TopicError if the folder holds no topic."""
        if not self.is_topic:
            raise TopicError(f"{self.config}: missing. Create a topic folder with topical-crawler topic new {self.path}")
