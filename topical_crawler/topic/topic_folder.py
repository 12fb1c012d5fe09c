"""The files of a topic's folder. No other module spells their names.

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
    """The places of a topic's files, whether they exist or not. A shipped topic may lie inside a zipped egg."""

    def __init__(self, path: Place) -> None:
        self.path: Place = path
        self.config: Place = path / CONFIG
        self.terms: Place = path / TERMS
        self.weights: Place = path / WEIGHTS
        self.adjust: Place = path / ADJUST
        self.candidates: Place = path / CANDIDATES  # words that `topic build` considers
        self.seeds: Place = path / SEEDS
        self.documents: Place = path / DOCUMENTS
        self.marked: Place = path / MARKED
        self.record: Place = path / RECORD  # what the last build wrote

    @property
    def is_topic(self) -> bool:
        """Whether the folder holds a topic: it has a ``topic.toml``."""
        return self.config.is_file()

    def require_topic(self) -> None:
        """Raise TopicError where the folder holds no topic."""
        if not self.is_topic:
            raise TopicError(f"{self.config}: missing. Remedy: make a topic folder with topical-crawler topic new {self.path}")
