"""An archive with an index, and a server of both as those of Common Crawl are."""

import json
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from crawl_tools import Reply, Site

from topical_crawler.recordings.reader import scan


def index_lines(folder: Path, files: Iterable[Path]) -> list[str]:
    """Lines of CDXJ for WARC files below a folder."""
    lines = []
    for path in files:
        for url, offset, length, good in scan(path):
            fields = {"url": url, "mime": "text/html", "status": "200" if good else "404", "length": str(length)}
            fields |= {"offset": str(offset), "filename": str(path.relative_to(folder))}
            lines.append(f"cn,a)/ 20240301120000 {json.dumps(fields, ensure_ascii=False)}")
    return lines


class ArchiveServer(Site):
    """A CDX server at ``/cdx`` with the files of a folder. It is ``busy`` for so many queries, and knows ranges."""

    def __init__(self, folder: Path, lines: Iterable[str], busy: int = 0) -> None:
        super().__init__({"/cdx": self._captures, "": self._file})
        self.folder, self.busy, self.ranges = folder, busy, 0
        self.captures: dict[str, list[str]] = {}
        for line in lines:
            fields = line[line.index("{") :]
            self.captures.setdefault(json.loads(fields)["url"], []).append(fields)

    def _captures(self, path: str) -> Reply:
        if self.busy:
            self.busy -= 1
            return Reply("slow down", 503, headers={"Retry-After": "0"})
        asked = parse_qs(urlsplit(path).query)
        assert asked["output"] == ["json"]
        found = self.captures.get(asked["url"][0], [])
        return Reply("".join(f"{line}\n" for line in found), 200 if found else 404, "text/x-ndjson")

    def _file(self, path: str) -> Reply:
        def send(handler: BaseHTTPRequestHandler) -> None:
            first, last = map(int, handler.headers["Range"].removeprefix("bytes=").split("-"))
            self.ranges += 1
            with (self.folder / path[1:]).open("rb") as file:
                file.seek(first)
                body = file.read(last + 1 - first)
            handler.wfile.write(b"HTTP/1.1 206 Partial Content\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

        return Reply(raw=send)
