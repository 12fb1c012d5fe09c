"""What is noted of hosts, in either kind of database."""

from __future__ import annotations

from topical_crawler.corpus.hosts import HostFacts, note, note_in, read
from topical_crawler.corpus.store import CorpusStore

AGENT = "topical_crawler"


def test_the_latest_is_known_of_every_host(place: str) -> None:
    first = HostFacts("a.cn", "unreachable", 0.0, "2026-11-20T08:30:00+00:00")
    then = HostFacts("a.cn", "restricts", 2.5, "2026-11-20T08:40:00+00:00")
    other = HostFacts("党建.cn:8080", "none", asked="2026-11-20T08:30:00+00:00")
    with CorpusStore(place) as store:
        with store.reading() as connection:
            assert read(connection) == {}
        for facts in (first, other, then):
            note_in(store, facts)
        with store.writing() as connection:
            note(connection, then)
    with CorpusStore(place, read_only=True) as store, store.reading() as connection:
        assert read(connection) == {"a.cn": then, "党建.cn:8080": other}
