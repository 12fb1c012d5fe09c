"""Texts that become equal when a corpus is cleaned are kept once, and cleaning at the end of a crawl can be undone."""

from topical_crawler.cleaning.cleaner import CleaningOptions
from topical_crawler.corpus.clean import LateCleaning, clean, put_back
from topical_crawler.corpus.record import Filters, Record
from topical_crawler.corpus.store import CorpusStore

SLOGAN = "跟着某某党建网，学习永远在路上！"
WHO = ("党员老张", "支部书记", "驻村队员", "退休教师", "社区医生", "船厂工人", "合作社的人", "邮递员")


def body(n: int) -> str:
    """Too short to be anything but the same or another text."""
    end = "念了一遍又一遍" if n % 2 else "交给值班的人"
    return f"{WHO[n]}第{n * 37 + 11}天清早就到了河边，先量水位，再查堤上的沙袋，晚上把数字{end}，然后才回家吃饭，第二天又是这样。"


def fill(store: CorpusStore) -> None:
    """Texts with the site's slogan above them, and on other sites two without: before and after the same text with it."""

    def put(host: str, n: int, text: str) -> None:
        page = Record(url=f"http://{host}/{n}", host=host, keep=True, text=text)
        store.put(page, text)

    put("before.cn", 1, body(1))
    for n in range(8):
        put("www.a.cn", n, f"{SLOGAN}\n{body(n)}")
    put("after.cn", 2, body(2))


def kept(store: CorpusStore) -> list[str]:
    return [record.url for record in store.records()]


EXPECTED = ["http://before.cn/1", "http://www.a.cn/0", *(f"http://www.a.cn/{n}" for n in range(2, 8))]


def test_of_texts_that_become_equal_the_first_is_kept(place: str) -> None:
    with CorpusStore(place) as store:
        fill(store)
        assert len(kept(store)) == 10
        done = clean(store, CleaningOptions())
        assert kept(store) == EXPECTED
        assert done.rejected == {"duplicate": 2}
        again = clean(store, CleaningOptions())
        assert (again.changed, again.rejected) == (0, {})


def test_late_cleaning_does_the_same_once_and_can_be_undone(place: str) -> None:
    with CorpusStore(place) as store:
        fill(store)
        before = list(store.records(Filters(rejected=True)))
        for _ in range(2):
            late = LateCleaning(store, CleaningOptions())
            for _ in late.steps():
                pass
            assert kept(store) == EXPECTED
            changes = late.done.changes()
            assert (late.done.changed, late.done.rejected) == (7, {"duplicate": 2})
            assert LateCleaning(store, CleaningOptions()).total == 0
            undone = put_back(store)
            assert {host: gain.kept for host, gain in changes.gains.items()} == {"www.a.cn": -1, "after.cn": -1}
            assert {host: gain.kept for host, gain in undone.gains.items()} == {"www.a.cn": 1, "after.cn": 1}
            assert undone.rejected == {"duplicate": -2, "": 0}
            assert list(store.records(Filters(rejected=True))) == before


def test_a_reader_gets_what_cleaning_would_leave(place: str) -> None:
    with CorpusStore(place) as store:
        fill(store)
        read = [record for record in LateCleaning(store, CleaningOptions()).over(store.records()) if record.keep]
        assert [record.url for record in read] == EXPECTED
        for _ in LateCleaning(store, CleaningOptions()).steps():
            pass
        assert [record.text for record in store.records()] == [record.text for record in read]
