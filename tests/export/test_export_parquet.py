"""Parquet as pyarrow reads it, and data sets as ``datasets`` loads them."""

import datetime
import io
import json
import sys
from pathlib import Path

import pyarrow.dataset
import pyarrow.parquet
import pytest
import yaml
from export_tools import COPY, PAGE, PLAIN, row

from topical_crawler.export import parquet
from topical_crawler.export.formats import Setup
from topical_crawler.export.job import Job, to_files, to_folder
from topical_crawler.export.manifest import Facts
from topical_crawler.export.rows import ExportError, ExportRow, Split, as_dict


def read(*found: ExportRow, rejected: bool = False) -> pyarrow.parquet.ParquetFile:
    out = io.BytesIO()
    writer = parquet.Parquet(out, rejected)
    for one in found:
        writer.write(one)
    writer.close()
    return pyarrow.parquet.ParquetFile(io.BytesIO(out.getvalue()))


def test_columns_have_types() -> None:
    file = read(as_dict(PAGE), as_dict(PLAIN), as_dict(COPY), rejected=True)
    first, second, third = file.read().to_pylist()
    assert (first["text"], first["relevance"], first["depth"], first["keep"]) == (PAGE.text, 0.75, 2, True)
    assert first["date"] == datetime.date(2024, 1, 2)
    assert first["fetched"] == datetime.datetime(2026, 11, 20, 8, tzinfo=datetime.UTC)
    assert first["measures"] == PAGE.measures
    assert first["places"] == [PAGE.url, PAGE.final_url]
    assert (json.loads(first["why"]), json.loads(first["personal"])) == ({"党建": 0.6}, {"phone": 2})
    assert second["date"] is None, "there is no 31st of February"
    assert set(second["measures"].values()) == {None}
    assert (third["text"], third["reason"], third["similarity"], first["reason"]) == ("", "duplicate", 0.9, None)
    assert file.metadata.row_group(0).column(2).compression == "ZSTD"
    assert "reason" not in read(as_dict(PAGE)).schema_arrow.names


def test_row_groups_bound_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "GROUP_ROWS", 10)
    monkeypatch.setattr(parquet, "GROUP_CHARACTERS", 200)  # of texts and Markdown
    file = read(*(row("字" * 5, n) for n in range(25)), *(row("字" * 60, n) for n in range(25, 30)))
    groups = [file.metadata.row_group(n).num_rows for n in range(file.metadata.num_row_groups)]
    assert groups == [10, 10, 7, 2, 1]
    assert file.read()["order"].to_pylist() == list(range(30))
    assert read().read().num_rows == 0


def test_without_pyarrow_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ExportError, match=r"pip install 'topical-crawler\[parquet\]'"):
        to_files([row()], tmp_path / "out.parquet", Job(kind="parquet", setup=Setup()))
    with pytest.raises(ExportError, match="pyarrow"):
        to_folder([row()], tmp_path / "out", Job(kind="hf", setup=Setup()))
    assert list(tmp_path.iterdir()) == []


def test_splits_are_a_partitioned_data_set(tmp_path: Path) -> None:
    split = Split.parse("0.5,0.25,0.25")
    found = [row(f"第{n}讲", n) for n in range(200)]
    to_files(found, tmp_path / "c.parquet", Job(kind="parquet", setup=Setup(), split=split, manifest=False))
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["c.test.parquet", "c.train.parquet", "c.validation.parquet"]
    together = pyarrow.dataset.dataset([str(file) for file in files]).to_table()
    assert sorted(together["text"].to_pylist()) == sorted(f"第{n}讲" for n in range(200))


FACTS = Facts(
    topic={"name": "dangjian", "title": '党建: "主题" #1'},
    crawl={"strategy": "semantic", "started": "2026-11-20T08:00:00+00:00"},
    filters={"min_relevance": 0.2},
    changes=("personal data masked",),
    robots={"a0.cn": {"robots": "rules", "crawl_delay": 2.0, "asked": "2026-11-20T08:00:00+00:00"}},
)


def test_datasets_loads_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    import datasets

    monkeypatch.setattr(parquet, "SHARD_CHARACTERS", 300)
    found = [as_dict(PAGE), *(row(f"第{n}讲：主题教育", n, f"a{n % 3}.cn", language="zh") for n in range(2, 100))]
    split = Split.parse("0.6,0.2,0.2")
    tally = to_folder(found, tmp_path / "set", Job(kind="hf", setup=Setup(), facts=FACTS, split=split))
    loaded = datasets.load_dataset(str(tmp_path / "set"), cache_dir=str(tmp_path / "cache"))
    assert {name: part.num_rows for name, part in loaded.items()} == {name: tally.splits[name].texts for name in loaded}
    assert len(list((tmp_path / "set/data").glob("train-*"))) > 1
    assert sorted(order for part in loaded.values() for order in part["order"]) == list(range(1, 100))
    first = next(one for part in loaded.values() for one in part if one["order"] == 1)
    assert (first["text"], first["date"], first["measures"]) == (PAGE.text, datetime.date(2024, 1, 2), dict(PAGE.measures))
    assert first["places"] == [PAGE.url, PAGE.final_url]
    assert loaded["train"].features["fetched"].dtype == "timestamp[s, tz=UTC]"
    assert loaded["train"].features["measures"]["han"].dtype == "float64"


def test_a_split_without_texts_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import datasets

    to_folder([row()], tmp_path / "set", Job(kind="hf", setup=Setup(), split=Split.parse("0.5,0.5,0", "host")))
    loaded = datasets.load_dataset(str(tmp_path / "set"), cache_dir=str(tmp_path / "cache"))
    assert [part.num_rows for part in loaded.values()] == [1]
    to_folder([], tmp_path / "none", Job(kind="hf", setup=Setup()))
    assert [file.name for file in (tmp_path / "none/data").iterdir()] == ["train-00000-of-00001.parquet"]


def test_the_card(tmp_path: Path) -> None:
    found = [
        row(f"第{n}讲", n, f"a{n % 40}.cn", language="zh", license="CC <BY>|4.0", why={"rights": {"noai": True}})
        for n in range(1, 1200)
    ]
    to_folder([as_dict(PAGE), *found], tmp_path / "set", Job(kind="hf", setup=Setup(), facts=FACTS))
    said = (tmp_path / "set/README.md").read_text("utf-8")
    _, head, body = said.split("---\n", 2)
    front = yaml.safe_load(head)
    assert (front["pretty_name"], front["license"], front["language"]) == (FACTS.topic["title"], "other", ["zh"])
    assert front["size_categories"] == ["1K<n<10K"]
    assert front["configs"] == [{"config_name": "default", "data_files": [{"split": "train", "path": "data/train-*"}]}]
    for part in (
        "strategy: semantic", "rules: 1", "1 of them ask for a delay between requests: 2 to 2 s", "min_relevance: 0.2",
        "personal data masked", "11 more (see the manifest)", "CC &lt;BY>\\|4.0", "`measures`", "Found (texts): phone 1.",
        "Neither it nor `relevance` can tell", "1,199 texts were stored without a search", "Texts by reservation: noai 1,199.",
    ):  # fmt: skip
        assert part in body, part
    assert "## Splits" not in body


def test_folders_have_the_same_bytes(tmp_path: Path) -> None:
    found = [row(f"第{n}讲", n) for n in range(50)]
    for name in ("one", "two"):
        to_folder(found, tmp_path / name, Job(kind="hf", setup=Setup(), manifest=False))
    files = sorted(file.relative_to(tmp_path / "one") for file in (tmp_path / "one").rglob("*") if file.is_file())
    assert [str(file) for file in files] == ["README.md", "croissant.json", "data/train-00000-of-00001.parquet"]
    assert all((tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes() for file in files)
