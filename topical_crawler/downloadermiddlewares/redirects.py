"""Redirects by status, header, meta element or script."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.http import Response

from topical_crawler.web.dom import decode
from topical_crawler.web.page import address
from topical_crawler.web.shells import SHORT, onward

_REFRESH = re.compile(rb"http-equiv\s*=\s*[\"']?\s*refresh", re.IGNORECASE)  # other pages need no parsing
_ODD = re.compile(rb"[\x80-\xff]")


class OnwardMiddleware(RedirectMiddleware):
    """Scrapy's redirects, completed by the behaviour of browsers.

    A redirect without a target is a page if it has a body. Addresses may have backslashes and any bytes. Refreshes and script
    redirects (:func:`topical_crawler.web.shells.onward`) within ``METAREFRESH_MAXDELAY`` seconds are followed, unless they lead
    to the page itself.
    """

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self._longest = settings.getint("METAREFRESH_MAXDELAY") * settings.getbool("METAREFRESH_ENABLED")

    def process_response(self, request: Request, response: Response, spider: Any = None) -> Request | Response:
        if location := (response.headers.get(b"Location") or b"").strip():
            response.headers[b"Location"] = _ODD.sub(lambda byte: b"%%%02X" % ord(byte[0]), location.replace(b"\\", b"/"))
            with suppress(ValueError):  # an invalid address
                return super().process_response(request, response)
            return response
        if request.meta.get("dont_redirect") or request.method != "GET":
            return response
        if 300 < response.status < 400 and response.body.strip():
            response = response.replace(status=200)
        header = (response.headers.get(b"Refresh") or b"").decode("latin-1")
        if header or _REFRESH.search(response.body[:20_000]) or (len(response.body) < 4 * SHORT and b"location" in response.body):
            html = decode(response.body, (response.headers.get(b"Content-Type") or b"").decode("latin-1"))[0]
            with suppress(ValueError):
                delay, target = onward(html[:100_000], header)
                url = address(target, response.url)
                if url and delay < self._longest and url.partition("#")[0] not in (request.url, response.url):
                    redirected = self._redirect_request_using_get(request, response, url)
                    return self._redirect(redirected, request, "meta refresh")
        return response
