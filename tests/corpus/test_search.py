"""Texts found by what they say, on both databases."""

import itertools
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from corpus_tools import kept, rejected

from topical_crawler.corpus.record import Filters
from topical_crawler.corpus.search import Line, SearchError, SearchIndex, fold, listed, open_index, parse_query
from topical_crawler.corpus.store import CorpusStore

TEXTS = (
    "建設社會主義市場經濟體制，Ｌｉｎｕｘ內核的和尚未完成。",
    "市场，经济：两个词之间有标点。C++ 和 Linux 都在这里。",
    "基层党组织开展组织生活会，\n全面从严治党，党课进车间。",
    "廉政教育警钟长鸣，山上有个和尚，大熊猫在动物园。",
)
Numbers = Callable[..., list[int]]


@pytest.fixture
def index(place: str, tmp_path: Path) -> SearchIndex:
    with CorpusStore(place) as store:
        for n, text in enumerate(TEXTS, 1):
            store.put(kept(n, text, kind="list" if n == 2 else "article"))
        store.put(rejected(9))
    return open_index(place, tmp_path)


@pytest.fixture
def numbers(index: SearchIndex) -> Numbers:
    index.update()
    return lambda query, **filters: sorted(
        hit.page.number for hit in index.search(parse_query(query), Filters(**filters), None).hits
    )


def test_strings_are_found_in_any_script_width_and_case(numbers: Numbers) -> None:
    assert numbers("社会主义市场经济") == numbers("社會主義市場經濟") == numbers("场经") == [1]
    assert numbers("LINUX") == numbers("ｌｉｎｕｘ") == [1, 2]
    assert numbers("Linux内核") == [1]
    assert numbers("inux") == [], "Latin letters are found by whole words"
    assert numbers("猫") == [4], "a single character within a word"
    assert numbers("党") == [3]
    assert numbers("会") == [1, 3]
    assert numbers("标题4") == [4], "titles too"


def test_a_single_character_is_ranked_where_few_texts_have_it(index: SearchIndex) -> None:
    index.update()
    query = parse_query("会")
    ranked = index.search(query, Filters(), None)
    assert index.search_within(query, Filters(), 10, 10).hits == ranked.hits
    first = index.search_within(query, Filters(), 1, 10)
    assert ([hit.page.number for hit in first.hits], first.hits[0].score, first.more) == ([1], 0.0, True)


def test_phrases_alternatives_and_exclusions(numbers: Numbers) -> None:
    assert numbers("和尚") == [1, 4]
    assert numbers("和尚 -熊猫") == [1]
    assert numbers("党课 组织生活") == [3]
    assert numbers("党课 和尚") == []
    assert numbers("党课 OR 和尚") == [1, 3, 4]
    assert numbers("党课 OR 和尚 动物园") == [4], "OR binds more closely"
    assert numbers("市场 经济") == [1, 2]
    assert numbers("“市场经济”") == [1]
    assert numbers('"生活会 全面从严"') == [3], "signs and line ends between the words of a phrase do not matter"
    assert numbers('"全面从严 生活会"') == []


def test_filters_are_those_of_an_export(numbers: Numbers, index: SearchIndex) -> None:
    assert numbers("和尚 OR 市场", kinds=("article",)) == [1, 4]
    assert numbers("和尚 OR 市场", min_relevance=0.2) == [2, 4]
    found = index.search(parse_query("和尚 OR 市场"), Filters(rejected=True), 2)
    assert (len(found.hits), found.total) == (2, 3)


def test_the_keyword_stands_in_its_context(index: SearchIndex) -> None:
    index.update()
    (hit,) = index.search(parse_query("組織 OR 生活会"), Filters(), 5, most_lines=3).hits
    assert hit.lines[0] == Line("基层党", "组织", "开展组织生活会， 全面从严治党，党课进车间。")
    assert [line.match for line in hit.lines] == ["组织", "组织", "生活会"]
    assert hit.score > 0
    (hit,) = index.search(parse_query("标题3"), Filters(), 5).hits
    assert hit.lines == (Line("", "标题3", ""),)


def test_an_index_takes_in_what_is_new_or_has_changed(place: str, index: SearchIndex) -> None:
    seen: list[tuple[int, int]] = []
    assert index.update(lambda done, total: seen.append((done, total))) == 4
    assert seen == [(0, 4), (4, 4)] and index.update() == 0
    with CorpusStore(place) as store:  # a crawl goes on
        store.put(kept(5, "新的一页谈党课"))
        old = store.get(kept(3).key)
        assert old is not None
        store.replace(kept(3, "清理以后只剩下生态环境质量"))
        assert index.update() == 2 and index.update() == 0
    with index:
        found = {
            query: [h.page.number for h in index.search(parse_query(query), Filters(), 9).hits] for query in ("党课", "环境")
        }
        assert found == {"党课": [6], "环境": [3]}


def test_an_index_of_which_most_is_gone_is_made_anew(place: str, index: SearchIndex) -> None:
    with CorpusStore(place) as store, index:
        for n in range(7):
            store.replace(kept(3, f"第{'一二三四五六七'[n]}次清理以后的正文"))
            index.update()
        assert index.search(parse_query("清理"), Filters(), 9).total == 1
        assert {hit.page.number for hit in index.search(parse_query("和尚"), Filters(), 9).hits} == {1, 4}


def test_strings_are_found_as_if_all_texts_were_read(place: str, tmp_path: Path) -> None:
    draw = random.Random(7)
    texts = ["".join(draw.choices("党建组织生活會会 ，a1\n", k=40)) + f"第{n}篇" for n in range(40)]
    texts.append("开头" + "".join(draw.choices("甲乙丙丁", k=20_000)) + "组织党会")  # more than PostgreSQL notes the places of
    with CorpusStore(place) as store:
        stored = [store.put(kept(n + 1, text, title="", date="2024-01-01", fetched="")) for n, text in enumerate(texts)]
    orders = {record.order: fold(record.text or "") for record in stored if record.keep}
    with open_index(place, tmp_path) as index:
        index.update()
        for size in (1, 2, 3, 4):
            for query in {"".join(draw.choices("党建组织会生", k=size)) for _ in range(12)}:
                found = index.search(parse_query(query), Filters(), None)
                assert {hit.page.number for hit in found.hits} == {order for order, text in orders.items() if query in text}
                assert all(fold(line.match) == query for hit in found.hits for line in hit.lines) and all(
                    h.lines for h in found.hits
                )


def test_a_folder_that_may_not_be_written_stays_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "medium"
    with CorpusStore(folder / "corpus.sqlite") as store:
        store.put(kept(1, TEXTS[2]))
    before = sorted(folder.iterdir())
    folder.chmod(0o555)
    try:
        with open_index(str(folder / "corpus.sqlite"), tmp_path / "cache") as index:
            index.update()
            assert index.search(parse_query("党课"), Filters(), 5).total == 1
        assert [file for file in sorted(folder.iterdir()) if file not in before] == []
    finally:
        folder.chmod(0o755)


@pytest.mark.parametrize("query", ["", "-党课", "党课 OR", "OR 党课", "党课 OR OR 组织", "党课 OR -组织", "，", '党课 "。"'])
def test_what_is_no_query(query: str) -> None:
    with pytest.raises(SearchError, match=r"is no query\. Write|there is nothing to search for"):
        parse_query(query)


def test_pages_as_a_table(place: str) -> None:
    with CorpusStore(place) as store:
        for n, (text, host) in enumerate(zip(TEXTS, ("b.cn", "a.cn", "a.cn", "c.cn"), strict=True), 1):
            store.put(kept(n, text, host=host, url=f"http://{host}/{n}", relevance=(n * 3 % 5) / 5))
        store.put(rejected(9, "list page"))
        with store.reading() as connection:
            orders = {
                sort: [page.number for page in listed(connection, Filters(), sort)[0]]
                for sort in ("number", "host", "relevance", "date", "characters")
            }
            assert orders["number"] == [1, 2, 3, 4] and orders["host"] == [2, 3, 1, 4]
            assert orders["relevance"] == [3, 1, 4, 2] and orders["date"] == [4, 3, 2, 1]
            lengths = [len(TEXTS[number - 1]) for number in orders["characters"]]
            assert all(a >= b for a, b in itertools.pairwise(lengths))
            pages, total = listed(connection, Filters(rejected=True), limit=2)
            assert ([page.title for page in pages], total) == (["标题1", "标题2"], 5)
            ((page,), total) = listed(connection, Filters(reasons=("list page",)))
            assert (page.reason, page.url, total) == ("list page", "http://b.cn/9", 1)
