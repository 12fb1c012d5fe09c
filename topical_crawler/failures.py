"""Failed requests: the project's own errors, and the classification of any error."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
    StopDownload,
)
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError

from topical_crawler.frontier.base import CONNECTION_FAILED, TIMED_OUT, UNKNOWN_HOST

HEAD_TOO_LARGE = "headers too large"
NOT_HTTP = "not HTTP"
TLS_FAILED = "TLS failed"
BROKEN_ENCODING = "broken encoding"
TOO_MANY_REDIRECTS = "too many redirects"


class Refused(IgnoreRequest):
    """A request not sent, or a response not read. The message is the stable reason of its page."""

    response: Response | None = None  # if there is one


class SentBack(IgnoreRequest):
    """The page of this request was requeued. Nothing is to be recorded for it."""


class NameServerAway(CannotResolveHostError):
    """No name server could tell if the host name exists."""


class Unreachable(IgnoreRequest):
    """The recording has no response for this URL. Not retried, since it never will."""


def failure_reason(value: BaseException | None) -> str:
    """Return a short, stable name for the error of a request without a page."""
    if isinstance(value, HttpError):
        return f"HTTP {value.response.status}"
    if isinstance(value, Unreachable):
        return "unreachable"
    if isinstance(value, Refused):
        return str(value)
    if isinstance(value, IgnoreRequest):
        text = str(value).lower()
        if "robots.txt" in text:
            return "robots.txt"
        if "redirection" in text:
            return TOO_MANY_REDIRECTS
        if "exceeded" in text or "maxsize" in text or "size" in text:
            return "too large"
        return f"ignored: {value}"[:80] if str(value) else "ignored"
    if isinstance(value, CannotResolveHostError):
        return UNKNOWN_HOST
    if isinstance(value, DownloadTimeoutError | StopDownload):
        return TIMED_OUT
    if isinstance(value, DownloadCancelledError):
        return "too large"
    if isinstance(value, DownloadConnectionRefusedError | DownloadFailedError | ResponseDataLossError | OSError):
        return CONNECTION_FAILED
    return f"failed: {type(value).__name__}"


def is_outage(error: Exception, known: bool) -> bool:
    """Return True if an error may be an outage of the host or the network.

    An unknown host name is one only if the host is ``known``: it has answered in this crawl.
    """
    if isinstance(error, CannotResolveHostError):
        return known or isinstance(error, NameServerAway)
    outages = (DownloadTimeoutError, DownloadConnectionRefusedError, DownloadFailedError, StopDownload, OSError)
    return isinstance(error, outages)


def is_no_answer(error: Exception, known: bool) -> bool:
    """Return True if an error leaves a robots.txt undecided: an outage, endless redirects, or an unreadable response."""
    if isinstance(error, IgnoreRequest):
        return str(error) in (HEAD_TOO_LARGE, NOT_HTTP, BROKEN_ENCODING) or failure_reason(error) == TOO_MANY_REDIRECTS
    return not isinstance(error, CannotResolveHostError) or is_outage(error, known)


def retry_after(response: Response) -> float:
    """Return the seconds requested by Retry-After, as a number or a date (RFC 9110, 10.2.3), or 0 without a request.

    >>> retry_after(Response("http://a.cn/", 429, {"Retry-After": "120"}))
    120.0
    """
    value = (response.headers.get(b"Retry-After") or b"").decode("latin-1").strip()
    if value.isdecimal() and value.isascii():
        return float(value[:9])
    try:
        then = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    return max(0.0, (then.replace(tzinfo=then.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
