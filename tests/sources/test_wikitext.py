"""Wikitext into plain text, and the links that lead out of a wiki."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from topical_crawler.sources.wikilinks import Link, external_links
from topical_crawler.sources.wikitext import conversion_text, link_text, plain_text, template_text


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        ("'''党支部'''是''基层''组织。", "党支部是基层组织。"),
        ("《共产党宣言》（{{lang|de|Manifest}}）", "《共产党宣言》（Manifest）"),
        ("[[中国共产党|党]]的[[基层组织]]，见[[:分类:政党]]", "党的基层组织，见分类:政党"),
        ("[[可靠性_(计算机网络)|可靠性]]和[[Google_Chrome]]", "可靠性和Google Chrome"),
        ("甲[[文件:a.png|thumb|[[党旗]]，见[http://b.cn 网站]]]乙", "甲乙"),
        ("甲[[分类:政党]][[Category:党]][[en:Party]]", "甲"),
        ("起草<ref name=a>《党史》</ref>，通过<ref name=a />。", "起草，通过。"),
        ("设<math>\\frac{a}{b}}}</math>为<syntaxhighlight lang=c>[[x]]</syntaxhighlight>某值", "设为某值"),
        ("{{Infobox\n|名=某\n|图=[[File:a.svg]]\n|注={{注|{{小}}}}\n}}正文", "正文"),
        ("{{noteTA|G1=IT}}\n\n正文{{来源请求|{{CURRENTYEAR}}}}完", "正文完"),
        ("某人（{{bd|1923年|5月27日}}）是（{{拼音|a}}，本名某）人（）", "某人是（本名某）人（）"),
        ('前\n{| class="wikitable"\n! 届 !! 地\n|-\n| 一 || 上海\n{|\n| 内\n|}\n|}\n后', "前\n后"),
        ("== 历史 ==\n文\n=== 建党 ===\n* 一\n*# 二\n: 三\n----\n末", "历史\n文\n建党\n一\n二\n三\n末"),
        ("文\n== 参考资料 ==\n* 甲\n=== 书 ===\n* 乙\n== 影响 ==\n好\n==外部連結==\n* 丙", "文\n影响\n好"),
        ("一<br />二<br>三<p>四</p>", "一\n二\n三\n四"),
        ("H<sub>2</sub>O、<span style='color:red'>红</span>&nbsp;&amp;&lt;b&gt;", "H2O、红 &<b>"),
        ("__NOTOC__甲<!-- 注\n[[释 -->乙", "甲乙"),
        ("[https://a.cn/?b=1 甲站]、[//b.cn 乙站]、[mailto:x@y.cn 丙][http://c.cn]", "甲站、乙站、丙"),
        ("<nowiki>[[不是链接]]</nowiki>", "不是链接"),
        ("若a < b且c > d，则[x]为{y}", "若a < b且c > d，则[x]为{y}"),
        ("-{zh-hans:软件;zh-hant:軟體}-与-{A|zh-tw:程式;zh-cn:程序;}--{H|zh-cn:宏}-", "软件与程序"),
        ("[[流控制|-{zh-tw:串流; zh-cn:流控制;}-]]、[[-{zh-hans:网络;zh-hant:網路}-]]", "流控制、网络"),
        ("-{T|zh:-{zh|}-;zh-hans:题}-正", "正"),
        ("乾-{乾}-、-{zh;zh-hans;zh-hant|博客、網誌}-、-{R|著}-", "乾乾、博客、網誌、著"),
        ("a-{{b}}-c", "a--c"),
        ("{{{1|{{{2}}}}}}甲", "甲"),
    ],
)
def test_what_a_reader_sees(wikitext: str, expected: str) -> None:
    assert plain_text(wikitext) == expected


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        ("甲{{未闭合|乙", "甲未闭合|乙"),
        ("甲[[未闭合\n乙[[丙]]", "甲未闭合\n乙丙"),
        ("甲{{模板|[[未闭合}}乙]]丙", "甲乙丙"),
        ("{|\n| 格\n|-\n正文", "正文"),
        ("甲}}乙]]丙}-丁|}", "甲乙丙-丁|}"),
        ("甲<ref>无尾，正文还在", "甲无尾，正文还在"),
        ("甲<!-- 无尾", "甲"),
        ("&#" + "9" * 5000 + ";甲", "甲"),
    ],
)
def test_broken_markup_costs_little_text(wikitext: str, expected: str) -> None:
    assert plain_text(wikitext) == expected


def test_parts() -> None:
    shown = {"甲|乙|丙": "乙|丙", "#节|节": "节", "甲|": "甲", "圖像:a|b": "", "w:词|词": "词", "simple:X": ""}
    assert {content: link_text(content) for content in shown} == shown
    assert template_text("le|变体形式 (Unicode)|Variant form|变体形式") == "变体形式"
    assert template_text("Tsl|en|DTLS|數據傳輸層加密") == "數據傳輸層加密"
    assert template_text("cquote|text=实事求是|author=某") == "实事求是"
    assert template_text("lang-en|1=Party") == "Party"
    assert template_text("link-en") == ""
    assert conversion_text("zh-cn:&nbsp;甲; zh-tw:乙") == "&nbsp;甲"
    assert conversion_text("巨集=>zh-cn:宏;") == "宏"
    assert conversion_text("zh-tw:繁體") == "繁體"
    assert conversion_text("") == ""


_SIGNS = (
    "{{ }} {{{ }}} [[ ]] [ ] -{ }- | || {| |} |- ! = == === * # : ; ' '' ''' < > <ref> </ref> <ref/> <br> <math> </math>"
    " <nowiki> </nowiki> <!-- --> http://a.cn zh-hans: zh-cn: H| 文件: 分类: en: lang| __TOC__ &nbsp;"
    " &#91; &#x110000; （ ） ， \0 党"
)
_PIECES = st.sampled_from([*_SIGNS.split(" "), "\n", "\n{|", "\n|}", "\n==参考==\n", " "])


@given(st.one_of(st.text(), st.lists(_PIECES, max_size=60).map("".join)))
@example("&#" + "1" * 9000)
def test_anything_gives_a_text_without_empty_lines(wikitext: str) -> None:
    text = plain_text(wikitext)
    assert all(line.strip() for line in text.split("\n")) or text == ""


_PLAIN = st.text("党建支部组织会《》“”，。：（）、 abcXYZ019%+=/.,!?()", min_size=1).map(str.strip).filter(bool)


@given(st.lists(_PLAIN, min_size=1))
def test_plain_text_passes_unchanged(paragraphs: list[str]) -> None:
    text = "\n".join(p for p in paragraphs if not (p[0] == p[-1] == "="))
    assert plain_text(text) == text


_REPEATED = ["{{", "}}", "[[", "[[a|", "{{{", "-{", "\n{|", "<ref>", "<!--", "[//", "'", ";", "=", "（{{a}}", "&", "\n:"]


@pytest.mark.parametrize("piece", [*_REPEATED, "<b ", " "])
def test_the_time_grows_with_the_length(piece: str) -> None:
    """Text that would keep a careless expression busy for hours."""
    start = time.process_time()
    plain_text(piece * 50_000 + "x")
    plain_text("-{zh-cn:" + piece * 50_000 + "}-")
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("wikitext", "label", "kind"),
    [
        ("* {{cite web|title=党课|url=http://a.cn/}}", "党课", "reference"),
        ("{{引用网页|url=http://a.cn/|標題=黨課|date=2024}}", "黨課", "reference"),
        ("<ref name=甲>[http://a.cn/ 党课]</ref>", "党课", "reference"),
        ("<ref name=甲/>[http://a.cn/ 党课]", "党课", "link"),
        ("{{cite book|title=党史}}[http://a.cn/ 党课]", "党课", "link"),
        ("{{Infobox|名=支部|官方網站=[http://a.cn/ 支部]}}", "支部", "site"),
        ("{{Official website|http://a.cn/}}", "", "site"),
        ("[http://a.cn/ 支部主页]", "支部主页", "site"),
        ("见http://a.cn/，另见", "", "link"),
    ],
)
def test_what_a_link_is(wikitext: str, label: str, kind: str) -> None:
    assert external_links(wikitext) == [Link("http://a.cn/", label, kind)]
