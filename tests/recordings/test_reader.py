"""Recordings: look-up, random access, odd encodings, broken files."""

import gzip
import io
import os
import random
import re
import time
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warc_tools import write_warc
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from topical_crawler.recordings.reader import Recording, RecordingError, equal_form

HTML = {"Content-Type": "text/html; charset=utf-8"}
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", params=["web.warc.gz", "web.warc", "web.wacz"])
def recording(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Recording:
    tmp_path = tmp_path_factory.mktemp("recording")
    chunked, zipped = HTML | {"Transfer-Encoding": "chunked"}, HTML | {"Content-Encoding": "gzip"}
    answers = [
        ("http://a.cn/", 200, HTML, "首页".encode()),
        ("http://a.cn/go", 301, {"Location": "http://a.cn/", "Set-Cookie": "x=1"}, b""),
        ("http://a.cn/", 200, HTML, b"second"),
        ("http://a.cn/党 建?q=支部", 200, HTML, "中文地址".encode()),
        ("https://a.cn/none", 404, HTML, b"gone"),
        ("http://a.cn/chunked", 200, chunked, b"6;x=y\r\n\xe5\x85\x9a\xe5\xbb\xba\r\n3\r\nabc\r\n0\r\n\r\n"),
        ("http://a.cn/unchunked", 200, chunked, b"<html>whole"),
        ("http://a.cn/gzip", 200, zipped, gzip.compress(b"packed")),
        ("http://a.cn/ungzip", 200, zipped, b"<html>unpacked"),
        ("http://a.cn/empty", 204, {}, b""),
        ("http://a.cn/big", 200, HTML, random.Random(1).randbytes(3_000_000)),
        ("http://a.cn/last", 200, HTML, b"last\r\n\r\n"),
    ]
    path = tmp_path / request.param
    if path.suffix == ".wacz":
        halves = answers[:5], answers[5:]
        files = [write_warc(tmp_path / f"{n}.warc.gz", half, compressed=True) for n, half in enumerate(halves)]
        return Recording(packed(path, *files))
    return Recording(write_warc(path, answers, compressed=path.suffix == ".gz"))


def packed(path: Path, *files: Path, compression: int = zipfile.ZIP_STORED) -> Path:
    """A WACZ file with WARC files, beside what else such files hold."""
    with zipfile.ZipFile(path, "w", compression) as pack:
        pack.writestr("datapackage.json", "{}", zipfile.ZIP_DEFLATED)
        for file in files:
            pack.write(file, f"archive/{file.name}")
        pack.writestr("indexes/index.cdx.gz", b"", zipfile.ZIP_DEFLATED)
    return path


def record(
    url: str,
    kind: str = "response",
    fields: Mapping[str, str] | None = None,
    body: bytes | None = None,
    status: str = "200 OK",
    headers: Mapping[str, str] = HTML,
) -> bytes:
    """A record of a page of http://a.cn/, packed; a revisit has no body."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True)
    head = StatusAndHeaders(status, list(headers.items()), protocol="HTTP/1.1") if status else None
    content = io.BytesIO((b"page" if body is None else body) if kind == "response" else b"")
    writer.write_record(
        writer.create_warc_record(
            urljoin("http://a.cn/", url), kind, payload=content, http_headers=head, warc_headers_dict=dict(fields or {})
        )
    )
    return out.getvalue()


def body(recording: Recording, url: str) -> bytes | None:
    found = recording.get(url)
    return found.body if found else None


def test_answers_are_as_recorded(recording: Recording) -> None:
    moved = recording.get("http://a.cn/go")
    assert moved is not None
    assert (moved.status, moved.header("location")) == (301, "http://a.cn/")
    assert (moved.header("SET-COOKIE"), moved.header("x")) == ("x=1", "")
    gone = recording.get("https://a.cn/none")
    assert gone is not None
    assert (gone.status, gone.body, gone.headers) == (404, b"gone", (("Content-Type", "text/html; charset=utf-8"),))
    assert body(recording, "http://a.cn/last") == b"last\r\n\r\n"
    assert len(body(recording, "http://a.cn/big") or b"") == 3_000_000
    assert body(recording, "http://a.cn/empty") == b""


def test_the_first_record_of_a_url_wins(recording: Recording) -> None:
    assert body(recording, "http://a.cn/") == "首页".encode()
    assert len(recording) == 11
    assert list(recording.urls())[:2] == ["http://a.cn/", "http://a.cn/go"]


def test_codings_are_undone_as_far_as_the_recorder_left_them(recording: Recording) -> None:
    assert body(recording, "http://a.cn/chunked") == "党建abc".encode()
    assert body(recording, "http://a.cn/unchunked") == b"<html>whole"
    packed, unpacked = recording.get("http://a.cn/gzip"), recording.get("http://a.cn/ungzip")
    assert packed is not None and unpacked is not None
    assert (packed.header("content-encoding"), gzip.decompress(packed.body)) == ("gzip", b"packed")
    assert (unpacked.header("content-encoding"), unpacked.body) == ("", b"<html>unpacked")


def test_other_spellings_of_an_address_are_found_and_other_addresses_are_not(recording: Recording) -> None:
    same = ("http://a.cn/#top", "HTTP://A.cn", "http://a.cn:80/", "http://a.cn/%67o")
    for url in (*same, "http://a.cn/%E5%85%9A%20%e5%bb%ba?q=%E6%94%AF%E9%83%A8"):
        assert recording.get(url) is not None and url in recording, url
    others = ("https://a.cn/", "http://www.a.cn/", "http://a.cn/go/", "http://a.cn/GO", "http://a.cn/?q=1")
    for url in (*others, "", "a.cn", "http://[", "http://a.cn:81/"):
        assert recording.get(url) is None and url not in recording, url


@given(st.text(alphabet=st.sampled_from("aZ~%2fE5-._?&=#/党 建:@+|[]"), max_size=30))
def test_the_common_form_is_its_own_common_form(rest: str) -> None:
    once = equal_form(f"http://a.cn/{rest}")
    assert equal_form(once) == once
    assert once.isascii()


def test_an_answer_that_succeeded_goes_before_the_first_one(tmp_path: Path) -> None:
    answers = [
        ("http://a.cn/busy", 503, HTML, b"wait"),
        ("http://a.cn/gone", 404, HTML, b"gone"),
        ("http://a.cn/busy", 200, HTML, b"page"),
        ("http://a.cn/gone", 500, HTML, b"broken"),
        ("http://a.cn/busy", 200, HTML, b"later"),
        ("http://a.cn:80/busy?", 301, HTML, b"elsewhere"),
    ]
    with Recording(write_warc(tmp_path / "web.warc.gz", answers)) as recording:
        assert (body(recording, "http://a.cn/busy"), body(recording, "http://a.cn/gone")) == (b"page", b"gone")
        assert body(recording, "HTTP://a.cn/busy") == b"page"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A folder of three files, the last of which is still being written."""
    folder = tmp_path / "archive"
    folder.mkdir()
    write_warc(folder / "web-00001.warc.gz", [("http://a.cn/1", 503, HTML, b"one, busy"), ("http://a.cn/2", 200, HTML, b"two")])
    write_warc(
        folder / "web-00002.warc", [("http://a.cn/1", 200, HTML, b"one"), ("http://a.cn/2", 200, HTML, b"late")], compressed=False
    )
    last = write_warc(folder / "web-00003.warc.gz.open", [(f"http://a.cn/{n}", 200, HTML, os.urandom(500)) for n in (1, 3, 4)])
    last.write_bytes(last.read_bytes()[:-100])
    (folder / "notes.txt").write_text("no WARC file")
    return folder


@pytest.mark.parametrize(
    "given", ["{0}", "{0}/web-00001.warc.gz,{0}/web-00002.warc, {0}/web-00003.warc.gz.open", "{0}/web-*", "{0}/*1.warc.gz,{0}"]
)
def test_several_files_answer_as_one(archive: Path, tmp_path: Path, given: str) -> None:
    for _ in range(2):
        with Recording(given.format(archive), tmp_path) as recording:
            assert [path.name for path in recording.files] == ["web-00001.warc.gz", "web-00002.warc", "web-00003.warc.gz.open"]
            assert [body(recording, f"http://a.cn/{n}") for n in (1, 2, 4)] == [b"one", b"two", None]
            assert len(body(recording, "http://A.cn/3") or b"") == 500
            assert list(recording.urls()) == ["http://a.cn/2", "http://a.cn/1", "http://a.cn/3"]
            assert len(recording) == 3 and "http://a.cn/3#top" in recording
    made = {path.name for path in archive.iterdir() if path.suffix == ".index"}
    assert made == {"web-00001.warc.gz.index", "web-00002.warc.index"}


def test_files_in_a_sequence_answer_in_its_order(archive: Path, tmp_path: Path) -> None:
    files = [archive / "web-00002.warc", archive / "web-00001.warc.gz"]
    with Recording(files, tmp_path) as recording:
        assert recording.files == files
        assert [body(recording, f"http://a.cn/{n}") for n in (1, 2)] == [b"one", b"late"]


def test_more_files_than_are_held_open(tmp_path: Path) -> None:
    for n in range(70):
        write_warc(tmp_path / f"web-{n:05}.warc.gz", [(f"http://a.cn/{n}", 200, HTML, str(n).encode())])
    with Recording(tmp_path) as recording:
        for n in (*range(70), *range(70)):
            assert body(recording, f"http://a.cn/{n}") == str(n).encode()


def test_places_without_a_recording_are_named(tmp_path: Path, archive: Path) -> None:
    (tmp_path / "empty").mkdir()
    for place in (tmp_path / "empty", f"{archive},{tmp_path}/none.warc.gz", f"{archive}/*.none"):
        with pytest.raises(RecordingError, match=r"no such file\. Pass a "):
            Recording(place)
    (archive / "web-00004.warc.gz").write_bytes(b"rubbish" * 10)
    with pytest.raises(RecordingError, match=r"web-00004.warc.gz, offset 0: no WARC record"):
        Recording(archive)


def test_the_index_is_made_once_and_again_when_the_file_changes(tmp_path: Path) -> None:
    path = write_warc(tmp_path / "web.warc.gz", [("http://a.cn/1", 200, HTML, b"one")])
    Recording(path).close()
    index = tmp_path / "web.warc.gz.index"
    made = index.stat().st_mtime_ns
    Recording(path).close()
    assert index.stat().st_mtime_ns == made
    write_warc(path, [("http://a.cn/2", 200, HTML, b"another")])
    with Recording(path) as again:
        assert body(again, "http://a.cn/2") == b"another"
        assert again.get("http://a.cn/1") is None
    index.write_bytes(b"no index")
    with Recording(path) as again:
        assert body(again, "http://a.cn/2") == b"another"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["web.warc.gz", "web.warc.gz.index"]


def test_a_folder_marked_read_only_stays_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    path = write_warc(folder / "web.warc.gz", [("http://a.cn/1", 200, HTML, b"one")])
    folder.chmod(0o555)
    try:
        with Recording(path, tmp_path / "cache") as recording:
            assert body(recording, "http://a.cn/1") == b"one"
        assert [p.name for p in folder.iterdir()] == ["web.warc.gz"]
        assert len(list((tmp_path / "cache").iterdir())) == 1
    finally:
        folder.chmod(0o755)


@pytest.mark.parametrize("kind", ["request", "metadata", "resource"])
def test_only_answers_of_the_web_answer(kind: str, tmp_path: Path) -> None:
    path = write_warc(tmp_path / "web.warc.gz", [("http://a.cn/1", 200, HTML, b"one")], kind=kind)
    with Recording(path) as recording:
        assert len(recording) == 0


def test_a_wacz_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    warc = write_warc(tmp_path / "a.warc.gz", [("http://a.cn/", 200, HTML, b"x" * 5000)], compressed=True)
    squeezed = packed(tmp_path / "squeezed.wacz", warc, compression=zipfile.ZIP_DEFLATED)
    cut = tmp_path / "cut.wacz"
    cut.write_bytes(packed(tmp_path / "whole.wacz", warc).read_bytes()[:-40])
    for file, said in (
        (squeezed, "archive/a.warc.gz is compressed"),
        (packed(tmp_path / "empty.wacz"), "without a WARC file"),
        (cut, "not a zip file. Fetch"),
    ):
        with pytest.raises(RecordingError, match=rf"{re.escape(str(file))}: .*{said}"):
            Recording(file)


def records(folder: Path, compressed: bool = True, numbers: Iterable[int] = range(3)) -> list[bytes]:
    """Records of pages, which begin with their numbers."""
    pages = [(f"http://a.cn/{n}", 200, HTML, str(n).encode() + random.Random(n).randbytes(500)) for n in numbers]
    return [write_warc(folder / "record", [page], compressed=compressed).read_bytes() for page in pages]


def answering(place: Path, cache: Path) -> str:
    """The numbers of the pages that answer."""
    with Recording(place, cache) as recording:
        found = {n: recording.get(f"http://a.cn/{n}") for n in range(5)}
        assert all(answer.body.startswith(str(n).encode()) and len(answer.body) == 501 for n, answer in found.items() if answer)
        return "".join(str(n) for n, answer in found.items() if answer)


# What is made of three records, what answers, packed.
BROKEN: dict[str, tuple[Callable[[bytes, bytes, bytes], bytes], str, bool]] = {
    "cut at the end": (lambda a, b, c: a + b + c[:-100], "01", True),
    "cut by a byte": (lambda a, b, c: a + b + c[:-1], "01", True),
    "cut in the middle": (lambda a, b, c: a + b[:-100] + c, "02", True),
    "cut at the beginning": (lambda a, b, c: a[:-100] + b + c, "12", True),
    "cut in its head": (lambda a, b, c: a + b + c[:40], "01", True),
    "damaged": (lambda a, b, c: a + b[:40] + b"\0" * 60 + b[100:] + c, "02", True),
    "checksum": (lambda a, b, c: a + b[:-8] + bytes([b[-8] ^ 1]) + b[-7:] + c, "02", True),
    "rubbish between": (lambda a, b, c: a + b"rubbish" + b + b"\0" * 512 + c, "012", True),
    "plain, cut at the end": (lambda a, b, c: a + b + c[:-100], "01", False),
    "plain, cut in the middle": (lambda a, b, c: a + b[:-100] + c, "02", False),
    "plain, too long": (lambda a, b, c: a + b[:-104] + b"\r\n\r\n" + c, "02", False),
    "plain, rubbish between": (lambda a, b, c: a + b"rubbish\n" + b + c, "012", False),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_record_that_is_not_whole_is_left_out_alone(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    make, answers, compressed = BROKEN[name]
    path = tmp_path / "web.warc.gz"
    path.write_bytes(make(*records(tmp_path, compressed)))
    assert answering(path, tmp_path) == answers
    assert len(caplog.records) == 1 and f"{path}, offset " in caplog.text


def test_a_file_without_a_whole_record_does_not_silence_others(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "archive"
    folder.mkdir()
    (folder / "a.warc.gz").write_bytes(records(tmp_path)[0][:-100])
    (folder / "b.warc.gz").write_bytes(b"".join(records(tmp_path, numbers=(1, 2))))
    (folder / "c.warc.gz").touch()
    assert answering(folder, tmp_path) == "12"
    assert [record.getMessage().partition(". ")[2] for record in caplog.records] == [
        "Fetch the file again, or try `warcio recompress` on it. Using the other files",
        "Record it again. Using the other files",
    ]


def test_broken_files_are_named_with_the_offset(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no such file"):
        Recording(tmp_path / "none.warc.gz")
    whole, plain = b"".join(records(tmp_path)), records(tmp_path, False)[0]
    cases = {
        "empty": (b"", "the file is empty"),
        "text": ("不是录像".encode() * 50, "offset 0: no WARC record begins here"),
        "gzipped": (gzip.compress(b"no record at all" * 10), "offset 0: no WARC record begins here"),
        "cut": (whole[:500], "offset 0: the file ends within a record"),
        "cut-plain": (plain[:-100], "offset 0: the file ends within a record"),
        "one-member": (gzip.compress(gzip.decompress(whole)), "offset 0: more than one record in a gzip member"),
    }
    for name, (data, message) in cases.items():
        path = tmp_path / f"{name}.warc.gz"
        path.write_bytes(data)
        with pytest.raises(RecordingError, match=message) as error:
            Recording(path)
        assert str(path) in str(error.value)
        assert not list(tmp_path.glob(f"{name}*.part")) and not list(tmp_path.glob(f"{name}*.index"))


PAGE = "http://a.cn/page"
DIGEST = {"WARC-Payload-Digest": "sha1:OZYBHTQO4D3NPIDVQ6IS5ORRATH2VPAV"}  # of the page


def refers_to(name: str) -> dict[str, str]:
    return {"WARC-Refers-To-Target-URI": f"http://a.cn/{name}", "WARC-Refers-To-Date": "2024-03-01T00:00:00Z"}


REFERS = refers_to("page")
REVISITS: dict[str, tuple[list[bytes], str | None]] = {  # records, and the body or the target of http://a.cn/again
    "by its address": ([record(PAGE), record("again", "revisit", REFERS)], "page"),
    "before its original": ([record("again", "revisit", REFERS), record(PAGE)], "page"),
    "without HTTP headers": ([record(PAGE), record("again", "revisit", REFERS, status="")], "page"),
    "not modified": ([record(PAGE), record("again", "revisit", REFERS, status="304 Not Modified")], "page"),
    "by its digest": ([record(PAGE, fields=DIGEST), record("again", "revisit", DIGEST)], "page"),
    "by its digest, before": ([record("again", "revisit", DIGEST), record(PAGE, fields=DIGEST)], "page"),
    "of a revisit": ([record(PAGE), record("other", "revisit", REFERS), record("again", "revisit", refers_to("other"))], "page"),
    "a redirect": ([record(PAGE), record("again", "revisit", REFERS, status="302 Found", headers={"Location": "/x"})], "/x"),
    "beside an answer": ([record("again", "revisit", REFERS), record(PAGE), record("again", body=b"own")], "own"),
    "of nothing, by its digest": ([record(PAGE, fields=DIGEST), record("again", "revisit", DIGEST | refers_to("x"))], "page"),
    "a redirect by the digest of its body": (
        [record(PAGE, fields=DIGEST), record("again", "revisit", DIGEST, status="301 Moved", headers={"Location": "/y"})],
        "/y",
    ),
    "of nothing": ([record("again", "revisit", REFERS)], None),
    "of itself": ([record("again", "revisit", refers_to("again"))], None),
    "without a name": ([record(PAGE), record("again", "revisit")], None),
}


@pytest.mark.parametrize("name", REVISITS)
def test_a_revisit_gives_the_answer_that_it_refers_to(name: str, tmp_path: Path) -> None:
    parts, found = REVISITS[name]
    (tmp_path / "web.warc.gz").write_bytes(b"".join(parts))
    with Recording(tmp_path / "web.warc.gz") as recording:
        answer = recording.get("http://a.cn/again")
        assert (answer and (answer.header("Location") or answer.body.decode())) == found


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("name", ["web.arc", "web.arc.gz"])
def test_arc_files_answer(name: str, version: int, tmp_path: Path) -> None:
    def entry(url: str, content: bytes) -> bytes:
        more = "" if version == 1 else "200 - - 0 web.arc "
        head = f"{url} 10.0.0.1 20050101000000 text/html {more}{len(content)}\n"
        return head.encode() + content + b"\n"

    answers = [b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n%d" % n + random.Random(n).randbytes(500) for n in range(3)]
    parts = [entry("filedesc://web.arc", b"1 0 X\nURL IP-address Archive-date Content-type Archive-length\n")]
    parts += [entry(f"http://a.cn/{n}", answer) for n, answer in enumerate(answers)]
    parts[2] = parts[2][:-100]
    packed = [gzip.compress(part) if name.endswith(".gz") else part for part in parts]
    (tmp_path / name).write_bytes(b"".join(packed))
    assert answering(tmp_path, tmp_path / "cache") == "02"


@pytest.mark.slow
def test_a_real_recording_as_warcio_reads_it_and_quickly(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = ROOT.parent / "shared/data/web/dev-web.warc.gz"
    if not path.is_file():
        pytest.skip("the evaluation data is not there (../shared/data/web)")
    with Recording(path, tmp_path) as recording:
        assert len(recording) == 13_310
        with path.open("rb") as file:
            for n, record in enumerate(ArchiveIterator(file)):
                if n % 40 == 0:
                    found = recording.get(record.rec_headers.get_header("WARC-Target-URI"))
                    assert found is not None
                    assert str(found.status) == record.http_headers.get_statuscode()
                    assert found.body == record.content_stream().read()
                if n == 2000:
                    break
        urls = random.Random(1).sample(list(recording.urls()), 1000)
        times = []
        for url in urls:
            started = time.process_time()
            recording.get(url)
            times.append(time.process_time() - started)
        assert sorted(times)[500] < 0.0005
