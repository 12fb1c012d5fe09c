"""HTTP server of the workbench, with a page and an API path for every operation."""

from __future__ import annotations

import json
import os
import secrets
import socket
import sys
import webbrowser
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import uvicorn
from filelock import Timeout
from jinja2 import Environment, PackageLoader
from scrapy.settings import BaseSettings
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from topical_crawler.config import segmenter, uses_redis
from topical_crawler.corpus.record import CorpusError
from topical_crawler.crawl.crawl_folder import CrawlFolder
from topical_crawler.crawl.options import CrawlError
from topical_crawler.frontier.base import FrontierServerError
from topical_crawler.frontier.sqlite import FrontierFileError
from topical_crawler.recordings.reader import RecordingError
from topical_crawler.services import MistakeError
from topical_crawler.services.asking import Questions
from topical_crawler.services.catalogue import LANGUAGES, Voice
from topical_crawler.text.segment import Segmenter
from topical_crawler.workbench import corpus, crawl, export, judge, language, topic
from topical_crawler.workbench.bench import Bench
from topical_crawler.workbench.openapi import document
from topical_crawler.workbench.operations import Operation
from topical_crawler.workbench.security import SANDBOX, Guard

HOST = "127.0.0.1"
ADDRESS = ".workbench.json"
"""Name of the file in the data folder with the port and the token."""
OPERATIONS: Mapping[str, Operation] = {
    operation.name: operation for module in (crawl, corpus, judge, topic, export, language) for operation in module.OPERATIONS
}
ERRORS = (CorpusError, CrawlError, FrontierFileError, FrontierServerError, RecordingError, ValueError, OSError, Timeout)
"""Errors of a crawl or a request with messages for people."""


def address(port: int, token: str, path: str = "/") -> str:
    """Return the URL for a person to open."""
    return f"http://{HOST}:{port}{path}?token={token}"


def make_app(bench: Bench, port: int, token: str = "") -> Starlette:
    """Create the application.

    Args:
        bench: its state, closed at the end of the server.
        port: its port.
        token: the access token. "": a new one.
    """
    token = token or secrets.token_urlsafe(24)
    pages = _Pages(bench)
    names = frozenset(f"{name}:{port}" for name in (HOST, "localhost"))

    routes: list[Route | Mount] = [
        Route("/", partial(pages.page, operation=OPERATIONS["crawls"])),
        Route("/language", pages.language),
        Route("/api", pages.openapi),
        Route("/crawls/{crawl}/texts/{page}/source", pages.source),
        Route("/crawls/{crawl}/export/file", pages.download),
        Mount("/static", StaticFiles(directory=str(files("topical_crawler.workbench").joinpath("static")))),
    ]
    for operation in OPERATIONS.values():
        methods = ["POST"] if operation.acts else ["GET"]
        routes.append(Route(f"/api{operation.path}", partial(pages.api, operation=operation), methods=methods))
        if operation.page:
            routes.append(Route(operation.path, partial(pages.page, operation=operation), methods=methods))
    guard = Middleware(Guard, token=token, names=names, cookie=f"workbench-{port}")
    app = Starlette(routes=routes, middleware=[guard], exception_handlers=dict.fromkeys((404, *ERRORS), pages.problem))
    app.state.token = token
    return app


def language_of(request: Request) -> str:
    """Return the chosen language, else the browser's preferred one.

    >>> language_of(Request({"type": "http", "headers": [(b"accept-language", b"fr, zh-CN;q=0.8, en;q=0.5")]}))
    'zh'
    """
    if (chosen := request.cookies.get("language")) in LANGUAGES:
        return str(chosen)
    wanted = []
    for place, part in enumerate(request.headers.get("accept-language", "").split(",")):
        name, _, quality = part.strip().partition(";q=")
        weight = float(quality) if quality.replace(".", "", 1).isdecimal() else 1.0
        wanted.append((-weight, place, name.lower()[:2]))
    return next((name for _, _, name in sorted(wanted) if name in LANGUAGES), "en")


def query_of(query: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return the search conditions of a query, without its display options."""
    names = {"q", *(param.name for param in corpus.FILTERS)}
    return {name: values for name, values in query.items() if name in names}


class _Pages:
    """Request handlers."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._templates = Environment(
            loader=PackageLoader("topical_crawler.workbench"), autoescape=True, trim_blocks=True,
            lstrip_blocks=True,
        )  # fmt: skip
        self._templates.globals |= {"urlencode": partial(urlencode, doseq=True), "query_of": query_of}

    # -- Operations

    async def api(self, request: Request, operation: Operation) -> Response:
        if operation.acts and not request.scope.get("by_token"):
            raise MistakeError("acting takes the token in a header: Authorization: Bearer …", 403)
        return JSONResponse(await self._perform(request, operation))

    async def page(self, request: Request, operation: Operation) -> Response:
        data = await self._perform(request, operation)
        if _wants_data(request):
            return JSONResponse(data)
        if go := data.get("go"):
            if request.headers.get("hx-request"):
                return Response(status_code=204, headers={"HX-Redirect": go})
            return RedirectResponse(go, 303)
        return self._render(request, operation.name, data)

    async def problem(self, request: Request, error: Exception) -> Response:
        """Return an error as a page or as data."""
        if not isinstance(error, HTTPException):
            message, status = str(error), getattr(error, "status", 409 if isinstance(error, CrawlError) else 400)
        elif request.url.path.startswith("/api"):
            message, status = "there is no such path; /api describes the existing ones", 404
        else:
            message, status = "there is no such page", 404
        if _wants_data(request):
            return JSONResponse({"error": message}, status)
        return self._render(request, "problem", {"problem": message, "field": getattr(error, "field", "")}, status)

    async def _perform(self, request: Request, operation: Operation) -> dict[str, Any]:
        request.scope["operation"] = operation.name
        given: dict[str, list[Any]] = {name: [value] for name, value in request.path_params.items()}
        sources = [request.query_params]
        if operation.acts:
            if request.headers.get("content-type", "").startswith("application/json"):
                fields = await _json_object(request)
                given |= {name: [value] for name, value in fields.items()}
            else:
                sources.append(await request.form())  # type: ignore[arg-type]
        for source in sources:
            for name in source:
                given[name] = source.getlist(name)
        if "language" not in given and any(param.name == "language" for param in operation.params):
            given["language"] = [language_of(request)]
        return await run_in_threadpool(operation.run, self._bench, operation.read(given))

    def _render(self, request: Request, template: str, data: Mapping[str, Any], status: int = 200) -> Response:
        language = language_of(request)
        query = {name: request.query_params.getlist(name) for name in request.query_params}
        crawl_name = request.path_params.get("crawl", "").removesuffix(judge.SAMPLE)
        if crawl_name not in self._bench.crawls():  # a sample
            crawl_name = ""
        content = self._templates.get_template(f"{template}.html").render(
            data=data, t=Voice(language), language=language, operation=request.scope.get("operation", ""),
            crawl=crawl_name, path=request.url.path, query=query, params=request.path_params,
            fragment=bool(request.headers.get("hx-request")),
            here=f"{request.url.path}{'?' if request.url.query else ''}{request.url.query}",
        )  # fmt: skip
        return HTMLResponse(content, status)

    # -- Beyond operations

    async def openapi(self, request: Request) -> Response:
        return JSONResponse(document(OPERATIONS.values()))

    async def language(self, request: Request) -> Response:
        """Switch the language and go back."""
        back = request.query_params.get("back", "/")
        parts = urlsplit(back)
        answer = RedirectResponse("/" if parts.scheme or parts.netloc or not back.startswith("/") else back, 303)
        if (chosen := request.query_params.get("to", "")) in LANGUAGES:
            answer.set_cookie("language", chosen, max_age=31_536_000, samesite="strict")
        return answer

    async def source(self, request: Request) -> Response:
        """Return a page as fetched, for a frame without scripts."""
        data = await self._perform(request, OPERATIONS["source"])
        return HTMLResponse(data["html"], headers={"Content-Security-Policy": SANDBOX})

    async def download(self, request: Request) -> Response:
        """Return an export as a file."""
        data = await self._perform(request, export.DOWNLOAD)
        return FileResponse(data["file"], filename=data["name"], background=export.forgetting(data["file"]))


def _wants_data(request: Request) -> bool:
    """Return True for a request by a program or a page's script."""
    return request.url.path.startswith("/api") or request.headers.get("accept") == "application/json"


async def _json_object(request: Request) -> dict[str, Any]:
    try:
        fields = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise MistakeError("the body is not a JSON object")
    return fields


# -- Until Ctrl-C


def run(
    settings: BaseSettings,
    names: Sequence[str],
    given: Sequence[str],
    port: int = 0,
    bind: str = HOST,
    *,
    browser: bool = True,
    sample: Path | None = None,
    judge: bool = False,
) -> None:
    """Serve the workbench for the named crawls until Ctrl-C.

    Args:
        settings: the project's.
        names: crawls. None given: all below ``data``.
        given: settings of the command line, NAME=VALUE.
        port: port to listen on. 0: the last one, or any free one.
        bind: address to listen on. In any case the page answers only to browsers connecting to :data:`HOST`.
        browser: open the page.
        sample: further texts to judge.
        judge: open the page for judging the sample, or the first crawl.

    Raises:
        OSError: the address is not available.
    """
    bench = _bench(settings, names, given)
    kept_port, token = _kept(bench.data / ADDRESS)
    if sample:
        bench.open[sample.name] = Questions(sample, settings)
    shown = f"/crawls/{quote(sample.name if sample else next(iter(bench.crawls())))}/asked" if judge else "/"
    # Close even if Ctrl-C comes during the start of its first thread, since Python waits for that thread at exit.
    with closing(bench), socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            if not (port == 0 and kept_port and _is_bound(listener, bind, kept_port)):
                listener.bind((bind, port))
        except OSError as error:
            remedy = "Give another --port, or none, or an address of this machine"
            raise OSError(f"{bind}, port {port}: {error.strerror}. {remedy}") from None
        listener.listen(128)
        port = listener.getsockname()[1]
        app = make_app(bench, port, token)
        _keep(bench.data / ADDRESS, port, app.state.token)
        url = address(port, app.state.token, shown)
        config = uvicorn.Config(app, log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        try:
            # Load the first segmenter early: it blocks all pages for a third of a second.
            bench.jobs.result("dictionary", lambda note: Segmenter(backend=segmenter(settings)))
            print(f"{url}\nCtrl-C ends it. Crawls started here continue.", file=sys.stderr, flush=True)
            if browser:
                webbrowser.open(url)  # may block until the browser ends
            server.run(sockets=[listener])
        except KeyboardInterrupt:
            print(file=sys.stderr)
    for message in bench.learned:
        print(message, file=sys.stderr)


def _kept(file: Path) -> tuple[int, str]:
    """Return port and token of the last workbench here, to keep open pages usable after a restart, or (0, "")."""
    try:
        kept = json.loads(file.read_bytes())
        return int(kept["port"]), str(kept["token"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0, ""


def _keep(file: Path, port: int, token: str) -> None:
    """Save port and token to a file readable by the owner alone."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as out:
            json.dump({"port": port, "token": token}, out)


def _is_bound(listener: socket.socket, bind: str, port: int) -> bool:
    with suppress(OSError):
        listener.bind((bind, port))
        return True
    return False


def run_for_agents(settings: BaseSettings, names: Sequence[str], given: Sequence[str], *, act: bool = False) -> None:
    """Serve an agent over standard input and output until the input ends. Arguments as for :func:`run`.

    Args:
        act: also offer operations with side effects.
    """
    from topical_crawler.workbench.agents import serve  # needs the package mcp, an extra of its own

    offered = [operation for operation in OPERATIONS.values() if act or not operation.acts]
    serve(_bench(settings, names, given), offered, ERRORS)


def _bench(settings: BaseSettings, names: Sequence[str], given: Sequence[str]) -> Bench:
    bench = Bench(settings, names, [part for setting in given for part in ("-s", setting)])
    for name, place in zip(names, bench.crawls().values(), strict=False):  # raises for other faults of a name
        if not (place.corpus or place.folder.path.is_dir() or uses_redis(settings)):
            there = ", ".join(folder.path.name for folder in CrawlFolder.all_in(Path("data"))) or "none yet"
            raise CrawlError(f"there is no crawl {name!r}. Name one of {there}, or none for all of them")
    return bench
