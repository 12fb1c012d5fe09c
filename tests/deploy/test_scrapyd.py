"""The project as scrapyd runs it: deployed by scrapyd-deploy, never unpacked, with ``topic=…`` and ``setting=…``."""

import json
import urllib.error
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging_tools import ROOT, copy_source
from redis_tools import free_port
from scrapyd_tools import PASSWORD, USERNAME, Scrapyd

from topical_crawler import __version__
from topical_crawler.corpus.record import Filters
from topical_crawler.corpus.store import CorpusStore

DEMO = ROOT / "demo"
REPLAY = (f"TOPICAL_REPLAY={DEMO / 'demo-web.warc.gz'}", "TOPICAL_RESOURCES=0", "CONCURRENT_REQUESTS=1")
SECRET = "Zqsecret"
AWAY = free_port()
"""Of a Redis server that does not answer."""
VERSION = f"{__version__}+egg"
"""Of the deployed copy: what a crawl writes down tells it from the checkout, which may be installed beside scrapyd."""


@pytest.fixture(scope="module")
def scrapyd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scrapyd]:
    source = copy_source(tmp_path_factory.mktemp("source"))
    version = source / "topical_crawler" / "__init__.py"
    version.write_text(version.read_text(encoding="utf-8").replace(__version__, VERSION), encoding="utf-8")
    with Scrapyd(tmp_path_factory.mktemp("scrapyd"), REDIS_URL=f"redis://topical:{SECRET}@127.0.0.1:{AWAY}/0") as running:
        running.deploy(source)
        yield running


@pytest.mark.parametrize("user", [None, (USERNAME, "wrong")])
@pytest.mark.parametrize(
    "service", ["", "daemonstatus.json", "listspiders.json?project=topical_crawler", "logs/", "schedule.json"]
)
def test_who_has_no_password_is_refused(scrapyd: Scrapyd, service: str, user: tuple[str, str] | None) -> None:
    with pytest.raises(urllib.error.HTTPError, match="401"):
        scrapyd.page(service, user)


def test_the_spider_is_listed(scrapyd: Scrapyd) -> None:
    answer = scrapyd.call(f"listspiders.json?project=topical_crawler&_version={scrapyd.version}")
    assert answer["spiders"] == ["topical"]


def test_a_crawl_runs_from_the_zipped_egg(scrapyd: Scrapyd, tmp_path: Path) -> None:
    data = tmp_path / "data"
    job = scrapyd.schedule(
        *REPLAY, f"TOPICAL_DATA_DIR={data}", topic="partybuilding", seeds=str(DEMO / "seeds.txt"), pages="1000"
    )
    wrong = scrapyd.schedule(*REPLAY, topic="partybuildings")  # at the same time
    without = scrapyd.schedule(*REPLAY, "TOPICAL_FRONTIER=redis", "TOPICAL_PATIENCE=0.1", topic="partybuilding")

    log = scrapyd.log_of(job)
    assert "Spider closed (finished)" in log
    assert "ERROR" not in log and "Traceback" not in log, log
    assert 5 < log.rstrip().partition("\nCorpus: ")[2].count("\n") < 12, "it ends with the summary"
    with CorpusStore(data / "corpus.sqlite", read_only=True) as corpus:
        kept = list(corpus.records(Filters()))
    assert len(kept) == 46
    assert all(len(record.text or "") > 50 for record in kept)  # extracted by a child process, which runs from the egg as well

    assert json.loads((data / "crawl.json").read_text(encoding="utf-8"))["version"] == VERSION, (
        "not the egg has run: is the project installed beside scrapyd? Remedy: uninstall it, or install it with --editable"
    )
    eggs = [path for path in (scrapyd.folder / "eggs").rglob("*") if path.is_file()]
    assert len(eggs) == 1 and zipfile.is_zipfile(eggs[0])

    for failed, what, remedy in ((wrong, "partybuildings", "machine-learning"), (without, f"127.0.0.1:{AWAY}", "REDIS_URL")):
        said = scrapyd.log_of(failed)
        (line,) = [line for line in said.splitlines() if "ERROR" in line]
        assert what in line and remedy in line, "it names what is wrong, and what can be done"
        assert "Traceback" not in said

    shown = json.dumps(scrapyd.call("listjobs.json")).encode() + scrapyd.page("jobs")
    for content in (shown, *(path.read_bytes() for path in scrapyd.folder.rglob("*") if path.is_file())):
        assert PASSWORD.encode() not in content and SECRET.encode() not in content
