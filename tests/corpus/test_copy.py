"""A corpus taken to another database: every value comes over, nothing half, and what cannot be done is said."""

import pytest
from corpus_tools import NewPlace, everything, kept, rejected, start

from topical_crawler.corpus.copy import BATCH, copy, merge
from topical_crawler.corpus.record import CorpusError, Record
from topical_crawler.corpus.store import CorpusStore

WAYS = [("sqlite", "postgresql"), ("postgresql", "sqlite"), ("sqlite", "sqlite"), ("postgresql", "postgresql")]


def quiet(doing: str, done: int, total: int) -> None:
    pass


def fill(place: str) -> list[Record]:
    """A corpus with every kind of row and a gap in its order numbers; more than one batch."""
    with CorpusStore(place) as store:
        strange = {"anchor": "“\U0001f600\\'\"\n\t\u2028 \x00", "terms": {"党建": 0.1, "a": 1e-320}, "deep": [None, True, {}]}
        store.put(
            kept(
                1, "第一行\n第二行\r\n\t" + "𠀀字" * 3000, layout=[[0, 1, "heading", 2, ""], [1, 1, "code", 0, "\U0001f600"]],
                why=strange, relevance=1 / 3, priority=1e300, author="王\\某", worker="w1",
            )
        )  # fmt: skip
        store.put(kept(2, "第一行第二行" + "𠀀字" * 3000))  # a duplicate
        store.put(rejected(3, "near-empty"))
        for n in range(4, BATCH + 30):
            store.put(kept(n, f"主题教育第{n}讲", date="", encoding="gb18030", status=200, size=2**31 - 1, depth=n))
        with store.writing() as connection:
            connection.exec_driver_sql("DELETE FROM pages WHERE id BETWEEN 10 AND 20")
    return everything(place)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "other"), WAYS, ids=["to PostgreSQL", "from PostgreSQL", "SQLite", "PostgreSQL"])
def test_every_row_comes_over_and_back(new_place: NewPlace, kind: str, other: str) -> None:
    there, here = new_place(other), new_place(kind)
    rows = fill(first := new_place(kind))
    said: list[tuple[str, int, int]] = []
    digests = set()
    for source, target in ((first, there), (there, here)):
        with CorpusStore(source, read_only=True) as a, CorpusStore(target) as b:
            copied = copy(a, b, lambda *progress: said.append(progress))
            assert (copied.pages, copied.kept) == (len(rows), sum(row.keep for row in rows))
            digests.add(copied.digest)
        assert everything(target) == rows
        with CorpusStore(target) as store, CorpusStore(source, read_only=True) as given:
            assert store.stats() == given.stats()
            assert store.put(kept(9000, "新")).order == rows[-1].order + 1
            assert store.put(kept(9001, "主题教育第30讲")).duplicate_of == "http://www.a.cn/30.html"
            with store.writing() as connection:
                connection.exec_driver_sql(f"DELETE FROM pages WHERE id > {rows[-1].order}")
    assert len(digests) == 1
    assert said == [(doing, done, len(rows)) for doing in ("copying", "verifying") for done in (BATCH, len(rows))] * 2


def test_an_empty_corpus_can_be_copied(new_place: NewPlace, place: str) -> None:
    CorpusStore(empty := new_place("sqlite")).close()
    with CorpusStore(empty, read_only=True) as source, CorpusStore(place) as target:
        assert copy(source, target, quiet).pages == 0
        assert target.put(kept(1)).order == 1


def test_a_target_that_has_pages_is_left_alone(new_place: NewPlace, place: str) -> None:
    fill(first := new_place("sqlite"))
    with CorpusStore(first, read_only=True) as source, CorpusStore(place) as target:
        target.put(kept(1, "别的"))
        with pytest.raises(CorpusError, match=r"has 1 page already\. Name .*--into-existing"):
            copy(source, target, quiet)
        assert target.stats().fetched == 1


def test_two_crawls_are_joined_without_a_text_or_an_address_twice(new_place: NewPlace, place: str) -> None:
    """The second crawl has a text of its own, a near-duplicate of a text of the first, and a page that both have."""
    text = "".join(f"第{n}讲：各支部开展主题党日活动，大家谈了{n}点体会。" for n in range(20))
    both = kept(2, "两次抓取的同一篇文章" * 30, url="http://c.cn/1")
    own = kept(3, "只有第二次抓取有的文章" * 30, url="http://d.cn/1")
    with CorpusStore(new_place("sqlite")) as source, CorpusStore(place) as target:
        for record in (kept(1, text, url="http://a.cn/1"), both):
            target.put(record)
        for record in (kept(1, f"转载：{text}编辑部供稿。", url="http://b.cn/1"), both, own):
            source.put(record)
        for new in (2, 0):  # the second time nothing changes
            merged = merge(source, target, quiet)
            assert (merged.pages, merged.kept, merged.duplicates, merged.new) == (3, 2, 1, new)
    rows = everything(place)
    assert [row.url for row in rows if row.keep] == ["http://a.cn/1", both.url, own.url]
    assert [(row.url, row.duplicate_of) for row in rows if not row.keep] == [("http://b.cn/1", "http://a.cn/1")]


def test_what_breaks_off_leaves_an_empty_target(new_place: NewPlace, place: str) -> None:
    rows = fill(first := new_place("sqlite"))
    killed = start(
        "import sys, time\nfrom topical_crawler.corpus.copy import copy\nfrom topical_crawler.corpus.store import CorpusStore\n"
        "def progress(*now):\n    print(*now, flush=True)\n    sys.stdin.readline()\n"
        "copy(CorpusStore(sys.argv[1], read_only=True), CorpusStore(sys.argv[2]), progress)\n",
        first, place,
    )  # fmt: skip
    assert killed.stdout is not None and killed.stdout.readline() == b"copying %d %d\n" % (BATCH, len(rows))
    killed.kill()
    killed.communicate()
    with CorpusStore(first, read_only=True) as source, CorpusStore(place) as target:
        assert target.stats().fetched == 0
        copy(source, target, quiet)
    assert everything(place) == rows


def test_a_target_that_gives_back_other_rows_is_found_out(new_place: NewPlace, place: str) -> None:
    fill(first := new_place("sqlite"))
    with CorpusStore(first, read_only=True) as source, CorpusStore(place) as target:
        with target.writing() as connection:
            change = "UPDATE pages SET author = 'x' WHERE id = 7"
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql(f"CREATE TRIGGER t AFTER INSERT ON pages BEGIN {change}; END")
            else:
                function = f"CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {change}; RETURN NULL; END $$"
                connection.exec_driver_sql(function)
                connection.exec_driver_sql("CREATE TRIGGER t AFTER INSERT ON pages EXECUTE FUNCTION f()")
        with pytest.raises(CorpusError, match=r"gave back other rows than stored.*nothing was kept\. Check the database"):
            copy(source, target, quiet)
        assert target.stats().fetched == 0
