"""``topical-crawler corpus`` as a user runs it."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from command_tools import exit_code

from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore

ROOT = Path(__file__).parents[2]
Run = Callable[..., "Done"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with the corpus of a topic, and settings that need nothing else of the project."""
    folder = tmp_path_factory.mktemp("work")
    with CorpusStore(folder / "data/dangjian/corpus.sqlite") as store:
        for n in range(1, 31):
            host = f"www.a{n % 3}.cn"
            url = f"http://{host}/{n}.html"
            fetched = f"2026-11-20T08:00:{n:02d}+00:00"
            if n % 5 == 0:
                store.put(Record(url=url, host=host, keep=False, reason="off topic", fetched=fetched))
            else:
                text = f"主题教育第{n}讲" * n if n != 29 else "主题教育第1讲"
                date = f"2024-01-{n:02d}"
                store.put(
                    Record(
                        url=url, host=host, keep=True, title=f"标题{n}", text=text, relevance=n / 30, date=date, fetched=fetched
                    )
                )
    return folder


@dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in this process."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments: str) -> Done:
        return Done(exit_code("corpus", *arguments), *capfd.readouterr())

    return run


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "SCRAPY_SETTINGS_MODULE": "topical_crawler.settings", **more}


def test_chinese_comes_out_whatever_the_locale(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "topical_crawler", "corpus", "export", "dangjian", "--limit", "1"],
        cwd=folder, env=environment(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"), capture_output=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout.decode("utf-8"))["title"] == "标题1"
    assert done.stderr == b""


def test_stats_for_people(run: Run) -> None:
    shown = run("stats", "dangjian")
    assert (shown.returncode, shown.stderr) == (0, "")
    for part in (
        "30 pages fetched, 23 kept (76.7%)",
        "off topic",
        "duplicate",
        "www.a1.cn",
        "2024-01-01 to 2024-01-28",
        "harvest",
    ):
        assert part in shown.stdout, shown.stdout
    fewer = run("stats", "dangjian", "--hosts", "1")
    assert "2 more" in fewer.stdout


def test_stats_as_json_by_folder_and_by_file(run: Run, folder: Path) -> None:
    shown = json.loads(run("stats", "data/dangjian", "--json").stdout)
    assert (shown["fetched"], shown["kept"], shown["rejected"]) == (30, 23, {"off topic": 6, "duplicate": 1})
    assert sum(host["fetched"] for host in shown["hosts"]) == 30
    assert json.loads(run("stats", str(folder / "data/dangjian/corpus.sqlite"), "--json").stdout) == shown


def test_a_corpus_is_found_through_the_settings(run: Run, folder: Path) -> None:
    assert run("fetched", "other", "-s", f"TOPICAL_DATA_DIR={folder}/data/dangjian").stdout.count("\n") == 30
    assert run("fetched", "other", "-s", f"TOPICAL_CORPUS={folder}/data/dangjian/corpus.sqlite").stdout.count("\n") == 30


def test_export_to_standard_output(run: Run) -> None:
    rows = [json.loads(line) for line in run("export", "dangjian").stdout.splitlines()]
    assert len(rows) == 23
    assert (rows[0]["url"], rows[0]["text"], rows[0]["title"]) == ("http://www.a1.cn/1.html", "主题教育第1讲", "标题1")
    assert [row["order"] for row in rows] == sorted(row["order"] for row in rows)


def test_export_with_filters(run: Run) -> None:
    chosen = run(
        "export", "dangjian", "--host", "a1.cn", "--min-relevance", "0.3", "--since", "2024-01-05", "--until", "2024-01-25",
        "--min-characters", "10", "--limit", "3",
    )  # fmt: skip
    assert [json.loads(line)["order"] for line in chosen.stdout.splitlines()] == [13, 16, 19]
    everything = run("export", "dangjian", "--rejected").stdout.splitlines()
    assert [json.loads(line).get("reason", "") for line in everything].count("off topic") == 6


def test_export_to_files_by_their_names(run: Run, folder: Path) -> None:
    done = run("export", "dangjian", "-o", "out.csv")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "23 pages written to out.csv\n")
    assert (folder / "out.csv").read_bytes().startswith(b"\xef\xbb\xbfurl,title,text,")
    with (folder / "out.csv").open(encoding="utf-8-sig", newline="") as lines:
        assert [row["title"] for row in csv.DictReader(lines)][:2] == ["标题1", "标题2"]
    run("export", "dangjian", "-o", "out.txt", "--text-only", "--limit", "2")
    assert (folder / "out.txt").read_text("utf-8") == "主题教育第1讲\n\n主题教育第2讲主题教育第2讲\n\n"
    piped = run("export", "dangjian", "--format", "csv", "--limit", "1").stdout
    assert piped.startswith("url,title,")


def test_fetched(run: Run) -> None:
    urls = run("fetched", "dangjian").stdout.splitlines()
    assert (len(urls), urls[4]) == (30, "http://www.a2.cn/5.html")
    kept = run("fetched", "dangjian", "--kept").stdout.splitlines()
    assert len(kept) == 23 and "http://www.a2.cn/5.html" not in kept


@pytest.mark.slow
def test_a_reader_that_has_enough_is_no_error(folder: Path) -> None:
    with CorpusStore(folder / "data/long/corpus.sqlite") as store:
        for n in range(400):
            store.put(Record(url=f"http://a.cn/{n}", host="a.cn", keep=True, text=f"{n}主题教育" * 300))
    for arguments in (["export", "long"], ["fetched", "long"]):
        process = subprocess.Popen(
            [sys.executable, "-m", "topical_crawler", "corpus", *arguments],
            cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait() == 0


def test_a_missing_corpus_says_which_there_are_and_how_to_make_one(run: Run) -> None:
    failed = run("stats", "nothing")
    assert failed.returncode == 1
    assert "there is no corpus 'nothing'" in failed.stderr
    assert "There are: dangjian" in failed.stderr
    assert "topical-crawler crawl nothing" in failed.stderr
    assert "Traceback" not in failed.stderr


def test_a_missing_file_is_no_topic_to_crawl(run: Run) -> None:
    failed = run("stats", "data/dangian/corpus.sqlite")
    assert failed.returncode == 1
    assert "there is no file data/dangian/corpus.sqlite. There are: dangjian" in failed.stderr
    assert "topical-crawler crawl" not in failed.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), ""),
        (("count", "dangjian"), "invalid choice"),
        (("export", "dangjian", "--since", "last year"), "write it as 2024-12-31"),
        (("export", "dangjian", "--format", "xml"), "invalid choice"),
        (("export", "dangjian", "--text-only"), "goes with the formats txt, md"),
        (("export", "dangjian", "--host"), "expected one argument"),
        (("stats", "dangjian", "--nonsense"), "not understood: --nonsense"),
        (("stats", "-s", "TOPICAL_CORPS=dangjian"), "there is no setting TOPICAL_CORPS. Did you mean TOPICAL_CORPUS?"),
    ],
)
def test_a_mistaken_call_exits_with_2(run: Run, arguments: tuple[str, ...], message: str) -> None:
    failed = run(*arguments)
    assert failed.returncode == 2
    assert message in failed.stderr
    assert "Traceback" not in failed.stderr


def test_a_foreign_file_and_an_unwritable_target_exit_with_1(run: Run, folder: Path) -> None:
    (folder / "notes.txt").write_text("主题教育" * 500, "utf-8")
    for arguments in (("stats", "notes.txt"), ("export", "dangjian", "-o", "no/such/folder/out.jsonl")):
        failed = run(*arguments)
        assert failed.returncode == 1
        assert failed.stderr.startswith(f"topical-crawler corpus {arguments[0]}: ")
        assert "Traceback" not in failed.stderr


def test_a_corpus_need_not_be_named_where_a_setting_names_it(run: Run, folder: Path) -> None:
    named = run("fetched", "-s", f"TOPICAL_DATA_DIR={folder / 'data' / 'dangjian'}")
    assert named.returncode == 0 and named.stdout == run("fetched", "dangjian").stdout
    elsewhere = run("stats", "-s", "TOPICAL_DATA_DIR=nowhere")
    assert elsewhere.returncode == 1 and "nowhere" in elsewhere.stderr


def test_help_is_there(run: Run) -> None:
    assert "list|show|search|why|stats|export" in run("-h").stdout
    assert "--min-relevance" in run("export", "-h").stdout
