"""``topical-crawler frontier``: look at the queue of a crawl, feed it and steer it, while it runs or between two runs."""

from typing import ClassVar

from topical_crawler.cli.base import ActionsCommand


class Command(ActionsCommand):
    name = "frontier"
    errors = (ValueError, OSError)
    actions: ClassVar = {
        "stats": ("frontier.actions", "counts of what waits, is in flight, finished and dropped"),
        "top": (
            "frontier.actions",
            "the best of what waits, the anchor and the page by which each came in, and why it has its place",
        ),
        "push": ("frontier.actions", "put seeds into the queue: they are fetched next"),
        "pause": ("frontier.actions", "fetch nothing more until resume, over restarts; what is in flight is finished"),
        "resume": ("frontier.actions", "go on after pause"),
        "stop": ("frontier.actions", "end all workers of the crawl in good order; it can be started again"),
        "shards": ("frontier.actions", "which servers a crawl in Redis has; add one or remove one while its workers run"),
        "threshold": ("frontier.actions", "keep pages above another relevance from now on, over restarts"),
        "requeue": ("frontier.actions", "fetch finished or dropped pages again"),
        "purge": ("frontier.actions", "drop what waits: it is not fetched, unless it is found again or requeued"),
    }
    usage = "stats|top|push|pause|resume|stop|shards|threshold|requeue|purge [CRAWL] [options]"
    summary = "Look at the queue of a crawl, feed it, pause, resume and stop it"
    description = (
        "Look at the queue of a crawl (stats, top), feed it (push, requeue), thin it out (purge) and steer it (pause, "
        "resume, stop, threshold; shards), while it runs or between two runs. A crawl is named by its topic (data/<topic>) or "
        "its directory; without a name it is the one in TOPICAL_DATA_DIR, or the only one under data/. With -s "
        "TOPICAL_FRONTIER=redis it is named by its name in Redis (TOPICAL_CRAWL), and all its workers are meant. "
        "Each action has options of its own: topical-crawler frontier purge -h."
    )
