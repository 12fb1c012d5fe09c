"""Compare two crawls: their curves, their hosts, what they share, and the words that part them."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from topical_crawler.corpus.record import Filters, pages
from topical_crawler.text.wordlist import keyness
from topical_crawler.workbench.bench import Bench
from topical_crawler.workbench.corpus import READ, by_host, counted, in_background, totals, waiting
from topical_crawler.workbench.jobs import Progress
from topical_crawler.workbench.operations import Operation, Param, Values

_HOSTS, _KEYS = 20, 30


def compare(bench: Bench, values: Values) -> dict[str, Any]:
    first, second = values["crawl"], values["other"]
    data: dict[str, Any] = {"others": [name for name in bench.crawls() if name != first], "other": second}
    if not second:
        return data
    bench.corpus(second)

    def work(note: Progress) -> int:
        texts = []
        for name in (first, second):
            with bench.corpus(name).reading() as connection:
                texts.append(set(connection.scalars(sa.select(pages.c.content_hash).where(pages.c.keep))))
        return len(texts[0] & texts[1])

    jobs = [in_background(bench, first, ("compare", second, bench.version(second)), work), by_host(bench, first),
            by_host(bench, second), counted(bench, first, Filters(), READ), counted(bench, second, Filters(), READ)]  # fmt: skip
    for job in jobs:
        if not job.done.is_set():
            return data | waiting(job)
    shared, mine, others, one, two = (job.value for job in jobs)
    names = sorted({*mine, *others}, key=lambda host: (-sum(h.get(host, (0, 0))[1] for h in (mine, others)), host))
    rows = [{"host": host, "first": mine.get(host, (0, 0)), "second": others.get(host, (0, 0))} for host in names[:_HOSTS]]
    is_content = bench.segmenter(first).is_content
    keys = [
        [key._asdict() for key in keyness(here, there.occurrences) if is_content(key.word)][:_KEYS]
        for here, there in ((one, two), (two, one))
    ]
    return {**data, "totals": [totals(mine), totals(others)], "hosts": rows, "shared": shared, "keys": keys}


OPERATIONS = (
    Operation(
        "compare",
        "/crawls/{crawl}/compare",
        "Compare a crawl with another: counts, hosts, texts that both have, words that are key for one against the other.",
        compare,
        (Param(name="other", about="the other crawl", default="", longest=200),),
    ),
)
