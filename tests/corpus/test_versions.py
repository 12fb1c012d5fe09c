"""A corpus of another version is refused and left as it is; an empty database gets its tables once."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from corpus_tools import everything, kept

from topical_crawler.corpus.record import VERSION, CorpusError, meta
from topical_crawler.corpus.store import CorpusStore


@pytest.mark.parametrize("version", [VERSION - 1, VERSION + 1])
def test_another_version_is_refused(place: str, version: int) -> None:
    with CorpusStore(place) as store:
        store.put(kept(1))
        before = everything(place)
        with store.writing() as connection:
            connection.execute(meta.update().values(value=str(version)))
        for read_only in (False, True):
            with pytest.raises(
                CorpusError, match=rf"of version {version}, and this program reads version {VERSION}\. Use .*collect anew"
            ):
                CorpusStore(place, read_only=read_only)
        with store.writing() as connection:
            assert connection.scalar(sa.select(meta.c.value)) == str(version)
            connection.execute(meta.update().values(value=str(VERSION)))
    assert everything(place) == before


def test_several_that_open_an_empty_database_at_once_make_one_corpus(place: str) -> None:
    with ThreadPoolExecutor(4) as threads:
        stores = list(threads.map(CorpusStore, [place] * 4))
    for n, store in enumerate(stores, 1):
        store.put(kept(n))
        store.close()
    assert [record.order for record in everything(place)] == [1, 2, 3, 4]
