"""Articles of a Wikipedia dump, ``zhwiki-…-pages-articles.xml.bz2`` as the dump server offers it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from topical_crawler.sources.base import Document, Source, SourceError, flaw
from topical_crawler.sources.dump_pages import DumpError, DumpParser, Page
from topical_crawler.sources.streams import ByteStream, StreamDamage
from topical_crawler.sources.wikitext import plain_text

_WIKI = "https://zh.wikipedia.org/wiki/"
_REDIRECT = re.compile(r"\s*#\s*(?:redirect|重定向|重新導向)\s*[:：]?\s*\[\[", re.IGNORECASE)
_DISAMBIGUATION = re.compile(
    r"\{\{\s*(?:disambig(?:uation)?|disamb|dab|hndis|geodis|(?!需要|連結|连结|链接)\w{0,4}消歧[义義]?[页頁]?)\s*(?:\||\}\})"
    r"|__DISAMBIG__",
    re.IGNORECASE,
)
_IN_ADDRESS = str.maketrans({" ": "_", "%": "%25", "?": "%3F", "#": "%23", '"': "%22"})


class Wikipedia(Source):
    """Articles as plain text (:func:`~topical_crawler.sources.wikitext.plain_text`) with their title and address, in the order of
    the dump. Streamed: memory does not grow with the dump. Traditional characters stay as they are.

    Skipped: ``other namespace``, ``redirect``, ``disambiguation``, ``empty``, ``undecodable``, ``too long`` (over four million
    characters), ``not wikitext``; where the source is tolerant also ``truncated``, ``damaged`` and ``broken xml``, after which
    the iteration ends.
    """

    kind: ClassVar[str] = "wikipedia"

    def _documents(self) -> Iterator[Document]:
        with ByteStream(self.path) as stream:
            parser = DumpParser(stream)
            try:
                for page in parser.pages():
                    self.done = stream.done
                    text = plain_text(page.text or "") if not (reason := _not_an_article(page)) else ""
                    if reason := reason or flaw(text):
                        self.skipped[reason] += 1
                    else:
                        wiki = parser.base.rpartition("/")[0] + "/" if "/" in parser.base else _WIKI
                        yield Document(text, page.title, wiki + page.title.translate(_IN_ADDRESS), {"id": page.id})
            except (DumpError, StreamDamage) as damage:
                if damage.reason == "no dump":
                    raise SourceError(f"{self.path}: {damage}. Remedy: name a zhwiki-…-pages-articles.xml.bz2") from None
                after = f"after the page {parser.last_title!r}" if parser.last_title else "before the first page"
                self._damage(
                    damage.reason,
                    f"{self.path}, near byte {stream.position:,} of {stream.size:,}, {after}: {damage}. "
                    f"Remedy: fetch the dump again and compare its checksum with the dump server's",
                )


def _not_an_article(page: Page) -> str:
    """Why a page is no article; "" where it is one."""
    if page.namespace != "0":
        return "other namespace"
    if page.redirect:
        return "redirect"
    if page.text is None:
        return "too long"
    if page.model != "wikitext":
        return "not wikitext"
    if _REDIRECT.match(page.text):
        return "redirect"
    if _DISAMBIGUATION.search(page.text):
        return "disambiguation"
    return ""
