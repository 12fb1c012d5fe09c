"""Main texts: of articles of every layout, of short ones, of real pages; and that no page raises."""

import re
import statistics
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.html import document_fromstring
from text_scores import ngram_f1

from topical_crawler.extraction.extract import FAILED, GALLERY_PAGE, LIST_PAGE, NO_TEXT, TOO_LARGE, VIDEO_PAGE, extract
from topical_crawler.extraction.main_text import block_features, densest, feature_names, parse, scores_of, stretch, whole, worth
from topical_crawler.extraction.structure import MAX_BLOCKS, Block, read_blocks
from topical_crawler.web.dom import decode

SENTENCE = "各级党组织要扎实开展主题教育，推动全面从严治党向基层延伸。"
NAV = "<div class='nav'>" + " | ".join(f"<a href='/c{n}/'>频道{n}</a>" for n in range(12)) + "</div>"
HOT = "<ul>" + "".join(f"<li><a href='/x/{n}.html'>另一条新闻的长长的标题之{n}</a></li>" for n in range(12)) + "</ul>"
FOOT = "<div><p>关于我们 | 版权声明 | 联系我们 | 网站地图</p><p>版权所有 某某网 未经书面授权禁止使用</p></div>"
ARTICLE = (
    f"<html><head><title>主题教育_党建网</title></head><body>{NAV}<h1>主题教育</h1>"
    "<div class='info'>2023年04月12日 08:30 来源：党建网</div><div class='article'>"
    + "".join(f"<p>{SENTENCE * 3}（{n}）</p>" for n in range(8))
    + f"</div>{HOT}{FOOT}</body></html>"
)
URL = "http://www.example.cn/dangjian/c1.html"


def test_an_article_gives_text_and_its_details() -> None:
    found = extract(ARTICLE, URL)
    assert found.text.count("\n") >= 7
    assert "（7）" in found.text
    assert "频道" not in found.text and "另一条" not in found.text
    assert (found.title, found.date, found.source, found.reason) == ("主题教育", "2023-04-12", "党建网", "")
    assert (found.kind, found.method) == ("article", "model")


@pytest.mark.parametrize(
    "layout", ["<p>{}</p>", "<div>{}</div>", "<table><tr><td>{}</td></tr></table>", "<div><br>{}<br><br></div>"]
)
def test_a_news_item_of_sixty_characters_is_found(layout: str) -> None:
    text = "昨天上午，市直机关召开党建工作推进会，部署下一步任务，三十个单位的书记参加。"
    assert len(text) < 60
    head = "<head><title>工作推进会召开_某某网</title></head>"
    page = f"<html>{head}<body>{NAV}<h1>工作推进会召开</h1>{layout}{HOT}{FOOT}</body></html>"
    found = extract(page.format(text), URL)
    assert text in found.text
    assert "另一条新闻" not in found.text and "版权" not in found.text


@pytest.mark.parametrize("times", [2, 3])
def test_a_text_that_the_page_holds_again_is_kept_once(times: int) -> None:
    text = "".join(f"<p>{SENTENCE * 3}（{n}）</p>" for n in range(3))
    page = f"<title>主题教育_党建网</title>{NAV}<h1>主题教育</h1>" + f"<div>{text}</div>" * times + HOT + FOOT
    assert extract(page, URL).text.split("\n") == [f"{SENTENCE * 3}（{n}）" for n in range(3)]


def test_paragraphs_that_a_text_repeats_stay() -> None:
    fine = "违反前款规定的，责令限期改正；逾期不改正的，处五百元以上三千元以下罚款。"
    law = [SENTENCE * 2, fine, SENTENCE, fine, SENTENCE * 4]
    page = f"<title>条例_党建网</title>{NAV}<h1>条例</h1><div>" + "".join(f"<p>{line}</p>" for line in law) + f"</div>{HOT}{FOOT}"
    assert extract(page, URL).text.split("\n") == law


def test_text_scores_higher_than_all_around_it() -> None:
    tree = parse(ARTICLE)
    assert tree is not None
    blocks = read_blocks(tree)
    features = block_features("主题教育_党建网", blocks)
    assert features.shape == (len(blocks), len(feature_names(1))) and np.isfinite(features).all()
    scores = scores_of("主题教育_党建网", blocks)
    is_text = np.array([SENTENCE in block.text for block in blocks])
    assert scores[is_text].min() > scores[~is_text].max()
    assert scores_of("", []).shape == (0,)


def test_what_scores_low_in_the_middle_is_left_out() -> None:
    blocks = [Block(SENTENCE, 28, 0, 0, "", "p", False)] * 6
    assert stretch(np.array([-2.0, 3.0, -0.5, -1.5, 3.0, -2.0]), blocks) == {1, 2, 4}
    assert stretch(np.array([-9.0, -6.0, -6.5, -9.0, -9.0, -9.0]), blocks) == {1, 2}  # every article has a text


def test_code_between_and_behind_belongs_to_the_text_and_links_at_its_ends_do_not() -> None:
    text, link = Block(SENTENCE, 28, 0, 0, "", "p", False), Block("另一条", 3, 3, 1, "/", "a", False)
    code = Block("x = 1", 2, 0, 0, "", "pre", False, "code")
    page = [link, text, code, text, code, link]
    assert whole(page, {0, 1, 3, 5}) == page[1:5]
    assert whole(page, {0}) == whole(page, set()) == []


TAILS = {
    "comments": "<div id='comments'><h3>网友评论</h3>{}</div>",
    "related news": "<div class='related'><h3>相关阅读</h3>{}</div>",
    "a dialog": "<div class='pay-modal'><p>您需要支付9.90元解锁文章</p>{}</div>",
}
OTHER = "".join(f"<div><a href='/u{n}'>读者{n}</a><p>看了这篇报道，我觉得社区的变化真是不小{n}。</p></div>" for n in range(4))


@pytest.mark.parametrize("tail", TAILS.values(), ids=TAILS)
def test_what_comes_after_a_text_is_no_part_of_it(tail: str) -> None:
    found = extract(ARTICLE.replace(HOT, tail.format(OTHER) + HOT), URL)
    assert found.text.count(SENTENCE) == 24
    assert "社区的变化" not in found.text and "解锁" not in found.text and "评论" not in found.text


def test_a_page_without_prose_gives_its_densest_part() -> None:
    line = Block(SENTENCE, 28, 0, 0, "", "p", False)
    assert worth(line) > 20 > 0 > worth(Block("版权所有 某某网 未经书面授权禁止使用", 17, 0, 0, "", "p", False))
    assert densest([]) == [] and densest([line]) == [line]


def test_a_link_around_blocks_is_a_link() -> None:
    tree = document_fromstring("<div><a href='/1.html'><div><h3>党建要闻</h3><p>各支部开展活动。</p></div></a><p>正文</p></div>")
    found = [(block.href, block.links, block.link_share) for block in read_blocks(tree)]
    assert found == [("/1.html", 1, 1), ("", 0, 1), ("", 0, 0)]


def test_blocks_are_bounded() -> None:
    tree = document_fromstring("<div>" + "<p>党建</p>" * (MAX_BLOCKS + 10) + "</div>")
    assert len(read_blocks(tree)) == MAX_BLOCKS


PARTS = ["甲<br>", "<a href='/'>乙</a>", "<p>丙", "</p>", "<li>丁", "<nav>戊</nav>", "<b>己</b>", "<script>x</script>"]


@given(st.lists(st.sampled_from(PARTS)))
def test_blocks_keep_every_word_in_order(parts: list[str]) -> None:
    tree = document_fromstring(f"<html><body><div>{''.join(parts)}</div></body></html>")
    blocks = read_blocks(tree)
    assert "".join(block.text for block in blocks).replace(" ", "") == re.sub(r"[^甲乙丙丁戊己]", "", "".join(parts))
    assert all(0 <= block.linked <= block.letters for block in blocks)


@pytest.mark.parametrize(
    "html", ["", " ", "<html></html>", "\0\0\0", "%PDF-1.4", "<html><body><script>var a=1</script></body></html>"]
)
def test_nothing_to_extract_is_a_reason(html: str) -> None:
    found = extract(html, "http://www.example.cn/")
    assert (found.text, found.reason) in {("", NO_TEXT), ("", FAILED)} or found.text == html.strip()


REASONS = {"", NO_TEXT, FAILED, LIST_PAGE, VIDEO_PAGE, GALLERY_PAGE}


@given(st.text(alphabet=st.sampled_from("<>/=\"' divptablebr党建\0\ud800&;#x\n"), max_size=300), st.text(max_size=40))
def test_garbage_never_raises(garbage: str, address: str) -> None:
    for url in ("http://www.example.cn/", "http://" + address):
        found = extract(garbage, url, fetched=address)
        assert bool(found.text) != bool(found.reason)
        assert found.reason in REASONS


def test_a_page_nested_thousands_deep_is_read() -> None:
    found = extract("<div>" * 3_000 + f"<p>{SENTENCE * 5}</p>", URL)
    assert found.reason in REASONS


def test_a_page_over_the_bound_is_rejected_unread() -> None:
    assert extract("党" * 2_000_001, "http://a.cn/").reason == TOO_LARGE
    assert extract(ARTICLE, "http://a.cn/", max_html=100).reason == TOO_LARGE


def test_a_drawing_that_never_ends_and_an_envelope_do_not_hide_a_page() -> None:
    assert extract(f"{ARTICLE}<svg>{'<svg>' * 500_000}", URL).text.count(SENTENCE) == 24
    assert extract(f"<text id='http://a.cn/'>{ARTICLE}</text>", URL).text.count(SENTENCE) == 24


def test_a_page_laid_out_with_tables_and_breaks_gives_its_text_alone() -> None:
    text = "<br><br>　　".join(SENTENCE * 3 + str(n) for n in range(8))
    html = f"<html><body><table><tr><td>{NAV}</td></tr><tr><td><h1>标题</h1>{text}</td><td>{HOT}</td></tr></table></body></html>"
    found = extract(html, "http://a.cn/1.html")
    assert [line[-1] for line in found.text.splitlines() if line.startswith("各级")] == list("01234567")
    assert "频道" not in found.text and "另一条新闻" not in found.text


def test_real_chinese_pages(shared_data: Path) -> None:
    """A floor under the quality: character 4-gram F1 on 35 pages whose texts were marked by hand."""
    scores = []
    for source in sorted((shared_data / "extraction/html").iterdir()):
        wanted = (shared_data / "extraction/text" / f"{source.stem}.txt").read_text("utf-8")
        scores.append(ngram_f1(extract(decode(source.read_bytes())[0], "http://www.example.cn/a.html").text, wanted))
    assert len(scores) == 35
    assert statistics.mean(scores) > 0.91
    assert statistics.median(scores) > 0.98
    assert sorted(scores)[1] > 0.5  # one page is lost
