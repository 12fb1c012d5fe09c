"""CoNLL-U, read by another library and by the rules of the format."""

import functools
import io
import unicodedata

import conllu
from export_tools import PAGE, PASSAGES, STRUCTURED, row, texts
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.export.conllu import ConllU
from topical_crawler.export.rows import ExportRow, as_dict
from topical_crawler.export.tagging import JiebaTagger, Tagger
from topical_crawler.text.segment import Segmenter

UPOS = {
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
    *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
}
jieba_tagger = functools.cache(lambda: JiebaTagger(Segmenter()))


def written(*rows: ExportRow, tagger: Tagger | None = None) -> str:
    out = io.BytesIO()
    writer = ConllU(out, tagger or jieba_tagger())
    for one in rows:
        writer.write(one)
    return out.getvalue().decode()


def check(said: str) -> None:
    """The rules of level 1 of the validator of Universal Dependencies, and that words and spaces make the text."""
    assert unicodedata.is_normalized("NFC", said)
    assert not said or (said.endswith("\n\n") and not said.startswith("\n") and "\n\n\n" not in said and "\r" not in said)
    seen = set()
    for block in said.split("\n\n")[:-1]:
        lines = block.split("\n")
        comments = [line for line in lines if line.startswith("# ")]
        words = [line.split("\t") for line in lines[len(comments) :]]
        assert words and [word[0] for word in words] == [str(n + 1) for n in range(len(words))]
        text = ""
        for word in words:
            assert len(word) == 10 and all(cell and cell.strip() == cell and "  " not in cell for cell in word)
            assert word[3] in UPOS and not any(c.isspace() for cell in word[3:9] for c in cell)
            text += word[1] + ("" if word[9] == "SpaceAfter=No" else " ")
        about = dict(line[2:].split(" = ", 1) for line in comments if " = " in line)
        assert about["text"] == text.strip() and about["sent_id"] not in seen and "/" not in about["sent_id"]
        seen.add(about["sent_id"])


def test_documents_paragraphs_and_sentences() -> None:
    said = written(as_dict(PAGE), row("党员 Linux 开会。", 2))
    check(said)
    first, second, third, last = conllu.parse(said)
    assert first.metadata["newdoc id"] == "1" and first.metadata["title"] == "主题 教育" and first.metadata["url"] == PAGE.url
    assert [s.metadata["text"] for s in (first, second)] == ["第一段，“引文”。", "还有！"]
    assert ["newpar" in s.metadata for s in (first, second, third, last)] == [True, False, True, True]
    assert [s.metadata["sent_id"] for s in (first, second, third, last)] == ["1-1", "1-2", "1-3", "2-1"]
    assert "newdoc id" not in second.metadata and last.metadata["newdoc id"] == "2"
    assert [(w["form"], w["lemma"], w["upos"], w["xpos"], w["misc"]) for w in last] == [
        ("党员", "党员", "NOUN", "n", None),
        ("Linux", "linux", "X", "eng", None),
        ("开会", "开会", "VERB", "v", {"SpaceAfter": "No"}),
        ("。", "。", "PUNCT", "x", {"SpaceAfter": "No"}),
    ]


@given(st.lists(texts, max_size=3))
def test_every_text_keeps_the_rules(found: list[str]) -> None:
    said = written(*(row(text, n) for n, text in enumerate(found)))
    check(said)
    assert len(conllu.parse(said)) == said.count("# text = ")


def test_code_and_formulas_are_no_sentences() -> None:
    said = written(as_dict(STRUCTURED))
    check(said)
    lines = [line for p in PASSAGES if p.kind not in ("code", "formula") for line in p.text.replace("\t", "\n").split("\n")]
    assert [sentence.metadata["text"] for sentence in conllu.parse(said)] == lines
    assert said.count("# newpar\n") == len(PASSAGES) - 2
