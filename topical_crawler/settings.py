"""Scrapy settings of the project. Every TOPICAL_* setting is documented in docs/settings.md.

Set any of them on the command line (``-s NAME=VALUE``), in a spider's ``custom_settings``, or here in a copy of the project.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from topical_crawler import __version__
from topical_crawler.logs import secret

BOT_NAME = "topical_crawler"
SPIDER_MODULES = ["topical_crawler.spiders"]
NEWSPIDER_MODULE = "topical_crawler.spiders"
COMMANDS_MODULE = "topical_crawler.commands"

# -- what this project is made of
SCHEDULER = "topical_crawler.scheduler.TopicalScheduler"
SPIDER_MIDDLEWARES = {"topical_crawler.middlewares.RelevanceMiddleware": 100}
DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "topical_crawler.downloadermiddlewares.reading.ReadingMiddleware": 40,  # the last that sees an answer
    "topical_crawler.downloadermiddlewares.documents.DocumentMiddleware": 50,
    "topical_crawler.downloadermiddlewares.scripts.ScriptsMiddleware": 60,
    "topical_crawler.downloadermiddlewares.robots.RobotsMiddleware": 100,
    "topical_crawler.downloadermiddlewares.rests.RestMiddleware": 560,  # within Scrapy's retries: what it sends back loses no try
    "topical_crawler.downloadermiddlewares.redirects.OnwardMiddleware": 580,
    "topical_crawler.downloadermiddlewares.compression.UnpackMiddleware": 590,
    "topical_crawler.downloadermiddlewares.archive.ArchiveMiddleware": 1000,  # next to the downloader: exchanges as they came
}
ITEM_PIPELINES = {
    "topical_crawler.pipelines.ExtractPipeline": 100,
    "topical_crawler.pipelines.CleanPipeline": 200,
    "topical_crawler.pipelines.ModelPipeline": 250,  # asks a model of the user's own, where there is one
    "topical_crawler.pipelines.StorePipeline": 1000,  # behind a user's own: what they change is stored
}
ADDONS = {"topical_crawler.logs.LogAddon": 100}
WARN_ON_GENERATOR_RETURN_VALUE = False  # Scrapy parses the source of a callback for every page to find out; 4 % of a crawl's time
EXTENSIONS = {"topical_crawler.extensions.CrawlDisplay": 500, "topical_crawler.extensions.CrawlMetrics": 510}
# Scrapy's own, without its telnet console, remote control and lines of statistics. Left out, not set to None: that would import
# them, and the two servers take a tenth of a second of every start.
EXTENSIONS_BASE = {
    "scrapy.extensions.corestats.CoreStats": 0,
    "scrapy.extensions.logcount.LogCount": 0,
    "scrapy.extensions.memusage.MemoryUsage": 0,
    "scrapy.extensions.memdebug.MemoryDebugger": 0,
    "scrapy.extensions.closespider.CloseSpider": 0,
    "scrapy.extensions.feedexport.FeedExporter": 0,
    "scrapy.extensions.spiderstate.SpiderState": 0,
    "scrapy.extensions.throttle.AutoThrottle": 0,
}

# -- politeness: robots.txt with its Crawl-delay is obeyed; one request at a time and a second between two for every host
USER_AGENT = f"topical_crawler/{__version__} (topical corpus collection; obeys robots.txt)"
ROBOTSTXT_OBEY = True
ROBOTSTXT_USER_AGENT = "topical_crawler"
TOPICAL_OBEY_NOFOLLOW = True  # links of a page that says nofollow are not followed from there
TOPICAL_RIGHTS_FILES = False  # whether each host is also asked for its ai.txt, tdmrep.json and RSL licence
DOWNLOAD_DELAY = 1.0
DOWNLOAD_DELAY_JITTER = 0.0
CONCURRENT_REQUESTS = 16
CONCURRENT_REQUESTS_PER_DOMAIN = 1
AUTOTHROTTLE_ENABLED = False

# -- bounds on what the web may send
DOWNLOAD_HANDLERS = dict.fromkeys(("http", "https"), "topical_crawler.downloadhandlers.PublicHandler")
TWISTED_DNS_RESOLVER = "topical_crawler.downloadhandlers.Resolver"
DOWNLOAD_MAXSIZE = 8 * 1024 * 1024
DOWNLOAD_WARNSIZE = 0
DOWNLOAD_FAIL_ON_DATALOSS = False  # an answer that ends before it should is read as far as it came, as browsers do
DOWNLOAD_TIMEOUT = 30.0
REDIRECT_MAX_TIMES = 8
METAREFRESH_MAXDELAY = 10
RETRY_TIMES = 2
COOKIES_ENABLED = False
URLLENGTH_LIMIT = 2000

# -- closed doors
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False

# -- measured: fewer parallel items cost less bookkeeping; the order of items of one page does not matter here
CONCURRENT_ITEMS = 8
STATS_DUMP = False
LOG_LEVEL = "INFO"
LOGSTATS_INTERVAL = 0.0

# -- addresses that may hold a password come from the environment, by their own names or as NAME_FILE, the path of a file
try:
    REDIS_URL = secret("REDIS_URL")  # of the frontier; "": REDIS_HOST and other settings of scrapy-redis
    TOPICAL_CORPUS = secret("TOPICAL_CORPUS")  # a path, or the URL of a PostgreSQL database; "": in the data directory
except ValueError as error:
    raise SystemExit(f"topical_crawler: {error}") from None

# -- the crawler's own settings
TOPICAL_DATA_DIR = ""  # where all state of a crawl lies; "": data/<topic>
TOPICAL_CACHE_DIR = ""  # tables made once per topic; "": the user's cache directory
TOPICAL_TOPIC = ""  # of the spiders of a project that has the add-on; a topical crawl has -a topic
TOPICAL_STRATEGY = ""  # "": the topic's own choice, else adaptive
TOPICAL_FRONTIER = "sqlite"  # sqlite: on disk, survives anything; redis: for many workers
TOPICAL_SEGMENTER = "auto"  # auto: rjieba where installed, else jieba
TOPICAL_ENCODER = (
    "bundled"  # what tells how near texts are in meaning: bundled, openai:https://HOST/v1#MODEL, others; none: words alone
)
TOPICAL_SEED = 0  # of every random choice
TOPICAL_REPLAY = ""  # a WARC, ARC or WACZ file, several or a folder of them that answer every request instead of the web
TOPICAL_REPLAY_DATA = ""  # folder or address of the WARC files that an index in TOPICAL_REPLAY names; "": the index's folder
TOPICAL_ARCHIVE = False  # whether everything that is fetched is kept as it came: True: archive/ in the data directory; or a path
TOPICAL_ARCHIVE_MB = 1000.0  # size of a file of the archive
TOPICAL_SITEMAPS = 0  # kept texts of a host after which its sitemaps are read; 0: never
TOPICAL_FEEDS = 0  # kept texts of a host after which its RSS and Atom feeds are read; 0: never
TOPICAL_SCRIPTS = False  # whether pages that are empty without scripts are opened in a browser
TOPICAL_CHROMIUM = ""  # its program; "": chromium, chromium-browser, google-chrome or chrome of the PATH
TOPICAL_SCRIPTS_TIMEOUT = 60.0  # seconds for the scripts of a page
TOPICAL_ALLOW_PRIVATE = ""  # hosts that may be fetched though their address or port is none of the public web; all: any
TOPICAL_MAX_LINKS = 2000  # links read from one page
TOPICAL_MAX_DEPTH = 0  # links followed from a seed; 0: no bound
TOPICAL_MAX_PAGES = 0  # pages fetched by a crawl, over all its runs; 0: no bound
TOPICAL_MAX_PAGES_PER_HOST = 0  # 0: no bound
TOPICAL_TRAP_PAGES = 200  # pages of one URL shape without one text, after which the rest of the shape is dropped; 0: never
TOPICAL_BARREN_PAGES = 50  # pages of a host without a text, after which its links give way to those of others; 0: never
TOPICAL_BARREN_LEAVE = 300  # pages of a host without a text, after which the rest of its links are dropped; 0: never
TOPICAL_BARREN_END = None  # pages without a text, over all hosts, that end a crawl; None: adaptive expects little; 0: never
TOPICAL_SECOND_LOOK_MB = 500  # room on disk for pages off topic that may be judged otherwise when more is known; 0: none
TOPICAL_MAX_CRAWL_DELAY = 60.0  # seconds; a longer Crawl-delay of a robots.txt is cut to this
TOPICAL_ROBOTS_SECONDS = 86400.0  # how long a robots.txt holds before it is read again
TOPICAL_REST_SECONDS = 60.0  # first rest of a host that is away or asks for patience; each further one is twice as long; 0: none
TOPICAL_RESCORE = 3  # how often a waiting link may be put back with a lower score; 0: links keep the score they came with
TOPICAL_EXTRACT_WORKERS = 1  # processes that extract main texts
TOPICAL_EXTRACT_TIMEOUT = 20.0  # seconds of processor time for one page
TOPICAL_DOCUMENTS = ""  # formats of attachments that are read: pdf, docx, ofd, commas between; "": none
TOPICAL_EXTRACTOR = "both"  # ours; both: trafilatura is asked where ours is unsure; trafilatura or another: reads every page
TOPICAL_MIN_CHARACTERS = 50  # texts shorter than this are near-empty
TOPICAL_LANGUAGES = "zh"  # languages whose texts are taken, two letters each, commas between; "": all
TOPICAL_QUALITY = True  # texts that are no running text are rejected; a dict or JSON: some limits other than the defaults
TOPICAL_SITE_LINES = True  # lines that a site repeats on its pages are learned and taken out of its texts
TOPICAL_PERSONAL = "flag"  # telephone, identity card, bank card numbers, e-mail: flag: counted; mask: replaced too; off
TOPICAL_CONVERT = ""  # simplified or traditional: the script that Chinese texts are brought into; "": as they are
TOPICAL_DISPLAY = "auto"  # auto: live in a terminal, lines elsewhere; live, lines, off
TOPICAL_DISPLAY_INTERVAL = 10.0  # seconds between two lines
TOPICAL_LOG_FORMAT = "text"  # text; json: one JSON object a line
TOPICAL_METRICS_PORT = 0  # of the Prometheus endpoint: a port, a range (the first that is free), auto; 0: none
TOPICAL_METRICS_HOST = "127.0.0.1"  # the address it listens on

# -- many workers over Redis (TOPICAL_FRONTIER = "redis"; REDIS_URL and the other settings of scrapy-redis name the server)
TOPICAL_CRAWL = ""  # the name under which the workers of a crawl find each other; "": the topic's
TOPICAL_FRONTIER_PARTS = 0  # of a new crawl, which keeps them; 0: 1 on one server, 64 in a Redis Cluster
TOPICAL_WORKER = ""  # this worker's name; "": made up
TOPICAL_LEASE_SECONDS = 120.0  # after which the pages in flight of a worker that died wait again
TOPICAL_IDLE_SECONDS = 0.0  # how long a worker waits for seeds when nothing is left to fetch; negative: for ever
TOPICAL_PATIENCE = 60.0  # seconds for which a Redis or PostgreSQL server that is away is asked again
TOPICAL_MAX_WAITING = 0  # links that wait, of every frontier; the worst beyond it are dropped; 0: no bound

# -- language resources; "": as fetched by `topical-crawler resources fetch`
TOPICAL_RESOURCES = True  # False: use none
TOPICAL_RESOURCES_DIR = ""
TOPICAL_HOWNET = ""
TOPICAL_HOWNET_TREE = ""
TOPICAL_VECTORS = ""
TOPICAL_CILIN = ""
TOPICAL_CILIN_TREE = ""
TOPICAL_CLC = ""


def own_settings() -> dict[str, Any]:
    """Return the product's own settings with their defaults."""
    return {name: value for name, value in globals().items() if name.startswith("TOPICAL_")}


def check_names(names: Iterable[str]) -> None:
    """Raises ValueError for a name that begins with ``TOPICAL_`` and is none of this module's: a misspelt setting would have no
    effect, and a crawl of a recording would go out to the web.

    >>> check_names(["TOPICAL_REPLY"])
    Traceback (most recent call last):
    ...
    ValueError: there is no setting TOPICAL_REPLY. Remedy: TOPICAL_REPLAY? docs/settings.md lists them all
    """
    known = own_settings()
    if unknown := sorted(name for name in names if name.startswith("TOPICAL_") and name not in known):
        from difflib import get_close_matches

        nearest = next((match for name in unknown for match in get_close_matches(name, sorted(known), 1)), "")
        raise ValueError(
            f"there is no setting {', '.join(unknown)}. Remedy: {nearest and nearest + '? '}docs/settings.md lists them all"
        )


def check_values(given: Mapping[str, Any]) -> None:
    """Raises ValueError for a name that :func:`check_names` refuses, and for a value that is of another kind than this module's
    (True or False, a whole number, any number) or out of range. Settings that this module does not have are not looked at.

    >>> check_values({"TOPICAL_SEED": "7.5"})
    Traceback (most recent call last):
    ...
    ValueError: TOPICAL_SEED='7.5': a whole number of 0 or more is expected (-s TOPICAL_SEED=0)
    """
    check_names(given)
    for name, default in globals().items():
        if not isinstance(default, int | float) or name in _OF_SEVERAL_KINDS or (value := given.get(name)) is None:
            continue
        if isinstance(default, bool):
            expected, usable = "True or False", str(value) in ("True", "true", "1", "False", "false", "0")
        else:
            least = "above 0" if name in _ABOVE_0 else "of 0 or more"
            expected = f"a {'whole ' if isinstance(default, int) else ''}number {least}"
            try:
                n = type(default)(str(value))
                usable = abs(n) < math.inf and (n > 0 or (n == 0 and name not in _ABOVE_0) or name == "TOPICAL_IDLE_SECONDS")
            except ValueError:
                usable = False
        if not usable:
            raise ValueError(f"{name}={value!r}: {expected} is expected (-s {name}={default})")


_ABOVE_0 = (
    *("CONCURRENT_REQUESTS", "CONCURRENT_REQUESTS_PER_DOMAIN", "CONCURRENT_ITEMS", "DOWNLOAD_TIMEOUT"),
    *("TOPICAL_EXTRACT_WORKERS", "TOPICAL_EXTRACT_TIMEOUT", "TOPICAL_SCRIPTS_TIMEOUT", "TOPICAL_ARCHIVE_MB"),
)
_OF_SEVERAL_KINDS = ("TOPICAL_ARCHIVE", "TOPICAL_QUALITY", "TOPICAL_METRICS_PORT")  # what reads one refuses what it cannot use
