"""Articles of a Wikipedia dump."""

import bz2
import gzip
import tracemalloc
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from dump_tools import DumpPage, make_dump, make_large_dump, make_pages, page_xml

from topical_crawler.sources import Document, SourceError, open_source, wikipedia

HEAD = b'<mediawiki version="0.11"><siteinfo><base>https://zh.wikipedia.org/wiki/Wikipedia:X</base></siteinfo>'
TAIL = b"</mediawiki>"


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dump") / "zhwiki-20261101-pages-articles-multistream.xml.bz2"
    make_dump(path, articles=120)
    return path


def page(title: str, text: str = "正文", **kind: str) -> bytes:
    return page_xml(DumpPage(title, text, **kind), 1).encode()  # type: ignore[arg-type]


def titles(path: Path, *, tolerant: bool = True) -> tuple[list[str], dict[str, int]]:
    source = open_source(path, tolerant=tolerant)
    return [document.title for document in source], dict(source.skipped)


def test_articles_are_what_a_reader_sees(dump: Path) -> None:
    source = open_source(dump)
    found = {document.title: document for document in source}
    expected = {page.title: page.plain for page in make_pages(120) if page.plain}
    assert {title: document.text for title, document in found.items()} == expected
    assert source.skipped == {"other namespace": 50, "redirect": 30, "disambiguation": 10, "empty": 10}
    assert (source.kind, source.done) == ("wikipedia", 1.0)
    document = found["三会一课"]
    assert document.url == "https://zh.wikipedia.org/wiki/三会一课"
    assert document.fields["id"].isdigit()
    assert any("會" in document.text for document in found.values())  # traditional characters stay


def test_every_iteration_starts_anew(dump: Path) -> None:
    source = open_source(dump)
    first = next(iter(source))
    assert source.done < 1
    assert list(source) == list(source)
    assert next(iter(source)) == first
    assert sum(source.skipped.values()) < 10


def test_compressions_give_the_same(dump: Path, tmp_path: Path) -> None:
    plain, gzipped, unnamed = (tmp_path / name for name in ("zhwiki.xml", "zhwiki.xml.gz", "zhwiki.dump"))
    plain.write_bytes(bz2.decompress(dump.read_bytes()))
    gzipped.write_bytes(gzip.compress(plain.read_bytes()))
    unnamed.write_bytes(dump.read_bytes())
    expected = list(open_source(dump))
    assert all(list(open_source(path)) == expected for path in (plain, gzipped, unnamed))


def test_progress_follows_the_compressed_bytes(tmp_path: Path) -> None:
    make_large_dump(tmp_path / "large.xml.bz2", 0.8)
    source = open_source(tmp_path / "large.xml.bz2")
    done = [source.done for _ in source]
    assert done == sorted(done)
    assert 0.2 < done[len(done) // 2] < 0.95


def test_addresses_and_kinds_of_pages(tmp_path: Path) -> None:
    path = tmp_path / "zhwiki.xml"
    pages = [
        page("C# 语言?"),
        page("旧转向", "#重定向 [[甲]]"),
        page("人名", "甲\n{{人名消歧义|a}}"),
        page("提示", "正文{{需要消歧义|date=2026}}{{消歧义链接}}"),
        page("数据", "{}", model="json"),
        page("模板而已", "{{小作品}}"),
        page("坏", "\ufffd\ufffd文"),
    ]
    path.write_bytes(HEAD + b"".join(pages) + TAIL)
    source = open_source(path)
    documents = list(source)
    assert [(d.title, d.url.rpartition("/")[2]) for d in documents] == [("C# 语言?", "C%23_语言%3F"), ("提示", "提示")]
    assert source.skipped == {"redirect": 1, "disambiguation": 1, "not wikitext": 1, "empty": 1, "undecodable": 1}


def test_the_last_revision_counts(tmp_path: Path) -> None:
    path = tmp_path / "history.xml"
    revisions = "".join(f"<revision><id>{n}</id><text>第{n}版</text></revision>" for n in (1, 2))
    path.write_bytes(HEAD + f"<page><title>甲</title><ns>0</ns><id>7</id>{revisions}</page>".encode() + TAIL)
    url = "https://zh.wikipedia.org/wiki/甲"
    assert list(open_source(path)) == [Document("第2版", "甲", url, {"id": "7"})]


def test_a_dump_of_another_wiki_and_encoding() -> None:
    """A piece of the real Bulgarian dump, in UTF-16, that comes with gensim's tests."""
    package = find_spec("gensim")
    assert package is not None and package.submodule_search_locations
    path = Path(package.submodule_search_locations[0], "test/test_data/bgwiki-latest-pages-articles-shortened.xml.bz2")
    if not path.is_file():
        pytest.skip("this gensim was installed without its tests")
    first, *_ = open_source(path)
    assert (first.title, first.url) == ("Григориански календар", "https://bg.wikipedia.org/wiki/Григориански_календар")
    assert first.text.startswith("Григорианският календар (понякога наричан и Грегориански календар")
    assert "{{" not in first.text and "[[" not in first.text


@pytest.mark.parametrize("share", [0.5, 0.99])
def test_a_dump_cut_off(dump: Path, tmp_path: Path, share: float) -> None:
    path = tmp_path / "cut.xml.bz2"
    whole = dump.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    expected = [document.title for document in open_source(dump)]
    source = open_source(path)
    found: list[str] = []
    with pytest.raises(SourceError, match=r"cut\.xml\.bz2, near byte [\d,]+ of [\d,]+, .*cut off. Fetch the dump again"):
        found.extend(document.title for document in source)
    read, skipped = titles(path)
    assert read == expected[: len(read)]
    assert skipped["truncated"] == 1
    assert len(read) > (share - 0.5) * len(expected)


@pytest.mark.parametrize(
    ("xml", "reason", "message"),
    [
        (HEAD + page("甲"), "truncated", "after the page '甲': the XML ends too early"),
        (HEAD + page("甲") + b"<page><title>x</page>" + page("乙"), "broken xml", "XML line [0-9]+: mismatched tag"),
        (HEAD + page("甲") + page("乙").replace("正文".encode(), b"\xff\xfe"), "broken xml", "not well-formed"),
        (HEAD + page("甲") + b"<a>" * 1000, "broken xml", "nested more than 16 deep"),
        (HEAD + page("甲") + b'<page a="' + b"x" * (3 << 20) + b'">', "broken xml", "longer than 1 MB"),
        (HEAD + page("甲") + b"<!--" + b"x" * (3 << 20) + b"-->", "broken xml", "longer than 1 MB"),
        (b"", "truncated", "before the first page: the XML ends too early"),
        (b'<?xml version="1.0" encoding="x-no"?>' + HEAD, "broken xml", "unknown encoding"),
        (b'<!DOCTYPE m [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>' + HEAD + page("甲", "&b;"), "broken xml", "document type"),
        (b'<!DOCTYPE m SYSTEM "file:///etc/hostname">' + HEAD + page("甲"), "broken xml", "document type"),
    ],
)
def test_broken_and_harmful_xml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, xml: bytes, reason: str, message: str) -> None:
    monkeypatch.setattr(wikipedia, "MAX_MARKUP", 1 << 20)
    path = tmp_path / "zhwiki.xml"
    path.write_bytes(xml)
    with pytest.raises(SourceError, match=message) as told:
        list(open_source(path))
    assert "Fetch the dump again" in str(told.value)
    found, skipped = titles(path)
    assert found == (["甲"] if b"</page>" in xml and not xml.startswith(b"<!DOCTYPE") else [])
    assert skipped == {reason: 1}


def test_compressed_data_that_are_broken(dump: Path, tmp_path: Path) -> None:
    path = tmp_path / "zhwiki.xml.bz2"
    whole = bytearray(dump.read_bytes())
    middle = whole.find(b"BZh9", len(whole) // 2)
    whole[middle + 4 : middle + 14] = bytes(10)
    path.write_bytes(whole)
    with pytest.raises(SourceError, match="compressed data are broken"):
        list(open_source(path))
    found, skipped = titles(path)
    assert found and skipped["damaged"] == 1


@pytest.mark.parametrize("tolerant", [True, False])
def test_other_xml_is_never_taken_for_a_dump(tmp_path: Path, tolerant: bool) -> None:
    path = tmp_path / "feed.xml"
    path.write_bytes(b"<rss><channel/></rss>")
    with pytest.raises(SourceError, match="root element is <rss>, not"):
        list(open_source(path, tolerant=tolerant))


def test_a_huge_page_is_left_out_and_memory_stays_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wikipedia, "MAX_PAGE", 100_000)
    path = tmp_path / "zhwiki.xml.bz2"

    def stream() -> Iterator[bytes]:
        yield HEAD + page("甲") + b"<page><title>big</title><ns>0</ns><id>2</id><revision><id>3</id><text>"
        yield from ["党的建设 [[x]]\n".encode() * 10_000] * 30
        yield b"</text></revision></page>" + page("乙") + TAIL

    with bz2.open(path, "wb", 1) as out:
        out.writelines(stream())
    tracemalloc.start()
    assert titles(path, tolerant=False) == (["甲", "乙"], {"too long": 1})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3_000_000  # of 5.7 MB of text, where 100,000 characters are kept


def test_a_dump_of_an_old_schema_is_refused(tmp_path: Path) -> None:
    page = "<page><title>党建</title><id>1</id><revision><id>2</id><text>党建工作。</text></revision></page>"
    (tmp_path / "old.xml").write_text(f'<mediawiki version="0.4">{page}</mediawiki>', encoding="utf-8")
    with pytest.raises(SourceError, match=r"old\.xml: the page '党建' has no <ns>.* Pass"):
        list(open_source(tmp_path / "old.xml"))
