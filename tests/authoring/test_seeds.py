"""Where a crawl of a topic may start."""

from collections import Counter
from pathlib import Path

import pytest
from dump_tools import DumpPage, write_dump

from topical_crawler.authoring.seeds import Hint, Nearness, from_sites, from_wikipedia, is_dead_end, rank
from topical_crawler.authoring.start import from_sentence
from topical_crawler.package_data import data_folder
from topical_crawler.sources.wikipedia import Wikipedia
from topical_crawler.text.segment import lexicon_words
from topical_crawler.web.urls import canonical, host

EVS = {"新能源汽车": 1.0, "电池": 1.0, "充电": 0.5}
PAGES = (
    DumpPage(
        "新能源汽车",
        "'''新能源汽车'''用电池，须充电。[http://www.portal.cn/1 充电桩官网]"
        "<ref>{{cite web|url=https://en.example.com/ev|title=Battery}}</ref><ref>[http://www.dianchi.com/2 电池]</ref>\n"
        "== 外部链接 ==\n* [http://www.evs.org/zh/ 新能源汽车协会官方网站]\n* [http://weibo.com/evs 微博]",
    ),
    DumpPage("電池", "電池可以充電。<ref>[https://www.dianchi.com/3 電池回收]</ref>{{Official website|http://battery.org.tw/}}"),
    *(DumpPage(f"城市{n}", f"城市。<ref>{{{{cite news|url=http://www.portal.cn/c{n}|title=城市}}}}</ref>") for n in range(30)),
    DumpPage("天气", "下雨时不充电。[http://www.tianqi.cn/ 天气官网]"),  # far from the topic
    DumpPage("Talk:新能源汽车", "新能源汽车 [http://talk.cn/ 电池]", namespace=1),
)


def test_links_of_the_nearest_articles(tmp_path: Path) -> None:
    write_dump(tmp_path / "zhwiki.xml.bz2", iter(PAGES))
    near = Nearness(EVS)
    hints, articles = from_wikipedia(near, Wikipedia(tmp_path / "zhwiki.xml.bz2"))
    assert articles == 2  # in traditional characters, too
    seeds = rank([hints])
    # The official site first, what articles on anything cite last; no social network, no English page.
    assert [seed.url for seed in seeds] == [
        "http://www.evs.org/zh/", "http://www.dianchi.com/", "http://battery.org.tw/", "http://www.portal.cn/1"
    ]  # fmt: skip
    assert seeds[0].why == "Wikipedia: own site of 新能源汽车"
    assert seeds[1].why == "Wikipedia: cited in 新能源汽车; Wikipedia: cited in 電池"
    assert from_wikipedia(Nearness({"量子": 1.0}), Wikipedia(tmp_path / "zhwiki.xml.bz2")) == ([], 0)


def test_one_seed_a_host() -> None:
    hints = [Hint("http://a.cn/x", 0.5, "甲"), Hint("http://www.a.cn/", 0.9, "乙"), Hint("http://a.cn/y", 0.4, "甲"),
             Hint("http://b.cn/", 1.0, "甲"), Hint("http://10.0.0.1/", 1.0, "甲"), Hint("http://c.cn/a.pdf", 1.0, "甲"),
             Hint("https://web.archive.org/web/1/http://d.cn/", 1.0, "甲"), Hint("ftp://e.cn/", 1.0, "甲"),
             Hint("http://f.cn/", 0.0, "甲")]  # fmt: skip
    assert [(seed.url, round(seed.score, 2), seed.why) for seed in rank([hints])] == [
        ("http://www.a.cn/", 1.4, "乙; 甲"), ("http://b.cn/", 1.0, "甲")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("terms", "first"),
    [
        (("人工智能", "机器学习"), "https://www.jiqizhixin.com/"),
        (("电力", "光伏"), "https://www.bjx.com.cn/"),
        (("考古", "遗址"), "http://www.kaogu.cn/"),
    ],
)
def test_the_list_names_sites_of_a_field(terms: tuple[str, ...], first: str) -> None:
    assert first in [seed.url for seed in rank([from_sites(Nearness(dict.fromkeys(terms, 1.0)))])][:2]


@pytest.mark.slow
def test_sentences_of_all_fields_find_sites_of_their_field() -> None:
    """Two wordings of 70 topics; a class of the library is the field."""
    sites = data_folder().joinpath("sites.tsv").read_text("utf-8").splitlines()
    class_of = {url: of_class for url, _, of_class, _ in (line.split("\t") for line in sites if line[0] != "#")}
    right, wrong = [], []
    for line in Path(__file__).with_name("fields.tsv").read_text("utf-8").splitlines()[1:]:
        field, *wordings = line.split("\t")
        for sentence in wordings:
            terms = {term.word: term.in_means for term in from_sentence(sentence).terms}
            first = next(iter(rank([from_sites(Nearness(terms))])), None)
            (right if first and class_of[first.url] == field else wrong).append(sentence)
    assert len(right) >= 0.9 * len(right + wrong), wrong


def test_words_of_any_field_name_no_site() -> None:
    """技术 stands in the words of many fields, 水稻 in those of one."""
    lines = "http://a.cn/\t农技\tS\t水稻 病虫害\nhttp://b.cn/\t科技\tN\t技术 创新\n"
    start = from_sentence("水稻的栽培技术")
    assert [hint.url for hint in from_sites(Nearness({term.word: term.in_means for term in start.terms}), lines)] == [
        "http://a.cn/"
    ]


def test_the_lists_are_sound() -> None:
    rows = [line.split("\t") for line in data_folder().joinpath("sites.tsv").read_text("utf-8").splitlines() if line[0] != "#"]
    assert all(len(row) == 4 and all(row) and canonical(row[0]) == row[0] for row in rows)
    assert len({host(url).removeprefix("www.") for url, *_ in rows}) == len(rows) > 300
    classes = Counter(of_class for _, _, of_class, _ in rows)
    assert "".join(sorted(classes)) == "ABCDEFGHIJKNOPQRSTUVXZ" and min(classes.values()) >= 5
    assert not any(is_dead_end(host(url)) for url, *_ in rows)
    assert not any(is_dead_end(name.partition(".")[2]) for name in lexicon_words("dead_ends.txt"))  # its domain says it


def test_a_title_tells_more_than_a_text() -> None:
    near = Nearness({"党建": 1.0, "支部": 1.0})
    assert near.of("党建", "新闻") > near.of("新闻", "党建") > 0


def test_latin_words_stand_alone() -> None:
    near = Nearness({"ai": 1.0})
    assert near.of("", "said") == 0 < near.of("", "用AI写作")
