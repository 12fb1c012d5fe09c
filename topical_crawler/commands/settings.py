"""``topical-crawler settings``: Scrapy's, which shows no password."""

import argparse
import contextlib
import io

from scrapy.commands.settings import Command as SettingsCommand


class Command(SettingsCommand):
    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from topical_crawler.logs import masked

        with contextlib.redirect_stdout(io.StringIO()) as out:
            super().run(args, opts)
        print(masked(out.getvalue()), end="")
