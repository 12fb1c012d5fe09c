"""Waiting for what must come, however long it takes."""

from __future__ import annotations

import time
from collections.abc import Callable

HANGS = 600.0
"""Seconds after which a test is taken to hang: it ends the test, and decides nothing else."""


def wait_for(condition: Callable[[], object], explain: Callable[[], object] = lambda: "it never came") -> None:
    """Return as soon as ``condition`` holds; ``explain`` says what there was instead, should it never hold."""
    deadline = time.monotonic() + HANGS
    while not condition():
        assert time.monotonic() < deadline, explain()
        time.sleep(0.01)
