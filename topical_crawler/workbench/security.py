"""Access control of the workbench: only clients with its address, on this machine and in its own pages.

The texts come from strangers, and any page open in the browser can send requests to this server. The address therefore has a
random token, turned into a cookie out of reach of scripts. The server answers only under its own host name (against DNS
rebinding). It acts only for its own pages, or for programs with the token in a header.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # without a referrer browsers send no origin with forms
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
"""Policy for a page as fetched: no scripts, no external content, a separate origin."""
MOST_BYTES = 1_000_000  # of a request's body


class Guard:
    """Middleware that admits clients with the ``token`` to ``app``.

    ``names`` are the host names, with port, to answer under. Every response gets :data:`HEADERS`, unless it sets others.
    """

    def __init__(self, app: ASGIApp, token: str, names: frozenset[str], cookie: str) -> None:
        self._app, self._token, self._names, self._cookie = app, token, names, cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = self._refused(Request(scope, receive)) if scope["type"] == "http" else None
        await (refused or self._app)(scope, receive, send_guarded)

    def _refused(self, request: Request) -> Response | None:
        if request.headers.get("host", "").lower() not in self._names:
            return PlainTextResponse("This server answers only under its own name.", 403)
        length = request.headers.get("content-length", "0")
        if not length.isdecimal() or "transfer-encoding" in request.headers:
            return PlainTextResponse("The length of the body is missing.", 411)
        if len(length) > 9 or int(length) > MOST_BYTES:
            return PlainTextResponse(f"A body has at most {MOST_BYTES:,} bytes.", 413)
        if request.method == "GET" and (given := request.query_params.get("token")) and self._is_token(given):
            others = request.url.remove_query_params("token")
            answer = RedirectResponse(f"{others.path}{'?' if others.query else ''}{others.query}", 303)
            answer.set_cookie(self._cookie, self._token, httponly=True, samesite="strict")
            return answer
        if request.headers.get("authorization", "").startswith("Bearer "):
            if self._is_token(request.headers["authorization"].removeprefix("Bearer ")):
                request.scope["by_token"] = True
                return None
        elif self._is_token(request.cookies.get(self._cookie, "")):
            if request.method in ("GET", "HEAD"):
                return None
            origin = request.headers.get("origin", "")
            if origin.removeprefix("http://") in self._names:
                return None
            return PlainTextResponse("Only the pages of this server may do that.", 403)
        return PlainTextResponse("Open the address printed by topical-crawler workbench.", 403)

    def _is_token(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self._token.encode())
