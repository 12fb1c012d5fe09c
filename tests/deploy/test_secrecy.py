"""A password of Redis or PostgreSQL shows nowhere: not in what a crawl prints, not in its log, not in the list of processes."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from packaging_tools import ROOT
from redis_tools import RedisServer, free_port

DEMO = ROOT / "demo"
MARK = "Zqse"
"""In every password of this module, and in nothing else."""
PASSWORD = f"{MARK}%40cr%3Aet%2F"
REPLAY = {"TOPICAL_REPLAY": DEMO / "demo-web.warc.gz", "TOPICAL_RESOURCES": 0, "CONCURRENT_REQUESTS": 1, "TOPICAL_PATIENCE": 0.1}
LEAKY = f'''
from topical_crawler.settings import *
from topical_crawler.settings import ITEM_PIPELINES

ITEM_PIPELINES = {{**ITEM_PIPELINES, "project_settings.Leaky": 300}}

class Leaky:
    def process_item(self, item):
        import logging
        logging.getLogger("leaky").warning("params %s", {{"host": "h", "password": "{MARK}cret"}})
        raise ConnectionError("no answer from redis://:{PASSWORD}@h:6379/0")
'''


@dataclass(frozen=True)
class Ran:
    """A crawl that has ended: its exit code, what it printed and logged, and the command lines of its processes."""

    code: int
    said: str
    log: str
    arguments: str


def crawl(folder: Path, variables: Mapping[str, object], **settings: object) -> Ran:
    """Run a crawl of the demo web with the environment ``variables``; it logs to a file, as under scrapyd."""
    log = folder / "crawl.log"
    given = {**REPLAY, "TOPICAL_DATA_DIR": folder / "data", "LOG_FILE": log, "LOG_LEVEL": "DEBUG", **settings}
    command = [sys.executable, "-m", "scrapy", "crawl", "topical", "-a", "topic=partybuilding", "-a", "pages=2"]
    command += ["-a", f"seeds={DEMO / 'seeds.txt'}"]
    command += [part for name, value in given.items() for part in ("-s", f"{name}={value}")]
    names = {"SCRAPY_SETTINGS_MODULE": "topical_crawler.settings", "PYTHONPATH": str(ROOT), **variables}
    environment = {**os.environ, **{name: str(value) for name, value in names.items()}}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    )
    arguments = set()
    try:
        while True:
            with contextlib.suppress(psutil.Error):  # one that has just ended
                for one in (psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)):
                    arguments.add(" ".join(one.cmdline()))
            try:
                said, _ = process.communicate(timeout=0.2)
                break
            except subprocess.TimeoutExpired:
                continue
    finally:
        process.kill()
        process.wait()
    return Ran(process.returncode, said, log.read_text(encoding="utf-8"), "\n".join(arguments))


@pytest.mark.parametrize(
    ("setting", "by"), [("REDIS_URL", "variable"), ("TOPICAL_CORPUS", "file"), ("TOPICAL_CORPUS", "argument")]
)
def test_a_server_that_is_away_is_named_without_its_password(tmp_path: Path, setting: str, by: str) -> None:
    port = free_port()
    kind, name = ("redis", "0") if setting == "REDIS_URL" else ("postgresql+psycopg", "corpus")
    address = f"{kind}://topical:{PASSWORD}@127.0.0.1:{port}/{name}"
    (tmp_path / "secret").write_text(address + "\n", encoding="utf-8")
    variables = {"variable": {setting: address}, "file": {f"{setting}_FILE": tmp_path / "secret"}, "argument": {}}[by]
    settings: dict[str, object] = {"TOPICAL_FRONTIER": "redis"} if setting == "REDIS_URL" else {}
    ran = crawl(tmp_path, variables, **settings | ({setting: address} if by == "argument" else {}))
    assert ran.code == 2
    for text in (ran.said, ran.log):
        assert f"127.0.0.1:{port}" in text and "tart " in text and "Traceback" not in text
        assert MARK not in text
    assert (MARK in ran.arguments) == (by == "argument"), "which is why the documentation advises against it"


def test_a_server_that_refuses_the_password_is_named_without_it(tmp_path: Path) -> None:
    with RedisServer(tmp_path / "redis", requirepass="other") as server:
        ran = crawl(tmp_path, {"REDIS_URL": f"redis://:{PASSWORD}@127.0.0.1:{server.port}/0"}, TOPICAL_FRONTIER="redis")
    assert ran.code == 2 and f"127.0.0.1:{server.port}" in ran.log
    assert MARK not in ran.said + ran.log + ran.arguments


def test_what_a_pipeline_of_ones_own_lets_out_is_masked_in_the_log(tmp_path: Path) -> None:
    (tmp_path / "project_settings.py").write_text(LEAKY, encoding="utf-8")
    variables = {"SCRAPY_SETTINGS_MODULE": "project_settings", "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    ran = crawl(tmp_path, variables)
    assert ran.code == 0
    assert "redis://:***@h:6379/0" in ran.log and "Traceback" in ran.log and "'password': '***'" in ran.log
    assert MARK not in ran.said + ran.log


def test_an_address_that_cannot_be_taken_apart_is_refused_in_one_line(tmp_path: Path) -> None:
    address = f"redis://topical:{MARK}/cr@et@127.0.0.1:6379/0"
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "list"],
        cwd=tmp_path,
        env={**os.environ, "SCRAPY_SETTINGS_MODULE": "topical_crawler.settings", "PYTHONPATH": str(ROOT), "REDIS_URL": address},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode != 0
    assert "REDIS_URL: this address cannot be read. Write it as" in done.stderr
    assert "Traceback" not in done.stderr and MARK not in done.stderr + done.stdout
