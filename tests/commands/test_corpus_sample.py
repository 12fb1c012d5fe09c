"""``topical-crawler corpus sample`` and ``topical-crawler corpus judge`` as a user runs them."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from command_tools import environment
from fork_tools import Forked
from wait_tools import judging_page, stopped, stopped_at_its_browser
from workbench_tools import judge_all

from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.services.asking import questions


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a corpus of two hosts, 30 kept pages and 20 rejected ones."""
    folder = tmp_path_factory.mktemp("work")
    with CorpusStore(folder / "data/partybuilding/corpus.sqlite") as store:
        for n in range(50):
            host = "dangjian.cn" if n % 3 else "menhu.cn"
            page: dict[str, Any] = {"url": f"http://{host}/{n}.html", "host": host, "title": f"第{n}讲", "relevance": n / 50}
            if n % 5 < 3:
                text = f"主题教育第{n}讲，讲的是第{n * 7}件事和第{n * 11}个人的故事。"
                store.put(Record(**page, keep=True, text=text))
            else:
                store.put(Record(**page, keep=False, reason="off topic"))
    return folder


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def marked(path: Path, place: int, mark: str) -> None:
    """The mark as the server adds it."""
    with path.open("a", encoding="utf-8") as out:
        out.write(json.dumps({"key": lines(path)[1 + place]["key"], "mark": mark}) + "\n")


def test_a_sample_has_texts_strata_and_the_topics_terms(call_scrapy: Any, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "sample.jsonl"
    done = call_scrapy("corpus", "sample", "partybuilding", "-n", "12", "--also-rejected", "off topic", "-o", out, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "24 of 50 pages in 4 strata" in done.stderr and f"topical-crawler corpus judge {out}" in done.stderr
    header, *items = lines(out)
    assert header["topic"] == "党建" and "主题教育" in header["terms"] and header["program"]
    assert [item["reason"] for item in items] == [""] * 12 + ["off topic"] * 12
    assert all(item["mark"] is None and item["title"] for item in items)
    assert all("主题教育" in item["text"] for item in items[:12]) and not any(item["text"] for item in items[12:])
    assert sum(item["weight"] for item in items) == pytest.approx(50)


def test_the_same_seed_gives_the_same_file(call_scrapy: Any, folder: Path, tmp_path: Path) -> None:
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        drawn = ("-n", "10", "--by", "relevance", "--equal", "--seed", seed, "-o", tmp_path / name)
        done = call_scrapy("corpus", "sample", *drawn, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert [stratum["sample"] for stratum in lines(tmp_path / name)[0]["strata"]] == [2] * 5
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()


def test_what_cannot_be_drawn_is_said(call_scrapy: Any, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "s"
    assert "'off topic'" in call_scrapy("corpus", "sample", "--also-rejected", "spam", "-o", out, cwd=folder).stderr
    assert "Draw 5 or more" in call_scrapy("corpus", "sample", "--by", "relevance", "-n", "2", "-o", out, cwd=folder).stderr
    assert "no topic 'nothing'" in call_scrapy("corpus", "sample", "--topic", "nothing", "-o", out, cwd=folder).stderr
    assert not out.exists()
    out.write_text("marks of a whole afternoon")
    done = call_scrapy("corpus", "sample", "-o", out, cwd=folder)
    assert done.returncode and "exists already" in done.stderr + done.stdout
    assert out.read_text() == "marks of a whole afternoon"


def test_the_report_in_all_its_forms(call_scrapy: Any, folder: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    for path in (first, second):
        call_scrapy("corpus", "sample", "-n", "10", "--also-rejected", "off topic", "-o", path, cwd=folder)
        for place, mark in enumerate(["relevant"] * 6 + ["irrelevant", "boilerplate", "relevant", "relevant"]):
            marked(path, place, mark)
        marked(path, 10, "relevant")
        marked(path, 11, "irrelevant")
    marked(second, 0, "irrelevant")
    table = tmp_path / "t.csv"
    done = call_scrapy("corpus", "report", first, "--csv", table, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "12 of 20 texts judged" in done.stdout and "dangjian.cn" in done.stdout and "mean of the sites" in done.stdout
    assert "pages rejected as off topic, 1 of 2 judged are relevant" in " ".join(done.stdout.split())
    rows = list(csv.DictReader(table.open(encoding="utf-8-sig")))
    assert [row["of"] for row in rows][:3] == ["all", "site", "site"] and rows[0]["relevant"] == "8"
    done = call_scrapy("corpus", "report", first, second, "--json", cwd=folder)
    found = json.loads(done.stdout)
    assert found["agreement"][0]["texts"] == 12 and found["agreement"][0]["same"] == pytest.approx(11 / 12)
    assert 0 < found["krippendorff"] < 1 and found["whole"]["relevant"] == 8
    assert [file["whole"]["relevant"] for file in found["files"]] == [8, 7]
    shown = call_scrapy("corpus", "report", first, second, cwd=folder).stdout
    assert "Krippendorff" in shown and "91.7" in shown
    done = call_scrapy("corpus", "report", first, "--marks", cwd=folder)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert rows[0] == ["key", "url", "mark"] and len(rows) == 13 and rows[1][1].startswith("http://")


def judge(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run ``corpus judge``, mark its first text as relevant, the others as boilerplate, and end it with Ctrl-C."""
    line = ["-m", "topical_crawler", "corpus", "judge", *arguments, "--no-browser"]
    with Forked(line, folder, environment(), output=True) as process:
        address, said = judging_page(process)
        number = len(judge_all(address, lambda place, item: "boilerplate" if place else "relevant"))
        _, error = stopped(process)
    assert process.returncode == 0 and "Traceback" not in error, error
    return number, said + error


def test_a_corpus_without_a_crawl_is_asked_about_too(call_scrapy: Any, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    shutil.copy(folder / "data/partybuilding/corpus.sqlite", tmp_path / "mine")
    before = call_scrapy("corpus", "report", "mine", cwd=tmp_path)
    assert "no text of mine/corpus.sqlite is judged yet. Run topical-crawler corpus judge mine" in before.stderr + before.stdout
    for _ in range(2):
        asked, said = judge(tmp_path, "mine")
        assert asked == 20 and "No crawl learns from these marks: there is no crawl in" in said
    again = call_scrapy("corpus", "report", "mine", cwd=tmp_path).stdout
    assert "40 of 40 texts judged: 2 relevant, 38 boilerplate" in again and "nothing is estimated" in again
    header, *items = lines(tmp_path / "mine/asked-1.jsonl")
    assert header["by"] == "teaching" and len(items) == 20
    found = json.loads(call_scrapy("corpus", "report", "mine", "--json", cwd=tmp_path).stdout)
    assert (found["drawn"], found["marks"], found["whole"]) == (40, {"relevant": 2, "boilerplate": 38}, None)
    assert len(call_scrapy("corpus", "report", "mine", "--marks", cwd=tmp_path).stdout.splitlines()) == 41
    topic = tmp_path / "topic"
    topic.mkdir()
    (topic / "topic.toml").write_text('title = "x"\n', encoding="utf-8")
    assert "40 added" in call_scrapy("corpus", "report", "mine", "--to-topic", topic, cwd=tmp_path).stdout


def test_open_questions_come_before_new_ones_and_no_file_is_written_over(folder: Path, tmp_path: Path) -> None:
    corpus = shutil.copy(folder / "data/partybuilding/corpus.sqlite", tmp_path)
    asked = [questions(corpus, tmp_path, 4, None)]
    assert questions(corpus, tmp_path, 9, None) == asked[0]
    for _ in range(2):
        for place in range(4):
            marked(asked[-1], place, "irrelevant")
        asked.append(questions(corpus, tmp_path, 4, None))
    assert [file.name for file in asked] == ["asked-1.jsonl", "asked-2.jsonl", "asked-3.jsonl"]
    assert len({line["url"] for file in asked for line in lines(file)[1:] if "url" in line}) == 12
    asked[0].unlink()
    for place in range(4):
        marked(asked[-1], place, "irrelevant")
    assert questions(corpus, tmp_path, 4, None).name == "asked-4.jsonl"


def test_a_sample_is_judged_and_the_report_says_what_that_comes_to(call_scrapy: Any, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "sample.jsonl"
    call_scrapy("corpus", "sample", "-n", "10", "-o", path, cwd=folder)
    assert judge(folder, str(path))[0] == 10
    assert [line["mark"] for line in lines(path)[1:11]] == ["relevant", *["boilerplate"] * 9]
    assert "10 of 10 texts judged" in call_scrapy("corpus", "report", path, cwd=folder).stdout


@pytest.mark.slow
def test_control_c_before_a_browser_has_ended_is_no_other(call_scrapy: Any, folder: Path, tmp_path: Path) -> None:
    """The end of a browser in the terminal is waited for."""
    path = tmp_path / "sample.jsonl"
    call_scrapy("corpus", "sample", "-n", "10", "-o", path, cwd=folder)
    code, _, err = stopped_at_its_browser(["corpus", "judge", str(path)], folder, environment())
    assert (code, err.strip()) == (0, "")
