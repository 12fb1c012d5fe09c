"""Scrapy settings of the project. docs/settings.md documents every TOPICAL_* setting.

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

# -- components of this project
SCHEDULER = "topical_crawler.scheduler.TopicalScheduler"
SPIDER_MIDDLEWARES = {"topical_crawler.middlewares.RelevanceMiddleware": 100}
DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "topical_crawler.downloadermiddlewares.reading.ReadingMiddleware": 40,  # last to see a response
    "topical_crawler.downloadermiddlewares.documents.DocumentMiddleware": 50,
    "topical_crawler.downloadermiddlewares.scripts.ScriptsMiddleware": 60,
    "topical_crawler.downloadermiddlewares.robots.RobotsMiddleware": 100,
    "topical_crawler.downloadermiddlewares.rests.RestMiddleware": 560,  # inside Scrapy's retries: requeueing costs no retry
    "topical_crawler.downloadermiddlewares.redirects.OnwardMiddleware": 580,
    "topical_crawler.downloadermiddlewares.compression.UnpackMiddleware": 590,
    "topical_crawler.downloadermiddlewares.archive.ArchiveMiddleware": 1000,  # next to the downloader: raw exchanges
}
ITEM_PIPELINES = {
    "topical_crawler.pipelines.ExtractPipeline": 100,
    "topical_crawler.pipelines.CleanPipeline": 200,
    "topical_crawler.pipelines.ModelPipeline": 250,  # asks the topic's model, if there is one
    "topical_crawler.pipelines.StorePipeline": 1000,  # after a user's own pipelines: their changes are stored
}
ADDONS = {"topical_crawler.logs.LogAddon": 100}
WARN_ON_GENERATOR_RETURN_VALUE = False  # this check parses the callback's source for every page, 4 % of a crawl's time
EXTENSIONS = {"topical_crawler.extensions.CrawlDisplay": 500, "topical_crawler.extensions.CrawlMetrics": 510}
# Scrapy's own, without telnet console, remote control and log statistics. Omitted rather than set to None: Scrapy would still
# import them, and the two servers add a tenth of a second to every start.
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

# -- politeness: obeys robots.txt with its Crawl-delay; one request at a time per host, a second apart
USER_AGENT = f"topical_crawler/{__version__} (topical corpus collection; obeys robots.txt)"
ROBOTSTXT_OBEY = True
ROBOTSTXT_USER_AGENT = "topical_crawler"
TOPICAL_OBEY_NOFOLLOW = True  # do not follow links of pages marked nofollow
TOPICAL_RIGHTS_FILES = False  # also fetch each host's ai.txt, tdmrep.json and RSL licence
DOWNLOAD_DELAY = 1.0
DOWNLOAD_DELAY_JITTER = 0.0
CONCURRENT_REQUESTS = 16
CONCURRENT_REQUESTS_PER_DOMAIN = 1
AUTOTHROTTLE_ENABLED = False

# -- limits on responses
DOWNLOAD_HANDLERS = dict.fromkeys(("http", "https"), "topical_crawler.downloadhandlers.PublicHandler")
TWISTED_DNS_RESOLVER = "topical_crawler.downloadhandlers.Resolver"
DOWNLOAD_MAXSIZE = 8 * 1024 * 1024
DOWNLOAD_WARNSIZE = 0
DOWNLOAD_FAIL_ON_DATALOSS = False  # use a truncated response as far as it came, like browsers
DOWNLOAD_TIMEOUT = 30.0
REDIRECT_MAX_TIMES = 8
METAREFRESH_MAXDELAY = 10
RETRY_TIMES = 2
COOKIES_ENABLED = False
URLLENGTH_LIMIT = 2000

# -- closed doors
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False

# -- measured: fewer parallel items cost less bookkeeping; the order of a page's items does not matter here
CONCURRENT_ITEMS = 8
STATS_DUMP = False
LOG_LEVEL = "INFO"
LOGSTATS_INTERVAL = 0.0

# -- URLs with passwords come from the environment, under their own names or as NAME_FILE, the path of a file
try:
    REDIS_URL = secret("REDIS_URL")  # for the frontier; "": REDIS_HOST and other settings of scrapy-redis
    TOPICAL_CORPUS = secret("TOPICAL_CORPUS")  # a path, or the URL of a PostgreSQL database; "": in the data directory
except ValueError as error:
    raise SystemExit(f"topical_crawler: {error}") from None

# -- the crawler's own settings
TOPICAL_DATA_DIR = ""  # all state of a crawl; "": data/<topic>
TOPICAL_CACHE_DIR = ""  # tables built once per topic; "": the user's cache directory
TOPICAL_TOPIC = ""  # for spiders of a project with the add-on; a topical crawl uses -a topic
TOPICAL_STRATEGY = ""  # "": the topic's own choice, else adaptive
TOPICAL_FRONTIER = "sqlite"  # sqlite: on disk, crash-safe; redis: for many workers
TOPICAL_SEGMENTER = "auto"  # auto: rjieba where installed, else jieba
TOPICAL_ENCODER = "bundled"  # encoder for nearness in meaning: bundled, openai:https://HOST/v1#MODEL, others; none: words alone
TOPICAL_SEED = 0  # of every random choice
TOPICAL_REPLAY = ""  # WARC, ARC or WACZ files, or folders of them, to replay instead of the web, comma-separated
TOPICAL_REPLAY_DATA = ""  # folder or URL of the WARC files listed by an index in TOPICAL_REPLAY; "": the index's folder
TOPICAL_ARCHIVE = False  # archive all responses unchanged: True: archive/ in the data directory; or a path
TOPICAL_ARCHIVE_MB = 1000.0  # size of an archive file
TOPICAL_SITEMAPS = 0  # kept texts of a host before its sitemaps are read; 0: never
TOPICAL_FEEDS = 0  # kept texts of a host before its RSS and Atom feeds are read; 0: never
TOPICAL_SCRIPTS = False  # open pages in a browser if they are empty without scripts
TOPICAL_CHROMIUM = ""  # browser program; "": chromium, chromium-browser, google-chrome or chrome from the PATH
TOPICAL_SCRIPTS_TIMEOUT = 60.0  # seconds for the scripts of a page
TOPICAL_ALLOW_PRIVATE = ""  # hosts allowed despite an address or port outside the public web; all: any
TOPICAL_MAX_LINKS = 2000  # links read from one page
TOPICAL_MAX_DEPTH = 0  # links followed from a seed; 0: no limit
TOPICAL_MAX_PAGES = 0  # pages fetched by a crawl, over all its runs; 0: no limit
TOPICAL_MAX_PAGES_PER_HOST = 0  # 0: no limit
TOPICAL_TRAP_PAGES = 200  # pages of one URL shape without a text before the shape is dropped; 0: never
TOPICAL_BARREN_PAGES = 50  # pages of a host without a text before its links are deprioritized; 0: never
TOPICAL_BARREN_LEAVE = 300  # pages of a host without a text before its links are dropped; 0: never
TOPICAL_BARREN_END = None  # pages without a text, over all hosts, to end a crawl; None: adaptive expects little; 0: never
TOPICAL_SECOND_LOOK_MB = 500  # disk space for off-topic pages to judge again later; 0: none
TOPICAL_MAX_CRAWL_DELAY = 60.0  # seconds; caps the Crawl-delay of a robots.txt
TOPICAL_ROBOTS_SECONDS = 86400.0  # lifetime of a robots.txt before it is fetched again
TOPICAL_REST_SECONDS = 60.0  # first back-off of a host that is down or asks for patience; doubles each time; 0: none
TOPICAL_RESCORE = 3  # most times a waiting link is put back with a lower score; 0: links keep their first score
TOPICAL_EXTRACT_WORKERS = 1  # processes for main text extraction
TOPICAL_EXTRACT_TIMEOUT = 20.0  # seconds of processor time per page
TOPICAL_DOCUMENTS = ""  # attachment formats to read: pdf, docx, ofd, comma-separated; "": none
TOPICAL_EXTRACTOR = "both"  # ours; both: trafilatura in cases of doubt; trafilatura or another: for every page
TOPICAL_MIN_CHARACTERS = 50  # texts shorter than this are near-empty
TOPICAL_LANGUAGES = "zh"  # languages of texts to keep, two letters each, comma-separated; "": all
TOPICAL_QUALITY = True  # reject texts without running prose; a dict or JSON: limits other than the defaults
TOPICAL_SITE_LINES = True  # learn lines repeated across a site's pages, and remove them from its texts
TOPICAL_PERSONAL = "flag"  # telephone, identity card, bank card numbers, e-mail: flag: count; mask: also replace; off
TOPICAL_CONVERT = ""  # simplified or traditional: convert Chinese texts to this script; "": unchanged
TOPICAL_DISPLAY = "auto"  # auto: live in a terminal, lines elsewhere; live, lines, off
TOPICAL_DISPLAY_INTERVAL = 10.0  # seconds between two lines
TOPICAL_LOG_FORMAT = "text"  # text; json: one JSON object a line
TOPICAL_METRICS_PORT = 0  # port of the Prometheus endpoint, a range (the first free one), or auto; 0: none
TOPICAL_METRICS_HOST = "127.0.0.1"  # address to listen on

# -- many workers over Redis (TOPICAL_FRONTIER = "redis"; REDIS_URL and the other settings of scrapy-redis name the server)
TOPICAL_CRAWL = ""  # name shared by a crawl's workers; "": the topic's
TOPICAL_FRONTIER_PARTS = 0  # for a new crawl, then fixed; 0: 1 on one server, 64 in a Redis Cluster
TOPICAL_WORKER = ""  # name of this worker; "": generated
TOPICAL_LEASE_SECONDS = 120.0  # seconds before the in-flight pages of a dead worker are requeued
TOPICAL_IDLE_SECONDS = 0.0  # seconds to wait for seeds when nothing is left to fetch; negative: forever
TOPICAL_PATIENCE = 60.0  # seconds to retry an unreachable Redis or PostgreSQL server
TOPICAL_MAX_WAITING = 0  # most waiting links, for every frontier; the worst beyond it are dropped; 0: no limit

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
    """Check for misspelt settings: without effect, they could send the crawl of a recording out to the web.

    Raises:
        ValueError: a name begins with ``TOPICAL_`` and is not defined in this module.

    >>> check_names(["TOPICAL_REPLY"])
    Traceback (most recent call last):
    ...
    ValueError: there is no setting TOPICAL_REPLY. Did you mean TOPICAL_REPLAY? docs/settings.md lists them all
    """
    known = own_settings()
    if unknown := sorted(name for name in names if name.startswith("TOPICAL_") and name not in known):
        from difflib import get_close_matches

        nearest = next((match for name in unknown for match in get_close_matches(name, sorted(known), 1)), "")
        raise ValueError(
            f"there is no setting {', '.join(unknown)}. {nearest and f'Did you mean {nearest}? '}docs/settings.md lists them all"
        )


def check_values(given: Mapping[str, Any]) -> None:
    """Check the names and the values of settings. Settings of other modules are ignored.

    Raises:
        ValueError: a name refused by :func:`check_names`, or a value out of range or of another kind than this module's (True
            or False, a whole number, any number).

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
_OF_SEVERAL_KINDS = ("TOPICAL_ARCHIVE", "TOPICAL_QUALITY", "TOPICAL_METRICS_PORT")  # checked by their readers
