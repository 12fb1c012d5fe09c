"""A recorded web behind a real HTTP server: python benchmarks/web_server.py WEB.warc.gz --log FILE [--latency 0.05]

Crawlers reach it as their HTTP proxy (``http_proxy=http://NAME:-@127.0.0.1:PORT``): the hosts of the recording need no DNS, and
the log says which crawler asked, by the NAME. It speaks HTTP/1.1 with connections that stay open, answers http only (CONNECT,
and so https, gets 501), and sends every answer ``latency`` seconds after the request arrived, however many there are.

Answers are as recorded: status, headers, body. What is not recorded is 404 on a host of the recording and 502 on any other, as a
proxy answers that cannot reach it. A robots.txt's Crawl-delay is left out unless ``--crawl-delay HOST=SECONDS`` sets one: a
recorded delay of a second would make any measurement one of waiting.

The log has a line of JSON per request: [NAME, host, path, arrived, answered, status]. Times are seconds of ``time.monotonic()``,
which all processes of a machine share: when the request line arrived, and when the answer was sent, or with status 0, when
the crawler hung up before it.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import binascii
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Self, TextIO
from urllib.parse import urlsplit

from topical_crawler.recordings.reader import Recording, RecordingError, Response

LONGEST_HEAD = 1 << 16
FLUSH_SECONDS = 0.5
_CRAWL_DELAY = re.compile(rb"^crawl-delay:.*\r?\n?", re.IGNORECASE | re.MULTILINE)
_AUTHORIZATION = re.compile(rb"^proxy-authorization: *basic +(\S+)", re.IGNORECASE | re.MULTILINE)
_CLOSE = re.compile(rb"^(?:proxy-)?connection: *close", re.IGNORECASE | re.MULTILINE)
_OF_CONNECTIONS = {"connection", "keep-alive", "content-length", "proxy-connection"}


class Web:
    """What is answered: bytes for a URL."""

    def __init__(self, recording: Recording, crawl_delays: Mapping[str, float]) -> None:
        self._recording = recording
        self._crawl_delays = crawl_delays
        self._hosts = {urlsplit(url).netloc.lower() for url in recording.urls()}

    def answer(self, method: str, url: str) -> tuple[int, bytes]:
        """Status, and the whole answer."""
        if method not in ("GET", "HEAD") or not url.startswith("http://"):
            return _message(501, (), b"this proxy answers GET and HEAD of http:// addresses\n")
        host = urlsplit(url).netloc.lower()
        if host not in self._hosts:
            return _message(502, (), b"no such host in the recording\n")
        found = self._recording.get(url) or Response(404, (("Content-Type", "text/plain"),), b"not recorded\n")
        body = found.body
        if urlsplit(url).path == "/robots.txt":
            body = _CRAWL_DELAY.sub(b"", body) if found.status == 200 else b""
            if host in self._crawl_delays:
                # The group for all comes again: Crawl-delay counts for the group it stands in, and groups of one name are one.
                body += b"\nUser-agent: *\nCrawl-delay: %g\n" % self._crawl_delays[host]
                found = Response(200, (("Content-Type", "text/plain"),), body)
        return _message(found.status, found.headers, body, body_too=method == "GET")


def _message(status: int, headers: Iterable[tuple[str, str]], body: bytes, *, body_too: bool = True) -> tuple[int, bytes]:
    phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else "Recorded"
    lines = [f"HTTP/1.1 {status} {phrase}", *(f"{n}: {v}" for n, v in headers if n.lower() not in _OF_CONNECTIONS)]
    head = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode("latin-1", "replace")
    return status, head + (body if body_too else b"")


class Connection(asyncio.Protocol):
    """One connection of a crawler: a request, its answer, the next request."""

    def __init__(self, web: Web, latency: float, log: TextIO) -> None:
        self._web, self._latency, self._log = web, latency, log
        self._buffer = b""
        self._arrived = 0.0
        self._open: tuple[str, str, str, float] | None = None  # the request that is being answered
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._note(0)

    def data_received(self, data: bytes) -> None:
        if not self._buffer:
            self._arrived = time.monotonic()
        self._buffer += data
        self._read()

    def _read(self) -> None:
        if self._timer is not None:  # a request sent before the last one was answered waits its turn
            return
        head, ended, rest = self._buffer.partition(b"\r\n\r\n")
        if not ended:
            if len(self._buffer) > LONGEST_HEAD:
                self._transport.abort()
            return
        self._buffer = rest
        try:
            method, url, _ = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
            parts = urlsplit(url)
        except ValueError:
            self._transport.abort()
            return
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        self._open = (_name(head), parts.netloc.lower() or url, path or "/", self._arrived)
        status, message = self._web.answer(method, url)
        left = self._arrived + self._latency - time.monotonic()
        close = _CLOSE.search(head) is not None or status == 501
        self._timer = asyncio.get_running_loop().call_later(max(left, 0.0), self._send, status, message, close)

    def _send(self, status: int, message: bytes, close: bool) -> None:
        self._timer = None
        self._transport.write(message)
        self._note(status)
        if close:
            self._transport.close()
        elif self._buffer:
            self._arrived = time.monotonic()
            self._read()

    def _note(self, status: int) -> None:
        assert self._open is not None
        self._log.write(json.dumps([*self._open, time.monotonic(), status], ensure_ascii=False) + "\n")


def _name(head: bytes) -> str:
    """The user name that the crawler gave its proxy."""
    found = _AUTHORIZATION.search(head)
    try:
        return base64.b64decode(found[1]).decode().partition(":")[0] if found else ""
    except (binascii.Error, UnicodeDecodeError):
        return ""


async def serve(web: Web, latency: float, port: int, log: TextIO) -> None:
    """Answer until SIGTERM or SIGINT. The port is printed once the server listens."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    server = await loop.create_server(lambda: Connection(web, latency, log), "127.0.0.1", port, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    while not ended.is_set():
        log.flush()
        try:
            await asyncio.wait_for(ended.wait(), FLUSH_SECONDS)
        except TimeoutError:
            continue
    server.close()


@dataclass(frozen=True, slots=True)
class Hit:
    """A line of the log: see the module."""

    name: str
    host: str
    path: str
    arrived: float
    answered: float
    status: int

    @property
    def url(self) -> str:
        return f"http://{self.host}{self.path}"


class WebServer:
    """The server in a process of its own, for a ``with`` statement."""

    def __init__(self, warc: Path, log: Path, latency: float, crawl_delays: Mapping[str, float] | None = None) -> None:
        self.log = log
        self._command = [sys.executable, __file__, str(warc), "--log", str(log), "--latency", str(latency)]
        for host, seconds in (crawl_delays or {}).items():
            self._command += ["--crawl-delay", f"{host}={seconds}"]

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, encoding="ascii")
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"the web server did not start (exit code {self._process.wait()}); its message is above")
        self.port = int(line)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()

    def environment(self, name: str) -> dict[str, str]:
        """Variables of a crawler that the log is to call ``name``."""
        kept = {k: v for k, v in os.environ.items() if k.lower() not in ("http_proxy", "https_proxy", "all_proxy", "no_proxy")}
        return {**kept, "http_proxy": f"http://{name}:-@127.0.0.1:{self.port}"}

    def hits(self) -> list[Hit]:
        """The requests so far (written every half second, and at the end), in the order of their arrival."""
        with self.log.open(encoding="utf-8") as lines:
            return sorted((Hit(*json.loads(line)) for line in lines if line.endswith("\n")), key=lambda hit: hit.arrived)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warc", type=Path, help="the recorded web")
    parser.add_argument("--log", type=Path, required=True, help="file for the requests; an earlier one is overwritten")
    parser.add_argument("--port", type=int, default=0, help="of 127.0.0.1; 0, the default: any free one, which is printed")
    parser.add_argument("--latency", type=float, default=0.05, help="seconds from a request to its answer (0.05)")
    parser.add_argument("--crawl-delay", action="append", default=[], metavar="HOST=SECONDS", help="in the host's robots.txt")
    options = parser.parse_args()
    delays = {host: float(seconds) for host, _, seconds in (given.partition("=") for given in options.crawl_delay)}
    try:
        recording = Recording(options.warc)
    except RecordingError as error:
        print(error, file=sys.stderr)
        return 1
    with recording, options.log.open("w", encoding="utf-8") as log:
        asyncio.run(serve(Web(recording, delays), options.latency, options.port, log))
    return 0


if __name__ == "__main__":
    sys.exit(main())
