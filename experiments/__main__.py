"""``python -m experiments NAME``: run an experiment from a checkout."""

from __future__ import annotations

import argparse
import importlib
import sys

from scrapy.exceptions import UsageError
from scrapy.utils.project import get_project_settings

from topical_crawler.corpus.schema import CorpusError
from topical_crawler.crawl.options import CrawlError
from topical_crawler.recordings.reader import RecordingError

EXPERIMENTS = {
    "crawl": "experiments.crawl",
    "papers": "experiments.papers.run",
    "threshold": "experiments.threshold",
    "urls": "experiments.urls",
    "words": "experiments.words",
}
"""Each is a module with HELP, DESCRIPTION, ``add_arguments(parser)`` and ``run(opts, settings)``."""
ERRORS = (ValueError, CorpusError, CrawlError, RecordingError, OSError, ImportError)
"""What a person can do something about: the message is printed, and the exit code is 1."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    names = parser.add_subparsers(dest="name", metavar="NAME", required=True)
    modules = {name: importlib.import_module(place) for name, place in EXPERIMENTS.items()}
    for name, module in modules.items():
        one = names.add_parser(name, help=module.HELP, description=module.DESCRIPTION)
        module.add_arguments(one)
        one.add_argument("-s", "--set", action="append", default=[], metavar="NAME=VALUE", help="override a setting")
    opts = parser.parse_args(arguments)
    settings = get_project_settings()
    for given in opts.set:
        name, equals, value = given.partition("=")
        if not equals:
            parser.error(f"-s {given}: NAME=VALUE is expected")
        settings.set(name, value, priority="cmdline")
    try:
        return int(modules[opts.name].run(opts, settings))
    except KeyboardInterrupt:
        print(f"{parser.prog} {opts.name}: stopped", file=sys.stderr)
        return 130
    except UsageError as error:
        parser.error(str(error))
    except ERRORS as error:
        print(f"{parser.prog} {opts.name}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
