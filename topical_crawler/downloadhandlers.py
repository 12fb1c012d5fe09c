"""Download handler that answers http and https from WARC files (``TOPICAL_REPLAY``); nothing goes out."""

from __future__ import annotations

import logging
import time
from typing import Self
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest, NotConfigured
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes

from topical_crawler.config import cache_dir, replay_file
from topical_crawler.recordings.reader import Recording, RecordingError
from topical_crawler.recordings.reader import Response as Recorded

logger = logging.getLogger(__name__)

NOT_RECORDED = "not recorded"  # flag of an answer that the recording does not have


def as_answer(recorded: Recorded, request: Request) -> Response:
    """A recorded answer as the downloader would give it: not yet decompressed."""
    headers = Headers()
    for name, value in recorded.headers:
        headers.appendlist(name.encode("latin-1"), value.encode("latin-1"))
    body = b"" if request.method == "HEAD" else recorded.body
    kind = responsetypes.from_args(headers=headers, url=request.url, body=body)
    return kind(request.url, status=recorded.status, headers=headers, body=body)


class Unreachable(IgnoreRequest):
    """The recording has no answer for this URL. Not retried: it will not have one later."""


class ReplayHandler(BaseDownloadHandler):
    """Download handler that answers from the recording at ``TOPICAL_REPLAY``.

    Status, headers and redirects are as recorded. A URL that is not recorded raises :class:`Unreachable`; a robots.txt that is
    not recorded does not exist (404), so that it forbids nothing. ``DOWNLOAD_MAXSIZE`` holds as it does on the web. Where the
    file cannot be read, the crawl says so and stops before its first request.
    """

    lazy = False

    def __init__(self, crawler: Crawler, recording: Recording) -> None:
        super().__init__(crawler)
        self._recording = recording
        self._max_size = crawler.settings.getint("DOWNLOAD_MAXSIZE")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        path = replay_file(crawler.settings)
        try:
            if not path:
                raise RecordingError("the setting TOPICAL_REPLAY is empty; set the path of a WARC file or of a folder of them")
            return cls(crawler, Recording(path, cache_dir(crawler.settings)))
        except RecordingError as error:
            message = f"nothing to replay: {error}"

            async def stop() -> None:
                # Scrapy goes on without a handler that cannot be made, and every request would fail alone.
                logger.error(message)
                assert crawler.engine is not None
                await crawler.engine.stop_async()

            crawler.signals.connect(stop, signals.engine_started, weak=False)
            raise NotConfigured(message) from None

    async def download_request(self, request: Request) -> Response:
        started = time.monotonic()
        recorded = self._recording.get(request.url) if request.method in ("GET", "HEAD") else None
        request.meta["download_latency"] = time.monotonic() - started
        if recorded is None:
            if urlsplit(request.url).path == "/robots.txt":
                return Response(request.url, status=404, flags=[NOT_RECORDED])
            raise Unreachable(f"not in the recording: {request.method} {request.url}")
        limit = request.meta.get("download_maxsize", self._max_size)
        if limit and len(recorded.body) > limit:
            message = f"{request.url}: the response has {len(recorded.body)} bytes, more than DOWNLOAD_MAXSIZE ({limit})"
            logger.warning(message)
            raise DownloadCancelledError(message)
        return as_answer(recorded, request)

    async def close(self) -> None:
        self._recording.close()
