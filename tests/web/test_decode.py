"""Bytes of Chinese pages into text, whatever is declared about them."""

import codecs
import encodings.aliases

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from topical_crawler.web.dom import decode

TEXT = "各级党组织要把学习贯彻会议精神作为当前的重要任务，结合实际工作，推动主题教育走深走实。"
TRADITIONAL = "各級黨組織要把學習作為當前的重要任務，結合實際工作，推動主題教育走深走實。"


def html(text: str = TEXT, charset: str = "") -> str:
    head = f'<meta charset="{charset}">' if charset else ""
    return f"<!DOCTYPE html><html><head>{head}<title>{text[:12]}</title></head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize("declared", ["", "gbk", "GB2312", "gb18030", "utf-8", "big5", "iso-8859-1", "windows-1252", "us-ascii"])
@pytest.mark.parametrize("real", ["utf-8", "gbk", "gb18030"])
def test_simplified_chinese_under_any_declaration(real: str, declared: str) -> None:
    """In the header, in the head, and with both at odds."""
    expected = "utf-8" if real == "utf-8" else "gb18030"
    for header, meta in ((declared, ""), ("", declared), (declared, real), (real, declared)):
        body = html(charset=meta).encode(real)
        content_type = f"text/html; charset={header}" if header else "text/html"
        assert decode(body, content_type) == (html(charset=meta), expected), (header, meta)


@pytest.mark.parametrize("declared", ["", "big5", "utf-8", "gb2312", "iso-8859-1"])
def test_big5(declared: str) -> None:
    text, encoding = decode(html(TRADITIONAL).encode("big5"), f"text/html; charset={declared}" if declared else "")
    assert text == html(TRADITIONAL)
    assert codecs.lookup(encoding).name in ("big5", "big5hkscs", "cp950")


@pytest.mark.parametrize(
    "declared", ["", "text/html", "text/html; charset=utf-16", "text/html; charset=utf-8", "text/html; charset=gbk"]
)
@pytest.mark.parametrize("real", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", [True, False])
def test_utf_16(real: str, declared: str, mark: bool) -> None:
    bom = codecs.BOM_UTF16_LE if real == "utf-16-le" else codecs.BOM_UTF16_BE
    text, encoding = decode((bom if mark else b"") + html().encode(real), declared)
    assert text == html()
    assert encoding in (real, "utf-16")


@pytest.mark.parametrize("declared", ["", "text/html; charset=gb2312", "text/html; charset=utf-8"])
def test_a_mark_is_believed_and_taken_away(declared: str) -> None:
    assert decode(codecs.BOM_UTF8 + html(charset="gbk").encode(), declared) == (html(charset="gbk"), "utf-8")


def test_characters_beyond_gb2312() -> None:
    body = html("朱镕基、李嘉诚、堃、喆、㐂、𠮷野家" + TEXT, "gb2312").encode("gb18030")
    assert decode(body)[0] == html("朱镕基、李嘉诚、堃、喆、㐂、𠮷野家" + TEXT, "gb2312")


@pytest.mark.parametrize(("real", "expected"), [("utf-8", "utf-8"), ("gb18030", "gb18030")])
def test_a_few_broken_bytes_do_not_change_the_encoding(real: str, expected: str) -> None:
    """A summary cut in the middle of a character, as on many real pages."""
    end = "。</p>".encode(real)
    body = html(f"{TEXT}</p><p>" * 40, real).encode(real).replace(end, "。".encode(real)[:1] + b"</p>", 1)
    text, encoding = decode(body)
    assert encoding == expected
    assert text.count("主题教育走深走实") >= 39


FOOTER = "<div>版权所有，联系我们，技术支持</div>"


@pytest.mark.parametrize("header", ["", "text/html; charset=utf-8", "text/html; charset=gbk"])
@pytest.mark.parametrize("declared", ["", "utf-8"])
@pytest.mark.parametrize("foreign", ["gbk", "big5"])
@pytest.mark.parametrize("first", [True, False])
def test_a_part_in_another_encoding_breaks_alone(header: str, declared: str, foreign: str, first: bool) -> None:
    """A menu or footer that the server puts into each page as it was written."""
    if (declared, header[-3:]) == ("", "gbk"):
        return  # nothing but the bytes speaks for UTF-8
    part = FOOTER.encode(foreign, "ignore")
    page = html(f"{TEXT}</p><p>" * 3, declared).encode()
    body = page.replace(b"<body>", b"<body>" + part) if first else page + part
    text, encoding = decode(body, header)
    assert (encoding, text.count(TEXT)) == ("utf-8", 3)
    assert FOOTER in text or foreign == "big5"


def test_a_long_part_in_another_encoding_is_read() -> None:
    """An advertisement within the text, and a broken byte that makes no part foreign."""
    body = html(f"{TEXT}</p><p>X</p><p>{TEXT}").encode().replace(b"X", TEXT.encode("gbk")).replace(b"<p>", b"<p>\xe4", 1)
    text, encoding = decode(body, "text/html; charset=utf-8")
    assert (text.count(TEXT), encoding) == (3, "utf-8")


def test_a_part_in_utf_8_does_not_change_a_page_in_gbk() -> None:
    body = html(f"{TEXT}</p><p>" * 3, "gbk").encode("gbk") + FOOTER.encode()
    assert decode(body)[0].count(TEXT) == 3
    text, encoding = decode(body.replace(b"<p>", b"<p>\xff", 1))  # with a broken byte as well
    assert (text.count(TEXT), FOOTER in text, encoding) == (3, True, "gb18030")


def test_emoji_of_two_halves_are_read() -> None:
    """CESU-8, as some databases give UTF-8."""
    body = html(f"{TEXT}<E>").encode().replace(b"<E>", b"\xed\xa0\xbd\xed\xb8\x80" * 2)
    assert decode(body) == (html(f"{TEXT}😀😀"), "utf-8")
    text, encoding = decode(body.replace(b"\xed\xb8\x80", b""))  # halves alone
    assert TEXT in text
    assert encoding == "utf-8"


@pytest.mark.parametrize(("real", "declared"), [("utf-8", ""), ("gb18030", "gbk"), ("gb18030", "utf-8")])
def test_a_nul_makes_no_utf_16(real: str, declared: str) -> None:
    body = html(TEXT, declared).encode(real).replace(b"<p>", b"\0<p>\0") + "尾".encode(real)[:1] + b"\0" * 50
    text, encoding = decode(body)
    assert TEXT in text
    assert encoding == real


def test_a_page_without_chinese() -> None:
    assert decode(b"<title>Party building</title>") == ("<title>Party building</title>", "utf-8")
    assert decode("<p>café</p>".encode(), "text/html; charset=iso-8859-1") == ("<p>café</p>", "utf-8")
    assert decode(b"") == ("", "utf-8")


@pytest.mark.parametrize(
    "name", ["undefined", "none", "x-sjis-no", "idna", "punycode", "base64", "rot13", "hex", "unicode_escape", "\0", ""]
)
def test_a_declaration_that_names_no_character_encoding(name: str) -> None:
    """``charset=undefined`` is what a script writes that has lost its variable."""
    assert decode(html().encode(), f"text/html; charset={name}") == (html(), "utf-8")
    assert decode(html(charset=name).encode("gbk")) == (html(charset=name), "gb18030")


_NAMES = st.sampled_from(sorted(set(encodings.aliases.aliases.values())))


@given(st.binary(max_size=200), st.one_of(st.text(max_size=30), _NAMES.map("text/html; charset={}".format)))
@example(b"\xff\xfe", "")
@example(b"\x00", "")
@example(b'<meta charset="undefined">', "")
@example(b"+2AA-", "text/html; charset=utf-7")
@example(b"\\ud800", "text/html; charset=unicode_escape")
def test_any_bytes_give_a_text(body: bytes, content_type: str) -> None:
    text, encoding = decode(body, content_type)
    assert isinstance(text, str)
    assert codecs.lookup(encoding).name == encoding
    text.encode("utf-8")  # no lone surrogates: the text can be stored


@given(st.text().filter(lambda text: not text.startswith(("\ufeff", "\ufffe"))))
def test_declared_utf_8_comes_back_unchanged(text: str) -> None:
    assert decode(text.encode(), "text/html; charset=utf-8") == (text, "utf-8")


@given(st.text(st.sampled_from(TEXT), min_size=8))
def test_common_chinese_comes_back_whatever_it_was_written_in(text: str) -> None:
    for encoding in ("utf-8", "gb18030"):
        assert decode(text.encode(encoding)) == (text, encoding)


def test_a_long_page_of_code_with_little_chinese_in_gb18030() -> None:
    code = "<pre>int main(void) { return 0; }</pre>" * 2000
    page = f"<title>驱动程序的说明</title>{code}<p>以上是全部代码，欢迎大家讨论。</p>"
    assert decode(page.encode("gb18030")) == (page, "gb18030")
    assert decode(page.encode("gb18030"), "text/html; charset=utf-8") == (page, "gb18030")
    broken = page.encode().replace("讨论".encode(), "讨论".encode()[:-1])
    assert decode(broken)[1] == "utf-8"


def test_a_long_line_beside_a_foreign_byte_is_read_at_once() -> None:
    """In time that grows with the page: a square of it would take minutes."""
    text = "党建工作会议" * 50
    page = b"<p>" + b"a" * 1_000_000 + b"<p>\xff<p>" + text.encode()
    assert decode(page) == (f"<p>{'a' * 1_000_000}<p>\ufffd<p>{text}", "utf-8")
