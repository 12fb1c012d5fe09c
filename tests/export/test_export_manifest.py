"""Manifests, and files and folders that are there whole or not at all."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from export_tools import COPY, PAGE, PLAIN, row

from topical_crawler.export import rows
from topical_crawler.export.formats import Setup
from topical_crawler.export.job import Job, to_files, to_folder
from topical_crawler.export.manifest import LICENSES, Facts, Tally
from topical_crawler.export.rows import ExportError, ExportRow, Split, as_dict
from topical_crawler.files import explained, replacing


def test_a_manifest_says_what_was_written(tmp_path: Path) -> None:
    facts = Facts(
        topic={"name": "dangjian", "title": "党建"},
        crawl={"strategy": "semantic"},
        filters={"where": ["han>=0.5"]},
        changes=("simplified",),
        robots={"a.cn": {"robots": "rules", "crawl_delay": 1.0}, "else.cn": {"robots": "none"}},
    )
    found = [as_dict(PAGE), as_dict(PLAIN), row("再开会。", 3, "b.cn", license="署名", fetched="2026-11-19T08:00:00+00:00")]
    job = Job(kind="jsonl", setup=Setup(), facts=facts, split=Split.parse("0.5,0,0.5", seed=4))
    to_files(found, tmp_path / "c.jsonl.zst", job)
    said = json.loads((tmp_path / "c.jsonl.zst.manifest.json").read_text("utf-8"))
    characters = [len(one["text"]) for one in found]
    assert said["counts"] == {"texts": 3, "rejected": 0, "characters": sum(characters)}
    assert said["fetched"] == {"first": "2026-11-19T08:00:00+00:00", "last": "2026-11-20T09:00:00+00:00"}
    assert said["hosts"]["a.cn"] == {
        "texts": 1, "rejected": 0, "characters": characters[0], "licenses": {"CC BY 4.0": 1}, "robots": facts.robots["a.cn"],
    }  # fmt: skip
    assert list(said["hosts"]) == ["b.cn", "a.cn"] and said["hosts"]["b.cn"]["licenses"] == {"署名": 1}
    assert [file["name"] for file in said["files"]] == ["c.train.jsonl.zst", "c.test.jsonl.zst"]
    for file in said["files"]:
        written = (tmp_path / file["name"]).read_bytes()
        assert (file["bytes"], file["sha256"]) == (len(written), hashlib.sha256(written).hexdigest())
    assert said["split"] == {"shares": {"train": 0.5, "validation": 0.0, "test": 0.5}, "by": "document", "seed": 4}
    assert sum(split["texts"] for split in said["splits"].values()) == 3
    assert (said["topic"], said["crawl"], said["filters"], said["changes"]) == (
        facts.topic, facts.crawl, facts.filters, ["simplified"],
    )  # fmt: skip
    assert (said["texts_with_personal_data"], said["texts_not_measured"]) == ({"phone": 1}, 2)
    versions = {"topical-crawler", "corpus", "python", "backports.zstd", "opencc", "jieba"}
    assert versions == set(said["versions"]) - {"rjieba"}


def test_an_export_without_a_manifest_leaves_no_old_one(tmp_path: Path) -> None:
    to_files([row()], tmp_path / "c.txt", Job(kind="txt", setup=Setup()))
    assert (tmp_path / "c.txt.manifest.json").is_file()
    to_files([row()], tmp_path / "c.txt", Job(kind="txt", setup=Setup(), manifest=False))
    assert [file.name for file in tmp_path.iterdir()] == ["c.txt"]


def test_a_host_that_names_a_licence_a_page_does_not_fill_the_memory() -> None:
    tally = Tally()
    for n in range(100):
        tally.add(row("开会", n, license=f"许可{n % 50}"))
    tally.add(as_dict(COPY))
    assert len(tally.licenses["a.cn"]) == LICENSES + 1
    assert tally.licenses["a.cn"].total() == 100
    assert (tally.whole.rejected, tally.hosts["b.cn"].rejected) == (1, 1)


def broken() -> Iterator[ExportRow]:
    yield row()
    raise RuntimeError("away")


@pytest.mark.parametrize("name", ["c.jsonl", "c.csv.gz", "c.txt.zst", "c.parquet", "c.xml", "c.vert"])
def test_what_breaks_leaves_the_old_files(tmp_path: Path, name: str) -> None:
    kind = {"c.csv.gz": "csv", "c.txt.zst": "txt", "c.xml": "tei", "c.vert": "vertical"}.get(name, Path(name).suffix[1:])
    split = Split.parse("0.5,0.5,0")
    (tmp_path / name).write_text("old")
    for given in (None, split):
        with pytest.raises(RuntimeError, match="away"):
            to_files(broken(), tmp_path / name, Job(kind=kind, setup=Setup(tagger=lambda s: [(s, "x", "X")]), split=given))
    assert [file.name for file in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "old"


@pytest.mark.parametrize("kind", ["hf", "tei"])
def test_folders_are_whole_and_replace_only_earlier_exports(tmp_path: Path, kind: str) -> None:
    target, job = tmp_path / "out", Job(kind=kind, setup=Setup())
    with pytest.raises(RuntimeError, match="away"):
        to_folder(broken(), target, job)
    assert list(tmp_path.iterdir()) == []
    to_folder([row("一"), row("二", 2)], target, job)
    first = {file: file.read_bytes() for file in target.rglob("*") if file.is_file()}
    with pytest.raises(RuntimeError, match="away"):
        to_folder(broken(), target, job)
    assert {file: file.read_bytes() for file in target.rglob("*") if file.is_file()} == first
    to_folder([row("三", 3)], target, job)
    assert json.loads((target / "manifest.json").read_text("utf-8"))["counts"]["texts"] == 1
    assert [file.name for file in tmp_path.iterdir()] == ["out"]
    mine = tmp_path / "mine"
    mine.mkdir()
    to_folder([row("三", 3)], mine, job)
    (mine / "manifest.json").write_text("{}")
    with pytest.raises(FileExistsError, match="not an earlier export"):
        to_folder([row()], mine, job)
    assert (mine / "manifest.json").read_text() == "{}"


def test_parquet_is_not_packed_again(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"Leave out \.gz"):
        to_files([row()], tmp_path / "c.parquet.gz", Job(kind="parquet", setup=Setup()))


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    target.write_text("old")
    with pytest.raises(RuntimeError), replacing(target) as out:
        out.write("half")
        raise RuntimeError
    assert (target.read_text(), [p.name for p in tmp_path.iterdir()]) == ("old", ["out.jsonl"])
    with replacing(target, "utf-8-sig") as out:
        out.write("党建\r\n")
    assert target.read_bytes() == b"\xef\xbb\xbf" + "党建\r\n".encode()


def test_what_cannot_be_written_is_named_as_it_was_asked_for(tmp_path: Path) -> None:
    target = tmp_path / "none" / "out.jsonl"
    with pytest.raises(FileNotFoundError) as failed, replacing(target):
        raise AssertionError("it was opened")
    assert explained(failed.value).startswith(f"{target}: No such file or directory. Check the spelling")


def test_changes() -> None:
    import dataclasses

    named = dataclasses.replace(
        PLAIN, text="组织生活会，电话13812345678。", title="联系13812345678", script="simplified",
        why={"电话": 0.5, "anchor": "打13812345678"},
    )  # fmt: skip
    assert rows.without_personal(PAGE) is None
    assert rows.without_personal(PLAIN) is PLAIN
    assert rows.without_personal(named) is None, "it was never searched, and is now"
    covered = rows.masked(named)
    assert "13812345678" not in f"{covered.text}{covered.title}{covered.why}"
    assert covered.personal and covered.text and covered.text.startswith("组织生活会，电话")
    assert covered.characters == len(covered.text)
    other = rows.traditional(named)
    assert (other.text or "")[:6] == "組織生活會，" and (other.script, next(iter(other.why))) == ("traditional", "電話")
    assert (rows.simplified(other).text, rows.simplified(other).script) == (named.text, "simplified")
