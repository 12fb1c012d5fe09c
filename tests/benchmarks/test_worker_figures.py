"""A measuring program must see what it is there to see."""

from web_server import Hit
from worker_figures import Crawled, compare, duplicates, fetched_again, lost, politeness

from topical_crawler.corpus.record import Record
from topical_crawler.web.urls import fingerprint


def hit(path: str, arrived: float, *, seconds: float = 0.05, host: str = "a.cn", status: int = 200) -> Hit:
    return Hit("w1", host, path, arrived, arrived + seconds, status)


def test_politeness_by_host() -> None:
    hits = [hit("/robots.txt", 0.0), hit("/1", 0.125), hit("/2", 0.25), hit("/1", 0.26, host="b.cn")]
    hits += [hit("/3", 0.359375, seconds=0.2), hit("/4", 0.5)]
    polite = politeness(hits, 0.125, {}, 1)
    assert {name: n for name, n in polite["gaps"].items() if n} == {"<0.9": 1, "<1.02": 1, "<1.25": 1}
    assert [(gap["host"], gap["ms"]) for gap in polite["too_short"]] == [("a.cn", 109.38)]
    assert polite["hosts_over_the_limit"] == {"a.cn": 2}
    assert len(politeness(hits, 0.125, {"a.cn": 0.25}, 2)["too_short"]) == 3, "a Crawl-delay holds for its host"


def test_pages_fetched_again_are_told_from_those_that_a_kill_explains() -> None:
    hits = [hit(path, n) for n, path in enumerate(("/1", "/2", "/1", "/1", "/2", "/3", "/robots.txt", "/robots.txt"))]
    hits += [hit("/4", 9.0, status=502), hit("/4", 10.0)]
    crawled = Crawled(2, hits=hits, leases=[frozenset([fingerprint("http://a.cn/1"), fingerprint("http://a.cn/9")])])
    again = fetched_again(crawled)
    assert (again["leases_open_at_kills"], again["in_open_leases"], again["others"]) == (2, 1, 2)
    assert {url for url, *_ in again["other_requests"]} == {"http://a.cn/1", "http://a.cn/2"}


def test_what_a_crawl_lacks() -> None:
    def row(number: int, text: str) -> Record:
        url = f"http://a.cn/{number}"
        return Record(url=url, host="a.cn", keep=True, text=text, content_hash=text, key=fingerprint(url).hex())

    urls = [f"http://a.cn/{number}" for number in range(1, 5)]
    first = Crawled(1, records=[row(1, "一"), row(2, "二"), row(3, "三")], finished=urls)
    fates = {urls[2]: "waiting", urls[3]: "dropped: trap"}
    other = Crawled(
        2, records=[row(1, "一"), row(2, "二"), row(5, "二")], finished=[urls[0], urls[1], urls[1]], fate=fates.__getitem__
    )
    assert compare(first, other)["missing"] == {urls[2]: "waiting"} and not compare(first, other)["equal"]
    assert compare(first, first)["equal"]
    rejected = Record(url=urls[2], host="a.cn", keep=False, reason="off topic", key=fingerprint(urls[2]).hex())
    assert compare(first, other)["unexplained"] == [urls[2]]
    assert compare(first, Crawled(2, records=[row(1, "一"), row(2, "二"), rejected]))["unexplained"] == []
    assert duplicates(other.records) == {"url": [], "text": [urls[1], "http://a.cn/5"]}
    gone = lost(first, other, lambda url: b"")
    assert (gone["lost"], gone["decided_otherwise"], gone["finished_twice"]) == ({urls[2]: "waiting"}, {"dropped: trap": 1}, 1)


def test_a_link_that_nobody_could_meet_is_not_lost() -> None:
    urls = ["http://a.cn/1", "http://a.cn/2", "http://a.cn/3"]
    first = Crawled(1, finished=urls)
    other = Crawled(2, hits=[hit("/1", 0.0)], finished=urls[:1])
    bodies = {urls[0]: b'<a href="/2">'}
    gone = lost(first, other, bodies.__getitem__)
    assert gone["lost"] == {urls[1]: f"unknown, though {urls[0]} was fetched"}
    assert list(gone["decided_otherwise"].values()) == [1]
