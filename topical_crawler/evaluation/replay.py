"""A recorded web: answers from a WARC file by URL, so that a crawl can be repeated to the page.

Only ``response`` records of http and https addresses answer; the first record of a URL wins. The index is made once and kept
beside the file.
"""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import re
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Self
from urllib.parse import quote, urlsplit, urlunsplit

import platformdirs

from topical_crawler.evaluation.warc import RecordingError, Response, parse, scan

_VERSION = "1"
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PORTS = {"http": ":80", "https": ":443"}


def equal_form(url: str) -> str:
    """One spelling for all that RFC 3986, sections 6.2.2 and 6.2.3, calls the same address: scheme and host in lower case, no
    default port, "/" for an empty path, percent-encoding only where needed and in upper case, other characters as UTF-8 bytes; no
    fragment, no empty query. Query, slashes at the end and scheme are left as they are: other addresses are other pages.

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
    host = parts.netloc.lower().removesuffix(_PORTS.get(scheme, ""))
    return urlunsplit((scheme, host, _plain(parts.path) or "/", _plain(parts.query), ""))


class Recording:
    """Random access to the responses of a WARC file (``.warc``, or ``.warc.gz`` with a gzip member per record, as WARC writers
    make it).

    Args:
        path: of the WARC file.
        cache_dir: folder for the index where the file's own folder is not writable; None: the user's cache folder.

    Raises:
        RecordingError: the file is missing or malformed.
    """

    def __init__(self, path: str | os.PathLike[str], cache_dir: str | os.PathLike[str] | None = None) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise RecordingError(f"{self.path}: there is no such file; name a WARC file (.warc or .warc.gz)")
        index = _index_path(self.path, Path(cache_dir or platformdirs.user_cache_path("topical_crawler", ensure_exists=True)))
        stamp = _stamp(self.path)
        if not _is_current(index, stamp):
            _make_index(self.path, index, stamp)
        self._index = sqlite3.connect(f"{index.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
        self._file = self.path.open("rb")
        self._data = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)

    def get(self, url: str) -> Response | None:
        """The recorded answer for ``url``: of the very same URL, else of the URL without its fragment, else of one that is the
        same address in another spelling (:func:`equal_form`); None if there is none.

        Raises:
            RecordingError: the record is broken.
        """
        place = self._place("url", url) or self._place("url", url.partition("#")[0]) or self._place("form", equal_form(url))
        if place is None:
            return None
        offset, length = place
        record = self._data[offset : offset + length]
        if record[:2] == b"\x1f\x8b":
            try:
                record = zlib.decompress(record, 31)
            except zlib.error as error:
                raise RecordingError(f"{self.path}, offset {offset}: broken record ({error}); fetch the file again") from None
        try:
            return parse(record)
        except ValueError as error:
            raise RecordingError(f"{self.path}, offset {offset}: {error}; record the page again") from None

    def urls(self) -> Iterator[str]:
        """The URLs that are recorded, in the order of the file."""
        for (url,) in self._index.execute("SELECT url FROM records ORDER BY offset"):
            yield url

    def __len__(self) -> int:
        return int(self._index.execute("SELECT count(*) FROM records").fetchone()[0])

    def __contains__(self, url: str) -> bool:
        return self._place("url", url.partition("#")[0]) is not None or self._place("form", equal_form(url)) is not None

    def close(self) -> None:
        """Let go of the files. Calling it twice is harmless."""
        self._data.close()
        self._file.close()
        self._index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _place(self, column: str, url: str) -> tuple[int, int] | None:
        found: tuple[int, int] | None = self._index.execute(
            f"SELECT offset, length FROM records WHERE {column} = ? ORDER BY offset LIMIT 1",
            (url.encode("utf-8", "replace").decode(),),
        ).fetchone()
        return found


def _index_path(path: Path, cache_dir: Path) -> Path:
    folder = path.absolute().parent
    # The mode counts too: the superuser may write everywhere, and a folder marked read-only is meant to stay as it is.
    if os.access(folder, os.W_OK) and folder.stat().st_mode & 0o222:
        return folder / f"{path.name}.index"
    cache_dir.mkdir(parents=True, exist_ok=True)
    digest = hashlib.blake2b(str(path.absolute()).encode(), digest_size=8).hexdigest()
    return cache_dir / f"{path.name}.{digest}.index"


def _stamp(path: Path) -> str:
    status = path.stat()
    return f"{_VERSION} {status.st_size} {status.st_mtime_ns}"


def _is_current(index: Path, stamp: str) -> bool:
    if not index.is_file():
        return False
    try:
        with contextlib.closing(sqlite3.connect(f"{index.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return bool(connection.execute("SELECT stamp = ? FROM made_from", (stamp,)).fetchone()[0])
    except sqlite3.DatabaseError:
        return False


def _make_index(path: Path, index: Path, stamp: str) -> None:
    """Written beside its place and renamed, so that several crawls may start at once."""
    part = index.with_name(f"{index.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    try:
        with contextlib.closing(sqlite3.connect(part)) as connection:
            connection.executescript(
                "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; CREATE TABLE made_from (stamp TEXT);"
                "CREATE TABLE records (url TEXT UNIQUE, form TEXT, offset INTEGER, length INTEGER);"
            )
            connection.execute("INSERT INTO made_from VALUES (?)", (stamp,))
            connection.executemany(
                "INSERT OR IGNORE INTO records VALUES (?, ?, ?, ?)", ((u, equal_form(u), at, size) for u, at, size in scan(path))
            )
            connection.execute("CREATE INDEX by_form ON records (form, offset)")
            connection.commit()
        part.replace(index)
    finally:
        part.unlink(missing_ok=True)


def _plain(text: str) -> str:
    def decoded(escape: re.Match[str]) -> str:
        character = chr(int(escape[0][1:], 16))
        return character if character in _UNRESERVED else escape[0].upper()

    return quote(_ESCAPE.sub(decoded, text), safe="!$%&'()*+,/:;=?@[]~", errors="replace")
