"""Lines that sites repeat, in the corpus' table: counted as in memory, whatever the database."""

import pytest
import sqlalchemy as sa

from topical_crawler.cleaning.boilerplate import PERIOD, LineCounts
from topical_crawler.cleaning.cleaner import CleaningOptions
from topical_crawler.cleaning.quality import Limits
from topical_crawler.corpus import site_lines
from topical_crawler.corpus.clean import clean
from topical_crawler.corpus.make import Maker
from topical_crawler.corpus.record import Record, lines
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.extraction.extract import Extracted
from topical_crawler.text.passages import Passage, layout, passages, plain

HOST = "www.a.cn"
SLOGAN = "跟着某某党建网，学习永远在路上！"


def page(n: int) -> str:
    return f"{SLOGAN}\n第{chr(0x4E00 + n)}支部组织党员到社区开展志愿服务。\n大家谈了体会{chr(0x5000 + n)}。"


def rows(connection: sa.Connection, host: str = HOST) -> dict[int, tuple[str, int]]:
    query = sa.select(lines).where(lines.c.host == host)
    return {row.digest: (row.line, row.pages) for row in connection.execute(query)}


def test_the_table_counts_as_memory_does(place: str) -> None:
    counts = LineCounts()
    with CorpusStore(place) as store, store.writing() as connection:
        for n in range(12):
            counts.add(page(n))
            site_lines.learn(connection, HOST, page(n))
        site_lines.learn(connection, "b.cn", page(1))
        found = rows(connection)
        assert found.pop(0) == ("", 12)
        assert {one: pages for one, (_, pages) in found.items()} == counts.pages
        assert {one: line for one, (line, _) in found.items()} == counts.lines
        learned = site_lines.known(connection, HOST, page(50))
        assert learned.at_edge(SLOGAN)
        assert not site_lines.known(connection, "b.cn", page(50)).at_edge(SLOGAN)


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_rare_lines_are_forgotten(place: str) -> None:
    with CorpusStore(place) as store, store.writing() as connection:
        for n in range(PERIOD):
            site_lines.learn(connection, HOST, page(n))
        assert [line for line, _ in rows(connection).values()] in (["", SLOGAN], [SLOGAN, ""])


def test_counts_replace_what_was_known(place: str) -> None:
    counts = LineCounts()
    for n in range(700):
        counts.add(page(n))
    with CorpusStore(place) as store, store.writing() as connection:
        site_lines.learn(connection, HOST, "别的页面上的一行")
        site_lines.replace(connection, HOST, counts)
        found = rows(connection)
        assert found.pop(0)[1] == 700
        assert {one: pages for one, (_, pages) in found.items()} == counts.pages


def test_hosts_that_were_not_counted(place: str) -> None:
    with CorpusStore(place) as store:
        for n in range(3):
            host = f"h{n % 2}.cn"
            store.put(Record(url=f"http://{host}/{n}", host=host, keep=True, text=page(n)))
        with store.writing() as connection:
            assert site_lines.unlearned(connection) == {"h0.cn", "h1.cn"}
            site_lines.learn(connection, "h1.cn", page(1))
            site_lines.learn(connection, "h0.cn", page(0))
            assert site_lines.unlearned(connection) == {"h0.cn"}


def test_strange_texts(place: str) -> None:
    with CorpusStore(place) as store, store.writing() as connection:
        for n, text in enumerate(("", "\n\n", "……", "字\x00节\ud800与\n更多的字"), 1):
            site_lines.learn(connection, HOST, text)
            assert site_lines.known(connection, HOST, text).seen == n


def test_code_is_no_line_of_the_site_and_keeps_its_place(place: str) -> None:
    code = Passage("#include <stdio.h>\n\n\tmain()", "code", note="c")
    texts = [
        [
            Passage(SLOGAN), Passage("学习", "heading", 2), *map(Passage, page(n).split("\n")[1:] * 3),
            code, Passage("一二三四五六七八九"[n] * 30),
        ]
        for n in range(9)
    ]  # fmt: skip
    options = CleaningOptions(limits=Limits.of_language(()))
    with CorpusStore(place) as store:
        maker = Maker(store, options)
        for n, text in enumerate(texts):
            made = maker.make(HOST, Extracted(text=plain(text), layout=layout(text)))
            store.put(Record(url=f"http://{HOST}/{n}", host=HOST, keep=True, **made.fields), made.prose)
        with store.reading() as connection:
            assert not {"main()", "#include <stdio.h>"} & {line for line, _ in rows(connection).values()}
        kept = [passages(row.text or "", row.layout) for row in store.records()]
        assert kept[0] == texts[0] and kept[-1] == texts[-1][1:], "the first ones come before anything is known"
        clean(store, options)
        assert [passages(row.text or "", row.layout) for row in store.records()] == [text[1:] for text in texts]
