"""``scrapy evaluate``: what the methods and their crawls are worth, on recorded webs and labelled data."""

from __future__ import annotations

from topical_crawler.command_line import ActionsCommand, AddAction
from topical_crawler.corpus.schema import CorpusError
from topical_crawler.evaluation.warc import RecordingError
from topical_crawler.options import CrawlError


class Command(ActionsCommand):
    name = "evaluate"
    modules = ("sites", "harvest", "crawl", "papers", "threshold", "urls", "words")
    errors = (ValueError, CorpusError, CrawlError, RecordingError, OSError, ImportError)

    def syntax(self) -> str:
        return f"{'|'.join(self.modules)} …"

    def short_desc(self) -> str:
        return "Score crawls of a recorded web against labels, and repeat the papers' experiments"

    def long_desc(self) -> str:
        return (
            "Score crawls of a recorded web, and repeat the papers' experiments: "
            + "; ".join(f"'{name}': {module.HELP}" for name, module in self.loaded.items())
            + ". Each has options of its own: scrapy evaluate sites -h."
        )

    def add_actions(self, add: AddAction) -> None:
        """All of them are modules."""
