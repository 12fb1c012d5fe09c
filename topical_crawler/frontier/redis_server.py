"""The Redis frontier's server: calls of its Lua scripts, and the records sent to it. Nothing is ever unpickled."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import math
import random
import re
import socket
import struct
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.resources import files
from json.encoder import encode_basestring as _quote
from typing import Any, TypeVar

import msgpack
import redis
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.exceptions import (
    AskError,
    BusyLoadingError,
    ClusterError,
    NoPermissionError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    ResponseError,
    SlotNotCoveredError,
    TryAgainError,
)
from redis.retry import Retry

from topical_crawler.frontier.base import Entry, FrontierServerError, Outcome, gained
from topical_crawler.frontier.sqlite import pack, pack_meta, unpack

logger = logging.getLogger(__name__)

_T = TypeVar("_T")
_PASSING = re.compile(r"\b(OOM|MISCONF|READONLY|LOADING|BUSY|MASTERDOWN)\b")
"""Transient errors. For a script's own commands they are inside another message."""
_AWAY = (redis.ConnectionError, redis.TimeoutError, BusyLoadingError, ReadOnlyError)
_CLUSTER_AWAY = (AskError, ClusterError, RedisClusterException, SlotNotCoveredError, TryAgainError)
"""Errors of a cluster without a master for a key, or during its migration."""
# Like _PASSING for answers that begin with the word. The client removes it from the text.
_PASSES = (*_AWAY, OutOfMemoryError)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 2.0
_HANDSHAKE = 5.0  # seconds for a TLS handshake
WARN_EVERY = 10.0  # seconds between two messages about waiting for the server


class ServerAway(FrontierServerError):
    """A Redis server does not answer, or a cluster has no server for some keys. It may come back."""


class Server:
    """A Redis server or Redis Cluster, as used by the frontier.

    An unreachable server, or one without free memory, is retried for ``patience`` seconds. ``client`` must return bytes (no
    ``decode_responses``). If it is connected to a node of a cluster, :meth:`check` connects to all of it.
    """

    def __init__(self, client: redis.Redis, patience: float) -> None:
        if client.get_encoder().decode_responses:
            raise ValueError("the frontier needs bytes from Redis. Leave decode_responses out of REDIS_PARAMS")
        self.client: Any = client  # its types depend on a setting: text or bytes
        self.name = place_of(client)
        self.patience = patience
        self.is_cluster = False  # until :meth:`check`
        self._given_up = False
        self._warned = -math.inf
        self._scripts: dict[str, tuple[str, str]] = {}

    def node(self, prefix: str) -> str:
        """Return the address of the cluster's server for keys with a ``prefix``, as far as known here."""
        return str(self.client.get_node_from_key(prefix).name)

    def run(self, script: str, prefix: str, arguments: Sequence[Any], patience: float) -> Any:
        """Run a script of ``lua/`` on the keys with a prefix.

        Raises:
            FrontierServerError: as for :meth:`ask`, and if the server has lost the crawl or has it in another version.
        """
        if script not in self._scripts:
            folder = files("topical_crawler.frontier") / "lua"
            parts = [(folder / f"{name}.lua").read_text(encoding="utf-8") for name in ("common", script)]
            text = "\n".join((f"local VERSION = '{VERSION}'", *parts))
            self._scripts[script] = text, hashlib.sha1(text.encode()).hexdigest()
        text, digest = self._scripts[script]

        def call() -> Any:
            try:
                return self.client.evalsha(digest, 2, f"{prefix}meta", prefix, *arguments)
            except NoScriptError:
                where = {"target_nodes": self.client.get_node_from_key(prefix)} if self.is_cluster else {}
                self.client.execute_command("SCRIPT LOAD", text, **where)
                return self.client.evalsha(digest, 2, f"{prefix}meta", prefix, *arguments)

        return self.ask(call, patience)

    def ask(self, call: Callable[[], _T], patience: float | None = None) -> _T:
        """Return the result of ``call``, with retries while the server is unreachable, logged every :data:`WARN_EVERY` seconds.

        ``call`` may run twice, so it must be idempotent.

        Raises:
            FrontierServerError: the server refuses the call.
            ServerAway: the server is unreachable or full for longer than ``patience``, by default its own.
        """
        # After one wait in vain, later calls do not wait again.
        patience = self.patience if patience is None else patience
        deadline, pause, waited = time.monotonic() + (0.0 if self._given_up else patience), _FIRST_PAUSE, False
        while True:
            try:
                result = call()
            except (*_AWAY, *_CLUSTER_AWAY, ResponseError) as error:
                problem, now = self._problem(error), time.monotonic()
                if isinstance(error, redis.AuthenticationError) or not (
                    isinstance(error, _PASSES)
                    or _PASSING.search(str(error))
                    or (self.is_cluster and isinstance(error, _CLUSTER_AWAY))
                ):
                    raise FrontierServerError(problem) from None
                if patience and now + pause > deadline:
                    self._given_up = True
                    raise ServerAway(problem) from None
                if now >= self._warned + WARN_EVERY:
                    logger.warning("%s. Retrying for %.0f s", problem, deadline - now if patience else self.patience)
                    self._warned = now
                if not patience:
                    raise ServerAway(problem) from None
                waited = True
            else:
                if waited:
                    logger.warning("Redis at %s is back", self.name)
                    self._warned = -math.inf
                self._given_up = False
                return result
            time.sleep(pause * random.uniform(0.5, 1.0))  # jitter: many workers come back at once
            pause = min(2 * pause, _LONGEST_PAUSE)

    def check(self) -> None:
        """Connect to all of a cluster, and check the configuration. An unreachable server is retried.

        Warn if a server persists nothing across restarts. If the account may not run INFO, nothing is checked
        (docs/deployment.md lists the requirements).

        Raises:
            FrontierServerError: the server is too old or evicts keys.
        """
        info = self.ask(lambda: self._info(self.client))
        if not info.get("cluster_enabled"):
            self._check(info)
            return
        self.is_cluster, node = True, self.client
        self.client = self.ask(lambda: of_cluster(node))
        for node in self.client.get_primaries():
            self._check(self.ask(partial(self._info, node.redis_connection)))

    def _check(self, info: dict[str, Any]) -> None:
        if not info:
            return
        version = tuple(int(part) for part in str(info.get("redis_version", "0.0")).split(".")[:2])
        if version < (6, 2):
            number = info.get("redis_version")
            raise FrontierServerError(f"Redis at {self.name} is version {number}. Use version 6.2 or newer, or Valkey")
        policy = info.get("maxmemory_policy", "noeviction")
        if info.get("maxmemory") and policy != "noeviction":
            raise FrontierServerError(
                f"Redis at {self.name} evicts keys when it is full (maxmemory-policy {policy}): links would be lost. "
                f"Run CONFIG SET maxmemory-policy noeviction"
            )
        if not int(info.get("aof_enabled", 0)):
            logger.warning("Redis at %s keeps no append-only file: a restart loses the crawl. Set appendonly yes", self.name)

    def _info(self, client: redis.Redis) -> dict[str, Any]:
        try:
            info = dict(client.info())
        except NoPermissionError:
            return {}
        if info.get("loading"):  # the append-only file is missing from INFO then
            raise BusyLoadingError
        return info

    def gone(self) -> str:
        """Return the error message for a crawl lost by the server."""
        return f"the crawl is no longer in Redis at {self.name}: it was purged, or the server lost its data. Start it anew"

    def _problem(self, error: Exception) -> str:
        text, at = str(error), f"Redis at {self.name}"
        if "OOM" in text or isinstance(error, OutOfMemoryError):
            return (
                f"{at} has no memory left; nothing of the crawl is lost. Raise its maxmemory, or limit the waiting links "
                f"(-s TOPICAL_MAX_WAITING=1000000)"
            )
        if "MISCONF" in text:
            return f"{at} cannot write its file; nothing of the crawl is lost. Check its disk space and its log"
        if "GONE" in text:
            return self.gone()
        if found := re.search(r"\bVERSION (\d+)", text):
            return (
                f"the crawl in {at} is stored in version {found[1]} by now, this worker writes version {VERSION}. "
                f"Restart it with the program of the other workers"
            )
        if isinstance(error, redis.AuthenticationError) or text.startswith(("WRONGPASS", "NOAUTH")):
            return f"{at} wants another user or password. Set REDIS_URL=redis://USER:PASSWORD@HOST:PORT/0"
        if isinstance(error, NoPermissionError) or text.startswith("NOPERM"):
            return f"{at} does not allow this account a command or key ({text}). See docs/deployment.md for the rules"
        if isinstance(error, _CLUSTER_AWAY):  # MOVED is an AskError
            if self.is_cluster:
                return (
                    f"the Redis Cluster at {self.name} has no server for a part of the crawl ({text[:100]}). Check CLUSTER "
                    f"INFO and CLUSTER NODES"
                )
            return f"Redis at {self.name} is an undeclared node of a Redis Cluster. Allow the account to run INFO"
        if isinstance(error, _AWAY):
            return f"{at} does not answer ({type(error).__name__}). Start it, or set REDIS_URL=redis://HOST:PORT/0"
        return f"{at}: {text}"


def refuse_plain_port(client: redis.Redis) -> None:
    """Raise FrontierServerError for a TLS client (``rediss://``) on a plain port. Both sides would wait for each other."""
    pool = client.connection_pool
    at = pool.connection_kwargs
    if not issubclass(pool.connection_class, redis.SSLConnection):
        return
    connection = pool.connection_class(**{**at, "socket_timeout": _HANDSHAKE, "retry": Retry(NoBackoff(), 0)})
    try:
        connection.connect()
    except redis.RedisError:
        with contextlib.suppress(OSError):
            with socket.create_connection((at.get("host", "localhost"), at.get("port", 6379)), _HANDSHAKE) as plain:
                plain.sendall(b"PING\r\n")
                answer = plain.recv(1)
            if answer in (b"+", b"-"):
                raise FrontierServerError(
                    f"Redis at {place_of(client)} speaks no TLS at this port. Set REDIS_URL=redis://…, or name its TLS port"
                ) from None
    finally:
        connection.disconnect()


def of_cluster(client: redis.Redis) -> RedisCluster:
    """Connect to the whole Redis Cluster of a node's ``client``. Raise FrontierServerError if it selects a database."""
    pool = client.connection_pool
    at = dict(pool.connection_kwargs)
    if at.pop("db", 0):
        raise FrontierServerError(f"a Redis Cluster has no databases. Set REDIS_URL=redis://{at.get('host')}:{at.get('port')}/0")
    wanted = ("host", "port", "username", "password", "socket_timeout", "socket_keepalive", "encoding")
    given = {name: value for name, value in at.items() if name in wanted or name.startswith("ssl_")}
    given["ssl"] = issubclass(pool.connection_class, redis.SSLConnection)
    connect = min(at.get("socket_connect_timeout") or _HANDSHAKE, _HANDSHAKE)
    return RedisCluster(**given, socket_connect_timeout=connect, retry=Retry(NoBackoff(), 1))


def place_of(client: redis.Redis) -> str:
    """Return the address of a server, without a password."""
    at = client.connection_pool.connection_kwargs
    return str(at.get("path") or f"{at.get('host', 'localhost')}:{at.get('port', 6379)}") + f"/{at.get('db', 0)}"


VERSION = 4  # of a crawl's keys; calls of workers with another version are refused
RECORD = 1  # version of the records, and of outcomes
MAX_URL = 8_000  # bytes of a URL, or of an entry's meta; ``urls.fingerprint`` refuses longer URLs
MAX_OUTCOME = 1 << 20  # bytes of an outcome with its lesson
HEADER = struct.Struct(">BB6sdHHBBHHB")
"""Header of a record: version, state, number, priority, depth, times put back, pieces of evidence, and the bytes of host, URL,
meta and reason (``lua/common.lua``)."""


class RecordError(ValueError):
    """Bytes from Redis are not a record of this version, or an entry is too large for one."""


def read_entry(key: bytes, record: bytes) -> Entry:
    """Parse an entry as stored by the scripts (``lua/common.lua``). Raise RecordError for damaged bytes."""
    if record and record[0] != RECORD:
        raise RecordError(f"entry {key.hex()}: a record of version {record[0]}, this worker reads version {RECORD}")
    try:
        _, _, _, priority, depth, rescored, _, *sizes = HEADER.unpack_from(record)
        at, parts = HEADER.size, []
        for size in sizes:
            parts.append(record[at : at + size].decode())
            at += size
        host, url, meta, reason = parts
        evidence = unpack(record[at:].decode())
        return Entry(key, url, host, priority, depth, evidence, dict(json.loads(meta)) if meta else {}, reason or None, rescored)
    except (struct.error, ValueError, TypeError, LookupError) as error:
        raise RecordError(f"entry {key.hex()}: its record is damaged ({type(error).__name__}: {error})") from None


def pack_links(entries: Sequence[Entry]) -> bytes:
    """Pack entries for the scripts. Raise RecordError for an overlong URL or meta."""
    return pack_list([_link(entry) for entry in entries])


def _link(entry: Entry) -> tuple[Any, ...]:
    url, meta = entry.url.encode(), (pack_meta(entry.meta) or "").encode()
    if len(url) > MAX_URL or len(meta) > MAX_URL or len(entry.host) > 255:
        raise RecordError(f"{entry.url[:100]}…: an entry of {len(url) + len(meta)} bytes is too large for the frontier")
    pieces = [(_bytes(f"[{_quote(e.parent)},"), _bytes(pack((e,)))) for e in gained((), entry.evidence)]
    depth, rescored = min(entry.depth, 65_535), min(entry.rescored, 65_535)
    return entry.key, entry.host, url, float(entry.priority), depth, rescored, meta, (entry.dropped or "")[:80], pieces


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")  # the web has lone surrogates


def pack_list(items: list[Any]) -> bytes:
    """Pack a list for the scripts."""
    return bytes(msgpack.packb(items, use_bin_type=False))


def pack_outcome(outcome: Outcome) -> bytes:
    """Pack an outcome for the log. Raise RecordError for one that is too large."""
    lesson = None if outcome.lesson is None else json.dumps(outcome.lesson, ensure_ascii=False)
    fields = (RECORD, outcome.url, outcome.keep, float(outcome.relevance), outcome.reason, lesson, outcome.led_by)
    packed = bytes(msgpack.packb(fields, unicode_errors="replace"))
    if len(packed) > MAX_OUTCOME:
        raise RecordError(f"{outcome.url}: its lesson takes {len(packed)} bytes, more than {MAX_OUTCOME}")
    return packed


def read_outcome(packed: bytes) -> Outcome:
    """Parse the bytes of :func:`pack_outcome`. Raise RecordError for damaged bytes."""
    try:
        version, url, keep, relevance, reason, lesson, led_by = msgpack.unpackb(packed)
        if version != RECORD:
            raise RecordError(f"an outcome of version {version}, this worker reads version {RECORD}")
        learned = None if lesson is None else json.loads(lesson)
        return Outcome(str(url), bool(keep), float(relevance), str(reason), learned, tuple(map(str, led_by)))
    except RecordError:
        raise
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise RecordError(f"an outcome is damaged ({type(error).__name__}: {error})") from None
