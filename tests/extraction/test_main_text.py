"""Main texts: of articles of every layout, of short ones, of real pages; and that no page raises."""

from __future__ import annotations

import re
import statistics
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml.html import document_fromstring
from text_scores import ngram_f1

from topical_crawler.extraction import FAILED, GALLERY_PAGE, LIST_PAGE, NO_TEXT, TOO_LARGE, VIDEO_PAGE, extract, extractors
from topical_crawler.extraction.extractors import densest, text_worth, to_paragraphs
from topical_crawler.extraction.structure import MAX_BLOCKS, read_blocks
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
    assert (found.kind, found.method) == ("article", "trafilatura")


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


def test_where_trafilatura_finds_next_to_nothing_another_extractor_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extractors, "trafilatura", lambda tree: "版权所有 某某网")
    found = extract(ARTICLE, URL)
    assert found.method in extractors.FALLBACKS
    assert found.text.count(SENTENCE) == 24
    assert "版权所有" not in found.text


def test_one_extractor_that_fails_does_not_cost_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(tree: object) -> str:
        raise RecursionError

    monkeypatch.setattr(extractors, "trafilatura", fail)
    assert extract(ARTICLE, URL).text.count(SENTENCE) == 24
    monkeypatch.setattr(extractors, "FALLBACKS", {"density": fail})
    assert extract(ARTICLE, URL).reason == FAILED


@pytest.mark.parametrize("name", [*extractors.FALLBACKS])
def test_every_extractor_finds_an_article_and_leaves_the_menu(name: str) -> None:
    tree = extractors.parse(ARTICLE)
    assert tree is not None
    found = extractors.FALLBACKS[name](tree)
    assert found.count(SENTENCE) == 24
    assert "频道7" not in found


def test_the_candidate_that_agrees_with_the_others_is_chosen() -> None:
    right, more, wrong = SENTENCE * 4, SENTENCE * 4 + "分享到微博", "友情链接的说明文字很长很长。" * 9
    texts = {"trafilatura": wrong, "density": right, "readability": more, "justext": right}
    assert extractors.choose(texts, dict.fromkeys(texts, 100.0)) == "density"
    assert (
        extractors.choose(texts, {"trafilatura": 100.0, "density": 10.0, "readability": 10.0, "justext": 10.0}) == "trafilatura"
    )
    assert extractors.choose(texts, dict.fromkeys(texts, 0.0)) == ""


def test_text_counts_for_and_links_and_boilerplate_against() -> None:
    assert text_worth(SENTENCE) > 20 > 0 > text_worth("版权所有 某某网 未经书面授权禁止使用")
    assert text_worth(SENTENCE, [SENTENCE]) < 0
    assert densest([]) == []


def test_a_link_around_blocks_is_a_link() -> None:
    tree = document_fromstring("<div><a href='/1.html'><div><h3>党建要闻</h3><p>各支部开展活动。</p></div></a><p>正文</p></div>")
    assert [(block.href, block.links, block.link_share) for block in read_blocks(tree)] == [
        ("/1.html", 1, 1),
        ("", 0, 1),
        ("", 0, 0),
    ]


def test_blocks_are_bounded() -> None:
    tree = document_fromstring("<div>" + "<p>党建</p>" * (MAX_BLOCKS + 10) + "</div>")
    assert len(read_blocks(tree)) == MAX_BLOCKS


@given(
    st.lists(
        st.sampled_from(
            ["甲<br>", "<a href='/'>乙</a>", "<p>丙", "</p>", "<li>丁", "<nav>戊</nav>", "<b>己</b>", "<script>x</script>"]
        )
    )
)
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
@settings(max_examples=60, deadline=None)
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


def test_drawings_and_scripts_do_not_make_a_page_too_large() -> None:
    bulk = f"<svg>{'<path/>' * 300_000}</svg><script>{'x' * 9_000}</script><img src='data:image/png;base64,{'A' * 9_000}'>"
    found = extract(ARTICLE.replace("<body>", f"<body>{bulk}"), URL)
    assert found.text.count(SENTENCE) == 24
    assert extract(f"{ARTICLE}<svg>{'<svg>' * 500_000}", URL).text.count(SENTENCE) == 24  # one that never ends


def test_a_page_in_an_envelope_of_its_own_is_read() -> None:
    found = extract(f"<text id='http://a.cn/'>{ARTICLE}</text>", URL)
    assert found.text.count(SENTENCE) == 24


def test_a_page_laid_out_with_tables_and_breaks_gives_its_text_alone() -> None:
    text = "<br><br>　　".join(SENTENCE * 3 + str(n) for n in range(8))
    html = f"<html><body><table><tr><td>{NAV}</td></tr><tr><td><h1>标题</h1>{text}</td><td>{HOT}</td></tr></table></body></html>"
    found = extract(html, "http://a.cn/1.html")
    assert [line[-1] for line in found.text.splitlines() if line.startswith("各级")] == list("01234567")
    assert "频道" not in found.text and "另一条新闻" not in found.text


@given(
    st.lists(
        st.sampled_from(
            ["甲", "<br>", "<b>乙</b>", "<p>丙</p>", "<!-- x -->", "<div>丁<br>戊<br></div>", "<table><tr><td>己<br><br></table>"]
        )
    )
)
def test_paragraphs_keep_every_word_in_order(parts: list[str]) -> None:
    tree = document_fromstring(f"<html><body><div>{''.join(parts)}</div></body></html>")
    words = re.findall(r"[甲乙丙丁戊己]", "".join(map(str, tree.itertext(with_tail=True))).replace(" x ", ""))
    assert re.findall(r"[甲乙丙丁戊己]", "".join(map(str, to_paragraphs(tree).itertext()))) == words


def test_a_table_of_figures_stays_a_table() -> None:
    tree = document_fromstring("<html><body><table><tr><td>年份</td><td>2023</td></tr></table></body></html>")
    assert to_paragraphs(tree).find(".//table/tr/td") is not None


def test_real_chinese_pages(data: Path) -> None:
    """A floor under the quality: character 4-gram F1 on 35 pages whose texts were marked by hand."""
    scores = []
    for source in sorted((data / "extraction/html").iterdir()):
        wanted = (data / "extraction/text" / f"{source.stem}.txt").read_text("utf-8")
        scores.append(ngram_f1(extract(decode(source.read_bytes())[0], "http://www.example.cn/a.html").text, wanted))
    assert len(scores) == 35
    assert statistics.mean(scores) > 0.9
    assert statistics.median(scores) > 0.97
    assert min(scores) > 0.3


@pytest.fixture(scope="module")
def data() -> Path:
    place = Path(__file__).parents[2].parent / "shared/data"
    if not (place / "extraction/html").is_dir():
        pytest.skip("the evaluation data is not there (../shared/data/extraction)")
    return place
