"""The crawls of a paper's experiment: every method for every topic, on one recorded web."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from experiments.papers.experiment import Experiment, Method
from experiments.recorded_crawls import Planned, RecordedCrawls, topic_digest
from topical_crawler import config
from topical_crawler.cli.evaluate import read_corpus
from topical_crawler.corpus.record import Record
from topical_crawler.files import replacing
from topical_crawler.topic.topic import Topic, load_topic


@dataclass(frozen=True, slots=True)
class Web:
    """A recorded web: the recording, its labels, start URLs."""

    warc: Path
    labels: Path
    seeds: Path


@dataclass(frozen=True, slots=True)
class PaperCrawls:
    """The crawls of an experiment, kept below ``folder``.

    Attributes:
        experiment: what is crawled.
        web: where.
        topics: by names of topic and method: methods with parameters of their own have topic folders of their own.
        crawls: the folder's.
    """

    experiment: Experiment
    web: Web
    topics: Mapping[tuple[str, str], Topic]
    crawls: RecordedCrawls

    def planned(self) -> Iterator[Planned]:
        """All crawls."""
        for topic in self.experiment.topics:
            for method in self.experiment.methods:
                chosen = self.topics[topic.name, method.name]
                arguments = {
                    "topic": f"{chosen.source}/",
                    "strategy": method.strategy,
                    "seeds": str(self.web.seeds.absolute()),
                    **self.experiment.arguments,
                }
                title = f"{self.experiment.name}: {topic.name}, {method.name}"
                yield Planned(_name(topic.name, method), arguments, {"TOPICAL_SEED": "0"}, title)

    def run(self, pages: int, processes: int, console: Console) -> dict[tuple[str, str], list[Record]]:
        """Make the crawls that are not there yet; what all of them fetched, by names of topic and method.

        Raises:
            CrawlFailed: one of them ended before its time.
        """
        self.crawls.run(list(self.planned()), pages, processes, console)
        return {
            (topic.name, method.name): read_corpus(self.crawls.data_dir(_name(topic.name, method)))
            for topic in self.experiment.topics
            for method in self.experiment.methods
        }


def open_crawls(
    experiment: Experiment, web: Web, folder: Path, settings: Sequence[str], topics: Mapping[tuple[str, str], Topic] | None = None
) -> PaperCrawls:
    """The crawls of an experiment; ``topics``: where they are not those of the product.

    Raises:
        CrawlError, TopicError: the file of start URLs, or a topic, cannot be read.
        ValueError: ``folder`` holds crawls that were made otherwise.
    """
    if topics is None:
        loaded = {t.name: load_topic(t.name) for t in experiment.topics}
        topics = {(t.name, m.name): loaded[t.name] for t in experiment.topics for m in experiment.methods}
    made_of: dict[str, object] = {}
    for (name, method), topic in topics.items():
        made_of[f"topic {topic.name}"] = topic_digest(topic)
        made_of[f"start URLs of {name}, {method}"] = config.seeds(topic, {**experiment.arguments, "seeds": str(web.seeds)})
    return PaperCrawls(experiment, web, topics, RecordedCrawls(folder, web.warc, settings, made_of))


def narrow_topics(experiment: Experiment, word: str, folder: Path) -> dict[tuple[str, str], Topic]:
    """A topic that is one word, for every method of an experiment: written into ``folder``, with the methods' parameters."""
    found = {}
    (topic,) = experiment.topics
    for method in experiment.methods:
        settings = "".join(f"{name} = {value}\n" for name, value in method.parameters.items())
        digest = f"-{hashlib.sha256(settings.encode()).hexdigest()[:6]}" if settings else ""
        place = folder / f"{topic.name}{digest}"
        place.mkdir(parents=True, exist_ok=True)
        table = f"\n[strategy.{method.strategy}]\n{settings}" if settings else ""
        for name, text in (("topic.toml", f'title = "{word}"\n{table}'), ("terms.tsv", f"{word}\n")):
            with replacing(place / name) as file:
                file.write(text)
        found[topic.name, method.name] = load_topic(place)
    return found


def _name(topic: str, method: Method) -> str:
    """Of a crawl's folder."""
    return f"{topic}.{method.name.replace(', ', '-').replace(' ', '-')}"
