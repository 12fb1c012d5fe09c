"""Indexes of web archives (CDX): the WARC file and byte range of each URL's response, for reading single records.

An index is a CDXJ file, or a server queried for one URL at a time with a JSON object a line as response, such as those of
Common Crawl and pywb. cdx_toolkit, the usual client, sleeps and retries without end within the event loop.
"""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from topical_crawler.recordings.reader import RecordingError, Response, equal_form, find, open_index, parse

COMMON_CRAWL = "https://data.commoncrawl.org/"  # files of the indexes at https://index.commoncrawl.org/
MOST_CAPTURES = 50  # captures of one URL requested from a server
MOST_UNPACKED = 64_000_000  # bytes of a decompressed record


class Capture(NamedTuple):
    """Recorded response of one URL."""

    filename: str  # of the WARC file
    offset: int  # in the file, in bytes
    length: int  # of the compressed record, in bytes
    good: bool  # True for a status of 2xx


def read_line(line: str) -> tuple[str, Capture] | None:
    """Parse URL and capture of an index line, None for a record without a response of its own.

    Raises:
        ValueError: the line has another form.

    >>> read_line('cn,a)/ 2024 {"url": "http://a.cn/", "status": "200", "filename": "党.warc.gz", "offset": "9", "length": 5}')
    ('http://a.cn/', Capture(filename='党.warc.gz', offset=9, length=5, good=True))
    """
    begin = line.find("{")
    try:
        fields: dict[str, Any] = json.loads(line[begin:]) if begin >= 0 else {}
        url, status = str(fields["url"]), str(fields.get("status") or "")
        capture = Capture(str(fields["filename"]), int(fields["offset"]), int(fields["length"]), status.startswith("2"))
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(
            f"not a line of a CDXJ index with url, filename, offset and length ({type(error).__name__}: {error})"
        ) from None
    if not capture.filename or capture.offset < 0 or capture.length <= 0:
        raise ValueError(f"not a range of a file: {capture}")
    if fields.get("mime") == "warc/revisit" or not url.startswith(("http://", "https://")):
        return None
    return url, capture


def query(server: str, url: str) -> str:
    """Return the URL for asking a CDX server about ``url``.

    >>> query("https://index.commoncrawl.org/CC-MAIN-2024-10-index", "http://a.cn/党")
    'https://index.commoncrawl.org/CC-MAIN-2024-10-index?url=http%3A%2F%2Fa.cn%2F%E5%85%9A&output=json&limit=50'
    """
    asked = urlencode({"url": url.partition("#")[0], "output": "json", "limit": MOST_CAPTURES})
    return f"{server}{'&' if '?' in server else '?'}{asked}"


def best_capture(answer: str, url: str) -> Capture | None:
    """Return the first successful capture listed by a server for ``url``, else the first one.

    Raises:
        ValueError: the response has another form.
    """
    found: list[Capture] = []
    for line in answer.splitlines():
        read = read_line(line) if line.strip() else None
        if read is not None and equal_form(read[0]) == equal_form(url):
            found.append(read[1])
    return next((capture for capture in found if capture.good), found[0] if found else None)


def place_of(filename: str, folder: str) -> str:
    """Return the path or URL of a WARC file in a folder, itself a path or URL.

    >>> place_of("crawl-data/党.warc.gz", "https://data.commoncrawl.org"), place_of("a.warc.gz", "archive")
    ('https://data.commoncrawl.org/crawl-data/%E5%85%9A.warc.gz', 'archive/a.warc.gz')
    """
    if filename.startswith(("http://", "https://")):
        return filename
    if folder.startswith(("http://", "https://")):
        return f"{folder.rstrip('/')}/{quote(filename.lstrip('/'))}"
    return str(Path(folder).expanduser() / filename)


def read_range(path: str, capture: Capture) -> bytes:
    """Read the bytes of a capture in a file.

    Raises:
        RecordingError: the file cannot be read.
    """
    try:
        with Path(path).open("rb") as file:
            file.seek(capture.offset)
            return file.read(capture.length)
    except OSError as error:
        raise RecordingError(
            f"{path}: {error.strerror}, but it is in the index. Set TOPICAL_REPLAY_DATA to the folder of the files"
        ) from None


def answer_of(record: bytes, place: str, capture: Capture) -> Response:
    """Return the response in a record.

    Raises:
        RecordingError: a broken record, or one decompressing beyond :data:`MOST_UNPACKED`.
    """
    try:
        if record[:2] == b"\x1f\x8b":
            packed = zlib.decompressobj(31)
            record = packed.decompress(record, MOST_UNPACKED)
            if packed.unconsumed_tail:
                raise ValueError("more than fits")
        return parse(record)
    except (ValueError, zlib.error) as error:
        raise RecordingError(
            f"{place}, offset {capture.offset}: not the record of a response ({error}). Use the index of these files"
        ) from None


class IndexFile:
    """CDXJ file, possibly compressed (``.gz``), as made by cdxj-indexer and warcio. A table of it is built once and cached
    beside it.

    Raises:
        RecordingError: the file cannot be read. The message names the line.
    """

    def __init__(self, path: str, cache_dir: Path) -> None:
        self.path = Path(path).expanduser()
        if not self.path.is_file():
            raise RecordingError(f"{path}: no such file")
        self._index = open_index(self.path, cache_dir, _rows)

    def find(self, url: str) -> Capture | None:
        """Return the capture answering ``url``, by the rules of :meth:`Recording.get`, None if there is none."""
        place = find(self._index, url)
        if place is None:
            return None
        (name,) = self._index.execute("SELECT name FROM names WHERE file = ?", place[:1]).fetchone()
        return Capture(str(name), place[1], place[2], True)

    def close(self) -> None:
        """Close the index."""
        self._index.close()


def _rows(path: Path, names: list[str]) -> Iterator[tuple[str, str, int, int, int, int]]:
    numbers: dict[str, int] = {}
    opened: Any = gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # noqa: SIM115 - closed below
    with closing(opened) as file:
        for number, line in enumerate(_lines(file, path), 1):
            if not line.strip() or (number == 1 and line.startswith("!")):
                continue
            try:
                read = read_line(line)
            except ValueError as error:
                raise RecordingError(f"{path}, line {number}: {error}. Make the index with cdxj-indexer") from None
            if read is not None:
                url, capture = read
                if capture.filename not in numbers:
                    numbers[capture.filename] = len(names)
                    names.append(capture.filename)
                yield url, equal_form(url), numbers[capture.filename], capture.offset, capture.length, capture.good


def _lines(file: io.BufferedIOBase, path: Path) -> Iterable[str]:
    try:
        for line in file:
            yield line.decode("utf-8", "replace")
    except (OSError, EOFError, zlib.error) as error:
        raise RecordingError(f"{path}: {error}. Fetch the file again") from None
