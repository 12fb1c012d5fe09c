"""``scrapy evaluate``: what the methods and their crawls are worth, on recorded webs and labelled data."""

from __future__ import annotations

from topical_crawler.cli.base import ActionsCommand, AddAction
from topical_crawler.corpus.schema import CorpusError
from topical_crawler.crawl.options import CrawlError
from topical_crawler.recordings.reader import RecordingError


class Command(ActionsCommand):
    name = "evaluate"
    modules = ("sites", "harvest", "crawl")
    errors = (ValueError, CorpusError, CrawlError, RecordingError, OSError, ImportError)

    def syntax(self) -> str:
        return f"{'|'.join(self.modules)} …"

    def short_desc(self) -> str:
        return "Score crawls of a recorded web against labels"

    def long_desc(self) -> str:
        return (
            "Score crawls of a recorded web: "
            + "; ".join(f"'{name}': {module.HELP}" for name, module in self.loaded.items())
            + ". Each has options of its own: scrapy evaluate sites -h."
        )

    def package(self, action: str) -> str:
        return "experiments.crawl" if action == "crawl" else super().package(action)

    def add_actions(self, add: AddAction) -> None:
        """All of them are modules."""
