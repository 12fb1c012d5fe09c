"""``topical-crawler corpus``: look at a collected corpus, write it out, judge it, clean it, take it to another database."""

from topical_crawler.cli.actions import CORPUS
from topical_crawler.cli.scrapys import ActionsCommand


class Command(ActionsCommand):
    command = CORPUS
    summary = "Read, search, count, export, judge, clean, rebuild or copy what was collected; extract a page"
    description = (
        "Read what was collected (list, show, search), ask why a page was kept or rejected (why), see what a refresh found "
        "changed (diff), count it (stats), write it out (export) or list its addresses (fetched), have people judge a sample "
        "of it (sample, judge), clean it by all that was learned of its sites (clean), make it anew from an archive (rebuild), "
        "take it to another database (copy). A corpus is named by its topic (its file is data/<topic>/corpus.sqlite), its "
        "folder, its file or a database URL (postgresql+psycopg://USER@HOST/DATABASE); without a name it is the one in "
        "TOPICAL_CORPUS or TOPICAL_DATA_DIR, or the only one under data/. A crawl may be writing to it meanwhile. Each action "
        "has options of its own: topical-crawler corpus export -h. One page is extracted without a corpus (extract)."
    )
