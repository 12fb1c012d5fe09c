"""CoNLL-U, the format of Universal Dependencies: https://universaldependencies.org/format.html."""

import unicodedata
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

from topical_crawler.export.rows import ExportRow, Writer
from topical_crawler.export.tagging import Tagger, Token, sentences, tokens
from topical_crawler.export.vertical import legal, running
from topical_crawler.text.passages import passages

_ABOUT = ("url", "title", "date", "source", "author", "license")


class ConllU(Writer):
    """Writer of one CoNLL-U file, sentence after sentence, with ``newpar`` at every passage and ``newdoc`` at every text.

    Leaves out code and formulas. Words have their lemma and both parts of speech, but no features and relations (``_``). Text is
    in NFC, without control characters, and white space is one blank.

    >>> import io
    >>> from topical_crawler.corpus.record import Record
    >>> from topical_crawler.export.rows import as_dict
    >>> out = io.BytesIO()
    >>> row = as_dict(Record(url="http://a.cn/", host="a.cn", keep=True, text="开会", order=7))
    >>> ConllU(out, lambda text: [(text, "v", "VERB")]).write(row)
    >>> print(out.getvalue().decode().replace("\\t", " ").rstrip())
    # newdoc id = 7
    # url = http://a.cn/
    # newpar
    # sent_id = 7-1
    # text = 开会
    1 开会 开会 VERB v _ _ _ _ SpaceAfter=No
    """

    def __init__(self, out: BinaryIO, tagger: Tagger) -> None:
        self._out = out
        self._tagger = tagger

    def write(self, row: ExportRow) -> None:
        about = [f"# {name} = {' '.join(_plain(row[name]).split())}" for name in _ABOUT if row[name]]
        number = 0
        for passage in passages(_plain(row["text"]), row["layout"]):
            paragraph = ["# newpar"]
            words = () if passage.kind in ("code", "formula") else running(passage)
            for sentence in chain.from_iterable(map(sentences, words)):
                if found := tokens(sentence, self._tagger):
                    document = [f"# newdoc id = {row['order']}", *about] if number == 0 else []
                    number += 1
                    lines = [*document, *paragraph, f"# sent_id = {row['order']}-{number}", *_sentence(found)]
                    self._out.write(("\n".join(lines) + "\n\n").encode())
                    paragraph = []


def _sentence(found: list[Token]) -> Iterator[str]:
    yield f"# text = {''.join(token.word + ' ' * token.spaced for token in found).strip()}"
    for number, token in enumerate(found, 1):
        space = "_" if token.spaced else "SpaceAfter=No"
        yield f"{number}\t{token.word}\t{token.lemma}\t{token.upos}\t{token.tag}\t_\t_\t_\t_\t{space}"


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", legal(text))
