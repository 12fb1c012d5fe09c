"""Corpora of an older version: brought up to date without loss, read as they are, and the same in the end as new ones."""

from __future__ import annotations

import dataclasses
import logging
import re
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from corpus_tools import everything, kept, rejected

from topical_crawler.corpus.migrations import STEPS
from topical_crawler.corpus.record import Record
from topical_crawler.corpus.schema import VERSION, CorpusError, meta, pages, tables
from topical_crawler.corpus.store import CorpusStore

ID = {"sqlite": "INTEGER NOT NULL", "postgresql": "SERIAL NOT NULL"}
VERSION_1 = """
CREATE TABLE corpus_meta (name VARCHAR(40) NOT NULL, value VARCHAR(200) NOT NULL, PRIMARY KEY (name));
CREATE TABLE pages (
    id {id}, key VARCHAR(64) NOT NULL, url TEXT NOT NULL, final_url TEXT NOT NULL, host TEXT NOT NULL, keep BOOLEAN NOT NULL,
    reason TEXT NOT NULL, duplicate_of TEXT NOT NULL, fetched TEXT NOT NULL, date TEXT NOT NULL, characters INTEGER NOT NULL,
    relevance FLOAT NOT NULL, priority FLOAT NOT NULL, depth INTEGER NOT NULL, status INTEGER NOT NULL, size INTEGER NOT NULL,
    encoding TEXT NOT NULL, content_hash VARCHAR(32) NOT NULL, title TEXT NOT NULL, author TEXT NOT NULL, why JSON NOT NULL,
    text TEXT, PRIMARY KEY (id), UNIQUE (key)
);
CREATE INDEX ix_pages_content_hash ON pages (content_hash);
INSERT INTO corpus_meta VALUES ('version', '1')
"""
"""The tables as version 1 made them."""
ROWS = (
    kept(1, priority=0.7, depth=3, why={"terms": {"党建": 0.6}}, content_hash="ab", order=1),
    dataclasses.replace(rejected(2), order=2),
    kept(4, "第四讲", order=5),
)
_NAMES = ["id", *(name for name in re.findall(r"(?<=[ (])(\w+) [A-Z]+", VERSION_1.split("pages (")[1]) if name in pages.c)]
OF_VERSION_1 = sa.Table("pages", sa.MetaData(), *(sa.Column(name, pages.c[name].type) for name in dict.fromkeys(_NAMES)))


def engine_of(place: str) -> sa.Engine:
    if "://" in place:
        return sa.create_engine(place)
    Path(place).parent.mkdir(exist_ok=True)
    return sa.create_engine(f"sqlite:///{place}")


def insert(connection: sa.Connection, record: Record) -> None:
    """As version 1 does it, which knows no worker."""
    values = {column.name: getattr(record, column.name) for column in OF_VERSION_1.c if column.name != "id"}
    connection.execute(OF_VERSION_1.insert(), values | ({"id": record.order} if record.order else {}))


@pytest.fixture
def old(place: str) -> sa.Engine:
    """A corpus of version 1 with three rows."""
    engine = engine_of(place)
    with engine.begin() as connection:
        for statement in VERSION_1.format(id=ID[engine.dialect.name]).split(";"):
            connection.exec_driver_sql(statement)
        for record in ROWS:
            insert(connection, record)
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql("SELECT setval('pages_id_seq', 5)")
    return engine


def schema_differences(engine: sa.Engine) -> list[object]:
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        return list(compare_metadata(context, tables))


def columns(engine: sa.Engine) -> list[str]:
    return sorted(map(str, sa.inspect(engine).get_columns("pages")))


def test_opening_it_for_writing_brings_it_up_to_date(place: str, old: sa.Engine, caplog: pytest.LogCaptureFixture) -> None:
    assert schema_differences(old)
    with caplog.at_level(logging.INFO, "topical_crawler"), CorpusStore(place) as store:
        assert store.found_version == 1
        assert [record.getMessage() for record in caplog.records] == [
            f"{store.name}: bringing the corpus from version 1 to {VERSION}",
            f"{store.name}: the corpus has version {VERSION}",
        ]
        assert everything(place) == list(ROWS)
        new = store.put(kept(9, worker="eins"))
        assert (new.order, new.worker) == (6, "eins")
        with old.begin() as connection:  # a process of version 1 that is still running
            insert(connection, kept(8))
        assert everything(place)[-1].worker == ""
    with CorpusStore(place) as store:
        assert store.found_version == VERSION
    assert schema_differences(old) == []


def test_an_upgraded_corpus_is_like_a_new_one(place: str, old: sa.Engine, new_place: object) -> None:
    CorpusStore(place).close()
    fresh_place = new_place(old.dialect.name)  # type: ignore[operator]
    CorpusStore(fresh_place).close()
    fresh = engine_of(fresh_place)

    def described(engine: sa.Engine) -> list[object]:
        with engine.connect() as connection:
            found = [columns(engine), connection.execute(sa.select(meta)).all()]
            if engine.dialect.name == "postgresql":
                found.append(connection.exec_driver_sql("SELECT sequencename, data_type::text FROM pg_sequences").all())
            for index in sa.inspect(connection).get_indexes("pages"):
                found += [index["name"], index["column_names"], sorted(index["dialect_options"])]
            return found

    assert schema_differences(fresh) == schema_differences(old) == []
    assert described(fresh) == described(old)


def test_reading_leaves_it_as_it_is(place: str, old: sa.Engine) -> None:
    before = columns(old)
    with CorpusStore(place, read_only=True) as store:
        assert list(store.records()) == [row for row in ROWS if row.keep]
        assert store.stats().fetched == 3
        with pytest.raises(CorpusError, match="was opened for reading"):
            store.put(kept(9))
    assert columns(old) == before
    assert schema_differences(old)


def test_several_that_open_it_at_once_bring_it_up_to_date_once(place: str, old: sa.Engine) -> None:
    found: list[int] = []

    def open_it() -> None:
        with CorpusStore(place) as store:
            found.append(store.found_version)

    with old.connect() as reader, reader.begin():
        reader.exec_driver_sql("SELECT * FROM pages").all()  # on PostgreSQL they all wait for this one
        threads = [threading.Thread(target=open_it) for _ in range(4)]
        for thread in threads:
            thread.start()
        threads[0].join(0.3)
        assert (found == []) == (old.dialect.name == "postgresql")
    for thread in threads:
        thread.join()
    assert len(found) == 4 and 1 in found
    assert everything(place) == list(ROWS)
    assert schema_differences(old) == []


def test_what_breaks_off_leaves_version_1(place: str, old: sa.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    before = columns(old)
    monkeypatch.setitem(STEPS, VERSION + 1, lambda operations: operations.execute("SELECT nothing_of_the_kind"))  # type: ignore[arg-type]
    with pytest.raises(CorpusError, match="nothing_of_the_kind"):
        CorpusStore(place)
    monkeypatch.undo()
    assert columns(old) == before
    assert everything(place) == list(ROWS)
    with CorpusStore(place) as store:
        assert store.found_version == 1


def test_a_newer_version_is_refused(place: str) -> None:
    with CorpusStore(place) as store, store.writing() as connection:
        connection.execute(meta.update().values(value=str(VERSION + 1)))
    for read_only in (False, True):
        with pytest.raises(
            CorpusError, match=rf"version {VERSION + 1}; this program knows versions 1 to {VERSION}\. Remedy: update"
        ):
            CorpusStore(place, read_only=read_only)
