"""Filters of rows, on both databases."""

import pytest
from corpus_tools import kept, rejected
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.corpus.record import MEASURES, NUMBERS, Bound, Filters, parse_bound
from topical_crawler.corpus.store import CorpusStore

TEXTS = ("组织生活会要开好", "基层党建工作纪实", "专题党课走进车间", "廉政教育警钟长鸣")


def test_filters(place: str) -> None:
    found = (
        {"language": "zh", "script": "simplified", "kind": "article", "measures": dict.fromkeys(MEASURES, 0.5)},
        {"language": "zh", "script": "traditional", "kind": "list", "measures": dict.fromkeys(MEASURES, 0.25), "depth": 3},
        {"language": "en", "personal": {"phone": 1}, "measures": dict.fromkeys(MEASURES, 0.75)},
        {"personal": {}},
    )
    with CorpusStore(place) as store:
        for n, fields in enumerate(found, 1):
            store.put(kept(n, TEXTS[n - 1], **fields))

        def chosen(**filters: object) -> list[int]:
            given = Filters(**filters)  # type: ignore[arg-type]
            orders = {record.key: record.order for record in store.records(given)}
            assert list(store.keys(given)) == list(orders)
            return list(orders.values())

        assert chosen(languages=("zh",)) == [1, 2]
        assert chosen(languages=("zh", "en"), scripts=("traditional", "mixed")) == [2]
        assert chosen(kinds=("article", "list")) == [1, 2]
        assert chosen(no_personal=True) == [1, 2, 4]
        assert chosen(bounds=(Bound("han", ">=", 0.5),)) == [1, 3], "a page that was not measured meets no bound"
        assert chosen(bounds=(Bound("han", ">", 0.25), Bound("han", "<", 0.75))) == [1]
        assert chosen(bounds=(Bound("depth", "=", 3.0),)) == [2]
        assert chosen(bounds=(Bound("relevance", "<=", 0.2),)) == [1, 2]
        assert chosen(limit=2, no_personal=True) == [1, 2]
        store.put(rejected(8, "list page"))
        store.put(rejected(9))
        assert chosen(rejected=True) == [1, 2, 3, 4, 5, 6]
        assert chosen(reasons=("list page", "no text")) == chosen(reasons=("list page",), rejected=True) == [5]


@given(st.sampled_from(NUMBERS), st.sampled_from([">=", "<=", ">", "<", "="]), st.floats(-1e9, 1e9), st.sampled_from(["", " "]))
def test_bounds_are_read_as_they_are_written(name: str, sign: str, value: float, space: str) -> None:
    assert parse_bound(f"{name}{space}{sign}{space}{value!r}") == Bound(name, sign, value)


@pytest.mark.parametrize("text", ["", "han", "han>=", ">=1", "han>=x", "han>=nan", "han=>1", "han==1", "1<han", "han>=1e9999"])
def test_what_is_no_bound(text: str) -> None:
    with pytest.raises(ValueError, match=r"write it as 'han>=0\.5'"):
        parse_bound(text)


def test_a_name_that_there_is_not() -> None:
    with pytest.raises(ValueError, match=r"'size' cannot be bounded; there are relevance, .*han"):
        parse_bound("size>=5")
