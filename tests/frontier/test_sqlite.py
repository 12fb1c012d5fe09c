"""What only a file can do: outlive its process, be read by others, be damaged."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from crawl_until_killed import links
from frontier_tools import entry, key, outcome

from topical_crawler.frontier import FrontierFileError, SqliteFrontier, State
from topical_crawler.frontier.rows import pack, unpack
from topical_crawler.page import Evidence

SCRIPT = Path(__file__).with_name("crawl_until_killed.py")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "frontier.sqlite"


def drain(frontier: SqliteFrontier) -> Iterator[str]:
    while (popped := frontier.pop(0.0)) is not None:
        yield popped.url.rpartition("/")[2]


def abandon(frontier: SqliteFrontier) -> None:
    """As if the process had died: nothing is committed, the lock falls."""
    frontier._db.close()
    frontier._lock.release()


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
    stored = [int(o.url.rpartition("/")[2]) for _, o in frontier.outcomes()]
    assert set(finished) <= set(stored)
    assert len(stored) == len(set(stored)) <= len(finished) + 4, "at most the page being finished at each kill is done unreported"
    expected = {"0"} | {str(m) for n in stored for m in links(n)}
    assert set(drain(frontier)) == expected - {str(n) for n in stored}, "a link of a done page was lost"
    frontier.close()


def test_the_order_is_the_same_after_opening_again(file: Path) -> None:
    rng = random.Random(3)
    entries = [entry(str(n), rng.choice([0.1, 0.5, 0.9]), host=f"{rng.randrange(9)}.cn") for n in range(300)]
    frontier = SqliteFrontier(file, in_flight_per_host=10**9)
    frontier.push(entries)
    frontier.close()
    frontier = SqliteFrontier(file, in_flight_per_host=10**9)
    first = list(drain(frontier))
    frontier.close()
    frontier = SqliteFrontier(file, in_flight_per_host=10**9)
    assert frontier.recovered == 300
    assert list(drain(frontier)) == first == [e.url.rpartition("/")[2] for e in sorted(entries, key=lambda e: -e.priority)]
    frontier.close()


def test_in_flight_waits_again_with_all_it_had(file: Path) -> None:
    frontier = SqliteFrontier(file, in_flight_per_host=9)
    frontier.push([entry("甲", 0.9, "p", meta={"retries": 2}), entry("乙", 0.5)])
    first = frontier.pop(0.0)
    frontier.save("x", 1)
    abandon(frontier)
    frontier = SqliteFrontier(file, in_flight_per_host=9)
    assert frontier.recovered == 1
    assert frontier.counts() == {State.WAITING: 2, State.IN_FLIGHT: 0, State.DONE: 0, State.DROPPED: 0}
    assert frontier.pop(0.0) == first
    frontier.close()


def test_an_uncommitted_pop_simply_waits(file: Path) -> None:
    frontier = SqliteFrontier(file)
    frontier.push([entry("甲")])
    frontier.save("x", 1)
    frontier.pop(0.0)
    abandon(frontier)
    frontier = SqliteFrontier(file)
    assert (frontier.recovered, list(drain(frontier))) == (0, ["甲"])
    frontier.close()


def test_a_death_within_done_leaves_nothing_of_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frontier = SqliteFrontier(file)
    frontier.push([entry("甲")])
    frontier.save("x", 1)
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
    assert (list(frontier.outcomes()), list(drain(frontier))) == ([], ["甲"])
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
    assert frontier.pop(0.0) is not None
    assert frontier.pop(0.0) is not None
    frontier.done(key("甲"), outcome("甲", keep=False), [entry("己", host="b.cn")])
    frontier.drop(key("乙"), "robots.txt")
    frontier.save("策略", {"词": 1})
    frontier.close()
    frontier = SqliteFrontier(file)
    assert frontier.counts() == {State.WAITING: 3, State.IN_FLIGHT: 0, State.DONE: 1, State.DROPPED: 2}
    assert frontier.dropped() == {"站外": 1, "robots.txt": 1}
    assert frontier.hosts() == 2
    assert frontier.load("策略") == {"词": 1}
    frontier.push([entry("甲"), entry("戊")])
    frontier.pop(0.0)
    frontier.done(key("丙"), outcome("丙"))
    assert [(n, o.keep) for n, o in frontier.outcomes()] == [(1, False), (2, True)]
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
    evidence = (Evidence('http://a.cn/"\\', 1, True, "“党建”\n\x00\t", 2), Evidence("", 1e-9, False, around='前"],["后'))
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
    assert frontier.counts()[State.IN_FLIGHT] == 1
    assert frontier.done(key("甲"), outcome("甲"), [entry("乙")]).new == 1
    frontier.close()
    frontier = SqliteFrontier(file)
    assert (frontier.counts()[State.DONE], list(drain(frontier))) == (1, ["乙"])
    frontier.close()


class TestFilesThatAreNoFrontier:
    def test_no_sqlite_file(self, file: Path) -> None:
        file.write_bytes("这不是数据库。".encode() * 400)
        with pytest.raises(FrontierFileError, match=r"frontier\.sqlite: .*no SQLite file or is damaged.*start anew"):
            SqliteFrontier(file)
        assert file.read_bytes().startswith("这不是".encode())

    def test_of_something_else(self, file: Path) -> None:
        with sqlite3.connect(file) as db:
            db.execute("CREATE TABLE pages (url)")
        db.close()
        with pytest.raises(FrontierFileError, match=r"something else \(tables pages\)"):
            SqliteFrontier(file)

    def test_of_another_version(self, file: Path) -> None:
        SqliteFrontier(file).close()
        with sqlite3.connect(file) as db:
            db.execute("UPDATE meta SET value = '99' WHERE name = 'version'")
        db.close()
        with pytest.raises(FrontierFileError, match="version 99, this program reads version 2"):
            SqliteFrontier(file)

    def test_of_the_first_version(self, file: Path) -> None:
        """Without lessons: brought up to date, with all that is in it."""
        frontier = SqliteFrontier(file)
        frontier.push([entry("甲", 0.9), entry("乙")])
        frontier.done(frontier.pop(0.0).key, outcome("甲"))  # type: ignore[union-attr]
        frontier.close()
        with sqlite3.connect(file) as db:
            db.execute("ALTER TABLE outcomes DROP COLUMN lesson")
            db.execute("UPDATE meta SET value = '1' WHERE name = 'version'")
        db.close()
        for _ in range(2):
            frontier = SqliteFrontier(file)
            assert [o for _, o in frontier.outcomes()] == [outcome("甲")]
            assert len(frontier) == 1
            frontier.close()

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

    def test_an_error_frees_the_file(self, file: Path) -> None:
        file.write_bytes(b"x" * 5000)
        with pytest.raises(FrontierFileError):
            SqliteFrontier(file)
        file.unlink()
        SqliteFrontier(file).close()

    def test_closed(self, file: Path) -> None:
        frontier = SqliteFrontier(file)
        frontier.close()
        with pytest.raises(sqlite3.ProgrammingError, match="closed database"):
            frontier.push([entry("甲")])


def test_opening_costs_a_seek_per_host_not_a_scan(file: Path) -> None:
    frontier = SqliteFrontier(file)
    plan = [
        row[3]
        for row in frontier._db.execute(
            "EXPLAIN QUERY PLAN SELECT host, -priority, number FROM entries WHERE state = 0 AND host > '' "
            "ORDER BY host, priority DESC, number LIMIT 1"
        )
    ]
    assert plan == ["SEARCH entries USING INDEX waiting (host>?)"]
    plan = [row[3] for row in frontier._db.execute("EXPLAIN QUERY PLAN UPDATE entries SET state = 0 WHERE state = 1")]
    assert "INDEX in_flight" in plan[0]
    frontier.close()
