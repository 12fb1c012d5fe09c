"""The crawls of a comparison: strategies × topics × starts × shares of links × bounds × random seeds.

Crawls that could only repeat another are left out.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from experiments import thinning
from experiments.comparison import RunKey, Setting
from experiments.recorded_crawls import Planned
from topical_crawler import config
from topical_crawler.evaluation.labels import Label
from topical_crawler.recordings.reader import Recording
from topical_crawler.topic.topic import Topic

DRAWING = frozenset({"adaptive", "semantic", "random", "esvsm"})
"""The strategies that choose at random. With the same start URLs and all links, the others crawl alike under every seed."""


@dataclass(frozen=True, slots=True)
class LabelledTopic:
    """A topic and the labels of the web for it, from the column ``grade`` of their file."""

    topic: Topic
    grade: str
    labels: Mapping[bytes, Label]


@dataclass(frozen=True, slots=True)
class Start:
    """A named set of start URLs, either drawn anew for every random seed or the same for all."""

    name: str
    seed: int
    urls: tuple[str, ...]
    drawn: bool = False

    @property
    def called(self) -> str:
        """Its name, with the number of the draw."""
        return f"{self.name} {self.seed}" if self.drawn else self.name


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds on the pages of a host (0: none) and shares of the links of a page; each is combined with each."""

    caps: Sequence[int] = (0,)
    keep_links: Sequence[float] = (1.0,)

    def __iter__(self) -> Iterator[tuple[float, int]]:
        return product(self.keep_links, self.caps)


@dataclass(frozen=True, slots=True)
class Cell:
    """One crawl of a comparison."""

    key: RunKey
    topic: Topic
    start: Start

    @property
    def name(self) -> str:
        """Of its folder."""
        key = self.key
        links = f".links{key.keep_links}" if key.keep_links < 1 else ""
        return f"{key.topic}.{key.strategy}.{key.start}.seed{key.seed}.cap{key.cap}{links}"

    def planned(self, seeds: Path) -> Planned:
        """The crawl, whose start URLs are written down in the file ``seeds``."""
        arguments = {
            "topic": f"{self.topic.source}/",
            "strategy": self.key.strategy,
            "seeds": str(seeds),
            "pages_per_host": str(self.key.cap),
        }
        settings = {"TOPICAL_SEED": str(self.key.seed), **thinning.settings(self.key.keep_links)}
        return Planned(self.name, arguments, settings)


def given_starts(topic: Topic, files: Mapping[str, Sequence[Path]], seeds: int) -> list[Start]:
    """The start URLs of the files of every name, or the topic's own where there is none, for each of ``seeds`` random seeds.

    Raises:
        ValueError: a topic without start URLs of its own.
        CrawlError, TopicError: a file cannot be read, or names no URL.
    """
    if not files and not topic.seeds:
        raise ValueError(f"the topic {topic.name!r} has no start URLs. Remedy: --seeds FILE, or --start-texts 5")
    found = {
        name: list(dict.fromkeys(url for file in several for url in config.seeds(topic, {"seeds": str(file)})))
        for name, several in files.items()
    } or {"seeds": config.seeds(topic, {})}
    return [Start(name, seed, tuple(urls)) for name, urls in found.items() for seed in range(seeds)]


def drawn_starts(topic: LabelledTopic, recording: Recording, number: int, seeds: int) -> list[Start]:
    """``number`` of the recorded texts on topic, drawn at random for each of ``seeds`` random seeds; of copies of one text, the
    first address counts.

    Raises:
        ValueError: there are fewer.
    """
    urls: dict[str, str] = {}
    for label in sorted(topic.labels.values(), key=lambda label: label.url):
        if label.is_relevant_text and label.url in recording:
            urls.setdefault(label.doc, label.url.replace(" ", "%20"))  # a space would end the URL in a file of start URLs
    if len(urls) < number:
        raise ValueError(
            f"--start-texts {number}: the labels know {len(urls)} recorded texts on topic {topic.topic.name!r} "
            f"(2 in the column {topic.grade!r}). Remedy: at most so many"
        )
    draws = [random.Random(seed).sample(list(urls.values()), number) for seed in range(seeds)]
    return [Start(f"texts{number}", seed, tuple(draw), drawn=True) for seed, draw in enumerate(draws)]


def cells(topic: Topic, strategies: Sequence[str], starts: Sequence[Start], bounds: Bounds) -> Iterator[Cell]:
    """The crawls of one topic; a strategy that does not choose at random is tried with one random seed where all start alike and
    see the same web, of which no links are left out."""
    for start in starts:
        for share, cap in bounds:
            for strategy in strategies:
                if start.seed == 0 or start.drawn or share < 1 or strategy in DRAWING:
                    yield Cell(RunKey(strategy, topic.name, start.name, start.seed, cap, share), topic, start)


def settings_of(topic: Topic, starts: Sequence[Start], bounds: Bounds) -> Iterator[tuple[Setting, Start]]:
    """What the crawls of one topic are compared under, with the first draw of start URLs and links where they are drawn."""
    for start in starts:
        if start.seed == 0:
            for share, cap in bounds:
                yield Setting(topic.name, start.name, cap, share), start
