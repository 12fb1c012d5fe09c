"""Attachments: their text in reading order without what belongs to the page, and files that are none, or are made to do harm."""

import io
import random
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import docx
import pytest
from document_tools import Typed, ofd, pdf, set_columns
from docx.enum.text import WD_ALIGN_PARAGRAPH
from text_scores import ngram_f1

from topical_crawler.extraction import documents, office, readers
from topical_crawler.extraction.documents import BROKEN, ENCRYPTED, OLD_FORMAT, SCANNED, TOO_LONG, Document, as_html, format_of
from topical_crawler.extraction.extract import CRASHED, TIMED_OUT, extract
from topical_crawler.extraction.office import read_docx
from topical_crawler.extraction.pool import DocumentPool
from topical_crawler.extraction.readers import MOST_PAGES, read_document
from topical_crawler.text.passages import Passage, plain

ROOT = Path(__file__).resolve().parents[2]
Writer = Callable[[Sequence[Typed]], bytes]
WRITERS = pytest.mark.parametrize("write", [pdf, ofd], ids=["pdf", "ofd"])
HEADS = ("党建研究 2024年第3期", "关于基层支部工作的调查")
TITLE = "关于印发支部工作办法的通知"
URL = "http://www.example.cn/2024/0301/P020240301.pdf"


def paragraphs(number: int = 40) -> list[str]:
    """Paragraphs that differ, of one to nine lines."""
    draw = random.Random(4)
    parts = [
        "各级党组织",
        "要扎实开展",
        "主题教育",
        "，",
        "推动全面从严治党",
        "向基层延伸",
        "，",
        "支部",
        "与群众",
        "面对面商量",
        "办法",
    ]
    return [f"第{'甲乙丙丁戊己庚辛壬癸'[n % 10]}段{''.join(draw.choices(parts, k=draw.randint(8, 50)))}。" for n in range(number)]


def read(body: bytes) -> Document:
    return read_document(body, format_of(body))


def scores(found: Document, wanted: list[str]) -> float:
    return ngram_f1(plain(found.passages), "\n".join(wanted))


# -- Text as it is set


@WRITERS
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_columns_are_read_one_after_the_other_without_heads_and_page_numbers(write: Writer, columns: int) -> None:
    wanted = paragraphs()
    pages = set_columns(wanted, columns=columns, heads=HEADS, title=TITLE)
    assert len(pages) > 1
    for page in pages:
        random.Random(1).shuffle(page.lines)  # a file may draw them in any order
    found = read(write(pages))
    assert (found.title, found.reason) == (TITLE, "")
    assert [passage.text for passage in found.passages] == wanted
    assert not any(head in passage.text for head in HEADS for passage in found.passages)


def test_characters_that_are_set_one_by_one_are_read_whatever_fonts_the_machine_has() -> None:
    wanted = "2024年，各级党组织（含机关）要扎实开展主题教育，Scrapy也能读。"
    page, x = Typed(), 60.0
    for character in wanted:
        page.set(x, 100, character)
        x += 5.25 if character.isascii() else 10.5
    page.set(60, 118, "。")
    assert plain(read(pdf([page])).passages) == wanted + "。"


def test_the_font_of_boxes_is_what_its_script_makes(tmp_path: Path) -> None:
    made = tmp_path / "boxes.ttf"
    subprocess.run([sys.executable, ROOT / "benchmarks/box_font.py", made], check=True)
    assert made.read_bytes() == (ROOT / "topical_crawler/extraction/boxes.ttf").read_bytes()


def test_a_last_column_of_one_line_is_told_by_the_pages_before() -> None:
    for number in range(30, 50, 2):
        wanted = paragraphs(number)
        assert [passage.text for passage in read(ofd(set_columns(wanted, heads=HEADS, title=TITLE))).passages] == wanted


@WRITERS
def test_a_head_of_a_table_on_every_other_page_takes_no_line_of_the_text_with_it(write: Writer) -> None:
    pages = [Typed() for _ in range(6)]
    for number, page in enumerate(pages):
        page.set(60, 80, "项目名称与说明" if number % 2 else f"第{'一二三四五六'[number]}页的第一行文字。")
        for row in range(1, 20):
            page.set(60, 80 + 18 * row, f"{'甲乙丙丁戊己庚辛壬癸'[row % 10]}组第{'一二三四五六'[number]}页的文字。")
    text = plain(read(write(pages)).passages)
    assert [f"第{n}页的第一行文字。" in text for n in "一三五"] == [True] * 3 and "项目名称" not in text


@WRITERS
def test_a_heading_across_both_columns_stands_between_what_is_above_and_below_it(write: Writer) -> None:
    above, below = set_columns(paragraphs(4), title=TITLE), set_columns([p.replace("段", "节") for p in paragraphs(4)])
    page = Typed([*above[0].lines[:-1]])
    middle = max(y for _, y, _, _ in page.lines) + 50
    page.set(60, middle, "二、新时代基层支部工作的几点经验与今后的工作打算和安排", 16)
    page.lines += [(x, y + middle - 56, size, text) for x, y, size, text in below[0].lines[:-1]]
    texts = [passage.text for passage in read(write([page])).passages]
    (at,) = (n for n, text in enumerate(texts) if text.startswith("二、"))
    assert {text[2] for text in texts[:at]} == {"段"} and {text[2] for text in texts[at + 1 :]} == {"节"}


@WRITERS
def test_paragraphs_headings_tables_and_signature_of_an_official_document(write: Writer) -> None:
    page = Typed()
    page.set(150, 90, "清河县人民政府文件", 24)
    page.set(170, 150, "关于做好夏季防汛工作的", 18)
    page.set(240, 178, "通知", 18)
    lines = ["  一、总体要求", "  各乡镇要坚持人民至上、生命至上，压实责任，落实落细各项措施，确保全县", "安全度汛。"]
    lines += ["  （一）加强值守", "  严格执行领导带班制度，遇有险情立即报告。"]
    for n, line in enumerate(lines):
        text = line.lstrip()
        page.set(90 + 12 * (len(line) - len(text)), 230 + 22 * n, text, 12)
    for n, row in enumerate((("乡镇", "雨量", "水位"), ("东山", "12", "3.5"), ("西河", "30", "4.1"))):
        for m, cell in enumerate(row):
            page.set(110 + 120 * m, 370 + 22 * n, cell, 12)
    page.set(360, 480, "2024年6月3日", 12)
    found = read(write([page]))
    assert found.title == "关于做好夏季防汛工作的通知"
    assert found.passages == [
        Passage("清河县人民政府文件", "heading", 2),
        Passage("一、总体要求", "heading", 2),
        Passage("各乡镇要坚持人民至上、生命至上，压实责任，落实落细各项措施，确保全县安全度汛。"),
        Passage("（一）加强值守", "heading", 3),
        Passage("严格执行领导带班制度，遇有险情立即报告。"),
        Passage("乡镇\t雨量\t水位\n东山\t12\t3.5\n西河\t30\t4.1", "table"),
        Passage("2024年6月3日"),
    ]
    page_of = extract(as_html(found, "pdf"), "http://www.example.cn/a.pdf", fetched="2025-01-01T00:00:00+00:00")
    assert (page_of.title, page_of.date, page_of.kind, page_of.method) == (found.title, "2024-06-03", "document", "pdf")
    assert page_of.text == plain(found.passages) and page_of.layout[-1][2] == "table"


@pytest.mark.parametrize("turned", [False, True])
def test_turned_pages_watermarks_and_what_is_printed_twice(turned: bool) -> None:
    wanted = paragraphs()
    pages = set_columns(wanted, heads=HEADS, title=TITLE)
    for page in pages:
        page.turned, page.watermark = turned, "征求意见稿"
        page.lines += [(x + 0.4, y, size, text) for x, y, size, text in page.lines[3:9]]
    found = read(pdf(pages))
    assert (found.title, [passage.text for passage in found.passages]) == (TITLE, wanted)


def test_words_of_latin_letters_keep_their_spaces_and_a_radical_is_the_character_that_it_looks_like() -> None:
    page = Typed()
    page.set(60, 100, "⽂件由 Python 3 and Scrapy 生成，")
    page.set(60, 118, "⽤于测试。这一行还有几个字。")
    assert read(pdf([page])).passages == [Passage("文件由 Python 3 and Scrapy 生成，用于测试。这一行还有几个字。")]


def word(body: str, **parts: str) -> list[Passage]:
    """The passages of a Word file of these parts, written as Word writes them."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for name, content in {"document": f"<w:body>{body}</w:body>", **parts}.items():
            packed.writestr(f"word/{name}.xml", f"<w:{name} {docx.oxml.ns.nsdecls('w')}>{content}</w:{name}>")
    return read_docx(file.getvalue())[1]


def run(text: str, style: str = "") -> str:
    return f"<w:r><w:rPr>{style}</w:rPr><w:t>{text}</w:t></w:r>"


STYLES = (
    "<w:style w:styleId='base'><w:rPr><w:vanish/></w:rPr></w:style>"
    "<w:style w:styleId='note'><w:basedOn w:val='base'/></w:style>"
    "<w:style w:styleId='shown'><w:basedOn w:val='base'/><w:rPr><w:vanish w:val='0'/></w:rPr></w:style>"
)


@pytest.mark.parametrize(
    ("paragraph", "text"),
    [
        (run("渡口已经修好") + run("内部说明", "<w:vanish/>") + run("。"), "渡口已经修好。"),
        (run("渡口已经修好。", "<w:vanish w:val='false'/>"), "渡口已经修好。"),
        (run("渡口") + run("批注", "<w:rStyle w:val='note'/>") + run("已修好。", "<w:rStyle w:val='shown'/>"), "渡口已修好。"),
        ("<w:pPr><w:pStyle w:val='note'/></w:pPr>" + run("填写说明") + run("渡口。", "<w:vanish w:val='0'/>"), "渡口。"),
        ("<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>" + run("渡口已经修好。"), "渡口已经修好。"),  # the mark alone
        (f"<w:r><w:ruby><w:rt>{run('dù')}</w:rt><w:rubyBase>{run('渡')}</w:rubyBase></w:ruby></w:r>" + run("口。"), "渡口。"),
        (
            "<w:r><w:t>0571</w:t><w:noBreakHyphen/><w:t>8888，编号A</w:t><w:softHyphen/><w:t>7。</w:t></w:r>",
            "0571-8888，编号A7。",
        ),
    ],
)
def test_a_word_file_is_read_as_it_is_seen(paragraph: str, text: str) -> None:
    assert word(f"<w:p>{paragraph}</w:p>", styles=STYLES) == [Passage(text)]


def test_notes_of_a_word_file_stand_behind_what_refers_to_them() -> None:
    def refer(name: str, number: int) -> str:
        return f"<w:r><w:{name}Reference w:id='{number}'/></w:r>"

    first = f"<w:p>{run('旧志')}{refer('footnote', 1)}{run('说法不一')}{refer('footnote', 2)}{refer('endnote', 1)}</w:p>"
    cells = f"<w:tc><w:p>{run('站名')}</w:p></w:tc><w:tc><w:p>{run('雨量')}{refer('footnote', 3)}</w:p></w:tc>"
    notes = [f"<w:footnote w:id='{n}'><w:p>{run(f'脚注{n}。')}</w:p></w:footnote>" for n in range(5)]
    end = f"<w:endnote w:id='1'><w:p>{run('尾注。')}</w:p></w:endnote>"
    found = word(f"{first}<w:tbl><w:tr>{cells}</w:tr></w:tbl><w:p>{run('完。')}</w:p>", footnotes="".join(notes), endnotes=end)
    assert [passage.text for passage in found] == [
        "旧志说法不一",
        "脚注1。",
        "脚注2。",
        "尾注。",
        "站名\t雨量",
        "脚注3。",
        "完。",
    ]


def test_a_word_file_has_its_title_headings_lists_tables_and_inserted_text() -> None:
    word = docx.Document()
    word.add_paragraph("清河县教育局").alignment = WD_ALIGN_PARAGRAPH.LEFT
    word.add_paragraph(TITLE).alignment = WD_ALIGN_PARAGRAPH.CENTER
    word.add_heading("总体要求", 1)
    changed = word.add_paragraph("各学校要认真组织学习，")
    inserted = changed.add_run("并于月底前上报。")._r
    wrapper = docx.oxml.parse_xml(f'<w:ins {docx.oxml.ns.nsdecls("w")} w:id="1" w:author="a"/>')
    changed._p.replace(inserted, wrapper)
    wrapper.append(inserted)
    word.add_paragraph("第一项", style="List Bullet")
    table = word.add_table(2, 2)
    for cell, text in zip((c for row in table.rows for c in row.cells), ("学校", "人数", "一中", "1200"), strict=True):
        cell.text = text
    word.sections[0].header.paragraphs[0].text = "内部资料"
    word.add_paragraph("2024年3月5日")
    body = io.BytesIO()
    word.save(body)
    found = read(body.getvalue())
    assert found.title == TITLE
    assert found.passages == [
        Passage("清河县教育局"),
        Passage("总体要求", "heading", 1),
        Passage("各学校要认真组织学习，并于月底前上报。"),
        Passage("第一项", found.passages[3].kind, found.passages[3].level),
        Passage("学校\t人数\n一中\t1200", "table"),
        Passage("2024年3月5日"),
    ]


def test_the_day_and_the_title_come_from_address_and_links_where_the_document_has_none() -> None:
    html = as_html(Document(passages=[Passage("各级党组织要扎实开展主题教育。")]), "docx")
    assert extract(html, URL, anchors=["附件1", "点击下载：支部工作办法.docx"]).title == "支部工作办法"
    assert (extract(html, URL).title, extract(html, URL).date) == ("", "2024-03-01")


def test_a_page_that_only_speaks_of_documents_is_none() -> None:
    assert format_of("<p>以 %PDF- 开头".encode()) == "" and format_of(b"\n%PDF-1.4") == "pdf"
    assert extract(as_html(Document("题", [Passage("文")]), "exe"), URL).kind != "document"


# -- Files from anywhere


@pytest.fixture(scope="module")
def pool() -> Iterator[DocumentPool]:
    with closing(DocumentPool(1, 10)) as pool:
        yield pool


GOOD = set_columns(paragraphs(6))
_KEY = f"<{'ab' * 32}>"
LOCKED = f"/Encrypt << /Filter /Standard /V 1 /R 2 /O {_KEY} /U {_KEY} /P -44 >> /ID [<{'00' * 16}> <{'00' * 16}>]"


def with_stream(data: bytes, filters: bytes) -> bytes:
    """A PDF file whose first page has another stream."""
    body = pdf(GOOD)
    begin = body.index(b"6 0 obj")
    stream = b"6 0 obj\n<< /Length %d /Filter %b >>\nstream\n%b\nendstream\n" % (len(data), filters, data)
    return body[:begin] + stream + body[body.index(b"endobj", begin) :]


def bomb(megabytes: int) -> bytes:
    """So many megabytes of zeros, a block of the packed data for each."""
    packer = zlib.compressobj(9)
    first, block = (packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + block * (megabytes - 1)


def replaced(old: str, new: str) -> bytes:
    """An OFD file with other words in its parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(ofd(GOOD))) as good, zipfile.ZipFile(out, "w") as packed:
        for name in good.namelist():
            packed.writestr(name, good.read(name).decode().replace(old, new))
    return out.getvalue()


def zipped(name: str, text: bytes, *, more: int = 0) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(name, text)
        for n in range(more):
            packed.writestr(str(n), "")
    return out.getvalue()


ENTITIES = (
    f'<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/passwd"><!ENTITY b "{"很" * 1000}">]>'
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>&a;&b;&b;</w:t>'
    "</w:r></w:p></w:body></w:document>"
)
BAD = {
    "scanned": (lambda: pdf([Typed()] * 3), SCANNED),
    "password": (lambda: pdf(GOOD, LOCKED), ENCRYPTED),
    "cut off": (lambda: pdf(GOOD)[:1500], BROKEN),
    "head only": (lambda: b"%PDF-1.7\n" + bytes(100), BROKEN),
    "no catalogue": (lambda: pdf(GOOD).replace(b"/Pages 2 0 R", b"/Pages 1 0 R"), SCANNED),
    "many pages": (lambda: pdf([Typed()] * (MOST_PAGES + 1)), TOO_LONG),
    "old Word": (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(1000), OLD_FORMAT),
    "Word with a password": (
        lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(1000) + "EncryptedPackage".encode("utf-16-le"),
        ENCRYPTED,
    ),
    "bomb in a ZIP": (lambda: zipped("word/document.xml", bytes(40 << 20)), TOO_LONG),
    "no XML": (lambda: zipped("word/document.xml", b"<w:document"), BROKEN),
    "ZIP cut off": (lambda: zipped("word/document.xml", bytes(9000))[:-30], BROKEN),
    "OFD without a document": (lambda: zipped("OFD.xml", b"<OFD><DocRoot>../../Doc_0/D.xml</DocRoot></OFD>"), BROKEN),
    "OFD with a password": (lambda: ofd(GOOD).replace(b"Doc_0/Document.xml", b"Encryptions.xml\0\0\0"), ENCRYPTED),
    "entities": (lambda: zipped("word/document.xml", ENTITIES.encode()), SCANNED),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_file_without_a_text_has_its_reason(pool: DocumentPool, name: str) -> None:
    make, reason = BAD[name]
    body = make()
    assert pool.read_now(body, format_of(body)) == Document(reason=reason)


@pytest.mark.parametrize("number", ["nan", "inf", "-1e400"])
def test_places_in_an_ofd_file_that_are_no_numbers_are_no_fault_of_the_reader(number: str) -> None:
    assert read(replaced('X="0"', f'X="{number}"')).reason == ""


def test_loops_and_false_places_in_a_pdf_do_no_harm(pool: DocumentPool) -> None:
    good = pdf(GOOD)
    loop = good.replace(b"/Kids [5 0 R", b"/Kids [2 0 R 5 0 R")
    previous = pdf(GOOD, f"/Prev {good.index(b'xref')}")
    for body in (loop, previous, good.replace(b"startxref\n", b"startxref\n9")):
        assert scores(pool.read_now(body, "pdf"), paragraphs(6)) > 0.99


def test_a_document_that_takes_all_memory_or_time_ends_its_worker_and_the_next_one_is_read(pool: DocumentPool) -> None:
    assert len(body := with_stream(bomb(1500), b"/FlateDecode")) < 2_000_000
    assert pool.read_now(body, "pdf").reason == CRASHED
    page = Typed([(60 + n % 9, 60 + n % 700, 5, "党建" * 9) for n in range(2000)])
    with closing(DocumentPool(1, 0.02)) as hasty:
        assert hasty.read_now(pdf([page] * 3), "pdf").reason == TIMED_OUT
    assert pool.read_now(pdf(GOOD), "pdf").reason == ""


def test_a_file_of_too_many_files_or_characters_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office, "MOST_FILES", 10)
    assert read(zipped("word/document.xml", b"", more=10)).reason == TOO_LONG
    monkeypatch.setattr(readers, "MOST_CHARACTERS", 100)
    assert [read(write(GOOD)).reason for write in (pdf, ofd)] == [TOO_LONG, TOO_LONG]


def test_a_document_that_needs_more_memory_than_there_is_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office, "MOST_FILES", 10**18)  # a list of so many places
    assert read(replaced('DeltaX="', 'DeltaX="g 999999999999999999 1 ')).reason == TOO_LONG


def test_a_fault_of_a_reader_is_logged_and_not_laid_to_the_file(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(office, "_TITLE", None)  # as a mistake in it would be
    file = io.BytesIO()
    document = docx.Document()
    document.add_paragraph(paragraphs(1)[0], style="Title")
    document.save(file)
    assert read(file.getvalue()).reason == documents.FAULT
    assert "Traceback" in caplog.text and "_TITLE" in caplog.text
