"""``topical-crawler``, also ``python -m topical_crawler``: entry point of all commands, in any folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from configparser import ConfigParser
from configparser import Error as ConfigError
from importlib import import_module
from pathlib import Path
from types import ModuleType

from topical_crawler import __version__

HELP = """\
topical-crawler {version}: collect Chinese texts on a topic from the web

Usage: topical-crawler COMMAND …        COMMAND -h says more

Begin
  demo                      crawl a small bundled web, without network; leaves data/demo and a report to open
  new FOLDER "SENTENCE"     make a topic from a sentence; also from keywords, example texts or pages
  crawl TOPIC               collect texts on a topic; the same command resumes it
  workbench                 a page in the browser: topic, crawl, corpus, judging, export
  extract URL|FILE          the text of one page

Work with collected texts (data/TOPIC, or a topic's name)
  corpus                    list, show, search, why, stats, fetched, diff, extract, evidence, overlap: read it
                            export, sample, judge, report, clean, copy, rebuild, lock, reproduce: use it

More
  topic                     list, show, new, seeds, build, check, explain
  frontier                  stats, top, push, pause, resume, stop, threshold, requeue, purge: steer a crawl
  resources                 fetch, list, check, train, import: language resources
  evaluate                  sites, harvest: score crawls against labels
  settings                  the value of a setting: --get NAME

A setting: -s NAME=VALUE behind any command. Example: topical-crawler crawl partybuilding -a pages=1000
"""
ALIASES = {"new": ["topic", "new"], "extract": ["corpus", "extract"]}
SCRAPYS = ("crawl", "settings")
_SETTINGS, _OWN = "SCRAPY_SETTINGS_MODULE", "topical_crawler.settings"


class _SettingsError(Exception):
    pass


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code, or exit with it: 0 on success, 1 on failure, 2 on a usage error.

    ``arguments`` default to those of the process.
    """
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in ("-h", "--help", "help"):
        print(HELP.format(version=__version__), end="")
        return 0
    if name == "--version":
        print(__version__)
        return 0
    from topical_crawler.cli.actions import COMMANDS

    if name not in (known := {*COMMANDS, *SCRAPYS, *ALIASES, "demo"}):
        from difflib import get_close_matches

        near = ["resources"] if name == "lexicon" else get_close_matches(name, sorted(known), 1)
        return _refuse(f"there is no command {name!r}. Use {f'topical-crawler {near[0]}, or ' if near else ''}--help")
    if name == "demo":
        from topical_crawler.cli.demo import main as demo

        return demo(rest)
    if name == "crawl" and rest and not rest[0].startswith("-"):
        rest = ["topical", "-a", f"topic={rest[0]}", *rest[1:]]
    elif name == "crawl" and not {"-h", "--help"} & set(rest):
        return _refuse("crawl: name a topic: topical-crawler crawl TOPIC. See topic list for topics, or create one with new")
    name, *rest = [*ALIASES.get(name, [name]), *rest]
    try:
        module = _settings()
        return COMMANDS[name].main(rest, module) if name in COMMANDS else _scrapy([name, *rest])
    except _SettingsError as error:
        return _refuse(str(error))
    except KeyboardInterrupt:  # while importing modules
        print("topical-crawler: stopped", file=sys.stderr)
        return 130


def _refuse(message: str) -> int:
    from topical_crawler.services.catalogue import to_terminal

    print(f"topical-crawler: {to_terminal(message)}", file=sys.stderr)
    return 2


def _settings_module() -> str:
    """Return the settings module of the user's project, by Scrapy's rules.

    It is taken from the environment, from the nearest scrapy.cfg, with its folder added to the import path, or from a global
    one. The default is this project's.
    """
    here = Path.cwd()
    nearest = next((file for folder in (here, *here.parents) if (file := folder / "scrapy.cfg").exists()), None)
    if nearest is not None and str(nearest.parent) not in sys.path:
        sys.path.append(str(nearest.parent))
    if given := os.environ.get(_SETTINGS):
        return given
    home = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser()
    places = [Path("/etc/scrapy.cfg"), Path("c:/scrapy/scrapy.cfg"), home / "scrapy.cfg", Path("~/.scrapy.cfg").expanduser()]
    config = ConfigParser()
    config.read([*places, *([nearest] if nearest else [])])
    return config.get("settings", os.environ.get("SCRAPY_PROJECT", "default"), fallback=_OWN)


def _settings() -> ModuleType:
    """Import the settings of the user's project, and set the environment variable for Scrapy.

    Raises:
        _SettingsError: the settings cannot be read, or do not begin with this project's.
    """
    try:
        name = os.environ.setdefault(_SETTINGS, _settings_module())
    except ConfigError as error:
        raise _SettingsError(f"{' '.join(str(error).split())}. Correct that file, or work in another folder") from None
    try:
        module = import_module(name)
    except (ImportError, SyntaxError) as error:
        raise _SettingsError(
            f"the settings of this folder's project cannot be read, {name}: {error}. Correct them, or "
            f"their name in scrapy.cfg, SCRAPY_PROJECT or {_SETTINGS}"
        ) from None
    if any("TopicalAddon" in str(addon) for addon in getattr(module, "ADDONS", ())):
        for name, value in import_module(_OWN).own_settings().items():
            vars(module).setdefault(name, value)
    if not hasattr(module, "TOPICAL_DATA_DIR"):
        raise _SettingsError(
            f"the settings of this folder's project, {name}, do not support these commands. Begin them "
            "with 'from topical_crawler.settings import *', name the add-on there (docs/for-scrapy-developers.md), or work in "
            "another folder"
        )
    return module


def _scrapy(words: list[str]) -> int:
    from scrapy.cmdline import execute

    sys.argv = ["topical-crawler", *words]  # Scrapy's commands show the first word in their usage
    execute()
    raise AssertionError("Scrapy's commands end by SystemExit")


if __name__ == "__main__":
    sys.exit(main())
