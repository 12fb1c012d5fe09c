"""A local web page on which one user judges the texts of a sample.

The texts come from strangers, and any page open in the browser can send requests to this server. So its address contains a random
token, it answers only under its own host name (against DNS rebinding), accepts marks only from its own page, and that page shows
texts as text and loads nothing from elsewhere.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from topical_crawler.judging.sample import Item, SampleError, SampleFile

logger = logging.getLogger(__name__)

HOST = "127.0.0.1"
MOST_BYTES = 4096  # largest request body; a mark has fewer than 100 bytes

PAGE: Mapping[str, tuple[str, str]] = {
    "": ("page.html", "text/html; charset=utf-8"),
    "page.css": ("page.css", "text/css; charset=utf-8"),
    "page.js": ("page.js", "text/javascript; charset=utf-8"),
    "words.js": ("words.js", "text/javascript; charset=utf-8"),
}
_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def page_file(path: str) -> tuple[bytes, str]:
    """A file of the page, one of :data:`PAGE`, and its type."""
    name, kind = PAGE[path]
    return files("topical_crawler.judging").joinpath(name).read_bytes(), kind


def sample_facts(file: SampleFile, in_chinese: Callable[[str], str]) -> dict[str, Any]:
    """What the page shows, except the texts, which it requests one by one; ``in_chinese`` names a reason of rejection."""
    sample = file.now()
    names = ("title", "url", "host", "date", "relevance", "reason", "mark")
    return {
        "file": file.path.name,
        "topic": sample.header.topic,
        "terms": sample.header.terms,
        "items": [{n: getattr(item, n) for n in names} | {"reason_zh": in_chinese(item.reason)} for item in sample.items],
    }


class JudgingServer(ThreadingHTTPServer):
    """Serves one sample on 127.0.0.1; ``serve_forever`` runs it. Whoever knows its ``url`` can judge. ``in_chinese`` names a
    reason of rejection. ``marked`` is called after every mark, by any thread. Raises OSError where the ``port`` (0: any free one)
    is taken."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(
        self, file: SampleFile, in_chinese: Callable[[str], str], port: int = 0, marked: Callable[[], object] = lambda: None
    ) -> None:
        super().__init__((HOST, port), _Handler)
        self.file = file
        self.in_chinese = in_chinese
        self.marked = marked
        self.token = secrets.token_urlsafe(24)
        self.names = {f"{name}:{self.server_port}" for name in (HOST, "localhost")}
        self.url = f"http://{HOST}:{self.server_port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        logger.debug("a connection broke", exc_info=True)  # a browser that was closed; nothing for the terminal


class _Refused(Exception):
    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: JudgingServer
    server_version = "judging"
    sys_version = ""
    timeout = 30  # seconds that a silent connection keeps its thread

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def _answer(self, handle: Callable[[str], tuple[bytes, str]]) -> None:
        try:
            content, kind = handle(self._path())
        except _Refused as refused:
            self._send(refused.status, json.dumps({"error": str(refused)}).encode(), "application/json")
        except OSError as error:
            logger.error("%s: %s", self.server.file.path, error)
            message = json.dumps({"error": f"{self.server.file.path}: {error.strerror or error}"}, ensure_ascii=False)
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, message.encode(), "application/json")
        else:
            self._send(HTTPStatus.OK, content, kind)

    def _path(self) -> str:
        """The path requested, without the token."""
        if self.headers.get("Host", "").lower() not in self.server.names:
            raise _Refused(HTTPStatus.FORBIDDEN, "this server answers only under its own name")
        _, word, *rest = (*urlsplit(self.path).path.split("/", 2), "", "")[:3]
        if not secrets.compare_digest(word.encode(), self.server.token.encode()):
            raise _Refused(HTTPStatus.FORBIDDEN, "open the address that topical-crawler corpus judge has printed")
        return rest[0]

    def _get(self, path: str) -> tuple[bytes, str]:
        if path in PAGE:
            return page_file(path)
        if path == "sample":
            return _json(sample_facts(self.server.file, self.server.in_chinese))
        if match := re.fullmatch(r"texts/([0-9]{1,9})", path):
            return _json({"text": self._item(int(match[1])).text})
        raise _Refused(HTTPStatus.NOT_FOUND, "there is no such page")

    def _post(self, path: str) -> tuple[bytes, str]:
        fields = self._body()
        if path != "marks":
            raise _Refused(HTTPStatus.NOT_FOUND, "there is no such page")
        origin = self.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in self.server.names:
            raise _Refused(HTTPStatus.FORBIDDEN, "marks are taken from the page of this server only")
        place, mark = fields.get("place"), fields.get("mark")
        if fields.keys() != {"place", "mark"} or type(place) is not int or not isinstance(mark, str | None):
            raise _Refused(HTTPStatus.BAD_REQUEST, 'expected is {"place": 0, "mark": "relevant"}')
        self._item(place)
        try:
            self.server.file.mark(place, mark)
        except SampleError as error:
            raise _Refused(HTTPStatus.BAD_REQUEST, str(error)) from None
        self.server.marked()
        return _json({})

    def _body(self) -> dict[str, Any]:
        """The JSON object sent, read completely before any answer, because clients do not listen earlier."""
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch(r"[0-9]{1,18}", length):
            raise _Refused(HTTPStatus.LENGTH_REQUIRED, "the length of the body is missing")
        if int(length) > MOST_BYTES:
            self.rfile.read(min(int(length), 64 * MOST_BYTES))
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a body has at most {MOST_BYTES} bytes")
        body = self.rfile.read(int(length))
        # Other sites need a CORS preflight for this type, which is not answered.
        if self.headers.get_content_type() != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "the body is application/json")
        try:
            fields = json.loads(body)
        except (ValueError, RecursionError):
            fields = None
        if not isinstance(fields, dict):
            raise _Refused(HTTPStatus.BAD_REQUEST, "the body is no JSON object")
        return fields

    def _item(self, place: int) -> Item:
        if not 0 <= place < len(self.server.file):
            raise _Refused(HTTPStatus.NOT_FOUND, "there is no such text")
        return self.server.file.item(place)

    def _send(self, status: HTTPStatus, content: bytes, kind: str) -> None:
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(content))), *_HEADERS.items()):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        logger.debug(format, *args)


def _json(value: Any) -> tuple[bytes, str]:
    return json.dumps(value, ensure_ascii=False).encode(), "application/json; charset=utf-8"
