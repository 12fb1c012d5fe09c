"""Documents as Chinese offices publish them, written by hand: PDF, DOCX and OFD files with known texts."""

import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

WIDTH, HEIGHT = 595.0, 842.0  # A4, points
LEFT = 20.0  # points by which the origin of a turned page is off its corner


@dataclass
class Typed:
    """A page on which lines are set at places: x and y of the baseline in points from the upper left corner, size, text. A PDF
    page may be stored ``turned``, as landscape pages are, and have a watermark across it."""

    lines: list[tuple[float, float, float, str]] = field(default_factory=list)
    turned: bool = False
    watermark: str = ""

    def set(self, x: float, y: float, text: str, size: float = 10.5) -> None:
        self.lines.append((x, y, size, text))


def pdf(pages: Sequence[Typed], more: str = "") -> bytes:
    """A PDF file of these pages in STSong-Light, which is not embedded, as many programs of offices write it."""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{5 + 2 * n} 0 R' for n in range(len(pages)))}] >>",
        "<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [4 0 R] >>",
        "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) "
        "/Supplement 2 >> /DW 1000 /W [1 95 500] /FontDescriptor << /Type /FontDescriptor /FontName /STSong-Light /Flags 6 "
        "/FontBBox [-25 -254 1000 880] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 880 /StemV 93 >> >>",
    ]
    for number, page in enumerate(pages):
        drawn = "\n".join(_drawn(page, x, y, size, text) for x, y, size, text in page.lines)
        if page.watermark:
            drawn += f"\nBT /F1 40 Tf .707 .707 -.707 .707 150 250 Tm <{page.watermark.encode('utf-16-be').hex()}> Tj ET"
        box = f"{-LEFT} {-LEFT} {HEIGHT - LEFT} {WIDTH - LEFT}] /Rotate 90" if page.turned else f"0 0 {WIDTH} {HEIGHT}]"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [{box} /Contents {6 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    out, places = io.BytesIO(), []
    out.write(b"%PDF-1.4\n%\xe4\xb8\xad\n")
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1"))
    start = out.tell()
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    out.writelines(f"{place:010} 00000 n \n".encode() for place in places)
    out.write(f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {more} >>\nstartxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()


def _drawn(page: Typed, x: float, y: float, size: float, text: str) -> str:
    matrix = f"0 1 -1 0 {y - LEFT:.2f} {x - LEFT:.2f}" if page.turned else f"1 0 0 1 {x:.2f} {HEIGHT - y:.2f}"
    return f"BT /F1 {size} Tf {matrix} Tm <{text.encode('utf-16-be').hex()}> Tj ET"


def ofd(pages: Sequence[Typed], more: str = "") -> bytes:
    """An OFD file (GB/T 33190) of these pages; a millimetre is its unit."""
    name, unit = 'xmlns:ofd="http://www.ofdspec.org/2016"', 25.4 / 72
    listed = "".join(f'<ofd:Page ID="{10 + n}" BaseLoc="Pages/Page_{n}/Content.xml"/>' for n in range(len(pages)))
    files = {
        "OFD.xml": f'<ofd:OFD {name} Version="1.0"><ofd:DocBody>'
        f"<ofd:DocRoot>Doc_0/Document.xml</ofd:DocRoot></ofd:DocBody>{more}</ofd:OFD>",
        "Doc_0/Document.xml": f"<ofd:Document {name}><ofd:CommonData><ofd:PageArea><ofd:PhysicalBox>0 0 210 297</ofd:PhysicalBox>"
        f"</ofd:PageArea></ofd:CommonData><ofd:Pages>{listed}</ofd:Pages></ofd:Document>",
    }
    for number, page in enumerate(pages):
        drawn = "".join(
            f'<ofd:TextObject ID="{100 + n}" Boundary="{x * unit:.3f} {(y - size) * unit:.3f} {len(text) * size * unit:.3f} '
            f'{size * 1.2 * unit:.3f}" Font="1" Size="{size * unit:.3f}"><ofd:TextCode X="0" Y="{size * unit:.3f}" '
            f'DeltaX="{" ".join(f"{wide * size * unit:.3f}" for wide in _widths(text[:-1]))}">{text}</ofd:TextCode>'
            "</ofd:TextObject>"
            for n, (x, y, size, text) in enumerate(page.lines)
        )
        files[f"Doc_0/Pages/Page_{number}/Content.xml"] = (
            f'<ofd:Page {name}><ofd:Content><ofd:Layer Type="Body" ID="50">{drawn}</ofd:Layer></ofd:Content></ofd:Page>'
        )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, text in files.items():
            packed.writestr(path, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return out.getvalue()


def _widths(text: str) -> list[float]:
    return [0.5 if character.isascii() else 1.0 for character in text]


def _broken(paragraph: str, width: float) -> Iterator[tuple[int, str]]:
    """The lines of a paragraph of so many characters, each with its indent; Latin ones have half their width."""
    line, taken, indent = "", 2.0, 2
    for character, wide in zip(paragraph, _widths(paragraph), strict=True):
        if taken + wide > width:
            yield indent, line
            line, taken, indent = "", 0.0, 0
        line, taken = line + character, taken + wide
    yield indent, line


def set_columns(paragraphs: Sequence[str], *, columns: int = 2, heads: Sequence[str] = (), title: str = "") -> list[Typed]:
    """The paragraphs in columns over as many pages as they take, below running heads in turn and above page numbers."""
    gap, size, pitch, margin = 24.0, 10.5, 18.0, 60.0
    width = (WIDTH - 2 * margin - gap * (columns - 1)) / columns
    lines = [line for paragraph in paragraphs for line in _broken(paragraph, width / size)]
    pages: list[Typed] = []
    while lines:
        page, top = Typed(), 96.0
        if heads:
            page.set(margin, 40, heads[len(pages) % len(heads)], 9)
        if title and not pages:
            page.set(WIDTH / 2 - len(title) * 9, 92, title, 18)
            top = 140.0
        rows = int((HEIGHT - 80 - top) / pitch) + 1
        for column in range(columns):
            here, lines = lines[:rows], lines[rows:]
            for row, (indent, text) in enumerate(here):
                page.set(margin + column * (width + gap) + indent * size, top + row * pitch, text, size)
        page.set(WIDTH / 2 - 8, HEIGHT - 40, f"— {len(pages) + 1} —", 9)
        pages.append(page)
    return pages
