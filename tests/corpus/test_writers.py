"""Many writers, real processes: every text is kept once, and no rejection takes the place of a text."""

import threading
from collections import Counter

import pytest
from corpus_tools import AT_ONCE, everything, kept, start

from topical_crawler.corpus.dedup import DUPLICATE
from topical_crawler.corpus.record import Record, pages, storable, values_of
from topical_crawler.corpus.store import CorpusStore

WRITERS = 4
PAGES = 60
# Every writer stores the same texts in the same order: on the same pages (the first two of four; one of those is rejected by
# every second writer), or on pages of its own, below a first line of its own. The corpus is made by all of them at once, too.
WRITER = """
import os
import random
import sys
from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore

FIRST_LINES = "", "本报讯", "来源：新华网 2024年5月6日 ", "现将全文转发如下，供各支部学习参考。"

def write(worker):
    with CorpusStore(place) as store:
        for n in range(pages):
            host = "shared.cn" if n % 4 < 2 else f"mirror{worker}.cn"
            page = {"url": f"http://{host}/{n}", "host": host, "worker": str(worker)}
            text = "".join(map(chr, random.Random(n).choices(range(0x4E00, 0x9FA5), k=500)))
            if n % 4 == 0 and worker % 2:
                store.put(Record(keep=False, reason="timed out", **page))
            else:
                store.put(Record(keep=True, text=FIRST_LINES[worker] + text, **page))

place, writers, pages = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
"""


@pytest.mark.slow
def test_many_processes_write_the_same_texts_at_once(place: str) -> None:
    assert start(WRITER + AT_ONCE, place, WRITERS, PAGES).wait() == 0
    rows = everything(place)
    kept_urls = {int(row.url.rsplit("/")[-1]): row.url for row in rows if row.keep}
    assert sorted(kept_urls) == list(range(PAGES)) and len([row for row in rows if row.keep]) == PAGES
    assert max(Counter(row.key for row in rows).values()) == 1
    assert len(rows) == PAGES // 2 + WRITERS * PAGES // 2
    for row in rows:
        if not row.keep:
            assert (row.reason, row.duplicate_of) == (DUPLICATE, kept_urls[int(row.url.rsplit("/")[-1])])
            assert 0.9 < row.similarity <= 1
    assert len({row.worker for row in rows}) == WRITERS


def test_a_rejection_that_comes_at_the_same_moment_takes_no_text_away(place: str) -> None:
    page = kept(1)
    with CorpusStore(place) as one, CorpusStore(place) as other:
        with one.writing() as connection:  # has stored the text, and not yet committed
            connection.execute(pages.insert(), row(page))
            late = threading.Thread(target=other.put, args=[Record(url=page.url, host=page.host, keep=False, reason="late")])
            late.start()
            late.join(0.3)
            assert late.is_alive()
        late.join()
    (found,) = everything(place)
    assert (found.keep, found.text) == (True, page.text)


@pytest.mark.parametrize("place", ["postgresql"], indirect=True)
def test_one_writer_waits_for_another_only_over_the_same_text(place: str) -> None:
    with CorpusStore(place) as one, CorpusStore(place, patience=0.3) as other:
        with one.writing() as connection:
            connection.execute(pages.insert(), row(kept(1)))
            assert other.put(kept(2)).keep
        assert not other.put(kept(3, "主题教育第1讲")).keep


def row(record: Record) -> dict[str, object]:
    """What a store writes of a record."""
    return values_of(storable(record))
