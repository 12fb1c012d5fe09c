"""Splits and samples: the same every time, and stable while a corpus grows."""

import json
import random
from pathlib import Path

import pytest
from export_tools import row
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.corpus.record import Record
from topical_crawler.export.formats import Setup, of_name, of_splits
from topical_crawler.export.job import Job, to_files
from topical_crawler.export.rows import NAMES, Split, drawn, threshold


@pytest.mark.parametrize(
    "text", ["", "1", "0.5,0.5", "0.5,0.5,0.5", "0.9,0.2,-0.1", "a,b,c", "nan,0.5,0.5", "0.2,0.2,0.2,0.4", "inf,0,0"]
)
def test_what_is_no_split(text: str) -> None:
    with pytest.raises(ValueError, match=r"0\.9,0\.05,0\.05"):
        Split.parse(text)


def test_shares_are_kept() -> None:
    split = Split.parse("0.8,0.15,0.05", seed=3)
    counted = dict.fromkeys(NAMES, 0)
    for n in range(20_000):
        counted[split.of({"host": "a.cn", "url": "", "content_hash": f"{n:032x}"})] += 1
    # Five standard deviations of a binomial distribution.
    for name, share in zip(NAMES, split.shares, strict=True):
        assert abs(counted[name] - 20_000 * share) < 5 * (20_000 * share * (1 - share)) ** 0.5
    only = Split.parse("0,0,1")
    assert {only.of({"host": "a.cn", "url": "", "content_hash": str(n)}) for n in range(100)} == {"test"}


@given(st.lists(st.sampled_from("abcdefghijk"), min_size=1), st.integers(0, 5))
def test_by_host_no_host_is_in_two(hosts: list[str], seed: int) -> None:
    split = Split.parse("0.4,0.3,0.3", "host", seed)
    found: dict[str, set[str]] = {}
    for n, host in enumerate(hosts):
        found.setdefault(host, set()).add(split.of(row(f"第{n}讲", n, host)))
    assert all(len(names) == 1 for names in found.values())


def test_by_document_the_text_decides_and_the_seed() -> None:
    split = Split.parse("0.4,0.3,0.3")
    found = [row(f"第{n}讲", n) for n in range(100)]
    assert [split.of(one) for one in found] == [split.of(row(one["text"], n + 500, "z.cn")) for n, one in enumerate(found)]
    other = Split.parse("0.4,0.3,0.3", seed=1)
    assert [split.of(one) for one in found] != [other.of(one) for one in found]
    marks = [row("……", n, "a.cn") for n in range(50)]
    assert {one["content_hash"] for one in marks} == {""} and len({split.of(one) for one in marks}) > 1


def test_a_text_stays_in_its_split_and_every_text_is_in_one(tmp_path: Path) -> None:
    def export(count: int) -> dict[str, set[str]]:
        found = [row(f"第{n}讲", n, f"h{n % 7}.cn") for n in range(count)]
        to_files(found, tmp_path / "c.jsonl", Job(kind="jsonl", setup=Setup(), split=Split.parse("0.6,0.2,0.2", "host")))
        return {
            name: {json.loads(line)["url"] for line in (tmp_path / f"c.{name}.jsonl").read_text("utf-8").splitlines()}
            for name in NAMES
        }

    small, large = export(60), export(150)
    assert all(small[name] <= large[name] for name in NAMES)
    assert sum(map(len, large.values())) == len(set.union(*large.values())) == 150


def test_names_of_files() -> None:
    split = Split.parse("0.5,0,0.5")
    named = of_splits(Path("a/c.v1.jsonl.gz"), split).values()
    assert [str(path) for path in named] == ["a/c.v1.train.jsonl.gz", "a/c.v1.test.jsonl.gz"]
    assert of_splits(Path("corpus"), split)["test"] == Path("corpus.test")
    assert of_splits(Path("corpus"), None) == {"": Path("corpus")}
    names = ("c.JSONL", "c.csv.gz", "c.txt", "c.parquet", "c.xml", "c.tei.zst", "c.vert", "c.gz", "c", "c.doc")
    assert [of_name(name) for name in names] == ["jsonl", "csv", "txt", "parquet", "tei", "tei", "vertical", None, None, None]


def test_a_sample_is_drawn_evenly_and_grows_with_the_corpus() -> None:
    pages = [Record(url=f"http://a.cn/{n}", host="a.cn", keep=True, text="党建", order=n) for n in range(2000)]

    def sample(size: int, seed: int = 0, count: int = 2000) -> list[int]:
        found = pages[:count]
        return [page.order for page in drawn(found, threshold((page.key for page in found), size, seed), seed)]

    hundred = sample(100)
    assert len(hundred) == 100 and hundred == sorted(hundred)
    assert set(sample(30)) < set(hundred)
    assert sample(100, seed=1) != hundred
    assert sample(9999) == list(range(2000))
    assert sample(5, count=0) == []
    # The mean of 100 of 0 to 1999, within four of its standard deviations.
    assert abs(sum(hundred) / 100 - 999.5) < 4 * 577 / 10
    assert set(hundred) & set(range(1000)) <= set(sample(100, count=1000))
    shuffled = random.Random(0).sample(pages, len(pages))
    assert threshold((page.key for page in shuffled), 100) == threshold((page.key for page in pages), 100)
