"""Download handlers: for the public web, with bounds on response headers, and for WARC files (``TOPICAL_REPLAY``)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit

from OpenSSL.SSL import Error as SSLError
from scrapy import Request
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
    _LenientHTTPClientParser,
)
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    NotConfigured,
)
from scrapy.http import Headers, Response
from scrapy.resolver import CachingThreadedResolver
from scrapy.responsetypes import responsetypes
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure
from twisted.web._newclient import STATUS, ParseError
from twisted.web.client import HTTPConnectionPool
from twisted.web.http import _ChunkedTransferDecoder
from twisted.web.http_headers import InvalidHeaderName

from topical_crawler.config import cache_dir, replay_data, replay_parts
from topical_crawler.failures import HEAD_TOO_LARGE, NOT_HTTP, TLS_FAILED, NameServerAway, Refused, Unreachable, retry_after
from topical_crawler.recordings.cdx import Capture, IndexFile, answer_of, best_capture, place_of, query, read_range
from topical_crawler.recordings.reader import Recording, RecordingError
from topical_crawler.recordings.reader import Response as Recorded
from topical_crawler.web.urls import PRIVATE, host, is_public, not_public

logger = logging.getLogger(__name__)

LONGEST_HEAD = 64 * 1024  # bytes of a response's status line and headers; browsers allow 256 KiB, servers send some 1 KiB
MOST_FIELDS = 200  # header lines of a response


class Resolver(CachingThreadedResolver):
    """Scrapy's resolver, extended to remember names without an answer from any name server. Twisted does not tell them from
    unknown names.
    """

    _NOBODY_ANSWERED = ("timeout error", *(f"[Errno {code}]" for code in (socket.EAI_AGAIN, socket.EAI_FAIL)))
    unanswered: ClassVar[set[str]] = set()

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:
        def noted(result: Any) -> Any:
            message = result.getErrorMessage() if isinstance(result, Failure) else ""
            (self.unanswered.add if any(text in message for text in self._NOBODY_ANSWERED) else self.unanswered.discard)(name)
            return result

        return super().getHostByName(name, timeout).addBoth(noted)


# Twisted bounds the length of a header line, but not the number of lines: an endless head would fill the memory. Scrapy has no
# hook there, so its classes are extended.


class _Chunks(_ChunkedTransferDecoder):
    """Chunked decoder tolerating blanks around a chunk size."""

    def _dataReceived_CHUNK_LENGTH(self) -> bool:
        size, end, rest = self._buffer.partition(b"\r\n")
        self._buffer = size.strip(b" \t") + end + rest if end else self._buffer
        return super()._dataReceived_CHUNK_LENGTH()


class _Parser(_LenientHTTPClientParser):
    """Parser with bounds on the head and a browser's tolerance.

    It accepts empty lines before the head, extra blanks in the status line and around names, invalid names, invalid or
    conflicting lengths, and unknown transfer codings. Its state is two class-level numbers, since Scrapy swaps the class of an
    existing parser.
    """

    _bytes = _lines = 0
    _transferDecoders = {b"chunked": _Chunks}  # noqa: RUF012 - as in its base

    def lineReceived(self, line: bytes) -> None:
        self._bytes += len(line)
        self._lines += 1
        if self._bytes > LONGEST_HEAD or self._lines > MOST_FIELDS:
            raise Refused(HEAD_TOO_LARGE)
        if self.state != STATUS or line.strip():
            super().lineReceived(line if self._partialHeader else line.lstrip(b" \t"))

    def statusReceived(self, status: bytes) -> None:
        super().statusReceived(b" ".join(status.split(None, 2)))  # type: ignore[no-untyped-call]

    def headerReceived(self, name: bytes, value: bytes) -> None:
        name = name.strip().lower()
        if name == b"content-length" and (not value.isdigit() or self.connHeaders.getRawHeaders(name, [value]) != [value]):
            self.connHeaders.removeHeader(name)  # the end of the connection ends the body
        elif name != b"transfer-encoding" or b"chunked" in value.lower():
            with contextlib.suppress(InvalidHeaderName):
                super().headerReceived(name, b"chunked" if name == b"transfer-encoding" else value)  # type: ignore[no-untyped-call]

    def lineLengthExceeded(self, line: bytes) -> None:
        raise Refused(HEAD_TOO_LARGE)


class _Protocol(_LenientHTTP11ClientProtocol):
    def __init__(self, quiescent: Callable[[Any], None]) -> None:
        super().__init__(quiescent)  # type: ignore[no-untyped-call]

    def request(self, request: Any) -> Any:
        answer = super().request(request)
        self._parser.__class__ = _Parser
        return answer

    def _giveUp(self, reason: Failure) -> None:
        """Abort the connection at once: a server that keeps sending never agrees to an orderly close."""
        super()._giveUp(reason)  # type: ignore[no-untyped-call]
        if self.transport is not None:
            self.transport.abortConnection()


class _Factory(_LenientHTTP11ClientFactory):
    def __init__(self, quiescent: Callable[[Any], None], metadata: str, check: Callable[[str], None]) -> None:
        super().__init__(quiescent, metadata)  # type: ignore[no-untyped-call]
        self._check = check

    def buildProtocol(self, addr: Any) -> _Protocol:
        self._check(addr.host)
        return _Protocol(self._quiescentCallback)


class _Pool(HTTPConnectionPool):
    """Connection pool that hangs up on a private address before sending anything.

    It checks the connected address itself, whatever a name server said before. Proxy connections have other keys and are
    exempt, since the user named the proxy.
    """

    permits: Callable[[str], bool]

    def _newConnection(self, key: Any, endpoint: Any) -> Any:
        def quiescent(protocol: Any) -> None:
            self._putConnection(key, protocol)  # type: ignore[no-untyped-call]

        scheme, name, *rest = key

        def check(address: str) -> None:
            direct = scheme in (b"http", b"https") and len(rest) == 2
            if direct and not is_public(ip_address(address.partition("%")[0])) and not self.permits(_name(scheme, name, rest[0])):
                raise Refused(PRIVATE)

        return endpoint.connect(_Factory(quiescent, repr(endpoint), check))


def _name(scheme: bytes, name: bytes, port: int) -> str:
    written = name.decode("ascii", "replace")
    return host(f"{scheme.decode()}://[{written}]:{port}/" if ":" in written else f"{scheme.decode()}://{written}:{port}/")


class PublicHandler(HTTP11DownloadHandler):
    """Scrapy's HTTP handler, restricted to the public web for a topical crawl.

    Private addresses and unusual ports are refused under any name or redirect, unless a seed or ``TOPICAL_ALLOW_PRIVATE`` names
    them. For every spider, heads of more than :data:`LONGEST_HEAD` bytes or :data:`MOST_FIELDS` lines are refused too.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        from twisted.internet import reactor

        pool = _Pool(reactor, persistent=True)  # type: ignore[no-untyped-call]
        pool.maxPersistentPerHost = self._pool.maxPersistentPerHost
        pool.permits = self._permits
        self._tries = crawler.settings.getint("RETRY_TIMES") * crawler.settings.getbool("RETRY_ENABLED")
        self._pool = pool

    def _permits(self, name: str) -> bool:
        crawl = getattr(self._crawler.spider, "crawl", None)
        return crawl is None or crawl.policy.permits(name)

    async def _resolve(self, name: str) -> None:
        """Refuse a name with a private address before any connection. The connection then takes the address cached here."""
        from twisted.internet import reactor

        with contextlib.suppress(ValueError):  # neither IPv4 nor IPv6: checked once connected
            try:
                address = await maybe_deferred_to_future(reactor.resolve(name))  # type: ignore[arg-type]
            except Exception:  # the connection will report any error of the name
                return
            if not is_public(ip_address(address.partition("%")[0])):
                raise Refused(PRIVATE)

    async def download_request(self, request: Request) -> Response:
        name = host(request.url)
        if not request.meta.get("proxy") and not self._permits(name):
            if reason := not_public(name):
                raise Refused(reason)
            await self._resolve(urlsplit(request.url).hostname or "")
        try:
            response = await super().download_request(request)
        except CannotResolveHostError as error:
            if urlsplit(request.url).hostname in Resolver.unanswered:
                raise NameServerAway(f"no name server answers: {error}") from None
            raise
        except DownloadFailedError as error:
            for failure in getattr(error.__cause__, "reasons", ()):
                if isinstance(failure.value, Refused):
                    raise failure.value from None
                if isinstance(failure.value, SSLError | ParseError):
                    logger.info("%s: %s", request.url, failure.getErrorMessage())
                    raise Refused(TLS_FAILED if isinstance(failure.value, SSLError) else NOT_HTTP) from None
            raise
        if "dataloss" in response.flags and b"</html" not in response.body[-1000:].lower():
            tried = request.meta.get("dont_retry") or request.meta.get("retry_times", 0) >= self._tries
            if not (tried and response.body):
                raise DownloadFailedError(f"{request.url} breaks off")
        return response


_WAITS = (2.0, 8.0, 30.0, 60.0)  # seconds before each retry of a busy archive server, unless it sends Retry-After
_AWAY = (DownloadFailedError, DownloadTimeoutError, DownloadConnectionRefusedError, CannotResolveHostError)
_BUSY = frozenset((429, 500, 502, 503, 504))
NOT_RECORDED = "not recorded"  # flag of a response missing in the recording


def as_answer(recorded: Recorded, request: Request) -> Response:
    """Return a recorded response as from the downloader: not yet decompressed."""
    headers = Headers()
    for name, value in recorded.headers:
        headers.appendlist(name.encode("latin-1"), value.encode("latin-1"))
    body = b"" if request.method == "HEAD" else recorded.body
    kind = responsetypes.from_args(headers=headers, url=request.url, body=body)
    return kind(request.url, status=recorded.status, headers=headers, body=body)


class ReplayHandler(BaseDownloadHandler):
    """Download handler for replaying the recordings and archives of ``TOPICAL_REPLAY``.

    Status, headers and redirects are as recorded. A URL missing in the recording raises :class:`Unreachable`. A missing
    robots.txt gets a 404, so it forbids nothing. ``DOWNLOAD_MAXSIZE`` applies as on the web. If the file cannot be read, every
    request fails with this error. A topical crawl is refused before (:func:`config.check_replay`).
    """

    lazy = False

    def __init__(self, crawler: Crawler, recording: Recording | None, archive: IndexedArchive | None) -> None:
        super().__init__(crawler)
        self._recording = recording
        self._archive = archive
        self._max_size = crawler.settings.getint("DOWNLOAD_MAXSIZE")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        files, indexes = replay_parts(crawler.settings)
        try:
            if not files and not indexes:
                raise RecordingError("the setting TOPICAL_REPLAY is empty; set the path of a WARC file or of a folder of them")
            recording = Recording(",".join(files), cache_dir(crawler.settings)) if files else None
            return cls(crawler, recording, IndexedArchive(crawler, indexes) if indexes else None)
        except RecordingError as error:
            raise NotConfigured(f"nothing to replay: {error}") from None

    async def download_request(self, request: Request) -> Response:
        started = time.monotonic()
        recorded = await self._get(request.url) if request.method in ("GET", "HEAD") else None
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

    async def _get(self, url: str) -> Recorded | None:
        recorded = self._recording.get(url) if self._recording is not None else None
        return await self._archive.get(url) if recorded is None and self._archive is not None else recorded

    async def close(self) -> None:
        if self._recording is not None:
            self._recording.close()
        if self._archive is not None:
            await self._archive.close()


class IndexedArchive:
    """Reader of responses from WARC files by ranges in CDX indexes, in files and over the web.

    An archive server gets one request at a time, with retries while busy. Its address may be private, since a person named it.
    Downloads have the bounds of any response.

    Args:
        crawler: source of the settings.
        indexes: CDXJ files and URLs of CDX servers, in order of lookup.

    Raises:
        RecordingError: an index cannot be read.
    """

    def __init__(self, crawler: Crawler, indexes: Sequence[str]) -> None:
        self._crawler = crawler
        settings = crawler.settings
        self._indexes = [(self._open(index), replay_data(settings, index)) for index in indexes]
        self._agent = str(settings.get("USER_AGENT") or "")
        self._timeout = settings.getfloat("DOWNLOAD_TIMEOUT")
        self._web: PublicHandler | None = None
        self._turns: dict[str, asyncio.Lock] = {}

    def _open(self, index: str) -> IndexFile | str:
        return index if index.startswith(("http://", "https://")) else IndexFile(index, cache_dir(self._crawler.settings))

    async def get(self, url: str) -> Recorded | None:
        """Return the recorded response for ``url``, or None if no index has it.

        Raises:
            RecordingError: a record or an index is broken.
            DownloadFailedError: a server is unreachable or stays busy.
        """
        try:
            for index, data in self._indexes:
                capture = index.find(url) if isinstance(index, IndexFile) else await self._ask(index, url)
                if capture is not None:
                    place = place_of(capture.filename, data)
                    return answer_of(await self._range(place, capture), place, capture)
        except (RecordingError, DownloadFailedError) as error:
            logger.error("%s", error)
            raise
        return None

    async def _ask(self, server: str, url: str) -> Capture | None:
        response = await self._fetch(query(server, url), {})
        if response.status == 404:
            return None
        try:
            if response.status != 200:
                raise ValueError(f"HTTP {response.status}")
            return best_capture(response.body.decode("utf-8", "replace"), url)
        except ValueError as error:
            raise RecordingError(f"{server} does not answer as a CDX server: {error}. Check TOPICAL_REPLAY") from None

    async def _range(self, place: str, capture: Capture) -> bytes:
        if not place.startswith(("http://", "https://")):
            return read_range(place, capture)
        last = capture.offset + capture.length - 1
        response = await self._fetch(place, {"Range": f"bytes={capture.offset}-{last}", "Accept-Encoding": "identity"})
        if response.status != 206 or len(response.body) != capture.length:
            raise RecordingError(
                f"{place} does not give the bytes {capture.offset} to {last} (HTTP {response.status}). "
                "Set TOPICAL_REPLAY_DATA to a folder, or to a server with support for ranges"
            )
        return response.body

    async def _fetch(self, url: str, headers: dict[str, str]) -> Response:
        if self._web is None:
            self._web = PublicHandler.from_crawler(self._crawler)
        name = host(url)
        if (crawl := getattr(self._crawler.spider, "crawl", None)) is not None:
            crawl.policy.name([url])
        async with self._turns.setdefault(name, asyncio.Lock()):
            for wait in (*_WAITS, None):
                request = Request(url, headers={"User-Agent": self._agent, **headers}, meta={"download_timeout": self._timeout})
                try:
                    response = await self._web.download_request(request)
                    if response.status not in _BUSY:
                        return response
                    asked, why = retry_after(response), f"HTTP {response.status}"
                except _AWAY as error:
                    asked, why = 0.0, str(error)
                if wait is None:
                    break
                await asyncio.sleep(min(asked or wait, _WAITS[-1]))
        raise DownloadFailedError(f"{url}: the archive does not answer ({why})")

    async def close(self) -> None:
        """Close files and connections."""
        for index, _ in self._indexes:
            if isinstance(index, IndexFile):
                index.close()
        if self._web is not None:
            await self._web.close()
