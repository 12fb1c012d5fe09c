"""``topical-crawler corpus lock`` and ``reproduce``: the same bytes again, and what the web has changed."""

import gzip
import json
import shutil
from dataclasses import replace
from pathlib import Path

import crawl_tools
import pytest
from command_tools import RunScrapy
from corpus_tools import everything
from warc_tools import write_warc

from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory, demo_crawl: Path, run_scrapy: RunScrapy) -> Path:
    """The folder of an archived crawl of the demo, its corpus locked. One text has lost its first passage, as a line
    that the site repeats. Another is not what the archive gives."""
    data = shutil.copytree(demo_crawl / "data/partybuilding", tmp_path_factory.mktemp("crawled") / "data")
    with CorpusStore(data / "corpus.sqlite") as store:
        first, second, *_ = (row for row in store.records() if row.text and not row.layout and row.text.count("\n") > 2)
        assert first.text and second.text
        store.replace(replace(first, text=first.text.partition("\n")[2]))
        store.replace(replace(second, text=second.text + "\n另外一段话"))
    done = run_scrapy("corpus", "lock", data, "-o", data / "party", "--workers", "1", cwd=data)
    assert done.returncode == 0, done.stderr
    assert "1 text not reproduced from the archive" in done.stdout
    return data


@pytest.mark.slow
def test_the_texts_are_the_same_bytes_by_another_clock_and_locale(
    crawled: Path, run_scrapy: RunScrapy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exported(place: Path) -> bytes:
        done = run_scrapy("corpus", "export", place, "-o", place / "texts.jsonl", "--marked-off", "--force", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return (place / "texts.jsonl").read_bytes()

    before, lock = exported(crawled), crawled / "party.lock.json"
    for name, value in (("TZ", "Pacific/Kiritimati"), ("LC_ALL", "C")):
        monkeypatch.setenv(name, value)
    done = run_scrapy("corpus", "reproduce", lock, "-o", tmp_path / "again", "--workers", "1", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert exported(tmp_path / "again") == before and len(before.splitlines()) > 10
    assert json.loads(lock.read_text())["texts"]["sha256"] in done.stdout
    assert everything(tmp_path / "again/corpus.sqlite") == everything(crawled / "corpus.sqlite")


@pytest.mark.slow
def test_texts_of_real_sites_come_from_the_archive(shared_data: Path, run_scrapy: RunScrapy, tmp_path: Path) -> None:
    web, data = shared_data / "web", tmp_path / "data"
    places = ("-s", f"TOPICAL_REPLAY={web / 'dev-web.warc.gz'}", "-s", f"TOPICAL_DATA_DIR={data}", "-s", "TOPICAL_ARCHIVE=1")
    limits = ("-a", f"seeds={web / 'dev-web.seeds.txt'}", "-a", "pages=150")
    commands: tuple[tuple[str | Path, ...], ...] = (
        ("crawl", "topical", "-a", "topic=operating-systems", *limits, *places),
        ("corpus", "lock", data, "-o", data / "systems", "--workers", "1"),
        ("corpus", "reproduce", data / "systems.lock.json", "-o", tmp_path / "again", "--workers", "1"),
    )
    for command in commands:
        done = run_scrapy(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    counts = json.loads((data / "systems.lock.json").read_text())["corpus"]
    assert counts["texts"] > 10 and counts["texts_in_lock"] == 0


def test_the_lock_holds_no_text_that_the_archive_gives(crawled: Path) -> None:
    with gzip.open(crawled / "party.lock.pages.jsonl.gz", "rt", encoding="utf-8") as file:
        _, hosts, *lines = map(json.loads, file)
    kept = [line for line in lines if line["keep"]]
    assert sum("text" in line for line in kept) == 1 and [0] in [line.get("without") for line in kept]
    assert hosts["hosts"] and len(kept) < len(lines)
    facts = json.loads((crawled / "party.lock.json").read_text())
    assert facts["corpus"]["texts"] == len(kept) and facts["corpus"]["texts_in_lock"] == 1
    assert facts["topic"]["edition"] and len(facts["code"]["sha256"]) == 64 and facts["code"]["libraries"]["lxml"]
    assert facts["encoder"]["files"] and facts["crawl"]["seeds"] and facts["settings"]["TOPICAL_MIN_CHARACTERS"] == 50


def test_what_is_not_the_same_is_said(crawled: Path, tmp_path: Path, call_scrapy: RunScrapy) -> None:
    lock = crawled / "party.lock.json"
    masked = ("-s", "TOPICAL_CONVERT=traditional")
    other = call_scrapy("corpus", "reproduce", lock, "-o", "other", "--workers", "1", *masked, cwd=tmp_path)
    assert other.returncode == 1 and "not the" in other.stdout
    again = call_scrapy("corpus", "reproduce", lock, "-o", "other", cwd=tmp_path)
    assert again.returncode == 1 and "is not empty. Name a new folder" in again.stderr
    shutil.copytree(crawled / "archive", tmp_path / "archive", ignore=shutil.ignore_patterns("*.index"))
    file, *_ = (tmp_path / "archive").iterdir()
    file.write_bytes(file.read_bytes() + (crawl_tools.DEMO / "bookshop.warc.gz").read_bytes()[:2000])
    changed = call_scrapy("corpus", "reproduce", lock, "-o", "new", "--archive", "archive", cwd=tmp_path)
    assert changed.returncode == 1 and "is not the locked file" in changed.stderr
    none = call_scrapy("corpus", "reproduce", crawled / "crawl.json", "--live", cwd=tmp_path)
    assert none.returncode == 1 and "is no lock of this program" in none.stderr


def test_live_says_what_the_web_has_changed(tmp_path: Path, call_scrapy: RunScrapy) -> None:
    names = ("same", "other", "gone", "closed")
    routes: dict[str, crawl_tools.Route] = {f"/{name}.html": crawl_tools.Reply(crawl_tools.article(name)) for name in names}
    with crawl_tools.Site(routes) as site:
        answers = [(f"{site.url}/{n}.html", 200, {"Content-Type": "text/html"}, crawl_tools.article(n).encode()) for n in names]
        (tmp_path / "archive").mkdir()
        write_warc(tmp_path / "archive/a.warc.gz", answers)
        with CorpusStore(tmp_path / "corpus.sqlite") as opened:
            for url, *_ in answers:
                opened.put(Record(url=url, host="127.0.0.1", keep=True, text=f"{url}的正文", fetched="2026-11-20T08:30:00+00:00"))
        done = call_scrapy("corpus", "lock", "corpus.sqlite", "-o", "a", "--workers", "1", cwd=tmp_path)
        assert done.returncode == 0 and "4 texts not reproduced from the archive" in done.stdout, done.stderr
        site.routes["/other.html"] = crawl_tools.Reply(crawl_tools.article("new"))
        site.routes["/gone.html"] = crawl_tools.Reply("", 410)
        site.routes["/robots.txt"] = crawl_tools.Reply("User-agent: *\nDisallow: /closed\n", content_type="text/plain")
        options = ("--workers", "1", "-s", "TOPICAL_ALLOW_PRIVATE=127.0.0.1", "-s", "DOWNLOAD_DELAY=0")
        found = call_scrapy("corpus", "reproduce", "a.lock.json", "--live", "--json", *options, cwd=tmp_path)
    states = {entry["url"].rpartition("/")[2]: entry["state"] for entry in json.loads(found.stdout)["pages"]}
    assert states == {"same.html": "same", "other.html": "changed", "gone.html": "HTTP 410", "closed.html": "robots.txt"}
