"""``topical-crawler settings``: Scrapy's command, with passwords masked."""

import argparse
import contextlib
import io

from scrapy.commands.settings import Command as SettingsCommand

from topical_crawler.commands import program


class Command(SettingsCommand):
    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.usage = f"{program()} settings {self.syntax()}"

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from topical_crawler.logs import masked

        with contextlib.redirect_stdout(io.StringIO()) as out:
            super().run(args, opts)
        print(masked(out.getvalue()), end="")
