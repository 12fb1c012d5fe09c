"""The text as extracted, kept beside the cleaned one where the settings say so."""

import zlib

import pytest
import sqlalchemy as sa
from corpus_tools import NewPlace, kept

from topical_crawler.cleaning.cleaner import CleaningOptions
from topical_crawler.cleaning.personal import mask
from topical_crawler.corpus.clean import clean
from topical_crawler.corpus.copy import copy, merge
from topical_crawler.corpus.make import Maker
from topical_crawler.corpus.record import Filters, Record, raw_texts
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.export.rows import masked, without_personal
from topical_crawler.extraction.extract import extract

BODY = "各级党组织扎实开展主题教育，把理论学习放在第一位。" * 5
HTML = f"<h1>主题教育</h1><article><p>{BODY}</p><p>党员干部{BODY}</p></article>"
RAW = "打印 关闭\n主题教育第一讲\n责任编辑：王某 13800138000"
KINDS = ("sqlite", "postgresql")


def raw_of(place: str) -> dict[str, str | None]:
    with CorpusStore(place, read_only=True) as store:
        return {record.url: record.raw for record in store.with_raw(store.records(Filters(rejected=True)))}


def quiet(doing: str, done: int, total: int) -> None:
    pass


def put(place: str, *records: Record) -> list[str]:
    with CorpusStore(place) as store:
        return [store.put(record).url for record in records]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_raw_texts_are_kept_packed_and_come_over(new_place: NewPlace, kind: str, other: str) -> None:
    one, two = kept(1, "主题教育第一讲", raw=RAW + "\x00"), kept(2, "主题教育第二讲")
    twin = kept(3, "主题教育第一讲", raw="是副本")  # has no text of its own
    first, second, third = put(place := new_place(kind), one, two, twin)
    expected = {first: RAW, second: "", third: ""}
    assert raw_of(place) == expected
    with CorpusStore(place, read_only=True) as store, store.reading() as connection:
        (packed,) = connection.scalars(sa.select(raw_texts.c.packed))
        assert zlib.decompress(packed).decode() == RAW
        assert [record.raw for record in store.records()] == [None, None]  # only who asks reads them
    put(place, kept(1, "主题教育第一讲", raw="再取一次"))
    with CorpusStore(place, read_only=True) as source:
        with CorpusStore(copied := new_place(other)) as target:
            copy(source, target, quiet)
        with CorpusStore(merged := new_place(other)) as target:
            merge(source, target, quiet)
    assert raw_of(copied) == raw_of(merged) == {**expected, first: "再取一次"}


def test_what_is_stored_is_the_text_before_cleaning() -> None:
    extracted = extract(HTML.replace("第一位。", "第一位，电话13800138000。", 1), "http://www.example.cn/a.html")
    plain = Maker(None, CleaningOptions(keep_raw=True)).make("www.example.cn", extracted)
    assert plain.fields["raw"] == extracted.text and "13800138000" in extracted.text
    hidden = Maker(None, CleaningOptions(keep_raw=True, personal="mask")).make("www.example.cn", extracted)
    assert "13800138000" not in hidden.fields["raw"] and "[电话]" in hidden.fields["raw"]
    assert "raw" not in Maker(None, CleaningOptions()).make("www.example.cn", extracted).fields


def test_personal_data_of_the_raw_text_are_covered_too() -> None:
    record = kept(1, "主题教育第一讲", raw=RAW, measures={"han": 1.0})
    covered = masked(record)
    assert covered.raw == RAW.replace("13800138000", "[电话]")
    assert without_personal(record) is None and without_personal(kept(1, "主题教育第一讲", measures={"han": 1.0})) is not None


@pytest.mark.parametrize("kind", KINDS)
def test_cleaning_with_masks_covers_the_raw_texts_too(new_place: NewPlace, kind: str) -> None:
    texts = [f"{BODY}第{number}讲，{BODY}" for number in range(3)]
    put(place := new_place(kind), *(kept(n, text, raw=f"{RAW}\n第{n}讲") for n, text in enumerate(texts)), kept(9, BODY * 2))
    with CorpusStore(place) as store:
        clean(store, CleaningOptions(personal="flag"))
        assert [raw for raw in raw_of(place).values() if raw] == [f"{RAW}\n第{n}讲" for n in range(3)]
        clean(store, CleaningOptions(personal="mask"), dry_run=True)
        assert any("王某 1380" in str(raw) for raw in raw_of(place).values())
        clean(store, CleaningOptions(personal="mask"))
    assert [raw for raw in raw_of(place).values() if raw] == [mask(f"{RAW}\n第{n}讲")[0] for n in range(3)]
