"""What is said of a crawl that keeps nothing: by its log and its summary, and by its page of the workbench."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from crawl_tools import DEMO
from wait_tools import wait_for
from workbench_tools import REPLAY, workbench

from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.nothing_kept import describe, nothing_kept
from topical_crawler.topic.topic import load_topic

RunScrapy = Callable[..., subprocess.CompletedProcess[str]]


def test_a_crawl_that_keeps_nothing_explains_itself(run_scrapy: RunScrapy, tmp_path: Path) -> None:
    """No page of the demo web is on operating systems."""
    seeds = f"seeds={DEMO / 'seeds.txt'}"
    done = run_scrapy("crawl", "topical", "-a", "topic=operating-systems", "-a", seeds, "-a", "pages=210", *REPLAY, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first, at_end = done.stderr.split("Closing spider")
    for said, pages in ((first, "19."), (at_end, "210")):
        said = " ".join(said.split())  # the summary is wrapped
        assert re.search(rf"No text was kept. Fetched: {pages} pages of \d hosts, most of www.qingheonline.example \d+", said)
        assert re.search(r"Rejected: off topic \d+, unreachable \d+", said)
        assert len(re.findall(r"relevance 0\.\d\d, nearness in meaning 0\.\d\d, off topic: \S+", said)) == 3
        assert "that stand out on no page: linux内核, tlb" in said
        assert "nearer in meaning to the topic than unrelated texts (up to 0.18)" in said
        assert "topical-crawler topic seeds" in said
    assert "corpus export" not in at_end, "there is nothing to export"
    with workbench(tmp_path) as served:
        for language, words in (
            ("en", ("No text has been kept", "210 pages of 6 hosts", "off topic", "linux内核、tlb", "Put sites on the topic")),
            ("zh", ("没有收入任何文本", "6 个网站的 210 页", "不切题", "linux内核、tlb", "可以试试", "把切题的网站加入队列")),
        ):
            heads = {"Authorization": f"Bearer {served.token}", "Accept-Language": language}

            def shown(heads: dict[str, str] = heads) -> str:
                page = served.ask("/crawls/operating-systems", headers=heads)[2].decode()
                return page if 'id="in-vain"' in page else ""

            page = wait_for(shown)
            assert [word for word in words if word not in page] == []
            assert re.search(r'<a href="/crawls/operating-systems/texts/\d+">', page)


def rejected(n: int, reason: str, **fields: object) -> list[Record]:
    urls = [f"http://a.cn/{reason}/{i}.html" for i in range(n)]
    return [Record(url=url, host="a.cn", keep=False, reason=reason, **fields) for url in urls]  # type: ignore[arg-type]


JUDGED = {"why": {"terms": {"党员": 1.0}, "near": 0.4}, "relevance": 0.2}


@pytest.mark.parametrize(
    ("records", "suggested", "said"),
    [
        (rejected(3, "unreachable"), ["seeds", "check"], "topic check"),
        (rejected(3, "error: KeyError"), ["error", "seeds"], "The log has its traceback"),
        (rejected(3, "off topic", **JUDGED), ["mark", "words"], "corpus judge data/a"),
        (rejected(3, "language", **JUDGED), ["setting", "mark"], "TOPICAL_LANGUAGES decides"),
        (rejected(3, "off topic", why={"terms": {}, "near": 0.1}), ["seeds", "words"], "topic seeds"),
        (rejected(3, "off topic", why={"terms": {}}), ["seeds", "words"], "topic seeds"),
    ],
)
def test_what_to_try(tmp_path: Path, records: Sequence[Record], suggested: list[str], said: str) -> None:
    topic = load_topic("partybuilding")
    with CorpusStore(tmp_path / "corpus.sqlite") as store:
        assert nothing_kept(store, topic) is None, "no page"
        for record in records:
            store.put(record)
        found = nothing_kept(store, topic)
        assert found is not None and found["try"] == suggested
        assert found["pages"] == 3 and found["hosts"] == {"a.cn": 3}
        assert ("党员" in found["missing"]) is ("words" in suggested and "mark" not in suggested)
        assert said in describe(found, topic, "data/a")
        store.put(Record(url="http://a.cn/kept.html", host="a.cn", keep=True, text="党员学习"))
        assert nothing_kept(store, topic) is None


def test_a_corpus_that_is_nearly_empty_explains_itself(tmp_path: Path) -> None:
    topic = load_topic("partybuilding")
    with CorpusStore(tmp_path / "corpus.sqlite") as store:
        for record in rejected(98, "off topic", **JUDGED):
            store.put(record)
        for n in range(2):
            store.put(Record(url=f"http://a.cn/{n}", host="a.cn", keep=True, text=f"党员学习第{n}课"))
        found = nothing_kept(store, topic)
        assert found is not None and (found["pages"], found["kept"]) == (100, 2)
        assert describe(found, topic, "data/a").startswith("Only 2 texts were kept. Fetched: 100 pages")
        store.put(Record(url="http://a.cn/2", host="a.cn", keep=True, text="党员学习第三课"))
        assert nothing_kept(store, topic) is None, "3 of 101 pages"
