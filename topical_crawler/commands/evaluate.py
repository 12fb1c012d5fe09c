"""``topical-crawler evaluate``: what the methods and their crawls are worth, on recorded webs and labelled data."""

from topical_crawler.cli.actions import EVALUATE
from topical_crawler.cli.scrapys import ActionsCommand


class Command(ActionsCommand):
    command = EVALUATE
    summary = "Score crawls of a recorded web against labels"

    def long_desc(self) -> str:
        listed = "; ".join(f"'{name}': {help}" for name, (_, help) in self.command.actions.items())
        return f"Score crawls of a recorded web: {listed}. Each has options of its own: topical-crawler evaluate sites -h."
