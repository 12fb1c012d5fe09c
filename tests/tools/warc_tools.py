"""Small recordings for tests, written by warcio."""

import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter


def write_warc(
    path: Path, answers: Iterable[tuple[str, int, Mapping[str, str], bytes]], *, compressed: bool = True, kind: str = "response"
) -> Path:
    """Write ``answers`` (url, status, headers, body) to ``path``; returns it."""
    with path.open("wb") as out:
        writer = WARCWriter(out, gzip=compressed)
        for url, status, headers, body in answers:
            head = StatusAndHeaders(f"{status} Status", list(headers.items()), protocol="HTTP/1.1")
            writer.write_record(writer.create_warc_record(url, kind, payload=io.BytesIO(body), http_headers=head))
    return path
