"""Runs the server of the workbench until Ctrl-C."""

from __future__ import annotations

import socket
import sys
import webbrowser
from collections.abc import Sequence

import uvicorn
from scrapy.settings import BaseSettings

from topical_crawler.workbench.bench import Bench
from topical_crawler.workbench.server import ERRORS, HOST, OPERATIONS, address, make_app


def run(settings: BaseSettings, names: Sequence[str], given: Sequence[str], port: int = 0, *, browser: bool = True) -> int:
    """Serve the workbench for the crawls of these names; the exit code.

    Args:
        settings: the project's.
        names: crawls; none: all below ``data``.
        given: settings of the command line, NAME=VALUE.
        port: 0: any that is free.
        browser: open the page.
    """
    bench = _bench(settings, names, given)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
        except OSError as error:
            print(f"scrapy workbench: port {port}: {error.strerror}. Remedy: another --port, or none", file=sys.stderr)
            return 1
        listener.listen(128)
        port = listener.getsockname()[1]
        app = make_app(bench, port)
        url = address(port, app.state.token)
        print(f"{url}\nCtrl-C ends it. Crawls that were started here go on.", file=sys.stderr, flush=True)
        if browser:
            webbrowser.open(url)
        config = uvicorn.Config(app, log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        try:
            server.run(sockets=[listener])
        except KeyboardInterrupt:
            print(file=sys.stderr)
    return 0


def run_for_agents(settings: BaseSettings, names: Sequence[str], given: Sequence[str], *, act: bool = False) -> None:
    """Serve an agent over standard input and output until the input ends; arguments as of :func:`run`.

    Args:
        act: also offer what changes something.
    """
    from topical_crawler.workbench.agents import serve  # the package mcp, which is an extra of its own

    offered = [operation for operation in OPERATIONS.values() if act or not operation.acts]
    serve(_bench(settings, names, given), offered, ERRORS)


def _bench(settings: BaseSettings, names: Sequence[str], given: Sequence[str]) -> Bench:
    bench = Bench(settings, names, [part for setting in given for part in ("-s", setting)])
    bench.crawls()  # says what is wrong with a name
    return bench
