"""Search through the user's own SearXNG server (https://docs.searxng.org/dev/search_api.html)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, build_opener

from topical_crawler.authoring.seeds import Hint, Nearness
from topical_crawler.topic.files import TopicError

TIMEOUT = 20.0  # seconds for a response: the server waits for several search engines
MOST_BYTES = 4 << 20  # of a response
MOST_RESULTS = 100  # of a response


class _NoRedirects(HTTPRedirectHandler):
    """Handler without redirects: queries go to the user's server and to no other."""

    def redirect_request(self, *_: Any) -> None:
        return None


def from_searches(near: Nearness, server: str, searches: Sequence[str], timeout: float = TIMEOUT) -> list[Hint]:
    """Return hints for the server's results, each valued by the nearness of its title and excerpt to the topic.

    Args:
        near: nearness to the topic.
        server: its URL, http or https, without ``/search``.
        searches: queries in Chinese, sent one after another.
        timeout: seconds without a byte of a response, above 0.

    Raises:
        TopicError: the server is unreachable, refuses, or does not answer like SearXNG.
    """
    if not server.startswith(("http://", "https://")):
        raise TopicError(f"{server!r} is not an address. Write it like --searxng http://127.0.0.1:8888")
    opener = build_opener(_NoRedirects)
    hints = []
    for words in searches:
        url = f"{server.rstrip('/')}/search?{urlencode({'q': words, 'format': 'json', 'language': 'zh'})}"
        try:
            with opener.open(url, timeout=timeout) as answer:
                body = answer.read(MOST_BYTES + 1)
        except HTTPError as error:
            remedy = {
                403: "Let it answer in JSON: formats: [html, json] under search: in its settings.yml",
                429: "Turn its limiter off for this machine, or wait",
            }.get(error.code, "Check that this is the address of a SearXNG server")
            raise TopicError(f"{server} answers HTTP {error.code}. {remedy}") from None
        except (OSError, HTTPException, ValueError) as error:
            why = error.reason if isinstance(error, URLError) else error
            raise TopicError(f"{server} is unreachable ({why}). Start it, or name another address") from None
        hints += [Hint(url, near.of(title, text), f"search: {words}") for url, title, text in read_results(body, server)]
    return hints


def read_results(body: bytes, server: str) -> list[tuple[str, str, str]]:
    """Return URL, title and excerpt of the results in a response, best first. Raise TopicError for an invalid response.

    >>> read_results('{"query": "党建", "results": [{"url": "http://dj.cn/", "title": "党建网"}]}'.encode(), "http://127.0.0.1")
    [('http://dj.cn/', '党建网', '')]
    """
    try:
        if len(body) > MOST_BYTES:
            raise ValueError(f"more than {MOST_BYTES >> 20} MB")
        results = json.loads(body)["results"][:MOST_RESULTS]
        return [(str(one["url"]), str(one.get("title") or ""), str(one.get("content") or "")) for one in results]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        what = f"{type(error).__name__}: {error}"
        raise TopicError(f"{server} does not answer like SearXNG ({what}). Check the address") from None
