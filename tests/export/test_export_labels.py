"""``corpus export --labels``, on texts of the demo's sites and the channels that they stand in."""

import json
import tomllib
from pathlib import Path

import pyarrow.parquet
import pytest
from command_tools import RunScrapy

from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.export.labels import _WEIGHTS, LABELS, Labels, _marks, _table
from topical_crawler.text.segment import Segmenter

TEXTS = Path(__file__).parents[2] / "demo/texts"
DOMAINS = {
    "qingheonline/12-weather": "P", "qingheonline/06-sports": "G", "qingheonline/04-finance": "F",
    "qingheonline/08-health": "R", "qinghedj/2-learning": "D",
}  # fmt: skip
NAMES = [column.name for column in LABELS]


def channel(name: str) -> list[dict[str, str]]:
    return list(tomllib.loads((TEXTS / f"{name}.toml").read_text("utf-8"))["text"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a corpus of the first texts of five channels."""
    folder = tmp_path_factory.mktemp("labelled")
    with CorpusStore(folder / "corpus.sqlite") as store:
        for name in DOMAINS:
            for n, article in enumerate(channel(name)[:4]):
                url = f"http://{name}/{n}.html"
                store.put(Record(url=url, host="a.cn", keep=True, title=article["title"], text=article["text"].strip()))
    return folder


def test_texts_of_a_channel_have_its_domain(folder: Path, call_scrapy: RunScrapy) -> None:
    done = call_scrapy("corpus", "export", "corpus.sqlite", "-o", "labelled.jsonl", "--labels", cwd=folder)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (folder / "labelled.jsonl").read_text("utf-8").splitlines()]
    right = [row["domain"] == DOMAINS[row["url"].removeprefix("http://").rpartition("/")[0]] for row in rows]
    assert len(rows) > 15 and sum(right) >= 0.8 * len(rows)
    assert all(0 < row["domain_score"] <= 1 and 0 < row["quality_score"] <= 1 for row in rows)
    assert "universal-sentence-encoder" in (folder / "labelled.jsonl.manifest.json").read_text("utf-8")
    plain = call_scrapy("corpus", "export", "corpus.sqlite", cwd=folder)
    assert [set(row) - set(NAMES) for row in rows] == [set(json.loads(line)) for line in plain.stdout.splitlines()]


def test_the_files_for_data_sets_have_them_too(folder: Path, call_scrapy: RunScrapy) -> None:
    done = call_scrapy("corpus", "export", "corpus.sqlite", "-f", "hf", "-o", "set", "--labels", cwd=folder)
    assert done.returncode == 0, done.stderr
    (file,) = (folder / "set/data").iterdir()
    assert set(pyarrow.parquet.read_schema(file).names) > set(NAMES)
    card, croissant = ((folder / "set" / name).read_text("utf-8") for name in ("README.md", "croissant.json"))
    assert all(f"- name: {name}\n" in card and f"| `{name}` |" in card for name in NAMES)
    assert {field["name"] for field in json.loads(croissant)["recordSet"][0]["field"]} > set(NAMES)


def test_they_go_with_texts_in_formats_of_columns(folder: Path, call_scrapy: RunScrapy) -> None:
    other = call_scrapy("corpus", "export", "corpus.sqlite", "-f", "txt", "--labels", cwd=folder)
    assert other.returncode == 2 and "--labels goes with the formats jsonl, parquet, hf, not with txt" in other.stderr
    rejected = call_scrapy("corpus", "export", "corpus.sqlite", "--labels", "--rejected", cwd=folder)
    assert rejected.returncode == 2 and "rejected pages have no text" in rejected.stderr


def test_what_a_text_is_without_an_encoder() -> None:
    law = "第一条 为了保护城市绿地，制定本条例。\n第二条 本市绿地的管理，适用本条例。\n第三条 损坏绿地的，应当赔偿。"
    code = "安装步骤如下：\nsudo apt install nginx\n然后编辑配置文件。"
    verse = "夜读\n明月照积雪，朔风劲且哀。\n客曰：“君何故至此？”"
    texts = (law, code, verse, "發佈會昨日舉行，記者獲悉。", "abc")
    found = Labels(None, Segmenter().known).of([{"title": "", "text": text, "measures": {}} for text in texts])
    assert [labels["register"] for labels in found] == ["official", "technical", "literary", "news", "technical"]
    assert {labels["domain"] for labels in found} == {""}
    common, rare, none = (Labels(None, Segmenter().known).bits(text) for text in ("我们的工作", "饕餮魑魅", "abc"))
    assert 0 == none < common < rare


def test_the_lists_have_every_class_and_register() -> None:
    fields = _table("fields.tsv")
    assert [letter for letter, *_ in fields] == list("ABCDEFGHIJKNOPQRSTUVXZ")
    phrases = [phrase for *_, phrases in fields for phrase in phrases.split("|")]
    assert len(phrases) == len(set(phrases)) and all(phrases)
    assert set(_marks()) == set(_WEIGHTS)
