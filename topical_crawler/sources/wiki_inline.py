"""What a link, a template or a conversion of wikitext shows the reader, its markup taken away.

Each function gets what stands between the brackets, everything nested in it resolved already.
"""

from __future__ import annotations

import re

_PICTURES_AND_CATEGORIES = frozenset(
    ("file", "image", "media", "文件", "檔案", "档案", "图像", "圖像", "图片", "圖片", "媒体", "媒體", "category", "分类", "分類")
)
_PREFIX = re.compile(r"([^\W\d_]+(?:-[a-z]+)*)[ _]*:")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z]+)*|simple")
_FIRST_SHOWN = re.compile(
    r"(?:link|lang)-[a-z-]+|internal link helper/[a-z-]+|illm?|nowrap|nobr|small|smaller|big|larger|abbr|tooltip|ruby|僻字"
    r"|c?quote|blockquote|quotation|引言|引文"
)
"""Templates whose first argument is what the reader sees: links to articles of other languages, foreign names, quotations."""
_SHOWN_ARGUMENTS = {"le": (3, 1), "tsl": (4, 3), "translink": (4, 3), "lang": (2,), "color": (2,), "colored text": (2,)}
"""Further such templates: the arguments that are shown, the first of them that is given."""

_VARIANTS = ("zh-cn", "zh-hans", "zh-sg", "zh-my", "zh", "zh-hant", "zh-tw", "zh-hk", "zh-mo")
"""Codes of the variants of written Chinese; the earlier ones are preferred."""
_RULE_END = re.compile(rf";(?=\s*(?:{'|'.join(_VARIANTS)})\s*:|[^;]*=>|\s*\Z)", re.IGNORECASE)
_RULE = re.compile(rf"\s*(?:.*=>\s*)?({'|'.join(_VARIANTS)})\s*:(.*)", re.IGNORECASE | re.DOTALL)


def link_text(content: str) -> str:
    """Text of ``[[content]]``; "" for pictures, categories and links to other languages.

    >>> [link_text(c) for c in ("党支部", "中國共產黨|党", "文件:党旗.svg|thumb|党旗", "分类:政党", "en:Party", ":分类:政党")]
    ['党支部', '党', '', '', '', '分类:政党']
    """
    target, _, label = content.partition("|")
    target = target.strip()
    prefix = _PREFIX.match(target)
    if prefix:
        name = prefix[1].casefold()
        if name in _PICTURES_AND_CATEGORIES:
            return ""
        if not label and _LANGUAGE.fullmatch(name):
            return ""
    return label or target.lstrip(":#").replace("_", " ")


def template_text(content: str) -> str:
    """Text of ``{{content}}``: "" but for the few templates that are put around a part of a sentence.

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
    """Text of ``-{content}-`` for a reader of simplified Chinese in mainland China; "" for rules that show nothing.

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
        if found := _RULE.fullmatch(rule):
            values.setdefault(found[1].lower(), found[2].strip())
    return next((values[code] for code in _VARIANTS if code in values), content)
