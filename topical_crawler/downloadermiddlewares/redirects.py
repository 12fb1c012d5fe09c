"""Follows the redirects that pages ask for by a meta tag."""

from __future__ import annotations

from typing import Any

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.http import Response

from topical_crawler.web.urls import fingerprint


class QuickMetaRefreshMiddleware(MetaRefreshMiddleware):
    """Scrapy's, but only pages whose first bytes mention a refresh are decoded, and a page that reloads itself is taken as is."""

    def process_response(self, request: Request, response: Response, spider: Any = None) -> Request | Response:
        if b"refresh" not in response.body[:4096].lower():
            return response
        result = super().process_response(request, response)
        if isinstance(result, Request) and fingerprint(result.url) == fingerprint(request.url):
            return response  # as home pages of portals do
        return result
