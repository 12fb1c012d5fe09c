"""Pages that are visited again: texts that stay, change, vanish and come back, in both kinds of databases."""

from corpus_tools import NewPlace

from topical_crawler.corpus.copy import copy
from topical_crawler.corpus.record import Filters, Record
from topical_crawler.corpus.store import CorpusStore

TEXTS = [f"第{n}支部的党员在{n}月里学习了党章，讨论了群众提出的{n}件事，并且一件一件地答复。" * 4 for n in ("一", "二", "三")]


def page(text: str | None, day: int, status: int = 200, name: str = "1") -> Record:
    url, reason = f"http://a.cn/{name}.html", "" if text else f"HTTP {status}"
    when = f"2026-11-{day:02}T08:00:00+00:00"
    return Record(
        url=url, host="a.cn", keep=text is not None, text=text, reason=reason, status=status, fetched=when, title=f"{day}日"
    )


def since(store: CorpusStore, day: int) -> list[str]:
    return [record.text or "" for record in store.records(Filters(new_since=f"2026-11-{day:02}"))]


def test_versions_are_kept_and_pages_that_vanish_marked(place: str) -> None:
    with CorpusStore(place) as store:
        first = store.put_again(page(TEXTS[0], 1))
        store.visited(first.key, "2026-11-02T08:00:00+00:00")
        assert since(store, 1) == [TEXTS[0]] and since(store, 2) == []
        store.put_again(page(TEXTS[0], 3))
        assert since(store, 1) == [TEXTS[0]] and since(store, 2) == []
        assert list(store.former()) == []
        store.put_again(page(TEXTS[1], 4))
        assert since(store, 4) == [TEXTS[1]] and since(store, 5) == []
        for day in (5, 6):
            store.put_again(page(None, day, 404))
        (gone,) = store.gone()
        assert (gone.text, gone.why["gone"]) == (TEXTS[1], "2026-11-05T08:00:00+00:00")
        assert [row[3] for row in store.visits()] == [False] and list(store.gone("2026-11-06")) == []
        store.put_again(page(None, 6, 503))
        store.put_again(page(TEXTS[2], 7))
        assert list(store.gone()) == [] and since(store, 7) == [TEXTS[2]]
        former = [(version.text, version.fetched[:10], version.ended[:10], version.title) for version in store.former(first.key)]
        assert former == [(TEXTS[0], "2026-11-03", "2026-11-04", "3日"), (TEXTS[1], "2026-11-04", "2026-11-07", "4日")]
        assert [version.text for version in store.former(since="2026-11-05")] == [TEXTS[1]]
        assert list(store.former("0" * 32)) == []


def test_a_copy_of_another_text_is_no_version(place: str) -> None:
    with CorpusStore(place) as store:
        store.put(page(TEXTS[0], 1))
        store.put(page(TEXTS[1], 1, name="2"))
        assert store.put_again(page(TEXTS[1], 2)).reason == "duplicate"
        assert list(store.former()) == []
        assert [record.text for record in store.records()] == TEXTS[:2]


def test_a_copy_has_the_former_versions(new_place: NewPlace) -> None:
    old, new = new_place("sqlite"), new_place("sqlite")
    with CorpusStore(old) as store:
        store.put(page(TEXTS[0], 1))
        store.put_again(page(TEXTS[1], 2))
        former = list(store.former())
        with CorpusStore(new) as target:
            copy(store, target, lambda doing, done, total: None)
            assert list(target.former()) == former and len(former) == 1
