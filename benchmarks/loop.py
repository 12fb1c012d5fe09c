"""Longest work of the event loop: python benchmarks/loop.py

Nothing that the event loop does at once may take longer than 250 ms of processor time on the worst input that the bounds allow:
meanwhile no host is asked. Each row is such an input, made here, with the processor time of the call that the loop makes for it;
what runs in a thread is marked, and holds up nobody. The exit code is 1 where a call on the loop takes longer.

An idle machine is taken for granted: a busy one makes the same call take up to twice the time.
"""

from __future__ import annotations

import asyncio
import gc
import random
import sys
import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table
from scrapy.robotstxt import ProtegoRobotParser

from topical_crawler import load_topic, strategies
from topical_crawler.crawl.link_policy import evidence_of
from topical_crawler.middlewares import MANY
from topical_crawler.web import listings
from topical_crawler.web.page import Candidate, Page
from topical_crawler.web.robots import MOST_BYTES, addressed, classify

LIMIT = 0.25  # seconds of processor time
LINKS = 2_000  # TOPICAL_MAX_LINKS
SIZE = 2_000_000  # characters of a page
AGENT = "topical_crawler"
WORDS = "党建学习教育组织生活支部书记工作会议主题活动开展落实推进服务群众干部队伍制度管理"


def page(html: str, **wanted: bool) -> Callable[[], object]:
    """Read a page as the spider does."""
    return lambda: Page.from_html("http://a.cn/", html, runs=True, paths=True, most_links=LINKS, **wanted)


def pages() -> dict[str, str]:
    """The worst pages, by what is wrong with them."""
    drawn = random.Random(0)
    anchors = ("".join(drawn.choices(WORDS, k=16)) for _ in range(LINKS))
    items = {
        "200,000 links": "".join(f"<li><a href='/{n}.html'>第{n}条</a>" for n in range(200_000)),
        "one link 200,000 times": "<a href='/a.html'>党</a>" * 200_000,
        "a million paragraphs": "<p>党建" * 1_000_000,
        "text alone": "党建工作" * (SIZE // 4),
        "elements nested 490 deep": "<div>" * 490 + "<p>党建</p>" * 200_000,
        "200,000 meta elements": "<meta name=keywords content=党建>" * 200_000,
        "50,000 attributes": "<a " + " ".join(f"a{n}=1" for n in range(50_000)) + ">党建",
    }
    return {"2,000 new links": "".join(f"<a href='/{n}'>{text}</a>" for n, text in enumerate(anchors))} | {
        name: html[: 5 * SIZE] for name, html in items.items()
    }


def feed(entries: int, end: str) -> bytes:
    """An RSS feed; without its ``end`` it is broken."""
    items = "".join(f"<item><title>第{n}条</title><link>http://a.cn/{n}</link></item>" for n in range(entries))
    return f"<rss version='2.0'><channel>{items}{end}".encode()[: listings.MOST_FEED_BYTES]


def calls() -> dict[str, tuple[Callable[[], object], bool]]:
    """What is measured, by name, and whether it runs in a thread."""
    found: dict[str, tuple[Callable[[], object], bool]] = {}
    strategy = strategies.create(load_topic("partybuilding"), "adaptive", resources=None)
    for name, html in pages().items():
        found[f"page: {name}"] = page(html), False
        read = Page.from_html(f"http://a.cn/{name}", html, runs=True, paths=True, most_links=LINKS)
        anchors = [link.anchor for link in read.links]
        if len(anchors) > MANY:
            found[f"meaning of its anchors: {name}"] = (lambda p=read, a=anchors: asyncio.run(strategy.prepare(p, a))), True
        found[f"judge: {name}"] = (lambda p=read: strategy.judge(p)), False
        if len(anchors) > MANY:
            verdict = strategy.judge(read)
            links = [Candidate(link.url, (evidence_of(link, read.url, verdict, 1),)) for link in read.links]
            found[f"scores of its links: {name}"] = (lambda links=links: strategy.score(links)), False
    for name, end in (("", "</channel></rss>"), ("broken ", "")):
        found[f"{name}feed of a megabyte"] = (lambda end=end: listings.read(feed(20_000, end), "http://a.cn/feed")), False
    sitemap = ("<urlset>" + "".join(f"<url><loc>http://a.cn/{n}</loc></url>" for n in range(250_000)) + "</urlset>").encode()
    found["sitemap of 10 megabytes"] = (lambda: listings.read(sitemap, "http://a.cn/s.xml")), False
    pairs = "User-agent: *\n" + "".join(f"Disallow: /s{n}\nAllow: /s{n}\n" for n in range(40_000))
    stars = "User-agent: *\n" + "".join(f"Disallow: /*{n}*x*{n}*$\n" for n in range(40_000))
    for name, text in (("pairs", pairs[:MOST_BYTES]), ("patterns", stars[:MOST_BYTES])):
        parser = ProtegoRobotParser(text.encode(), None)
        allowed = lambda path, p=parser: p.allowed(f"http://a.cn{path}", AGENT)  # noqa: E731
        found[f"robots.txt of {name}: parse"] = (lambda t=text: ProtegoRobotParser(t.encode(), None)), True
        found[f"robots.txt of {name}: classify"] = (lambda t=text, a=allowed: classify(addressed(t, AGENT), a)), False
        found[f"robots.txt of {name}: one page"] = (lambda a=allowed: a("/党建/1.html")), False
    return found


def main() -> int:
    """Print the table."""
    table = Table("input", "ms", "where", title="Processor time of one call, the least of three")
    late = []
    gc.freeze()
    for name, (call, in_thread) in calls().items():
        seconds = []
        for _ in range(1 if in_thread else 3):
            began = time.process_time()
            call()
            seconds.append(time.process_time() - began)
        if not in_thread and min(seconds) > LIMIT:
            late.append(name)
        style = "red" if name in late else None
        table.add_row(name, f"{1000 * min(seconds):.0f}", "thread" if in_thread else "loop", style=style)
    Console().print(table)
    if late:
        print(f"longer than {1000 * LIMIT:.0f} ms on the event loop: {', '.join(late)}")
    return bool(late)


if __name__ == "__main__":
    sys.exit(main())
