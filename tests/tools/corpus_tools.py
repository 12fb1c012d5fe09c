"""Pages for corpora, and programs that store them."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from topical_crawler.corpus.record import Filters, Record
from topical_crawler.corpus.store import CorpusStore

ROOT = Path(__file__).parents[2]
NewPlace = Callable[[str], str]
AT_ONCE = """
children, (gate, opened) = [], os.pipe()
for worker in range(writers):
    children.append(os.fork())
    if not children[-1]:
        os.close(opened)
        os.read(gate, 1)  # until the parent closes it, and all set off at once
        write(worker)
        os._exit(0)
os.close(opened)
sys.exit(sum(os.waitpid(child, 0)[1] for child in children))
"""
"""The end of a program that defines ``write(worker)`` and ``writers``: so many processes, which all set off at once."""


def kept(n: int, text: str = "", **more: object) -> Record:
    fields = {"title": f"标题{n}", "relevance": n / 10, "date": f"2024-01-{n:02d}", "fetched": f"2026-11-20T08:00:{n:02d}+00:00"}
    fields |= {"url": f"http://www.a.cn/{n}.html", "host": "www.a.cn", "text": text or f"主题教育第{n}讲"}
    return Record(keep=True, **(fields | more))  # type: ignore[arg-type]


def rejected(n: int, reason: str = "off topic", host: str = "b.cn") -> Record:
    return Record(url=f"http://{host}/{n}", host=host, keep=False, reason=reason)


def everything(place: str | Path) -> list[Record]:
    """All rows of the corpus there."""
    with CorpusStore(place, read_only=True) as store:
        return list(store.records(Filters(rejected=True)))


def start(script: str, *arguments: object) -> subprocess.Popen[bytes]:
    """A Python program with the project on its path; talked to by pipes."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
