"""``topical-crawler workbench``: a local web page for everything done by the other commands."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from topical_crawler.project import AnySettings, scrapys
from topical_crawler.services import MistakeError

DESCRIPTION = (
    "Open a page in the browser of this machine to make topics, to start and watch crawls, and to search, read, judge and "
    "export corpora. CRAWL names topics or folders (none: all below data/), or with "
    "-s TOPICAL_FRONTIER=redis the crawls there. Settings given here also apply to crawls started there."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("crawls", nargs="*", metavar="CRAWL", help="topics or folders")
    add_page(parser)
    parser.add_argument("--mcp", action="store_true", help="no page: tools for an agent, on standard input and output (MCP)")
    parser.add_argument("--act", action="store_true", help="with --mcp: also tools that change something")


def add_page(parser: argparse.ArgumentParser) -> None:
    """Declare options for the page's address and for opening it."""
    parser.set_defaults(mcp=False)
    parser.add_argument("--port", type=int, default=0, metavar="N", help="port of the page (default: any free one)")
    bind = "address to listen on (default: 127.0.0.1); another one only in a container with its port open to this machine alone"
    parser.add_argument("--bind", default="127.0.0.1", metavar="ADDRESS", help=bind)
    parser.add_argument("--no-browser", action="store_true", help="do not open the page, only print its address")


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    if opts.act and not opts.mcp:
        raise MistakeError("--act goes with --mcp: the page acts anyway")
    return serve(opts, opts.crawls, settings)


def serve(opts: argparse.Namespace, crawls: Sequence[str], settings: AnySettings, **more: Any) -> int:
    """Serve the workbench until Ctrl-C. Raise MistakeError if a required package is missing."""
    if not 0 <= opts.port < 1 << 16:
        raise MistakeError(f"--port {opts.port}: ports go from 0 to 65,535")
    try:
        from topical_crawler.workbench import server

        if opts.mcp:
            server.run_for_agents(scrapys(settings), crawls, opts.set, act=opts.act)
        else:
            server.run(scrapys(settings), crawls, opts.set, opts.port, opts.bind, browser=not opts.no_browser, **more)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "jinja2", "python_multipart", "mcp"):
            raise
        extra = "mcp,workbench" if opts.mcp else "workbench"
        raise MistakeError(f"{error.name} is not installed. Run pip install 'topical-crawler[{extra}]'") from None
    return 0
