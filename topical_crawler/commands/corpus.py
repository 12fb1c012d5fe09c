"""``topical-crawler corpus``: look at a collected corpus, write it out, judge it, clean it, take it to another database."""

from typing import ClassVar

from topical_crawler.cli.base import ActionsCommand


class Command(ActionsCommand):
    name = "corpus"
    errors = (OSError,)
    actions: ClassVar = {
        "list": ("corpus.reading", "the pages as a table: number, day, host, relevance, length and title"),
        "show": ("corpus.reading", "a page: where it comes from, and its text"),
        "search": ("corpus.reading", "the texts that hold given words, each with a place where they stand"),
        "why": ("corpus.why", "why a page was kept or rejected, or what became of an address"),
        "diff": ("corpus.diff", "what has changed: texts that are new, changed or gone; a page's versions line by line"),
        "extract": ("corpus.extract", "the text of one page, from a URL, a file or standard input, without a corpus"),
        "stats": ("corpus.stats", "pages kept and rejected, by reason and host"),
        "fetched": ("corpus.stats", "the URLs in the order of their fetching"),
        "clean": ("corpus.clean", "clean the texts once more, by today's rules"),
        "copy": ("corpus.copy", "take a corpus to another database, or add it to one"),
        "export": (
            "corpus.export",
            "the texts, as JSON lines, CSV, plain text, Parquet, a Hugging Face data set, TEI or vertical text",
        ),
        "judge": ("corpus.judge", "mark drawn texts in the browser; precision per site"),
        "rebuild": ("corpus.rebuild", "make a corpus anew from the archive of its crawl"),
        "sample": ("corpus.judge", "draw texts for a person to judge"),
    }
    usage = "list|show|search|why|stats|export|… [CORPUS] [options]"
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
