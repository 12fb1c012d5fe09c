"""What is noted of hosts, in either kind of database."""

from topical_crawler.corpus.record import HostFacts
from topical_crawler.corpus.store import CorpusStore


def test_the_latest_is_known_of_every_host(place: str) -> None:
    first = HostFacts("a.cn", "unreachable", 0.0, "2026-11-20T08:30:00+00:00")
    then = HostFacts("a.cn", "restricts", 2.5, "2026-11-20T08:40:00+00:00")
    other = HostFacts("党建.cn:8080", "none", asked="2026-11-20T08:30:00+00:00")
    with CorpusStore(place) as store:
        assert store.host_facts() == {}
        for facts in (first, other, then):
            store.note_host(facts)
        store.note_host(then)
    with CorpusStore(place, read_only=True) as store:
        assert store.host_facts() == {"a.cn": then, "党建.cn:8080": other}
