"""``scrapy evaluate``: what the methods and their crawls are worth, on recorded webs and labelled data."""

from __future__ import annotations

from typing import ClassVar

from topical_crawler.cli.base import ActionsCommand


class Command(ActionsCommand):
    name = "evaluate"
    actions: ClassVar = {
        "sites": ("topical_crawler.cli.evaluate", "precision and recall per site (Table 8)"),
        "harvest": ("topical_crawler.cli.evaluate", "harvest curves"),
        "crawl": ("experiments.crawl", "strategies held against each other on a recorded web"),
    }

    def syntax(self) -> str:
        return f"{'|'.join(self.actions)} …"

    def short_desc(self) -> str:
        return "Score crawls of a recorded web against labels"

    def long_desc(self) -> str:
        listed = "; ".join(f"'{name}': {help}" for name, (_, help) in self.actions.items())
        return f"Score crawls of a recorded web: {listed}. Each has options of its own: scrapy evaluate sites -h."
