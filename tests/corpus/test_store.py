"""The store, on SQLite and on PostgreSQL: one row a page, duplicates, durability, readers beside a writer, foreign files."""

import dataclasses
import math
import signal
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from corpus_tools import everything, kept, rejected, start
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.corpus.record import VERSION, CorpusError, Filters, HostFacts, Record, meta, pages, plain, text_hash
from topical_crawler.corpus.store import CorpusStore


@pytest.fixture
def store(place: str) -> Iterator[CorpusStore]:
    with CorpusStore(place) as opened:
        yield opened


def test_a_record_comes_back_as_it_went_in(store: CorpusStore) -> None:
    record = kept(
        1, key="ab" * 16, final_url="http://www.a.cn/one", author="王某", encoding="gb18030", status=200, size=31_000,
        priority=0.7, depth=3, worker="eins",
        why={"terms": {"党建": 0.6}, "parent": "http://www.a.cn/", "anchor": "一"},
    )  # fmt: skip
    stored = store.put(record)
    assert stored == dataclasses.replace(record, content_hash=text_hash("主题教育第1讲"), order=1)
    assert list(store.records()) == [stored]
    assert store.get("ab" * 16) == stored and store.get("cd" * 16) is None


def test_putting_a_page_twice_leaves_one_row_in_its_place(store: CorpusStore) -> None:
    first = store.put(kept(1))
    store.put(rejected(2))
    copy = store.put(kept(3, "主题教育 第1讲。"))
    assert (copy.keep, copy.reason, copy.duplicate_of, copy.text) == (False, "duplicate", "http://www.a.cn/1.html", None)
    assert store.put(kept(1)) == first
    assert store.put(kept(3, "主题教育 第1讲。")) == copy
    rows = list(store.records(Filters(rejected=True)))
    assert [(r.order, r.url) for r in rows] == [(1, first.url), (2, "http://b.cn/2"), (3, copy.url)]
    changed = store.put(kept(1, "另一篇"))
    assert (changed.order, changed.text) == (1, "另一篇")
    assert store.put(kept(4, "主题教育第1讲")).keep  # the first copy of the text is gone


def test_a_kept_text_is_not_replaced_by_a_rejection(store: CorpusStore) -> None:
    held = store.put(kept(1))
    late = store.put(Record(url=held.url, host=held.host, keep=False, reason="timed out"))
    assert (late.keep, late.reason, late.order) == (False, "timed out", held.order)
    assert [(r.keep, r.text) for r in store.records(Filters(rejected=True))] == [(True, held.text)]


def test_a_rejected_page_keeps_no_text_and_makes_no_duplicates(store: CorpusStore) -> None:
    store.put(Record(url="http://b.cn/1", host="b.cn", keep=False, reason="near-empty", text="主题教育第1讲"))
    assert store.put(kept(1)).keep
    assert [r.text for r in store.records(Filters(rejected=True))] == [None, "主题教育第1讲"]
    assert store.put(kept(5, "……")).keep and store.put(kept(6, "！！")).keep  # nothing to compare by


@pytest.mark.parametrize("bad", [{"keep": True}, {"keep": True, "text": "党", "reason": "x"}, {"keep": False}])
def test_a_record_that_contradicts_itself_is_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"http://a\.cn/"):
        Record(url="http://a.cn/", host="a.cn", **bad)  # type: ignore[arg-type]


def test_any_text_can_be_stored(store: CorpusStore) -> None:
    @given(text=st.text(min_size=1), title=st.text(), number=st.floats())
    def check(text: str, title: str, number: float) -> None:
        store.put(kept(1, text + "党", title=title + "\ud800\0", why={"anchor": title + "\ud800", "terms": [number]}))
        (found,) = store.records()
        assert found.text == plain(text + "党")
        assert found.title == plain(title) + "?"
        assert found.why == {"anchor": title + "?", "terms": [number if math.isfinite(number) else None]}

    check()


def test_filters(store: CorpusStore) -> None:
    for n in range(1, 8):
        store.put(kept(n, f"{n}" * n * 10))
    store.put(kept(8, host="dangjian.people.cn", url="http://dangjian.people.cn/8", date=""))
    store.put(kept(9, host="notpeople.cn", url="http://notpeople.cn/9"))
    store.put(rejected(10))

    def numbers(**conditions: object) -> list[int]:
        return [r.order for r in store.records(Filters(**conditions))]  # type: ignore[arg-type]

    assert numbers() == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert numbers(rejected=True) == list(range(1, 11))
    assert numbers(hosts=("people.cn",)) == [8]
    assert numbers(hosts=("people.cn", "B.cn"), rejected=True) == [8, 10]
    assert numbers(hosts=("%",)) == []
    assert numbers(min_relevance=0.65) == [7, 8, 9]
    assert numbers(since="2024-01-03", until="2024-01-05") == [3, 4, 5]
    assert numbers(until="2024-01-02") == [1, 2]
    assert numbers(min_characters=50) == [5, 6, 7]
    assert numbers(limit=2, min_characters=30) == [3, 4]


def test_statistics_and_fetch_order(store: CorpusStore) -> None:
    same = kept(4, "主题教育第3讲！")
    for record in (rejected(1), kept(2), kept(3), same, rejected(5, "near-empty"), rejected(6), kept(7, date="")):
        store.put(record)
    stats = store.stats()
    assert (stats.fetched, stats.kept, stats.dated, stats.characters) == (7, 3, 2, 21)
    assert stats.rejected == {"off topic": 2, "duplicate": 1, "near-empty": 1}
    assert [(h.host, h.fetched, h.kept, h.harvest) for h in stats.hosts] == [("www.a.cn", 4, 3, 0.75), ("b.cn", 3, 0, 0.0)]
    assert (stats.first_date, stats.last_date) == ("2024-01-02", "2024-01-03")
    assert stats.last_fetched == "2026-11-20T08:00:07+00:00"
    assert list(store.fetched())[:2] == ["http://b.cn/1", "http://www.a.cn/2.html"]
    assert list(store.fetched(kept=True)) == [f"http://www.a.cn/{n}.html" for n in (2, 3, 7)]


def test_an_empty_corpus_has_statistics(store: CorpusStore) -> None:
    stats = store.stats()
    assert (stats.fetched, stats.kept, stats.harvest, stats.density, stats.hosts, stats.first_date) == (0, 0, 0.0, 0.0, (), "")


def test_others_read_while_one_writes_and_while_reading_is_under_way(place: str, store: CorpusStore) -> None:
    for n in range(1, 300):
        store.put(kept(n, f"文{n}", date=""))
    with CorpusStore(place, read_only=True) as reader:
        rows = reader.records()
        first = next(rows)
        store.put(kept(1000, date=""))
        assert first.order == 1
        assert sum(1 for _ in rows) == 298  # as the corpus was when the reading began
        assert reader.stats().kept == 300
        with pytest.raises(CorpusError, match="was opened for reading"):
            reader.put(kept(5, "另一篇"))
        with pytest.raises(CorpusError, match=r"read-?only.*It was opened for reading"), reader.reading() as connection:
            connection.execute(pages.delete())  # the database itself sees to it
    assert store.stats().kept == 300


def test_what_was_put_survives_a_kill(place: str) -> None:
    process = start(
        "import sys\nfrom topical_crawler.corpus.record import Record\nfrom topical_crawler.corpus.store import CorpusStore\n"
        "store = CorpusStore(sys.argv[1])\nn = 0\nwhile True:\n    n += 1\n"
        "    store.put(Record(url=f'http://a.cn/{n}', host='a.cn', keep=True, text=f'文{n}'))\n    print(n, flush=True)\n",
        place,
    )
    assert process.stdout is not None
    for _ in range(100):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    rest = process.stdout.read()  # communicate() would leave out what readline() has read ahead
    process.communicate()
    acknowledged = 100 + rest.count(b"\n")
    assert len(everything(place)) in (acknowledged, acknowledged + 1)


def test_foreign_and_missing_files_are_named(tmp_path: Path) -> None:
    text = tmp_path / "text.sqlite"
    text.write_text("主题教育" * 500, "utf-8")
    foreign = tmp_path / "foreign.sqlite"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE cookies (name TEXT)")
    later = tmp_path / "later.sqlite"
    CorpusStore(later).close()
    with sqlite3.connect(later) as connection:
        connection.execute("UPDATE corpus_meta SET value = '7'")
    before = foreign.read_bytes()
    for file, message in ((text, "file is not a database"), (foreign, "no corpus"), (later, "version 7")):
        for read_only in (False, True):
            with pytest.raises(CorpusError, match=f"{message}.* (Use|[Nn]ame) ") as error:
                CorpusStore(file, read_only=read_only)
            assert str(file) in str(error.value)
    assert foreign.read_bytes() == before
    with pytest.raises(CorpusError, match="there is no corpus at"):
        CorpusStore(tmp_path / "none.sqlite", read_only=True)
    assert not (tmp_path / "none.sqlite").exists()


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
