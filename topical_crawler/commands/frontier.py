"""``scrapy frontier``: look at the queue of a crawl, feed it and steer it, while it runs or between two runs."""

from __future__ import annotations

from typing import ClassVar

from topical_crawler.cli.base import ActionsCommand

_ACTIONS = "topical_crawler.cli.frontier.actions"


class Command(ActionsCommand):
    name = "frontier"
    errors = (ValueError, OSError)
    actions: ClassVar = {
        "stats": (_ACTIONS, "counts of what waits, is in flight, finished and dropped"),
        "top": (_ACTIONS, "the best of what waits, the anchor and the page by which each came in, and why it has its place"),
        "push": (_ACTIONS, "put seeds into the queue: they are fetched next"),
        "pause": (_ACTIONS, "fetch nothing more until resume, over restarts; what is in flight is finished"),
        "resume": (_ACTIONS, "go on after pause"),
        "stop": (_ACTIONS, "end all workers of the crawl in good order; it can be started again"),
        "threshold": (_ACTIONS, "keep pages above another relevance from now on, over restarts"),
        "requeue": (_ACTIONS, "fetch finished or dropped pages again"),
        "purge": (_ACTIONS, "drop what waits: it is not fetched, unless it is found again or requeued"),
    }

    def syntax(self) -> str:
        return f"{'|'.join(self.actions)} [CRAWL] [options]"

    def short_desc(self) -> str:
        return "Look at the queue of a crawl, feed it, pause, resume and stop it"

    def long_desc(self) -> str:
        return (
            "Look at the queue of a crawl (stats, top), feed it (push, requeue), thin it out (purge) and steer it (pause, "
            "resume, stop, threshold), while it runs or between two runs. A crawl is named by its topic (data/<topic>) or its "
            "directory; without a name it is the one in TOPICAL_DATA_DIR, or the only one under data/. With -s "
            "TOPICAL_FRONTIER=redis it is named by its name in Redis (TOPICAL_CRAWL), and all its workers are meant. "
            "Each action has options of its own: scrapy frontier purge -h."
        )
