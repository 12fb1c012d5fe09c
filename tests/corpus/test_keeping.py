"""How pages get their rows: articles on several pages, copies that name each other, all the places of a text, changed rows."""

import dataclasses
import random
from collections.abc import Iterator

import pytest
from corpus_tools import kept, rejected

from topical_crawler.corpus.record import Filters, Record, bands
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.text.passages import Passage, layout, passages, plain

PARTS = (
    "县里的老支书说，修渠那年全村人都上了山，白天黑夜轮着班干。",
    "水来的那一天，孩子们沿着渠一路跑，一直跑到村口的石桥。",
    "如今渠边种满了果树，合作社的账本上写着每一户的分红。",
)
SUBJECTS = ["老支书", "村里的会计", "返乡的大学生", "驻村干部", "合作社社长", "卫生院大夫", "小学校长", "护林员"]
DEEDS = ["清点了仓库里的种子", "查看了新修的水渠", "把账本摊在院子里", "讲起了当年的事", "给果树剪了枝", "去镇上办了手续"]
ENDS = ["大家都点头", "谁也没有说话", "天已经黑了", "雨还在下", "第二天照旧", "日子慢慢好了起来"]


def story(seed: int, sentences: int = 30) -> str:
    """A text like no other: sentences put together at random."""
    choose = random.Random(seed).choice
    return "".join(
        f"{choose(SUBJECTS)}{choose(DEEDS)}，{choose(SUBJECTS)}{choose(DEEDS)}，{choose(ENDS)}。" for _ in range(sentences)
    )


def part(number: int, **more: object) -> Record:
    fields = {"url": f"http://www.a.cn/shuiqu_{number}.html", "series": "www.a.cn/shuiqu", "part": number}
    return kept(number, PARTS[number - 1], **(fields | more))


@pytest.fixture
def store(place: str) -> Iterator[CorpusStore]:
    with CorpusStore(place) as opened:
        yield opened


@pytest.mark.parametrize("order", [(1, 2, 3), (2, 3, 1), (3, 2, 1)])
def test_the_parts_of_an_article_are_one_text_in_whatever_order_they_come(store: CorpusStore, order: tuple[int, ...]) -> None:
    for number in order:
        store.put(part(number))
    (whole,) = store.records()
    assert (whole.url, whole.text) == ("http://www.a.cn/shuiqu_1.html", "\n".join(PARTS))
    assert whole.measures
    others = [row for row in everything_of(store) if not row.keep]
    assert {(row.part, row.reason, row.duplicate_of, row.text) for row in others} == {
        (2, "part", whole.url, None),
        (3, "part", whole.url, None),
    }
    before = everything_of(store)
    store.put(part(2))  # fetched again, as after a crash
    assert everything_of(store) == before
    assert store.places([whole.url])[whole.url] == sorted((row.url for row in others), key=lambda url: order.index(int(url[-6])))


def test_parts_of_an_article_that_is_there_on_one_page_are_a_duplicate(store: CorpusStore) -> None:
    one_page = store.put(kept(9, "\n".join(PARTS)))
    for number in (1, 2, 3):
        store.put(part(number))
    assert [row.url for row in store.records()] == [one_page.url]
    assert {row.duplicate_of for row in everything_of(store) if not row.keep} == {one_page.url}


def test_a_reprint_with_some_changes_is_kept_once_and_its_place_is_known(store: CorpusStore) -> None:
    text = story(1)
    first = store.put(kept(1, text))
    edited = "据县融媒体中心消息，" + "。".join(text.split("。")[1:]) + "本文作者是县里的通讯员。"
    again = store.put(kept(2, edited, url="http://b.cn/2", host="b.cn", final_url="http://www.b.cn/2"))
    assert (again.keep, again.reason, again.duplicate_of) == (False, "duplicate", first.url)
    assert 0.5 < again.similarity < 1
    other = store.put(kept(3, story(2)))
    assert other.keep
    store.put(Record(url="http://c.cn/r", host="c.cn", keep=False, reason="redirected", duplicate_of="http://b.cn/2"))
    store.put(rejected(4))
    assert store.places([first.url, other.url]) == {
        first.url: ["http://b.cn/2", "http://www.b.cn/2", "http://c.cn/r"],
        other.url: [],
    }


def test_bands_are_those_of_the_kept_texts(store: CorpusStore) -> None:
    def pages_with_bands() -> set[int]:
        with store.reading() as connection:
            return {row.page for row in connection.execute(bands.select())}

    first = store.put(kept(1, story(1)))
    store.put(kept(2, story(1), url="http://b.cn/2"))
    assert pages_with_bands() == {first.order}
    store.put(kept(1, story(3)))
    assert store.put(kept(4, story(1))).keep, "nothing is left of the text that was there"
    assert store.replace(dataclasses.replace(first, keep=False, text=None, reason="boilerplate only")).order == first.order
    assert first.order not in pages_with_bands()


def test_of_two_texts_that_became_one_the_earlier_is_kept(store: CorpusStore) -> None:
    footer = "欢迎关注我们的公众号。" * 40
    first = store.put(kept(1, story(1) + footer))
    second = store.put(kept(2, story(1)[:900] + "".join(reversed(footer)) * 3))
    assert first.keep and second.keep
    cleaned = [store.replace(dataclasses.replace(row, text=story(1))) for row in (first, second)]
    assert [(row.keep, row.order) for row in cleaned] == [(True, 1), (False, 2)]
    assert cleaned[1].duplicate_of == first.url


def test_places_of_a_chain_that_runs_in_a_circle(store: CorpusStore) -> None:
    for one, other in ("ab", "ba"):
        store.put(
            Record(url=f"http://{one}.cn/", host=f"{one}.cn", keep=False, reason="redirected", duplicate_of=f"http://{other}.cn/")
        )
    assert store.places(["http://a.cn/"]) == {"http://a.cn/": ["http://b.cn/"]}


def everything_of(store: CorpusStore) -> list[Record]:
    return list(store.records(Filters(rejected=True)))


def test_the_layouts_of_parts_are_joined_with_their_texts(store: CorpusStore) -> None:
    texts = [[Passage("修渠", "heading", 2), Passage(PARTS[n]), Passage(f"{n}\n  + 1", "code", note="c")] for n in range(3)]
    for number in (3, 1, 2):
        own = texts[number - 1]
        store.put(dataclasses.replace(part(number), text=plain(own), layout=layout(own)))
    (whole,) = store.records()
    assert passages(whole.text or "", whole.layout) == [passage for text in texts for passage in text]
    assert whole.measures["latin"] == 0, "of the prose"
    assert all(row.layout == [] for row in everything_of(store) if not row.keep)
    store.put(part(2))
    (whole,) = store.records()
    assert passages(whole.text or "", whole.layout) == [*texts[0], Passage(PARTS[1]), *texts[2]]
