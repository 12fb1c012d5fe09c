"""Vertical format of corpus managers (Sketch Engine, NoSketch Engine, CWB): one word a line, structures as tags.

Rychlý 2007, Manatee/Bonito; https://www.sketchengine.eu/my_keywords/vertical/.
"""

import re
import shlex
from collections.abc import Iterator
from typing import BinaryIO
from xml.sax.saxutils import escape

from topical_crawler.export.rows import ExportRow, Writer
from topical_crawler.export.tagging import Tagger, sentences, tokens
from topical_crawler.text.passages import Passage, passages

ATTRIBUTES = (
    *("id", "url", "title", "date", "host", "source", "section", "author", "language", "script", "kind", "license"),
    *("relevance", "characters"),
)
"""Attributes of a text. ``id`` is its number in fetch order."""

STRUCTURES = {
    "doc": ATTRIBUTES,
    "p": (),
    "head": ("level",),
    "item": ("level", "n"),
    "quote": (),
    "caption": (),
    "table": (),
    "gap": ("type", "lang"),
    "s": (),
}
"""Structures by their tags, with their attributes. A ``gap`` replaces code or a formula."""
_TAGS = {"paragraph": "p", "heading": "head"}  # for kinds of passages with another name

_ILLEGAL = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Vertical(Writer):
    """Writer of one vertical file, with a word, its tag and lemma a line.

    ``<doc …>`` encloses a text (or another tag, ``called``), a structure every passage, ``<p>`` a paragraph, ``<s>`` every
    sentence and cell. An empty ``<gap>`` replaces code and formulas. White space and control characters are left out, and ``& <
    >`` escaped.

    >>> import io
    >>> from topical_crawler.corpus.record import Record
    >>> from topical_crawler.export.rows import as_dict
    >>> out = io.BytesIO()
    >>> writer = Vertical(out, lambda sentence: [(sentence, "x", "X")])
    >>> writer.write(as_dict(Record(url="http://a.cn/", host="a.cn", keep=True, text="开会。")))
    >>> out.getvalue().decode().splitlines()[1:]
    ['<p>', '<s>', '开会。\\tx\\t开会。', '</s>', '</p>', '</doc>']
    """

    def __init__(self, out: BinaryIO, tagger: Tagger, called: str = "doc") -> None:
        self._out = out
        self._tagger = tagger
        self._called = called

    def write(self, row: ExportRow) -> None:
        self._out.write("".join(f"{line}\n" for line in self._lines(row)).encode())

    def _lines(self, row: ExportRow) -> Iterator[str]:
        values = row | {"id": f"t{row['order']}" if self._called == "text" else row["order"]}  # CQPweb requires a letter first
        yield f"<{self._called} {' '.join(f'{name}={_quoted(values[name])}' for name in ATTRIBUTES)}>"
        for passage in passages(legal(row["text"]), row["layout"]):
            if not passage.text.strip():
                continue
            gap = passage.kind in ("code", "formula")
            tag = "gap" if gap else _TAGS.get(passage.kind, passage.kind)
            values = {"level": passage.level, "n": passage.note, "type": passage.kind, "lang": passage.note}
            yield f"<{' '.join((tag, *(f'{name}={_quoted(values[name])}' for name in STRUCTURES[tag])))}>"
            for line in () if gap else running(passage):
                for sentence in sentences(line):
                    yield "<s>"
                    for token in tokens(sentence, self._tagger):
                        yield escape(f"{token.word}\t{token.tag}\t{token.lemma}")
                    yield "</s>"
            yield f"</{tag}>"
        yield f"</{self._called}>"


def words(row: ExportRow, tagger: Tagger) -> Iterator[str]:
    """Yield the lines and cells of a text with blanks between words, without code and formulas."""
    for passage in passages(row["text"], row["layout"]):
        for line in running(passage) if passage.kind not in ("code", "formula") else ():
            yield " ".join(token.word for sentence in sentences(line) for token in tokens(sentence, tagger))


def running(passage: Passage) -> list[str]:
    """Return the running text of a passage: its line, or the cells of a table."""
    return re.split(r"[\t\n]", passage.text) if passage.kind == "table" else passage.text.split("\n")


def legal(text: str) -> str:
    """Return ``text`` without characters illegal in XML 1.0."""
    return _ILLEGAL.sub("", text)


def registry(name: str, title: str) -> str:
    """Return the configuration of a corpus for Manatee, the engine of (No)Sketch Engine. ``name`` is the vertical file's."""
    shown = legal(title).replace('"', "'").replace("\n", " ")
    lines = [
        line
        for tag, names in STRUCTURES.items()
        for line in (f"STRUCTURE {tag}{' {' * bool(names)}", *(f"    ATTRIBUTE {name}" for name in names), "}" * bool(names))
    ]
    structures = "".join(f"{line}\n" for line in lines if line)
    return (
        "# Set PATH to the folder of the compiled corpus and VERTICAL to where the file is, then: compilecorp NAME\n"
        f'NAME "{shown}"\nPATH "/var/lib/manatee/data/{name}"\nVERTICAL "{name}"\nENCODING "UTF-8"\nLANGUAGE "Chinese"\n'
        'DOCSTRUCTURE doc\nTAGSETDOC "https://github.com/fxsjy/jieba"\n\n'
        f"ATTRIBUTE word\nATTRIBUTE tag\nATTRIBUTE lemma\n\n{structures}"
    )


def encoder(name: str, called: str = "doc") -> str:
    """Return a shell script encoding the vertical file ``name`` for CWB, the IMS Open Corpus Workbench.

    See https://cwb.sourceforge.io. ``called`` is the tag of a text.
    """
    corpus = re.sub(r"[^a-z0-9_-]+", "_", name.partition(".")[0].lower()).strip("_")
    corpus = corpus if corpus[:1].isalpha() else f"c{corpus}"
    tags = {called if tag == "doc" else tag: names for tag, names in STRUCTURES.items()}
    structures = " ".join(f"-S {tag}:0{''.join(f'+{name}' for name in names)}" for tag, names in tags.items())
    opened = {".gz": "gzip -dc", ".zst": "zstd -dc"}.get(name[name.rfind(".") :], "cat")
    return (
        "#!/bin/sh\n# Encode the corpus for CWB and index it. Then: cqp -r REGISTRY -D CORPUS (in capitals).\n"
        f'[ $# = 2 ] || {{ echo "usage: sh $0 DATA_FOLDER REGISTRY_FOLDER"; exit 2; }}\n'
        f'set -e\nmkdir -p "$1/{corpus}" "$2"\ndata=$(cd "$1/{corpus}"; pwd)\n'
        f'{opened} "$(dirname "$0")"/{shlex.quote(name)} |\n'
        f'    cwb-encode -xsB -c utf8 -d "$data" -R "$2/{corpus}" -P tag -P lemma {structures}\n'
        f'cwb-makeall -r "$2" -V {corpus.upper()}\n'
    )


def _quoted(value: object) -> str:
    text = " ".join(legal(f"{value:.6g}" if isinstance(value, float) else str(value)).split())
    return f'"{escape(text, {chr(34): "&quot;"})}"'
