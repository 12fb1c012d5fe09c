"""Pairs of URLs of one section and of two, and how well Algorithm 2 tells them apart (Table 6).

The section of a URL comes from a source other than the URL: a column of a table, or the breadcrumb of a recorded page
(首页 > 财经 > 正文).
"""

from __future__ import annotations

import csv
import io
import itertools
import random
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser

from experiments.sampling import Interval
from topical_crawler.judging.report import wilson
from topical_crawler.recordings.reader import Recording, Response
from topical_crawler.strategies.semantic.url_structure import StructureParameters, UrlParts, structure_similarity
from topical_crawler.text.segment import normalise
from topical_crawler.web.dom import decode
from topical_crawler.web.urls import canonical, host

# -- URLs and their sections


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


# -- Pairs


THRESHOLDS = (0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.35, 0.40)
PRINTED = dict(zip(THRESHOLDS, (0.98, 0.98, 0.97, 0.94, 0.93, 0.93, 0.93, 0.92), strict=True))
"""Table 6: accuracy by threshold."""

A_HOST = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
FALL = (0.25, 0.5, 1.0)
A_PATH = (0.02, 0.05, 0.1, 0.12, 0.15, 0.17, 0.2, 0.25, 0.3, 0.4, 0.6, 0.8, 1.0)
D = (2.0, 10.0)
"""Constants that :func:`candidates` tries; ``FALL`` is b as a share of a'."""

_MISSES = 2000
"""Failed draws in a row after which no further pairs are expected."""


@dataclass(frozen=True, slots=True)
class UrlPair:
    """Two URLs, whether they are of one section, and the site (of the first)."""

    first: str
    second: str
    same: bool
    site: str


def draw_pairs(urls: Iterable[SectionedUrl], count: int, seed: int = 1, across: bool = False) -> list[UrlPair]:
    """Draw ``count`` different pairs, of one section and of two in turn.

    For each couple a site is drawn, with a chance in proportion to its URLs, among those with two sections or more; for each pair
    then a section (or two), every one with the same chance; then its URLs. So every site gives as many pairs of either kind.

    Args:
        urls: with sections and sites.
        count: of pairs, even.
        seed: of the draws.
        across: both URLs of a pair from different sites, sections of one name being the same; else both from one site.

    Raises:
        ValueError: ``count`` is odd or below 2, or the URLs do not give so many pairs.
    """
    if count < 2 or count % 2:
        raise ValueError(f"{count} pairs cannot be halves of one section and of two. Remedy: an even number from 2")
    rng = random.Random(seed)
    sites: dict[str, dict[str, list[SectionedUrl]]] = {}
    for one in urls:
        sites.setdefault("" if across else one.site, {}).setdefault(one.section, []).append(one)
    sites = {site: sections for site, sections in sorted(sites.items()) if len(sections) > 1}
    chances = [sum(map(len, sections.values())) for sections in sites.values()]
    listed = [(sections, sorted(sections)) for sections in sites.values()]
    drawn: set[frozenset[str]] = set()
    pairs: list[UrlPair] = []
    misses = 0
    while listed and misses < _MISSES:
        sections, names = rng.choices(listed, chances)[0]
        name, (one_of, other) = rng.choice(names), rng.sample(names, 2)
        couple = [(rng.choice(sections[a]), rng.choice(sections[b]), a == b) for a, b in ((name, name), (one_of, other))]
        keys = {frozenset((first.url, second.url)) for first, second, _ in couple}
        if not keys & drawn and all(a.url != b.url and (a.site != b.site) == across for a, b, _ in couple):
            drawn |= keys
            pairs += [UrlPair(first.url, second.url, same, first.site) for first, second, same in couple]
            misses = 0
            if len(pairs) == count:
                return pairs
        else:
            misses += 1
    raise ValueError(
        f"{count} pairs of URLs are wanted, and only {len(pairs)} were found in {sum(chances)} URLs of {len(sites)} "
        f"{'collections' if across else 'sites'} with two sections or more. Remedy: fewer pairs, or more URLs with sections"
    )


def values(pairs: Sequence[UrlPair], parameters: StructureParameters) -> NDArray[np.float64]:
    """α·hostSim + β·pathSim of every pair by Algorithm 2; 1 where one host contains the other, by the paper's rule."""
    parts = {url: UrlParts.of(url) for pair in pairs for url in (pair.first, pair.second)}
    return np.array([structure_similarity(parts[p.first], parts[p.second], parameters)[1] for p in pairs])


@dataclass(frozen=True, slots=True)
class UrlAccuracy:
    """A cell of Table 6: share of pairs judged rightly with its 95 % interval, and the shares of either kind."""

    threshold: float
    accuracy: float
    interval: Interval
    same: float
    different: float


def accuracy_curve(
    pairs: Sequence[UrlPair], parameters: StructureParameters, thresholds: Sequence[float] = THRESHOLDS
) -> list[UrlAccuracy]:
    """Table 6: a pair is judged of one section when its value is above the threshold."""
    value, same = values(pairs, parameters), np.array([p.same for p in pairs])
    curve = []
    for threshold in thresholds:
        right = (value > threshold) == same
        shares = [float(right[kind].mean()) if kind.any() else float("nan") for kind in (same, ~same)]
        curve.append(UrlAccuracy(threshold, float(right.mean()), wilson(int(right.sum()), len(right)), *shares))
    return curve


def distance(curve: Sequence[UrlAccuracy]) -> float:
    """Mean difference, without sign, between a curve and the printed table."""
    return float(np.mean([abs(cell.accuracy - PRINTED[cell.threshold]) for cell in curve if cell.threshold in PRINTED]))


def candidates(parameters: StructureParameters) -> Iterator[StructureParameters]:
    """Other constants than those of ``parameters`` to choose from. α, β and threshold stay: only α·a', α·b and β·a' count, and
    all of them doubled are the threshold halved."""
    for a_host, fall, a_path, d in itertools.product(A_HOST, FALL, A_PATH, D):
        if a_host or (fall, d) == (FALL[0], D[0]):
            yield replace(parameters, a_host=a_host, b=a_host * fall, a_path=a_path, d=d)


def by_site(pairs: Sequence[UrlPair], parameters: StructureParameters) -> Mapping[str, tuple[int, UrlAccuracy]]:
    """Number of pairs and accuracy at the threshold of ``parameters``, for each site."""
    sites: dict[str, list[UrlPair]] = {}
    for pair in pairs:
        sites.setdefault(pair.site, []).append(pair)
    return {s: (len(ps), accuracy_curve(ps, parameters, [parameters.threshold])[0]) for s, ps in sorted(sites.items())}
