r"""Texts from a Wikipedia dump, JSONL, text files or a collected corpus.

>>> import tempfile
>>> file = Path(tempfile.mkdtemp(), "notes.jsonl")
>>> _ = file.write_text('{"title": "通知", "text": "支部召开组织生活会", "party": 2}\n{"text": ""}\n', encoding="utf-8")
>>> source = open_source(file)
>>> [(d.title, d.text, d.fields) for d in source], dict(source.skipped), source.done
([('通知', '支部召开组织生活会', {'party': 2})], {'empty': 1}, 1.0)
"""

from __future__ import annotations

from pathlib import Path

from topical_crawler.crawl.crawl_folder import CrawlFolder
from topical_crawler.sources.base import ByteStream, Condition, Document, Source, SourceError, StreamDamage
from topical_crawler.sources.files import Collected, JsonLinesSource, TextFiles
from topical_crawler.sources.wikipedia import Wikipedia

__all__ = ["Condition", "Document", "Source", "SourceError", "open_source"]

_KINDS: dict[str, type[Source]] = {".xml": Wikipedia, ".jsonl": JsonLinesSource, ".ndjson": JsonLinesSource, ".txt": TextFiles}
_KNOWN = (
    "a Wikipedia dump (.xml, .xml.bz2, .xml.gz), JSONL with a field 'text' (.jsonl, .jsonl.gz), a .txt file or a folder of them, "
    "or the data folder of a crawl or its corpus.sqlite"
)


def open_source(path: str | Path, *, tolerant: bool = False) -> Source:
    """Open the texts at ``path``, a file or folder (``~`` is the home directory), detecting their kind by name or by the first
    bytes.

    A ``tolerant`` source counts structural damage instead of raising it, see :class:`Source`.

    Raises:
        SourceError: nothing readable at ``path``.
    """
    place = Path(path).expanduser()
    kind: type[Source]
    if place.is_dir():
        kind = Collected if CrawlFolder(place).corpus.is_file() else TextFiles
    elif place.is_file():
        kind = _kind_of(place)
    else:
        raise SourceError(f"{path}: no such file or folder. Pass {_KNOWN}")
    return kind(place, tolerant=tolerant)


def _kind_of(file: Path) -> type[Source]:
    suffixes = [suffix.lower() for suffix in file.suffixes]
    compressed = bool(suffixes) and suffixes[-1] in (".gz", ".bz2")
    if compressed:
        suffixes.pop()
    kind = _KINDS.get(suffixes[-1]) if suffixes else None
    if kind is not None and not (compressed and kind is TextFiles):
        return kind
    try:
        with ByteStream(file) as stream:
            start = stream.read(200)
    except (StreamDamage, OSError) as error:
        raise SourceError(f"{file}: {error}. Fetch or make the complete file again") from None
    if start.startswith(b"SQLite format 3\0"):
        return Collected
    plain = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if plain.startswith((b"<?xml", b"<mediawiki")):
        return Wikipedia
    if plain.startswith(b"{"):
        return JsonLinesSource
    raise SourceError(f"{file}: unknown kind of file, by name and by first bytes. Pass {_KNOWN}")
