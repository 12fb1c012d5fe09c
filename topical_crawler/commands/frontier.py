"""``topical-crawler frontier``: look at the queue of a crawl, feed it and steer it, while it runs or between two runs."""

from topical_crawler.cli.actions import FRONTIER
from topical_crawler.cli.scrapys import ActionsCommand


class Command(ActionsCommand):
    command = FRONTIER
    summary = "Look at the queue of a crawl, feed it, pause, resume and stop it"
    description = (
        "Look at the queue of a crawl (stats, top), feed it (push, requeue), thin it out (purge) and steer it (pause, "
        "resume, stop, threshold), while it runs or between two runs. A crawl is named by its topic (data/<topic>) or "
        "its directory; without a name it is the one in TOPICAL_DATA_DIR, or the only one under data/. With -s "
        "TOPICAL_FRONTIER=redis it is named by its name in Redis (TOPICAL_CRAWL), and all its workers are meant. "
        "Each action has options of its own: topical-crawler frontier purge -h."
    )
