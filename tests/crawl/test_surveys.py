"""Surveys: a little of each site, what the sections promise, and the crawl that follows."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from crawl_tools import DEMO
from step_tools import open_crawl
from workbench_tools import REPLAY

from topical_crawler.corpus.record import Filters
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.crawl.options import CrawlError

RunScrapy = Callable[..., subprocess.CompletedProcess[str]]


def pages(folder: Path) -> Counter[str]:
    with CorpusStore(folder / "data/partybuilding/corpus.sqlite", read_only=True) as store:
        return Counter(record.host for record in store.records(Filters(rejected=True)) if record.reason != "redirected")


@pytest.mark.slow
def test_a_survey_looks_at_every_site_and_the_crawl_goes_on(run_scrapy: RunScrapy, tmp_path: Path) -> None:
    command = ("crawl", "topical", "-a", "topic=partybuilding", "-a", f"seeds={DEMO / 'seeds.txt'}", "-a", "pages=210", *REPLAY)
    surveyed = run_scrapy(*command, "--survey", cwd=tmp_path)
    assert surveyed.returncode == 0, surveyed.stderr
    fetched = pages(tmp_path)
    assert sum(fetched.values()) == 30, "10 for each of the three sites of the seeds"
    assert min(fetched[f"{name}.example"] for name in ("www.qinghedj", "www.qingheonline", "dj.yunling")) >= 5
    rows = re.findall(r"(\S+\.example/\S*) +(\d+) +(\d+) +(\d+)", surveyed.stderr)
    assert ("www.qinghedj.example/art/", "3") in [row[:2] for row in rows]
    assert "(the same command without survey continues the crawl)" in surveyed.stderr

    again = run_scrapy(*command, "--survey", "-s", "TOPICAL_LOG_FORMAT=json", cwd=tmp_path)
    assert pages(tmp_path) == fetched
    found = [section for line in again.stderr.splitlines() for section in json.loads(line).get("data", {}).get("survey", ())]
    assert [row[0] for row in rows] == [section["site"] + section["folder"] for section in found[: len(rows)]], "shown again"
    promised = [section["kept"] + section["promise"] for section in found]
    assert promised == sorted(promised, reverse=True) and promised[0] > 5 * promised[-1], "the most promising section comes first"
    going_on = run_scrapy(*command, cwd=tmp_path)
    assert "This run: 180 pages" in going_on.stderr and "Survey:" not in going_on.stderr
    kept = json.loads(run_scrapy("corpus", "stats", "partybuilding", "--json", cwd=tmp_path).stdout)["kept"]
    assert kept >= 44, "a survey costs no texts: there are 46"


@pytest.mark.parametrize(
    ("survey", "frontier", "said"),
    [
        ("maybe", "sqlite", "survey='maybe': one of yes, no is expected"),
        ("yes", "redis", "only a crawl with its links on disk can be surveyed"),
    ],
)
def test_a_survey_that_cannot_be_is_refused(survey: str, frontier: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(CrawlError, match=re.escape(said)):
        open_crawl(Path("partybuilding"), tmp_path, survey=survey, TOPICAL_FRONTIER=frontier)
