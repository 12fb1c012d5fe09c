"""``topical-crawler workbench``: a page of the browser on this machine for everything that the other commands do."""

import argparse

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError


class Command(ScrapyCommand):
    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 - Scrapy's

    def syntax(self) -> str:
        return "[CRAWL …] [options]"

    def short_desc(self) -> str:
        return "Open the workbench in the browser: topics, crawls, corpora, judging, export"

    def long_desc(self) -> str:
        return (
            "Open a page in the browser of this machine, by which topics are made, crawls are started and watched, corpora are "
            "searched, read, judged and exported. CRAWL names topics or folders (none: all below data/), or with "
            "-s TOPICAL_FRONTIER=redis the crawls there. Settings given here hold for crawls that are started there, too."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        from topical_crawler.cli.base import program, whole

        super().add_options(parser)
        parser.usage = f"{program()} workbench {self.syntax()}"
        port = "of the page (default: any that is free)"
        parser.add_argument("--port", type=whole(0, 65535), default=0, metavar="N", help=port)
        bind = "address to listen on (default: 127.0.0.1); another one only in a container whose port this machine alone reaches"
        parser.add_argument("--bind", default="127.0.0.1", metavar="ADDRESS", help=bind)
        parser.add_argument("--no-browser", action="store_true", help="do not open the page, only print its address")
        parser.add_argument("--mcp", action="store_true", help="no page: tools for an agent, on standard input and output (MCP)")
        parser.add_argument("--act", action="store_true", help="with --mcp: also tools that change something")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.act and not opts.mcp:
            raise UsageError("--act goes with --mcp: the page acts anyway", print_help=False)
        assert self.settings is not None
        try:
            from topical_crawler.workbench import server

            if opts.mcp:
                server.run_for_agents(self.settings, args, opts.set, act=opts.act)
            else:
                server.run(self.settings, args, opts.set, opts.port, opts.bind, browser=not opts.no_browser)
        except OSError as error:
            raise UsageError(str(error), print_help=False) from None
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "jinja2", "python_multipart", "mcp"):
                raise
            extra = "mcp,workbench" if opts.mcp else "workbench"
            raise UsageError(
                f"{error.name} is not installed. Remedy: pip install 'topical-crawler[{extra}]'", print_help=False
            ) from None
