"""Dumps in the form of Chinese Wikipedia's ``pages-articles-multistream.xml.bz2``, made of the demo web's texts.

Every article is made twice at once, as wikitext and as the text that a reader of simplified Chinese would see, so that tests can
compare the two. Used by tests and benchmarks::

    make_dump(tmp_path / "zhwiki.xml.bz2", articles=300)
    make_large_dump(tmp_path / "large.xml.bz2", megabytes=100)
"""

import bz2
import dataclasses
import functools
import gzip
import itertools
import random
import re
import string
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[2]
STREAM = 100
"""Pages in one bzip2 stream, as in the real dumps."""

_NAMESPACES = {
    -2: "Media", -1: "Special", 0: "", 1: "Talk", 2: "User", 3: "User talk", 4: "Wikipedia", 5: "Wikipedia talk", 6: "File",
    7: "File talk", 8: "MediaWiki", 10: "Template", 11: "Template talk", 14: "Category", 15: "Category talk", 100: "Portal",
    828: "Module",
}  # fmt: skip
_HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://www.mediawiki.org/xml/export-0.11/ http://www.mediawiki.org/xml/export-0.11.xsd" version="0.11" \
xml:lang="zh">
  <siteinfo>
    <sitename>Wikipedia</sitename>
    <dbname>zhwiki</dbname>
    <base>https://zh.wikipedia.org/wiki/Wikipedia:%E9%A6%96%E9%A1%B5</base>
    <generator>MediaWiki 1.43.0-wmf.5</generator>
    <case>first-letter</case>
    <namespaces>
{}
    </namespaces>
  </siteinfo>
"""
_SENTENCE = re.compile(r"[^。！？\n]+[。！？][”’」）]*")
_TERM = re.compile(r"[\u4e00-\u9fff]{2,8}")
_RULES = (
    ("软件", "zh-hans:软件;zh-hant:軟體"),
    ("程序", "zh-cn:程序; zh-tw:程式; zh-hk:程式;"),
    ("网络", "A|zh-cn:网络;zh-tw:網路"),
    ("信息", "zh-hant:資訊;zh-hans:信息;"),
    ("质量", "zh-hans;zh-hant|质量"),
    ("毛泽东", "毛泽东"),
)
"""What -{ }- shows, and how it is written."""


@dataclass(frozen=True, slots=True)
class DumpPage:
    """A page.

    Attributes:
        text: its wikitext.
        plain: what a reader sees of it; "" for a page that is no article.
    """

    title: str
    text: str
    plain: str = ""
    namespace: int = 0
    redirect: str = ""
    model: str = "wikitext"


def make_dump(path: Path, articles: int = 300, seed: int = 0) -> None:
    """Write a dump with ``articles`` articles, and among them the other pages that a real one has: redirects, talk pages,
    templates, categories, disambiguations, empty pages. Three articles in ten are in traditional characters. Same arguments, same
    bytes.

    Args:
        path: ``….xml.bz2`` is compressed in several streams, ``….xml.gz`` in one; anything else is not compressed.
    """
    write_dump(path, make_pages(articles, seed))


def make_large_dump(path: Path, megabytes: float, seed: int = 0, names: int = 0) -> None:
    """Write a dump with ``megabytes`` (10⁶ bytes) of XML, or little more. About 5 MB a second with bzip2.

    Args:
        path: the file.
        megabytes: of XML.
        seed: of everything random.
        names: foreign names in every article, each one of 800,000: the vocabulary then grows with the dump, as in a real one.
    """
    pages = make_pages(10**9, seed)
    write_dump(path, _with_names(pages, names, seed) if names else pages, int(megabytes * 1e6))


def _with_names(pages: Iterator[DumpPage], names: int, seed: int) -> Iterator[DumpPage]:
    chance = random.Random(f"names {seed}")
    letters = string.ascii_lowercase
    for page in pages:
        if page.namespace == 0 and not page.redirect:
            numbers = [chance.randrange(800_000) for _ in range(names)]
            listed = "、".join("Q" + "".join(letters[n // 26**k % 26] for k in range(5)) for n in numbers)
            page = dataclasses.replace(page, text=f"译名有{listed}。\n\n{page.text}")
        yield page


def write_dump(path: Path, pages: Iterator[DumpPage], enough: int | None = None) -> None:
    """Write ``pages`` to ``path``, no more of them when the XML has ``enough`` bytes."""
    compressors: dict[str, Callable[[bytes], bytes]] = {".bz2": bz2.compress, ".gz": functools.partial(gzip.compress, mtime=0)}
    compress = compressors.get(path.suffix, bytes)
    names = "\n".join(f'      <namespace key="{k}" case="first-letter">{escape(v)}</namespace>' for k, v in _NAMESPACES.items())
    numbers = itertools.count(1)
    with path.open("wb") as out:
        head = _HEAD.format(names).encode()
        out.write(compress(head))
        size = len(head)
        while (enough is None or size < enough) and (some := list(itertools.islice(pages, STREAM))):
            stream = "".join(page_xml(page, next(numbers)) for page in some).encode()
            out.write(compress(stream))
            size += len(stream)
        out.write(compress(b"</mediawiki>\n"))


def page_xml(page: DumpPage, number: int) -> str:
    """The <page> element."""
    redirect = f'    <redirect title="{escape(page.redirect, {chr(34): "&quot;"})}" />\n' if page.redirect else ""
    size = len(page.text.encode())
    content = f">{escape(page.text, {chr(34): '&quot;'})}</text>" if page.text else " />"
    return f"""  <page>
    <title>{escape(page.title)}</title>
    <ns>{page.namespace}</ns>
    <id>{number}</id>
{redirect}    <revision>
      <id>{80_000_000 + number}</id>
      <parentid>{70_000_000 + number}</parentid>
      <timestamp>2026-10-{number % 28 + 1:02}T08:30:00Z</timestamp>
      <contributor>
        <username>Editor{number % 97}</username>
        <id>{number % 97 + 1000}</id>
      </contributor>
      <comment>/* {escape(page.title)} */ &lt;text&gt; 修饰语句</comment>
      <origin>{80_000_000 + number}</origin>
      <model>{page.model}</model>
      <format>text/x-wiki</format>
      <text bytes="{size}" sha1="phoiac9h4m842xq45sp7s6u21eteeq1" xml:space="preserve"{content}
      <sha1>phoiac9h4m842xq45sp7s6u21eteeq1</sha1>
    </revision>
  </page>
"""


def make_pages(articles: int, seed: int = 0) -> Iterator[DumpPage]:
    """The pages of :func:`make_dump`."""
    chance = random.Random(seed)
    terms = _terms()
    for number in range(articles):
        name = terms[number % len(terms)]
        title = name if number < len(terms) else f"{name} ({number // len(terms)})"
        yield _article(title, name, chance)
        kind = number % 12
        if kind in (0, 4, 8):
            yield DumpPage(f"{title}条目", f"#重定向 [[{title}]]\n{{{{合并重定向}}}}", redirect=title)
        elif kind in (1, 5):
            yield DumpPage(f"Talk:{title}", "{{WikiProject Politics}}\n== 讨论 ==\n请补充来源。--[[User:Editor1]]", namespace=1)
        elif kind == 2:
            yield DumpPage(f"{name}{number} (消歧义)", f"'''{name}'''可以指：\n* [[{title}]]\n{{{{disambig|Cat=多义}}}}")
        elif kind == 3:
            yield DumpPage(f"Template:{title}", "<includeonly>{{{1|}}}</includeonly>[[Category:模板]]", namespace=10)
        elif kind == 6:
            yield DumpPage(f"Category:{title}", "[[Category:政党]]", namespace=14)
        elif kind == 7:
            yield DumpPage(f"空白页面{number}", "")
        elif kind == 9:
            yield DumpPage(f"Module:{title}", "return { a = '<b>' }", namespace=828, model="Scribunto")


@functools.cache
def _terms() -> list[str]:
    """Titles: the terms of the topics that come with the product."""
    lines = [line for file in sorted(ROOT.glob("lexicon/topics/*/terms.tsv")) for line in file.read_text("utf-8").splitlines()]
    return sorted({line.split("\t")[0] for line in lines if _TERM.fullmatch(line.split("\t")[0])})


@functools.cache
def _texts() -> list[list[str]]:
    """The demo web's texts, as lists of sentences."""
    files = sorted(ROOT.glob("demo/texts/*/*.toml"))
    texts = [entry["text"] for file in files for entry in tomllib.loads(file.read_text("utf-8"))["text"]]
    return [_SENTENCE.findall(text) for text in texts]


@functools.cache
def _about(name: str) -> list[list[str]]:
    """The texts that hold ``name``; all of them if none does."""
    return [sentences for sentences in _texts() if name in "".join(sentences)] or _texts()


@functools.cache
def _term_in(sentence: str) -> str:
    """The longest term in ``sentence``, "" if there is none."""
    return max((term for term in _terms() if term in sentence), key=len, default="")


@functools.cache
def _traditional(text: str) -> str:
    return str(_converter().convert(text))


@functools.cache
def _converter() -> Any:
    from opencc import OpenCC

    return OpenCC("s2tw")


def _article(title: str, name: str, chance: random.Random) -> DumpPage:
    traditional = chance.random() < 0.3
    text, plain = _Writer(chance, traditional).article(title, name)
    return DumpPage(title, text, plain)


class _Writer:
    """Writes an article as wikitext and as plain text."""

    def __init__(self, chance: random.Random, traditional: bool) -> None:
        self._chance = chance
        self._traditional = traditional

    def article(self, title: str, name: str) -> tuple[str, str]:
        chance = self._chance
        wiki = [
            f"{{{{NoteTA|G1=IT|1=zh-cn:{name};zh-tw:{name}}}}}\n{{{{Infobox organization\n| name = {name}\n"
            f"| image = [[File:{name}.svg|250px]]\n| founded = {{{{start date|1921|7|23}}}}\n"
            f"| members = 9,500萬{self._reference()}\n|}}}}",
            f"'''{name}'''（{{{{lang|en|Entry of {len(name)}}}}}{{{{来源请求}}}}）是{self._link('基层组织')}的一个词条"
            f"{self._reference()}。",
        ]
        plain = [f"{name}（Entry of {len(name)}）是基层组织的一个词条。"]
        for number in range(chance.randint(1, 4)):
            if number:
                heading = chance.choice(("历史", "制度与实践", "影响", "組織機構"))
                signs = "=" * chance.randint(2, 3)
                wiki.append(f"{signs} {heading} {signs}")
                plain.append(heading)
            for block in range(chance.randint(1, 3)):
                marked, shown = self._paragraph(name)
                if block == 2:
                    marked, shown = f"* {marked}\n*# {marked}", f"{shown}\n{shown}"
                wiki.append(marked)
                plain.append(shown)
            gallery = "<gallery>\n文件:a.jpg|说明\n</gallery>"
            wiki.append(chance.choice(("", self._table(), self._picture(name), gallery, "----")))
        wiki.append("== 参见 ==\n* [[" + "]]\n* [[".join(chance.sample(_terms(), 3)) + "]]")
        wiki.append("==參考文獻==\n{{Reflist|2}}\n<references />")
        wiki.append("== 外部链接 ==\n* [http://example.org/a?b=1&c=2 官方网站] {{en}}")
        wiki.append(f"{{{{政党导航}}}}\n\n[[Category:{name}|{title}]]\n[[分类:政党]]\n[[en:Party building]]")
        return "\n\n".join(wiki), "\n".join(plain)

    def _paragraph(self, name: str) -> tuple[str, str]:
        sentences = self._chance.choice(_about(name))
        start = self._chance.randrange(max(1, len(sentences) - 4))
        marked, shown = zip(*map(self._sentence, sentences[start : start + self._chance.randint(3, 8)]), strict=True)
        return "".join(marked), "".join(shown)

    def _sentence(self, sentence: str) -> tuple[str, str]:
        plain = _traditional(sentence) if self._traditional else sentence
        term = _term_in(plain)
        before, _, after = plain.partition(term) if term else ("", "", plain)
        wiki = _with_rules(before) + (self._link(term) if term else "") + _with_rules(after)
        chance = self._chance.random()
        if chance < 0.25:
            wiki += self._reference()
        elif chance < 0.3:
            wiki += "<!-- 此处待查\n{{来源 -->{{来源请求|time=2026-01-01}}"
        elif chance < 0.35:
            wiki, plain = wiki + "<math>\\frac{a}{b}}}</math>其中''x''<sub>1</sub>&nbsp;&lt;&nbsp;5。", plain + "其中x1 < 5。"
        return wiki, plain

    def _link(self, term: str) -> str:
        kinds = (
            f"[[{term}]]",
            f"[[{term}]]",
            f"[[{term}制度|{term}]]",
            f"[[:Category:{term}|{term}]]",
            f"'''[[{term}#历史|-{{zh-hans:{term};zh-hant:{term}}}-]]'''",
            f"{{{{link-en|{term}|Some entry}}}}",
            f"[https://example.org/{len(term)} {term}]",
            f'<span style="color:red">{term}</span>',
        )
        return self._chance.choice(kinds)

    def _reference(self) -> str:
        return self._chance.choice(
            (
                '<ref name="a" />',
                "<ref>{{cite news|title=党的建设[[新闻]]|url=http://example.org/1|date=2026-01-02|accessdate=2026-03-04}}</ref>",
                "<ref name=b>《党史》，[http://example.org 网页]，第{{rp|5}}頁</ref>",
            )
        )

    def _table(self) -> str:
        rows = "\n".join(f"|-\n| {n} || [[{self._chance.choice(_terms())}]] || {{{{flag|中国}}}}" for n in range(1, 5))
        return f'{{| class="wikitable sortable"\n|+ 历次会议\n! 届 !! 名称 !! 地点\n{rows}\n|-\n|\n{{|\n| 内表\n|}}\n|}}'

    def _picture(self, name: str) -> str:
        return f"[[File:{name}.jpg|thumb|right|200px|[[{name}]]的会场{self._reference()}，见[http://example.org/x 图片]]]"


def _with_rules(plain: str) -> str:
    for shown, rule in _RULES:
        plain = plain.replace(shown, f"-{{{rule}}}-")
    return plain
