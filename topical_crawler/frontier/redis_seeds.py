"""Start URLs fed through Redis during a crawl, in scrapy-redis's format."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import redis

logger = logging.getLogger(__name__)

MAX_VALUE = 16_384  # bytes of one start URL with its data; longer values are set aside
_BATCH = 100


class RedisFeed:
    """Reader of start URLs in the list, set or sorted set at ``key``. Each value is a URL, or a JSON object with "url".

    A value is removed only after its URL was taken, so no seed is lost. If two workers read the same one, the second finds it
    known. Invalid values go to the list ``<key>:rejected``.

    Args:
        client: a connection returning bytes.
        key: key of the start URLs.
        patience: seconds to retry an unreachable server.
    """

    def __init__(self, client: redis.Redis, key: str, patience: float) -> None:
        from topical_crawler.frontier.redis_server import Server  # imports redis, not needed by other crawls

        self.key = key
        self._server = Server(client, patience)
        self._ready = False

    def poll(self, take: Callable[[list[str]], object]) -> int:
        """Pass new URLs to ``take``, at most a batch. Return the number of values read.

        Raises:
            FrontierServerError: the server is unreachable for longer than ``patience``.
            ValueError: the key holds something else.
        """
        if not self._ready:
            self._server.check()
            self._ready = True
        return self._server.ask(lambda: self._poll(take))

    def _poll(self, take: Callable[[list[str]], object]) -> int:
        client, key = self._server.client, self.key
        remove: Callable[[bytes], object]
        match client.type(key).decode():
            case "list":
                values, remove = client.lrange(key, 0, _BATCH - 1), lambda value: client.lrem(key, 1, value)
            case "set":
                values, remove = client.srandmember(key, _BATCH), lambda value: client.srem(key, value)
            case "zset":
                values, remove = client.zrevrange(key, 0, _BATCH - 1), lambda value: client.zrem(key, value)
            case "none":
                return 0
            case kind:
                raise ValueError(f"{key} in Redis is a {kind}: start URLs are read from a list, a set or a sorted set")
        urls = [url for value in values if (url := self._url(value)) is not None]
        if urls:
            take(urls)
        for value in values:
            remove(value)
        return len(values)

    def _url(self, value: bytes) -> str | None:
        text = value.decode("utf-8", "replace").strip()
        if text.startswith("{") and len(value) <= MAX_VALUE:
            try:
                text = str(json.loads(text)["url"])
            except (ValueError, KeyError, TypeError):
                text = ""
        if len(value) <= MAX_VALUE and urlsplit(text).scheme in ("http", "https") and urlsplit(text).hostname:
            return text
        logger.error(
            "%s: %.100r is neither a URL nor a JSON object with one; moving it to %s:rejected", self.key, value, self.key
        )
        self._server.client.rpush(f"{self.key}:rejected", value[:MAX_VALUE])
        return None
