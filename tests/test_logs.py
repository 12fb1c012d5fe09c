"""A log in JSON: from Scrapy's first line on every line is one JSON object, and no password is in it."""

import json
import logging
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import crawl_tools
import pytest
from scrapy.settings import Settings

from topical_crawler import logs
from topical_crawler.extensions import wants_live

BROKEN = r"""
import logging
import warnings

from scrapy.exceptions import DropItem
from topical_crawler.spiders.topical import TopicalSpider


class Broken(TopicalSpider):
    name = "broken"
    custom_settings = {"LOG_LEVEL": "DEBUG"}

    def parse(self, response, **kwargs):
        warnings.warn("警告：这是一个警告")
        logging.getLogger("mine").info("第一行\n第二行\u2028第三行 \"%s\" 😀 \udcff", "党建", extra={"spider": self})
        raise KeyError('cannot reach "redis://worker:s3cret@10.0.0.5/0", said "password=s3cret"')
        yield


class Other(TopicalSpider):
    name = "late"
    custom_settings = {"TOPICAL_LOG_FORMAT": "json"}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    settings = "from topical_crawler.settings import *\nSPIDER_MODULES = ['own_spiders', 'topical_crawler.spiders']\n"
    (folder / "project_settings.py").write_text(settings, encoding="utf-8")
    (folder / "own_spiders.py").write_text(BROKEN, encoding="utf-8")
    return folder


def read(text: str) -> list[dict[str, Any]]:
    """The records of a log: each line has to be one."""
    records = [json.loads(line) for line in text.splitlines()]
    assert all(list(r)[:4] == ["time", "level", "logger", "message"] for r in records)
    return records


def test_every_line_of_a_crawl_is_a_record(project: Path, tmp_path: Path) -> None:
    topic = crawl_tools.make_topic(tmp_path / "small")
    began = datetime.now(UTC).replace(microsecond=0)
    about = {"TOPICAL_CRAWL": "试验", "TOPICAL_WORKER": "w1", "_job": "7f00"}
    with crawl_tools.Site({"/": crawl_tools.Reply(crawl_tools.article("首页"))}) as site:
        web = {"seeds": f"{site.url}/", "TOPICAL_LOG_FORMAT": "json", "TOPICAL_METRICS_PORT": "auto", **about}
        crawled = crawl_tools.crawl(topic, tmp_path / "data", project=project, spider="broken", **web)
    assert crawled.code == 0
    records = read(crawled.log)
    assert records[0]["message"].startswith("Scrapy 2.") and "crawl" not in records[0]
    opened = next(n for n, r in enumerate(records) if "crawl" in r)
    assert all((r["crawl"], r["topic"], r["worker"], r["job"]) == ("试验", topic.name, "w1", "7f00") for r in records[opened:])
    assert {r["logger"].split(".")[0] for r in records[:opened]} <= {"scrapy", "py", "asyncio"}
    times = [datetime.fromisoformat(r["time"]) for r in records]
    assert all(t.utcoffset() == timedelta(0) for t in times) and began <= times[0] <= times[-1] <= datetime.now(UTC)
    (mine,) = [r for r in records if r["logger"] == "mine"]
    assert mine["message"] == '第一行\n第二行\u2028第三行 "党建" 😀 \udcff' and "党建" in crawled.log
    (error,) = [r for r in records if r["level"] == "ERROR"]
    assert error["exception"].startswith("Traceback") and "KeyError" in error["exception"] and "\n" in error["exception"]
    assert "s3cret" not in crawled.log and "redis://worker:***@10.0.0.5/0" in error["exception"]
    assert any(r["logger"] == "py.warnings" and "这是一个警告" in r["message"] for r in records)
    assert any(r["level"] == "DEBUG" for r in records)  # as the spider's own settings say
    assert any(r["message"].startswith("Metrics: http://127.0.0.1:") for r in records)
    (ended,) = [r["data"] for r in records if "data" in r]
    assert (ended["pages"], ended["kept"], ended["rejected"]) == (1, 0, {"error: KeyError": 1})
    assert ended["corpus"].endswith("corpus.sqlite")


def test_a_log_file(project: Path, tmp_path: Path) -> None:
    topic, file = crawl_tools.make_topic(tmp_path / "small"), tmp_path / "job.log"
    file.write_text("old\n", encoding="utf-8")
    web = {"TOPICAL_LOG_FORMAT": "json", "LOG_FILE": file, "LOG_FILE_APPEND": 0, "LOG_ENCODING": "gb2312", "LOG_SHORT_NAMES": 1}
    with crawl_tools.Site({"/": crawl_tools.Reply(crawl_tools.article("首页"))}) as site:
        crawled = crawl_tools.crawl(topic, tmp_path / "data", f"{site.url}/", project, spider="broken", **web)
    assert crawled.code == 0 and crawled.log == ""
    records = read(file.read_text(encoding="utf-8"))
    assert records[0]["message"].startswith("Scrapy 2.") and records[0]["logger"] == "scrapy"
    assert records[-1]["message"] == "Spider closed (finished)"


@pytest.mark.parametrize(
    ("spider", "options", "said"),
    [
        ("topical", {"TOPICAL_LOG_FORMAT": "xml"}, "TOPICAL_LOG_FORMAT='xml': there is no such format. Set it to text or json"),
        ("late", {}, "TOPICAL_LOG_FORMAT=json comes too late"),
    ],
)
def test_what_cannot_be(project: Path, tmp_path: Path, spider: str, options: dict[str, str], said: str) -> None:
    topic = crawl_tools.make_topic(tmp_path / "small")
    crawled = crawl_tools.crawl(topic, tmp_path / "data", "http://a.example/", project, spider=spider, **options)
    assert crawled.code == 2 and said in crawled.log and "Traceback" not in crawled.log
    assert not (tmp_path / "data" / "corpus.sqlite").exists()


def test_an_error_at_the_start_is_a_record(tmp_path: Path) -> None:
    topic = crawl_tools.make_topic(tmp_path / "small")
    crawled = crawl_tools.crawl(topic, tmp_path / "data", "nowhere.txt", TOPICAL_LOG_FORMAT="json")
    assert crawled.code == 2
    last = read(crawled.log)[-1]
    assert last["level"] == "ERROR" and "nowhere.txt" in last["message"] and "Pass a file" in last["message"]


@pytest.mark.parametrize(
    ("display", "log_format", "file", "live"),
    [
        ("auto", "text", None, True),
        ("auto", "text", "job.log", False),
        ("auto", "json", None, False),
        ("live", "json", None, False),
        ("live", "json", "job.log", True),
        ("lines", "json", None, False),
    ],
)
def test_the_live_display_leaves_a_log_alone(
    monkeypatch: pytest.MonkeyPatch, display: str, log_format: str, file: str | None, live: bool
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert wants_live(Settings({"TOPICAL_DISPLAY": display, "TOPICAL_LOG_FORMAT": log_format, "LOG_FILE": file})) is live


def record(message: object, *args: object, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("name", logging.INFO, "file.py", 1, message, args, None)
    vars(made).update(extra)
    return made


def test_texts_are_masked_before_they_are_json(monkeypatch: pytest.MonkeyPatch) -> None:
    """A password may hold what JSON writes otherwise, and what stands for it may be no JSON."""
    monkeypatch.setattr(logs, "masked", lambda text: text.replace('a"\\b', '"'))
    lines = logs.JsonLogFormatter()
    data = {"url": 'x a"\\b', "n": 3, "list": ['a"\\b', None]}
    found = json.loads(lines.format(record('said %s, "password=x"', 'a"\\b', data=data)))
    assert found["message"] == 'said ", "password=x"'
    assert found["data"] == {"url": 'x "', "n": 3, "list": ['"', None]}


@pytest.mark.parametrize(
    ("message", "args", "shown"),
    [("", (), ""), ({"pages": 3}, (), "{'pages': 3}"), ("%d 页", (3,), "3 页"), ("100 %", (), "100 %")],
)
def test_messages(message: object, args: tuple[object, ...], shown: str) -> None:
    found = json.loads(logs.JsonLogFormatter().format(record(message, *args, spider=object(), crawler=object())))
    assert found["message"] == shown and "spider" not in found


def test_an_empty_value_takes_a_field_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "_identity", {})
    logs.identify(crawl="a", job="b")
    logs.identify(job="", worker="c")
    found = json.loads(logs.JsonLogFormatter().format(record("x")))
    assert list(found)[4:] == ["crawl", "worker"]


def test_the_log_is_given_back(tmp_path: Path) -> None:
    """One process may make several crawlers: a text log after a JSON log is that of the program, if it has handlers. What masks
    finished lines leaves JSON ones alone, which it would break."""
    logs.mask_root()
    before, level = list(logging.root.handlers), logging.root.level
    settings = Settings({"TOPICAL_LOG_FORMAT": "json", "LOG_FILE": str(tmp_path / "a.log")})
    try:
        for _ in range(2):  # two crawlers by the same settings
            logs.LogAddon.update_pre_crawler_settings(settings)
            assert len(logging.root.handlers) == len(before) + 1 and not settings.getbool("LOG_INSTALL_ROOT_HANDLER")
        logging.getLogger("mine").warning("党建 password=s3cret, another password:")
    finally:
        logs.LogAddon.update_pre_crawler_settings(Settings({"TOPICAL_LOG_FORMAT": "text"}))
        logging.root.setLevel(level)
    assert logging.root.handlers == before
    assert [r["message"] for r in read((tmp_path / "a.log").read_text(encoding="utf-8"))] == [
        "党建 password=*** another password:"
    ]
    own = Settings({"TOPICAL_LOG_FORMAT": "json", "LOG_INSTALL_ROOT_HANDLER": False})
    logs.LogAddon.update_pre_crawler_settings(own)  # a program that has handlers of its own keeps them
    logs.follow(own)
    assert logging.root.handlers == before
