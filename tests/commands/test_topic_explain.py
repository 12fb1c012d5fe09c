"""``topical-crawler topic explain`` as a user runs it; its sums are those of the strategy."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command_tools import RunScrapy, WriteTopic
from corpus_tools import everything
from crawl_tools import DEMO

from topical_crawler.corpus.dedup import DUPLICATE, PART
from topical_crawler.strategies.semantic.parameters import SemanticParameters, ahp_weights
from topical_crawler.web.urls import REDIRECTED

CONFIG = """\
title = "党建"
default_strategy = "semantic"
[strategy.semantic]
page_threshold = 0.05
link_threshold = 0.3
text_threshold = 0.01
"""
TERMS = "党支部\t1\n党建\t2\n组织生活\t1\n党员\t1\n"
FILES = {"topic.toml": CONFIG, "terms.tsv": TERMS, "adjust.tsv": "会议\t0\t常见\n"}
HOME = "http://www.qinghedj.example/"
SPORTS = "http://sports.qingheonline.example/2026-05/24/content_10060.html"
FORBIDDEN = "http://www.qingheonline.example/private/login.html"
ARTICLE = "http://www.qinghedj.example/art/2026/5/21/art_1021_30001.html"
PAGE = """<!DOCTYPE html><html><head><title>党建[要闻]</title><meta name="description" content="关于党支部的2024年会议">
</head><body><a href="/a.html">党员风采</a><a href="b.html">天气</a><a href="http://c.example/x.zip">党建</a></body></html>"""
WITHOUT = ("-s", "TOPICAL_RESOURCES=0")


@pytest.fixture
def explain(call_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path) -> RunScrapy:
    """``explain(source, …)`` with a small topic, without resources."""
    write_topic(FILES)
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    settings = (*WITHOUT, "-s", f"TOPICAL_CACHE_DIR={tmp_path / 'cache'}")
    return lambda *arguments: call_scrapy("topic", "explain", "mytopic", *arguments, *settings, cwd=tmp_path)


def figures(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_a_text(explain: RunScrapy) -> None:
    shown = explain("党建工作中的组织生活")
    assert shown.returncode == 0, shown.stderr
    first, *rest = shown.stdout.splitlines()
    # 党建 weighs 2/1.25, 组织生活 1/1.25; squared 2.56 and 0.64, over three words
    assert first == "on topic: relevance 1.07 is above 0.05; 党建 80%, 组织生活 20%"
    assert "Taken for a text: 党建工作中的组织生活" in rest
    assert "The main text by itself: relevance 1.07, above text_threshold 0.01" in shown.stdout
    assert "Links" not in shown.stdout
    assert "switched off" in shown.stdout
    assert max(map(len, rest)) <= 100
    shown = explain("主场三比一取胜", "--all")
    assert shown.stdout.startswith("off topic: relevance 0 is not above 0.05; no word speaks for the topic\n")


def test_a_file_of_text(explain: RunScrapy, tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes("党员过组织生活".encode("gb18030"))
    found = figures(explain("./text", "--json"))
    assert found["kind"] == "text file"
    assert list(found["why"]) == ["党员", "组织生活"]


def test_the_words_of_a_page(explain: RunScrapy) -> None:
    found = figures(explain("page.html", "--json"))
    assert (found["kind"], found["on_topic"], found["title"]) == ("HTML file", True, "党建[要闻]")
    assert found["why"] == {"党建": 0.8, "党支部": 0.2}
    assert found["text"]["reason"] == "no text"
    shown = explain("page.html")
    assert "党建[要闻]" in shown.stdout
    assert "a crawl would not keep this page" in shown.stdout


def test_the_links_of_a_saved_page(explain: RunScrapy) -> None:
    alone = figures(explain("page.html", "--json"))
    assert [link["url"] for link in alone["links"]] == ["http://c.example/x.zip"]  # relative links lead nowhere

    found = figures(explain("page.html", "--base", "http://a.example/news/", "--json"))
    links = {link["url"]: link for link in found["links"]}
    assert list(links) == ["http://a.example/a.html", "http://a.example/news/b.html", "http://c.example/x.zip"]
    one, _, archive = links.values()
    assert (one["decision"], archive["decision"], archive["queued"]) == ("queued", "file type", False)
    assert (one["reasons"]["struct"], archive["reasons"]["struct"]) == (1, 0)  # the page itself is the history
    weights = dict(zip(("parent", "anchor", "struct"), ahp_weights(SemanticParameters().comparisons), strict=True))
    for link in (one, archive):
        assert link["score"] == pytest.approx(sum(weights[name] * part for name, part in link["reasons"].items()))
        assert link["reasons"]["parent"] == pytest.approx(found["relevance"] / (1 + found["relevance"]))


def test_links_of_a_page_off_topic_need_a_term(explain: RunScrapy, tmp_path: Path) -> None:
    (tmp_path / "off.html").write_text(PAGE.replace("党建[要闻]", "天气").replace("党支部", "晴雨"), encoding="utf-8")
    found = figures(explain("off.html", "--base", "http://a.example/", "--json"))
    assert [link["decision"] for link in found["links"]] == ["queued", "no topic word in anchor", "file type"]
    shown = explain("off.html", "--base", "http://a.example/", "--links", "1")
    assert "… and 2 more" in shown.stdout


def test_several_pages_are_a_line_each(explain: RunScrapy, tmp_path: Path) -> None:
    recording = shutil.copy(DEMO / "demo-web.warc.gz", tmp_path)
    (tmp_path / "text.txt").write_text("党支部召开组织生活会，党员过组织生活。", encoding="utf-8")
    (tmp_path / "page.htm").write_text("<html><title>天气转凉</title><body><a href='/x'>晴</a></body></html>", encoding="utf-8")
    pages = (ARTICLE, "page.htm", SPORTS, "text.txt", FORBIDDEN)
    done = explain(*pages, "--json", "-s", f"TOPICAL_REPLAY={recording}")
    assert done.returncode == 1 and f"{FORBIDDEN}: no page: robots.txt. Check " in done.stderr
    article, page, sports, text, forbidden = json.loads(done.stdout)
    assert [p["source"] for p in json.loads(done.stdout)] == list(pages)
    assert article["kept"] and article["on_topic"] and article["text"]["kept"] and article["links"][0]["queued"]
    assert article["title"].endswith("全市基层党建工作推进会在云岭县召开") and "党建" in article["why"]
    assert (sports["on_topic"], sports["relevance"], sports["why"]) == (False, 0.0, {})
    assert (page["title"], page["relevance"], page["reason"]) == ("天气转凉", 0.0, "off topic")
    assert text["text"]["relevance"] > 0.3 and text["on_topic"]
    assert (forbidden["kept"], forbidden["reason"]) == (False, "robots.txt")

    shown = explain(*pages, "-s", f"TOPICAL_REPLAY={recording}").stdout
    for part in ("on topic", "off topic", "no page", "robots.txt", "kept", "Judged by the strategy 'semantic'"):
        assert part in shown


FIRST_LOOKS = """\
from experiments.adaptive_without import adaptive_without


class FirstLooks(adaptive_without("failures", "second_look")):
    name = "first_looks"
"""
"""``adaptive`` as a strategy of another distribution, which lies in the folder where a command runs."""


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["first_looks", "semantic"])
def test_pages_are_judged_as_a_crawl_judges_them(
    run_scrapy: RunScrapy, write_topic: WriteTopic, tmp_path: Path, strategy: str
) -> None:
    """But for what a crawl learns by comparing pages (duplicates, parts of articles, lines of a site, second looks), from links
    that led to no page, and but for redirects that a crawl follows one by one."""
    recording = shutil.copy(DEMO / "demo-web.warc.gz", tmp_path)
    tmp_path.joinpath("first_looks.py").write_text(FIRST_LOOKS, encoding="utf-8")
    info = tmp_path / "first_looks-1.0.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: first-looks\nVersion: 1.0\n")
    info.joinpath("entry_points.txt").write_text("[topical_crawler.strategies]\nfirst_looks = first_looks:FirstLooks\n")
    write_topic({"terms.tsv": "党支部\n党建\n组织生活\n基层党建\n党员\n", "seeds.txt": f"{HOME}\n{SPORTS}\n"})
    given = ("TOPICAL_RESOURCES=0", f"TOPICAL_REPLAY={recording}", f"TOPICAL_CACHE_DIR={tmp_path / 'cache'}")
    given += (f"TOPICAL_STRATEGY={strategy}", "TOPICAL_SITE_LINES=0", "TOPICAL_SECOND_LOOK_MB=0", "TOPICAL_MIN_CHARACTERS=150")
    settings = [part for setting in (*given, "CONCURRENT_REQUESTS=1") for part in ("-s", setting)]
    crawled = run_scrapy("crawl", "topical", "-a", "topic=./mytopic", "-a", "pages=60", *settings, cwd=tmp_path)
    assert crawled.returncode == 0, crawled.stderr
    rows = everything(tmp_path / "data/mytopic/corpus.sqlite")
    checked = run_scrapy("topic", "explain", "mytopic", *(row.url for row in rows), "--json", *settings, cwd=tmp_path)
    assert checked.returncode in (0, 1), checked.stderr  # some were redirected in vain
    pages = [(page["source"], page["kept"], page["reason"]) for page in json.loads(checked.stdout)]
    compared = [(page, row) for page, row in zip(pages, rows, strict=True) if row.reason not in (DUPLICATE, PART, REDIRECTED)]
    assert [page for page, _ in compared] == [(row.url, row.keep, row.reason) for _, row in compared]
    assert len({reason for (_, _, reason), _ in compared}) > 3, "pages of several kinds"


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("./none.html",), ("./none.html: there is no such file", "Correct the path")),
        (("page.html", "--base", "a.example"), ("--base: 'a.example' is not a URL", "Start it with")),
        (("page.html", "-s", "TOPICAL_LANGUAGES=chinese"), ("TOPICAL_LANGUAGES",)),
    ],
)
def test_mistakes(explain: RunScrapy, arguments: tuple[str, ...], parts: tuple[str, ...]) -> None:
    failed = explain(*arguments)
    assert failed.returncode == 1
    assert "Traceback" not in failed.stderr
    for part in parts:
        assert part in failed.stderr


def test_a_page_off_topic_is_not_said_to_be_kept(run_scrapy: RunScrapy, tmp_path: Path) -> None:
    """Its main text is on topic by itself, but a crawl judges the head first."""
    text = "党员干部参加主题教育，党支部讲党课，学习贯彻党章，加强党的建设。" * 5
    page = f"<title>今日菜谱</title><meta name=description content=红烧肉的做法><h1>今日菜谱</h1><p>{text}</p>"
    (tmp_path / "page.html").write_text(f"<html><meta charset=utf-8>{page}", "utf-8")
    arguments = ("page.html", "--strategy", "semantic", "-s", "TOPICAL_RESOURCES=0")
    shown = run_scrapy("topic", "explain", "partybuilding", *arguments, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "off topic: relevance" in shown.stdout and "The main text by itself: relevance" in shown.stdout
    assert "A crawl never gets to judge it" in shown.stdout
