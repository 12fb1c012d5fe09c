"""``topical-crawler evaluate``: what the methods and their crawls are worth, on recorded webs and labelled data."""

from typing import ClassVar

from topical_crawler.cli.base import ActionsCommand


class Command(ActionsCommand):
    name = "evaluate"
    actions: ClassVar = {
        "sites": ("evaluate", "precision and recall per site (Table 8)"),
        "harvest": ("evaluate", "harvest curves"),
        "crawl": ("/experiments.crawl", "strategies compared on a recorded web"),
    }
    summary = "Score crawls of a recorded web against labels"

    def long_desc(self) -> str:
        listed = "; ".join(f"'{name}': {help}" for name, (_, help) in self.actions.items())
        return f"Score crawls of a recorded web: {listed}. Each has options of its own: topical-crawler evaluate sites -h."
