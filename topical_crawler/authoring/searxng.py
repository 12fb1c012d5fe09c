"""A search by a SearXNG server of one's own (https://docs.searxng.org/dev/search_api.html)."""

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

TIMEOUT = 20.0  # seconds for an answer: the server waits for several search engines
MOST_BYTES = 4 << 20  # of an answer
MOST_RESULTS = 100  # of an answer


class _NoRedirects(HTTPRedirectHandler):
    """What is searched for goes to the server that the user named and to no other."""

    def redirect_request(self, *_: Any) -> None:
        return None


def from_searches(near: Nearness, server: str, searches: Sequence[str], timeout: float = TIMEOUT) -> list[Hint]:
    """What the server finds; a result is worth how near its title and excerpt are to the topic.

    Args:
        near: to the topic.
        server: its address, http or https, up to but without ``/search``.
        searches: asked one after another, in Chinese.
        timeout: seconds without a byte of an answer, above 0.

    Raises:
        TopicError: it cannot be reached, refuses, or answers otherwise than SearXNG does.
    """
    if not server.startswith(("http://", "https://")):
        raise TopicError(f"{server!r} is no address. Remedy: --searxng http://127.0.0.1:8888")
    opener = build_opener(_NoRedirects)
    hints = []
    for words in searches:
        url = f"{server.rstrip('/')}/search?{urlencode({'q': words, 'format': 'json', 'language': 'zh'})}"
        try:
            with opener.open(url, timeout=timeout) as answer:
                body = answer.read(MOST_BYTES + 1)
        except HTTPError as error:
            remedy = {
                403: "let it answer in JSON: formats: [html, json] under search: in its settings.yml",
                429: "turn its limiter off for this machine, or wait",
            }.get(error.code, "see that the address is that of a SearXNG server")
            raise TopicError(f"{server} answers HTTP {error.code}. Remedy: {remedy}") from None
        except (OSError, HTTPException, ValueError) as error:
            why = error.reason if isinstance(error, URLError) else error
            raise TopicError(f"{server} cannot be reached ({why}). Remedy: start it, or name another address") from None
        hints += [Hint(url, near.of(title, text), f"search: {words}") for url, title, text in read_results(body, server)]
    return hints


def read_results(body: bytes, server: str) -> list[tuple[str, str, str]]:
    """Address, title and excerpt of the results in an answer, best first. Raises TopicError where it is none.

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
        raise TopicError(f"{server} does not answer as SearXNG does ({what}). Remedy: see that the address is right") from None
