"""URLs with the section of their site, by somebody else's word than the URL's own: a column of a table, or what the pages of a
recorded web say of themselves in their breadcrumbs (首页 > 财经 > 正文)."""

from __future__ import annotations

import csv
import io
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from topical_crawler.decode import decode
from topical_crawler.evaluation.replay import Recording
from topical_crawler.evaluation.warc import Response
from topical_crawler.text import normalise
from topical_crawler.urls import canonical, host

_CRUMB = '[class*="crumb" i], [id*="crumb" i], [itemtype*="BreadcrumbList"]'
_HOME = frozenset(("首页", "主页", "网站首页", "home", "index"))


@dataclass(frozen=True, slots=True)
class SectionedUrl:
    """A URL, its section, and the site that the section is one of."""

    url: str
    section: str
    site: str


@cache
def _domains() -> Callable[[str], str]:
    import tldextract  # the list of public suffixes in it takes a tenth of a second to read

    extract = tldextract.TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)

    def domain(name: str) -> str:
        found = extract(name)
        if found.top_domain_under_public_suffix or found.ipv4 or found.ipv6:
            return found.top_domain_under_public_suffix or name
        return ".".join(name.split(".")[-2:])  # a suffix that nobody knows, as in the networks of firms

    return domain


def site_of(url: str) -> str:
    """The registered domain of a URL: what the hosts of a site have in common.

    >>> [site_of(url) for url in ("http://money.sina.com.cn/stock/1.html", "https://someone.github.io/", "http://news.portal.test/")]
    ['sina.com.cn', 'someone.github.io', 'portal.test']
    """
    return _domains()(host(url).partition(":")[0])


def read_sections(path: Path, column: str = "section", kinds: Iterable[str] = ()) -> list[SectionedUrl]:
    """Read a TSV file with a header: ``url``, the section in ``column``, the site in ``site`` where there is such a column (else
    :func:`site_of`). Of a list of labels (``后端;Java``) the first is the section. URLs without a section are left out; of
    several URLs with one canonical form the first counts.

    Args:
        path: the file.
        column: name of the column with the section.
        kinds: only rows with one of these in the column ``kind``; empty: all.

    Raises:
        ValueError: a column is missing, a line has no URL, or the file is not UTF-8; names file and line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: {error}. Remedy: save the file as UTF-8") from None
    rows = csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE)
    wanted, columns = frozenset(kinds), rows.fieldnames or []
    for needed in ("url", column, *(["kind"] if wanted else [])):
        if needed not in columns:
            raise ValueError(
                f"{path}, line 1: there is no column {needed!r}; there are {', '.join(columns)}. Remedy: --column NAME"
            )
    found: dict[str, SectionedUrl] = {}
    for row in rows:
        written = row["url"] or ""  # None where the line is too short
        url = canonical(written)
        if not url:
            raise ValueError(f"{path}, line {rows.line_num}: {written[:60]!r} is no URL. Remedy: http://… or https://…")
        section = (row[column] or "").partition(";")[0].strip()
        if section and (not wanted or row["kind"] in wanted):
            found.setdefault(url, SectionedUrl(url, section, row.get("site") or site_of(url)))
    return list(found.values())


def sections_of_web(recording: Recording, skipped: Counter[str]) -> Iterator[SectionedUrl | None]:
    """The pages of a recorded web with the section that :func:`breadcrumb_section` reads, each canonical URL once; None in the
    place of a record that is left out (``skipped`` counts the reasons)."""
    seen: set[str] = set()
    for address in recording.urls():
        url = canonical(address)
        response = recording.get(address)
        reason = "not a page"
        if url in seen:
            reason = "the same URL again"
        elif url and response is not None and response.status == 200 and (body := _body(response)) is not None:
            seen.add(url)
            if section := breadcrumb_section(decode(body, response.header("Content-Type"))[0]):
                yield SectionedUrl(url, section, site_of(url))
                continue
            reason = "no breadcrumb"
        skipped[reason] += 1
        yield None


def _body(response: Response) -> bytes | None:
    if "html" not in (response.header("Content-Type") or "html"):
        return None
    coding = response.header("Content-Encoding").lower()
    if not coding or coding == "identity":
        return response.body
    try:
        return zlib.decompress(response.body, 47) if coding in ("gzip", "x-gzip", "deflate") else None
    except zlib.error:
        return None


def breadcrumb_section(html: str) -> str:
    """The last section in a page's breadcrumb, normalised: the text of its last link that is not the site's home; "" if there is
    none. A breadcrumb is an element with "crumb" in its class or id, or marked as a schema.org BreadcrumbList.

    >>> breadcrumb_section('<p class="crumb"><a href="/">新网</a> &gt; <a href="/finance/">财经</a> &gt; 正文</p>')
    '财经'
    """
    if "crumb" not in html.lower():
        return ""
    for element in LexborHTMLParser(html).css(_CRUMB):
        names = [normalise(" ".join(link.text(deep=True).split())) for link in element.css("a[href]")]
        names = [name for name in names[1:] if name and name not in _HOME]  # the first one is the site itself
        if names:
            return names[-1]
    return ""
