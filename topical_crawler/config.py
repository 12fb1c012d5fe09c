"""Reader of the project's own settings and the spider's arguments, the only one, into checked and typed values.

Only :mod:`topical_crawler.logs` reads one more (``TOPICAL_LOG_FORMAT``), needed before anything else.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import math
import os
import re
import secrets
import shutil
import socket
from collections.abc import Callable, Mapping, Sequence
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args
from urllib.parse import urlsplit

import platformdirs

from topical_crawler.cleaning.boilerplate import MIN_CHARACTERS
from topical_crawler.cleaning.cleaner import CleaningOptions, Convert, Personal
from topical_crawler.cleaning.quality import Limits
from topical_crawler.crawl.crawl_folder import CrawlFolder
from topical_crawler.crawl.options import SEARCH, CrawlError, CrawlOptions, search_urls, survey_pages
from topical_crawler.logs import masked
from topical_crawler.meaning import BUNDLED
from topical_crawler.project import AnySettings, scrapys
from topical_crawler.recordings.cdx import COMMON_CRAWL, IndexFile
from topical_crawler.recordings.reader import Recording, RecordingError, is_index
from topical_crawler.resources.registry import Resources
from topical_crawler.text.segment import Backend
from topical_crawler.topic.topic import Topic, read_seeds
from topical_crawler.web.urls import host

if TYPE_CHECKING:
    import redis

    from topical_crawler.frontier.base import Frontier

_YES, _NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off", "none")
_Number = TypeVar("_Number", int, float)
_Amount = Callable[[AnySettings], float]

spider_topic: Callable[[AnySettings], str] = methodcaller("get", "TOPICAL_TOPIC")  # for a spider with the add-on; "": none
random_seed: Callable[[AnySettings], int] = methodcaller("getint", "TOPICAL_SEED")  # seed of all random choices
longest_crawl_delay: _Amount = methodcaller("getfloat", "TOPICAL_MAX_CRAWL_DELAY")  # seconds; caps a robots.txt's Crawl-delay
robots_seconds: _Amount = methodcaller("getfloat", "TOPICAL_ROBOTS_SECONDS")  # lifetime of a robots.txt
reads_rights_files: Callable[[AnySettings], bool] = methodcaller("getbool", "TOPICAL_RIGHTS_FILES")
runs_scripts: Callable[[AnySettings], bool] = methodcaller("getbool", "TOPICAL_SCRIPTS")  # on pages empty without scripts
scripts_timeout: _Amount = methodcaller("getfloat", "TOPICAL_SCRIPTS_TIMEOUT")  # seconds for the scripts of a page
archive_megabytes: _Amount = methodcaller("getfloat", "TOPICAL_ARCHIVE_MB")  # size of an archive file
display_interval: _Amount = methodcaller("getfloat", "TOPICAL_DISPLAY_INTERVAL")  # seconds between two progress lines


def _read(name: str, value: Any, kind: Callable[[Any], _Number], usable: Callable[[_Number], bool], expected: str) -> _Number:
    """Convert a setting or argument to a number. Raise CrawlError with the ``expected`` format if it is unusable."""
    try:
        if usable(number := kind(value)):
            return number
    except (TypeError, ValueError):
        pass
    raise CrawlError(f"{name}={value!r}: {expected}")


def _whole(name: str, value: Any, example: str, low: int = 0) -> int:
    expected = f"a whole number of {low} or more is expected ({example})"
    return _read(name, value, lambda v: int(str(v)), lambda n: n >= low, expected)


def _choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """Return a setting limited to ``choices``, "" if it is unset. Raise CrawlError for any other value."""
    if (word := str(value or "")) not in choices:
        raise CrawlError(f"{name}={word!r}: one of {', '.join(filter(None, choices))} is expected")
    return word


def cache_dir(settings: AnySettings) -> Path:
    """Return the folder for tables cached between crawls."""
    return Path(settings.get("TOPICAL_CACHE_DIR") or platformdirs.user_cache_dir("topical_crawler")).expanduser()


def data_dir(settings: AnySettings, topic_name: str) -> Path:
    """Return the folder for the state and the corpus of a topic's crawl: ``TOPICAL_DATA_DIR``, else ``data/<topic>``."""
    return Path(named_data_dir(settings) or f"data/{topic_name}").expanduser()


def replay_file(settings: AnySettings) -> str:
    """Return ``TOPICAL_REPLAY``: comma-separated recordings to replay instead of the web, "" for none."""
    value = settings.get("TOPICAL_REPLAY") or ""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def replay_parts(settings: AnySettings) -> tuple[list[str], list[str]]:
    """Return the recordings in ``TOPICAL_REPLAY``, and the archive indexes: CDXJ files or URLs of CDX servers."""
    text = replay_file(settings)
    parts = [text] if text and Path(text).expanduser().exists() else [part.strip() for part in text.split(",") if part.strip()]
    return [part for part in parts if not is_index(part)], [part for part in parts if is_index(part)]


def replay_data(settings: AnySettings, index: str) -> str:
    """Return the folder or URL of the WARC files listed in ``index``.

    This is ``TOPICAL_REPLAY_DATA``, else the folder of an index file, else Common Crawl's server for its index.

    Raises:
        RecordingError: no folder or URL is known for a server.
    """
    if data := str(settings.get("TOPICAL_REPLAY_DATA") or ""):
        return data
    if not index.startswith(("http://", "https://")):
        return str(Path(index).expanduser().parent)
    if urlsplit(index).hostname == "index.commoncrawl.org":
        return COMMON_CRAWL
    raise RecordingError(f"where are the files listed by {index}? Set TOPICAL_REPLAY_DATA=https://… or a folder")


def check_replay(settings: AnySettings) -> None:
    """Build the caches needed to replay ``TOPICAL_REPLAY``. Raise RecordingError if it cannot be read."""
    files, indexes = replay_parts(settings)
    if files:
        Recording(",".join(files), cache_dir(settings)).close()
    for index in indexes:
        replay_data(settings, index)
        if not index.startswith(("http://", "https://")):
            IndexFile(index, cache_dir(settings)).close()


def corpus_place(settings: AnySettings) -> str:
    """Return ``TOPICAL_CORPUS``: file or database URL of the corpus. "": in the data directory."""
    return str(settings.get("TOPICAL_CORPUS") or "")


def named_data_dir(settings: AnySettings) -> str:
    """Return ``TOPICAL_DATA_DIR``. "": a folder for each topic."""
    return str(settings.get("TOPICAL_DATA_DIR") or "")


def uses_redis(settings: AnySettings) -> bool:
    """Return True if ``TOPICAL_FRONTIER`` is Redis."""
    return bool(settings.get("TOPICAL_FRONTIER") == "redis")


def display_mode(settings: AnySettings) -> str:
    """Return ``TOPICAL_DISPLAY``: "auto", "live", "lines" or "off". Raise CrawlError for any other value."""
    return _choice("TOPICAL_DISPLAY", settings.get("TOPICAL_DISPLAY"), ("auto", "live", "lines", "off"))


def metrics_address(settings: AnySettings) -> tuple[Any, str]:
    """Return ``TOPICAL_METRICS_PORT`` as written (a port, a range, "auto", 0), and ``TOPICAL_METRICS_HOST``."""
    return settings.get("TOPICAL_METRICS_PORT"), str(settings["TOPICAL_METRICS_HOST"])


def segmenter(settings: AnySettings) -> Backend:
    """Return ``TOPICAL_SEGMENTER``, the word segmenter."""
    return cast(Backend, settings.get("TOPICAL_SEGMENTER", "auto"))


def encoder(settings: AnySettings) -> str:
    """Return ``TOPICAL_ENCODER``, the encoder for nearness in meaning."""
    return str(settings.get("TOPICAL_ENCODER") or BUNDLED)


def strategy_name(settings: AnySettings) -> str | None:
    """Return ``TOPICAL_STRATEGY``. None: the topic's own."""
    return settings.get("TOPICAL_STRATEGY") or None


def extraction_limits(settings: AnySettings) -> tuple[int, float]:
    """Return ``TOPICAL_EXTRACT_WORKERS``, the number of processes, and ``TOPICAL_EXTRACT_TIMEOUT``, the seconds for a page."""
    return settings.getint("TOPICAL_EXTRACT_WORKERS"), settings.getfloat("TOPICAL_EXTRACT_TIMEOUT")


def extractor(settings: AnySettings) -> str:
    """Return ``TOPICAL_EXTRACTOR``, the extractor of main texts. Raise CrawlError if it is not available."""
    from topical_crawler.extraction.second import BOTH, OURS, open_reader

    name = str(settings.get("TOPICAL_EXTRACTOR") or BOTH)
    try:
        if name not in (OURS, BOTH):
            open_reader(name)
    except ValueError as error:
        raise CrawlError(f"TOPICAL_EXTRACTOR: {error}") from error
    return name


def document_formats(settings: AnySettings) -> tuple[str, ...]:
    """Return ``TOPICAL_DOCUMENTS``, the attachment formats to read.

    Raises:
        CrawlError: unknown format, or missing package.
    """
    value = settings.get("TOPICAL_DOCUMENTS") or ""
    if not value:
        return ()
    from topical_crawler.extraction.documents import FORMATS, OLD_WORD, missing

    words = value if isinstance(value, list | tuple) else str(value).replace(",", " ").split()
    formats = tuple(dict.fromkeys(str(word).lower().lstrip(".") for word in words))
    for name in formats:
        if name not in FORMATS:
            why = "files of Word before 2007 are not read; " if name == OLD_WORD else ""
            raise CrawlError(
                f"TOPICAL_DOCUMENTS={name!r}: {why}there are {', '.join(FORMATS)} (-s TOPICAL_DOCUMENTS=pdf,docx,ofd)"
            )
    if package := missing(formats):
        raise CrawlError(
            f"TOPICAL_DOCUMENTS={','.join(formats)}: the package {package} is not installed. "
            "Run pip install 'topical-crawler[documents]', or leave pdf out"
        )
    return formats


def read_documents(settings: AnySettings) -> None:
    """Enable all document formats with installed packages, unless ``TOPICAL_DOCUMENTS`` names any."""
    from topical_crawler.extraction.documents import FORMATS, missing

    if not document_formats(settings):
        settings.set("TOPICAL_DOCUMENTS", [kind for kind in FORMATS if not missing([kind])], priority="cmdline")


_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def chromium(settings: AnySettings) -> str:
    """Return the path of the browser for scripts: ``TOPICAL_CHROMIUM``, else one in the PATH.

    Return "" if none is needed: without ``TOPICAL_SCRIPTS`` and in a replay.

    Raises:
        CrawlError: there is no browser, or playwright is not installed.
    """
    if not runs_scripts(settings) or replay_file(settings):
        return ""
    if importlib.util.find_spec("playwright") is None:
        raise CrawlError("TOPICAL_SCRIPTS=1: the package playwright is not installed. Run pip install 'topical-crawler[scripts]'")
    given = str(settings.get("TOPICAL_CHROMIUM") or "")
    found = shutil.which(str(Path(given).expanduser())) if given else next(filter(None, map(shutil.which, _BROWSERS)), None)
    if not found:
        what = f"TOPICAL_CHROMIUM={given}: there is no such program" if given else "TOPICAL_SCRIPTS=1: there is no Chromium"
        raise CrawlError(f"{what}. Install one (apt install chromium), and name it: -s TOPICAL_CHROMIUM=/usr/bin/chromium")
    return found


def archive_folder(settings: AnySettings, topic_name: str) -> Path | None:
    """Return the folder for archiving all responses, or None without archiving.

    It is the path in ``TOPICAL_ARCHIVE``, or ``archive`` in the data directory if the setting is true.
    """
    value = str(settings.get("TOPICAL_ARCHIVE") or "").strip()
    if value.lower() in _NO:
        return None
    if value.lower() in _YES:
        return CrawlFolder(data_dir(settings, topic_name)).archive
    return Path(value).expanduser()


def cleaning_options(settings: AnySettings) -> CleaningOptions:
    """Return the options for cleaning and filtering texts, with defaults for settings missing in a user's own project.

    Raises:
        CrawlError: unusable value.
    """
    languages = tuple(str(settings.get("TOPICAL_LANGUAGES", "zh") or "").replace(",", " ").lower().split())
    for code in languages:
        if not re.fullmatch("[a-z]{2}", code):
            raise CrawlError(f"TOPICAL_LANGUAGES={code!r}: two letters are expected (-s TOPICAL_LANGUAGES=zh,en)")
    personal = _choice("TOPICAL_PERSONAL", settings.get("TOPICAL_PERSONAL", "flag"), get_args(Personal))
    convert = _choice("TOPICAL_CONVERT", settings.get("TOPICAL_CONVERT"), get_args(Convert))
    least = settings.get("TOPICAL_MIN_CHARACTERS", MIN_CHARACTERS)
    return CleaningOptions(
        min_characters=_whole("TOPICAL_MIN_CHARACTERS", least, "-s TOPICAL_MIN_CHARACTERS=200"),
        limits=_limits(settings.get("TOPICAL_QUALITY", True), languages),
        personal=cast(Personal, personal),
        convert=cast(Convert, convert),
        site_lines=settings.getbool("TOPICAL_SITE_LINES", True),
    )


def _limits(quality: Any, languages: tuple[str, ...]) -> Limits:
    """Return the limits of ``TOPICAL_QUALITY``: all, only the language's, or the defaults with some replaced."""
    wanted = "expected is True, False or numbers by name (-s 'TOPICAL_QUALITY={\"min_han\": 0.3}')"
    if (word := str(quality).strip().lower()) in _YES:
        return Limits(languages=languages)
    if word in _NO:
        return Limits.of_language(languages)
    try:
        given = json.loads(quality) if isinstance(quality, str) else quality
        limits = {name: _read(name, value, float, lambda x: 0 <= x < math.inf, "no number") for name, value in given.items()}
        return Limits(languages=languages, **limits)
    except (AttributeError, CrawlError, TypeError, ValueError) as error:
        raise CrawlError(f"TOPICAL_QUALITY={quality!r}: {error}; {wanted}") from None


def resources(settings: AnySettings) -> Resources | None:
    """Return the language resources in the settings, or None if ``TOPICAL_RESOURCES`` is off.

    Raises:
        ValueError: a setting names a missing file.
    """
    return Resources.from_settings(settings) if settings.getbool("TOPICAL_RESOURCES") else None


def with_precision(settings: AnySettings, topic: Topic, arguments: Mapping[str, Any]) -> Topic:
    """Return the topic with its strategy's precision set by ``-a precision``. Raise CrawlError for a value outside (0, 1)."""
    if arguments.get("precision") in (None, ""):
        return topic
    expected = "a share between 0 and 1 is expected (-a precision=0.9)"
    precision = _read("precision", arguments["precision"], float, lambda x: 0 < x < 1, expected)
    name = arguments.get("strategy") or strategy_name(settings) or topic.default_strategy
    table = {**topic.parameters.get(name, {}), "precision": precision}
    return dataclasses.replace(topic, parameters={**topic.parameters, name: table})


_UNITS = {"": 86_400.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)([smhdw]?)")


def seconds_of(text: str) -> float:
    """Parse a duration such as 12h, in days without a unit. Raise CrawlError for anything else.

    >>> seconds_of("1d"), seconds_of("0.5h")
    (86400.0, 1800.0)
    """
    match = _DURATION.fullmatch(text.strip().lower())
    if match is None:
        raise CrawlError(f"refresh={text!r}: a time is expected, such as 1d, 12h or 30m (-a refresh=1d); 0 revisits every hub")
    return float(match[1]) * _UNITS[match[2]]


def crawl_options(settings: AnySettings, topic: Topic, arguments: Mapping[str, Any], seeds: Sequence[str] = ()) -> CrawlOptions:
    """Return the options of a crawl. A spider argument overrides the setting of the same meaning.

    A survey's page limit follows from the number of sites in ``seeds``.

    Raises:
        CrawlError: wrong value.
    """

    def number(argument: str, setting: str, low: int = 0) -> int:
        if (argued := arguments.get(argument)) not in (None, ""):
            return _whole(argument, argued, f"-a {argument}=1000; without it there is no limit", low)
        return settings.getint(setting)

    replay = replay_file(settings)
    if replay:
        try:
            check_replay(settings)
        except RecordingError as error:
            raise CrawlError(f"nothing to replay: {error}") from None
    barren_end = settings.get("TOPICAL_BARREN_END")
    written = str(arguments.get("refresh") or "")
    refresh = seconds_of(written) if written else None
    if refresh is not None and settings.get("TOPICAL_FRONTIER") != "sqlite":
        raise CrawlError(
            f"refresh={written}: only a crawl with its links on disk can be refreshed. Leave refresh out, or crawl "
            "with TOPICAL_FRONTIER=sqlite"
        )
    survey = _choice("survey", arguments.get("survey") or "no", ("yes", "no")) == "yes"
    if survey and settings.get("TOPICAL_FRONTIER") != "sqlite":
        raise CrawlError("survey=yes: only a crawl with its links on disk can be surveyed. Set TOPICAL_FRONTIER=sqlite")
    pages = number("pages", "TOPICAL_MAX_PAGES", low=1)
    archive = archive_folder(settings, topic.name)
    if archive is not None:
        try:
            archive.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CrawlError(
                f"TOPICAL_ARCHIVE={archive}: cannot create this folder ({error.strerror}). Name another, or 1 for "
                "archive/ in the data folder"
            ) from None
    return CrawlOptions(
        topic=topic.name,
        name=crawl_name(settings, topic.name),
        data_dir=data_dir(settings, topic.name),
        cache_dir=cache_dir(settings),
        corpus=corpus_place(settings),
        strategy=arguments.get("strategy") or strategy_name(settings),
        model=str(arguments.get("model") or ""),
        frontier=settings.get("TOPICAL_FRONTIER"),
        segmenter=segmenter(settings),
        encoder=encoder(settings),
        seed=random_seed(settings),
        hosts=allowed_hosts(topic, arguments),
        searches=tuple(line for line in _seed_lines(topic, arguments) if SEARCH in line),
        max_depth=number("depth", "TOPICAL_MAX_DEPTH"),
        max_pages=survey_pages(len({host(url) for url in seeds}), pages) if survey else pages,
        survey=survey,
        max_pages_per_host=number("pages_per_host", "TOPICAL_MAX_PAGES_PER_HOST"),
        max_links=settings.getint("TOPICAL_MAX_LINKS"),
        trap_pages=settings.getint("TOPICAL_TRAP_PAGES"),
        barren_pages=settings.getint("TOPICAL_BARREN_PAGES"),
        barren_leave=settings.getint("TOPICAL_BARREN_LEAVE"),
        barren_end=None if barren_end in (None, "") else _whole("TOPICAL_BARREN_END", barren_end, "-s TOPICAL_BARREN_END=1000"),
        second_look_megabytes=settings.getint("TOPICAL_SECOND_LOOK_MB"),
        rescore=settings.getint("TOPICAL_RESCORE"),
        delay=0.0 if replay else settings.getfloat("DOWNLOAD_DELAY"),
        in_flight=1 if replay else settings.getint("CONCURRENT_REQUESTS"),
        in_flight_per_host=settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"),
        max_waiting=settings.getint("TOPICAL_MAX_WAITING"),
        # Unique among workers, even after a restart.
        worker=settings.get("TOPICAL_WORKER") or f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(2)}",
        lease=settings.getfloat("TOPICAL_LEASE_SECONDS"),
        patience=settings.getfloat("TOPICAL_PATIENCE"),
        idle=settings.getfloat("TOPICAL_IDLE_SECONDS"),
        redis=redis_client(settings) if uses_redis(settings) else None,
        parts=_whole("TOPICAL_FRONTIER_PARTS", settings.get("TOPICAL_FRONTIER_PARTS"), "-s TOPICAL_FRONTIER_PARTS=64") or None,
        start_urls_key=start_urls_key(settings, crawl_name(settings, topic.name)),
        cleaning=cleaning_options(settings),
        rest=0.0 if replay else settings.getfloat("TOPICAL_REST_SECONDS"),  # a recording always gives the same answer
        obey_nofollow=settings.getbool("TOPICAL_OBEY_NOFOLLOW", True),
        sitemaps=settings.getint("TOPICAL_SITEMAPS"),
        feeds=settings.getint("TOPICAL_FEEDS"),
        refresh=refresh,
        documents=document_formats(settings),
        allow_private=tuple(str(settings.get("TOPICAL_ALLOW_PRIVATE") or "").replace(",", " ").lower().split()),
    )


def crawl_name(settings: AnySettings, topic_name: str) -> str:
    """Return the name shared by a crawl's workers in Redis: ``TOPICAL_CRAWL``, else the topic's."""
    return str(settings.get("TOPICAL_CRAWL") or topic_name)


def start_urls_key(settings: AnySettings, name: str) -> str:
    """Return the Redis key for feeding start URLs: scrapy-redis' ``REDIS_START_URLS_KEY``, else the crawl's own key."""
    key = settings.get("REDIS_START_URLS_KEY")
    return key % {"name": "topical"} if key else f"topical:{{{name}}}:start_urls"


def redis_client(settings: AnySettings) -> redis.Redis:
    """Return a connection by scrapy-redis' settings (``REDIS_URL``, ``REDIS_HOST``, ``REDIS_PORT``, ``REDIS_PARAMS`` …).

    Raises:
        CrawlError: the settings name no server, or several.
    """
    from scrapy_redis.connection import get_redis_from_settings

    urls = str(settings.get("REDIS_URL") or "").split()
    if len(urls) > 1:
        raise CrawlError(
            f"REDIS_URL names {len(urls)} Redis servers; a crawl has one. Set it to one of them, REDIS_URL=redis://HOST:PORT/0"
        )
    try:
        one = scrapys(settings)
        one.set("REDIS_URL", "".join(urls), "cmdline")
        client: redis.Redis = get_redis_from_settings(one)
    except (ValueError, TypeError) as error:
        raise CrawlError(
            f"the settings name no Redis server ({masked(str(error))}). Set REDIS_URL=redis://HOST:PORT/0 (rediss:// for TLS)"
        ) from None
    return client


def open_redis_frontier(settings: AnySettings, name: str) -> Frontier:
    """Attach to the frontier of a crawl in Redis, to inspect and steer it.

    Raises:
        CrawlError: the settings name no server.
        FrontierServerError: the server is unusable or has no such crawl.
    """
    from topical_crawler.frontier.redis import RedisFrontier

    return RedisFrontier(redis_client(settings), name, patience=5.0, attach=True)


def seeds(topic: Topic, arguments: Mapping[str, Any]) -> list[str]:
    """Return the start URLs: those of ``-a seeds=`` (a file, or URLs separated by commas or spaces), else the topic's.

    ``{keyword}`` in a URL is expanded to each of the heaviest topic terms (``-a keywords=``, 10 by default).

    Raises:
        CrawlError: there is no seed, or one is not a URL.
        TopicError: the file cannot be read.
    """
    urls = _seed_lines(topic, arguments)
    if not urls:
        raise CrawlError(
            f"the topic {topic.name!r} has no seeds. Give -a seeds=FILE (one URL a line), -a seeds=http://…, "
            f"or a seeds.txt in {topic.source}"
        )
    for url in urls:
        if urlsplit(url).scheme not in ("http", "https"):
            raise CrawlError(f"the seed {url!r} is not a URL. Start it with http:// or https://")
    wanted = _whole("keywords", arguments.get("keywords", 10), "-a keywords=10", low=1)
    return [url for u in urls for url in (search_urls([u], topic.keywords(wanted)) if SEARCH in u else [u])]


def _seed_lines(topic: Topic, arguments: Mapping[str, Any]) -> list[str]:
    """Return the seeds as written, including searches."""
    value = str(arguments.get("seeds") or "").strip()
    if not value:
        return list(topic.seeds)
    if "://" in value:
        return value.replace(",", " ").split()
    return read_seeds(Path(value).expanduser())


def allowed_hosts(topic: Topic, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the hosts to crawl with their subdomains, empty for any. ``-a hosts=seeds`` means the hosts of the seeds."""
    names = str(arguments.get("hosts") or "").replace(",", " ").split()
    if addresses := [name for name in names if "/" in name]:
        raise CrawlError(f"hosts={addresses[0]}: a host is expected, without http:// and path (-a hosts=www.example.cn)")
    if names == ["seeds"]:
        return tuple(dict.fromkeys((urlsplit(u).hostname or "").removeprefix("www.") for u in seeds(topic, arguments)))
    return tuple(names) or topic.allowed_hosts
