"""What the project's commands have in common: actions (``scrapy corpus stats``), Scrapy's options before or after them, errors in
one line.
"""

from __future__ import annotations

import argparse
import importlib
import math
import os
import re
import sys
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar, Protocol, cast

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from topical_crawler.sources import Condition

# -- Types of arguments that several actions have, with their messages


def condition(text: str) -> Condition:
    """``FIELD=VALUE``."""
    try:
        return Condition.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """Whole numbers from ``least``, 0 or more, to ``most``; None: without an end."""
    expected = f"of {least} or more" if most is None else f"from {least} to {most:,}"

    def number(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,18}", text) or int(text) < least or (most is not None and int(text) > most):
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number {expected}")
        return int(text)

    return number


def amount(text: str) -> float:
    """A number of 0 or more."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 <= found < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of 0 or more")
    return found


# -- The bar that the long actions on a corpus show on standard error


def corpus_progress() -> Progress:
    """What is done, how many of how many pages, since when and how long yet; gone at the end."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


# -- What the project's commands have in common: actions (``scrapy corpus stats``), Scrapy's options before or after them,
# errors in one line


AddAction = Callable[..., argparse.ArgumentParser]


class Action(Protocol):
    """A module of :mod:`topical_crawler.cli.base`: one action of a command."""

    HELP: str
    """One line, for the list of actions."""
    DESCRIPTION: str
    """What the action does, for its ``--help``."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the action's arguments."""

    def run(self, opts: argparse.Namespace, settings: BaseSettings) -> int:
        """Do it; the exit code."""


class ActionsCommand(ScrapyCommand):
    """A command made of actions; the method ``_<action>(opts)`` runs a small one, a module of its own each of the others.

    Attributes:
        name: the command's.
        modules: names of the actions that are modules of their own, ``topical_crawler.cli.base.<command>_<action>``. Scrapy
            imports every command at every start, also at that of a crawl; these modules are imported when theirs is called.
        errors: exceptions that a person can do something about: their message is printed, and the exit code is 1.
    """

    requires_project: bool = False
    requires_crawler_process: bool = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    name: ClassVar[str]
    modules: ClassVar[Sequence[str]] = ()
    actions: list[str]
    errors: ClassVar[tuple[type[Exception], ...]] = (ValueError, OSError, ImportError)

    @cached_property
    def loaded(self) -> dict[str, Action]:
        """The modules by the name of the action."""
        names = {action: self.package(action) for action in self.modules}
        return {action: cast(Action, importlib.import_module(name)) for action, name in names.items()}

    def package(self, action: str) -> str:
        """Where the module of an action lies."""
        return f"topical_crawler.cli.{self.name}.{action}"

    @abstractmethod
    def add_actions(self, add: AddAction) -> None:
        """Declare the actions: ``add(name, help=…)`` gives an argument parser."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        actions = parser.add_subparsers(
            dest="action", metavar="ACTION", prog=f"scrapy {self.name}", title="Actions", parser_class=argparse.ArgumentParser
        )
        self.add_actions(actions.add_parser)
        for name, module in self.loaded.items():
            module.add_arguments(actions.add_parser(name, help=module.HELP, description=module.DESCRIPTION))
        self.actions = list(actions.choices)
        for action in actions.choices.values():
            action.add_argument(
                "-s", "--set", dest="set_after", action="append", default=[], metavar="NAME=VALUE", help="override a setting"
            )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        opts.set = opts.set + getattr(opts, "set_after", [])  # -s may stand before or after the action
        super().process_options(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if not opts.action:
            *but_one, last = self.actions
            raise UsageError(f"say what to do: {', '.join(but_one)} or {last}", print_help=True)
        if args:
            raise UsageError(f"not understood: {' '.join(args)}. See scrapy {self.name} {opts.action} -h", print_help=False)
        try:
            if opts.action in self.modules:
                assert self.settings is not None
                self.exitcode = self.loaded[opts.action].run(opts, self.settings)
            else:
                getattr(self, f"_{opts.action}")(opts)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader (head, less) has enough. The rest goes nowhere, and Python does not complain when it flushes at the end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except KeyboardInterrupt:
            print(f"scrapy {self.name} {opts.action}: stopped", file=sys.stderr)
            self.exitcode = 130
        except self.errors as error:
            print(f"scrapy {self.name} {opts.action}: {error}", file=sys.stderr)
            self.exitcode = 1
