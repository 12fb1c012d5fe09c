"""``scrapy crawl``, with one-line errors for a topical crawl unable to start."""

import argparse
import gc
import logging
import sys

from scrapy.commands.crawl import Command as CrawlCommand
from scrapy.exceptions import UsageError

from topical_crawler.commands import program

logger = logging.getLogger(__name__)

_OBJECTS_BETWEEN = 10_000  # allocations between two collections: a page makes thousands of objects, almost none cyclic garbage
_INVENTORIES = ("scrapy.addons", "scrapy.crawler", "scrapy.extensions.telnet", "scrapy.middleware", "scrapy.core.engine")


class Command(CrawlCommand):
    def long_desc(self) -> str:
        return (
            "Run a spider. A topical crawl: topical-crawler crawl TOPIC [-a seeds=FILE|URLs] [-a hosts=HOSTS|seeds] "
            "[-a pages=N] [-a pages_per_host=N] [-a depth=N] [-a strategy=NAME]. "
            "Give the same command again to resume it. Settings: docs/settings.md."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--survey",
            action="store_true",
            help="look at a few pages of each site of the seeds, print the promise of its sections, and stop",
        )
        if program() == "topical-crawler":
            parser.usage = "topical-crawler crawl TOPIC [-a NAME=VALUE …] [-s NAME=VALUE …]"

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        # First of all: its deprecated classes scan all modules, once for each pending import.
        import scrapy.core.downloader.contextfactory  # noqa: F401

        from topical_crawler.logs import log_format

        super().process_options(args, opts)
        assert self.settings is not None
        try:
            log_format(self.settings)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from None

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        # Imported here: Scrapy imports this module at every start of every command.
        from topical_crawler.crawl.options import CrawlError
        from topical_crawler.extensions import wants_live
        from topical_crawler.files import explained
        from topical_crawler.logs import masked
        from topical_crawler.spiders.topical import TopicalSpider

        if opts.survey:
            opts.spargs["survey"] = "yes"
        gc.set_threshold(_OBJECTS_BETWEEN, *gc.get_threshold()[1:])
        if len(args) == 1 and self.crawler_process is not None and self.settings is not None:
            try:
                spider_class = self.crawler_process.spider_loader.load(args[0])
            except KeyError:
                known = ", ".join(self.crawler_process.spider_loader.list())
                raise UsageError(f"there is no spider {args[0]!r}; there is: {known}") from None
            if issubclass(spider_class, TopicalSpider):
                settings = self.settings.copy()
                try:
                    spider_class.update_settings(settings)
                    if wants_live(self.settings) and self.settings["LOG_LEVEL"] == "INFO":
                        # A live display needs no list of Scrapy's components, a log file or a server does.
                        for name in _INVENTORIES:
                            logging.getLogger(name).setLevel(logging.WARNING)
                    opts.spargs["opened"] = spider_class.open_crawl(settings, opts.spargs)
                except (CrawlError, ValueError, OSError, ImportError) as error:
                    message = explained(error) if isinstance(error, OSError) else str(error)
                    self._complain(args[0], masked(message))
                    self.exitcode = 2
                    return
        crawl = opts.spargs["opened"][0] if "opened" in opts.spargs else None
        gc.freeze()  # modules, dictionaries and tables live until the end: do not scan them again and again
        try:
            super().run(args, opts)
        finally:
            if crawl is not None:  # a signal during the engine's start ends the process without closing the spider
                crawl.close()
        if crawl is not None:
            if crawl.progress.no_host_answered:
                self._complain(args[0], "no host could be reached. Check the network and the seeds")
            if crawl.failed or crawl.progress.no_host_answered:
                self.exitcode = 1

    def _complain(self, spider: str, what: str) -> None:
        from topical_crawler.logs import log_format
        from topical_crawler.services.catalogue import to_terminal

        assert self.settings is not None
        name = f"{program()} crawl{'' if program() == 'topical-crawler' else f' {spider}'}"
        file, in_json = self.settings.get("LOG_FILE"), log_format(self.settings) == "json"
        if file or in_json:  # for scrapyd's jobs nobody looks at standard error
            logger.error("%s: %s", name, what)
        if file or not in_json:
            print(f"{name}: {to_terminal(what)}", file=sys.stderr)
