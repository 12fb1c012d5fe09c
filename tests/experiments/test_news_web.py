"""News sites made of small files of texts."""

from __future__ import annotations

import csv
import datetime
import gzip
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest

from experiments.__main__ import main
from experiments.news_web import CATEGORIES, NEWS_SITES, PORTALS, SUBJECTS
from experiments.web_graph import WebGraph
from topical_crawler.evaluation.labels import read_labels
from topical_crawler.recordings.reader import Recording
from topical_crawler.web.dom import decode
from topical_crawler.web.page import Page
from topical_crawler.web.urls import host

HEADLINES = {
    "体育": "湖人主场大胜公牛科比拿下三十分",
    "游戏": "手机网游新副本今日开放玩家狂欢",
    "教育": "留学签证申请人数连续三年上升了",
    "房产": "二手房成交价格本月再次出现回落",
    "时尚": "秋冬大衣的搭配让你走在潮流前面",
}


CITIES = ("上海", "广州", "成都", "西安", "武汉", "南京", "杭州", "沈阳", "昆明", "兰州")
CHANNELS = {"国际": "多国外长会见并会谈", "科技": "神舟飞船发射成功", "三农": "各地抢抓春耕保粮食", "党建": "基层党支部开展党课"}


def categories(folder: Path) -> Path:
    texts = [
        {"category": name, "text": f"{headline}第{n}版新浪讯 这是第{n}篇。第二句在这里！第三句？第四句。"}
        for name, headline in HEADLINES.items()
        for n in range(30)
    ]
    return write(folder / "categories.jsonl.gz", texts)


def programme(folder: Path) -> Path:
    day = datetime.date(2023, 1, 1)
    texts = [
        {
            "date": f"{day + datetime.timedelta(n // 3):%Y%m%d}",
            "channel": channel,
            "title": f"{CITIES[n // 4 % len(CITIES)]}{title}（{n}）",
            "text": f"央视网消息：第{n}条。\n铁路客运和高铁列车今天都很忙。",
            "party": 2 if channel == "党建" else 0,
        }
        for n in range(120)
        for channel, title in [list(CHANNELS.items())[n % 4]]
    ]
    texts.append({"date": None, "channel": "党建", "title": "报告", "text": "一份报告。", "party": 2})
    return write(folder / "programme.jsonl.gz", texts)


def write(file: Path, records: list[dict[str, Any]]) -> Path:
    with gzip.open(file, "wt", encoding="utf-8") as out:
        out.writelines(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
    return file


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = categories(tmp_path)
    for name, seed in (("first", "1"), ("again", "1"), ("other", "2")):
        assert main(["news-web", str(texts), str(tmp_path / name), "--seed", seed]) == 0
    assert "150 texts; columns SPORT GAME STUDY HOUSE FASHION EDU" in capsys.readouterr().out
    for ending in ("warc.gz", "tsv", "seeds.txt"):
        assert (tmp_path / f"first.{ending}").read_bytes() == (tmp_path / f"again.{ending}").read_bytes()
    assert (tmp_path / "first.tsv").read_bytes() != (tmp_path / "other.tsv").read_bytes()


def written(folder: Path, make: Callable[[Path], Path]) -> Path:
    """A folder with the web of these texts."""
    assert main(["news-web", str(make(folder)), str(folder / "web")]) == 0
    return folder


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("news"), categories)


@pytest.fixture(scope="module")
def portals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("portals"), programme)


@pytest.mark.parametrize(("name", "texts_there", "sites"), [("news", 150, NEWS_SITES), ("portals", 120, PORTALS)])
def test_every_text_is_labelled_and_within_reach(request: pytest.FixtureRequest, name: str, texts_there: int, sites: Any) -> None:
    folder: Path = request.getfixturevalue(name)
    labelled = rows(folder / "web.tsv")
    with Recording(folder / "web.warc.gz", folder) as recording:
        pages = [url for url in recording.urls() if not url.endswith("/robots.txt")]
        assert sorted(pages) == sorted(row["url"] for row in labelled), "an address is recorded and labelled once"
    graph = WebGraph.open(folder / "web.warc.gz", folder)
    seeds = (folder / "web.seeds.txt").read_text().split()
    assert seeds == [site.home for site in sites]
    known = open_pages = {graph.page(seed) for seed in seeds}
    while open_pages:
        open_pages = {target for number in open_pages if number is not None for target in graph.links[number]} - known
        known = known | open_pages
    texts = {row["url"]: row for row in labelled if row["kind"] in ("article", "copy")}
    assert texts.keys() <= {graph.urls[number] for number in known if number is not None}
    docs = Counter(row["doc"] for row in texts.values() if row["kind"] == "article")
    assert len(docs) == texts_there and set(docs.values()) == {1}
    assert {row["doc"] for row in texts.values()} == docs.keys()
    assert any(row["kind"] == "copy" for row in labelled)


def test_pages_say_what_their_labels_say(news: Path) -> None:
    labelled = rows(news / "web.tsv")
    column_of = {headline: CATEGORIES[name] for name, headline in HEADLINES.items()}
    with Recording(news / "web.warc.gz", news) as recording:
        for row in labelled:
            response = recording.get(row["url"])
            assert response is not None
            text, encoding = decode(response.body, response.header("content-type"))
            page = Page.from_html(row["url"], text, encoding, around=False, paths=False)
            assert page.title.startswith(row["title"][:10]), "every encoding is read right"
            if row["kind"] == "article":
                column = next(column for headline, column in column_of.items() if headline in text.partition("<h")[2][:60])
                assert {name for name in CATEGORIES.values() if row[name] == "2"} == {column}
                assert row["EDU"] == ("1" if column == "STUDY" else "0")
                assert "第四句。" in text
    layouts = {site.host: site for site in NEWS_SITES}
    specialised = [row for row in labelled if layouts[host(row["url"])].only and row["kind"] == "article"]
    assert {row["host"] for row in specialised} == {"www.wanjia.example", "www.xuelu.example"}
    assert not any(row["FASHION"] == "2" for row in specialised)


def test_layouts_differ_in_what_leads_to_a_text(portals: Path) -> None:
    graph = WebGraph.open(portals / "web.warc.gz", portals)
    kind = {urljoin(row["url"], ""): row["kind"] for row in rows(portals / "web.tsv")}
    led_by: dict[str, Counter[str]] = {site.layout: Counter() for site in PORTALS}
    layout = {site.host: site.layout for site in PORTALS}
    for number, targets in enumerate(graph.links):
        for target in targets:
            if kind[graph.urls[target]] in ("article", "copy"):
                led_by[layout[host(graph.urls[target])]][kind[graph.urls[number]]] += 1
    articles = {name: found["article"] + found["copy"] for name, found in led_by.items()}
    assert articles["tags"] == 0 and led_by["tags"]["label"] > 0
    assert all(led_by[name]["label"] == 0 for name in ("menu", "dates", "mixed"))
    assert articles["mixed"] > led_by["mixed"]["list"], "further reading"
    assert 0 < articles["dates"] < articles["menu"], "before and after alone"


def test_subjects_by_words(tmp_path: Path) -> None:
    assert main(["news-web", str(programme(tmp_path)), str(tmp_path / "web"), "--most", "60"]) == 0
    found = [row for row in rows(tmp_path / "web.tsv") if row["kind"] == "article"]
    assert len(found) == 60 and set(SUBJECTS) | {"PARTY"} <= found[0].keys()
    for row in found:
        expected = {"外长": "DIPLOMACY", "神舟": "SPACE", "春耕": "AGRI", "党支部": "PARTY"}
        column = next(column for word, column in expected.items() if word in row["title"])
        assert {name for name in (*SUBJECTS, "PARTY") if row[name] == "2"} == {column}
        assert (row["RAIL"], row["TRANSPORT"]) == ("1", "1"), "the text alone has its words"
        assert row["FARM"] == ("1" if column == "AGRI" else "0")
    assert len(read_labels(tmp_path / "web.tsv", "SPACE")) > 60


def test_files_of_another_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for records in ([{"title": "无日期"}], [{"date": "20230101", "title": "标题"}], [["x"]]):
        file = write(tmp_path / "texts.jsonl.gz", records)  # type: ignore[arg-type]
        assert main(["news-web", str(file), str(tmp_path / "web")]) == 1
        assert "texts.jsonl.gz, line 1: " in capsys.readouterr().err
    assert main(["news-web", str(write(tmp_path / "texts.jsonl.gz", [])), str(tmp_path / "web")]) == 1
    assert "there is no text" in capsys.readouterr().err
    assert not (tmp_path / "web.tsv").exists()
