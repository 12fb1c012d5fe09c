"""A recorded web as a graph: its pages and the links between them, as a crawl would find them.

Redirects are followed, and addresses of one canonical form are one page. What every crawl refuses is no link: files that are no
pages, traps, what robots.txt forbids.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import urljoin, urlsplit

import platformdirs
from protego import Protego
from w3lib.html import get_meta_refresh
from w3lib.url import safe_url_string

from experiments.thinning import Thinning
from topical_crawler import __version__
from topical_crawler.files import replacing
from topical_crawler.recordings.reader import Recording, Response, equal_form
from topical_crawler.web.dom import decode
from topical_crawler.web.page import Page
from topical_crawler.web.urls import fingerprint, host, is_binary, looks_like_trap

ROBOT = "topical_crawler"
"""User agent for robots.txt."""
MAX_LINKS = 2000
"""Links read from one page."""
MAX_REDIRECTS = 8
"""Redirects followed in a row."""
LONGEST_REFRESH = 10.0
"""Seconds: a meta refresh that waits less is a redirect."""
_T = TypeVar("_T")
_FORMAT = "2"
_NO_ADDRESS = fingerprint("")
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_TEXT = ("html", "xml", "text/plain")
_MARKUP = (b"<!doctype html", b"<html")


@dataclass(frozen=True)
class WebGraph:
    """Pages of a recorded web and their links.

    Attributes:
        urls: address of every page that answers; its place here is its number.
        links: numbers of the pages that each page leads to, in the order of the page, each once, never itself.
        answers: number of the page that an address brings, redirects followed; keys are recorded addresses and their
            :func:`~topical_crawler.recordings.reader.equal_form`.
        aliases: further addresses that pages name, which bring a page by a redirect: fingerprint in hexadecimal digits, number of
            the page.
        named: what each page names: numbers of pages by their own address, from ``len(urls)`` on of aliases; empty: the same as
            ``links``.
    """

    urls: Sequence[str]
    links: Sequence[Sequence[int]]
    answers: Mapping[str, int]
    aliases: Sequence[tuple[str, int]] = ()
    named: Sequence[Sequence[int]] = ()

    @classmethod
    def open(cls, files: Path | Sequence[Path], cache_dir: Path | None = None) -> Self:
        """Read the web recorded in ``files``: from the cache where it was read before.

        Args:
            files: WARC files, in the order in which they answer.
            cache_dir: folder for what was read; None: the user's cache folder.

        Raises:
            RecordingError: a file is missing or malformed.
        """
        folder = Path(cache_dir or platformdirs.user_cache_path("topical_crawler", ensure_exists=True))
        with Recording(files, folder) as recording:
            changes = " ".join(f"{status.st_size} {status.st_mtime_ns}" for status in (path.stat() for path in recording.files))
            stamp = f"{_FORMAT} {__version__} {changes}"
            places = b"\0".join(os.fsencode(path.absolute()) for path in recording.files)
            cached = folder / f"{recording.files[0].name}.{hashlib.blake2b(places, digest_size=8).hexdigest()}.graph.json"
            known = _load(cached)
            if known.get("stamp") == stamp:
                aliases = [(str(key), int(number)) for key, number in known["aliases"]]
                return cls(known["urls"], known["links"], known["answers"], aliases, known["named"])
            graph = cls.read(recording)
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(cached) as out:
            found = {"stamp": stamp, **{f.name: getattr(graph, f.name) for f in fields(cls)}}
            out.write(json.dumps(found, ensure_ascii=False, separators=(",", ":")))
        return graph

    @classmethod
    def read(cls, recording: Recording) -> Self:
        """Read a recording page by page."""
        web = _Web(recording)
        number = {fingerprint(url): i for i, url in enumerate(web.pages)}
        reached: dict[str, int | None] = {}

        def page(url: str) -> int | None:
            if url not in reached:
                last = web.follow(url)
                reached[url] = None if last is None else number[fingerprint(last)]
            return reached[url]

        aliases: dict[tuple[str, int], int] = {}

        def address(url: str, target: int) -> int:
            key = fingerprint(url)
            return target if number.get(key) == target else aliases.setdefault((key.hex(), target), len(number) + len(aliases))

        named = [
            list(dict.fromkeys(address(url, n) for url in found if (n := page(url)) is not None and n != i))
            for i, found in enumerate(web.pages.values())
        ]
        answers = {form: n for form in web.answers if (n := page(form)) is not None}
        return cls(list(web.pages), _targets(named, aliases, len(number)), answers, list(aliases), named)

    def thinned(self, thinning: Thinning) -> Self:
        """The web as crawls see it of which a part of the links is gone: what a page names twice, by its address and by one that
        redirects to it, is gone where both are."""
        if thinning.share >= 1:
            return self
        keys = [*self.keys, *(bytes.fromhex(key) for key, _ in self.aliases)]
        named = [
            [n for n in names if thinning.stays(page, keys[n])]
            for page, names in zip(keys, self.named or self.links, strict=False)
        ]
        return replace(self, links=_targets(named, self.aliases, len(self.urls)), named=named)

    @cached_property
    def keys(self) -> Sequence[bytes]:
        """The fingerprint of every page's address."""
        return [fingerprint(url) for url in self.urls]

    @cached_property
    def hosts(self) -> Sequence[str]:
        """The host of every page."""
        return [host(url) for url in self.urls]

    @cached_property
    def linking(self) -> Sequence[Sequence[int]]:
        """Numbers of the pages that lead to each page."""
        found: list[list[int]] = [[] for _ in self.urls]
        for page, targets in enumerate(self.links):
            for target in targets:
                found[target].append(page)
        return found

    def page(self, url: str) -> int | None:
        """Number of the page that ``url`` brings; None where nothing answers or the address is refused."""
        return _spelt(self.answers, url)


def _targets(named: Iterable[Sequence[int]], aliases: Iterable[tuple[str, int]], pages: int) -> list[list[int]]:
    """The pages that are meant by numbers of addresses, each once."""
    pages_of = [*range(pages), *(page for _, page in aliases)]
    return [list(dict.fromkeys(pages_of[n] for n in names)) for names in named]


class _Web:
    """The answers of a recording, and the links of its pages.

    Attributes:
        answers: by address and by equal form, the first record of each: the address, and where it redirects to ("" for a page).
        pages: links of every page by its address.
    """

    def __init__(self, recording: Recording) -> None:
        self.answers: dict[str, tuple[str, str]] = {}
        self.pages: dict[str, list[str]] = {}
        self._robots: dict[str, Protego | None] = {}
        self._recording = recording
        known: set[bytes] = set()
        for url in recording.urls():
            response = recording.get(url)
            assert response is not None, "it is in the index"
            answer = read_answer(url, response, full=False)
            if not answer.target and answer.status != 200:
                continue
            self.answers.setdefault(url, (url, answer.target))
            self.answers.setdefault(equal_form(url), (url, answer.target))
            key = fingerprint(url)
            if not answer.target and key not in known and not self.refuses(url):
                known.add(key)
                self.pages[url] = [link.url for link in answer.page.links[:MAX_LINKS]] if answer.page else []

    def follow(self, url: str) -> str | None:
        """Address of the page that ``url`` ends at, None where it ends nowhere."""
        for _ in range(MAX_REDIRECTS + 1):
            found = None if self.refuses(url) else _spelt(self.answers, url)
            if found is None:
                return None
            address, target = found
            if not target:
                return address
            url = target
        return None

    def refuses(self, url: str) -> bool:
        """Whether a crawl does not fetch ``url``, whatever it may lead to."""
        if fingerprint(url) == _NO_ADDRESS or is_binary(url) or looks_like_trap(url):
            return True
        parts = urlsplit(url)
        place = f"{parts.scheme}://{parts.netloc}/robots.txt"
        if place not in self._robots:
            response = self._recording.get(place)
            said = response.body.decode("utf-8", "replace") if response is not None and response.status == 200 else ""
            self._robots[place] = Protego.parse(said) if said else None
        rules = self._robots[place]
        return rules is not None and not rules.can_fetch(url, ROBOT)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a recorded address brings: a page, an address to go to instead (``target``), or neither, with the ``reason``."""

    url: str
    status: int
    page: Page | None = None
    target: str = ""
    reason: str = ""


def _uncompressed(response: Response) -> bytes:
    """The body without gzip or deflate; b"" where it is broken."""
    if not any(name in response.header("content-encoding").lower() for name in ("gzip", "deflate")):
        return response.body
    try:
        return zlib.decompressobj(47).decompress(response.body)  # 47: gzip or zlib, by its head
    except zlib.error:
        return b""


def read_answer(url: str, response: Response, full: bool = True) -> Answer:
    """A recorded response as the spider takes it; ``full`` pages have the surroundings and paths of their links, too."""
    status = response.status
    if status in _REDIRECTS and (place := response.header("location")):
        return Answer(url, status, target=urljoin(url, safe_url_string(place)))
    if not 200 <= status < 300:
        return Answer(url, status, reason=f"HTTP {status}")
    kind, body = response.header("content-type"), _uncompressed(response)
    marked = body[:1024].lstrip().lower().startswith(_MARKUP)
    if kind and not any(name in kind.lower() for name in _TEXT) and not marked:
        return Answer(url, status, reason="not a text page")
    html, encoding = decode(body, kind)
    if b"refresh" in body[:4096].lower():
        seconds, target = get_meta_refresh(html, url, encoding, ignore_tags=("script", "noscript"))
        if target and seconds is not None and seconds < LONGEST_REFRESH and fingerprint(target) != fingerprint(url):
            return Answer(url, status, target=target)
    return Answer(url, status, Page.from_html(url, html, encoding, around=full, paths=full))


def _spelt(known: Mapping[str, _T], url: str) -> _T | None:
    """What is known of ``url`` in this or another spelling of the same address, as a recording answers."""
    for form in (url, url.partition("#")[0], equal_form(url)):
        if form in known:
            return known[form]
    return None


def _load(path: Path) -> dict[str, Any]:
    """What the cache holds; nothing where it is missing or damaged (it is then made anew)."""
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return {}
