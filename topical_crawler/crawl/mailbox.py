"""Messages to a running crawl: files in a folder of its data directory.

A command writes ``<id>.request.json``. The crawl polls the folder about once a second, performs the requests in order, and
writes ``<id>.answer.json``. A request is performed at most once: the crawl removes it before performing it, and a command
withdraws it on timeout. Files are written atomically.
"""

from __future__ import annotations

import json
import logging
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

logger = logging.getLogger(__name__)

Answer = dict[str, Any]

MAX_BYTES = 16 * 1024 * 1024  # size limit of a message's file
STALE_SECONDS = 3600.0  # age for deleting an unclaimed answer: its command has died
_REQUEST, _ANSWER, _UNFINISHED = ".request.json", ".answer.json", ".tmp"


class Mailbox:
    """Both sides of the folder: the crawl calls :meth:`serve`, a command :meth:`post`, :meth:`answer` and :meth:`withdraw`.

    The folder is created if missing, with access for this user alone.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o700, exist_ok=True)

    def serve(self, perform: Callable[[Answer], Answer]) -> int:
        """Perform every waiting request and return their number. An invalid request gets an error as its answer and stops
        nothing.
        """
        try:
            paths = sorted(self._folder.iterdir())
        except OSError:  # someone deleted the folder; the next command creates it
            return 0
        performed = 0
        for path in paths:
            if path.name.endswith(_REQUEST):
                performed += self._serve(path, path.name.removesuffix(_REQUEST), perform)
            elif path.name.endswith((_ANSWER, _UNFINISHED)):
                with suppress(OSError):  # fetched in the meantime
                    if time.time() - path.stat().st_mtime > STALE_SECONDS:
                        path.unlink()
        return performed

    def _serve(self, path: Path, number: str, perform: Callable[[Answer], Answer]) -> bool:
        try:
            try:
                message = _read(path)
                request, until = message["request"], float(message["until"])
                if not isinstance(request, dict):
                    raise TypeError
                problem = ""
            except (ValueError, KeyError, TypeError) as error:
                request, until = {}, float("inf")
                problem = f"the request cannot be read: {str(error) or 'not a JSON object'}"
            path.unlink()
        except FileNotFoundError:  # withdrawn; performing it without removal would repeat it forever
            return False
        if until < time.time():  # its command has timed out
            logger.info("Ignoring a mailbox request that came too late: %s", request.get("action"))
            return False
        try:
            answer = {"error": problem} if problem else perform(request)
        except (ValueError, LookupError) as error:
            answer = {"error": str(error)}
        except Exception as error:
            logger.exception("The request %r of the mailbox failed", request.get("action"))
            answer = {"error": f"the crawl could not do it: {error}"}
        try:
            self._write(number + _ANSWER, answer)
        except ValueError as error:
            self._write(number + _ANSWER, {"error": f"the answer {error}. Ask for less"})
        except OSError as error:
            logger.warning("A mailbox request was performed, but its answer cannot be written: %s", error)
        return not problem

    def post(self, request: Mapping[str, Any], wait: float) -> str:
        """Write a request that expires after ``wait`` seconds, and return its id.

        Raises:
            ValueError: the request is too long.
        """
        number = f"{time.time_ns():020d}-{uuid.uuid4().hex[:8]}"
        try:
            self._write(number + _REQUEST, {"until": time.time() + wait, "request": request})
        except ValueError as error:
            raise ValueError(f"the request {error}. Split it into several requests") from None
        return number

    def answer(self, number: str) -> Answer | None:
        """Return and delete the answer to a request, or return None if there is none yet."""
        path = self._folder / (number + _ANSWER)
        if not path.is_file():
            return None
        answer = _read(path)
        path.unlink()
        return answer

    def withdraw(self, number: str) -> bool:
        """Withdraw a request. Return False if the crawl has already taken it."""
        try:
            (self._folder / (number + _REQUEST)).unlink()
        except FileNotFoundError:
            return False
        return True

    def _write(self, name: str, message: Mapping[str, Any]) -> None:
        data = json.dumps(message, allow_nan=False).encode("ascii")  # escaped, so that any text can be written
        if len(data) > MAX_BYTES:
            raise ValueError(f"has {len(data):,} bytes, more than the limit of {MAX_BYTES:,}")
        unfinished = self._folder / (name + _UNFINISHED)
        unfinished.write_bytes(data)
        unfinished.replace(self._folder / name)


def _read(path: Path) -> dict[str, Any]:
    """Read a message. Raise ValueError for an oversized or invalid file."""
    if (size := path.stat().st_size) > MAX_BYTES:
        raise ValueError(f"it has {size:,} bytes, more than the limit of {MAX_BYTES:,}")
    message = json.loads(path.read_bytes())
    if not isinstance(message, dict):
        raise ValueError("it is not a JSON object")
    return message
