"""A recorded web in memory: answers to a crawl without a downloader, every page parsed once.

Pages and their extracted texts are cached as JSON lines, so that the next run has them in seconds. The cache is rebuilt when the
recording or the code that reads it has changed.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
import multiprocessing
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from protego import Protego
from rich.progress import Progress

from experiments.web_graph import ROBOT, Answer, read_answer
from topical_crawler import cleaning, extraction
from topical_crawler.cleaning.boilerplate import NOTHING
from topical_crawler.cleaning.cleaner import CleaningOptions, TextCleaner
from topical_crawler.extraction.extract import extract
from topical_crawler.files import replacing_bytes
from topical_crawler.recordings.reader import Recording, equal_form
from topical_crawler.web import dom
from topical_crawler.web import page as page_module
from topical_crawler.web.page import Link, Page
from topical_crawler.web.urls import host

_FORMAT = "2"
_BATCH = 64


class Text(NamedTuple):
    """What a page gives: the cleaned ``text``, or the ``reason`` why it has none."""

    reason: str
    text: str


class Web:
    """The answers of recordings by address, in whatever spelling (as :meth:`Recording.get` finds them).

    Attributes:
        hosts: for each recording, those that it has answers of.
    """

    def __init__(self, *recordings: Sequence[Answer]) -> None:
        self._exact: dict[str, Answer] = {}
        self._forms: dict[str, Answer] = {}
        self._robots: dict[str, Protego | None] = {}
        self.hosts: list[frozenset[str]] = []
        for recording in recordings:
            self.hosts.append(frozenset(host(answer.url) for answer in recording))
            self._add(recording)

    def _add(self, answers: Iterable[Answer]) -> None:
        for answer in answers:
            for known, form in ((self._exact, answer.url), (self._forms, equal_form(answer.url))):
                if not _is_good(known.setdefault(form, answer)) and _is_good(answer):
                    known[form] = answer

    def __iter__(self) -> Iterator[Answer]:
        return iter(self._exact.values())

    def get(self, url: str) -> Answer | None:
        """What ``url`` brings; None where it is not recorded."""
        for known, form in ((self._exact, url), (self._exact, url.partition("#")[0]), (self._forms, equal_form(url))):
            if (answer := known.get(form)) is not None:
                return answer
        return None

    def forbids(self, url: str) -> bool:
        """Whether the recorded robots.txt of the origin keeps crawls away from ``url``."""
        parts = urlsplit(url)
        place = f"{parts.scheme}://{parts.netloc}/robots.txt"
        if place not in self._robots:
            answer = self.get(place)
            self._robots[place] = Protego.parse(answer.page.html) if answer is not None and answer.page is not None else None
        rules = self._robots[place]
        return rules is not None and not rules.can_fetch(url, ROBOT)


def _is_good(answer: Answer) -> bool:
    return 200 <= answer.status < 300


def read_web(
    files: Iterable[Path], cache: Path, processes: int, progress: Progress, texts: bool = True
) -> tuple[Web, dict[str, Text]]:
    """The web recorded in ``files``, and what the extraction and the cleaning make of every page, by its address (nothing unless
    ``texts``). Each file has its own files in the folder ``cache``; where there is none that holds, ``processes`` make it.

    Raises:
        RecordingError: a recording is missing or malformed.
    """
    parts: list[tuple[list[Answer], dict[str, Text]]] = []
    for file in files:
        with Recording(file, cache) as recording:
            urls = list(recording.urls())
        read = functools.partial(_read_batch, file, cache)
        lines = _kept(file, cache, "pages", (page_module, dom, dom), read, urls, processes, progress)
        answers, made = [_answer(json.loads(line)) for line in lines], {}
        if texts:
            jobs = [(a.url, a.page.html, a.page.title, [x.anchor for x in a.page.links]) for a in answers if a.page is not None]
            lines = _kept(file, cache, "texts", (extraction, cleaning), _make_batch, jobs, processes, progress)
            made = {url: Text(reason, text) for url, reason, text in map(json.loads, lines)}
        parts.append((answers, made))
    web = Web(*(answers for answers, _ in parts))
    # Of an address that several files have, the text is that of the answer.
    return web, {a.url: made[a.url] for answers, made in parts for a in answers if a.url in made and web.get(a.url) is a}


def _kept(
    web: Path,
    cache: Path,
    what: str,
    made_by: Iterable[ModuleType],
    make: Callable[[Sequence[Any]], list[bytes]],
    jobs: Sequence[Any],
    processes: int,
    progress: Progress,
) -> Iterator[bytes]:
    """The lines of a file of the cache, which is made where there is none for this recording that the same code has made."""
    cache.mkdir(parents=True, exist_ok=True)
    place = cache / f"{web.name}.{hashlib.blake2b(str(web.absolute()).encode(), digest_size=8).hexdigest()}.{what}.jsonl.gz"
    stamp = _stamp(web, made_by)
    if not _holds(place, stamp):
        task = progress.add_task(f"reading {what}", total=len(jobs))
        batches = [jobs[i : i + _BATCH] for i in range(0, len(jobs), _BATCH)]
        with ExitStack() as stack:
            out = stack.enter_context(replacing_bytes(place))
            made = stack.enter_context(gzip.GzipFile("", "wb", compresslevel=1, fileobj=out))
            several: Callable[..., Iterable[list[bytes]]]
            several = stack.enter_context(multiprocessing.get_context("spawn").Pool(processes)).imap if processes > 1 else map
            made.write(f"{json.dumps({'stamp': stamp, 'lines': len(jobs)})}\n".encode())
            for lines in several(make, batches):
                made.writelines(lines)
                progress.advance(task, len(lines))
        progress.remove_task(task)
    with gzip.open(place, "rb") as file:
        total = int(json.loads(next(file))["lines"])
        yield from progress.track(file, total, description=f"loading {what}")


def _stamp(web: Path, made_by: Iterable[ModuleType]) -> str:
    status, code = web.stat(), hashlib.blake2b(digest_size=16)
    for module in made_by:
        file = Path(str(module.__file__))
        for part in sorted(file.parent.glob("*.py")) if file.name == "__init__.py" else [file]:
            code.update(part.read_bytes())
    return f"{_FORMAT} {status.st_size} {status.st_mtime_ns} {code.hexdigest()}"


def _holds(place: Path, stamp: str) -> bool:
    try:
        with gzip.open(place, "rb") as file:
            return bool(json.loads(next(file))["stamp"] == stamp)
    except (OSError, EOFError, ValueError, KeyError, TypeError, StopIteration, zlib.error):
        return False


def _read_batch(web: Path, cache: Path, urls: Sequence[str]) -> list[bytes]:
    with Recording(web, cache) as recording:
        answers = [read_answer(url, response) for url in urls if (response := recording.get(url)) is not None]
    return [f"{json.dumps(_json(answer))}\n".encode() for answer in answers]


def _make_batch(pages: Sequence[tuple[str, str, str, list[str]]]) -> list[bytes]:
    return [f"{json.dumps([page[0], *make_text(*page)])}\n".encode() for page in pages]


def make_text(url: str, html: str, title: str, anchors: Sequence[str]) -> Text:
    """What becomes of a page in a crawl that has learned no lines of its site."""
    found = extract(html, url)
    if found.reason:
        return Text(found.reason, "")
    cleaned = _cleaner().clean(found.text, anchors, found.title or title, NOTHING)
    return Text(cleaned.reason, cleaned.text if not cleaned.reason else "")


@functools.cache
def _cleaner() -> TextCleaner:
    return TextCleaner(CleaningOptions())


def _json(answer: Answer) -> dict[str, Any]:
    data = {f.name: getattr(answer, f.name) for f in fields(answer) if f.name != "page"}
    if (page := answer.page) is not None:
        data["page"] = {f.name: getattr(page, f.name) for f in fields(page)}
        data["page"] |= {"links": page.links, "wishes": sorted(page.wishes)}
    return data


def _answer(data: dict[str, Any]) -> Answer:
    if (page := data.get("page")) is not None:
        links = tuple(Link(sys.intern(url), anchor, around, sys.intern(path)) for url, anchor, around, path in page["links"])
        page |= {name: tuple(page[name]) for name in ("labels", "feeds")} | {"wishes": frozenset(page["wishes"])}
        data["page"] = Page(**{**page, "links": links})
    return Answer(**data)
