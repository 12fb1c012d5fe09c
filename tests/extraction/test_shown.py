"""What a browser shows: hidden parts, readings of characters, lines that styles keep, lines broken at a fixed width."""

import re
import time

import pytest

from topical_crawler.extraction.extract import Extracted, extract

LINES = [
    "镇上的图书馆把闭馆时间推迟到了晚上九点，下班的人赶得上还书。",
    "河边的芦苇割过一茬以后，野鸭子就搬到了上游的浅滩。",
    "修表的师傅说，机械表走得慢，多半是油干了，并不是坏了。",
    "渔村的码头修好以后，运冰的船可以直接靠岸，渔民都很高兴。",
]
THEFT = "盗版必究"


def page(body: str, style: str = "") -> Extracted:
    html = f"<html><head><title>小镇见闻</title><style>{style}</style></head><body><h1>小镇见闻</h1>{body}</body></html>"
    return extract(html, "http://www.example.cn/a/c1.html")


def paragraphs(lines: list[str], more: str = "") -> str:
    return "".join(f"<p class=text>{line}{more}</p>" for line in lines)


@pytest.mark.parametrize(
    ("mark", "style"),
    [
        ("<span style='display:none'>{}</span>", ""),
        ("<span style='DISPLAY: none;'>{}</span>", ""),
        ("<i style='visibility: hidden'>{}</i>", ""),
        ("<font style='font-size:0px;color:#FFF'>{}</font>", ""),
        ("<b style='opacity:0'>{}</b>", ""),
        ("<b style='position:absolute;left:-9999px'>{}</b>", ""),
        ("<b hidden>{}</b>", ""),
        ("<dialog>{}</dialog>", ""),
        ("<font class='jammer'>{}</font>", ""),
        ("<span class='sr-only note'>{}</span>", ""),
        ("<em class=zq9>{}</em>", ".other, .zq9 {color: red; display: none}"),
        ("<em id=mark>{}</em>", "@media screen {p {color: red}} /* } */ #mark{VISIBILITY:HIDDEN}"),
        ("<bdo>{}</bdo>", "bdo{font-size:0}"),
        ("<em>{}</em>", "p.text > em{display:none}"),
        ("<em class='w x'>{}</em>", ".w{display:none!important}.x{display:inline}"),
        ("<em class=cp>{}</em>", "p>.cp{display:none}"),
        ("<em class=cp>{}</em>", "@media (min-width:768px){.cp{display:none}}"),
        ("<em class=cp>{}</em>", "@media only screen and (min-width: 992px){i{color:red}.cp{display:none}}"),
    ],
)
def test_what_is_not_seen_is_left_out(mark: str, style: str) -> None:
    found = page("<div>" + paragraphs(LINES, mark.format(THEFT)) + "</div>", style)
    assert found.text.split("\n") == LINES


@pytest.mark.parametrize(
    ("attributes", "style"),
    [
        ("style='visibility:hidden;opacity:0'", ""),  # until a script shows it
        ("class=late", ".late{display:none}"),
        ("class=print", "@media print {.print {display:none}}"),
        ("class='tab on'", ".tab{display:none}.tab.on{display:block}"),
        ("class=tab style='display:block'", ".tab{display:none}"),
        ("class=tab", ".tab:hover{display:none}.tab::after{display:none}"),
        ("style='font-size:0'", ".text{font-size:15px}"),
        ("style='visibility:hidden'", ".text{visibility:visible}"),
        ("aria-hidden=true", ""),
    ],
)
def test_what_is_seen_stays(attributes: str, style: str) -> None:
    assert page(f"<div {attributes}>{paragraphs(LINES)}</div>", style).text.split("\n") == LINES


@pytest.mark.parametrize(
    "style",
    [
        ".all>.cp{display:none}",  # it is no child
        "@media print{.cp{display:none}}",
        "@media screen and (max-width: 640px){.cp{display:none}}",
        "@media (min-width:2560px){.cp{display:none}}",
    ],
)
def test_rules_for_other_elements_and_screens_hide_nothing(style: str) -> None:
    own = [line.replace("，", "<em class=cp>，</em>", 1) for line in LINES]
    assert page(f"<div class=all>{paragraphs(own)}</div>", style).text.split("\n") == LINES


@pytest.mark.parametrize(
    "reading",
    [
        r"<ruby>\1<rt>dú</rt></ruby>",
        r"<ruby>\1<rp>（</rp><rt>ㄉㄨˊ</rt><rp>）</rp></ruby>",
        r"<ruby><rb>\1</rb><rtc><rt>dú</rt></rtc></ruby>",
        r"<ruby>\1<rp>(<rt>dú<rp>)</ruby>",
    ],
)
def test_readings_of_characters_are_left_out(reading: str) -> None:
    assert page(re.sub("([河船表])", reading, paragraphs(LINES))).text.split("\n") == LINES


@pytest.mark.parametrize(
    ("body", "style"),
    [
        ("<div style='white-space:pre-line'>{}</div>", ""),
        ("<div class='note body'>{}</div>", ".body{line-height:2;white-space:pre-wrap}"),
        ("<div class=a><div class=b><span>{}</span></div></div>", ".a .b{white-space:break-spaces}"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n　　"])
def test_lines_that_a_style_keeps_are_paragraphs(body: str, style: str, end: str) -> None:
    lines = [line.replace("的", "<b>的</b>", 1) for line in LINES]
    assert page(body.format(end.join(lines)), style).text.split("\n") == LINES


def test_a_style_within_gives_up_the_lines() -> None:
    within = LINES[2].replace("，", "，\n", 1)
    body = f"{LINES[0]}\n{LINES[1]}<p style='white-space:normal'>{within}</p>"
    found = page(f"<div style='white-space:pre-wrap'>{body}</div>").text.split("\n")
    assert [line.replace(" ", "") for line in found] == LINES[:3]


def broken(text: str, width: int) -> str:
    """``text`` in lines of so many characters."""
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


@pytest.mark.parametrize("width", [19, 31, 38])
@pytest.mark.parametrize(("between", "indent"), [("\n\n", ""), ("\n", "　　"), ("\n", "    "), ("  \n\n", "")])
def test_lines_broken_at_a_fixed_width_are_joined(width: int, between: str, indent: str) -> None:
    texts = ["".join(LINES), "".join(LINES[1:]), "".join(LINES[2:] + LINES[:1])]
    wrapped = between.join(broken(indent.replace("    ", "　　") + text, width) for text in texts).replace("　　", indent or "")
    if indent == "    ":
        wrapped = wrapped.replace("　　", indent)
    assert page(f"<pre>{wrapped}</pre>").text.split("\n") == texts


def test_words_are_joined_with_a_blank() -> None:
    written = "我们测试了三个版本，结果 version sixteen/is the fastest 而且占用内存最少，读写也都/很稳定，第二天又测了一次，结果"
    written += "仍然是它最/快。"
    text = page(f"<pre>{written.replace('/', chr(10))}</pre>").text
    assert text == written.replace("sixteen/", "sixteen ").replace("/", "")


@pytest.mark.parametrize(
    "lines",
    [
        ["空山新雨后，天气晚来秋。", "明月松间照，清泉石上流。", "竹喧归浣女，莲动下渔舟。", "随意春芳歇，王孙自可留。"],
        "数茎白发哪能浮，须知世上无难事；/一把青镰犹可割，且看田间有好禾。/几度春风吹柳岸，闲来垂钓三江水；/满船明月照归人，醉后吟诗五色霞。".split("/"),  # noqa: SIM905
        "我在渡口等一条船来接我回家过年啊/船夫说今天的风太大所以不能开船了/我在渡口等一阵风把柳絮都吹到对岸/河水带走一片叶子也带走了整个夏天".split("/"),  # noqa: SIM905
        LINES,
    ],
)  # fmt: skip
def test_lines_of_verse_and_lists_stay(lines: list[str]) -> None:
    text = page(f"<pre>{chr(10).join(lines)}</pre><p>渡口的船修好了，明天一早就可以下水，船夫请大家都去看一看。</p>").text
    assert "\n".join(lines) in text


@pytest.mark.parametrize(
    ("body", "style"),
    [
        (" " * 400_000, ""),
        ("", "@" * 200_000),
        ("", "/*" * 100_000),
        ("", "a" * 200_000),
        ("", ".a " * 60_000 + "{display:none}"),
        ("<p class=a>一" * 400, ".a{display:none}" * 10_000),
        ("<div class=b>" * 200 + "<p class=a>一" * 400, ".b>" * 7 + ".a{display:none}"),
        ("", "@media " + " " * 190_000 + "a{a{}}"),
        (f"<pre>{'字' * 30}{chr(10)}{'字' + chr(10) * 2}" * 1_000, ""),
    ],
)
def test_what_is_seen_is_told_in_time(body: str, style: str) -> None:
    began = time.process_time()
    page(f"{body}{paragraphs(LINES)}", style)
    assert time.process_time() - began < 5
