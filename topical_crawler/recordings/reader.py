"""Recorded web: responses from WARC, ARC and WACZ files by URL, for exactly repeatable crawls.

Only ``response`` records of http and https URLs count. For each URL the first with a status of 2xx wins, else the first of all,
in the order of the files and of their records. A URL with only a ``revisit`` record gets the response referred to. Truncated
records are skipped. The index of a file is built once and cached beside it.

warcio takes twice the time for one record at a known offset, and stops at the first broken one.
"""

from __future__ import annotations

import contextlib
import glob
import logging
import mmap
import os
import re
import sqlite3
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self
from urllib.parse import quote, urlsplit, urlunsplit

import platformdirs

from topical_crawler.files import beside
from topical_crawler.web.urls import PORTS, UNRESERVED

logger = logging.getLogger(__name__)

_WARC = (".warc", ".warc.gz")
RENDERED = "#rendered"  # URL suffix of a page after running its scripts, recorded beside the page as received
OPEN = ".open"  # suffix of a file being written, or left by a dead process
_TARGET = re.compile(rb"^WARC-Target-URI:[ \t]*<?(.*?)>?[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_RESPONSE, _REVISIT = (
    re.compile(rb"^WARC-Type:[ \t]*" + kind + rb"\b", re.IGNORECASE | re.MULTILINE) for kind in (b"response", b"revisit")
)
_REFERS = re.compile(rb"^WARC-Refers-To-Target-URI:[ \t]*<?(.*?)>?[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_DIGEST = re.compile(rb"^WARC-Payload-Digest:[ \t]*(\S+)", re.IGNORECASE | re.MULTILINE)
_ARC = re.compile(rb"((?:https?|dns|filedesc):[^\n]{1,4000}?) [^ \n]{1,100} \d{14} (?:[^\n]{0,400} )?(\d+)\r?\n")
_BEGIN = re.compile(rb"\x1f\x8b\x08|WARC/\d\.\d+\r\n[A-Za-z-]+:|" + _ARC.pattern)  # start of a record
_LENGTH = re.compile(rb"^Content-Length:[ \t]*(\d+)", re.IGNORECASE | re.MULTILINE)
_BLANK = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(r"HTTP/\d(?:\.\d)?\s+(\d{3})")
_GOOD = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+2\d\d\b")
_MOVED = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+30[12378]\b")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r\n")
_READ = 1 << 16
_HEAD = 1 << 16  # longest WARC header block, in bytes
_CUT = "the file ends within a record"


class RecordingError(Exception):
    """Unreadable WARC, ARC or WACZ file. The message names file, offset and fix."""


class NothingWholeError(RecordingError):
    """File ending within its first record."""


@dataclass(frozen=True, slots=True)
class Response:
    """Recorded response."""

    status: int  # HTTP status
    # Names and values as recorded, without `Transfer-Encoding` (`body` is whole), and without `Content-Encoding` if the
    # recorder had already decoded it.
    headers: tuple[tuple[str, str], ...]
    body: bytes  # as sent, compressed according to `Content-Encoding`

    def header(self, name: str) -> str:
        """Return the value of the first header of that name, "" if there is none."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")


def scan(path: Path) -> Iterator[tuple[str, int, int, int]]:
    """Yield URL, offset, length and rank of every answering record in the file at ``path``.

    The rank is 1 for a status of 2xx, 0 for any other, -1 for a revisit. For a revisit referring to its original by digest,
    yields the original's place with rank 0.

    Reads all WARC files in a WACZ file. Skips broken records with a warning, silently in an unfinished file (:data:`OPEN`).

    Raises:
        RecordingError: no record, or several in one gzip member.
    """
    unfinished = path.suffix == OPEN
    if path.stat().st_size == 0:
        if unfinished:
            return
        raise NothingWholeError(f"{path}: the file is empty. Record it again")
    gaps: list[tuple[int, str]] = []
    wanted: dict[bytes, list[str]] = {}  # digest → URLs of the revisits referring to it
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        parts, whole = _parts(path, data), False
        for offset, record in whole_records(data, parts, gaps):
            whole = True
            target = _TARGET.search(record.head)
            if not target or not target[1].lower().startswith((b"http:", b"https:")):
                continue
            url, length = target[1].decode("utf-8", "replace"), record.end - offset
            if _RESPONSE.search(record.head):
                yield url, offset, length, int(_GOOD.match(record.block) is not None)
            elif _REVISIT.search(record.head):
                moved = _MOVED.match(record.block) is not None  # names its own target, usually with an empty body
                if moved or _REFERS.search(record.head):
                    yield url, offset, length, -1
                if (digest := _DIGEST.search(record.head)) and not moved:
                    wanted.setdefault(digest[1], []).append(url)
        for offset, record in whole_records(data, parts, []) if wanted else ():
            if (digest := _DIGEST.search(record.head)) and _RESPONSE.search(record.head):
                yield from [(url, offset, record.end - offset, 0) for url in wanted.pop(digest[1], ())]
    if gaps and not unfinished:
        error = RecordingError if gaps[0][1] != _CUT else NothingWholeError
        place = f"{path}, offset {gaps[0][0]}: {gaps[0][1]}"
        if not whole:
            raise error(f"{place}. Fetch the file again, or try `warcio recompress` on it")
        logger.warning("%s. Skipped it and %d further broken parts", place, len(gaps) - 1)


def whole_records(
    data: mmap.mmap, parts: Sequence[tuple[int, int]], gaps: list[tuple[int, str]]
) -> Iterator[tuple[int, _Record]]:
    """Yield every whole record with its offset. Append anything else to ``gaps``, with a description of the fault."""
    for offset, last in parts:
        failed = False
        while offset < last:
            try:
                record = (_gzip_member if data[offset : offset + 2] == b"\x1f\x8b" else _plain_record)(data, offset)
            except (ValueError, zlib.error) as error:
                gaps += [] if failed else [(offset, str(error))]
                failed, begin = True, _BEGIN.search(data, offset + 1, last)
                offset = begin.start() if begin else last
            else:
                yield offset, record
                failed, offset = False, record.end


def _parts(path: Path, data: mmap.mmap) -> list[tuple[int, int]]:
    """Return start and end of the WARC files in a file: of a WARC file itself, or of all those in a WACZ file (a ZIP file)."""
    if data[:4] != b"PK\x03\x04":
        return [(0, len(data))]
    parts = []
    try:
        with zipfile.ZipFile(path) as packed:
            members = [member for member in packed.infolist() if member.filename.endswith(_WARC)]
        for member in members:
            if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & 1:
                raise RecordingError(
                    f"{path}: {member.filename} is compressed or encrypted. Unpack the file, and pass the folder"
                )
            start = member.header_offset + 30 + sum(struct.unpack_from("<HH", data, member.header_offset + 26))
            parts.append((start, start + member.file_size))
    except (zipfile.BadZipFile, NotImplementedError, struct.error) as error:
        raise RecordingError(f"{path}: {error}. Fetch the file again") from None
    if not parts:
        raise RecordingError(f"{path}: a ZIP file without a WARC file (.warc or .warc.gz). Pass a WACZ file")
    return sorted(parts)


class _Record(NamedTuple):
    """Header block of a record, the beginning of its content, and the end of the record and its trailing blank lines in the
    file."""

    head: bytes
    block: bytes
    end: int


def _gzip_member(data: mmap.mmap, offset: int) -> _Record:
    """Return the record at ``offset``, a separate gzip member."""
    inflate = zlib.decompressobj(31)
    start, size, position = b"", 0, offset
    while not inflate.eof:
        piece = inflate.unconsumed_tail
        if not piece:
            piece = data[position : position + _READ]
            position += len(piece)
        out = inflate.decompress(piece, 1 << 20)
        if not piece and not out:
            raise ValueError(_CUT)
        size += len(out)
        start += out[: max(0, _HEAD - len(start))]
    head, begin, length = _head(start)
    if size < begin + length:
        raise ValueError(f"the record is shorter than its Content-Length of {length}")
    if size > begin + length + 4:
        raise ValueError("more than one record in a gzip member, so single ones cannot be found")
    return _Record(head, start[begin : begin + 20], position - len(inflate.unused_data))


def _plain_record(data: mmap.mmap, offset: int) -> _Record:
    """Return the uncompressed record at ``offset``."""
    start = data[offset : offset + _HEAD]
    head, begin, length = _head(start)
    end = after = offset + begin + length
    if end > len(data):
        raise ValueError(_CUT)
    while data[after : after + 1] in (b"\r", b"\n"):
        after += 1
    if data[end : end + 4] != b"\r\n\r\n" and after < len(data) and not _BEGIN.match(data, after):
        raise ValueError(f"the record does not end after its length of {length}")
    return _Record(head, start[begin : begin + 20], after)


def _head(record: bytes) -> tuple[bytes, int, int]:
    """Return the header block of a record, the start of its content, and its length.

    Converts the line at the head of an ARC record to WARC headers.
    """
    if line := _ARC.match(record):
        return b"WARC-Type: response\r\nWARC-Target-URI: " + line[1], line.end(), int(line[2])
    end = record.find(b"\r\n\r\n")
    length = _LENGTH.search(record, 0, max(end, 0))
    if not record.startswith(b"WARC/") or length is None:
        raise ValueError("no WARC record begins here")
    return record[:end], end + 4, int(length[1])


def parse(record: bytes) -> Response:
    """Parse one whole, uncompressed WARC record of a response.

    Raises:
        ValueError: anything else, or a truncated record.
    """
    _, begin, length = _head(record)
    block = record[begin : begin + length]
    if len(block) < length:
        raise ValueError("the record is shorter than its Content-Length")
    end = _BLANK.search(block)
    lines = (block[: end.start()] if end else block).decode("latin-1").splitlines()
    status = _STATUS.match(lines[0]) if lines else None
    if status is None:
        raise ValueError("a response without an HTTP status line")
    headers: list[tuple[str, str]] = []
    for line in lines[1:]:
        if line[:1] in (" ", "\t") and headers:
            headers[-1] = (headers[-1][0], f"{headers[-1][1]} {line.strip()}")
        elif (name := line.partition(":"))[1]:
            headers.append((name[0].strip(), name[2].strip()))
    body = block[end.end() :] if end else b""
    coding = {name.lower(): value.lower() for name, value in headers}
    if "chunked" in coding.get("transfer-encoding", ""):
        body = _unchunk(body)
    gone = {"transfer-encoding"}
    if "gzip" in coding.get("content-encoding", "") and not body.startswith(b"\x1f\x8b"):
        gone.add("content-encoding")
    return Response(int(status[1]), tuple(pair for pair in headers if pair[0].lower() not in gone), body)


def _unchunk(body: bytes) -> bytes:
    """Return the body without chunk sizes. Leaves a whole body alone, since some recorders decode it but keep the header."""
    parts: list[bytes] = []
    position = 0
    while size := _CHUNK_SIZE.match(body, position):
        length = int(size[1], 16)
        if length == 0:
            return b"".join(parts)
        parts.append(body[size.end() : size.end() + length])
        position = size.end() + length + 2
    return b"".join(parts) if parts else body


# -- Answers by URL

_VERSION = "4"
_SUFFIXES = (*_WARC, ".wacz", ".arc", ".arc.gz")
_TABLE = "CREATE TABLE records (url TEXT UNIQUE, form TEXT, file INTEGER, offset INTEGER, length INTEGER, good INTEGER);"
_MOST_REVISITS = 4  # longest chain of revisits
_INSERT = "INSERT INTO records "
_BETTER = (
    " ON CONFLICT (url) DO UPDATE SET file = excluded.file, offset = excluded.offset, length = excluded.length, "
    "good = excluded.good WHERE excluded.good > records.good "
    "OR (excluded.good = records.good AND excluded.url LIKE '%/robots.txt')"  # the last rules are those in force
)
_IndexRow = tuple[str, str, int, int, int, int]
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")


def equal_form(url: str) -> str:
    """Return the canonical spelling of a URL, equal for all spellings equivalent by RFC 3986, sections 6.2.2 and 6.2.3.

    Scheme and host in lower case, no default port, "/" for an empty path, percent-encoding only where needed and in upper case,
    other characters as UTF-8 bytes, no fragment, no empty query. Query, trailing slashes and scheme stay, since they
    distinguish pages.

    >>> equal_form("HTTP://News.CN:80/%7ea/%e5%85%9a?q=党#top") == equal_form("http://news.cn/~a/党?q=%E5%85%9A")
    True
    >>> equal_form("http://news.cn") , equal_form("http://news.cn/a") == equal_form("http://news.cn/a/")
    ('http://news.cn/', False)
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    scheme = parts.scheme.lower()
    host = parts.netloc.lower().removesuffix(f":{PORTS.get(scheme)}")
    return urlunsplit((scheme, host, _plain(parts.path) or "/", _plain(parts.query), ""))


def is_index(name: str) -> bool:
    """Return True if a name denotes the index of an archive: a CDXJ file, or the URL of a CDX server.

    >>> is_index("https://index.commoncrawl.org/CC-MAIN-2024-10-index"), is_index("data/党建.cdxj.gz"), is_index("web.warc.gz")
    (True, True, False)
    """
    return name.startswith(("http://", "https://")) or name.endswith((".cdxj", ".cdxj.gz"))


def recorded_files(names: str | os.PathLike[str] | Sequence[Path]) -> list[Path]:
    """Return the WARC, ARC and WACZ files denoted by ``names``.

    ``names`` is a file, a folder (sorted by name, including unfinished ones, ``….open``), a pattern (``archive/*.warc.gz``), or
    several of these, in a sequence or separated by commas.

    Raises:
        RecordingError: no such file, or none in a folder.
    """
    if not isinstance(names, str | os.PathLike):
        return list(dict.fromkeys(file for name in names for file in recorded_files(name)))
    text = os.fspath(names)
    parts = [text] if Path(text).expanduser().exists() else [part.strip() for part in text.split(",") if part.strip()]
    paths: list[Path] = []
    for part in parts:
        if is_index(part):
            raise RecordingError(f"{part}: the index of an archive cannot be read here. Pass its files")
        path = Path(part).expanduser()
        if path.is_file():
            files, remedy = [path], ""
        else:
            entries = path.iterdir() if path.is_dir() else map(Path, glob.glob(str(path)))  # noqa: PTH207 - patterns may be absolute
            files = sorted(name for name in entries if name.name.removesuffix(OPEN).endswith(_SUFFIXES) and name.is_file())
            remedy = "Pass a WARC, ARC or WACZ file (.warc, .warc.gz, .arc.gz, .wacz), or a folder of them"
        if not files:
            raise RecordingError(f"{path}: no such file. {remedy}")
        paths += files
    return list(dict.fromkeys(paths))


class Recording:
    """Random access to the responses in WARC files (``.warc``, or ``.warc.gz`` with a gzip member per record, as usual), also
    inside WACZ files.

    ``files`` lists them in order of precedence. Of several robots.txt of a host the last one counts.

    Args:
        path: path of a WARC file, or any argument of :func:`recorded_files`.
        cache_dir: folder for the index if a file's own folder is not writable. None: the user's cache folder.

    Raises:
        RecordingError: a file is missing or malformed.
    """

    def __init__(self, path: str | os.PathLike[str] | Sequence[Path], cache_dir: str | os.PathLike[str] | None = None) -> None:
        self.files = recorded_files(path)
        cache = Path(cache_dir or platformdirs.user_cache_path("topical_crawler", ensure_exists=True))
        if len(self.files) == 1 and self.files[0].suffix != OPEN:
            self._index = open_index(self.files[0], cache, _rows)
        else:
            self._index = _joined_index(self.files, cache)

    def get(self, url: str, revisits: int = _MOST_REVISITS) -> Response | None:
        """Return the recorded response for ``url``, None if there is none.

        Tries the exact URL, then the URL without its fragment, then an equivalent spelling (:func:`equal_form`). A revisit,
        unless itself a redirect, yields the response it refers to, over at most ``revisits`` steps.

        Raises:
            RecordingError: a broken record.
        """
        place = find(self._index, url)
        if place is None:
            return None
        file, offset, length = place
        with self.files[file].open("rb") as opened:  # a mapping would keep everything read in memory
            opened.seek(offset)
            record = opened.read(length)
        try:
            record = zlib.decompress(record, 31) if record[:2] == b"\x1f\x8b" else record
            original = _REFERS.search(_head(record)[0])
            if original is None:
                return parse(record)
        except zlib.error as error:
            raise RecordingError(f"{self.files[file]}, offset {offset}: broken record ({error}). Fetch the file again") from None
        except ValueError as error:
            raise RecordingError(f"{self.files[file]}, offset {offset}: {error}. Record the page again") from None
        with contextlib.suppress(ValueError):  # many have no response of their own
            if (own := parse(record)).header("Location"):
                return own
        return self.get(original[1].decode("utf-8", "replace"), revisits - 1) if revisits else None

    def urls(self) -> Iterator[str]:
        """Yield the recorded URLs, in the order of the files."""
        for (url,) in self._index.execute("SELECT url FROM records ORDER BY file, offset"):
            yield url

    def __len__(self) -> int:
        return int(self._index.execute("SELECT count(*) FROM records").fetchone()[0])

    def __contains__(self, url: str) -> bool:
        return find(self._index, url) is not None

    def close(self) -> None:
        """Close the index. Idempotent."""
        self._index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def find(index: sqlite3.Connection, url: str) -> tuple[int, int, int] | None:
    """Return file, offset and length of the record answering ``url`` (:meth:`Recording.get`), from a connection of
    :func:`open_index`."""
    for column, value in (("url", url), ("url", url.partition("#")[0]), ("form", equal_form(url))):
        place: tuple[int, int, int] | None = index.execute(
            f"SELECT file, offset, length FROM records WHERE {column} = ? ORDER BY good DESC, file, offset LIMIT 1",
            (value.encode("utf-8", "replace").decode(),),
        ).fetchone()
        if place is not None:
            return place
    return None


def open_index(path: Path, cache_dir: Path, rows: Callable[[Path, list[str]], Iterable[_IndexRow]]) -> sqlite3.Connection:
    """Open the index of the file at ``path``, built from ``rows`` and cached beside it.

    ``rows`` may append file names to its list, stored in the table ``names``.
    """
    index = _current_index(path, cache_dir, rows)
    return sqlite3.connect(_uri(index, immutable=True), uri=True, check_same_thread=False)


def _uri(path: Path, *, immutable: bool = False) -> str:
    return f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if immutable else ''}"


def _current_index(path: Path, cache_dir: Path, rows: Callable[[Path, list[str]], Iterable[_IndexRow]]) -> Path:
    index, status = beside(path, ".index", cache_dir), path.stat()
    stamp = f"{_VERSION} {status.st_size} {status.st_mtime_ns}"
    if not _is_current(index, stamp):
        names: list[str] = []
        _make_index(index, stamp, rows(path, names), names)
    return index


def _joined_index(files: list[Path], cache_dir: Path) -> sqlite3.Connection:
    """Build one index of several files from their own, in a temporary database. Takes seconds for a million URLs."""
    joined = sqlite3.connect("", uri=True, check_same_thread=False, isolation_level=None)
    try:
        joined.executescript(f"PRAGMA journal_mode=OFF; {_TABLE}")
        for number, path in enumerate(files):
            if path.suffix == OPEN:  # not worth caching, as it is growing and will be renamed
                joined.executemany(f"{_INSERT} VALUES (?, ?, ?, ?, ?, ?) {_BETTER}", _rows(path, [], number))
                continue
            try:
                index = _current_index(path, cache_dir, _rows)
            except NothingWholeError as error:
                logger.warning("%s. Using the other files", error)
                continue
            joined.execute("ATTACH ? AS part", (_uri(index, immutable=True),))
            joined.execute(
                f"{_INSERT} SELECT url, form, ?, offset, length, good FROM part.records WHERE true ORDER BY offset {_BETTER}",
                (number,),
            )
            joined.execute("DETACH part")
        joined.execute("CREATE INDEX by_form ON records (form)")
    except BaseException:
        joined.close()
        raise
    return joined


def _rows(path: Path, names: list[str], number: int = 0) -> Iterator[_IndexRow]:
    for url, offset, length, good in scan(path):
        yield url, equal_form(url), number, offset, length, good


def _is_current(index: Path, stamp: str) -> bool:
    if not index.is_file():
        return False
    try:
        with contextlib.closing(sqlite3.connect(_uri(index), uri=True)) as connection:
            return bool(connection.execute("SELECT stamp = ? FROM made_from", (stamp,)).fetchone()[0])
    except sqlite3.DatabaseError:
        return False


def _make_index(index: Path, stamp: str, rows: Iterable[_IndexRow], names: list[str]) -> None:
    """Build the index under a temporary name and rename it, so several crawls may start at once."""
    part = index.with_name(f"{index.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    try:
        with contextlib.closing(sqlite3.connect(part)) as connection:
            connection.executescript(
                f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; CREATE TABLE made_from (stamp TEXT); {_TABLE}"
            )
            connection.execute("INSERT INTO made_from VALUES (?)", (stamp,))
            connection.executemany(f"{_INSERT} VALUES (?, ?, ?, ?, ?, ?) {_BETTER}", rows)
            connection.execute("CREATE INDEX by_form ON records (form)")
            connection.execute("CREATE TABLE names (file INTEGER PRIMARY KEY, name TEXT)")
            connection.executemany("INSERT INTO names VALUES (?, ?)", enumerate(names))
            connection.commit()
        part.replace(index)
    finally:
        part.unlink(missing_ok=True)


def _plain(text: str) -> str:
    def decoded(escape: re.Match[str]) -> str:
        character = chr(int(escape[0][1:], 16))
        return character if character in UNRESERVED else escape[0].upper()

    return quote(_ESCAPE.sub(decoded, text), safe="!$%&'()*+,/:;=?@[]~", errors="replace")
