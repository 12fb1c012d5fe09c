"""What it means that a request brought no page: the errors of this project, and what is concluded from any error."""

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
    """A request that is not sent, or an answer that is not read; the message is the stable reason of its page."""

    response: Response | None = None  # the answer, where there is one


class SentBack(IgnoreRequest):
    """The page of this request waits in the frontier again; nothing is to be noted of it."""


class NameServerAway(CannotResolveHostError):
    """Nobody could say whether the name of a host exists."""


class Unreachable(IgnoreRequest):
    """The recording has no answer for this URL. Not retried: it will not have one later."""


def failure_reason(value: BaseException | None) -> str:
    """A short, stable name for the error because of which a request brought no page."""
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
    """Whether an error of a request may be an outage of its host or of the network. A name that does not exist is none, unless
    the host is ``known``: it has answered in this crawl."""
    if isinstance(error, CannotResolveHostError):
        return known or isinstance(error, NameServerAway)
    outages = (DownloadTimeoutError, DownloadConnectionRefusedError, DownloadFailedError, StopDownload, OSError)
    return isinstance(error, outages)


def is_no_answer(error: Exception, known: bool) -> bool:
    """Whether an error leaves open what a robots.txt forbids: an outage, redirects without end, an answer that cannot be read."""
    if isinstance(error, IgnoreRequest):
        return str(error) in (HEAD_TOO_LARGE, NOT_HTTP, BROKEN_ENCODING) or failure_reason(error) == TOO_MANY_REDIRECTS
    return not isinstance(error, CannotResolveHostError) or is_outage(error, known)


def retry_after(response: Response) -> float:
    """Seconds that an answer asks to wait, by number or date (RFC 9110, 10.2.3); 0 where it asks for none.

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
