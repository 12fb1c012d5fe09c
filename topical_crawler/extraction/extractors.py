"""The extractors of main text that a page can be given to, each a function from the page to a text with a paragraph a line.

Their libraries are imported where they are called: only the workers need them, and the fallbacks only for the pages that come to
them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from configparser import ConfigParser
from copy import deepcopy
from functools import cache
from typing import Any

from lxml.html import HtmlElement, document_fromstring

from topical_crawler.extraction.blocks import read_blocks
from topical_crawler.extraction.density import densest
from topical_crawler.extraction.layout import to_paragraphs

JUSTEXT_SHORT, JUSTEXT_LONG = 10, 40
"""Characters under which jusText leaves a paragraph to its neighbours, and over which it may be text by itself: a Chinese
character says what two or three letters do."""
JUSTEXT_SOME, JUSTEXT_MANY = 0.01, 0.03
"""Shares of :data:`STOP_CHARACTERS` that make a paragraph nearly text, and text: of characters, where English has words."""
JUSTEXT_LINKS = 0.3
"""Share of a paragraph's characters in links over which jusText drops it."""
STOP_CHARACTERS = frozenset(
    "的一是不了在人有我他这個个這们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于於着著下自之年过過后後用所然"
)
"""What running Chinese text is full of and menus are not."""

_END_TAGS = re.compile(r"</(?:html|body)\s*>", re.IGNORECASE)


def parse(html: str) -> HtmlElement | None:
    """The tree of a page, however broken it is; None where nothing is in it.

    >>> parse("<text id='a'><p>党建</p></html><p>支部").findtext(".//p[2]")
    '支部'
    """
    from trafilatura import load_html

    # Lone surrogates and NUL, which broken pages decode to, are no XML. The end tags say nothing, and where a theme closes its
    # </html> before the body, the parser would leave the body out.
    clean = _END_TAGS.sub("", html.encode("utf-8", "replace").decode().replace("\0", ""))
    tree: HtmlElement | None = load_html(clean)
    if tree is None and "<" in clean:  # a page in an envelope of its own is no page to trafilatura
        tree = document_fromstring(clean)
    return tree


def trafilatura(html: str, tree: HtmlElement) -> str:
    """By trafilatura. The options follow a measurement by character 4-gram F1 on 35 real Chinese pages of 2005-2022 (mean .84
    with its defaults, .91 so; median .94 and .97) and on news pages laid out with a table and ``<br>`` (.86 and .98):

    * layout tables and ``<br>`` become paragraphs first (:mod:`topical_crawler.extraction.layout`), and other tables are left
      out: what they hold are link lists and figures;
    * ``fast``: without its own fallback extractors, which added .003;
    * a text counts as found from 100 characters on (``MIN_EXTRACTED_SIZE``; the default of 250 is meant for alphabetic scripts);
    * not ``favor_precision``: it loses .09, most of it complete articles; comments are left out.
    """
    from trafilatura import bare_extraction

    found = bare_extraction(
        to_paragraphs(deepcopy(tree)),
        fast=True,
        include_comments=False,
        include_tables=False,
        with_metadata=False,
        config=_config(),
    )
    # The type allows a dict for a deprecated option that is not used here.
    return "" if found is None or isinstance(found, dict) else (found.text or "").strip()


def density(html: str, tree: HtmlElement) -> str:
    """By :mod:`topical_crawler.extraction.density`."""
    return _lines(block.text for block in densest(read_blocks(tree)))


def readability(html: str, tree: HtmlElement) -> str:
    """By readability-lxml."""
    from readability import Document

    return _lines(block.text for block in read_blocks(document_fromstring(Document(html).summary())))


def resiliparse(html: str, tree: HtmlElement) -> str:
    """By resiliparse."""
    from resiliparse.extract.html2text import extract_plain_text

    text: str = extract_plain_text(html, main_content=True, alt_texts=False, links=False, form_fields=False, list_bullets=False)
    return _lines(text.splitlines())


def justext(html: str, tree: HtmlElement) -> str:
    """By jusText with thresholds and stop characters for Chinese: its own count words between spaces, and Chinese has none."""
    from justext.core import classify_paragraphs, preprocessor, revise_paragraph_classification

    paragraphs = _chinese_maker().make_paragraphs(preprocessor(deepcopy(tree)))
    classify_paragraphs(paragraphs, STOP_CHARACTERS, JUSTEXT_SHORT, JUSTEXT_LONG, JUSTEXT_SOME, JUSTEXT_MANY, JUSTEXT_LINKS)
    revise_paragraph_classification(paragraphs)
    return _lines(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)


FALLBACKS: Mapping[str, Callable[[str, HtmlElement], str]] = {
    "density": density,
    "readability": readability,
    "resiliparse": resiliparse,
    "justext": justext,
}
"""What is asked where trafilatura's text is in doubt, by the name that ``method`` gives."""


@cache
def _config() -> ConfigParser:
    from trafilatura.settings import use_config

    config = use_config()
    config.set("DEFAULT", "MIN_EXTRACTED_SIZE", "100")
    return config


@cache
def _chinese_maker() -> Any:
    from justext.core import Paragraph, ParagraphMaker

    class ChineseParagraph(Paragraph):  # type: ignore[misc]
        def stopwords_density(self, stopwords: Iterable[str]) -> float:
            text: str = self.text
            return sum(character in stopwords for character in text) / len(text) if text else 0.0

    class Maker(ParagraphMaker):  # type: ignore[misc]
        paragraph: Any

        def _start_new_pragraph(self) -> None:  # the library's spelling
            if self.paragraph and self.paragraph.contains_text():
                self.paragraphs.append(self.paragraph)
            self.paragraph = ChineseParagraph(self.path)

    return Maker


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(folded for line in lines if (folded := " ".join(line.split())))
