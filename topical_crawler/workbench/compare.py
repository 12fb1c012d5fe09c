"""Compare two crawls: their curves, their hosts, what they share, and the words that part them."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from topical_crawler.corpus.record import Filters, pages
from topical_crawler.frontier import REDIRECTED
from topical_crawler.text.wordlist import keyness
from topical_crawler.workbench.bench import Bench
from topical_crawler.workbench.corpus import READ, counted, in_background, waiting
from topical_crawler.workbench.jobs import Progress
from topical_crawler.workbench.operations import Operation, Param, Values

_HOSTS, _KEYS = 20, 30


def compare(bench: Bench, values: Values) -> dict[str, Any]:
    first, second = values["crawl"], values["other"]
    data: dict[str, Any] = {"others": [name for name in bench.crawls() if name != first], "other": second}
    if not second:
        return data
    bench.corpus(second)

    def work(note: Progress) -> dict[str, Any]:
        return both(bench, first, second)

    key = ("compare", second, bench.version(second))
    jobs = [in_background(bench, first, key, work), counted(bench, first, Filters(), READ),
            counted(bench, second, Filters(), READ)]  # fmt: skip
    for job in jobs:
        if not job.done.is_set():
            return data | waiting(job)
    one, two = jobs[1].value, jobs[2].value
    is_content = bench.segmenter(first).is_content
    keys = [
        [key._asdict() for key in keyness(mine, other.occurrences) if is_content(key.word)][:_KEYS]
        for mine, other in ((one, two), (two, one))
    ]
    return {**data, **jobs[0].value, "keys": keys}


def both(bench: Bench, first: str, second: str) -> dict[str, Any]:
    """Counts of both corpora, by host too, and of the texts that both have (alike but for punctuation)."""
    totals, hosts, texts = [], [], []
    for name in (first, second):
        kept = sa.func.sum(sa.case((pages.c.keep, 1), else_=0))
        query = sa.select(pages.c.host, sa.func.count(), kept).where(pages.c.reason != REDIRECTED).group_by(pages.c.host)
        with bench.corpus(name).reading() as connection:
            by_host = {host: (fetched, int(n)) for host, fetched, n in connection.execute(query)}
            texts.append(set(connection.scalars(sa.select(pages.c.content_hash).where(pages.c.keep))))
        hosts.append(by_host)
        totals.append({"fetched": sum(n for n, _ in by_host.values()), "kept": sum(n for _, n in by_host.values())})
    names = sorted({*hosts[0], *hosts[1]}, key=lambda host: (-sum(h.get(host, (0, 0))[1] for h in hosts), host))
    rows = [{"host": host, "first": hosts[0].get(host, (0, 0)), "second": hosts[1].get(host, (0, 0))} for host in names[:_HOSTS]]
    return {"totals": totals, "hosts": rows, "shared": len(texts[0] & texts[1])}


OPERATIONS = (
    Operation(
        "compare",
        "/crawls/{crawl}/compare",
        "Compare a crawl with another: counts, hosts, texts that both have, words that are key for one against the other.",
        compare,
        (Param(name="other", about="the other crawl", default="", longest=200),),
    ),
)
