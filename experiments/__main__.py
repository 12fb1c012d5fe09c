"""Run an experiment from a checkout: ``python -m experiments NAME …``."""

from __future__ import annotations

import argparse
import importlib
import sys
from types import ModuleType

EXPERIMENTS = {
    "ablation": ("ablation", "strategies with parts left out or parameters changed, without Scrapy"),
    "choose": ("choose", "values of a parameter, each chosen without the topics and webs that it is measured on"),
    "crawl": ("crawl", "strategies compared on a recorded web, beside an oracle"),
    "news-web": ("news_web", "news sites of several layouts, made of news texts, as a recorded web with labels"),
    "odp": ("odp", "a category tree of the Open Directory in the form that the product reads"),
    "papers": ("papers.run", "the crawling experiments of Sun et al., Zhang et al., and Chen & Zhu"),
    "sites": ("sites", "precision and recall per site and group of sites (Table 8 of Zhou et al.)"),
    "threshold": ("threshold", "precision and volume over the threshold of Eq. 5 (Figure 2 of Zhou et al.)"),
    "urls": ("urls", "similarity of URLs on sections of a site (Table 6 of Zhou et al.)"),
    "words": ("words", "word similarity on synonyms (Table 5 of Zhou et al.), or on pairs judged by people"),
}
"""Module and help of each. A module, imported only when it is asked for, has DESCRIPTION, ``add_arguments(parser)`` and
``run(opts, settings)``."""


def main(arguments: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    names = parser.add_subparsers(dest="name", metavar="NAME", required=True)
    chosen = arguments[0] if arguments else ""
    module: ModuleType | None = None
    for name, (place, summary) in EXPERIMENTS.items():
        one = names.add_parser(name, help=summary)
        if name == chosen:
            module = importlib.import_module(f"experiments.{place}")
            one.description = module.DESCRIPTION
            module.add_arguments(one)
            one.add_argument("-s", "--set", action="append", default=[], metavar="NAME=VALUE", help="override a setting")
    opts = parser.parse_args(arguments)
    assert module is not None, "the parser accepts no other name"
    return _run(module, opts, parser)


def _run(module: ModuleType, opts: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    from scrapy.utils.project import get_project_settings

    from topical_crawler.corpus.record import CorpusError
    from topical_crawler.crawl.options import CrawlError
    from topical_crawler.recordings.reader import RecordingError
    from topical_crawler.services import MistakeError

    settings = get_project_settings()
    for override in opts.set:
        name, equals, value = override.partition("=")
        if not equals:
            parser.error(f"-s {override}: NAME=VALUE is expected")
        settings.set(name, value, priority="cmdline")
    try:
        return int(module.run(opts, settings))
    except KeyboardInterrupt:
        print(f"{parser.prog} {opts.name}: stopped", file=sys.stderr)
        return 130
    except MistakeError as error:
        parser.error(str(error))
    except (ValueError, CorpusError, CrawlError, RecordingError, OSError, ImportError) as error:  # whose message names a remedy
        print(f"{parser.prog} {opts.name}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
