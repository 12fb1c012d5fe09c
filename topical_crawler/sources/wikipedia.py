"""Articles of a Wikipedia dump, ``zhwiki-…-pages-articles.xml.bz2``.

The dump is untrusted XML, read page by page in constant memory, with the schema https://www.mediawiki.org/xml/export-0.11.xsd
or an earlier one down to 0.6. Older ones lack the namespace of pages.
"""

from __future__ import annotations

import pyexpat
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar
from xml.parsers.expat import ParserCreate

from topical_crawler.sources.base import ByteStream, Document, Source, SourceError, StreamDamage, flaw
from topical_crawler.sources.wikitext import plain_text

MAX_PAGE = 4_000_000  # most characters of wikitext per page. MediaWiki allows 2 MiB
_PIECE = 1 << 18
MAX_MARKUP = 1 << 24  # longest tag or comment in bytes, held in memory by expat
_MAX_DEPTH = 16
_WANTED = {("base", 3), ("title", 3), ("ns", 3), ("id", 3), ("model", 4), ("text", 4)}
"""Elements to read, with their depth. The root has depth 1."""


class DumpError(Exception):
    """Malformed or malicious XML, or no MediaWiki dump.

    ``reason`` is ``truncated`` if it ends too early, ``no dump`` if it is other XML or too old, else ``broken xml``.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(slots=True)
class Page:
    """Page of the dump. ``text`` is the wikitext, None if longer than :data:`MAX_PAGE`."""

    title: str = ""
    namespace: str = ""
    id: str = ""
    model: str = "wikitext"
    redirect: bool = False
    text: str | None = ""


class DumpParser:
    """Parser of the pages in ``stream``. Refuses a DTD, so no entities can be declared, and fetches nothing."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._parser = ParserCreate()
        self._parser.buffer_text = True
        self._parser.buffer_size = _PIECE
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._refuse_dtd
        self._depth = 0
        self._page: Page | None = None
        self._finished: list[Page] = []
        self._pieces: list[str] = []
        self._length = 0
        self.base = ""  # URL of the wiki's main page, "" until read
        self.last_title = ""

    def pages(self) -> Iterator[Page]:
        """Yield all pages in order.

        Raises:
            DumpError, StreamDamage: after yielding the pages before the damage.
        """
        fed = 0
        more = True
        while more:
            piece = self._stream.read(_PIECE)
            more = bool(piece)
            fed += len(piece)
            failure: DumpError | None = None
            try:
                self._parser.Parse(piece, not more)
                if fed - self._parser.CurrentByteIndex > MAX_MARKUP:
                    failure = DumpError("broken xml", f"a tag or comment is longer than {MAX_MARKUP >> 20} MB")
            except pyexpat.ExpatError as error:
                what = f"XML line {error.lineno}: {pyexpat.ErrorString(error.code)}"
                failure = DumpError("broken xml", what) if more else DumpError("truncated", f"the XML ends too early ({what})")
            except (LookupError, ValueError) as error:
                failure = DumpError("broken xml", f"unreadable encoding ({error})")
            except DumpError as error:
                failure = error
            for page in self._finished:
                self.last_title = page.title
                yield page
            self._finished.clear()
            if failure is not None:
                raise failure

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth == 1 and name != "mediawiki":
            raise DumpError("no dump", f"the root element is <{name}>, not <mediawiki> as in a MediaWiki dump")
        if self._depth > _MAX_DEPTH:
            raise DumpError("broken xml", f"elements are nested more than {_MAX_DEPTH} deep")
        if self._depth == 2 and name == "page":
            self._page = Page()
        elif (name, self._depth) in _WANTED:
            self._pieces.clear()
            self._length = 0
            self._parser.CharacterDataHandler = self._characters
        elif name == "redirect" and self._page is not None:
            self._page.redirect = True

    def _characters(self, text: str) -> None:
        self._length += len(text)
        if self._length <= MAX_PAGE:
            self._pieces.append(text)
        else:
            self._pieces.clear()

    def _end(self, name: str) -> None:
        if (name, self._depth) in _WANTED:
            self._parser.CharacterDataHandler = None
            self._set(name, "".join(self._pieces) if self._length <= MAX_PAGE else None)
        elif self._depth == 2 and self._page is not None:
            if not self._page.namespace:
                raise DumpError("no dump", f"the page {self._page.title!r} has no <ns>, as in dumps before schema 0.6")
            self._finished.append(self._page)
            self._page = None
        self._depth -= 1

    def _set(self, name: str, value: str | None) -> None:
        if self._page is None:
            if name == "base":
                self.base = (value or "").strip()
        elif name == "text":
            self._page.text = value
        elif name != "base":
            setattr(self._page, "namespace" if name == "ns" else name, (value or "").strip())

    def _refuse_dtd(self, *_: object) -> None:
        raise DumpError("broken xml", "it declares a document type, unlike any MediaWiki dump but like malicious files")


# -- Articles

_WIKI = "https://zh.wikipedia.org/wiki/"
_REDIRECT = re.compile(r"\s*#\s*(?:redirect|重定向|重新導向)\s*[:：]?\s*\[\[", re.IGNORECASE)
_DISAMBIGUATION = re.compile(
    r"\{\{\s*(?:disambig(?:uation)?|disamb|dab|hndis|geodis|(?!需要|連結|连结|链接)\w{0,4}消歧[义義]?[页頁]?)\s*(?:\||\}\})"
    r"|__DISAMBIG__",
    re.IGNORECASE,
)
_IN_ADDRESS = str.maketrans({" ": "_", "%": "%25", "?": "%3F", "#": "%23", '"': "%22"})


class Wikipedia(Source):
    """Articles as plain text (:func:`~topical_crawler.sources.wikitext.plain_text`) with title and URL, in the dump's order.

    Skipped: ``other namespace``, ``redirect``, ``disambiguation``, ``empty``, ``undecodable``, ``too long`` (over four million
    characters), ``not wikitext``. If tolerant, also ``truncated``, ``damaged`` and ``broken xml``, ending the iteration.
    """

    kind: ClassVar[str] = "wikipedia"

    def _documents(self) -> Iterator[Document]:
        for wiki, page in self._articles():
            text = plain_text(page.text or "")
            if reason := flaw(text):
                self.skipped[reason] += 1
            else:
                yield Document(text, page.title, wiki + page.title.translate(_IN_ADDRESS), {"id": page.id})

    def articles(self) -> Iterator[Page]:
        """Yield the articles in wikitext. Skipping and error reports are those of an iteration."""
        return self._begin(page for _, page in self._articles())

    def _articles(self) -> Iterator[tuple[str, Page]]:
        """Yield the wiki's base URL with each article."""
        with ByteStream(self.path) as stream:
            parser = DumpParser(stream)
            try:
                for page in parser.pages():
                    self.done = stream.done
                    if reason := _not_an_article(page):
                        self.skipped[reason] += 1
                    else:
                        yield parser.base.rpartition("/")[0] + "/" if "/" in parser.base else _WIKI, page
            except (DumpError, StreamDamage) as damage:
                if damage.reason == "no dump":
                    raise SourceError(f"{self.path}: {damage}. Pass a zhwiki-…-pages-articles.xml.bz2") from None
                after = f"after the page {parser.last_title!r}" if parser.last_title else "before the first page"
                self._damage(
                    damage.reason,
                    f"{self.path}, near byte {stream.position:,} of {stream.size:,}, {after}: {damage}. "
                    f"Fetch the dump again and compare its checksum with the dump server's",
                )


def _not_an_article(page: Page) -> str:
    """Return the reason for skipping a page, "" for an article."""
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
    return "disambiguation" if _DISAMBIGUATION.search(page.text) else ""
