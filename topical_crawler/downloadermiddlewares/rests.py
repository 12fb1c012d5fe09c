"""Back-off for hosts that throttle or may be unreachable."""

from __future__ import annotations

import time
from http import HTTPStatus

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Response

from topical_crawler.components import CrawlComponent, give_back, has_stalled, in_flight, let_rest
from topical_crawler.failures import is_outage, retry_after

_DOUBTED, _SENT_BACK = "topical_doubted", "topical_sent_back"  # also in scheduler._KEPT_META
_MOST_SENT_BACK = 6  # refusals of one page not counted as tries: an hour of rests, each twice as long
_BUSY = frozenset((HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE))


LEAST_RATE, WINDOW = 100.0, 5.0
"""Least mean rate of a body in bytes a second, and seconds before it applies."""
_ARRIVED = "topical_arrived"  # arrival time of a body's first part, and bytes so far


class RestMiddleware(CrawlComponent):
    """Back-off for throttling (429 or 503, with or without Retry-After) and unreachable hosts.

    Requeues their pages without counting a retry. After a failure, the robots.txt of the host is requested before any further
    page, and the host rests unless it answers. A page failing again although its host answers loses tries like any other. Stands
    within Scrapy's own retries.

    Any answer coming too slowly is aborted and its host rests: a few such hosts would occupy all in-flight slots.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        crawler.signals.connect(self._measure, signals.bytes_received)

    def _measure(self, data: bytes, request: Request) -> None:
        now = time.monotonic()
        began, size = request.meta.get(_ARRIVED) or (now, 0)
        request.meta[_ARRIVED] = began, size + len(data)
        if now - began > WINDOW and size + len(data) < LEAST_RATE * (now - began):
            raise StopDownload

    def process_response(self, request: Request, response: Response) -> Response:
        if (page := in_flight(self._crawler, request)) is None or not page[0].options.rest:
            return response
        crawl, entry = page
        if response.status not in _BUSY:
            crawl.outages.answered(entry.host)
            return response
        times = entry.meta.get(_SENT_BACK, 0)
        if times >= _MOST_SENT_BACK:
            return response
        crawl.outages.doubt(entry.host)  # the next answer of the host ends its rest
        if let_rest(crawl, entry.host, f"{request.url} answers HTTP {response.status}", retry_after(response)) is not None:
            give_back(self._crawler, request, **{_SENT_BACK: times + 1})
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        if (page := in_flight(self._crawler, request)) is None or not page[0].options.rest:
            return
        crawl, entry = page
        if isinstance(exception, StopDownload):
            why = f"{request.url} comes at less than {LEAST_RATE:.0f} bytes a second"
            if let_rest(crawl, entry.host, why) is not None and not entry.meta.get(_DOUBTED):
                give_back(self._crawler, request, **{_DOUBTED: True})
        elif is_outage(exception, crawl.policy.has_answered(entry.host)):
            if has_stalled(crawl):
                if (times := entry.meta.get(_SENT_BACK, 0)) < _MOST_SENT_BACK:
                    give_back(self._crawler, request, **{_SENT_BACK: times + 1})
                return
            crawl.outages.doubt(entry.host)
            if not entry.meta.get(_DOUBTED):
                give_back(self._crawler, request, **{_DOUBTED: True})
