"""Seeds, hosts and bounds of a crawl; what cannot be used is refused in one clear line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from crawl_tools import ROOT, TERMS, Reply, Site, article, command, crawl, environment, make_topic, rows
from fork_tools import run_forked

START = {"topic": "SMALL", "seeds": "http://a.example/"}
REFUSED: dict[str, tuple[dict[str, object], str]] = {
    "unknown topic": ({"topic": "no-such-topic"}, "no topic 'no-such-topic'"),
    "misspelt topic": ({"topic": "partybuildng"}, "Did you mean partybuilding? Choose one of"),
    "no topic": ({"topic": ""}, "-a topic=NAME"),
    "no seeds": ({"topic": "SMALL"}, "has no seeds"),
    "no such file": ({"topic": "SMALL", "seeds": "nowhere.txt"}, "nowhere.txt: no such seed file"),
    "no URL": ({"topic": "SMALL", "seeds": "http://a.example/,ftp://b.example/"}, "'ftp://b.example/' is not a URL"),
    "no URL in the file": ({"topic": "SMALL", "seeds": "BAD"}, "bad.txt, line 3: 'www.a.example' is not a URL"),
    "pages": ({**START, "pages": "many"}, "pages='many'"),
    "no pages": ({**START, "pages": "0"}, "pages='0': a whole number of 1 or more is expected (-a pages=1000; without it"),
    "depth": ({**START, "depth": "-1"}, "depth='-1'"),
    "keywords": ({"topic": "SMALL", "seeds": "http://a.example/{keyword}", "keywords": "0"}, "keywords='0'"),
    "hosts": ({**START, "hosts": "http://a.example/"}, "without http://"),
    "unknown argument": ({**START, "page": "3"}, "unknown argument page. Choose from"),
    "delay": ({**START, "DOWNLOAD_DELAY": "-1"}, "DOWNLOAD_DELAY='-1': a number of 0 or more is expected (-s DOWNLOAD_DELAY="),
    "workers": ({**START, "TOPICAL_EXTRACT_WORKERS": "0"}, "TOPICAL_EXTRACT_WORKERS='0': a whole number above 0 is expected"),
    "pages at a time of a recording": (
        {**START, "TOPICAL_REPLAY": "web.warc.gz", "CONCURRENT_REQUESTS": "many"},
        "CONCURRENT_REQUESTS='many': a whole number above 0 is expected",
    ),
    "timeout of Scrapy's": ({**START, "DOWNLOAD_TIMEOUT": "x"}, "DOWNLOAD_TIMEOUT='x'"),
    "seed of chance": ({**START, "TOPICAL_SEED": "2.5"}, "TOPICAL_SEED='2.5': a whole number"),
    "shown": ({**START, "TOPICAL_DISPLAY_INTERVAL": "nan"}, "TOPICAL_DISPLAY_INTERVAL='nan': a number of 0 or more"),
    "yes or no": ({**START, "TOPICAL_RIGHTS_FILES": "maybe"}, "TOPICAL_RIGHTS_FILES='maybe': True or False is expected"),
    "precision": ({**START, "precision": "90"}, "precision='90': a share between 0 and 1"),
    "precision of another": (
        {**START, "precision": "0.9", "strategy": "anchor"},
        "[strategy.anchor] has no parameter 'precision'",
    ),
    "strategy": ({**START, "strategy": "best"}, "'best'"),
    "frontier": ({**START, "TOPICAL_FRONTIER": "memory"}, "TOPICAL_FRONTIER='memory'"),
    "misspelt setting": ({**START, "TOPICAL_REPLY": "a"}, "there is no setting TOPICAL_REPLY. Did you mean TOPICAL_REPLAY?"),
    "a feed": ({**START, "FEEDS": '{"a.jsonl": {"format": "jsonlines"}}'}, "topical-crawler corpus export NAME -o FILE"),
    "number of a setting": ({**START, "TOPICAL_TRAP_PAGES": "few"}, "TOPICAL_TRAP_PAGES"),
}


RUN = """
import contextlib, io, json, sys
from scrapy.cmdline import execute
ended = []
for line in json.load(open(sys.argv[1], encoding="utf-8")):
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors):
        try:
            execute(["scrapy", *line])
        except SystemExit as end:
            ended.append([end.code, errors.getvalue()])
print(json.dumps(ended))
"""
"""Scrapy's command line, again and again: no crawl starts, so one process serves them all."""


@pytest.fixture(scope="module")
def refusals(topic: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    folder = tmp_path_factory.mktemp("refused")
    bad = folder / "bad.txt"
    bad.write_text("# 种子\nhttp://a.example/\nwww.a.example\n", encoding="utf-8")
    lines = []
    for number, (options, _) in enumerate(REFUSED.values()):
        filled = {key: {"SMALL": topic, "BAD": bad}.get(str(value), value) for key, value in options.items()}
        line = command(filled.pop("topic"), folder / str(number), **filled, LOG_LEVEL="WARNING")  # type: ignore[arg-type]
        lines.append(line[line.index("crawl") :])
    script, given = folder / "run.py", folder / "lines.json"
    script.write_text(RUN, encoding="utf-8")
    given.write_text(json.dumps(lines), encoding="utf-8")
    ran = run_forked([script, given], ROOT, environment())
    assert ran.returncode == 0, ran.stderr
    return dict(zip(REFUSED, json.loads(ran.stdout), strict=True))


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_used_is_refused_in_one_line(refusals: dict[str, tuple[int, str]], name: str) -> None:
    code, errors = refusals[name]
    assert REFUSED[name][1] in errors
    assert errors.count("\n") == 1 and errors.startswith("scrapy crawl topical: ")
    assert code == 2


def test_an_unknown_spider_is_refused() -> None:
    ran = run_forked(command("x", Path("nowhere"), spider="tropical")[1:], ROOT, environment())
    assert ran.returncode == 2 and "Traceback" not in ran.stderr
    assert "there is no spider 'tropical'; there is: topical" in ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def web() -> Iterator[tuple[Site, Site]]:
    """Two sites: a chain of pages that also links to the other site, and a search."""
    with Site() as other, Site() as site:
        chain = {f"/{n}.html": Reply(article(f"第{n}页", {f"/{n + 1}.html": "党建"})) for n in range(6)}
        site.routes = {
            **chain,
            "/0.html": Reply(article("首页", {"/1.html": "党建", other.url + "/": "党建"})),
            "/search": lambda path: Reply(article(path)),
        }
        other.routes = {"/": Reply(article("别处"))}
        yield site, other


def fetched(data: Path) -> list[str]:
    return [urlsplit(r.url)._replace(scheme="", netloc="").geturl() for r in rows(data)]


def test_seeds_of_a_file_and_hosts_of_the_seeds(topic: Path, tmp_path: Path, web: tuple[Site, Site]) -> None:
    site, other = web
    seeds = tmp_path / "seeds.txt"
    seeds.write_text(f"# 种子\n{site.url}/0.html  首页\n\n{site.url}/0.html?utm_source=x\n", encoding="utf-8")
    before = len(other.hits)
    given = {"hosts": "seeds", "depth": 3, "DOWNLOAD_DELAY": 0, "TOPICAL_ALLOW_PRIVATE": "127.0.0.1"}
    crawled = crawl(topic, tmp_path / "data", str(seeds), **given)
    # Both sites are 127.0.0.1: a host stands for all its ports.
    assert fetched(tmp_path / "data") == ["/0.html", "/1.html", "/", "/2.html", "/3.html"]
    assert "too deep" in crawled.log and len(other.hits) > before


def test_hosts_that_are_named_and_pages_per_host(topic: Path, tmp_path: Path, web: tuple[Site, Site]) -> None:
    site, other = web
    before = len(other.hits)
    host = urlsplit(site.url).netloc
    crawled = crawl(topic, tmp_path / "data", f"{site.url}/0.html", hosts=host, pages_per_host=4, DOWNLOAD_DELAY=0)
    assert fetched(tmp_path / "data") == [f"/{n}.html" for n in range(4)]
    assert len(other.hits) == before
    # Going on, a bound that is narrower now holds for what waits, too.
    assert crawl(topic, tmp_path / "data", f"{site.url}/9.html", hosts="elsewhere.example", DOWNLOAD_DELAY=0).code == 0
    assert len(fetched(tmp_path / "data")) == 4
    assert "other site" in crawled.log and "host limit" in crawled.log


def test_keywords_in_a_list_of_urls(topic: Path, tmp_path: Path, web: tuple[Site, Site]) -> None:
    site, _ = web
    template = f"{site.url}/search?q={{keyword}} {site.url}/0.html"
    crawled = crawl(topic, tmp_path / "data", template, keywords=3, pages=5, DOWNLOAD_DELAY=0)
    searches = [f"/search?q={quote(term)}" for term in sorted(TERMS)[:3]]
    found = fetched(tmp_path / "data")
    assert found[:4] == [*searches, "/0.html"] and len(found) == 5
    assert "page limit reached" in crawled.log


def test_the_topics_own_seeds_and_hosts(tmp_path: Path, web: tuple[Site, Site]) -> None:
    site, other = web
    before = len(other.hits)
    own = make_topic(tmp_path / "own", seeds=[f"{site.url}/4.html", f"{other.url}/"], allowed_hosts=[urlsplit(site.url).netloc])
    assert crawl(own, tmp_path / "data", DOWNLOAD_DELAY=0).code == 0
    assert fetched(tmp_path / "data") == ["/4.html", "/5.html", "/6.html"]
    assert len(other.hits) == before
