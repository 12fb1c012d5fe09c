"""Texts that repeat a test set are found, all of them and no others."""

import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from topical_crawler.corpus.overlap import RUN, HeldOut
from topical_crawler.corpus.record import CorpusError, Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.services.exporting import test_sets as read_test_sets

ROOT = Path(__file__).parents[2]
Run = Callable[..., subprocess.CompletedProcess[str]]
PLACES = ("青河县", "云岭市", "石塘镇", "白沙村", "江口区")
PEOPLE = ("支部书记", "老党员", "驻村干部", "纪检委员", "大学生村官")
DEEDS = ("修好了村口那座垮了三年的石桥", "把闲置的粮仓改成了读书的地方")
DEEDS += ("替独居老人办妥了拖了很久的医保", "领着大伙试种高山上的晚熟蜜橘")
ENDS = ("乡亲们这才相信他说的话不是空话", "账目贴在祠堂门口谁都可以去翻", "县里来人看过以后也没挑出毛病")
ENDS += ("第二年邻村的人便跑来打听办法", "后来连镇上的年轻人也回来帮忙")


def question(n: int) -> str:
    """No two of twenty have a deed and its end in common."""
    place, person = PLACES[n // 4], PEOPLE[n // 5]
    deed, end = DEEDS[n % 4], ENDS[n % 5]
    return f"{place}的{person}在{n}月里{deed}，{end}，请问这件事最先是由谁在会上提出来的？"


def text_with(n: int, question: str) -> str:
    """A question written otherwise in the midst of another text: signs, width, script, numbers and lines."""
    changes: tuple[Callable[[str], str], ...] = (
        lambda text: text,
        lambda text: text.replace("，", "、").replace("？", "。"),
        lambda text: text.replace("，", "，\n"),
        lambda text: text.replace("这", "這").replace("来", "來").replace("会", "會").replace("谁", "誰"),
    )
    return f"昨天的考卷里有这样一道题。{changes[n % 4](question)}考生们说并不难。"


@pytest.fixture(scope="module")
def tests_of_20(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tests")
    lines = [json.dumps({"id": n, "question": question(n), "choices": ["甲", "乙"]}, ensure_ascii=False) for n in range(10)]
    (folder / "a.jsonl").write_text("\n".join(lines), "utf-8")
    (folder / "b.txt").write_text("\n\n".join(question(n) for n in range(10, 20)), "utf-8")
    return folder


def test_all_of_twenty_planted_texts_are_found_and_left_out(tests_of_20: Path, tmp_path: Path, call_scrapy: Run) -> None:
    clean = sorted((ROOT / "demo/texts").rglob("*.txt"))
    with CorpusStore(tmp_path / "corpus.sqlite") as store:
        for n in range(20):
            store.put(Record(url=f"http://a.cn/{n}", host="a.cn", keep=True, text=text_with(n, question(n))))
        for n, file in enumerate(clean):
            store.put(Record(url=f"http://b.cn/{n}", host="b.cn", keep=True, text=file.read_text("utf-8")))
    options = ("corpus.sqlite", "--test-set", tests_of_20)
    found = call_scrapy("corpus", "overlap", *options, "--json", cwd=tmp_path)
    data = json.loads(found.stdout)
    with CorpusStore(tmp_path / "corpus.sqlite", read_only=True) as store:
        kept = [row.url for row in store.records()]
    planted = [url for url in kept if "a.cn" in url]
    assert len(planted) == 20 and [text["url"] for text in data["texts"]] == planted
    assert all(len(text["words"].split()) >= RUN for text in data["texts"])
    assert [(s["name"], s["items"], s["short"], s["texts"]) for s in data["test_sets"]] == [
        ("a.jsonl", 30, 20, 10),
        ("b.txt", 10, 0, 10),
    ]
    shown = call_scrapy("corpus", "overlap", *options, cwd=tmp_path).stdout
    assert "a.jsonl: 30 items (20 too short to check), in 10 texts" in shown
    done = call_scrapy("corpus", "export", *options, "-o", "x.jsonl", cwd=tmp_path)
    assert "without 20 texts overlapping with the test sets" in done.stderr
    assert [json.loads(line)["url"] for line in (tmp_path / "x.jsonl").open()] == kept[20:]
    manifest = json.loads((tmp_path / "x.jsonl.manifest.json").read_text())
    assert [file["texts"] for file in manifest["filters"]["test_sets"]] == [10, 10]


@pytest.mark.slow
def test_no_clean_text_is_found(shared_data: Path, tests_of_20: Path, tmp_path: Path) -> None:
    """A thousand news texts, against questions and against other news of the same programme on other subjects."""
    with gzip.open(shared_data / "news/categories.jsonl.gz", "rt", encoding="utf-8") as file:
        (tmp_path / "news.jsonl").write_text("".join(line for line, _ in zip(file, range(200), strict=False)), "utf-8")
    sets = read_test_sets([str(tests_of_20), str(tmp_path)], {})  # type: ignore[arg-type]
    with gzip.open(shared_data / "news/news-dev.jsonl.gz", "rt", encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line, _ in zip(file, range(1000), strict=False)]
    assert [found for text in texts if (found := sets.found(text))] == [] and len(texts) == 1000


def test_what_is_no_test_set_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"a": "党建"}\n{"a": ', "utf-8")
    (tmp_path / "a.txt").write_bytes("党建".encode("gb18030"))
    for name, message in (("a.jsonl", "a.jsonl:2: no JSON"), ("a.txt", "not UTF-8"), ("none", "is no test set. Name a file")):
        with pytest.raises(CorpusError, match=message):
            HeldOut([tmp_path / name], list)
