"""A random sample that is the same every time."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator

from topical_crawler.corpus.record import Record
from topical_crawler.export.split import digest


def threshold(keys: Iterable[str], size: int, seed: int = 0) -> int:
    """The greatest digest of a sample's keys: of ``size`` pages drawn without replacement, or all where there are fewer.

    With the same seed a sample holds every smaller one, and stays nearly the same while the corpus grows. Memory is that of
    ``size`` numbers.

    Args:
        keys: of all pages that can be drawn.
        size: 1 or more.
        seed: another one draws otherwise.
    """
    smallest: list[int] = []  # negative, as the heap has its least on top
    for key in keys:
        drawn = -digest(seed, "sample", key)
        if len(smallest) < size:
            heapq.heappush(smallest, drawn)
        elif drawn > smallest[0]:
            heapq.heapreplace(smallest, drawn)
    return -smallest[0] if smallest else -1


def drawn(records: Iterable[Record], most: int, seed: int = 0) -> Iterator[Record]:
    """The records of the sample with the threshold ``most``, in their order.

    >>> pages = [Record(url=f"http://a.cn/{n}", host="a.cn", keep=True, text="党建") for n in range(9)]
    >>> [page.url for page in drawn(pages, threshold((page.key for page in pages), 2), 0)]
    ['http://a.cn/1', 'http://a.cn/8']
    """
    return (record for record in records if digest(seed, "sample", record.key) <= most)
