"""Attachments of pages (PDF, DOCX, OFD), converted to pages of their own for all later steps.

A worker process (:class:`~topical_crawler.extraction.pool.DocumentPool`) reads a document once into plain HTML beginning with
:data:`MARK`. Strategies judge that page like any other, and it can be set aside for a second look.
:func:`~topical_crawler.extraction.extract.extract` takes its text unchanged, because it has no furniture.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import metadata
from importlib.util import find_spec

from lxml.html import HtmlElement

from topical_crawler.cleaning.characters import count_letters
from topical_crawler.extraction.days import in_address, in_text
from topical_crawler.text.passages import Passage

FORMATS = ("pdf", "docx", "ofd")
OLD_WORD = "doc"  # recognised only for a clear reason of rejection, never read
DOCUMENT = "document"  # page kind of a document
MARK = "<!--topical_crawler document "
LEAST_PDFIUM = (5, 8)  # first version of pypdfium2 with replaceable fonts

SCANNED = "document without text"
ENCRYPTED = "document with a password"
BROKEN = "broken document"
TOO_LONG = "document too long"
OLD_FORMAT = "old Word format"
FAULT = "document reader failed"  # a bug of ours, for any file
REASONS = frozenset((SCANNED, ENCRYPTED, BROKEN, TOO_LONG, OLD_FORMAT, FAULT))
"""Reasons for rejecting a document."""

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = b"PK\x03\x04"
_LAST = 8  # paragraphs at the end searched for the date of a document
_NO_NAME = re.compile(
    r"附件\s*[\d一二三四五六七八九十]*\s*[:：.、]?|(?:点击|點擊|在线|此处|全文|文件)?(?:下载|下載|查看|浏览|阅读)(?:附件|全文|原文|文件)?|\.(?:pdf|docx?|ofd)\b"
    r"|[（(]?\d+(?:\.\d+)?\s?[KM]B?[)）]?",
    re.IGNORECASE,
)


class UnreadableError(Exception):
    """An unreadable document. The message is one of :data:`REASONS`."""


@dataclass(frozen=True, slots=True)
class Document:
    """Content of a document."""

    title: str = ""  # "" if none stands out
    passages: list[Passage] = field(default_factory=list)  # text without the title
    reason: str = ""  # for having no text, one of REASONS


def format_of(body: bytes) -> str:
    """Return the format of a file by its first bytes, one of :data:`FORMATS` or :data:`OLD_WORD`, or "".

    >>> format_of(b"%PDF-1.7"), format_of(b"<html>")
    ('pdf', '')
    """
    begins = body.find(b"%PDF-", 0, 1024)
    if begins >= 0 and b"<" not in body[:begins]:  # readers skip leading bytes, but a page may mention the mark
        return "pdf"
    if body.startswith(_OLE):
        return OLD_WORD
    if body.startswith(_ZIP):
        if b"OFD.xml" in body:
            return "ofd"
        if b"word/document.xml" in body:
            return "docx"
    return ""


def missing(formats: Sequence[str]) -> str:
    """Return the package required by these formats but absent or too old, or ""."""
    if "pdf" not in formats:
        return ""
    if find_spec("pypdfium2") is None:
        return "pypdfium2"
    try:
        installed = metadata.version("pypdfium2").split(".")[: len(LEAST_PDFIUM)]
    except metadata.PackageNotFoundError:  # packages of a Linux distribution may have no version
        return ""
    return "" if tuple(map(int, installed)) >= LEAST_PDFIUM else f"pypdfium2>={'.'.join(map(str, LEAST_PDFIUM))}"


# -- A document as a page

_TAGS = {"paragraph": "p", "item": "li", "table": "pre"}
_KINDS = {"p": "paragraph", "li": "item", "pre": "table"}
_LEVEL = "data-level"


def as_html(document: Document, kind: str) -> str:
    """Return a document as an HTML page for :func:`passages_of`.

    >>> page = as_html(Document("关于印发办法的通知", [Passage("第一条 为加强管理，制定本办法。")]), "pdf")
    >>> is_document(page), page[:40]
    ('pdf', '<!--topical_crawler document pdf--><html')
    """
    title = escape(_clean(document.title))
    parts = [f"{MARK}{kind}--><html><head><title>{title}</title></head><body>"]
    if title:
        parts.append(f"<h1>{title}</h1>")
    for passage in document.passages:
        text = escape(_clean(passage.text))
        tag = f"h{max(2, passage.level)}" if passage.kind == "heading" else _TAGS[passage.kind]
        parts.append(f"<{tag} {_LEVEL}={passage.level}>{text}</{tag}>" if passage.level else f"<{tag}>{text}</{tag}>")
    return "".join([*parts, "</body></html>"])


def _clean(text: str) -> str:
    return re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]", "", text)


def is_document(html: str) -> str:
    """Return the format of the document behind a page, "" for a page of the web."""
    if not html.startswith(MARK):
        return ""
    kind = html[len(MARK) :][:10].partition("-->")[0]
    return kind if kind in FORMATS else ""


def passages_of(tree: HtmlElement) -> list[Passage]:
    """Return the passages of a document's page."""
    found = []
    for element in tree.iter("p", "li", "pre", "h2", "h3", "h4", "h5", "h6"):
        text = element.text_content()
        level = int(element.get(_LEVEL, "0")[:1] or 0)
        kind = _KINDS.get(str(element.tag), "heading")
        found.append(Passage(text, kind, level))  # type: ignore[arg-type]
    return found


def day_of(passages: Sequence[Passage], url: str, fetched: str) -> str:
    """Return the date of a document, ``YYYY-MM-DD``, or "": a short line near its end, else the date in its address.

    >>> day_of([Passage("特此通知。"), Passage("2024年3月1日")], "http://www.example.cn/a.pdf", "")
    '2024-03-01'
    """
    for passage in reversed(passages[-_LAST:]):
        if count_letters(passage.text) <= 12 and (day := in_text(passage.text, url, fetched)):
            return day
    return in_address(url, fetched)


def name_of(anchors: Sequence[str]) -> str:
    """Return the name of a document in the links to it, "" if they only offer a download.

    >>> name_of(["点击下载", "附件2：党支部工作条例.pdf (1.2MB)"])
    '党支部工作条例'
    """
    names = (_NO_NAME.sub("", anchor).strip(" \t.:：、-—[]【】《》") for anchor in anchors)
    return next((name for name in names if count_letters(name) > 3), "")
