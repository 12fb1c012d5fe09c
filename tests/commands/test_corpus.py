"""``topical-crawler corpus`` as a user runs it."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from command_tools import RunScrapy, environment
from corpus_tools import kept, rejected

from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with the corpus of a topic: 30 pages of three hosts, every fifth rejected, the 29th a copy."""
    folder = tmp_path_factory.mktemp("work")
    with CorpusStore(folder / "data/dangjian/corpus.sqlite") as store:
        for n in range(1, 31):
            host = f"www.a{n % 3}.cn"
            if n % 5 == 0:
                store.put(rejected(n, host=host))
            else:
                text = f"主题教育第{n}讲" * n if n != 29 else "主题教育第1讲"
                store.put(kept(n, text, url=f"http://{host}/{n}", host=host, relevance=n / 30))
    return folder


@pytest.fixture
def run(folder: Path, call_scrapy: RunScrapy) -> RunScrapy:
    return lambda *arguments: call_scrapy("corpus", *arguments, cwd=folder)


def test_chinese_comes_out_whatever_the_locale(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "topical_crawler", "corpus", "export", "dangjian", "--limit", "1"],
        cwd=folder, env=environment(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"), capture_output=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout.decode("utf-8"))["title"] == "标题1"
    assert done.stderr == b""


def test_stats_for_people_and_as_json_by_folder_and_by_file(run: RunScrapy, folder: Path) -> None:
    shown = run("stats", "dangjian")
    assert (shown.returncode, shown.stderr) == (0, "")
    for part in ("30 pages fetched, 23 kept (76.7%)", "off topic", "duplicate", "www.a1.cn", "2024-01-01 to 2024-01-28"):
        assert part in shown.stdout, shown.stdout
    assert "2 more" in run("stats", "dangjian", "--hosts", "1").stdout
    found = json.loads(run("stats", "data/dangjian", "--json").stdout)
    assert (found["fetched"], found["kept"], found["rejected"]) == (30, 23, {"off topic": 6, "duplicate": 1})
    assert sum(host["fetched"] for host in found["hosts"]) == 30
    assert json.loads(run("stats", str(folder / "data/dangjian/corpus.sqlite"), "--json").stdout) == found


def test_export_with_filters(run: RunScrapy) -> None:
    chosen = run(
        "export", "dangjian", "--host", "a1.cn", "--min-relevance", "0.3", "--since", "2024-01-05", "--until", "2024-01-25",
        "--min-characters", "10", "--limit", "3",
    )  # fmt: skip
    assert [json.loads(line)["order"] for line in chosen.stdout.splitlines()] == [13, 16, 19]
    everything = run("export", "dangjian", "--rejected").stdout.splitlines()
    assert [json.loads(line).get("reason", "") for line in everything].count("off topic") == 6


def test_export_to_files_by_their_names(run: RunScrapy, folder: Path) -> None:
    done = run("export", "dangjian", "-o", "out.csv")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "23 pages written to out.csv\n")
    assert (folder / "out.csv").read_bytes().startswith(b"\xef\xbb\xbfurl,title,text,")
    with (folder / "out.csv").open(encoding="utf-8-sig", newline="") as lines:
        assert [row["title"] for row in csv.DictReader(lines)][:2] == ["标题1", "标题2"]
    run("export", "dangjian", "-o", "out.txt", "--text-only", "--limit", "2")
    assert (folder / "out.txt").read_text("utf-8") == "主题教育第1讲\n\n主题教育第2讲主题教育第2讲\n\n"
    assert run("export", "dangjian", "--format", "csv", "--limit", "1").stdout.startswith("url,title,")


def test_fetched(run: RunScrapy) -> None:
    urls = run("fetched", "dangjian").stdout.splitlines()
    assert (len(urls), urls[4]) == (30, "http://www.a2.cn/5")
    kept = run("fetched", "dangjian", "--kept").stdout.splitlines()
    assert len(kept) == 23 and "http://www.a2.cn/5" not in kept


@pytest.mark.slow
def test_a_reader_that_has_enough_is_no_error(folder: Path) -> None:
    with CorpusStore(folder / "data/long/corpus.sqlite") as store:
        for n in range(400):
            store.put(Record(url=f"http://a.cn/{n}", host="a.cn", keep=True, text=f"{n}主题教育" * 300))
    process = subprocess.Popen(
        [sys.executable, "-m", "topical_crawler", "corpus", "export", "long"],
        cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


@pytest.mark.parametrize(("name", "advice"), [("nothing", True), ("data/dangian/corpus.sqlite", False)])
def test_a_missing_corpus_says_which_there_are_and_how_to_make_one(run: RunScrapy, name: str, advice: bool) -> None:
    failed = run("stats", name)
    assert failed.returncode == 1 and "Traceback" not in failed.stderr
    assert f"there is no {'corpus' if advice else 'file'} " in failed.stderr and name in failed.stderr
    assert "There are: dangjian" in failed.stderr
    assert ("topical-crawler crawl" in failed.stderr) is advice, "a file is no topic to crawl"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("export", "dangjian", "--since", "last year"), "write it as 2024-12-31"),
        (("export", "dangjian", "--text-only"), "goes with the formats txt, md"),
        (("stats", "dangjian", "--nonsense"), "not understood: --nonsense"),
        (("stats", "-s", "TOPICAL_CORPS=dangjian"), "there is no setting TOPICAL_CORPS. Did you mean TOPICAL_CORPUS?"),
    ],
)
def test_a_mistaken_call_exits_with_2(run: RunScrapy, arguments: tuple[str, ...], message: str) -> None:
    failed = run(*arguments)
    assert failed.returncode == 2
    assert message in failed.stderr and "Traceback" not in failed.stderr


def test_a_foreign_file_and_an_unwritable_target_exit_with_1(run: RunScrapy, folder: Path) -> None:
    (folder / "notes.txt").write_text("主题教育" * 500, "utf-8")
    for arguments in (("stats", "notes.txt"), ("export", "dangjian", "-o", "no/such/folder/out.jsonl")):
        failed = run(*arguments)
        assert failed.returncode == 1
        assert failed.stderr.startswith(f"topical-crawler corpus {arguments[0]}: ")
        assert "Traceback" not in failed.stderr


def test_a_corpus_is_found_through_the_settings(run: RunScrapy, folder: Path) -> None:
    data = folder / "data/dangjian"
    wanted = run("fetched", "dangjian").stdout
    for arguments in (
        ("other", "-s", f"TOPICAL_DATA_DIR={data}"),
        ("other", "-s", f"TOPICAL_CORPUS={data}/corpus.sqlite"),
        ("-s", f"TOPICAL_DATA_DIR={data}"),
    ):
        assert run("fetched", *arguments).stdout == wanted
    elsewhere = run("stats", "-s", "TOPICAL_DATA_DIR=nowhere")
    assert elsewhere.returncode == 1 and "nowhere" in elsewhere.stderr
