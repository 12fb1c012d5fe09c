"""A database that is away, locked or full: what was acknowledged is there once and whole, and the message helps."""

import logging
import resource
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from corpus_tools import everything, kept
from postgres_tools import PostgresServer
from wait_tools import HANGS, wait_for

from topical_crawler.corpus.record import CorpusError
from topical_crawler.corpus.store import CorpusStore


@pytest.mark.slow
def test_a_server_that_is_killed_and_restarted_loses_nothing(
    own_server: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    place = own_server.new_database()
    acknowledged: list[int] = []
    enough = threading.Event()

    def write() -> None:
        with CorpusStore(place, patience=HANGS) as store:
            n = 0
            while not enough.is_set():
                n += 1
                store.learned("a.cn", f"文{n}")  # a crawl asks for them before it writes
                acknowledged.append(store.put(kept(n % 99, f"文{n}", url=f"http://a.cn/{n}")).order)

    writer = threading.Thread(target=write)
    with caplog.at_level(logging.WARNING):
        writer.start()
        for break_off in (own_server.kill, own_server.stop):
            wait_for_more(acknowledged)
            break_off()
            time.sleep(0.3)
            own_server.start()
        wait_for_more(acknowledged)
        enough.set()
        writer.join()
    rows = everything(place)
    assert [row.order for row in rows] == acknowledged
    assert [row.url for row in rows] == [f"http://a.cn/{n}" for n in range(1, len(acknowledged) + 1)]
    said = [record.getMessage() for record in caplog.records]
    assert [("is away" in line, "is back" in line) for line in said] == [(True, False), (False, True)] * 2
    assert all(f"127.0.0.1:{own_server.port}" in line and "heim" not in line for line in said)


def test_patience_ends_and_the_store_can_be_used_again(own_server: PostgresServer) -> None:
    with CorpusStore(own_server.new_database(), patience=0.5) as store:
        first = store.put(kept(1))
        own_server.stop()
        begun = time.monotonic()
        with pytest.raises(CorpusError, match=r"cannot be written .* Start the server") as error:
            store.put(kept(2))
        assert time.monotonic() - begun >= 0.5
        with pytest.raises(CorpusError, match="cannot be read"):
            store.stats()
        own_server.start()
        assert list(store.records()) == [first]
        assert store.put(kept(2)).keep
    assert "heim" not in str(error.value)


def test_a_lock_that_another_holds_is_waited_for_and_then_named(place: str) -> None:
    with CorpusStore(place, patience=0.4) as store, CorpusStore(place) as other:
        store.put(kept(1))
        with other.writing() as connection:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql("LOCK TABLE pages")
            begun = time.monotonic()
            with pytest.raises(CorpusError, match=r"cannot be written .*lock.* Another (process|connection)"):
                store.put(kept(2))
            assert time.monotonic() - begun >= 0.4
        assert store.put(kept(2)).keep
    assert len(everything(place)) == 2


@contextmanager
def small_files(limit: int) -> Iterator[None]:
    """No file of this process may grow beyond ``limit`` bytes, as on a disk without room."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_on_sqlite(tmp_path: Path) -> None:
    file = tmp_path / "corpus.sqlite"
    with CorpusStore(file) as store:
        first = store.put(kept(1))
        log = file.with_name("corpus.sqlite-wal")
        with (
            small_files(log.stat().st_size + 10_000),
            pytest.raises(CorpusError, match=r"corpus\.sqlite cannot be written .*room"),
        ):
            store.put(kept(2, "长文" * 50_000))
        assert list(store.records()) == [first]
        assert store.put(kept(2)).keep
    with sqlite3.connect(file) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize("place", ["postgresql"], indirect=True)
def test_a_full_disk_on_postgresql(place: str) -> None:
    full = "RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';"
    with CorpusStore(place) as store:
        with store.writing() as connection:
            connection.exec_driver_sql(f"CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {full} END $$")
            connection.exec_driver_sql("CREATE TRIGGER t BEFORE INSERT ON pages FOR EACH ROW EXECUTE FUNCTION f()")
        with pytest.raises(CorpusError, match=r"No space left on device.* Make room on the server's disk"):
            store.put(kept(1))
        with store.writing() as connection:
            connection.exec_driver_sql("DROP TRIGGER t ON pages")
        assert store.put(kept(1)).keep


def wait_for_more(stored: list[int]) -> None:
    enough = len(stored) + 30
    wait_for(lambda: len(stored) >= enough)
