"""Wikitext into plain text: what a reader of the article would read as running text, a paragraph or list item a line.

Written for Chinese Wikipedia, whose conversion markup no library knows. Libraries were tried on the same pages: see
``docs/decisions.md``. The work grows with the length of the text, whatever is in it: one pass over the brackets with a stack of
bounded depth, then regular expressions that never look at a character twice.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Callable, Iterator, Mapping

from topical_crawler.sources.wiki_inline import conversion_text, link_text, template_text

_MAX_DEPTH = 100
"""Brackets nested deeper are no markup; MediaWiki stops at 100 too."""
_VANISHING = (
    "ref|references|math|chem|ce|gallery|timeline|score|syntaxhighlight|source|pre|imagemap|graph|mapframe|maplink|hiero"
    "|templatestyles|categorytree|inputbox|indicator|includeonly|table|style"
)
"""Elements that go with their content."""
_SIMPLE = r"[^\[\]{}<]*"
_TOKEN = re.compile(
    # Brackets with nothing nested in them, which most are, are matched whole.
    rf"\[\[({_SIMPLE})\]\](?!\])|\{{\{{({_SIMPLE})\}}\}}(?!\}})|-\{{({_SIMPLE})\}}-"
    rf"|<!--|<(?:{_VANISHING}|nowiki)\b[^<>]*>|\{{{{+|\}}}}+-?|\[\[|\]\]|-\{{(?!\{{)|\}}-|\n[ \t:*#]*\{{\||\n[ \t]*\|\}}(?!\}})",
    re.IGNORECASE,
)
_SHOWN: Mapping[str, Callable[[str], str]] = {"[[": link_text, "{{": template_text, "-{": conversion_text, "{|": lambda _: ""}
"""What remains of a bracket's content, by the bracket's opening sign."""
_NAME = re.compile(r"\w+")
_MARK = "\0"
"""Stands where something vanished, so that what it leaves empty can be told from what was always so. No XML text holds it."""

_BLOCK_TAG = re.compile(r"</?(?:br|hr|p|div|center|blockquote|poem|ul|ol|li|dl|dt|dd|h[1-6])\b[^<>]*>", re.IGNORECASE)
_INLINE_TAG = re.compile(
    r"</?(?:abbr|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|kbd|langconvert|mark|noinclude|nowiki|onlyinclude|q|rb|rp|rt"
    rf"|rtc|ruby|s|samp|section|small|span|strike|strong|sub|sup|time|tt|u|var|wbr|{_VANISHING})\b[^<>]*>",
    re.IGNORECASE,
)
_EXTERNAL_LINK = re.compile(r"\[(?:(?:https?:|ftp:)?//|mailto:)[^\s\[\]]*+[^\S\n]*+([^\[\]\n]*+)\]")
_QUOTES = re.compile(r"'{2,}")
_SWITCH = re.compile(r"__[A-Z\u4e00-\u9fff]{2,30}__")
_LEFT_OPEN = re.compile(r"\{\{+|\}\}+|\[\[+|\]\]+|-\{|\}-")
_NO_CHARACTER = re.compile(r"&#\d{8,};?")
"""Numbers beyond all characters; html.unescape raises an error at more than 4300 digits."""
_HOLLOW = r"[ \t\xa0，,、；;：:\0]"
_EMPTY_PARENTHESES = re.compile(rf"[（(]({_HOLLOW}++)[)）]")
_HOLLOW_START = re.compile(rf"([（(])({_HOLLOW}++)")
_HOLLOW_END = re.compile(rf"(?<!{_HOLLOW})({_HOLLOW}++)([)）])")

_APPENDIX = (
    r"(?:[参參]考(?:文[献獻]|[资資]料|[来來]源|[书書]目|[链鏈連][接結结])?|[资資]料[来來]源|引[用注註]|[书書]目"
    r"|[注註][释釋解脚腳]?|[脚腳备備附][注註]|(?:外部|相[关關])?[链鏈連][接結结]|[参參另][见見看]|相[关關][条條]目"
    r"|(?:延伸|[扩擴]展|深入)[阅閱][读讀]|[图圖][库庫片集]|references|notes)"
)
_APPENDICES = re.compile(rf"{_APPENDIX}(?:\s*[和与與及、/]?\s*{_APPENDIX})?", re.IGNORECASE)
"""Headings of sections that are lists of sources, links and pictures."""


def plain_text(wikitext: str) -> str:
    """The running text of an article. Never raises.

    Templates, tables, pictures, categories, references, formulas and comments vanish, and so do the sections at an article's end
    that list sources and links. Links and formatted words leave their text, headings and list items lines of their own,
    ``-{ }-`` the variant of simplified Chinese. Characters are not converted.

    >>> plain_text("'''支部'''是-{zh-hans:党;zh-hant:黨}-的[[组织]]。<ref>《党章》</ref>\\n== 任务 ==\\n* 宣传\\n[[分类:党]]")
    '支部是党的组织。\\n任务\\n宣传'
    """
    text, left_open = _resolve_brackets("\n" + wikitext.replace(_MARK, "").replace("\r\n", "\n"))
    text = _BLOCK_TAG.sub("\n", text)
    text = _INLINE_TAG.sub("", text)
    text = _EXTERNAL_LINK.sub(r"\1", text)
    text = _QUOTES.sub("", text)
    text = _SWITCH.sub("", text)
    if _MARK in text:
        text = _EMPTY_PARENTHESES.sub(lambda m: "" if _MARK in m[1] else m[0], text)
        text = _HOLLOW_START.sub(lambda m: m[1] if _MARK in m[2] else m[0], text)
        text = _HOLLOW_END.sub(lambda m: m[2] if _MARK in m[1] else m[0], text)
        text = text.replace(_MARK, "")
    text = html.unescape(_NO_CHARACTER.sub("", _LEFT_OPEN.sub("", text))).replace("\xa0", " ")
    return "\n".join(_lines(text, left_open))


def _resolve_brackets(text: str) -> tuple[str, bool]:
    """``text`` without bracketed markup, and whether brackets were left open. What an unclosed bracket opened is kept."""
    out: list[str] = []
    kinds: list[str] = []  # of the brackets that are open, by their opening signs
    starts: list[int] = []  # where in `out` the content of each begins
    unclosed_elements: set[str] = set()
    damaged = False
    position = 0

    def open_(kind: str) -> None:
        if len(kinds) < _MAX_DEPTH:
            kinds.append(kind)
            starts.append(len(out))

    def close(kind: str) -> bool:
        nonlocal damaged
        if kind not in kinds:
            return False
        while kinds.pop() != kind:
            starts.pop()
            damaged = True
        start = starts.pop()
        shown = _SHOWN[kind]("".join(out[start:]))
        del out[start:]
        out.append(shown or _MARK)
        return True

    while token := _TOKEN.search(text, position):
        if token.start() > position:
            out.append(text[position : token.start()])
        found, position = token[0], token.end()
        if token.lastindex is not None:
            out.append(_SHOWN[found[:2]](token[token.lastindex]) or _MARK)
        elif found[0] == "<":
            if found == "<!--":
                end = text.find("-->", position)
                position = end + 3 if end >= 0 else len(text)
                continue
            content = ""
            if not found.endswith("/>"):
                name = _NAME.search(found)[0].lower()  # type: ignore[index]
                end_tag = None if name in unclosed_elements else _end_tag(name).search(text, position)
                if end_tag is None:
                    unclosed_elements.add(name)
                    continue
                content = text[position : end_tag.start()] if name == "nowiki" else ""
                position = end_tag.end()
            out.append(_LEFT_OPEN.sub("", content) or _MARK)
        elif found == "[[" or found == "-{":
            open_(found)
        elif found == "]]":
            # The bracket of an external link at the end of a label: [[文件:a.png|见[http://b.cn 网站]]]
            if text.startswith("]", position) and kinds and kinds[-1] == "[[" and _open_bracket(out[starts[-1] :]):
                out.append("]")
                position -= 1
            close("[[")
        elif found[0] == "{":
            for _ in range(len(found) // 2):
                open_("{{")
        elif found[0] == "}":
            braces = found.rstrip("-")
            for _ in range(len(braces) // 2):
                close("{{")
            if found.endswith("-") and not (len(braces) % 2 and close("-{")):
                out.append("-")
        elif found.endswith("{|"):
            out.append("\n")
            open_("{|")
        else:
            close("{|")
            out.append("\n")
    out.append(text[position:])
    return "".join(out), damaged or bool(kinds)


def _open_bracket(parts: list[str]) -> bool:
    return sum(part.count("[") - part.count("]") for part in parts) > 0


@functools.cache
def _end_tag(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}\s*>", re.IGNORECASE)


def _lines(text: str, left_open: bool) -> Iterator[str]:
    """The lines that say something, without the signs of headings and lists, and without appendices.

    Args:
        text: without brackets.
        left_open: a template or table was not closed: its lines are left out.
    """
    skipped_level = 0
    for line in map(str.strip, text.split("\n")):
        if not line:
            continue
        first = line[0]
        if first == line[-1] == "=":
            level, line = len(line) - len(line.lstrip("=")), line.strip("= \t")
            if not skipped_level or level <= skipped_level:
                skipped_level = level if _APPENDICES.fullmatch(line) else 0
        elif first in "*#:;":
            line = line.lstrip("*#:; \t")
        elif first in "|!" and left_open:
            continue
        elif line.startswith("----"):
            line = line.lstrip("- ")
        if line and not skipped_level:
            yield line
