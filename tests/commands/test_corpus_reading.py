"""``topical-crawler corpus list``, ``show`` and ``search`` as a user runs them."""

import contextlib
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from command_tools import RunScrapy, environment
from corpus_tools import kept
from postgres_tools import GivenServer
from postgres_tools import postgresql as postgresql
from rich.cells import cell_len

from topical_crawler.corpus.record import Record, pages
from topical_crawler.corpus.search import _Fts5
from topical_crawler.corpus.store import CorpusStore

EVIL = "党课\x1b]0;owned\x07\u202e标题\x9b31m"


@pytest.fixture(params=["sqlite", "postgresql"])
def corpus(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The name of a corpus of 24 kept pages and two rejected ones."""
    place = str(tmp_path / "data/dangjian/corpus.sqlite")
    if request.param == "postgresql":
        server: GivenServer = request.getfixturevalue("postgresql")
        place = server.new_database()
    with CorpusStore(place) as store:
        for n in range(1, 25):
            why = {"terms": {"组织": 0.7}, "anchor": "更多", "parent": "http://b.cn/"}
            more = {"author": "李明", "why": why} if n == 3 else {}
            text = f"第{n}次會議上{'讲' * (5 * n)}組織生活会\n另一段谈党课{n}"
            host = f"www.a{n % 2}.cn"
            store.put(kept(n, text, url=f"http://{host}/{n}.html", host=host, relevance=n / 30, **more))
        for n, reason in enumerate(("list page", "off topic")):
            store.put(Record(url=f"http://b.cn/{n}", host="b.cn", keep=False, reason=reason, title=f"拒{n}"))
        with store.writing() as connection:  # as a program of another version might
            connection.execute(pages.update().where(pages.c.id == 3).values(title=EVIL))
    return "dangjian" if request.param == "sqlite" else place


def test_list(corpus: str, call_scrapy: RunScrapy, tmp_path: Path) -> None:
    done = call_scrapy("corpus", "list", corpus, cwd=tmp_path)
    assert done.stdout.splitlines()[0].split() == ["number", "day", "host", "relevance", "characters", "title"]
    assert done.stdout.splitlines()[1].split() == ["1", "2024-01-01", "www.a1.cn", "0.03", "24", "标题1"]
    assert done.stdout.splitlines()[-1] == "… 4 more (--limit)" and len(done.stdout.splitlines()) == 22
    best = call_scrapy("corpus", "list", corpus, "--host", "a0.cn", "--sort", "relevance", "--limit", "2", "--json", cwd=tmp_path)
    assert json.loads(best.stdout) == {
        "total": 12,
        "pages": [
            {
                "number": n, "url": f"http://www.a0.cn/{n}.html", "host": "www.a0.cn", "date": f"2024-01-{n}",
                "relevance": n / 30, "characters": 21 + 5 * n, "title": f"标题{n}", "kind": "", "reason": "",
            }
            for n in (24, 22)
        ],
    }  # fmt: skip
    rejected = call_scrapy("corpus", "list", corpus, "--reason", "list page", cwd=tmp_path).stdout
    assert "rejected because" in rejected and "list page" in rejected and "拒0" in rejected and "拒1" not in rejected
    assert call_scrapy("corpus", "list", corpus, "--since", "2030-01-01", cwd=tmp_path).stdout == "no page meets the conditions\n"
    assert "no page" not in call_scrapy("corpus", "list", corpus, "--limit", "0", cwd=tmp_path).stdout


def test_show(corpus: str, call_scrapy: RunScrapy, tmp_path: Path) -> None:
    by_number = call_scrapy("corpus", "show", corpus, "3", cwd=tmp_path).stdout
    assert by_number == call_scrapy("corpus", "show", corpus, "http://WWW.a1.cn:80/3.html#top", cwd=tmp_path).stdout
    assert "author       李明" in by_number and "“更多” on http://b.cn/" in by_number and "0.1" in by_number
    assert by_number.endswith(f"\n第3次會議上{'讲' * 15}組織生活会\n另一段谈党课3\n")
    fields = json.loads(call_scrapy("corpus", "show", corpus, "3", "--json", cwd=tmp_path).stdout)
    assert fields["title"] == EVIL and fields["order"] == 3 and fields["places"] == ["http://www.a1.cn/3.html"]
    assert "rejected     off topic" in call_scrapy("corpus", "show", corpus, "http://b.cn/1", cwd=tmp_path).stdout
    missing = call_scrapy("corpus", "show", corpus, "http://b.cn/7", cwd=tmp_path)
    assert missing.returncode == 1 and "has no page http://b.cn/7. Name a number" in missing.stderr


def test_nothing_of_a_page_steers_the_terminal(corpus: str, call_scrapy: RunScrapy, tmp_path: Path) -> None:
    for action, *more in (("list",), ("show", "3"), ("show", "3", "--json"), ("search", "党课 3"), ("search", "党课", "--json")):
        done = call_scrapy("corpus", action, corpus, *more, cwd=tmp_path)
        assert done.returncode == 0 and not {sign for sign in done.stdout if not sign.isprintable()} - {"\n"}


def test_search(corpus: str, call_scrapy: RunScrapy, tmp_path: Path) -> None:
    done = call_scrapy("corpus", "search", corpus, "“组织生活”", "-党课9", "--limit", "3", "--host", "www.a1.cn", cwd=tmp_path)
    *lines, more = done.stdout.splitlines()
    assert more == "… 8 more (--limit)" and len(lines) == 3
    # The keyword begins in the same column in every line, though characters take two columns.
    assert len({cell_len(line[: line.index("組織生活")]) for line in lines}) == 1
    found = json.loads(
        call_scrapy("corpus", "search", corpus, "党课 OR 會議", "标题7", "--lines", "2", "--json", cwd=tmp_path).stdout
    )
    assert found["total"] == 1 and found["texts"][0]["number"] == 7
    assert [line["match"] for line in found["texts"][0]["lines"]] == ["會議", "党课"]
    assert call_scrapy("corpus", "search", corpus, "没有的话", cwd=tmp_path).stdout == "no text has 没有的话\n"


def test_a_user_who_may_only_read_finds_what_another_has_indexed(
    call_scrapy: RunScrapy, tmp_path: Path, postgresql: GivenServer
) -> None:
    place = postgresql.new_database()
    url = sa.make_url(place)
    theirs = url.set(username="reader", password="r").render_as_string(hide_password=False)
    with CorpusStore(place) as store:
        store.put(Record(url="http://a.cn/1", host="a.cn", keep=True, text="社区党课", title="一"))
        owner = sa.create_engine(url.set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
        with owner.connect() as connection:
            for statement in ("CREATE ROLE reader LOGIN PASSWORD 'r'", "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader"):
                connection.exec_driver_sql(statement)
            refused = call_scrapy("corpus", "search", theirs, "党课", cwd=tmp_path)
            assert refused.returncode == 1 and "GRANT CREATE" in refused.stderr and "Traceback" not in refused.stderr
            assert "社区" in call_scrapy("corpus", "search", place, "党课", cwd=tmp_path).stdout
            connection.exec_driver_sql("GRANT SELECT ON search_strings TO reader")
            store.put(Record(url="http://a.cn/2", host="a.cn", keep=True, text="车间里也上党课", title="二"))
            found = call_scrapy("corpus", "search", theirs, "党课", cwd=tmp_path)
            assert found.returncode == 0 and "社区" in found.stdout and "车间" not in found.stdout
            assert found.stderr.startswith("New texts are missing: postgresql+psycopg://reader:***@")
            connection.exec_driver_sql("DROP OWNED BY reader")
            connection.exec_driver_sql("DROP ROLE reader")
        owner.dispose()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("党课", "OR"), 1, "A OR B, -word, with at least one word without -"),
        (("。",), 1, "nothing to search for in '。'"),
        (("党课", "--since", "gestern"), 2, "write it as 2024-12-31"),
    ],
)
def test_mistakes(call_scrapy: RunScrapy, tmp_path: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    with CorpusStore(tmp_path / "data/dangjian/corpus.sqlite"):
        pass
    done = call_scrapy("corpus", "search", "dangjian", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "") and message in done.stderr


def test_a_search_without_fts5_says_so(call_scrapy: RunScrapy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with CorpusStore(tmp_path / "data/dangjian/corpus.sqlite"):
        pass
    monkeypatch.setattr(_Fts5, "module", "no_fts5")
    done = call_scrapy("corpus", "search", "dangjian", "党课", cwd=tmp_path)
    assert done.returncode == 1 and "lacks FTS5" in done.stderr and "Use a Python with it" in done.stderr


@pytest.mark.parametrize("corpus", ["sqlite"], indirect=True)
def test_in_a_terminal_a_page_is_paged_and_wrapped(corpus: str, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    variables = environment(COLUMNS="40", TERM="xterm", PAGER="cat -A")
    command = [sys.executable, "-m", "topical_crawler", "corpus", "show", corpus, "24"]
    with subprocess.Popen(command, cwd=tmp_path, env=variables, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # the other end is closed
            while part := os.read(ours, 4096):
                shown += part
        assert process.wait() == 0
    os.close(ours)
    assert b"^[[1m" in shown, "cat -A has shown what was styled"
    assert shown.count("讲".encode()) == 0 and max(map(len, shown.splitlines())) < 400
