"""What only a file can do: outlive its process, be read by others, be damaged."""

import json
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import crawl_until_killed
import pytest
from crawl_until_killed import links
from frontier_tools import entry, key, outcome

from topical_crawler.frontier import sqlite
from topical_crawler.frontier.base import MAX_EVIDENCE, Pushed, State
from topical_crawler.frontier.sqlite import FrontierFileError, SqliteFrontier, pack, unpack
from topical_crawler.web.page import Evidence

SCRIPT = Path(crawl_until_killed.__file__)
ROOT = Path(__file__).parents[2]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "frontier.sqlite"


def drain(frontier: SqliteFrontier) -> Iterator[str]:
    while (popped := frontier.pop(0.0)) is not None:
        yield popped.url.rpartition("/")[2]


def abandon(frontier: SqliteFrontier) -> None:
    """As if the process had died: nothing is committed, the lock falls."""
    frontier._db.close(commit=False)


@pytest.mark.slow
def test_killed_at_random_moments(file: Path) -> None:
    """SIGKILL, again and again: what was reported done stays done, with its links, and is never given out again."""
    rng = random.Random(5)
    finished: list[int] = []
    for _ in range(4):
        process = subprocess.Popen(
            [sys.executable, SCRIPT, file], stdout=subprocess.PIPE, text=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}
        )
        assert process.stdout is not None
        process.stdout.readline()
        finished += [int(process.stdout.readline()) for _ in range(rng.randrange(20, 200))]
        process.kill()
        finished += [int(line) for line in process.stdout.read().split("\n")[:-1]]
        process.wait()
    assert len(set(finished)) == len(finished), "a page was given out after it was done"
    frontier = SqliteFrontier(file, in_flight_per_host=10**9)
    stored = [int(o.url.rpartition("/")[2]) for _, o in frontier.journal.outcomes()]
    assert set(finished) <= set(stored)
    assert len(stored) == len(set(stored)) <= len(finished) + 4, "at most the page being finished at each kill is done unreported"
    expected = {"0"} | {str(m) for n in stored for m in links(n)}
    assert set(drain(frontier)) == expected - {str(n) for n in stored}, "a link of a done page was lost"
    frontier.close()


def test_in_flight_waits_again_with_all_it_had(file: Path) -> None:
    frontier = SqliteFrontier(file, in_flight_per_host=9)
    frontier.push([entry("甲", 0.9, "p", meta={"retries": 2}), entry("乙", 0.5)])
    first = frontier.pop(0.0)
    frontier.journal.save("x", 1)
    frontier.pop(0.0)  # not committed
    abandon(frontier)
    frontier = SqliteFrontier(file, in_flight_per_host=9)
    assert frontier.status().recovered == 1
    assert frontier.status().counts == {State.WAITING: 2, State.IN_FLIGHT: 0, State.DONE: 0, State.DROPPED: 0}
    assert frontier.pop(0.0) == first
    frontier.close()


def test_a_death_within_done_leaves_nothing_of_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frontier = SqliteFrontier(file)
    frontier.push([entry("甲")])
    frontier.journal.save("x", 1)
    frontier.pop(0.0)

    class Death(BaseException):
        pass

    def die(self: SqliteFrontier) -> None:
        raise Death

    monkeypatch.setattr(SqliteFrontier, "_commit", die)
    with pytest.raises(Death):
        frontier.done(key("甲"), outcome("甲"), [entry("乙")])
    monkeypatch.undo()
    abandon(frontier)
    frontier = SqliteFrontier(file)
    assert (list(frontier.journal.outcomes()), list(drain(frontier))) == ([], ["甲"])
    frontier.close()


def test_pushes_are_committed_every_few_hundred(file: Path) -> None:
    frontier = SqliteFrontier(file)
    for n in range(600):
        frontier.push([entry(str(n))])
    abandon(frontier)
    frontier = SqliteFrontier(file)
    assert 300 <= len(frontier) <= 600
    frontier.close()


def test_everything_is_there_after_close(file: Path) -> None:
    frontier = SqliteFrontier(file, in_flight_per_host=9)
    frontier.push([entry(n) for n in "甲乙丙丁"] + [entry("戊", dropped="站外")])
    frontier.push([entry("丁", 0.5, *(f"p{n}" for n in range(MAX_EVIDENCE)))])
    assert frontier.pop(0.0) is not None
    assert frontier.pop(0.0) is not None
    frontier.done(key("甲"), outcome("甲", keep=False), [entry("己", host="b.cn")])
    frontier.drop(key("乙"), "robots.txt")
    frontier.journal.save("策略", {"词": 1})
    frontier.close()
    frontier = SqliteFrontier(file)
    assert frontier.status().counts == {State.WAITING: 3, State.IN_FLIGHT: 0, State.DONE: 1, State.DROPPED: 2}
    assert frontier.status().dropped == {"站外": 1, "robots.txt": 1}
    assert frontier.status().hosts == 2
    assert frontier.journal.load("策略") == {"词": 1}
    assert [frontier.is_settled(key(n), off_topic=True) for n in "丙丁"] == [False, True]
    frontier.push([entry("甲"), entry("戊")])
    frontier.pop(0.0)
    frontier.done(key("丙"), outcome("丙"))
    assert [(n, o.keep) for n, o in frontier.journal.outcomes()] == [(1, False), (2, True)]
    frontier.close()


def test_who_was_first_is_remembered(file: Path) -> None:
    frontier = SqliteFrontier(file)
    assert frontier.journal.first("重排", 3)
    abandon(frontier)
    frontier = SqliteFrontier(file)
    assert [frontier.journal.first("重排", n) for n in (3, 4)] == [False, True]
    frontier.close()


def test_its_log_of_changes_stays_small(file: Path) -> None:
    frontier = SqliteFrontier(file)
    wal = file.with_name(f"{file.name}-wal")
    text, most = "a" * 1_000_000, 0
    for n in range(60):
        frontier.push([entry(f"{n}")])
        frontier.journal.save(str(n), text)
        most = max(most, wal.stat().st_size)
    frontier.close()
    assert file.stat().st_size > 60 * len(text) > 3 * most
    assert not wal.exists()


@contextmanager
def writer(file: Path) -> Iterator[None]:
    """Another process that has begun to write to the file, and takes its time."""
    code = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('BEGIN IMMEDIATE'); print(1, flush=True); input()"
    call = [sys.executable, "-c", code, str(file)]
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"1\n"
        yield
        process.communicate(b"\n")


def test_another_program_that_writes_for_too_long(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every change fails with a remedy and changes nothing: tried again later, it succeeds."""
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    frontier = SqliteFrontier(file, in_flight_per_host=9, max_waiting=9)
    frontier.push([entry(n) for n in "甲乙丙丁戊"])
    first, second, third, fourth = (frontier.pop(0.0) for _ in range(4))
    assert first and second and third and fourth
    frontier.journal.save("x", 1)
    calls: list[Callable[[], object]] = [
        lambda: frontier.done(first.key, outcome("甲"), [entry("己")]),
        lambda: frontier.requeue(second.key),
        lambda: frontier.put_back(third, 0.1),
        lambda: frontier.drop(fourth.key, "robots.txt"),
        lambda: frontier.push([entry("庚")]),
        lambda: frontier.discard("不要", below=0.2),
        lambda: frontier.revive({fourth.key: fourth.url}),
        lambda: frontier.reprice({key("戊"): 0.9}),
        lambda: frontier.journal.first("重排", 1),
        lambda: frontier.journal.save("x", 2),
        lambda: getattr(frontier.pop(0.0), "url", None),
    ]
    with writer(file):
        before = (replace(frontier.status(), details={}), frontier.next(0.0).best, frontier.journal.load("x"))
        for call in calls:
            with pytest.raises(FrontierFileError, match=r"frontier\.sqlite: database is locked: another program .*End that"):
                call()
        assert (replace(frontier.status(), details={}), frontier.next(0.0).best, frontier.journal.load("x")) == before
        assert list(frontier.journal.outcomes()) == []
    results = [call() for call in calls]
    assert results == [Pushed(new=1), None, None, None, Pushed(new=1), 1, 1, None, True, None, "http://a.cn/戊"]
    assert [o.url for _, o in frontier.journal.outcomes()] == ["http://a.cn/甲"]
    assert list(drain(frontier)) == ["乙", "丁", "己", "庚"]
    frontier.close()
    with writer(file), pytest.raises(FrontierFileError, match="another program"):
        SqliteFrontier(file)
    SqliteFrontier(file).close()


def max_pages(frontier: SqliteFrontier) -> Iterator[None]:
    frontier._db._connection.execute("PRAGMA max_page_count = 60")
    yield


def max_file_size(frontier: SqliteFrontier) -> Iterator[None]:
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("full", [max_pages, max_file_size])
def test_a_full_disk(file: Path, full: Callable[[SqliteFrontier], Iterator[None]]) -> None:
    """SQLite throws the whole open transaction away: the frontier says so from then on; the file holds the last page done."""
    frontier = SqliteFrontier(file, in_flight_per_host=9)
    frontier.push([entry("0", 1.0)])
    frontier.journal.save("x", 1)
    finished: list[int] = []
    room = contextmanager(full)(frontier)
    with room:
        with pytest.raises(FrontierFileError, match=r"frontier\.sqlite: .*(Make room on the disk|the disk has room)"):
            for _ in range(1_000):
                popped = frontier.pop(0.0)
                assert popped is not None
                n = int(popped.url.rpartition("/")[2])
                frontier.push([entry(f"{1_000_000 + m}", 0.0, "p" * 200) for m in links(n)])
                frontier.done(popped.key, outcome(str(n)), [entry(str(m), 1.0, "p" * 400) for m in links(n)])
                finished.append(n)
        for call in (lambda: frontier.pop(0.0), lambda: frontier.push([entry("1")]), lambda: frontier.journal.save("x", 2)):
            with pytest.raises(FrontierFileError, match="the disk"):
                call()
        frontier.close()
    assert len(finished) > 5
    frontier = SqliteFrontier(file, in_flight_per_host=10**9)
    assert [int(o.url.rpartition("/")[2]) for _, o in frontier.journal.outcomes()] == finished
    expected = {"0"} | {str(m) for n in finished for m in links(n)} | {str(1_000_000 + m) for n in finished for m in links(n)}
    assert set(drain(frontier)) == expected - {str(n) for n in finished}
    frontier.close()


def test_another_connection_reads_during_a_crawl(file: Path) -> None:
    frontier = SqliteFrontier(file)
    frontier.push([entry("甲")])
    frontier.pop(0.0)
    reader = sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=0.1)
    frontier.done(key("甲"), outcome("甲"), [entry("乙")])
    frontier.push([entry("丙")])  # the crawl's transaction is open
    assert reader.execute("SELECT url FROM outcomes").fetchall() == [("http://a.cn/甲",)]
    assert reader.execute("SELECT count(*) FROM entries").fetchone() == (2,)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM entries").fetchone() == (2,)
    frontier.pop(0.0)
    frontier.done(key("乙"), outcome("乙"))  # a reader in the middle of its work does not hold the crawl up
    reader.close()
    frontier.close()


def test_evidence_is_stored_as_its_json() -> None:
    evidence = (
        Evidence('http://a.cn/"\\', 1, True, "“党建”\n\x00\t", 2),
        Evidence("", 1e-9, False, around='前"],["后'),
        Evidence("", 1e-9, False, around="前", path="p/a"),
        Evidence("", 1e-9, False, path='"],["'),
    )
    assert json.loads(f"[{pack(evidence)}]") == [e.to_json() for e in evidence]
    assert unpack(pack(evidence)) == evidence


def test_a_second_crawl_on_the_file_is_refused(file: Path) -> None:
    frontier = SqliteFrontier(file)
    with pytest.raises(FrontierFileError, match=r"frontier\.sqlite.*another crawl uses"):
        SqliteFrontier(file)
    frontier.close()
    SqliteFrontier(file).close()


def test_links_that_cannot_be_written_leave_the_page_in_flight(file: Path) -> None:
    """Half a surrogate pair is no text to SQLite: the error comes in the middle of the writing."""
    frontier = SqliteFrontier(file)
    frontier.push([entry("甲")])
    frontier.pop(0.0)
    with pytest.raises(UnicodeEncodeError):
        frontier.done(key("甲"), outcome("甲"), [entry("乙"), entry("\ud800")])
    assert frontier.status().counts[State.IN_FLIGHT] == 1
    assert frontier.done(key("甲"), outcome("甲"), [entry("乙")]).new == 1
    frontier.close()
    frontier = SqliteFrontier(file)
    assert (frontier.status().counts[State.DONE], list(drain(frontier))) == (1, ["乙"])
    frontier.close()


class TestFilesThatAreNoFrontier:
    def test_no_sqlite_file(self, file: Path) -> None:
        file.write_bytes("这不是数据库。".encode() * 400)
        with pytest.raises(FrontierFileError, match=r"frontier\.sqlite: .*not an SQLite file, or a damaged one.*start anew"):
            SqliteFrontier(file)
        assert file.read_bytes().startswith("这不是".encode())
        file.unlink()
        SqliteFrontier(file).close()

    def test_of_something_else(self, file: Path) -> None:
        with sqlite3.connect(file) as db:
            db.execute("CREATE TABLE pages (url)")
        db.close()
        with pytest.raises(FrontierFileError, match=r"something else \(tables pages\)"):
            SqliteFrontier(file)

    def test_of_another_version(self, file: Path) -> None:
        SqliteFrontier(file).close()
        with sqlite3.connect(file) as db:
            db.execute("UPDATE meta SET value = '2' WHERE name = 'version'")
        db.close()
        with pytest.raises(FrontierFileError, match="version 2, this program reads version 3"):
            SqliteFrontier(file)

    def test_damaged(self, file: Path) -> None:
        frontier = SqliteFrontier(file)
        frontier.push([entry(str(n), n / 1000) for n in range(1000)])
        frontier.close()
        size = file.stat().st_size
        with file.open("r+b") as stream:
            stream.seek(4096)
            stream.write(b"\xff" * (size - 4096))
        with pytest.raises(FrontierFileError, match="damaged"):
            SqliteFrontier(file)

    def test_no_directory(self, tmp_path: Path) -> None:
        with pytest.raises(FrontierFileError, match=r"directory .* does not exist"):
            SqliteFrontier(tmp_path / "fehlt" / "frontier.sqlite")


@pytest.mark.parametrize(
    ("statement", "plan"),
    [
        (sqlite.NEXT_HOST, "SEARCH entries USING INDEX waiting (host>?)"),
        (sqlite.HEAD, "SEARCH entries USING INDEX waiting (host=?)"),
        (sqlite.TAIL, "SEARCH entries USING INDEX waiting (host=?)"),
        (sqlite.FULL, "SCAN entries USING INDEX with_most_parents"),
        (sqlite.RECOVER, "SCAN entries USING INDEX in_flight"),
        (sqlite.WAITING, "SCAN entries USING COVERING INDEX waiting"),
        (sqlite.REASONS, "SCAN entries USING COVERING INDEX dropped"),
        (sqlite.FIND, "SEARCH entries USING INDEX sqlite_autoindex_entries_1 (key=?)"),
        (sqlite.FINISHED, "SEARCH entries USING INDEX sqlite_autoindex_entries_1 (key=?)"),
        (sqlite.discard_statement(host=True, below=True), "SEARCH entries USING INDEX waiting (host=? AND priority<?)"),
        (sqlite.discard_statement(host=False, below=True), "SCAN entries USING INDEX waiting"),
    ],
)
def test_no_statement_looks_at_more_than_it_must(file: Path, statement: str, plan: str) -> None:
    """By the index, in its order: one line, and none that sorts."""
    frontier = SqliteFrontier(file)
    steps = frontier._db.rows(f"EXPLAIN QUERY PLAN {statement}", [0] * statement.count("?"))
    assert [step[3].replace("COVERING ", "") for step in steps] == [plan.replace("COVERING ", "")]
    frontier.close()


def test_all_that_waits_is_put_behind_and_back(file: Path) -> None:
    """Also what was shifted already, and over a restart."""
    frontier = SqliteFrontier(file, in_flight_per_host=9)
    frontier.push([entry("a", 0.9), entry("b", 0.2, host="b.cn"), entry("c", -0.5)])
    for _ in range(2):
        frontier.shift(-1000.0, -500.0)
    assert [e.priority for e in frontier.waiting(9)] == pytest.approx([-999.1, -999.8, -1000.5])
    frontier.push([entry("new", 0.1)])
    popped = frontier.pop(0.0)
    assert popped is not None and popped.url.endswith("/new")
    frontier.done(popped.key, outcome("new"))
    assert frontier.next(0.0).best == pytest.approx(-999.1)
    frontier.close()
    again = SqliteFrontier(file, in_flight_per_host=9)
    for _ in range(2):
        again.shift(1000.0, -500.0)
    assert [e.priority for e in again.waiting(9)] == pytest.approx([0.9, 0.2, -0.5])
    assert list(drain(again)) == ["a", "b", "c"]
    again.close()
