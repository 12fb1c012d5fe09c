"""What lies at a path is told by its name or its content."""

import subprocess
import sys
from pathlib import Path

import pytest

from topical_crawler.sources import SourceError, open_source


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("zhwiki-latest-pages-articles.xml.bz2", b"", "wikipedia"),
        ("zhwiki.XML", b"", "wikipedia"),
        ("export", b"\xef\xbb\xbf\n<mediawiki>", "wikipedia"),
        ("export", b'<?xml version="1.0"?>', "wikipedia"),
        ("news.jsonl", b"", "jsonl"),
        ("news.2026.jsonl.gz", b"", "jsonl"),
        ("wiki_00", b' {"text": "a"}', "jsonl"),
        ("data.json", b'{"text": "a"}', "jsonl"),
        ("a.txt", b"{", "text"),
        ("copy.db", b"SQLite format 3\0....", "corpus"),
    ],
)
def test_kinds(tmp_path: Path, name: str, content: bytes, kind: str) -> None:
    (tmp_path / name).write_bytes(content)
    source = open_source(str(tmp_path / name))
    assert (source.kind, source.path, source.done, source.skipped) == (kind, tmp_path / name, 0.0, {})


@pytest.mark.parametrize("name", ["nothing", "unknown.bin", "packed.7z", "text.txt.gz", "cut.gz"])
def test_nothing_that_can_be_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "unknown.bin").write_bytes(b"%PDF")
    (tmp_path / "packed.7z").write_bytes(b"7z\xbc\xaf")
    (tmp_path / "text.txt.gz").write_bytes(b"text")
    (tmp_path / "cut.gz").write_bytes(b"\x1f\x8b\x08")
    with pytest.raises(SourceError, match=f"{name}: .*(Pass|Fetch)"):
        open_source(tmp_path / name)


def test_what_is_heavy_is_imported_only_where_it_is_needed() -> None:
    heavy = ("sqlalchemy", "gensim", "opencc", "scrapy")
    code = f"import sys, topical_crawler.sources; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
