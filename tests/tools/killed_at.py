"""``python killed_at.py CLASS.METHOD CALL before|after ARGUMENT…``: Scrapy's command line, whose process is killed right before
or right after the given call of a method that writes. ``-`` for the first three kills nothing."""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from scrapy.cmdline import execute

from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl import checkpoints, second_look
from topical_crawler.crawl.second_look import SecondLook, SetAside
from topical_crawler.frontier.sqlite import SqliteFrontier, SqliteJournal

CLASSES = {cls.__name__: cls for cls in (CorpusStore, SecondLook, SetAside, SqliteFrontier, SqliteJournal)}


def kill_at(cls: type, name: str, call: int, when: str) -> None:
    method: Callable[..., Any] = getattr(cls, name)
    calls = 0

    def killing(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = method(*arguments, **options)
        if calls == call and when == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(cls, name, killing)


if __name__ == "__main__":
    checkpoints.CHECKPOINT_PAGES, second_look.FIRST = 20, 32  # often, so that a short crawl does all that a long one does
    where, call, when = sys.argv[1:4]
    if where != "-":
        cls, _, method = where.partition(".")
        kill_at(CLASSES[cls], method, int(call), when)
    execute(["scrapy", *sys.argv[4:]])
