"""Tasks of benchmarks, run side by side in processes of their own."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Iterable


def forked(tasks: Iterable[Callable[[], None]]) -> float:
    """Run tasks side by side, each in a process of its own. Return their seconds. Raise SystemExit if one fails."""
    begun, children = time.perf_counter(), []
    for task in tasks:
        children.append(os.fork())
        if not children[-1]:
            try:
                task()
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
    if sum(os.waitpid(child, 0)[1] for child in children):
        raise SystemExit("a process failed")
    return time.perf_counter() - begun
