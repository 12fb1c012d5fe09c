"""Second opinions: which pages have one, whose text is taken, and extractors of one's own."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from fork_tools import run_forked
from scrapy.settings import Settings

from topical_crawler import config, plugins
from topical_crawler.crawl.options import CrawlError
from topical_crawler.extraction.extract import extract
from topical_crawler.extraction.second import BOTH, BUILT_IN, GROUP, OURS, SECOND, open_reader

URL = "http://www.example.cn/a/c1.html"
LINES = [f"第{number}个村的合作社把晒场让给邻村，秋收以前修好了通往水渠的小路，孩子们放学后来帮忙。" for number in range(6)]
ENGLISH = [
    f"In village number {number} the cooperative lent its drying floor to the neighbours, and they mended the path to the canal."
    for number in range(6)
]


def page(lines: list[str], head: str = "", tag: str = "p") -> str:
    body = "".join(f"<{tag}>{line}</{tag}>" for line in lines)
    return f"<html><head><title>{head}</title></head><body><h1>{head}</h1><article>{body}</article></body></html>"


def test_a_chinese_page_that_ours_is_sure_of_is_ours() -> None:
    assert extract(page(LINES, "秋收"), URL).method == "model"


def test_a_page_in_another_language_is_the_others() -> None:
    html = page(ENGLISH, "Harvest")
    found = extract(html, URL)
    assert (found.method, found.kind, found.text.splitlines()[-6:]) == (SECOND, "article", ENGLISH)
    assert extract(html, URL, extractor=OURS).method == "model"


def test_the_others_text_keeps_headings_and_lists_of_the_page() -> None:
    items = "".join(f"<li>{line}</li>" for line in ENGLISH[3:])
    repaired = f"</p><h2>What was repaired</h2><ul>{items}</ul><p>{ENGLISH[0].replace('In', 'Later in')}"
    found = extract(page([*ENGLISH[:3], repaired], "Harvest"), URL)
    assert found.method == SECOND
    assert {"heading", "item"} <= {row[2] for row in found.layout}


def test_a_list_in_chinese_stays_a_list() -> None:
    posts = "".join(f"<h2><a href='/p/{n}.html'>{line[:12]}</a></h2><p>{line}{line}</p>" for n, line in enumerate(LINES))
    found = extract(f"<title>我的博客</title><div>{posts}</div>", "http://www.example.cn/")
    assert (found.kind, found.text, found.method) == ("home", "", "")


def test_trafilatura_alone_reads_every_article() -> None:
    found = extract(page(LINES, "秋收"), URL, extractor=SECOND)
    assert (found.method, found.text.splitlines()[-6:]) == (SECOND, LINES)


@pytest.mark.parametrize("name", [name for name in plugins.names(GROUP, BUILT_IN) if name not in (OURS, BOTH)])
@pytest.mark.parametrize(
    "html", ["", "<", "<html></html>", "<p>党建", "\ud800<p>a</p>", "<table>" * 300 + "党", page(LINES, "秋收"), "<!-- a"]
)
def test_an_extractor_gives_the_same_string_for_whatever_comes(name: str, html: str) -> None:
    read = open_reader(name)
    texts = {read(html, address) for address in (URL, URL)}
    assert len(texts) == 1 and isinstance(texts.pop(), str)


def test_an_extractor_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def read(html, url):\n    return html[:0] + '甲乙丙丁戊己庚辛壬癸' * 9 + '\\n' + url\n", encoding="utf-8"
    )
    info = tmp_path / "mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\nmine = mine:read\n")
    (tmp_path / "page.html").write_text(page(LINES, "秋收"), encoding="utf-8")
    words = ["-m", "topical_crawler", "extract", "page.html", "--base", URL, "--json", "-s", "TOPICAL_RESOURCES=0"]
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2]}", "PYTHONUTF8": "1"}

    def run(name: str) -> subprocess.CompletedProcess[str]:
        return run_forked([*words, f"-sTOPICAL_EXTRACTOR={name}", "-sTOPICAL_QUALITY=0"], tmp_path, environment)

    assert json.loads(run("mine").stdout)["text"].startswith("甲乙丙丁")
    failed = run("nobody")
    assert failed.returncode and "no extractor 'nobody'. Choose one of ours, both, trafilatura, mine" in failed.stderr


def test_the_setting() -> None:
    assert config.extractor(Settings()) == BOTH
    assert config.extractor(Settings({"TOPICAL_EXTRACTOR": OURS})) == OURS
    with pytest.raises(CrawlError, match="no extractor 'x'"):
        config.extractor(Settings({"TOPICAL_EXTRACTOR": "x"}))
