"""The crawls of Figure 2: one for every threshold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from topical_crawler.actions.experiment_claim import topic_digest
from topical_crawler.actions.recorded_crawls import Planned, RecordedCrawls
from topical_crawler.topic import load_topic, read_seeds
from topical_crawler.topic_files import read_config


class ThresholdCrawls:
    """Crawls that differ in their threshold only, kept in ``folder`` (see :class:`RecordedCrawls`) beside the copy of the topic
    with that threshold, ``<threshold>/<topic>``.

    Args:
        folder: made where it does not exist.
        topic: name or path.
        web: a WARC file.
        seeds: a file of URLs; None: the topic's.
        settings: ``NAME=VALUE`` for every crawl.

    Raises:
        TopicError: the topic or the seeds cannot be read.
        ValueError: ``folder`` holds crawls that were made otherwise.
    """

    def __init__(self, folder: Path, topic: str, web: Path, seeds: Path | None, settings: Sequence[str]) -> None:
        self.topic = load_topic(topic)
        self._seeds = seeds
        urls = list(self.topic.seeds) if seeds is None else read_seeds(seeds)
        self._crawls = RecordedCrawls(folder, web, settings, {"topic": topic_digest(self.topic), "seeds": urls})

    def data_dir(self, threshold: float) -> Path:
        """Where the crawl with that threshold lies."""
        return self._crawls.data_dir(_name(threshold))

    def run(self, thresholds: Sequence[float], pages: int, processes: int, console: Console) -> None:
        """Make the crawls that are not there yet, see :meth:`RecordedCrawls.run`.

        Raises:
            CrawlFailed: one of them ended before its time.
        """
        self._crawls.run([self._planned(threshold) for threshold in thresholds], pages, processes, console)

    def _planned(self, threshold: float) -> Planned:
        copy = self._crawls.place(_name(threshold)) / self.topic.name
        self._copy_topic(copy, threshold)
        arguments = {"topic": f"{copy}/", "strategy": "semantic"}
        if self._seeds is not None:
            arguments["seeds"] = str(self._seeds)
        return Planned(_name(threshold), arguments, title=f"with threshold {threshold:g}")

    def _copy_topic(self, folder: Path, threshold: float) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        source = Path(self.topic.source)
        for file in source.iterdir():
            if file.is_file() and file.name != "topic.toml":
                (folder / file.name).write_bytes(file.read_bytes())
        config = read_config(source / "topic.toml")
        strategy = config.get("strategy", {})
        config["strategy"] = {**strategy, "semantic": {**strategy.get("semantic", {}), "link_threshold": threshold}}
        lines = [f"{_toml(key)} = {_toml(value)}\n" for key, value in config.items()]
        (folder / "topic.toml").write_text("".join(lines), encoding="utf-8")


def _name(threshold: float) -> str:
    return f"{threshold:g}"


def _toml(value: Any) -> str:
    """A value of a topic.toml as it may stand in one line."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_toml(key)} = {_toml(one)}' for key, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)  # TOML writes text, numbers and truth values as JSON does
