"""The recorded responses of the demo web and the files they are written to, byte for byte the same every time."""

from __future__ import annotations

import io
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

RECORDED_AT = "2026-07-01T00:00:00Z"
"""The WARC-Date of every record: fixed, so that a rebuilt file equals the committed one."""
REASONS = {200: "OK", 301: "Moved Permanently", 302: "Found", 404: "Not Found"}
COLUMNS = ("url", "host", "site", "kind", "grade", "doc", "title")


@dataclass(frozen=True, slots=True)
class Label:
    """What is known of a page: ``kind`` home, list, article, video, copy or trap; ``doc`` is the text's number, 0 for none."""

    site: str
    kind: str
    grade: int
    title: str
    doc: int = 0


@dataclass(frozen=True, slots=True)
class Recorded:
    """One response. Only pages that a crawler could judge carry a label: no redirect, no error, no robots.txt."""

    url: str
    body: bytes = b""
    content_type: str = "text/html"
    status: int = 200
    location: str = ""
    label: Label | None = None


def write_warc(records: Iterable[Recorded], path: Path) -> None:
    """Write ``records`` as one gzip member each, in the given order."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for record in records:
            headers = [("Server", "nginx"), ("Content-Type", record.content_type), ("Content-Length", str(len(record.body)))]
            if record.location:
                headers.append(("Location", record.location))
            status = f"{record.status} {REASONS[record.status]}"
            writer.write_record(
                writer.create_warc_record(
                    record.url,
                    "response",
                    payload=io.BytesIO(record.body),
                    http_headers=StatusAndHeaders(status, headers, protocol="HTTP/1.1"),
                    warc_headers_dict={
                        "WARC-Date": RECORDED_AT,
                        "WARC-Record-ID": f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, record.url)}>",
                    },
                )
            )


def write_labels(records: Iterable[Recorded], path: Path) -> None:
    """Write the labelled pages as tab-separated values, one line per page under a heading of :data:`COLUMNS`."""
    lines = ["\t".join(COLUMNS)]
    for record in records:
        if (label := record.label) is not None:
            doc = str(label.doc) if label.doc else ""
            lines.append(
                "\t".join((record.url, urlsplit(record.url).netloc, label.site, label.kind, str(label.grade), doc, label.title))
            )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
