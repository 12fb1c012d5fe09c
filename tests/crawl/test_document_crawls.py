"""A crawl reads the attachments of pages, with what the pages say of them, only where it is told to."""

from __future__ import annotations

import re
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

import docx
import pytest
from crawl_tools import Reply, Site, article, crawl, rows
from document_tools import Typed, ofd, pdf, set_columns
from scrapy.settings import Settings
from scrapy.utils.project import get_project_settings

from topical_crawler.cli.corpus import rebuild
from topical_crawler.config import document_formats
from topical_crawler.corpus.record import Record
from topical_crawler.crawl.options import CrawlError
from topical_crawler.export.manifest import Facts, Tally, manifest
from topical_crawler.export.parquet import body
from topical_crawler.export.rows import as_dict
from topical_crawler.frontier.sqlite import SqliteFrontier

PARAGRAPHS, OTHERS = (
    [text for name in names for text in re.findall("<p>(.*?)</p>", article(name))]
    for names in (("东山", "西河", "北关", "中街", "后沟"), ("南坪",))
)
NOTICE = '<meta property="article:published_time" content="2024-03-08T09:00:00+08:00">'
NOTICE += '<meta name="ContentSource" content="清河党建网">'
OCTETS = "application/octet-stream"
OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000)


def word(text: str) -> bytes:
    made, out = docx.Document(), BytesIO()
    made.add_paragraph(text * 4)
    made.save(out)
    return out.getvalue()


def site() -> Site:
    two_columns = set_columns(PARAGRAPHS, heads=("党建研究",), title="支部主题教育情况汇编")
    attached = {"/a.pdf": "附件1：党建汇编.pdf", "/b.docx": "附件2：党员登记办法.docx", "/get?f=3": "党建公报"}
    attached |= {"/scan.pdf": "党建扫描件", "/old.doc": "党建旧件", "/get?f=old": "党建旧件"}
    files = {"3": ofd([Typed([(60, 90 + 20 * n, 10.5, text[:40]) for n, text in enumerate(OTHERS)])]), "old": OLD}
    return Site(
        {
            "/": Reply(article("首页", {"/notice.html": "党建通知"})),
            "/notice.html": Reply(article("通知", attached, head=NOTICE)),
            "/a.pdf": Reply(pdf(two_columns), content_type="application/pdf"),
            "/b.docx": Reply(word("党支部按照本办法登记党员，主题教育期间不再另行通知。"), content_type=OCTETS),
            "/get": lambda path: Reply(files[path.rpartition("=")[2]], content_type=OCTETS),
            "/scan.pdf": Reply(pdf([Typed()] * 2), content_type="application/pdf"),
            "/old.doc": Reply(OLD, content_type="application/msword"),
        }
    )


def by_path(data: Path) -> dict[str, Record]:
    return {urlsplit(row.url)._replace(scheme="", netloc="").geturl(): row for row in rows(data)}


@pytest.fixture(scope="module")
def crawled(topic: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    data = tmp_path_factory.mktemp("documents") / "data"
    with site() as server:
        given = {"DOWNLOAD_DELAY": 0, "TOPICAL_QUALITY": 0, "TOPICAL_DOCUMENTS": "pdf,docx,ofd", "TOPICAL_ARCHIVE": 1}
        assert crawl(topic, data, f"{server.url}/", **given).code == 0
        yield data


def test_texts_of_attachments_have_what_their_page_says_of_them(crawled: Path) -> None:
    found = by_path(crawled)
    told = "2024-03-08", "清河党建网"
    assert {path: (row.title, row.method, row.date, row.source) for path, row in found.items() if row.kind == "document"} == {
        "/a.pdf": ("支部主题教育情况汇编", "pdf", *told),
        "/b.docx": ("党员登记办法", "docx", *told),
        "/get?f=3": ("党建公报", "ofd", *told),
    }
    row = found["/a.pdf"]
    assert row.text is not None and row.text.split("\n") == PARAGRAPHS and row.size > 1000
    assert row.why["announced"] == {"title": "通知", "date": told[0], "source": told[1]}
    assert row.why["anchor"] == "附件1：党建汇编.pdf" and row.why["parent"].endswith("/notice.html")


def test_what_cannot_be_read_has_its_reason_and_old_files_of_word_are_not_fetched(crawled: Path) -> None:
    found = by_path(crawled)
    reasons = {path: row.reason for path, row in found.items() if row.reason}
    assert reasons == {"/scan.pdf": "document without text", "/get?f=old": "old Word format"}
    assert found["/scan.pdf"].size == len(pdf([Typed()] * 2)) and found["/scan.pdf"].status == 200
    with closing(SqliteFrontier(crawled / "frontier.sqlite")) as frontier:
        assert frontier.status().dropped == {"file type": 1}


def test_a_corpus_is_rebuilt_with_its_documents(crawled: Path, tmp_path: Path) -> None:
    new = tmp_path / "new" / "corpus.sqlite"
    options = Namespace(corpus=str(crawled), output=str(new), archive=None, workers=1, missing="drop")
    assert rebuild.run(options, Settings({**get_project_settings(), "TOPICAL_QUALITY": 0})) == 0
    assert rows(new.parent) == rows(crawled)


def test_card_and_manifest_count_documents_by_format(crawled: Path) -> None:
    tally = Tally()
    for row in rows(crawled):
        if row.keep:
            tally.add(as_dict(row))
    counts = {"article": 2, "document (pdf)": 1, "document (docx)": 1, "document (ofd)": 1}
    assert manifest(tally, Facts(), "jsonl", [], None, [])["kinds"] == counts
    assert "article 2" in (card := body("党建", tally, Facts(), None)) and "document (ofd) 1" in card


@pytest.mark.parametrize(
    ("given", "said"),
    [("pdf,doc", "'doc': files of Word before 2007 are not read; there are pdf, docx, ofd"), ("exe", "'exe': there are pdf")],
)
def test_a_format_that_is_not_read_is_refused(given: str, said: str) -> None:
    with pytest.raises(CrawlError, match=said):
        document_formats(Settings({"TOPICAL_DOCUMENTS": given}))


def test_a_missing_package_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    monkeypatch.delitem(sys.modules, "pypdfium2", raising=False)
    with pytest.raises(CrawlError, match=r"pypdfium2 is not installed. Run pip install 'topical-crawler\[documents\]'"):
        document_formats(Settings({"TOPICAL_DOCUMENTS": ["docx", "pdf"]}))
    assert document_formats(Settings({"TOPICAL_DOCUMENTS": ".DOCX ofd"})) == ("docx", "ofd")


def test_a_package_of_pdf_files_that_is_too_old_counts_as_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    metadata = "Name: pypdfium2\nVersion: 5.7.2\n"
    for name, text in (("pypdfium2/__init__.py", ""), ("pypdfium2-5.7.2.dist-info/METADATA", metadata)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "pypdfium2", raising=False)
    with pytest.raises(CrawlError, match=r"pypdfium2>=5\.8 is not installed"):
        document_formats(Settings({"TOPICAL_DOCUMENTS": "pdf"}))
