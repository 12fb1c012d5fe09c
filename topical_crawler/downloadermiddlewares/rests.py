"""Has hosts rest that ask for patience or may be away."""

from __future__ import annotations

from http import HTTPStatus

from scrapy import Request
from scrapy.http import Response

from topical_crawler.components import CrawlComponent, give_back, in_flight, let_rest
from topical_crawler.failures import is_outage, retry_after

_DOUBTED, _SENT_BACK = "topical_doubted", "topical_sent_back"  # also in scheduler._KEPT_META
_MOST_SENT_BACK = 6  # refusals of one page that do not count as tries of it: an hour of rests, each twice as long
_BUSY = frozenset((HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE))


class RestMiddleware(CrawlComponent):
    """Sends a page back to the frontier, without losing a try, whose host asks for patience (429 or 503, with or without
    Retry-After) or may be away: then the host's robots.txt is asked for before any further page, and the host rests unless it
    gives it. A page that fails again though its host answers loses tries like any other. Stands within Scrapy's own retries.
    """

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
        crawl.outages.doubt(entry.host)  # whose answer ends the rest
        if let_rest(crawl, entry.host, f"{request.url} answers HTTP {response.status}", retry_after(response)) is not None:
            give_back(self._crawler, request, **{_SENT_BACK: times + 1})
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        if (page := in_flight(self._crawler, request)) is None or not page[0].options.rest:
            return
        crawl, entry = page
        if is_outage(exception, crawl.policy.has_answered(entry.host)):
            crawl.outages.doubt(entry.host)
            if not entry.meta.get(_DOUBTED):
                give_back(self._crawler, request, **{_DOUBTED: True})
