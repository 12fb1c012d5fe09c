"""The archive of what was fetched: whole for other tools, also after a kill and on a full disk."""

import errno
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from corpus_tools import start
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator
from warcio.recordloader import ArcWarcRecord

from topical_crawler.recordings.writer import Archive, ArchiveError, Message, repair, whole_length

GET = Message("GET / HTTP/1.1", (("Host", b"www.a.cn"), ("Authorization", b"***")))
INFO = {"software": "topical_crawler", "description": "党建"}


def answer(body: bytes, *headers: tuple[str, bytes], status: str = "200 OK") -> Message:
    return Message(f"HTTP/1.1 {status}", (("Content-Type", b"text/html"), *headers), body)


def records(path: Path) -> list[tuple[ArcWarcRecord, bytes]]:
    with path.open("rb") as file:
        return [(record, record.raw_stream.read()) for record in ArchiveIterator(file, check_digests="raise")]


def checked(*paths: Path) -> str:
    """What ``warcio check`` says of the files; nothing where they are right."""
    line = [sys.executable, "-m", "warcio.cli", "check", *map(str, paths)]
    done = subprocess.run(line, capture_output=True, encoding="utf-8", check=False)
    return done.stdout + done.stderr if done.returncode else ""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_an_exchange_is_written_as_it_came(tmp_path: Path) -> None:
    body = bytes(range(256)) * 50
    when = datetime(2026, 11, 20, 8, 30, 0, 250_000, UTC)
    url = "http://www.a.cn/%E5%85%9A?q=%BD%A8"
    reply = answer(body, ("X-Party", "党 建=%20;".encode("gb18030")), ("Set-Cookie", b"a=1"), ("Set-Cookie", b"b=2"))
    with Archive(tmp_path, "party", INFO) as archive:
        archive.add(url, GET, reply, when, "127.0.0.1")
        archive.add(url, GET, answer(b"", status="404 Not Found"))
        assert names(tmp_path) == [".party-00001.warc.gz.open.lock", "party-00001.warc.gz.open"]
        assert len(records(tmp_path / "party-00001.warc.gz.open")) == 5  # flushed, and whole for others already
    assert names(tmp_path) == ["party-00001.warc.gz"]
    (info, fields), (asked, _), (answered, payload), *_, (gone, nothing) = records(tmp_path / "party-00001.warc.gz")
    assert (info.rec_type, info.rec_headers.protocol) == ("warcinfo", "WARC/1.1")
    assert info.rec_headers["WARC-Filename"] == "party-00001.warc.gz"
    assert "description: 党建\r\n" in fields.decode() and "format: WARC File Format 1.1\r\n" in fields.decode()
    assert (asked.rec_type, answered.rec_type) == ("request", "response")
    for record in (asked, answered):
        assert record.rec_headers["WARC-Target-URI"] == url
        assert record.rec_headers["WARC-Date"] == "2026-11-20T08:30:00.250000Z"
        assert record.rec_headers["WARC-IP-Address"] == "127.0.0.1"
        assert record.rec_headers["WARC-Payload-Digest"].startswith("sha1:")
    assert asked.rec_headers["WARC-Concurrent-To"] == answered.rec_headers["WARC-Record-ID"]
    assert answered.rec_headers["WARC-Concurrent-To"] == asked.rec_headers["WARC-Record-ID"]
    assert asked.http_headers["Host"] == "www.a.cn"
    assert payload == body
    assert [value for name, value in answered.http_headers.headers if name == "Set-Cookie"] == ["a=1", "b=2"]
    assert answered.http_headers["X-Party"].encode("latin-1") == "党 建=%20;".encode("gb18030")
    assert (gone.http_headers.get_statuscode(), nothing) == ("404", b"")
    assert checked(tmp_path / "party-00001.warc.gz") == ""


@given(
    st.lists(st.tuples(st.text("abcX-", min_size=1), st.binary(max_size=9)), max_size=4),
    st.binary(max_size=200),
    st.text(max_size=9),
)
def test_no_header_ends_its_line_early(headers: list[tuple[str, bytes]], body: bytes, phrase: str) -> None:
    head = Message(f"HTTP/1.1 200 {phrase}", tuple(headers), body).head()
    assert head.count(b"\r\n") == len(headers) + 2 and head.endswith(b"\r\n\r\n")
    assert b"\n" not in head.replace(b"\r\n", b"") and b"\r" not in head.replace(b"\r\n", b"")


def test_files_are_rotated_and_numbered_on(tmp_path: Path) -> None:
    noise = [os.urandom(6000) for _ in range(3)]
    for _ in range(2):
        with Archive(tmp_path, "core-processors", INFO, "w 1/2", megabytes=0.01) as archive:
            for body in noise:
                archive.add("http://a.cn/", GET, answer(body))
    assert names(tmp_path) == [f"core-processors-w_1_2-{n:05}.warc.gz" for n in (1, 2, 3, 4)]
    assert [len(records(tmp_path / name)) for name in names(tmp_path)] == [5, 3, 5, 3]
    assert checked(*tmp_path.iterdir()) == ""
    Archive(tmp_path, "core-processors", INFO).close()
    assert len(names(tmp_path)) == 4  # a file without an exchange is none


def test_workers_do_not_touch_each_others_files(tmp_path: Path) -> None:
    with Archive(tmp_path, "party", INFO, "one") as one, Archive(tmp_path, "party", INFO, "two") as two:
        twin = Archive(tmp_path, "party", INFO, "two")  # two crawls with the same names
        for archive in (one, two, twin):
            archive.add("http://a.cn/", GET, answer(b"page"))
        assert repair(tmp_path) == []
        twin.close()
    assert names(tmp_path) == ["party-one-00001.warc.gz", "party-two-00001.warc.gz", "party-two-00002.warc.gz"]
    assert [len(records(path)) for path in sorted(tmp_path.iterdir())] == [3, 3, 3]


WRITER = """
import os, sys
from topical_crawler.recordings.writer import *
archive = Archive(sys.argv[1], "party", {})
request, noise = Message("GET / HTTP/1.1", ()), os.urandom(100_000)
for n in range(1000):
    archive.add(f"http://a.cn/{n}", request, Message("HTTP/1.1 200 OK", (), noise))
    print(n, flush=True)
"""


def test_a_killed_writer_leaves_whole_records_and_the_next_one_repairs_the_file(tmp_path: Path) -> None:
    process = start(WRITER, tmp_path)
    assert process.stdout is not None
    said = [int(process.stdout.readline()) for _ in range(8)]
    process.kill()
    said += [int(line) for line in process.communicate()[0].split()]
    left = tmp_path / "party-00001.warc.gz.open"
    assert left.is_file() and not left.with_suffix("").exists()
    with left.open("ab") as file:
        file.write(left.read_bytes()[:1000])  # as if it had been killed within a record
    with Archive(tmp_path, "party", INFO) as archive:
        archive.add("http://a.cn/", GET, answer(b"page"))
    assert names(tmp_path) == ["party-00001.warc.gz", "party-00002.warc.gz"]
    found = [record.rec_headers["WARC-Target-URI"] for record, _ in records(tmp_path / "party-00001.warc.gz")]
    assert found.count(f"http://a.cn/{said[-1]}") == 2 and len(found) >= 1 + 2 * len(said)
    assert checked(*tmp_path.iterdir()) == ""


def test_what_is_broken_is_cut_off_wherever_it_broke(tmp_path: Path) -> None:
    with Archive(tmp_path / "whole", "party", INFO) as archive:
        ends = []
        for n in range(3):
            archive.add(f"http://a.cn/{n}", GET, answer(b"page" * n))
            ends.append((tmp_path / "whole/party-00001.warc.gz.open").stat().st_size)
    data = (tmp_path / "whole/party-00001.warc.gz").read_bytes()
    members = [i for i in range(len(data)) if data[i : i + 3] == b"\x1f\x8b\x08"] + [len(data)]
    path = tmp_path / "cut.warc.gz.open"
    for size in range(0, len(data) + 1, 7):
        path.write_bytes(data[:size])
        assert whole_length(path) == max(m for m in members if m <= size)
    path.write_bytes(data[: ends[1]] + b"\0" * 4096)
    assert whole_length(path) == ends[1]
    path.write_bytes(data[:20])
    assert repair(tmp_path) == [] and names(tmp_path) == ["whole"]


def test_a_full_disk_leaves_the_exchanges_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = Archive(tmp_path, "party", INFO)
    archive.add("http://a.cn/1", GET, answer(b"first"))
    real = archive._file
    assert real is not None

    class Full:
        def write(self, data: Any) -> int:
            if len(data) < 300:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real.write(data[:100])

        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

    monkeypatch.setattr(archive, "_file", Full())
    with pytest.raises(ArchiveError, match=r"party-00001\.warc\.gz\.open.*No space left on device.*Free disk space"):
        archive.add("http://a.cn/2", GET, answer(b"second"))
    monkeypatch.setattr(archive, "_file", real)
    archive.add("http://a.cn/3", GET, answer(b"third"))
    archive.close()
    archive.close()
    found = [record.rec_headers["WARC-Target-URI"] for record, _ in records(tmp_path / "party-00001.warc.gz")]
    assert found == [None, *2 * ["http://a.cn/1"], *2 * ["http://a.cn/3"]]


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ArchiveError, match=r"file.*the archive cannot be written.*Free disk space"):
        Archive(tmp_path / "file", "party", INFO)
