"""Conversion of wikitext to plain text, one line per paragraph or list item.

No library knows the conversion markup of Chinese Wikipedia (experiments/notes/corpus.md). The time is linear in the length of
any text: one pass over the brackets with a stack of bounded depth, then regular expressions without backtracking.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Callable, Iterator, Mapping

_PICTURES_AND_CATEGORIES = frozenset(
    ("file", "image", "media", "文件", "檔案", "档案", "图像", "圖像", "图片", "圖片", "媒体", "媒體", "category", "分类", "分類")
)
_PREFIX = re.compile(r"([^\W\d_]+(?:-[a-z]+)*)[ _]*:")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z]+)*|simple")
_FIRST_SHOWN = re.compile(  # templates showing their first argument: links to other languages, foreign names, quotations
    r"(?:link|lang)-[a-z-]+|internal link helper/[a-z-]+|illm?|nowrap|nobr|small|smaller|big|larger|abbr|tooltip|ruby|僻字"
    r"|c?quote|blockquote|quotation|引言|引文"
)
_SHOWN_ARGUMENTS = {"le": (3, 1), "tsl": (4, 3), "translink": (4, 3), "lang": (2,), "color": (2,), "colored text": (2,)}
"""Templates showing the first nonempty one of these arguments."""

_VARIANTS = ("zh-cn", "zh-hans", "zh-sg", "zh-my", "zh", "zh-hant", "zh-tw", "zh-hk", "zh-mo")
"""Variants of written Chinese, preferred ones first."""
_RULE_END = re.compile(rf";(?=\s*(?:{'|'.join(_VARIANTS)})\s*:|[^;]*=>|\s*\Z)", re.IGNORECASE)
_RULE = re.compile(rf"\s*(?:.*=>\s*)?({'|'.join(_VARIANTS)})\s*:(.*)", re.IGNORECASE | re.DOTALL)


def link_text(content: str) -> str:
    """Return the text of ``[[content]]``, "" for pictures, categories and links to other languages.

    >>> [link_text(c) for c in ("党支部", "中國共產黨|党", "文件:党旗.svg|thumb|党旗", "分类:政党", "en:Party", ":分类:政党")]
    ['党支部', '党', '', '', '', '分类:政党']
    """
    target, _, label = content.partition("|")
    target = target.strip()
    if prefix := _PREFIX.match(target):
        name = prefix[1].casefold()
        if name in _PICTURES_AND_CATEGORIES or (not label and _LANGUAGE.fullmatch(name)):
            return ""
    return label or target.lstrip(":#").replace("_", " ")


def template_text(content: str) -> str:
    """Return the text of ``{{content}}``, "" except for the few templates wrapping a part of a sentence.

    >>> [template_text(c) for c in ("link-en|网络草案|Internet Draft", "tsl|en|Lin Biao|林彪", "lang|en|party", "Infobox|名=某")]
    ['网络草案', '林彪', 'party', '']
    """
    name, _, rest = content.partition("|")
    name = name.strip().replace("_", " ").casefold()
    shown = _SHOWN_ARGUMENTS.get(name) or ((1,) if _FIRST_SHOWN.fullmatch(name) else ())
    if not shown:
        return ""
    arguments: dict[str, str] = {}
    positional = 0
    for argument in rest.split("|"):
        key, sign, value = argument.partition("=")
        if not sign:
            positional += 1
            key, value = str(positional), argument
        arguments[key.strip()] = value.strip()
    return next((arguments[str(n)] for n in shown if arguments.get(str(n))), "") or arguments.get("text", "")


def conversion_text(content: str) -> str:
    """Return the text of ``-{content}-`` for a reader of simplified Chinese in mainland China, "" for rules showing nothing.

    Meaning of the flags: https://www.mediawiki.org/wiki/Writing_systems/Syntax.

    >>> [conversion_text(c) for c in ("zh-hans:软件;zh-hant:軟體", "乾隆", "A|zh-tw:巨集;zh-cn:宏", "H|zh-cn:宏")]
    ['软件', '乾隆', '宏', '']
    """
    flags, bar, rest = content.partition("|")
    if bar and ":" not in flags and "=" not in flags:
        names = {flag.strip() for flag in flags.split(";")}
        if names & {"H", "T", "D", "N", "-"}:
            return ""
        if "R" in names or any(name.lower() in _VARIANTS for name in names):
            return rest
        content = rest
    values: dict[str, str] = {}
    for rule in _RULE_END.split(content):
        if match := _RULE.fullmatch(rule):
            values.setdefault(match[1].lower(), match[2].strip())
    return next((values[code] for code in _VARIANTS if code in values), content)


# -- The text

_MAX_DEPTH = 100  # ignore brackets nested deeper, like MediaWiki
_VANISHING = (  # elements removed with their content
    "ref|references|math|chem|ce|gallery|timeline|score|syntaxhighlight|source|pre|imagemap|graph|mapframe|maplink|hiero"
    "|templatestyles|categorytree|inputbox|indicator|includeonly|table|style"
)
_SIMPLE = r"[^\[\]{}<]*"
_TOKEN = re.compile(
    # Brackets without nesting, the common case, are matched whole.
    rf"\[\[({_SIMPLE})\]\](?!\])|\{{\{{({_SIMPLE})\}}\}}(?!\}})|-\{{({_SIMPLE})\}}-"
    rf"|<!--|<(?:{_VANISHING}|nowiki)\b[^<>]*>|\{{{{+|\}}}}+-?|\[\[|\]\]|-\{{(?!\{{)|\}}-|\n[ \t:*#]*\{{\||\n[ \t]*\|\}}(?!\}})",
    re.IGNORECASE,
)
_SHOWN: Mapping[str, Callable[[str], str]] = {"[[": link_text, "{{": template_text, "-{": conversion_text, "{|": lambda _: ""}
"""Visible text of a bracket's content, by the opening sign."""
_NAME = re.compile(r"\w+")
_MARK = "\0"  # replaces removed markup, to find parentheses left empty by it. XML cannot contain it

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
"""Numbers beyond all characters. html.unescape raises an error for more than 4300 digits."""
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
"""Headings of sections listing sources, links and pictures."""


def plain_text(wikitext: str) -> str:
    """Return the running text of an article. Never raises.

    Removes templates, tables, pictures, categories, references, formulas, comments, and sections listing sources and links.
    Keeps the text of links and formatted words, headings and list items as lines, and the simplified Chinese variant of ``-{
    }-``.

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
    """Return ``text`` without bracketed markup, and True if brackets were left open. Keeps the content of unclosed ones."""
    out: list[str] = []
    kinds: list[str] = []  # opening signs of the open brackets
    starts: list[int] = []  # start of each one's content in `out`
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
        bracket, position = token[0], token.end()
        if token.lastindex is not None:
            out.append(_SHOWN[bracket[:2]](token[token.lastindex]) or _MARK)
        elif bracket[0] == "<":
            if bracket == "<!--":
                end = text.find("-->", position)
                position = end + 3 if end >= 0 else len(text)
                continue
            content = ""
            if not bracket.endswith("/>"):
                name = _NAME.search(bracket)[0].lower()  # type: ignore[index]
                end_tag = None if name in unclosed_elements else _end_tag(name).search(text, position)
                if end_tag is None:
                    unclosed_elements.add(name)
                    continue
                content = text[position : end_tag.start()] if name == "nowiki" else ""
                position = end_tag.end()
            out.append(_LEFT_OPEN.sub("", content) or _MARK)
        elif bracket == "[[" or bracket == "-{":
            open_(bracket)
        elif bracket == "]]":
            # The bracket of an external link at the end of a label: [[文件:a.png|见[http://b.cn 网站]]]
            if text.startswith("]", position) and kinds and kinds[-1] == "[[" and _open_bracket(out[starts[-1] :]):
                out.append("]")
                position -= 1
            close("[[")
        elif bracket[0] == "{":
            for _ in range(len(bracket) // 2):
                open_("{{")
        elif bracket[0] == "}":
            braces = bracket.rstrip("-")
            for _ in range(len(braces) // 2):
                close("{{")
            if bracket.endswith("-") and not (len(braces) % 2 and close("-{")):
                out.append("-")
        elif bracket.endswith("{|"):
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
    """Yield nonempty lines without the signs of headings and lists, skipping appendices and the lines of an unclosed table."""
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
