"""The vertical format of corpus managers (Sketch Engine, NoSketch Engine, CWB): one word a line, structures as tags.

Rychlý 2007, Manatee/Bonito; https://www.sketchengine.eu/my_keywords/vertical/.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO
from xml.sax.saxutils import escape

from topical_crawler.export.rows import ExportRow, Writer

Tagger = Callable[[str], Iterable[tuple[str, str]]]
"""Cuts a sentence into words, each with its part of speech; joined they are the sentence."""

ATTRIBUTES = (
    *("id", "url", "title", "date", "host", "source", "section", "author", "language", "script", "kind", "license"),
    *("relevance", "characters"),
)
"""Of a text; ``id`` is its number in the order of fetching."""

_SENTENCE = re.compile(r"[^。！？!?…]*(?:[。！？!?…]+[”’」』）》】〉\"')\]]*|\Z)")
_ILLEGAL = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Vertical(Writer):
    """Writes one file: ``<doc …>``, ``<p>`` for every line of a text, ``<s>`` for every sentence, a word and its tag a line.

    White space and control characters are left out; ``& < >`` are escaped.

    >>> import io
    >>> from topical_crawler.corpus.record import Record
    >>> from topical_crawler.export.rows import as_dict
    >>> out = io.BytesIO()
    >>> writer = Vertical(out, lambda sentence: [(sentence, "x")])
    >>> writer.write(as_dict(Record(url="http://a.cn/", host="a.cn", keep=True, text="开会。")))
    >>> out.getvalue().decode().splitlines()[1:]
    ['<p>', '<s>', '开会。\\tx', '</s>', '</p>', '</doc>']
    """

    def __init__(self, out: BinaryIO, tagger: Tagger) -> None:
        self._out = out
        self._tagger = tagger

    def write(self, row: ExportRow) -> None:
        self._out.write("".join(f"{line}\n" for line in self._lines(row)).encode())

    def _lines(self, row: ExportRow) -> Iterator[str]:
        values = row | {"id": row["order"]}
        yield f"<doc {' '.join(f'{name}={_quoted(values[name])}' for name in ATTRIBUTES)}>"
        for line in legal(row["text"]).split("\n"):
            if not line.strip():
                continue
            yield "<p>"
            for sentence in sentences(line):
                yield "<s>"
                for word, tag in self._tagger(sentence):
                    for piece in word.split():
                        yield f"{escape(piece)}\t{tag}"
                yield "</s>"
            yield "</p>"
        yield "</doc>"


def sentences(line: str) -> Iterator[str]:
    """Split a line after 。！？!?… and the quotes and brackets that close there; blank sentences are dropped.

    >>> list(sentences("他说：“好！”我们去……走吧"))
    ['他说：“好！”', '我们去……', '走吧']
    """
    for match in _SENTENCE.finditer(line):
        if match.group().strip():
            yield match.group()


def legal(text: str) -> str:
    """``text`` without the characters that XML 1.0 forbids."""
    return _ILLEGAL.sub("", text)


def registry(name: str, title: str) -> str:
    """The configuration of a corpus for Manatee, the engine of (No)Sketch Engine; ``name`` is that of the vertical file."""
    attributes = "".join(f"    ATTRIBUTE {attribute}\n" for attribute in ATTRIBUTES)
    shown = legal(title).replace('"', "'").replace("\n", " ")
    return (
        "# Set PATH to the folder of the compiled corpus and VERTICAL to where the file is, then: compilecorp NAME\n"
        f'NAME "{shown}"\nPATH "/var/lib/manatee/data/{name}"\nVERTICAL "{name}"\nENCODING "UTF-8"\nLANGUAGE "Chinese"\n'
        'DOCSTRUCTURE doc\nTAGSETDOC "https://github.com/fxsjy/jieba"\n\n'
        f"ATTRIBUTE word\nATTRIBUTE tag\n\nSTRUCTURE doc {{\n{attributes}}}\nSTRUCTURE p\nSTRUCTURE s\n"
    )


def _quoted(value: object) -> str:
    text = " ".join(legal(f"{value:.6g}" if isinstance(value, float) else str(value)).split())
    return f'"{escape(text, {chr(34): "&quot;"})}"'
