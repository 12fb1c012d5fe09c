"""Commands made of actions (``topical-crawler corpus export``), with each action imported on demand."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from topical_crawler.project import AnySettings, ProjectSettings
from topical_crawler.services import MistakeError
from topical_crawler.services.catalogue import to_terminal
from topical_crawler.settings import check_values

if TYPE_CHECKING:
    from topical_crawler.sources import Condition


PROGRAM = "topical-crawler"


class Action(NamedTuple):
    """One action of a command."""

    description: str  # for its `--help`
    add_arguments: Callable[[argparse.ArgumentParser], None]  # declares its arguments
    run: Callable[[argparse.Namespace, AnySettings], int]  # runs it, returns the exit code


class ActionParser(argparse.ArgumentParser):
    """Parser of an action, imported by ``load`` and filled with arguments on the first parse."""

    def __init__(self, *, load: Callable[[], Action], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._load: Callable[[], Action] | None = load
        self.minus = ""  # name of a list argument also taking "-word" if that is no option

    def fill(self) -> None:
        """Declare the arguments."""
        if self._load is None:
            return
        action = self._load()
        self._load = None
        self.description = action.description
        action.add_arguments(self)
        self.add_argument("-s", "--set", action="append", default=[], metavar="NAME=VALUE", help="override a setting")

    def error(self, message: str) -> NoReturn:
        """Exit like argparse, in Chinese in a Chinese terminal."""
        super().error(to_terminal(message))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse like argparse, after declaring the arguments."""
        self.fill()
        namespace, unknown = super().parse_known_args(args, namespace)
        if self.minus:
            getattr(namespace, self.minus).extend(word for word in unknown if word[:2] != "--")
            unknown = [word for word in unknown if word[:2] == "--"]
        return namespace, unknown


class Command(NamedTuple):
    """Command made of ``actions``: by name, a module and one line of help.

    The module is relative to :mod:`topical_crawler.cli`, or absolute behind a slash. It has ``DESCRIPTION``, ``add_arguments``
    and ``run``, or ``ACTIONS``, several by name. A command with a single action has it under the name "".
    """

    name: str
    actions: Mapping[str, tuple[str, str]]
    description: str
    usage: str = ""  # after its name, default: the actions
    # Third-party exceptions printed as one line like the project's own, with exit code 1
    errors: tuple[type[Exception], ...] = (ValueError, OSError, ImportError)

    def title(self, action: str) -> str:
        """Return the words to type for an action."""
        return f"{PROGRAM} {self.name} {action}".rstrip()

    def load(self, name: str) -> Action:
        """Import an action."""
        place = self.actions[name][0]
        module = import_module(place[1:] if place.startswith("/") else f"topical_crawler.cli.{place}")
        if several := getattr(module, "ACTIONS", None):
            action: Action = several[name]
            return action
        return Action(module.DESCRIPTION, module.add_arguments, module.run)

    def run(self, args: list[str], opts: argparse.Namespace, settings: AnySettings) -> int:
        """Run the action named by ``opts``. Return the exit code.

        Args:
            args: words not understood by its parser.
            opts: parsed arguments.
            settings: the project's settings.

        Raises:
            MistakeError: a mistake on the command line.
        """
        if args:
            raise MistakeError(f"not understood: {' '.join(args)}. See {self.title(opts.action)} -h")
        try:
            check_values(settings)
        except ValueError as error:
            raise MistakeError(str(error)) from None
        try:
            code = self.load(opts.action).run(opts, settings)
            sys.stdout.flush()
            return code
        except BrokenPipeError:
            # The reader (head, less) has enough. Discard the rest, so that Python does not complain when flushing at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except KeyboardInterrupt:
            print(f"{self.title(opts.action)}: stopped", file=sys.stderr)
            return 130
        except MistakeError:
            raise
        except Exception as error:
            if type(error).__module__.partition(".")[0] != "topical_crawler" and not isinstance(error, self.errors):
                raise
            from topical_crawler.files import explained

            message = explained(error) if isinstance(error, OSError) else error
            print(f"{self.title(opts.action)}: {to_terminal(message)}", file=sys.stderr)
            return 1

    def parser(self) -> argparse.ArgumentParser:
        """Build the parser of the command."""
        title, usage = self.title(""), f"{self.title('')} {self.usage or '|'.join(self.actions) + ' …'}"
        if "" in self.actions:
            return ActionParser(load=partial(self.load, ""), prog=title, usage=usage)
        parser = argparse.ArgumentParser(prog=title, usage=usage, description=self.description)
        actions = parser.add_subparsers(dest="action", metavar="ACTION", prog=title, title="Actions", parser_class=ActionParser)
        for action, (_, help) in self.actions.items():
            actions.add_parser(action, help=help, load=partial(self.load, action))
        return parser

    def main(self, words: Sequence[str], module: ModuleType) -> int:
        """Run the action named by ``words``, with the settings of ``module``. Return the code, or exit with it."""
        parser = self.parser()
        opts, args = parser.parse_known_args(words, argparse.Namespace(action=""))
        if opts.action not in self.actions:
            *but_one, last = self.actions
            parser.error(to_terminal(f"say what to do: {', '.join(but_one)} or {last}"))
        try:
            try:
                settings = ProjectSettings(module, opts.set)
            except ValueError as error:
                raise MistakeError(str(error)) from None
            return self.run(args, opts, settings)
        except MistakeError as error:
            parser.error(to_terminal(error))


# -- Shared arguments, and argument types with their messages


def add_corpus(parser: argparse.ArgumentParser) -> None:
    """Declare the optional CORPUS."""
    parser.add_argument("corpus", nargs="?", help="topic, folder, file or database URL")


def add_json(parser: argparse.ArgumentParser, help: str = "print figures as JSON") -> None:
    """Declare ``--json``."""
    parser.add_argument("--json", action="store_true", help=help)


def add_number(
    parser: argparse._ActionsContainer, *names: str, type: Callable[[str], float], default: float, help: str, metavar: str = "N"
) -> None:
    """Declare a numeric option, with the default at the end of its help."""
    parser.add_argument(*names, type=type, default=default, metavar=metavar, help=f"{help} (default: {default:g})")


def urls_of(name: str) -> list[str]:
    """Return a URL as a list, or the URLs of a file with one a line."""
    from topical_crawler.topic.topic import read_seeds
    from topical_crawler.web.urls import is_url

    return [name] if is_url(name) else read_seeds(Path(name).expanduser())


def condition(text: str) -> Condition:
    """Parse ``FIELD=VALUE``."""
    from topical_crawler.sources import Condition

    try:
        return Condition.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def whole(low: int, high: int | None = None) -> Callable[[str], int]:
    """Return a parser of whole numbers from ``low`` ≥ 0 to ``high`` (None: unbounded)."""
    expected = f"of {low} or more" if high is None else f"from {low} to {high:,}"

    def number(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,18}", text) or int(text) < low or (high is not None and int(text) > high):
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number {expected}")
        return int(text)

    return number


def amount(text: str, most: float = sys.float_info.max) -> float:
    """Parse a number from 0 to ``most``."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= most:
        expected = "of 0 or more" if most == sys.float_info.max else f"from 0 to {most:g}"
        raise argparse.ArgumentTypeError(f"{text!r} is no number {expected}")
    return number
