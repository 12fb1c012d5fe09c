"""A refresh finds what is new on a site that goes on publishing, with a small part of the requests of a crawl."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import MappingProxyType

import pytest
from crawl_tools import HTML, Reply, Site, article, crawl, rows
from step_tools import open_crawl

from topical_crawler.cli.corpus.diff import changes
from topical_crawler.corpus.record import Filters, Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.options import CrawlError
from topical_crawler.crawl.refresh import Refresh, Visited, due
from topical_crawler.crawl.steering import seed_entry
from topical_crawler.frontier.base import Outcome
from topical_crawler.frontier.sqlite import SqliteFrontier
from topical_crawler.web.urls import fingerprint

RunScrapy = Callable[..., subprocess.CompletedProcess[str]]
OPTIONS = {"DOWNLOAD_DELAY": 0, "TOPICAL_FEEDS": 1}
DAYS, A_DAY, ON_A_LIST = 22, 4, 12
FEED = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
CHANNELS = ("要闻", "基层", "理论")


class Portal(Site):
    """Channels with lists of many pages, articles with dates and further reading, a front page; as it stands on a day. It answers
    304 where a page has not changed."""

    day = DAYS
    changed: Mapping[str, str | None] = MappingProxyType({})  # by path what an article says besides; None: it is gone

    def __init__(self) -> None:
        super().__init__({"": self.page, "/robots.txt": Reply("", content_type="text/plain")})
        self.statuses: list[int] = []

    def texts(self, channel: int) -> list[tuple[str, str, str]]:
        return [
            (f"/{channel}/{day}-{n}.html", f"党建 {CHANNELS[channel]} {day}-{n}", str(date(2024, 1, 1) + timedelta(day)))
            for day in range(self.day, -1, -1)
            for n in range(A_DAY)
            if (day + n) % len(CHANNELS) == channel
        ]

    def page(self, path: str) -> Reply | None:
        html = self.html(path)
        if html is None or (path in self.changed and self.changed[path] is None):
            self.statuses.append(404)
            return None
        html = html.replace("</article>", f"<p>{self.changed.get(path) or ''}</p></article>")
        tag = f'"{blake2b(html.encode(), digest_size=8).hexdigest()}"'

        def answer(to: BaseHTTPRequestHandler) -> None:
            status = 304 if to.headers.get("If-None-Match") == tag else 200
            self.statuses.append(status)
            body = b"" if status == 304 else html.encode()
            head = f"HTTP/1.1 {status} X\r\nContent-Type: {HTML}\r\nETag: {tag}\r\nContent-Length: {len(body)}\r\n\r\n"
            to.wfile.write(head.encode() + body)

        return Reply(raw=answer)

    def html(self, path: str) -> str | None:
        parts = path.strip("/").removesuffix(".html").split("/")
        channels = [self.texts(channel) for channel in range(len(CHANNELS))]
        if path == "/":
            latest = {url: title for texts in channels for url, title, _ in texts[:5]}
            return listed(latest | {f"/{c}/": f"党建{name}" for c, name in enumerate(CHANNELS)})
        if path == "/feed.xml":
            items = sorted((when, url, title) for texts in channels for url, title, when in texts)[-2:]
            entries = "".join(f"<item><title>{title}</title><link>{url}</link></item>" for _, url, title in items)
            return f"<rss version='2.0'><channel>{entries}</channel></rss>"
        if not parts[0].isdecimal():
            return None
        channel = int(parts[0])
        texts = channels[channel]
        if len(parts) == 1 or parts[1].startswith("list"):
            page = int(parts[1].removeprefix("list")) if len(parts) > 1 else 0
            part = {url: title for url, title, _ in texts[page * ON_A_LIST :][:ON_A_LIST]}
            more = {f"/{channel}/list{page + 1}.html": "党建下一页"} if (page + 1) * ON_A_LIST < len(texts) else {}
            return listed(part | more) if part else None
        number = next((i for i, text in enumerate(texts) if text[0] == path), None)
        if number is None:
            return None
        _, title, when = texts[number]
        near = {url: name for url, name, _ in texts[max(0, number - 2) : number + 3] if url != path}
        return article(title, near | {f"/{channel}/": "党建"}, head=f'<meta name="publishdate" content="{when}">{FEED}')


def listed(links: dict[str, str]) -> str:
    items = "".join(f'<li><a href="{url}">{name}</a></li>' for url, name in links.items())
    return f"<html><head><title>党建频道</title></head><body><ul>{items}</ul></body></html>"


@pytest.fixture(scope="module")
def crawled(topic: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Portal, Path]]:
    data = tmp_path_factory.mktemp("refresh") / "data"
    with Portal() as portal:
        assert crawl(topic, data, f"{portal.url}/", **OPTIONS).code == 0
        yield portal, data


def test_what_is_new_is_found_with_a_tenth_of_the_requests(topic: Path, crawled: tuple[Portal, Path]) -> None:
    portal, data = crawled
    before, whole = [record.url for record in rows(data) if record.keep], len(portal.pages())
    assert len(before) == (DAYS + 1) * A_DAY and set(portal.statuses) == {200}
    portal.day += 1
    assert crawl(topic, data, f"{portal.url}/", refresh="0d", **OPTIONS).code == 0
    new, asked = sum(record.keep for record in rows(data)) - len(before), [hit.path for hit in portal.pages()[whole:]]
    assert new >= 0.9 * A_DAY and len(asked) <= 0.1 * whole
    assert asked[0] == "/feed.xml" and len(asked) == len(set(asked))


def test_a_text_that_changes_has_versions_and_one_that_goes_is_marked(
    topic: Path, crawled: tuple[Portal, Path], call_scrapy: RunScrapy
) -> None:
    """Long after the last visit, which the test writes into the corpus. Of the pages visited again one is a text."""
    portal, data = crawled
    changed, gone, put_in = f"{portal.url}/0/22-2.html", f"{portal.url}/0/23-1.html", "后来改过的一句，支部党员都看到了。"
    portal.changed = {"/0/22-2.html": put_in, "/0/23-1.html": None}
    with contextlib.closing(sqlite3.connect(data / "corpus.sqlite")) as corpus, corpus:
        corpus.execute("UPDATE pages SET fetched = '2024-01-24T00:00:00+00:00'")
    before = {record.url: record for record in rows(data)}
    visited = []
    for _ in range(2):
        asked = len(portal.statuses)
        assert crawl(topic, data, f"{portal.url}/", refresh="1d", **OPTIONS).code == 0
        visited.append(portal.statuses[asked:])
    assert visited[0] == [304, 304, 304, 304, 304, 200] and visited[1].count(404) == 1
    with CorpusStore(data / "corpus.sqlite", read_only=True) as store:
        found = changes(store, since := "2025-01-01")
        assert [[page["url"] for page in found[kind]] for kind in ("new", "changed", "gone")] == [[], [changed], [gone]]
        (former,) = store.former()
        assert (former.text, former.fetched) == (before[changed].text, before[changed].fetched)
        assert [record.url for record in store.records(Filters(new_since=since))] == [changed]
        now, kept_text = store.page(changed), store.page(gone)
    assert now is not None and put_in in (now.text or "") and kept_text is not None and kept_text.text == before[gone].text
    said = call_scrapy("corpus", "diff", data, "--page", changed, cwd=data).stdout
    assert [text for text in said.splitlines() if text.startswith("+") and not text.startswith("+++")] == [f"+{put_in}"]


@pytest.mark.parametrize(
    ("written", "settings", "message"),
    [
        ("daily", {}, "a time is expected"),
        ("1d", {"TOPICAL_FRONTIER": "redis"}, "TOPICAL_FRONTIER=sqlite"),
        ("1d", {}, r"has no pages to refresh\. Crawl first"),
    ],
)
def test_what_cannot_be_refreshed_is_refused(
    topic: Path, tmp_path: Path, written: str, settings: dict[str, str], message: str
) -> None:
    with pytest.raises(CrawlError, match=message):
        open_crawl(topic, tmp_path, refresh=written, **settings)


def test_what_was_visited_lately_or_gives_little_is_not_due() -> None:
    now = datetime(2024, 6, 30, 12, tzinfo=UTC)
    hubs = [Visited(f"http://a.cn/{age}", (now - timedelta(hours=age)).isoformat()) for age in (12, 36)]
    hubs += [Visited(f"http://a.cn/list{n}", (now - timedelta(days=2)).isoformat()) for n in (1, 9)]
    hubs += [Visited("http://a.cn/", "", is_seed=True), Visited("http://a.cn/seed", hubs[0].fetched, is_seed=True)]
    gave = {"12": "2024-06-29", "36": "2024-06-29", "list1": "2024-06-30", "list9": "2024-01-01"}
    texts = [Visited(f"http://a.cn/t{i}", "", f"http://a.cn/{hub}", day) for hub, day in gave.items() for i in range(5)]
    texts += [Visited(f"http://a.cn/{day}", "", "http://a.cn/list9", day) for day in ("", "2099-01-01")]
    assert due([*hubs, *texts], 1000, 86_400, now) == ["http://a.cn/list1", "http://a.cn/36"]
    assert due([*hubs, *texts], 1000, 0, now)[:1] == ["http://a.cn/list1"] and len(due([*hubs, *texts], 1000, 0, now)) == 4
    many = [Visited(f"http://a.cn/{i}", "2024-06-01T00:00:00+00:00", is_seed=True) for i in range(100)]
    assert len(due(many, 100, 0, now)) == 4 and len(due(many, 1000, 0, now)) == 40


HUB, OTHER = "http://a.cn/list", "http://a.cn/old"


@pytest.fixture
def ended(tmp_path: Path) -> Iterator[tuple[SqliteFrontier, CorpusStore]]:
    """A crawl that has fetched a seed long ago, and of which two links wait."""
    frontier = SqliteFrontier(tmp_path / "frontier.sqlite")
    with CorpusStore(tmp_path / "corpus.sqlite") as store:
        seed = seed_entry(HUB)
        frontier.push([seed, *(seed_entry(f"{OTHER}/{n}", 0.5 + n) for n in range(2))])
        assert frontier.pop(0.0) is not None
        frontier.done(seed.key, Outcome(HUB, False, reason="off topic"))
        store.put(Record(url=HUB, host="a.cn", keep=False, reason="off topic", fetched="2024-05-03T08:00:00+00:00"))
        yield frontier, store
        frontier.close()


def test_a_refresh_fetches_what_it_visits_again_and_nothing_that_waited(ended: tuple[SqliteFrontier, CorpusStore]) -> None:
    frontier, store = ended
    refresh = Refresh(frontier, store)
    assert not refresh.active
    refresh.begin(0.0, 1, [])
    assert refresh.active and refresh.again == {fingerprint(HUB)} and refresh.has_turn(10.0) and refresh.goes_on(0)
    entry = frontier.pop(10.0)
    assert entry is not None and entry.url == HUB
    frontier.done(entry.key, Outcome(HUB, False, reason="off topic"))
    assert not refresh.has_turn(20.0) and not refresh.goes_on(0)


def test_an_ordinary_run_finds_the_links_where_they_waited(ended: tuple[SqliteFrontier, CorpusStore]) -> None:
    frontier, store = ended
    before = [(entry.url, entry.priority) for entry in frontier.waiting(9)]
    Refresh(frontier, store).begin(1e12, 1, [])
    assert frontier.waiting(9)[0].priority < 0
    for _ in range(2):
        Refresh(frontier, store).lift()
        assert [(entry.url, entry.priority) for entry in frontier.waiting(9)] == before


def test_a_refresh_that_was_broken_off_goes_on(ended: tuple[SqliteFrontier, CorpusStore]) -> None:
    frontier, store = ended
    for _ in range(2):
        Refresh(frontier, store).begin(1e12, 1, [])
    new = seed_entry("http://a.cn/new", 0.1)
    frontier.push([new])
    Refresh(frontier, store).begin(1e12, 1, [])
    assert frontier.waiting(1)[0].url == new.url


def test_a_page_is_asked_for_on_conditions_only_if_it_is_visited_again(ended: tuple[SqliteFrontier, CorpusStore]) -> None:
    frontier, store = ended
    feed = seed_entry("http://a.cn/feed.xml")
    refresh = Refresh(frontier, store)
    refresh.remember(feed.key, {"ETag": '"7"'})
    assert refresh.conditions(feed) == {}
    refresh.again.add(feed.key)
    assert refresh.conditions(feed) == {"If-None-Match": '"7"'}
