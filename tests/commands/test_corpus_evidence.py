"""``topical-crawler corpus evidence``: a reader of docs/evidence.md checks its claims against corpus, frontier and archive."""

import csv
import hashlib
import json
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_tools import RunScrapy
from warc_tools import write_warc
from warcio.archiveiterator import ArchiveIterator

from topical_crawler.corpus.record import HostFacts
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.judging.draw import draw_sample
from topical_crawler.judging.sample import read_sample, write_sample
from topical_crawler.recordings.reader import Recording
from topical_crawler.services.evidence import write_evidence

OF_PAGES = "select {} from pages where host = ? and reason <> 'redirected'"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory, demo_crawl: Path) -> Path:
    """The folder of an archived crawl of the demo, with a sample of which all but every fifth text is marked relevant."""
    data = shutil.copytree(demo_crawl / "data/partybuilding", tmp_path_factory.mktemp("crawled") / "data")
    with CorpusStore(data / "corpus.sqlite", read_only=True) as store:
        sample = draw_sample(store, 12)
    marks = {item.key: "irrelevant" if n % 5 == 0 else "relevant" for n, item in enumerate(sample.items)}
    write_sample(sample.marked(marks), data / "judged.jsonl")
    return data


def claims(site: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Every number of a site: key, name within it, value."""
    for key, value in site.items():
        if isinstance(value, dict):
            yield from ((key, name, number) for name, number in value.items())
        elif key != "host" and value is not None:
            yield key, "", value


def checked(data: Path, host: str, key: str, name: str) -> Any:
    """What the table of docs/evidence.md says that a claim is checked by."""
    corpus, frontier = sqlite3.connect(data / "corpus.sqlite"), sqlite3.connect(data / "frontier.sqlite")

    def one(query: str, *values: Any) -> Any:
        return corpus.execute(query, (host, *values)).fetchone()[0]

    if key == "redirects":
        return one("select count(*) from pages where host = ? and reason = 'redirected'")
    if key in ("fetched", "kept", "characters", "first", "last"):
        kept = "coalesce(sum(case when keep then {} end), 0)"
        ends = {"first": "coalesce(min(fetched), '')", "last": "coalesce(max(fetched), '')"}
        found = {"fetched": "count(*)", "kept": kept.format(1), "characters": kept.format("characters"), **ends}
        return one(OF_PAGES.format(found[key]))
    if key == "rejected":
        return one(f"{OF_PAGES.format('count(*)')} and not keep and reason = ?", name)
    if key == "licenses":
        return one(f"{OF_PAGES.format('count(*)')} and keep and license = ?", name)
    if key in ("rights", "personal"):
        column = "json_extract(why, '$.rights')" if key == "rights" else "personal"
        found = corpus.execute(f"{OF_PAGES.format(column)} and keep", (host,))
        return Counter(kind for (value,) in found if value for kind in json.loads(value))[name]
    if key in ("not_followed", "waiting"):
        if key == "not_followed":
            return frontier.execute("select count(*) from entries where host = ? and dropped = ?", (host, name)).fetchone()[0]
        fetched = "select url from outcomes"
        query = f"select count(*) from entries where host = ? and dropped is null and url not in ({fetched})"
        return frontier.execute(query, (host,)).fetchone()[0]
    if name in ("host", "robots", "crawl_delay", "asked"):
        return one(f"select {name} from hosts where host = ?")
    if key == "robots":
        status, body = robots_txt(data, host)
        return {"url": f"http://{host}/robots.txt", "status": status, "sha256": hashlib.sha256(body).hexdigest()}[name]
    items = [item for item in read_sample(data / "judged.jsonl").items if item.host == host]
    share = sum(item.mark == "relevant" for item in items) / len(items)
    return {"judged": len(items), "relevant": share * len(items), "share": share}.get(name)


def robots_txt(data: Path, host: str) -> tuple[int, bytes]:
    for file in (data / "archive").glob("*.warc.gz"):
        with file.open("rb") as raw:
            for record in ArchiveIterator(raw):
                if record.rec_type == "response" and record.rec_headers["WARC-Target-URI"] == f"http://{host}/robots.txt":
                    return int(record.http_headers.get_statuscode()), record.content_stream().read()
    raise AssertionError(host)


@pytest.mark.slow
def test_fifty_claims_hold(crawled: Path, call_scrapy: RunScrapy) -> None:
    done = call_scrapy("corpus", "evidence", crawled, "-o", "evidence", "--judged", "judged.jsonl", cwd=crawled)
    assert (done.returncode, done.stderr) == (0, "")
    folder = crawled / "evidence"
    sites = [json.loads(line) for line in (folder / "sites.jsonl").open(encoding="utf-8")]
    made = [(site["host"], *claim) for site in sites for claim in claims(site)]
    numbers = [claim for claim in made if claim[2] not in ("low", "high")]
    for host, key, name, value in random.Random(55).sample(numbers, 50):
        right = pytest.approx(value) if isinstance(value, float) else value
        assert checked(crawled, host, key, name) == right, (host, key, name)
    assert {key for _, key, *_ in made} >= {"rejected", "not_followed", "robots", "precision", "first", "characters"}
    assert all(p["low"] <= p["share"] <= p["high"] for site in sites if (p := site["precision"]))
    whole = json.loads((folder / "evidence.json").read_text("utf-8"))
    assert whole["kept"] == sum(site["kept"] for site in sites) > 10
    for file in (*whole["files"], *whole["archive"], *whole["samples"]):
        assert hashlib.sha256(next(crawled.rglob(file["name"])).read_bytes()).hexdigest() == file["sha256"]


def test_rules_name_what_is_recorded_and_what_is_missing(crawled: Path, call_scrapy: RunScrapy) -> None:
    done = call_scrapy("corpus", "evidence", crawled, "-o", "rules", cwd=crawled)
    assert done.returncode == 0
    with (crawled / "rules/rules.tsv").open(encoding="utf-8", newline="") as file:
        rows = {row["en"]: row["recorded"] for row in csv.DictReader(file, dialect="excel-tab")}
    assert rows["consent of the persons"] == "missing" and sum(value == "missing" for value in rows.values()) == 6
    assert "strategy adaptive" in rows["way of collection"] and "%" in rows["sources and the share of each"]
    again = call_scrapy("corpus", "evidence", crawled, "-o", "archive", cwd=crawled)
    assert again.returncode == 1 and "exists and is not an earlier export" in again.stderr


def test_a_robots_txt_is_the_last_one_and_that_behind_redirects(tmp_path: Path) -> None:
    closed = b"User-agent: *\nDisallow: /zcgs/"
    moved = ("http://b.cn/robots.txt", 301, {"Location": "/static/robots.txt"}, b"moved")
    answers = [("http://a.cn/robots.txt", 200, {}, b""), moved, ("http://b.cn/static/robots.txt", 200, {}, closed)]
    with CorpusStore(tmp_path / "corpus.sqlite") as store:
        for host in ("a.cn", "b.cn", "c.cn"):
            store.note_host(HostFacts(host, "restricts", 0.0, "2026-11-28T08:30:00+00:00"))
    files = [write_warc(tmp_path / "1.warc.gz", answers), write_warc(tmp_path / "2.warc.gz", [(*answers[0][:3], closed)])]
    with Recording(files, tmp_path) as archive:
        write_evidence(str(tmp_path / "corpus.sqlite"), tmp_path / "evidence", (), archive)
    sites = [json.loads(line) for line in (tmp_path / "evidence/sites.jsonl").open(encoding="utf-8")]
    found = {site["host"]: tuple(map(site["robots"].get, ("url", "status", "sha256"))) for site in sites}
    assert found["a.cn"] == ("http://a.cn/robots.txt", 200, hashlib.sha256(closed).hexdigest())
    assert found["b.cn"] == ("http://b.cn/static/robots.txt", 200, hashlib.sha256(closed).hexdigest())
    assert found["c.cn"] == (None, None, None)
