"""Pages made hostile for benchmarks/fuzz.py: what broken programs, careless authors and malice do to HTML.

A mutation takes the bytes of a page and a source of chance, and gives other bytes. How much it changes is drawn on a logarithmic
scale: most pages stay much as they were, some become monsters. The same seed gives the same bytes.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import NamedTuple

MOST_BYTES = 8 * 1024 * 1024  # of a page, the crawler's own limit (DOWNLOAD_MAXSIZE)
MOST_MUTATIONS = 4

Chance = random.Random
Mutation = Callable[[bytes, Chance], bytes]

_TAG = re.compile(rb"<(/?)([a-zA-Z][a-zA-Z0-9]*+)([^<>]*+)>")
_ADDRESS = re.compile(rb"""(href|src)\s*=\s*("[^"]*"|'[^']*')""", re.IGNORECASE)
_DIGITS = re.compile(rb"[0-9]+")
_TEXT = re.compile(rb">[^<>]{2,}<")
_DECLARED = re.compile(rb"""charset\s*=\s*["']?[\w-]+""", re.IGNORECASE)

_NESTING = [
    "a",
    "b",
    "div",
    "span",
    "p",
    "font",
    "table",
    "ul",
    "li",
    "blockquote",
    "pre",
    "code",
    "section",
    "article",
    "form",
    "select",
    "svg",
    "math",
    "ruby",
    "em",
    "i",
    "dl",
    "dd",
    "td",
    "h1",
]
_OTHER_TAGS = [
    "pre",
    "code",
    "table",
    "td",
    "tr",
    "li",
    "ul",
    "dl",
    "dd",
    "a",
    "b",
    "svg",
    "math",
    "script",
    "style",
    "template",
    "select",
    "option",
    "frameset",
    "frame",
    "plaintext",
    "xmp",
    "textarea",
    "noscript",
    "iframe",
    "title",
    "head",
    "body",
    "html",
    "h1",
    "h2",
    "form",
    "button",
    "ruby",
    "rt",
    "math",
    "annotation",
    "mrow",
    "mi",
    "base",
    "meta",
    "link",
    "object",
    "embed",
    "video",
]
_ENTITIES = (
    *("&", "&#", "&#x", "&#0;", "&#xd800;", "&#x202e;", "&#27;", "&#x9b;", "&#99999999999;", "&#xFFFFFFFFF;", "&amp;lt;"),
    *(
        "&nbsp;",
        "&zwnj;",
        "&#x1F469;&#x200D;&#x1F4BB;",
        "&notanentity;",
        "&NotEqualTilde;",
        "&lt;script&gt;",
        "&#65279;",
        "&#xfdd0;",
    ),
)
_ADDRESSES = (
    *(
        "javascript:alert(1)",
        "data:text/html,<b>",
        "http://[",
        "http://[::1",
        "//",
        "///",
        "http://",
        "?",
        "#",
        "",
        " ",
        "http:///a",
    ),
    *(
        "http://a:99999/",
        "http://a.cn:port/",
        "http://党建。中国/支部?页=１#段",
        "http://user:pass@a.cn/",
        "\\\\a.cn\\b",
        "http://a.cn\\@b.cn",
    ),
    *(
        "../../../../../../x",
        "/%00%ff%zz%",
        "http://xn--0.cn/",
        "http://a..cn/",
        "HTTP://A.CN/%E5%85%9A",
        "mailto:a@b.cn",
        "tel:1",
    ),
    *(
        "http://1.1.1.1.1/",
        "http://0x7f.1/",
        "ftp://a.cn/",
        "http://a.cn/\x00\x1f",
        "http://a.cn/" + "a/" * 3000,
        "http://" + "a" * 70 + ".cn",
    ),
)
_NUMBERS = (
    "0",
    "-1",
    "99999999999999999999",
    "1e999",
    "00000000",
    "20261345",
    "１２３",
    "٣",
    "①",
    "NaN",
    "2026-02-30",
    "0000-00-00",
)
_CHARACTERS = (
    *(
        "\0",
        "\x1b[31m",
        "\x7f",
        "\x85",
        "\u2028",
        "\u200b",
        "\u200d",
        "\u202e",
        "\ufeff",
        "\ufffd",
        "\ufdd0",
        "\U0010ffff",
        "\u0300",
    ),
    *("\u3000", "\xa0", "\u00ad", "𠮷", "㊗", "龘", "👩‍💻", "\u0e33", "ﷺ", "İ", "ß"),
)
_RUNS = (
    *(
        " ",
        "\t",
        "\n",
        "\r",
        "0",
        "1",
        "a",
        "A",
        "党",
        "党建",
        "，",
        "。",
        "(",
        ")",
        "[",
        "{",
        "<",
        ">",
        "/",
        "\\",
        "-",
        "=",
        "_",
        ".",
        "!",
        "#",
    ),
    *(
        "$",
        "$$",
        "\\(",
        "\\frac{",
        "%",
        "&",
        ";",
        ":",
        "·",
        "—",
        "…",
        "、",
        "“",
        "@",
        "a@",
        "1.",
        "1-",
        "2026-",
        "年",
        "来源：",
        "作者：",
        "编辑",
    ),
    *(
        "http://a.cn/",
        "1 ",
        "a ",
        "- ",
        "| ",
        "> ",
        "``",
        "* ",
        "| -",
        "a b",
        "\n ",
        " \n",
        "\t\n",
        "12:30 ",
        "0755-1234567 ",
        "，a",
        "党 ",
    ),
)
_CHARSETS = (
    "utf-8",
    "gbk",
    "gb2312",
    "gb18030",
    "big5",
    "utf-16",
    "utf-7",
    "shift_jis",
    "euc-kr",
    "undefined",
    "idna",
    "hz",
    "base64",
    "",
)
_ENCODINGS = (
    "utf-8",
    "gb18030",
    "big5",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
    "shift_jis",
    "euc-kr",
    "hz",
    "utf-7",
    "cp1252",
)
_JSON = "<script type='application/ld+json'>{}</script>".replace
_HEADS = (
    "<base href='http://[broken/'>",
    "<base href='http://党建.cn/x/'>",
    "<meta http-equiv=refresh content='0;url=http://[/'>",
    "<meta property='og:type' content='article'><meta property='article:published_time' content='0000-13-45T99:99:99+99:99'>",
    f"<meta name=author content='{'党' * 5000}'>",
    "<link rel=canonical href='http://[::/'>",
    "<title></title>",
    "<title>" + "a" * 99999,
    "<!DOCTYPE x [<!ENTITY a '&b;&b;'><!ENTITY b '&a;&a;'>]>",
    "<?xml version='1.0' encoding='utf-32'?>",
    "<html><head><html><body>",
    _JSON("{}", "[" * 50000),
    _JSON("{}", '{"a":' * 3000),
    _JSON("{}", '{"@type":"Article","headline":1e999,"author":[[[]]],"datePublished":{"a":null}}'),
    _JSON("{}", '{"@type":["NewsArticle",7],"author":{"name":[{"name":"\\ud800"}]}}'),
    "<frameset><frame src=a><noframes>",
    "<plaintext>",
    "<body><body class=x>",
    "<svg><title><![CDATA[",
    "</html><p>",
    "<!--",
    "<![CDATA[",
    "</p></br>",
)


def _size(chance: Chance, most: int) -> int:
    """From 1 to ``most``, small numbers as often as large ones are rare."""
    return max(1, int(most ** chance.random()))


def _place(page: bytes, chance: Chance) -> int:
    return chance.randrange(len(page) + 1)


def _slice(page: bytes, chance: Chance, most: int = 200_000) -> tuple[int, int]:
    start = _place(page, chance)
    return start, min(len(page), start + _size(chance, most))


def _insert(page: bytes, place: int, what: bytes) -> bytes:
    return page[:place] + what + page[place:]


def _at_tag(page: bytes, chance: Chance, what: bytes) -> bytes:
    """``what`` before a tag: in the document, not within an attribute."""
    tags = [match.start() for match in _TAG.finditer(page)]
    return _insert(page, chance.choice(tags) if tags else _place(page, chance), what)


def _some(pattern: re.Pattern[bytes], change: Callable[[re.Match[bytes]], bytes], page: bytes, chance: Chance) -> bytes:
    """Change a share of what matches."""
    share = chance.choice((0.01, 0.1, 0.5, 1.0))
    return pattern.sub(lambda match: change(match) if chance.random() < share else match[0], page)


def cut(page: bytes, chance: Chance) -> bytes:
    return page[: _place(page, chance)]


def beheaded(page: bytes, chance: Chance) -> bytes:
    return page[_place(page, chance) :]


def holed(page: bytes, chance: Chance) -> bytes:
    start, end = _slice(page, chance)
    return page[:start] + page[end:]


def doubled(page: bytes, chance: Chance) -> bytes:
    start, end = _slice(page, chance)
    return page[:start] + page[start:end] * min(1 + _size(chance, 500), 1 + 2_000_000 // max(1, end - start)) + page[end:]


def shuffled(page: bytes, chance: Chance) -> bytes:
    places = sorted(_place(page, chance) for _ in range(4))
    a, b, c, d = places
    return page[:a] + page[c:d] + page[b:c] + page[a:b] + page[d:]


def noisy(page: bytes, chance: Chance) -> bytes:
    changed = bytearray(page)
    for _ in range(min(_size(chance, 5000), len(changed))):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def nested(page: bytes, chance: Chance) -> bytes:
    names = chance.choices(_NESTING, k=chance.choice((1, 1, 2, 5)))
    attributes = chance.choice(("", "", " class=content", " href=/a", " style='display:none'"))
    return _at_tag(page, chance, "".join(f"<{name}{attributes}>" for name in names).encode() * _size(chance, 100_000))


def wrapped(page: bytes, chance: Chance) -> bytes:
    name = chance.choice(_NESTING).encode()
    depth = _size(chance, 3000)
    start, end = _slice(page, chance)
    return page[:start] + (b"<%s>" % name) * depth + page[start:end] + (b"</%s>" % name) * depth + page[end:]


def unclosed(page: bytes, chance: Chance) -> bytes:
    return _some(re.compile(rb"</[a-zA-Z][^<>]*>"), lambda match: b"", page, chance)


def renamed(page: bytes, chance: Chance) -> bytes:
    name = chance.choice(_OTHER_TAGS).encode()
    return _some(_TAG, lambda match: b"<%s%s%s>" % (match[1], name, match[3]), page, chance)


def renamed_at_random(page: bytes, chance: Chance) -> bytes:
    return _some(_TAG, lambda match: b"<%s%s%s>" % (match[1], chance.choice(_OTHER_TAGS).encode(), match[3]), page, chance)


def broken_tags(page: bytes, chance: Chance) -> bytes:
    return _some(re.compile(rb"[<>\"'=/]"), lambda match: chance.choice((b"", b"<", b">", b'"', b"'", b"=")), page, chance)


def entities(page: bytes, chance: Chance) -> bytes:
    chosen = "".join(chance.choices(_ENTITIES, k=chance.choice((1, 3)))).encode()
    if chance.random() < 0.5:
        return _at_tag(page, chance, chosen * _size(chance, 50_000))
    return _some(_TEXT, lambda match: match[0][:-1] + chosen + b"<", page, chance)


def giant_attribute(page: bytes, chance: Chance) -> bytes:
    name = chance.choice(("class", "id", "href", "style", "title", "alt", "data-x", "content", "rel", "onclick"))
    value = chance.choice(_RUNS).replace('"', "") * _size(chance, 200_000)
    return _at_tag(page, chance, f'<{chance.choice(_OTHER_TAGS)} {name}="{value}">'.encode("utf-8", "replace"))


def many_attributes(page: bytes, chance: Chance) -> bytes:
    attributes = "".join(f" {chance.choice('abc')}{n}='{n}'" for n in range(_size(chance, 50_000)))
    return _at_tag(page, chance, f"<{chance.choice(_OTHER_TAGS)}{attributes}>".encode())


def long_run(page: bytes, chance: Chance) -> bytes:
    run = "".join(chance.choices(_RUNS, k=chance.choice((1, 1, 2, 3)))).encode() * _size(chance, 200_000)
    if chance.random() < 0.5:
        return _at_tag(page, chance, run[:1_500_000])
    return _insert(page, _place(page, chance), run[:1_500_000])


def numbers(page: bytes, chance: Chance) -> bytes:
    return _some(_DIGITS, lambda match: chance.choice(_NUMBERS).encode(), page, chance)


def characters(page: bytes, chance: Chance) -> bytes:
    chosen = "".join(chance.choices(_CHARACTERS, k=chance.choice((1, 3)))).encode()
    places = sorted((_place(page, chance) for _ in range(_size(chance, 2000))), reverse=True)
    parts, end = [], len(page)
    for place in places:
        parts += [page[place:end], chosen]
        end = place
    return b"".join([page[:end], *reversed(parts)])


def addresses(page: bytes, chance: Chance) -> bytes:
    return _some(_ADDRESS, lambda match: b'%s="%s"' % (match[1], chance.choice(_ADDRESSES).encode()), page, chance)


def many_links(page: bytes, chance: Chance) -> bytes:
    about = chance.choice(("党建要闻", "1", "下一页", "", "<b>" * 5, "a" * 300))
    links = "".join(f"<a href='/{n}.html'>{about}</a> " for n in range(_size(chance, 20_000)))
    return _at_tag(page, chance, links.encode())


def many_elements(page: bytes, chance: Chance) -> bytes:
    element = chance.choice(
        (
            "<p>党</p>",
            "<br>",
            "<td>1<td>2<tr>",
            "<li>",
            "<h2>题</h2>",
            "<dt>a<dd>b",
            "<p>支部学习。</p><pre>x</pre>",
            "<img src=a>",
            "<!-- -->",
        )
    )
    return _at_tag(page, chance, element.encode() * _size(chance, 50_000))


def comments(page: bytes, chance: Chance) -> bytes:
    opening = chance.choice(
        (b"<!--", b"<![CDATA[", b"<?", b"<!DOCTYPE ", b"--><!--", b"<script>", b"<style>", b"<textarea>", b"<title>")
    )
    return _at_tag(page, chance, opening * _size(chance, 1000))


def heads(page: bytes, chance: Chance) -> bytes:
    what = chance.choice(_HEADS).encode("utf-8", "surrogatepass")
    head = re.search(rb"<head[^>]*>", page, re.IGNORECASE)
    return _insert(page, head.end(), what) if head and chance.random() < 0.7 else _at_tag(page, chance, what)


def declared(page: bytes, chance: Chance) -> bytes:
    """Another encoding is declared than the page has."""
    return _DECLARED.sub(b"charset=" + chance.choice(_CHARSETS).encode(), page)


def recoded(page: bytes, chance: Chance) -> bytes:
    """The page has another encoding than it declares; often cut within a character."""
    body = page.decode("utf-8", "replace").encode(chance.choice(_ENCODINGS), "replace")
    return body[: len(body) - chance.choice((0, 0, 1, 3))]


def bilingual(page: bytes, chance: Chance) -> bytes:
    """A part of the page has another encoding."""
    start, end = _slice(page, chance)
    return page[:start] + page[start:end].decode("utf-8", "replace").encode(chance.choice(_ENCODINGS), "replace") + page[end:]


MUTATIONS: tuple[Mutation, ...] = (
    *(
        cut,
        beheaded,
        holed,
        doubled,
        shuffled,
        noisy,
        nested,
        wrapped,
        unclosed,
        renamed,
        renamed_at_random,
        broken_tags,
        entities,
    ),
    *(giant_attribute, many_attributes, long_run, numbers, characters, addresses, many_links, many_elements, comments, heads),
    *(declared, recoded, bilingual),
)


class Mutated(NamedTuple):
    """A mutated page, and what was done to it, in order."""

    body: bytes
    content_type: str
    mutations: tuple[str, ...]


def mutate(page: bytes, another: Callable[[], bytes], chance: Chance) -> Mutated:
    """Do one to four mutations to ``page``, before them now and then a splice with ``another``."""
    done = []
    if chance.random() < 0.1:
        other = another()
        page = page[: _place(page, chance)] + other[_place(other, chance) :]
        done.append("spliced")
    for mutation in chance.choices(MUTATIONS, k=chance.randint(1, MOST_MUTATIONS)):
        page = mutation(page, chance)[:MOST_BYTES]
        done.append(mutation.__name__)
    charset = chance.choice(_CHARSETS) if chance.random() < 0.2 else ""
    return Mutated(page, "text/html" + (f"; charset={charset}" if charset else ""), tuple(done))
