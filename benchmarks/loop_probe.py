"""Measures the callbacks of an event loop: the settings of the crawl that benchmarks/loop.py makes import it."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

LEAST = 0.02  # seconds of processor time of a callback that is noted
EVERY = 0.01  # seconds between two looks at what runs


class Probe:
    """Writes a line of JSON for each callback that took long: its seconds, the address that it worked for, and where it was
    seen, the most often first."""

    def __init__(self, file: Path) -> None:
        self._file = file.open("a", encoding="utf-8", buffering=1)
        self._began = 0.0
        self._seen: dict[str, int] = {}
        self._address = ""
        self._thread = threading.main_thread().ident
        run = asyncio.events.Handle._run

        def measured(handle: asyncio.events.Handle) -> None:
            began = time.thread_time()
            self._began = time.monotonic()
            run(handle)
            self._began = 0.0
            if (seconds := time.thread_time() - began) > LEAST:
                seen = sorted(self._seen, key=lambda place: -self._seen[place])
                self._file.write(json.dumps({"seconds": seconds, "url": self._address, "seen": seen[:4]}) + "\n")
            if self._seen:
                self._seen, self._address = {}, ""

        asyncio.events.Handle._run = measured  # type: ignore[method-assign]
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while True:
            time.sleep(EVERY)
            if not self._began or time.monotonic() - self._began < EVERY:
                continue
            frame = sys._current_frames().get(self._thread or 0)
            own: list[str] = []
            while frame is not None:
                if "topical_crawler" in frame.f_code.co_filename and len(own) < 3:
                    own.append(f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_qualname}:{frame.f_lineno}")
                self._address = self._address or _address(frame)
                frame = frame.f_back
            place = " < ".join(own)
            self._seen[place] = self._seen.get(place, 0) + 1


def _address(frame: FrameType) -> str:
    """Return the address of the response, request or item that a function works on."""
    for name in ("item", "response", "request", "entry"):
        found: Any = frame.f_locals.get(name)
        if isinstance(url := getattr(found, "url", None), str):
            return url
    return ""
