"""Databases that cannot be a corpus: each message names the place without its password, and the remedy."""

import logging
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from corpus_tools import kept
from postgres_tools import PostgresServer

from topical_crawler.corpus.connections import shown
from topical_crawler.corpus.record import CorpusError
from topical_crawler.corpus.store import CorpusStore

Change = Callable[[sa.URL], sa.URL]


def plain(url: sa.URL) -> str:
    return url.render_as_string(hide_password=False)


@pytest.mark.parametrize(
    ("change", "place", "remedy"),
    [
        (lambda url: url.set(password="ge:heim/2@x"), "postgres:***@127.0.0.1", "Correct user and password in the URL"),
        (lambda url: url.set(username="nobody"), "nobody:***@127.0.0.1", "Correct user and password in the URL"),
        (lambda url: url._replace(password=None), "postgres@127.0.0.1", "put it into ~/.pgpass"),
        (lambda url: url.set(database="elsewhere"), "/elsewhere", "Create it (createdb -E UTF8 NAME)"),
        (lambda url: url.set(host="nowhere.invalid"), "@nowhere.invalid", "Correct the host in the URL"),
        (lambda url: url.set(port=1), "@127.0.0.1:1/", "Start the server"),
    ],
    ids=["password", "user", "no password", "database", "host", "port"],
)
def test_a_server_that_cannot_be_used(
    own_server: PostgresServer, caplog: pytest.LogCaptureFixture, change: Change, place: str, remedy: str
) -> None:
    url = change(sa.make_url(own_server.url))
    with caplog.at_level(logging.DEBUG), pytest.raises(CorpusError) as error:
        CorpusStore(plain(url), read_only=True, patience=0.5)
    message = str(error.value)
    assert place in message.split(" cannot be opened ")[0] and remedy in message.rsplit("). ")[-1]
    everything = "".join(traceback.format_exception(error.value)) + caplog.text + repr(error.value.__context__)
    assert "heim" not in everything


def test_a_database_that_cannot_hold_a_corpus(own_server: PostgresServer) -> None:
    latin = own_server.new_database("ENCODING 'LATIN1'")
    foreign, weak = own_server.new_database(), own_server.new_database()
    own_server.execute("CREATE TABLE cookies (name text)", foreign)
    own_server.execute("CREATE ROLE weak LOGIN PASSWORD 'geheim'")
    weak = plain(sa.make_url(weak).set(username="weak", password="geheim"))
    for url, message in (
        (latin, "has the encoding LATIN1.*Create a database with createdb -E UTF8"),
        (foreign, "is a database but no corpus.*Name another file or database"),
        (weak, "permission denied.*Let the user own the database"),
    ):
        with pytest.raises(CorpusError, match=message) as error:
            CorpusStore(url)
        assert shown(url) in str(error.value) and "heim" not in str(error.value)
    assert own_server.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", foreign) == [("cookies",)]


def test_reading_changes_nothing_in_an_empty_database(own_server: PostgresServer) -> None:
    url = own_server.new_database()
    with pytest.raises(CorpusError, match="no corpus"):
        CorpusStore(url, read_only=True)
    assert own_server.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", url) == [(0,)]


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://me:sec@ret@db/corpus",
        "postgresql+psycopg://me:secret/corpus",
        "postgresql+psycopg://me/x:secret@db/corpus",
        "mysql://me:secret@localhost/x",
        "nonsense://me:secret@x",
        "postgresql+asyncpg://me:secret@db/corpus",
        "postgresql+psycopg://me@db/corpus?password=secret&connect_timeout=no",
        "://secret",
    ],
)
def test_a_url_that_cannot_be_used_is_not_shown_with_its_password(url: str) -> None:
    with pytest.raises(CorpusError, match=r"Write postgresql|cannot be opened|Use a path") as error:
        CorpusStore(url)
    shown_to_people = "".join(traceback.format_exception(error.value))
    assert not any(part in shown_to_people for part in ("secret", "ret@", "sec@"))


def test_a_url_of_sqlite_is_a_file(tmp_path: Path) -> None:
    with CorpusStore(f"sqlite:///{tmp_path}/a@b:c.sqlite") as store:
        store.put(kept(1))
    with CorpusStore(tmp_path / "a@b:c.sqlite", read_only=True) as store:
        assert store.stats().kept == 1
    with pytest.raises(CorpusError, match="Name its path"):
        CorpusStore("sqlite://")
