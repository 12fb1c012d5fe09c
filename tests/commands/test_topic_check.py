"""``topical-crawler topic check`` as a user runs it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from topical_crawler.corpus.dedup import DUPLICATE, PART
from topical_crawler.corpus.record import Filters
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.frontier import REDIRECTED

ROOT = Path(__file__).parents[2]
RunScrapy = Callable[..., subprocess.CompletedProcess[str]]
WriteTopic = Callable[..., Path]

CONFIG = (
    'title = "支部[工作]"\ndefault_strategy = "semantic"\n'
    "[strategy.semantic]\npage_threshold = 0.03\nlink_threshold = 0.3\ntext_threshold = 0.01\n"
)
TERMS = "党支部\t1\n党建\t1\n组织生活\t1\n基层党建\t1\n党员\t1\n"
ARTICLE = "http://www.qinghedj.example/art/2026/5/21/art_1021_30001.html"
SPORTS = "http://sports.qingheonline.example/2026-05/24/content_10060.html"
FORBIDDEN = "http://www.qingheonline.example/private/login.html"
GONE = "http://www.qinghe-gone.example/"
HOME = "http://www.qinghedj.example/"
WITHOUT = ("-s", "TOPICAL_RESOURCES=0")


@pytest.fixture
def replay(tmp_path: Path) -> tuple[str, ...]:
    """Options that make the recorded web answer; its index and the tables stay in the test's folder."""
    recording = shutil.copy(ROOT / "demo/demo-web.warc.gz", tmp_path)
    return (*WITHOUT, "-s", f"TOPICAL_REPLAY={recording}", "-s", f"TOPICAL_CACHE_DIR={tmp_path / 'cache'}")


def test_a_sound_topic(call_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path) -> None:
    write_topic({"topic.toml": CONFIG, "terms.tsv": TERMS, "seeds.txt": "http://a.example/\n"})
    shown = call_scrapy("topic", "check", "./mytopic", *WITHOUT, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    first, *rest = shown.stdout.splitlines()
    assert first.startswith("支部[工作] (mytopic), 5 terms: 0 errors, 0 warnings")
    for part in ("page_threshold is 0.03", "0.1 above", "0.025 below", "every term", "switched off"):
        assert part in shown.stdout
    assert "基层党建 (4)" in shown.stdout
    assert str(tmp_path / "mytopic") in rest, "what is piped is not wrapped"
    assert not (tmp_path / "data").exists()


def test_a_broken_topic_is_reported_with_its_line(call_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path) -> None:
    write_topic({"terms.tsv": "党建\t1\n支部\tviel\n"})
    shown = call_scrapy("topic", "check", "mytopic", "http://a.example/", *WITHOUT, cwd=tmp_path)
    assert shown.returncode == 1
    assert shown.stderr == ""
    assert "mytopic cannot be read: 1 error, 0 warnings, 0 notes" in shown.stdout
    assert "terms.tsv,line2" in "".join(shown.stdout.split())
    assert "a number of 0 or more, after a tab" in shown.stdout
    assert "No page is scored before the errors are gone" in shown.stdout


def test_pages_and_seeds_of_a_recorded_web(
    call_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path, replay: tuple[str, ...]
) -> None:
    seeds = f"{HOME}\n{GONE}\n{SPORTS}\n"
    write_topic({"topic.toml": CONFIG, "terms.tsv": TERMS, "seeds.txt": seeds})
    (tmp_path / "text.txt").write_text("党支部召开组织生活会，党员过组织生活。", encoding="utf-8")
    (tmp_path / "page.htm").write_text("<html><title>天气转凉</title><body><a href='/x'>晴</a></body></html>", encoding="utf-8")
    pages = (ARTICLE, "page.htm", SPORTS, "text.txt", FORBIDDEN)
    shown = call_scrapy("topic", "check", "mytopic", *pages, "--fetch", "--json", *replay, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    figures = json.loads(shown.stdout)
    article, page, sports, text, forbidden = figures["pages"]
    assert [p["source"] for p in figures["pages"]] == list(pages)
    assert article["on_topic"] and article["text_kept"] and article["leads_to"] > 0
    assert "基层党建" in article["carried"]
    assert article["title"].endswith("全市基层党建工作推进会在云岭县召开")
    assert (sports["on_topic"], sports["relevance"], sports["carried"]) == (False, 0.0, "")
    assert (page["title"], page["relevance"], page["reason"]) == ("天气转凉", 0.0, "off topic")
    assert text["relevance"] is None and text["text_relevance"] > 0.3 and text["on_topic"]
    assert (forbidden["relevance"], forbidden["reason"]) == (None, "robots.txt")

    assert [s["source"] for s in figures["seeds"]] == [HOME, GONE, SPORTS]
    found = {f["line"]: f["message"] for f in figures["findings"] if f["about"] == "seeds"}
    assert found == {
        2: f"{GONE} does not answer: unreachable",
        3: f"{SPORTS} leads nowhere: none of its links would be queued",
    }

    shown = call_scrapy("topic", "check", "mytopic", *pages, *replay, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    for part in ("Pages", "on topic", "off topic", "no page", "robots.txt", "kept"):
        assert part in shown.stdout
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        ["cache", "demo-web.warc.gz", "demo-web.warc.gz.index", "mytopic", "page.htm", "text.txt"]
    )


@pytest.mark.parametrize("strategy", ["adaptive", "semantic"])
def test_pages_are_judged_as_a_crawl_judges_them(
    run_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path, replay: tuple[str, ...], strategy: str
) -> None:
    """But for what a crawl learns by comparing pages (duplicates, parts of articles, lines of a site, second looks), from links
    that led to no page, and but for redirects that a crawl follows one by one."""
    toml = 'title = "党建"\n[strategy.adaptive]\nwithout = ["failures", "second_look"]\n'
    write_topic({"topic.toml": toml, "terms.tsv": TERMS, "seeds.txt": f"{HOME}\n{SPORTS}\n"})
    settings = (*replay, "-s", f"TOPICAL_STRATEGY={strategy}", "-s", "TOPICAL_SITE_LINES=0")
    settings += ("-s", "TOPICAL_SECOND_LOOK_MB=0", "-s", "TOPICAL_MIN_CHARACTERS=150", "-s", "CONCURRENT_REQUESTS=1")
    crawled = run_scrapy("crawl", "topical", "-a", "topic=./mytopic", "-a", "pages=60", *settings, cwd=tmp_path)
    assert crawled.returncode == 0, crawled.stderr
    with CorpusStore(tmp_path / "data/mytopic/corpus.sqlite", read_only=True) as store:
        rows = list(store.records(Filters(rejected=True)))
    checked = run_scrapy("topic", "check", "mytopic", *(row.url for row in rows), "--json", *settings, cwd=tmp_path)
    assert checked.returncode == 0, checked.stderr
    pages = [(page["source"], page["kept"], page["reason"]) for page in json.loads(checked.stdout)["pages"]]
    compared = [(page, row) for page, row in zip(pages, rows, strict=True) if row.reason not in (DUPLICATE, PART, REDIRECTED)]
    assert [page for page, _ in compared] == [(row.url, row.keep, row.reason) for _, row in compared]
    assert len({reason for (_, _, reason), _ in compared}) > 3, "pages of several kinds"


def test_every_word_of_a_finding(call_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path) -> None:
    words = [f"{x}支部" for x in "甲乙丙丁戊己庚辛壬癸"]
    write_topic({"terms.tsv": "".join(f"{w}\t1\n" for w in ["支部", *words])})
    some = call_scrapy("topic", "check", "mytopic", *WITHOUT, cwd=tmp_path)
    everything = call_scrapy("topic", "check", "mytopic", "--all", *WITHOUT, cwd=tmp_path)
    shown, whole = ("".join(done.stdout.split()) for done in (some, everything))  # lines are folded anywhere
    assert not all(f"{w}({n})" in shown for n, w in enumerate(words, 2))
    assert all(f"{w}({n})" in whole for n, w in enumerate(words, 2))


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        (("partybilding",), 1, ("partybilding cannot be read", "no topic")),
        (("mytopic", "./none.html"), 1, ("./none.html: there is no such file", "Remedy")),
        (("mytopic", "主题教育"), 1, ("no URL and no file", "topical-crawler topic explain mytopic")),
        (("mytopic", "-s", "TOPICAL_HOWNET=nowhere.txt"), 1, ("TOPICAL_HOWNET=nowhere.txt", "Remedy")),
        ((), 2, ("topic",)),
    ],
)
def test_mistakes(
    call_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path, arguments: tuple[str, ...], code: int, parts: tuple[str, ...]
) -> None:
    write_topic({})
    failed = call_scrapy("topic", "check", *arguments, cwd=tmp_path)
    assert failed.returncode == code
    assert "Traceback" not in failed.stderr
    for part in parts:
        assert part in failed.stdout + failed.stderr
