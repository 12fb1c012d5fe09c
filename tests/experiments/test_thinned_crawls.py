"""Crawls of a recorded web that see a part of the links of every page: every strategy the same part, after a stop too, and the
graph of the web knows which."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

import pytest
import warc_tools
from crawl_tools import HTML, article, make_topic
from scrapy.settings import Settings

from experiments.thinning import Thinning
from experiments.web_graph import WebGraph
from topical_crawler import config
from topical_crawler.crawl.crawl import Crawl
from topical_crawler.crawl.steering import seed_entry
from topical_crawler.items import PageItem, now_utc
from topical_crawler.middlewares import judge
from topical_crawler.recordings.reader import Recording
from topical_crawler.topic.topic import load_topic
from topical_crawler.web.page import Page

PAGES = 40
START = "http://a.example/0"


@dataclass(frozen=True)
class Web:
    """A recorded web: its file, and its graph."""

    file: Path
    graph: WebGraph

    def reach(self, thinning: Thinning) -> set[str]:
        """What can be reached from the start where a part of the links is gone."""
        thin = self.graph.thinned(thinning)
        found = [self.graph.urls.index(START)]
        for page in found:
            found += [target for target in thin.links[page] if target not in found]
        return {self.graph.urls[page] for page in found}


@pytest.fixture(scope="module")
def topic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_topic(tmp_path_factory.mktemp("topics") / "small")


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Web:
    """Pages that lead to three others each at random, to some of them by an address that redirects."""
    folder = tmp_path_factory.mktemp("web")
    draw = random.Random(1)
    answers: list[tuple[str, int, Mapping[str, str], bytes]] = []
    for i in range(PAGES):
        links = {f"/{draw.choice(('', 'old/'))}{draw.randrange(PAGES)}": f"党建第{i}篇" for _ in range(3)}
        answers.append((f"http://a.example/{i}", 200, {"Content-Type": HTML}, article(f"第{i}篇", links).encode()))
        answers.append((f"http://a.example/old/{i}", 301, {"Location": f"/{i}"}, b""))
    file = warc_tools.write_warc(folder / "web.warc.gz", answers)
    return Web(file, WebGraph.open(file, folder))


def open_crawl(topic: Path, web: Path, data: Path, **settings: object) -> Crawl:
    given = Settings()
    given.setmodule("topical_crawler.settings")
    for name, value in {"TOPICAL_REPLAY": web, "TOPICAL_DATA_DIR": data, "TOPICAL_CACHE_DIR": data, **settings}.items():
        given.set(name, str(value))
    loaded = load_topic(topic)
    return Crawl.open(config.crawl_options(given, loaded, {}), loaded, None)


def fetch(crawl: Crawl, recording: Recording, thinning: Thinning, most: int = 999) -> list[str]:
    """The addresses of at most so many further pages, as the spider would fetch them."""
    found: list[str] = []
    while len(found) < most and (entry := crawl.next(0.0)) is not None:
        response = recording.get(entry.url)
        assert response is not None
        if response.status == 301:
            crawl.redirect(entry, urljoin(entry.url, response.header("location")), {}, 301)
            continue
        item = PageItem(entry, entry.url, now_utc(), 200, page=Page.from_html(entry.url, response.body.decode()))
        with thinning.applied(item, crawl.options.max_links):
            list(judge(crawl, item))
        item.text = f"{entry.url} 的正文"
        crawl.store_row(item)
        crawl.finish(item)
        found.append(entry.url)
    crawl.close()
    return found


@pytest.mark.parametrize("seed", [0, 1])
def test_every_strategy_finds_what_the_graph_leads_to(topic: Path, web: Web, tmp_path: Path, seed: int) -> None:
    thinning = Thinning(0.5, seed)
    wanted = web.reach(thinning)
    assert 1 < len(wanted) < len(web.reach(Thinning()))
    for strategy in ("breadth_first", "anchor"):
        crawl = open_crawl(topic, web.file, tmp_path / strategy, TOPICAL_STRATEGY=strategy)
        crawl.push([seed_entry(START)])
        with Recording(web.file, tmp_path) as recording:
            assert set(fetch(crawl, recording, thinning)) == wanted, strategy


def test_a_crawl_that_was_stopped_sees_the_same_links(topic: Path, web: Web, tmp_path: Path) -> None:
    orders = []
    for name, most in (("whole", 999), ("parts", 9)):
        order: list[str] = []
        with Recording(web.file, tmp_path) as recording:
            while True:
                crawl = open_crawl(topic, web.file, tmp_path / name, TOPICAL_STRATEGY="breadth_first")
                if not order:
                    crawl.push([seed_entry(START)])
                if not (further := fetch(crawl, recording, Thinning(0.6), most)):
                    break
                order += further
        orders.append(order)
    assert orders[0] == orders[1] and len(orders[0]) > 10
