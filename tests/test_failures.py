"""What is concluded from an error of a request: the reason of its page, whether its host may be away."""

import pytest
from scrapy.exceptions import CannotResolveHostError, DownloadFailedError, DownloadTimeoutError, IgnoreRequest
from scrapy.http import Response

from topical_crawler.failures import (
    BROKEN_ENCODING,
    HEAD_TOO_LARGE,
    NOT_HTTP,
    TLS_FAILED,
    NameServerAway,
    Refused,
    Unreachable,
    failure_reason,
    is_no_answer,
    is_outage,
    retry_after,
)

REDIRECTS = IgnoreRequest("max redirections reached")


@pytest.mark.parametrize(
    ("error", "known", "outage", "open_"),
    [
        (DownloadTimeoutError(), False, True, True),
        (DownloadFailedError(), False, True, True),
        (OSError(), False, True, True),
        (CannotResolveHostError(), False, False, False),  # there is no such host
        (CannotResolveHostError(), True, True, True),  # it has answered before
        (NameServerAway(), False, True, True),
        (ValueError(), False, False, True),  # an answer that cannot be read
        (REDIRECTS, False, False, True),
        (Refused(HEAD_TOO_LARGE), False, False, True),
        (Refused(NOT_HTTP), False, False, True),
        (Refused(BROKEN_ENCODING), False, False, True),
        (Refused(TLS_FAILED), False, False, False),  # as will be each of its pages
        (Refused("private address"), False, False, False),
    ],
)
def test_whether_a_host_may_be_away_and_what_its_robots_txt_leaves_open(
    error: Exception, known: bool, outage: bool, open_: bool
) -> None:
    assert (is_outage(error, known), is_no_answer(error, known)) == (outage, open_)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (Unreachable("not in the recording: GET http://a.cn/"), "unreachable"),
        (Refused("scripts failed"), "scripts failed"),
        (REDIRECTS, "too many redirects"),
        (IgnoreRequest("Forbidden by robots.txt"), "robots.txt"),
        (IgnoreRequest(), "ignored"),
        (KeyError("x"), "failed: KeyError"),
    ],
)
def test_every_error_has_a_short_name(error: Exception, reason: str) -> None:
    assert failure_reason(error) == reason


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("", 0.0), ("120", 120.0), ("-1", 0.0), ("soon", 0.0), ("9" * 30, 999_999_999.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0)],
)
def test_what_an_answer_asks_to_wait(value: str, seconds: float) -> None:
    assert retry_after(Response("http://a.cn/", 429, {"Retry-After": value})) == seconds
