"""``topical-crawler corpus export`` as a user runs it, in all formats."""

import dataclasses
import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet
import pytest
import yaml
from command_tools import RunScrapy
from lxml import etree

from topical_crawler.cleaning.cleaner import CleaningOptions
from topical_crawler.corpus.clean import LateCleaning
from topical_crawler.corpus.record import Filters, HostFacts, Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.export.rows import Split
from topical_crawler.judging.sample import write_sample
from topical_crawler.judging.teach import draw_to_teach
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.topic import load_topic

WORDS = ("组织生活会", "基层党建", "专题党课", "廉政教育", "三会一课", "主题教育", "民主评议", "发展党员", "支部换届", "党风建设")


def text(n: int) -> str:
    """Unlike the others in most of its words."""
    return "".join(f"{WORDS[(n * 7 + k * k * 3) % 10]}第{n * 31 + k * n}期，" for k in range(8)) + (
        "電話13812345678。" if n == 5 else "。"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with the corpus of a crawl."""
    folder = tmp_path_factory.mktemp("exports")
    with CorpusStore(folder / "data/dangjian/corpus.sqlite") as store:
        for n in range(1, 31):
            host = f"www.a{n % 3}.cn"
            store.put(
                Record(
                    url=f"http://{host}/{n}.html", host=host, keep=True, title=f"标题{n}", text=text(n), relevance=n / 30,
                    fetched=f"2026-11-20T08:00:{n:02}+00:00", language="zh", script="simplified",
                    kind="list" if n % 5 == 0 else "article",
                    measures={"han": n / 40}, personal={"phone": 1} if n == 5 else {}, license="CC BY 4.0" if n < 4 else "",
                )
            )  # fmt: skip
        store.put(Record(url="http://b.cn/copy", host="b.cn", keep=True, text=text(1), fetched="2026-11-21T08:00:00+00:00"))
        store.note_host(HostFacts("www.a1.cn", "restricts", 5.0, "2026-11-20T07:00:00+00:00"))
    said = {"topic": "partybuilding", "source": "/nowhere", "strategy": "semantic", "seed": 0, "version": "0.1.0"}
    (folder / "data/dangjian/crawl.json").write_text(json.dumps(said), "utf-8")
    return folder


@pytest.fixture
def run(folder: Path, call_scrapy: RunScrapy) -> RunScrapy:
    def run(*arguments: str, corpus: str = "dangjian", cwd: Path = folder) -> subprocess.CompletedProcess[str]:
        return call_scrapy("corpus", "export", corpus, *arguments, cwd=cwd)

    return run


def rows(done: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_rows_name_every_place_of_their_text(run: RunScrapy) -> None:
    first, *others = rows(run())
    assert first["places"] == ["http://www.a1.cn/1.html", "http://b.cn/copy"]
    assert len(others) == 29 and all(one["places"] == [one["url"]] for one in others)


def test_filters(run: RunScrapy) -> None:
    def orders(*arguments: str) -> list[object]:
        return [row["order"] for row in rows(run(*arguments))]

    assert orders("--where", "han>=0.5", "--where", "relevance < 0.8") == [20, 21, 22, 23]
    assert orders("--kind", "list", "--language", "zh", "--no-personal", "--limit", "2") == [10, 15]
    assert orders("--script", "traditional") == []
    sample = orders("--sample", "7")
    assert len(sample) == 7 and sample == orders("--sample", "7")
    assert sample != orders("--sample", "7", "--seed", "1")
    assert set(orders("--sample", "3")) < set(sample)


def test_texts_are_masked_and_converted(run: RunScrapy) -> None:
    (masked,) = rows(run("--mask-personal", "--limit", "1", "--where", "relevance>=0.16"))
    assert "電話13812345678" not in str(masked["text"]) and "電話" in str(masked["text"])
    assert masked["characters"] == len(str(masked["text"]))
    (converted,) = rows(run("--traditional", "--limit", "1"))
    assert "組織" in str(converted["text"]) or "黨" in str(converted["text"])
    assert converted["script"] == "traditional"


def test_passages_are_left_out_and_written_as_markdown(run: RunScrapy, folder: Path) -> None:
    with CorpusStore(folder / "data/dangjian/corpus.sqlite") as store:
        (first,) = store.records(Filters(limit=1))
        store.replace(dataclasses.replace(first, text=f"{first.text}\nx = [1]", layout=[[1, 1, "code", 0, "python"]]))
    (whole,) = rows(run("--limit", "1"))
    assert run("--limit", "1", "--without", "tables,code", "-o", "prose.jsonl").returncode == 0
    assert whole["markdown"] == f"{text(1)}\n\n```python\nx = [1]\n```"
    assert json.loads((folder / "prose.jsonl").read_text("utf-8").splitlines()[0])["text"] == text(1)
    assert json.loads((folder / "prose.jsonl.manifest.json").read_text("utf-8"))["changes"] == ["without tables, code"]
    with CorpusStore(folder / "data/dangjian/corpus.sqlite") as store:
        store.replace(first)


def test_every_format_has_every_text(run: RunScrapy, folder: Path) -> None:
    names = {"c.jsonl.gz": "", "c.parquet": "", "c.xml": "", "c.vert": "", "set": "hf", "texts": "tei"}
    for name, kind in names.items():
        done = run("-o", name, *(("-f", kind) if kind else ()))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", f"30 pages written to {name}\n")
    with gzip.open(folder / "c.jsonl.gz", "rt", encoding="utf-8") as lines:
        expected = [json.loads(line)["text"] for line in lines]
    assert expected == [text(n) for n in range(1, 31)]
    for table in (folder / "c.parquet", folder / "set/data/train-00000-of-00001.parquet"):
        assert pyarrow.parquet.read_table(table)["text"].to_pylist() == expected
    tei = etree.parse(folder / "c.xml")
    assert [p.text for p in tei.iterfind(".//{*}body//{*}p")] == expected
    assert {term.text for term in tei.iterfind(".//{*}term")} == {"党建"}, "the crawl's topic is known"
    assert len(list((folder / "texts").rglob("*.xml"))) == 30
    vertical = (folder / "c.vert").read_text("utf-8")
    assert vertical.count("<doc ") == 30 and "\n三会一课\tn\t三会一课\n" in vertical
    assert (folder / "c.vert.registry").read_text("utf-8").count('NAME "党建"') == 1


def test_a_file_per_text(run: RunScrapy, folder: Path) -> None:
    done = run("--per-text", "-o", "texts.d", "--limit", "3")
    assert (done.returncode, done.stderr) == (0, "3 pages written to texts.d\n")
    assert (folder / "texts.d/texts/0000002-标题2.txt").read_text("utf-8") == f"{text(2)}\n"
    assert run("--per-text", "-o", "texts.d", "--force", "-f", "vertical", "--limit", "1").returncode == 0
    assert [file.name for file in (folder / "texts.d/texts").iterdir()] == ["0000001-标题1.vert"]


def test_a_tagger_of_ones_own(run: RunScrapy, folder: Path) -> None:
    (folder / "whole.py").write_text("def tag(sentence):\n    return [(sentence, 'W', 'X')]\n", "utf-8")
    assert "\tX\tW\t" in run("-f", "conllu", "--tagger", "whole:tag", "--limit", "1").stdout
    assert "Name it MODULE:FUNCTION" in run("-f", "conllu", "--tagger", "whole:cut").stderr


def test_the_manifest_knows_topic_crawl_and_hosts(run: RunScrapy, folder: Path) -> None:
    run("-o", "m.jsonl", "--host", "a1.cn", "--simplified", "--where", "han>0")
    said = json.loads((folder / "m.jsonl.manifest.json").read_text("utf-8"))
    assert (said["topic"]["title"], said["crawl"]["strategy"]) == ("党建", "semantic")
    assert said["crawl"]["random_seed"] == 0 and said["crawl"]["seeds"][0] == "http://www.a1.cn/1.html"
    assert len(said["topic"]["edition"]) == 16
    assert said["filters"] == {"host": ["a1.cn"], "where": ["han>0"]} and said["changes"] == ["simplified"]
    assert said["hosts"]["www.a1.cn"]["robots"] == {
        "robots": "restricts", "crawl_delay": 5.0, "asked": "2026-11-20T07:00:00+00:00",
    }  # fmt: skip
    assert said["hosts"]["www.a1.cn"]["licenses"] == {"CC BY 4.0": 1}
    assert str(folder) not in json.dumps(said) and "/nowhere" not in json.dumps(said)
    run("-o", "n.jsonl", "--no-manifest")
    assert not (folder / "n.jsonl.manifest.json").exists()


def test_splits_by_host(run: RunScrapy, folder: Path) -> None:
    done = run("-o", "s.jsonl", "--split", "0.4,0.3,0.3", "--split-by", "host", "--split-seed", "2")
    split = Split((0.4, 0.3, 0.3), "host", 2)
    hosts = {}
    for name in split.names:
        rows = [json.loads(line) for line in (folder / f"s.{name}.jsonl").read_text("utf-8").splitlines()]
        hosts |= {row["host"]: name for row in rows}
        assert f"{name} {len(rows)}" in done.stderr
    assert hosts == {host: split.of({"host": host}) for host in ("www.a0.cn", "www.a1.cn", "www.a2.cn")}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--split", "0.9,0.05,0.05"), "-o FILE"),
        (("-o", "x.xlsx"), "x.xlsx has no known format. End it in one of .jsonl .ndjson .csv"),
        (("--per-text",), "name it with -o FOLDER"),
        (("--per-text", "-f", "parquet", "-o", "x"), "--per-text goes with the formats jsonl, txt, md, tei"),
        (("--per-text", "-f", "jsonl", "--rejected", "-o", "x"), "have no text"),
        (("--tagger", "own:tag", "-o", "x.csv"), "the formats vertical, vrt, conllu, not with csv"),
        (("--split", "90,5,5", "-o", "x.jsonl"), "0.9,0.05,0.05"),
        (("-f", "hf"), "-o FOLDER"),
        (("-f", "tei", "--rejected"), "have no text"),
        (("-o", "x.jsonl", "--split", "1,0,0", "--rejected"), "leave one of the two away"),
        (("--where", "hans>=0.5"), "'hans' cannot be bounded; there are relevance"),
        (("--where", "han"), "write it as 'han>=0.5'"),
        (("--without", "code,lists"), "'code,lists' cannot be left out; write some of code, formulas, tables"),
    ],
)
def test_a_mistaken_export_exits_with_2(run: RunScrapy, folder: Path, arguments: tuple[str, ...], message: str) -> None:
    failed = run(*arguments)
    assert (failed.returncode, failed.stdout) == (2, "")
    assert message in failed.stderr and "Traceback" not in failed.stderr
    assert not list(folder.glob("x.*"))


def test_an_export_that_cannot_be_exits_with_1(run: RunScrapy, folder: Path) -> None:
    (folder / "mine").mkdir()
    (folder / "mine/thesis.txt").write_text("论文", "utf-8")
    for arguments, message in (
        (("-f", "hf", "-o", "mine", "--force"), "not an earlier export"),
        (("-o", "x.parquet.gz"), "Leave out .gz"),
        (("-o", "x.vert", "--topic", "nothing"), "nothing"),
    ):
        failed = run(*arguments)
        assert failed.returncode == 1 and message in failed.stderr and "Traceback" not in failed.stderr
    assert [file.name for file in (folder / "mine").iterdir()] == ["thesis.txt"]


def test_what_is_there_is_only_replaced_by_force(run: RunScrapy, folder: Path) -> None:
    (folder / "old.train.jsonl").write_text("mine", "utf-8")
    (folder / "kept.jsonl").write_text("mine", "utf-8")
    for arguments in (("-o", "kept.jsonl"), ("-o", "old.jsonl", "--split", "1,0,0")):
        failed = run(*arguments)
        assert failed.returncode == 1 and "add --force to replace it" in failed.stderr
        assert run(*arguments, "--force", "--limit", "3").returncode == 0
    assert (folder / "kept.jsonl").read_text("utf-8").count("\n") == 3
    assert run("-f", "hf", "-o", "data-set").returncode == 0
    card = (folder / "data-set/README.md").read_text("utf-8")
    assert "\n- random seed: 0\n" in card and "\n- seeds: <http://www.a1.cn/1.html>, " in card and "and 1 more" in card
    assert "with --force" in run("-f", "hf", "-o", "data-set").stderr
    assert "Name a file" in run("-f", "jsonl", "-o", "/dev/null", "--force").stderr


def test_the_next_export_removes_what_a_killed_one_left(run: RunScrapy, folder: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = folder / f".left.csv.{ended.pid}.part"
    left.write_text("url")
    others = (folder / f".left.csv.{os.getppid()}.part", folder / f".left.csv.gz.{ended.pid}.part")
    for other in others:
        other.write_text("url")
    (folder / f".left.{ended.pid}.part").mkdir()
    (folder / f".left.{ended.pid}.old").mkdir()
    (folder / f".left.{ended.pid}.old/manifest.json").write_text("{}")
    run("-o", "left.csv")
    assert not left.exists() and all(other.exists() for other in others)
    assert "not an earlier export" in run("-f", "hf", "-o", "left", "--force").stderr
    assert [file.name for file in (folder / "left").iterdir()] == ["manifest.json"], "it was moved away when the other was killed"
    assert not list(folder.glob(f".left.{ended.pid}.*"))


def test_texts_that_are_marked_off_topic_are_left_out(folder: Path, run: RunScrapy, tmp_path: Path) -> None:
    data = tmp_path / "data/dangjian"
    shutil.copytree(folder / "data/dangjian", data)
    with CorpusStore(data / "corpus.sqlite", read_only=True) as store:
        sample = draw_to_teach(store, 4)
    marks = dict(zip([item.key for item in sample.items], ("irrelevant", "boilerplate", "relevant", None), strict=True))
    write_sample(sample.marked(marks), data / "asked-1.jsonl")
    off = {item.url for item in sample.items[:2]}
    everything = {str(row["url"]) for row in rows(run("--marked-off", cwd=tmp_path))}
    assert len(everything) == 30 and off <= everything
    assert {str(row["url"]) for row in rows(run(cwd=tmp_path))} == everything - off
    done = run("-o", "texts.jsonl", cwd=tmp_path)
    assert "28 pages written" in done.stderr and "without 2 texts marked irrelevant or boilerplate" in done.stderr
    assert json.loads((tmp_path / "texts.jsonl.manifest.json").read_bytes())["filters"] == {"without_marked_off": 2}
    (data / "asked-1.jsonl").write_text("{}\n", "utf-8")
    assert "asked-1.jsonl, line 1" in run(cwd=tmp_path).stderr


def test_texts_of_a_corpus_that_is_not_clean_are_cleaned_on_the_way(run: RunScrapy, tmp_path: Path) -> None:
    """The lines of a site are learned page by page, and its first texts were stored before. One of them is a copy once clean."""
    slogan = "跟着某某党建网，学习永远在路上！"
    place = tmp_path / "corpus.sqlite"
    with CorpusStore(place) as store:
        for n in range(10):
            page = Record(url=f"http://www.l.cn/{n}", host="www.l.cn", keep=True, text=f"{slogan}\n{text(n)}")
            store.put(page, page.text or "")
        store.put(Record(url="http://www.m.cn/", host="www.m.cn", keep=True, text=text(3)))
    before = place.read_bytes()
    done = run("--rejected", corpus=str(place))
    found = {str(row["url"]): row for row in rows(done)}
    assert not [url for url, row in found.items() if slogan in str(row["text"])]
    assert (found["http://www.l.cn/3"]["keep"], found["http://www.m.cn/"]["reason"]) == (True, "duplicate")
    assert "10 texts cleaned on the fly" in done.stderr
    assert place.read_bytes() == before
    with CorpusStore(place) as store:
        for _ in LateCleaning(store, CleaningOptions()).steps():
            pass
    again = run("--rejected", corpus=str(place))
    assert [(row["url"], row["text"]) for row in rows(again) if row["keep"]] == [
        (url, row["text"]) for url, row in found.items() if row["keep"]
    ]
    assert "on the way" not in again.stderr


def test_metadata_apart(run: RunScrapy, tmp_path: Path) -> None:
    flat = rows(run())
    nested = rows(run("--metadata"))
    assert [set(row) for row in nested] == [{"id", "text", "metadata"}] * len(flat)
    assert [row["metadata"] | {"id": row["id"], "text": row["text"]} for row in nested] == flat  # type: ignore[operator]
    assert run("--metadata", "-o", str(tmp_path / "out.parquet")).returncode == 0
    table = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert table.column_names == ["id", "text", "metadata"]
    first = table.to_pylist()[0]
    assert (first["id"], first["text"], first["metadata"]["places"]) == (flat[0]["id"], flat[0]["text"], flat[0]["places"])
    assert first["metadata"]["measures"]["han"] == 1 / 40
    assert run("--metadata", "-f", "hf", "-o", str(tmp_path / "hf")).returncode == 0
    shard = pyarrow.parquet.read_table(tmp_path / "hf/data/train-00000-of-00001.parquet")
    assert shard.schema == table.schema
    card = yaml.safe_load((tmp_path / "hf/README.md").read_text("utf-8").split("---\n")[1])
    described = card["dataset_info"]["features"]
    assert [feature["name"] for feature in described] == table.column_names
    assert [field["name"] for field in described[2]["struct"]] == table.schema.field("metadata").type.names
    assert "--metadata goes with the formats jsonl, parquet, hf, not with csv" in run("--metadata", "-f", "csv").stderr


def test_counts_that_corpora_for_language_models_have(run: RunScrapy) -> None:
    first, second = rows(run("--limit", "2"))
    assert (first["minhash_cluster_size"], second["minhash_cluster_size"]) == (2, 1)
    assert first["id"] != second["id"]
    assert first["language_score"] == 1.0
    words = [word for word in Segmenter(load_topic("partybuilding").terms).pieces(str(first["text"])) if not word.isspace()]
    assert first["token_count"] == len(words) > 20
