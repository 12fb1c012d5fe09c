"""A command made of actions as Scrapy takes it: ``scrapy corpus export``, and options before the action.

Scrapy imports every command at every start, even of a crawl: this module and those in ``commands/`` import next to nothing.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError as ScrapyUsageError

from topical_crawler.cli.base import ActionParser, Command, UsageError, program


class ActionsCommand(ScrapyCommand):
    """The ``command``, with what its help says."""

    requires_project: bool = False
    requires_crawler_process: bool = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    command: ClassVar[Command]
    summary: ClassVar[str]
    description: ClassVar[str]

    def syntax(self) -> str:
        return self.command.syntax

    def short_desc(self) -> str:
        return self.summary

    def long_desc(self) -> str:
        return self.description

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        name = f"{program()} {self.command.name}"
        parser.prog, parser.usage = program(), f"{name} {self.command.syntax}"
        actions = parser.add_subparsers(dest="action", metavar="ACTION", prog=name, title="Actions", parser_class=ActionParser)
        for action, (_, help) in self.command.actions.items():
            actions.add_parser(action, help=help, load=partial(self.command.load, action))

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        opts.set = opts.set + getattr(opts, "set_after", [])  # -s may stand before or after the action
        super().process_options(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if not opts.action:
            *but_one, last = self.command.actions
            raise ScrapyUsageError(f"say what to do: {', '.join(but_one)} or {last}", print_help=True)
        assert self.settings is not None
        try:
            self.exitcode = self.command.run(args, opts, self.settings)
        except UsageError as error:
            raise ScrapyUsageError(str(error), print_help=error.print_help) from None
