"""The Prometheus endpoint: its figures are those of the crawl, its labels are bounded, and it never ends a crawl."""

from __future__ import annotations

import logging
import re
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
import yaml
from crawl_tools import ROOT, Reply, Site, article, command, crawl, rows, start
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client.parser import text_string_to_metric_families
from redis_tools import RedisServer
from scrapy.exceptions import NotConfigured
from scrapy.utils.test import get_crawler
from step_tools import open_crawl
from wait_tools import HANGS, wait_for

from topical_crawler import __version__
from topical_crawler.crawl.crawl import Crawl
from topical_crawler.crawl.metrics import MAX_LABELS, CrawlCollector
from topical_crawler.crawl.progress import Progress
from topical_crawler.crawl.steering import seed_entry
from topical_crawler.extensions import CrawlMetrics, ports
from topical_crawler.frontier.redis import RedisFrontier

SHARED = {"topical_workers", "topical_lease_expiries", "topical_leases_lost"}
ASKED = {"topical_waiting", "topical_in_flight", "topical_hosts_waiting"}
DOCUMENTED = dict(
    re.findall(r"^\| `(topical_\w+)` \| (\w+)", (ROOT / "docs/metrics.md").read_text(encoding="utf-8"), re.MULTILINE)
)


def get(url: str, **headers: str) -> tuple[str, str]:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=HANGS) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def test_the_figures_are_those_of_the_crawl(topic: Path, tmp_path: Path) -> None:
    go_on = threading.Event()

    def held(path: str) -> Reply:
        go_on.wait(HANGS)
        return Reply(article("最后"))

    links = ["/a", "/b", "/gone", "/weather", "/moved", "/held", "/after"]
    log: list[str] = []
    seen: dict[tuple[str, str], float] = {}
    with Site() as site, closing(socket.create_server(("127.0.0.1", 0))) as taken, ExitStack() as stack:
        port = taken.getsockname()[1]
        last = min(port + 20, 65535)
        site.routes = {
            "/": Reply(article("首页", dict.fromkeys([*links, "/photo.jpg"], "党建"))),
            "/gone": Reply("", 410),
            "/weather": Reply("<title>天气</title><p>今天晴。</p>"),
            "/moved": Reply("", 302, headers={"Location": "/a"}),
            "/held": held,
            "": lambda path: None if path == "/robots.txt" else Reply(article(path)),
        }
        given = {"TOPICAL_METRICS_PORT": f"{port}-{last}", "TOPICAL_CRAWL": "tries", "TOPICAL_WORKER": "me"}
        process = start(command(topic, tmp_path / "data", site.url + "/", DOWNLOAD_DELAY=0, RETRY_ENABLED=False, **given))
        stack.callback(process.kill)
        reader = threading.Thread(target=log.extend, args=(process.stderr,), daemon=True)
        reader.start()
        (url,) = wait_for(lambda: re.findall(r"Metrics: (http://\S+)", "".join(log)), lambda: log)
        assert port < int(url.split(":")[2].split("/")[0]) <= last

        def all_but_two() -> bool:
            families = text_string_to_metric_families(get(url)[1])
            seen.update({(s.name, ",".join(s.labels.values())): s.value for family in families for s in family.samples})
            return seen["topical_waiting", ""] == 1 and seen["topical_in_flight", ""] == 1

        wait_for(all_but_two, lambda: seen)
        only_metrics_answer(url)
        go_on.set()
        assert process.wait(HANGS) == 0
        reader.join(HANGS)
        sizes = sum(len(str(site.answer(path).body).encode()) for path in ("/", "/a", "/b", "/weather"))
    reasons = {labels: n for (name, labels), n in seen.items() if name == "topical_rejected_total"}
    assert reasons == {"HTTP 410": 1, "off topic": 1, "redirected": 1}
    assert {labels: n for (name, labels), n in seen.items() if name == "topical_links_total"} == {"new": 8, "file type": 1}
    plain = {name.removeprefix("topical_"): n for (name, labels), n in seen.items() if not labels}
    exact = {"pages_total": 5, "kept_total": 3, "hosts_waiting": 1, "scrape_errors_total": 0, "storage_failures_total": 0}
    exact |= {"download_seconds_count": 5, "page_seconds_count": 5, "page_bytes_total": sizes}
    assert {name: plain[name] for name in exact} == exact and plain["harvest_rate"] == pytest.approx(3 / 5)
    assert plain["download_seconds_sum"] > 0 and plain["page_seconds_sum"] > 0 and 0 < plain["best_priority"] < 1e6
    assert sizes < plain["bytes_total"] < sizes + 5000 and 3 * 200 < plain["characters_total"] < sizes / 3
    assert seen["topical_barren_hosts", "slowed"] == seen["topical_barren_hosts", "left"] == 0
    assert ("topical_crawl_info", f"tries,semantic,{topic.name},{__version__},me") in seen
    assert plain["process_resident_memory_bytes"] > 1e7
    corpus = rows(tmp_path / "data")
    assert sum(r.keep for r in corpus) == 3 + 2 and len(corpus) == 5 + 1 + 2
    assert "Traceback" not in "".join(log) and "ERROR" not in "".join(log)


def only_metrics_answer(url: str) -> None:
    kind, text = get(url, Accept="application/openmetrics-text; version=1.0.0")
    assert kind.startswith("application/openmetrics-text")
    strict = {family.name: family for family in openmetrics.text_string_to_metric_families(text)}
    assert all(family.documentation for family in strict.values())
    assert strict["topical_page_seconds"].type == "histogram" and strict["topical_rejected"].type == "counter"
    assert get(url)[0].startswith("text/plain")
    for path in ("", "metrics/", "debug"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            get(url.replace("metrics", path))
    with pytest.raises(urllib.error.HTTPError, match="405"):
        urllib.request.urlopen(url, data=b"x", timeout=HANGS)


def test_a_crawl_continues_without_a_port_that_is_taken(topic: Path, tmp_path: Path) -> None:
    with Site({"/": Reply(article("首页"))}) as site, closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        crawled = crawl(topic, tmp_path / "data", site.url + "/", TOPICAL_METRICS_PORT=port)
    assert crawled.code == 0 and len(rows(tmp_path / "data")) == 1 and "Traceback" not in crawled.log
    (line,) = [line for line in crawled.log.splitlines() if "ERROR" in line]
    assert f"127.0.0.1:{port}" in line and "The crawl continues without them. Set -s TOPICAL_METRICS_PORT=" in line


@pytest.mark.parametrize("value", ["http", "70000", "0-5", "9659-9650", "-1", "9650-", "１"])
def test_a_port_that_is_none(value: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ValueError, match=re.escape(value)):
        ports(value)
    with pytest.raises(NotConfigured):
        CrawlMetrics(get_crawler(settings_dict={"TOPICAL_METRICS_PORT": value}))
    (record,) = [r for r in caplog.records if r.levelno == logging.ERROR]
    assert value in record.getMessage() and "Set -s TOPICAL_METRICS_PORT" in record.getMessage()
    with pytest.raises(NotConfigured):  # off unless asked for
        CrawlMetrics(get_crawler(settings_dict={"TOPICAL_METRICS_PORT": "0"}))
    assert len([r for r in caplog.records if r.levelno >= logging.WARNING]) == 1


@pytest.fixture
def opened(topic: Path, tmp_path: Path) -> Iterator[Crawl]:
    with closing(open_crawl(topic, tmp_path / "data")) as made:
        yield made


def registered(made: Crawl) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(CrawlCollector(made, lambda: None))
    return registry


def scraped(registry: CollectorRegistry) -> dict[str, Metric]:
    return {family.name: family for family in text_string_to_metric_families(generate_latest(registry).decode())}


def test_labels_are_bounded_and_their_counters_never_fall(opened: Crawl) -> None:
    p = opened.progress = Progress()
    registry = registered(opened)
    assert scraped(registry)["topical_rejected"].samples == []
    highest: dict[str, float] = {}
    for n in range(200):
        p.reasons[f"HTTP {n}"] += 1
        p.reasons[f"dropped: 第 {n} 页\n太短"] += 1
        p.reasons["other"] += 1  # as a pipeline of a person's own may say
        p.links[f"原因 {n}"] += 2
        if n % 40 == 7:
            found = {s.labels["reason"]: s.value for s in scraped(registry)["topical_rejected"].samples}
            assert all(found[reason] >= value for reason, value in highest.items())
            highest = found
    after = scraped(registry)
    found = {s.labels["reason"]: s.value for s in after["topical_rejected"].samples}
    assert len(found) == MAX_LABELS and sum(found.values()) == 600
    assert found["dropped"] == 200 and found["other"] > 200
    assert len(after["topical_links"].samples) == MAX_LABELS + 1


def test_figures_of_a_shared_frontier_and_without_it(opened: Crawl, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    local = scraped(registered(opened))
    with RedisServer(tmp_path / "redis", appendonly="yes", appendfsync="always") as server, closing(server.client()) as client:
        own, given = opened.frontier, {"lease": 2.0, "clock": "caller"}
        opened.frontier = RedisFrontier(client, "metrics", worker="me", patience=0.1, **given)
        other = RedisFrontier(client, "metrics", worker="you", **given)
        other.push([seed_entry(f"http://{host}.example/") for host in "abc"])
        assert opened.frontier.pop(0.0) is not None
        assert other.pop(5.0) is not None  # and finds that the lease has run out
        assert len(opened.frontier.renew()) == 1
        both = scraped(registry := registered(opened))
        values = {name: family.samples[0].value for name, family in both.items() if family.samples}
        assert [values[name] for name in ("topical_workers", "topical_lease_expiries", "topical_leases_lost")] == [2, 1, 1]
        assert (values["topical_in_flight"], values["topical_waiting"]) == (1, 2)
        kinds = {f"{n}_total" if f.type == "counter" else n: f.type for n, f in both.items()}
        assert kinds | {"topical_bytes_total": "counter"} == DOCUMENTED
        assert local.keys() == both.keys() - SHARED
        server.kill()
        for n in (1, 2):
            alone = scraped(registry)
            assert alone["topical_scrape_errors"].samples[0].value == n
            assert alone.keys() == both.keys() - SHARED - ASKED
        server.start()
        opened.frontier.close()
        opened.frontier = own
    said = [r.getMessage() for r in caplog.records if "cannot be asked" in r.getMessage()]
    assert len(said) == 1 and "does not answer" in said[0]


def test_every_alert_of_the_example_asks_for_figures_that_there_are() -> None:
    files = [(ROOT / "deploy" / name).read_text(encoding="utf-8") for name in ("prometheus.yml", "alerts.yml")]
    config, alerts = map(yaml.safe_load, files)
    assert config["rule_files"] == ["alerts.yml"]
    targets = [t for job in config["scrape_configs"] for static in job["static_configs"] for t in static["targets"]]
    assert all(ports(target.partition(":")[2]) for target in targets)
    rules = [rule for group in alerts["groups"] for rule in group["rules"]]
    assert {rule["alert"] for rule in rules} == {"HarvestRateFell", "NothingFetched", "LeasesRunOut"}
    assert {name for rule in rules for name in re.findall(r"topical_\w+", rule["expr"])} <= DOCUMENTED.keys()
