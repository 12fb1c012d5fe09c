"""``topical-crawler corpus lock`` and ``reproduce``: record all inputs of a corpus, and reproduce its texts from them.

A lock is two files. ``NAME.lock.json`` is for people: code, topic, crawl, settings and archive with their digests, and the digest
of the texts. ``NAME.lock.pages.jsonl.gz`` has the topic's files and a line for each page, with all columns except the text.
Instead of the text, the line lists the extracted passages removed by the crawl, mostly lines repeated by a site. A text not
reproduced from the archive is in the lock itself.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import gzip
import hashlib
import json
import platform
import sys
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from importlib.metadata import distributions, version
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

import topical_crawler
from topical_crawler.cli.base import Action, add_corpus, add_json, whole
from topical_crawler.cli.corpus import add_archive, archive_of
from topical_crawler.cli.corpus.rebuild import ArchivedPages
from topical_crawler.cli.terminal import corpus_progress, printable
from topical_crawler.config import cache_dir, cleaning_options, encoder, extraction_limits, extractor, resources
from topical_crawler.corpus.clean import LateCleaning
from topical_crawler.corpus.make import Maker
from topical_crawler.corpus.record import CorpusError, Filters, HostFacts, Record, pages, text_hash, values_of
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.crawl_folder import CrawlFolder, claim_of
from topical_crawler.export.manifest import PROGRAM, described
from topical_crawler.extraction.pool import ExtractPool
from topical_crawler.files import packed, replacing, replacing_bytes
from topical_crawler.items import now_utc
from topical_crawler.meaning import BUNDLED
from topical_crawler.package_data import data_folder
from topical_crawler.project import AnySettings, ProjectSettings
from topical_crawler.recordings.reader import OPEN, Recording
from topical_crawler.resources.registry import RESOURCES
from topical_crawler.services.exporting import Export, export, topic_facts
from topical_crawler.services.places import find_corpus, topic_of
from topical_crawler.text import counted
from topical_crawler.text.passages import Passage, layout, passages, plain
from topical_crawler.topic.topic import Topic
from topical_crawler.topic.topic_folder import ADJUST, CANDIDATES, CONFIG, DOCUMENTS, MARKED, SEEDS, TERMS, WEIGHTS

FORM = 1  # version of the lock's format
SUFFIX, PAGES = ".lock.json", ".lock.pages.jsonl.gz"
TEXT_SETTINGS = (
    *("TOPICAL_CONVERT", "TOPICAL_DOCUMENTS", "TOPICAL_EXTRACTOR", "TOPICAL_LANGUAGES", "TOPICAL_MIN_CHARACTERS"),
    *("TOPICAL_PERSONAL", "TOPICAL_QUALITY", "TOPICAL_SEGMENTER", "DOWNLOAD_MAXSIZE"),
)
"""Settings with influence on texts and their words. ``reproduce`` takes them from the lock."""
_PLACES = ("_DIR", "_DATA", "_CORPUS", "_REPLAY", "_ARCHIVE", "_HOST", "_PORT", "_CHROMIUM", "_WORKER")
"""Endings of settings naming places, different on another machine."""
LIBRARIES = {"jieba", "rjieba", "lxml", "lxml-html-clean", "numpy", "opencc", "py3langid", "pypdfium2", "scrapy"}
LIBRARIES |= {"selectolax", "trafilatura", "w3lib"}
"""Packages with influence on the texts."""
_TOPIC_FILES = (CONFIG, TERMS, WEIGHTS, ADJUST, CANDIDATES, SEEDS, DOCUMENTS, MARKED)
_EVERYTHING = Filters(rejected=True)
_LIVE_BATCH = 50  # pages fetched and held at a time
Row = dict[str, Any]


class _Digest:
    """Output stream for the digest and length of its data."""

    def __init__(self) -> None:
        self.sha256, self.bytes = hashlib.sha256(), 0

    def write(self, data: bytes) -> None:
        """Update digest and length with ``data``."""
        self.sha256.update(data)
        self.bytes += len(data)


def exported(place: str, settings: AnySettings) -> Row:
    """Return bytes and SHA-256 of the output of ``corpus export --marked-off -f jsonl``."""
    wanted = Export(corpus=place, kind="jsonl", target=None, filters=Filters(), marked_off=True)
    export(wanted, settings, cast(BinaryIO, out := _Digest()))
    return {"bytes": out.bytes, "sha256": out.sha256.hexdigest()}


# -- Texts from the archive


class Archive:
    """Texts of an archive's pages, extracted without knowledge of repeated lines."""

    def __init__(self, recording: Recording, settings: AnySettings, workers: int) -> None:
        self._pages = ArchivedPages(recording, settings)
        self._pool = ExtractPool(workers, extraction_limits(settings)[1], extractor=extractor(settings))
        self._maker = Maker(None, cleaning_options(settings))
        self._ahead = 2 * workers

    async def texts(self, rows: Iterable[Record]) -> AsyncIterator[tuple[Record, list[Passage]]]:
        """Yield the rows in their order with the passages extracted from the archive.

        [] for rejected rows, and for pages missing in the archive.
        """
        begun: deque[tuple[Record, asyncio.Task[list[Passage]] | None]] = deque()
        try:
            for row in rows:
                page = self._pages.get(row) if row.keep else None
                begun.append((row, asyncio.create_task(self._make(row, page)) if page is not None else None))
                await asyncio.sleep(0)  # lets the task begin
                while len(begun) > self._ahead:
                    done, task = begun.popleft()
                    yield done, await task if task else []
            while begun:
                done, task = begun.popleft()
                yield done, await task if task else []
        finally:
            for _, task in begun:
                if task is not None:
                    task.cancel()

    async def _make(self, row: Record, page: Any) -> list[Passage]:
        extracted = await self._pool.extract(page.html, row.final_url, row.fetched, [str(row.why.get("anchor", ""))])
        anchors = [link.anchor for link in page.links]
        announced = row.why.get("announced")
        made = self._maker.make(row.host, extracted, anchors=anchors, title=page.title, announced=announced)
        return passages(made.fields.get("text") or "", made.fields.get("layout", ()))

    def close(self) -> None:
        """Stop the processes."""
        self._pool.close()
        self._pages.close()


@contextmanager
def _opened(files: str, settings: AnySettings, workers: int) -> Iterator[tuple[Recording, Archive]]:
    with Recording(files, cache_dir(settings)) as recording, closing(Archive(recording, settings, workers)) as archive:
        yield recording, archive


def taken_out(given: list[Passage], text: list[Passage]) -> list[int] | None:
    """Return the numbers of the passages of ``given`` missing in ``text``, None if ``text`` has others.

    >>> taken_out(passages("首页\\n党课开讲\\n上一篇"), passages("党课开讲"))
    [0, 2]
    """
    left = deque(text)
    numbers = [n for n, passage in enumerate(given) if not (left and left[0] == passage and left.popleft())]
    return None if left else numbers


def packed_row(row: Record, given: list[Passage]) -> Row:
    """Return the line of a page in a lock. ``given`` are the passages extracted from the archive."""
    line = dataclasses.asdict(row if row.keep else dataclasses.replace(row, text=None, layout=[]))
    if row.keep and (out := taken_out(given, passages(row.text or "", row.layout))) is not None:
        del line["text"], line["layout"]
        line["without"] = out
    return line


def asked(line: Row) -> Record:
    """Return the page of a line for extraction from the archive, with a placeholder for the text."""
    return Record(**{name: value for name, value in line.items() if name != "without"} | {"text": "…", "layout": []})


def unpacked_row(line: Row, given: list[Passage]) -> Record:
    """Return the page of a line in a lock. Reverses :func:`packed_row`."""
    if (out := line.pop("without", None)) is not None:
        left = [passage for n, passage in enumerate(given) if n not in out]
        line |= {"text": plain(left) or None, "layout": layout(left)}
    return Record(**line)


# -- Locking


def lock(opts: argparse.Namespace, settings: AnySettings) -> int:
    place = find_corpus(opts.corpus, settings)
    target = Path(opts.output).expanduser()
    name = target.name.removesuffix(".json").removesuffix(".lock")
    head, body = target.with_name(name + SUFFIX), target.with_name(name + PAGES)
    if not opts.force and (there := next((file for file in (head, body) if file.exists()), None)):
        raise CorpusError(f"{there} exists already. Name another file, or add --force to replace it")
    claim = claim_of(place)
    topic = topic_of(opts.topic, claim)
    counts: Counter[str] = Counter()
    seeds: list[str] = []
    with (
        _opened(archive_of(opts, place), settings, opts.workers) as (recording, archive),
        CorpusStore(place, read_only=True) as store,
        replacing_bytes(body) as raw,
        packed(raw, body.name) as out,
        corpus_progress("locking") as show,
    ):
        if unfinished := next((file for file in recording.files if file.suffix == OPEN), None):
            raise CorpusError(f"{unfinished} is still being written. Lock the corpus when its crawl has ended")
        out.write(_line({"topic": _topic_files(topic)}))
        out.write(_line({"hosts": [dataclasses.asdict(facts) for facts in store.host_facts().values()]}))
        total = store.stats().fetched + store.stats().redirects
        late = LateCleaning(store, cleaning_options(settings))

        async def write() -> None:
            async for row, given in archive.texts(late.over(store.records(_EVERYTHING))):
                line = packed_row(row, given)
                counts.update(pages=1, texts=row.keep, characters=row.characters, held=row.keep and "without" not in line)
                out.write(_line(line))
                seeds.extend([row.url] if row.depth == 0 else [])
                show("locking", counts["pages"], total)

        asyncio.run(write())
    numbers = {name: counts[name] for name in ("pages", "texts", "characters")} | {"texts_in_lock": counts["held"]}
    texts = {"made_by": "corpus export --marked-off -f jsonl"} | exported(place, settings)
    facts = {"program": PROGRAM, "lock": FORM, "locked": now_utc(), "corpus": numbers, "texts": texts}
    facts |= {"pages": described(body, body.name), "archive": [described(file, file.name) for file in recording.files]}
    facts |= {"topic": topic_facts(topic, claim), "settings": _settings(settings), "code": _code()}
    facts |= {"crawl": {name: value for name, value in claim.items() if name != "source"} | {"seeds": seeds}}
    installed = resources(settings)
    paths = {name: installed.path(name) if installed else None for name in RESOURCES}
    facts |= {"resources": {name: described(path, path.name) if path else None for name, path in paths.items()}}
    facts |= {"encoder": _encoder(settings)}
    with replacing(head) as text:
        text.write(json.dumps(facts, ensure_ascii=False, indent=1) + "\n")
    print(f"{counted(counts['texts'], 'text')} of {counted(counts['pages'], 'page')} locked in {head}")
    if counts["held"]:
        print(f"{counted(counts['held'], 'text')} not reproduced from the archive are in {body.name} themselves")
    return 0


def _line(data: Any) -> bytes:
    return (json.dumps(data, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def _topic_files(topic: Topic | None) -> Row:
    if topic is None or not (folder := Path(topic.source)).is_dir():
        return {}
    files = {file.name: file.read_text("utf-8-sig") for name in _TOPIC_FILES if (file := folder / name).is_file()}
    return {"name": topic.name, "files": files}


def _settings(settings: AnySettings) -> Row:
    """Return the settings with influence on texts, and the crawl's own settings other than the defaults."""
    from topical_crawler import settings as defaults

    places = {resource.setting for resource in RESOURCES.values()}
    found = {name: settings.get(name) for name in TEXT_SETTINGS}
    for name, default in defaults.own_settings().items():
        if not name.endswith(_PLACES) and name not in places and settings.get(name) != default:
            found[name] = settings.get(name)
    return {name: value if isinstance(value, int | float | dict) else str(value) for name, value in sorted(found.items())}


def _code() -> Row:
    """Return version and digest of the program, and versions of libraries with influence on texts."""
    package, lexicon = Path(topical_crawler.__file__).parent, data_folder()
    found = [(file.relative_to(package), file) for kind in ("*.py", "*.tsv") for file in package.rglob(kind)]
    found += [(Path("lexicon", file.name), file) for file in lexicon.glob("*.txt")] if isinstance(lexicon, Path) else []
    digest = hashlib.sha256()
    for name, file in sorted(found):
        digest.update(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {name.as_posix()}\n".encode())
    installed = {found.name.lower().replace("_", "-"): found.version for found in distributions()}
    libraries = {name: installed[name] for name in sorted(LIBRARIES & installed.keys())}
    facts = {"version": topical_crawler.__version__, "sha256": digest.hexdigest(), "python": platform.python_version()}
    return facts | {"libraries": libraries}


def _encoder(settings: AnySettings) -> Row:
    """Return the encoder's name, with the digests of the files of the bundled one."""
    from topical_crawler.meaning.bundled import DISTRIBUTION, folder_of_weights

    files: list[Row] = []
    if (name := encoder(settings)) == BUNDLED:
        with suppress(ValueError):  # it is not installed
            name = f"{name} ({DISTRIBUTION} {version(DISTRIBUTION)})"
            files = [described(file, file.name) for file in sorted(folder_of_weights().iterdir()) if file.suffix != ".py"]
    return {"name": name, "files": files}


# -- Reproducing


def reproduce(opts: argparse.Namespace, settings: AnySettings) -> int:
    head = Path(opts.lock).expanduser()
    facts = read_lock(head)
    for name in TEXT_SETTINGS:
        if not (isinstance(settings, ProjectSettings) and name in settings.given):
            settings.set(name, facts["settings"][name], priority="cmdline")
    body = head.with_name(Path(facts["pages"]["name"]).name)
    _check(body, facts["pages"], "Get the file of this lock")
    with _opened(archive_of(opts, str(head)), settings, opts.workers) as (recording, archive):
        given = {file.name: file for file in recording.files}
        for entry in facts["archive"]:
            if entry["name"] not in given:
                raise CorpusError(f"the archive lacks {entry['name']}. Name its folder with --archive")
            _check(given[entry["name"]], entry, "Get the locked archive")
        return live(body, archive, opts, settings) if opts.live else _again(opts, facts, body, archive, settings)


def read_lock(path: Path) -> Row:
    """Return the facts of a lock. Raise CorpusError for another file."""
    facts = None
    with suppress(ValueError, RecursionError):
        facts = json.loads(path.read_text("utf-8"))
    if not isinstance(facts, dict) or facts.get("program") != PROGRAM or facts.get("lock") != FORM:
        raise CorpusError(f"{path} is no lock of this program. Name a file NAME{SUFFIX} written by corpus lock")
    return facts


def _check(file: Path, entry: Mapping[str, Any], remedy: str) -> None:
    found = described(file, file.name)
    if found["sha256"] != entry["sha256"]:
        was = f"{found['bytes']:,} bytes, SHA-256 {found['sha256'][:16]}…, not {entry['bytes']:,} and {entry['sha256'][:16]}…"
        raise CorpusError(f"{file} is not the locked file ({was}). {remedy}")


def _lines(body: Path) -> Iterator[Row]:
    with gzip.open(body, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _again(opts: argparse.Namespace, facts: Row, body: Path, archive: Archive, settings: AnySettings) -> int:
    """Write the corpus of a lock, and compare its texts."""
    folder = CrawlFolder(opts.output)
    if folder.path.exists() and any(folder.path.iterdir()):
        raise CorpusError(f"{folder.path} is not empty. Name a new folder after -o")
    for warning in differences(facts["code"], _code()):
        print(f"topical-crawler corpus reproduce: {warning}", file=sys.stderr)
    lines = _lines(body)
    topic, hosts = next(lines)["topic"], next(lines)["hosts"]
    folder.path.mkdir(parents=True, exist_ok=True)
    claim = {name: value for name, value in facts["crawl"].items() if name != "seeds"}
    if topic:
        place = folder.path / "topic" / Path(topic["name"]).name
        place.mkdir(parents=True)
        for name in set(topic["files"]) & set(_TOPIC_FILES):
            (place / name).write_text(topic["files"][name], "utf-8", newline="")
        claim["source"] = str(place)
    with replacing(folder.claim_file) as text:
        text.write(json.dumps(claim, ensure_ascii=False, indent=1) + "\n")
    with CorpusStore(folder.corpus) as store, corpus_progress("reproducing") as show:
        for host in hosts:
            store.note_host(HostFacts(**host))
        asyncio.run(_write(store, lines, archive, lambda n: show("reproducing", n, facts["corpus"]["pages"])))
    made, expected = exported(str(folder.corpus), settings), facts["texts"]
    if made["sha256"] == expected["sha256"]:
        same = f"{counted(facts['corpus']['texts'], 'text')} in {folder.corpus}: the same {made['bytes']:,} bytes as locked"
        print(f"{same} (SHA-256 {made['sha256']})")
        return 0
    print(f"{folder.corpus}: {made['bytes']:,} bytes with SHA-256 {made['sha256']}, not the {expected['bytes']:,} of the lock")
    return 1


async def _write(store: CorpusStore, lines: Iterator[Row], archive: Archive, show: Any) -> None:
    waiting: deque[Row] = deque()

    def rows() -> Iterator[Record]:
        for line in lines:
            waiting.append(line)
            yield asked(line) if "without" in line else Record(**line)

    batch: list[Row] = []
    number = 0
    async for _, given in archive.texts(rows()):
        record = unpacked_row(waiting.popleft(), given)
        batch.append(values_of(record) | {"id": record.order})
        number += 1
        if len(batch) == 200:
            _insert(store, batch)
            batch = []
            show(number)
    _insert(store, batch)


def _insert(store: CorpusStore, batch: list[Row]) -> None:
    if batch:
        store.change(lambda connection: connection.execute(pages.insert(), batch))


def differences(locked: Row, now: Row) -> Iterator[str]:
    """Yield warnings of differences in code and libraries, with possible influence on texts.

    >>> list(differences({"sha256": "a", "libraries": {"lxml": "5"}}, {"sha256": "a", "libraries": {}}))
    ['locked with lxml 5, this is none; texts may differ']
    """
    if locked["sha256"] != now["sha256"]:
        yield f"locked by version {locked['version']} of other code, this is {now['version']}; texts may differ"
    for name in sorted({*locked["libraries"], *now["libraries"]}):
        then, here = (code["libraries"].get(name, "none") for code in (locked, now))
        if then != here:
            yield f"locked with {name} {then}, this is {here}; texts may differ"


# -- Changes on the web


def live(body: Path, archive: Archive, opts: argparse.Namespace, settings: AnySettings) -> int:
    """Fetch the kept pages again, and compare their texts with the archive."""
    from topical_crawler.cli.topic.fetch_pages import fetch_pages  # with Scrapy's engine

    rows = [asked(line) for line in islice(_lines(body), 2, None) if line["keep"]]
    rows = rows[: opts.limit]
    found: list[Row] = []

    async def texts(some: list[Record]) -> list[str]:
        return [plain(given) async for _, given in archive.texts(some)]

    for start in range(0, len(rows), _LIVE_BATCH):
        some = rows[start : start + _LIVE_BATCH]
        before = asyncio.run(texts(some))
        for row, text, fetched in zip(some, before, fetch_pages([row.url for row in some], settings), strict=True):
            state = fetched.reason or ("same" if text_hash(fetched.text) == text_hash(text) else "changed")
            gone, new = Counter(text.split("\n")), Counter(fetched.text.split("\n"))
            lines = {"lines_gone": (gone - new).total(), "lines_new": (new - gone).total()} if state == "changed" else {}
            found.append({"url": row.url, "fetched": row.fetched, "state": state} | lines)
    counts = Counter(entry["state"] for entry in found)
    if opts.json:
        print(json.dumps({"asked": now_utc(), "counts": counts, "pages": found}, ensure_ascii=False, indent=1))
        return 0
    print(f"{counted(len(found), 'page')} asked: " + ", ".join(f"{state} {n:,}" for state, n in counts.most_common()))
    for entry in found:
        if entry["state"] != "same":
            more = f" (-{entry['lines_gone']} +{entry['lines_new']} lines)" if entry["state"] == "changed" else ""
            print(f"  {printable(entry['state'])}{more}: {printable(entry['url'])}")
    return 0


# -- The command line


def _lock_arguments(parser: argparse.ArgumentParser) -> None:
    add_corpus(parser)
    parser.add_argument("-o", "--output", metavar="NAME", required=True, help=f"write NAME{SUFFIX} and NAME{PAGES}")
    parser.add_argument("--topic", metavar="TOPIC", help="name or folder of the topic (default: the crawl's)")
    parser.add_argument("--force", action="store_true", help="replace an earlier lock")
    add_archive(parser, "CORPUS")


def _reproduce_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lock", metavar="LOCK", help=f"a file NAME{SUFFIX}, its NAME{PAGES} beside it")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("-o", "--output", metavar="FOLDER", help="new folder for the corpus and its topic")
    what.add_argument("--live", action="store_true", help="fetch kept pages again and print changes, without writing anything")
    parser.add_argument("--limit", type=whole(1), metavar="N", help="with --live: only the first N pages")
    add_json(parser, "with --live: print pages as JSON")
    add_archive(parser, "LOCK")


ACTIONS = {
    "lock": Action(
        "Record all inputs of the texts of CORPUS with their digests: topic, code, settings, crawl, encoder, resources and "
        "archive. Each text is extracted from the archive again, and stored in the lock if it comes out differently. Give the "
        "crawl's own settings with -s.",
        _lock_arguments,
        lock,
    ),
    "reproduce": Action(
        "Make the corpus of a lock again from the archive, with the lock's settings, and compare the texts byte by byte. The "
        "exit status is 0 if they are the same. Nothing is fetched, except with --live.",
        _reproduce_arguments,
        reproduce,
    ),
}
