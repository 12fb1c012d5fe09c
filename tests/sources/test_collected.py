"""A collected corpus as a source."""

from pathlib import Path

import pytest

from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.sources import SourceError, open_source


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    with CorpusStore(tmp_path / "data/corpus.sqlite") as store:
        for number in range(5):
            url = f"http://a.cn/{number}.html"
            store.put(
                Record(url=url, host="a.cn", keep=True, title=f"第{number}篇", text=f"党建文章{number}", relevance=0.5, depth=2)
            )
            store.put(Record(url=url + "?x", host="a.cn", keep=False, reason="off topic"))
    return tmp_path / "data"


def test_kept_texts_in_their_order(corpus: Path) -> None:
    renamed = corpus / "anything"
    renamed.write_bytes((corpus / "corpus.sqlite").read_bytes())
    for path in (corpus, corpus / "corpus.sqlite", renamed):
        source = open_source(path)
        documents = list(source)
        assert [d.text for d in documents] == [f"党建文章{n}" for n in range(5)]
        assert (documents[1].title, documents[1].url) == ("第1篇", "http://a.cn/1.html")
        assert (documents[1].fields["host"], documents[1].fields["relevance"], documents[1].fields["depth"]) == ("a.cn", 0.5, 2)
        assert list(source) == documents
        assert (source.kind, source.skipped, source.done) == ("corpus", {}, 1.0)


def test_no_corpus(tmp_path: Path) -> None:
    (tmp_path / "corpus.sqlite").write_bytes(b"SQLite format 3\0" + bytes(100))
    with pytest.raises(SourceError, match="Pass the data folder"):
        list(open_source(tmp_path))


@pytest.mark.slow
def test_a_damaged_corpus(corpus: Path) -> None:
    file = corpus / "corpus.sqlite"
    with CorpusStore(file) as store:
        for number in range(400):
            text = f"很长的党建文章{number}" * 100
            store.put(Record(url=f"http://b.cn/{number}", host="b.cn", keep=True, text=text))
    body = bytearray(file.read_bytes())
    middle = len(body) // 2 // 4096 * 4096
    body[middle : middle + 40 * 4096] = b"\xaa" * (40 * 4096)
    file.write_bytes(body)
    with pytest.raises(SourceError, match=r"corpus\.sqlite cannot be read .*malformed"):
        list(open_source(corpus))
    source = open_source(corpus, tolerant=True)
    list(source)
    assert source.skipped == {"damaged": 1}
