"""What crawl-level tests share: topics, local web servers, crawls run by Scrapy's own command in a process of their own."""

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from fork_tools import Forked
from wait_tools import wait_for

from topical_crawler.corpus.record import CorpusError, Filters, Record
from topical_crawler.corpus.store import CorpusStore

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "demo"
HTML = "text/html; charset=utf-8"
_WHEN = ["主题教育开始以来", "上个星期三", "春耕的时候", "国庆节前后", "雨下了一整夜", "党组织换届之后", "集市散了以后", "入冬前"]
_WHO = ["第一党支部", "镇里的党组织", "驻村工作队", "退休教师", "合作社", "卫生院", "邻村", "老街道"]
_DOES = ["走进社区清点过冬的煤", "把水渠修到了山脚下", "与群众面对面商量办法", "挨家登记漏雨的屋顶", "摆开了桌子", "讲从前的事"]
_THEN = ["一直忙到天黑", "谁也没有说累", "账目贴在了村口", "下个月再看结果", "老人们都来帮忙", "办法是大家想出来的"]
TERMS = ("党建", "支部", "党员", "主题教育", "党组织")


def make_topic(folder: Path, **config: object) -> Path:
    """A topic of a few terms that weigh 1, for ``semantic``; any link of a relevant page that holds a term is worth a visit."""
    folder.mkdir(parents=True)
    lines = [f"{key} = {value}" for key, value in {"title": '"小党建"', "default_strategy": '"semantic"', **config}.items()]
    lines += ["[strategy.semantic]", "page_threshold = 0.01", "link_threshold = 0.12"]
    (folder / "topic.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "terms.tsv").write_text("".join(f"{term}\t1\n" for term in TERMS), encoding="utf-8")
    return folder


def article(name: str, links: Mapping[str, str] | None = None, *, head: str = "") -> str:
    """An on-topic page with a text of its own, always the same one for a name; ``links`` are URL → anchor text."""
    choose = random.Random(name).choice
    text = "".join(
        f"<p>{name}：{choose(_WHEN)}，{choose(_WHO)}的党员{choose(_DOES)}，{choose(_WHO)}{choose(_DOES)}，{choose(_THEN)}。</p>"
        for _ in range(6)
    )
    anchors = "".join(f'<p><a href="{url}">{anchor}</a></p>' for url, anchor in (links or {}).items())
    return (
        f"<!DOCTYPE html><html><head>{head}<title>党建：{name}</title></head>"
        f"<body><h1>{name}</h1><article>{text}</article>{anchors}</body></html>"
    )


@dataclass
class Reply:
    """What a local server answers: a status, a body and further headers; ``raw`` takes the connection over instead."""

    body: bytes | str = b""
    status: int = 200
    content_type: str | None = HTML
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: Callable[[BaseHTTPRequestHandler], None] | None = None


Route = Reply | Callable[[str], Reply | None]


@dataclass
class Hit:
    """A request as the server saw it: its path, when it had arrived, and when the last part of its answer was about to be sent:
    so long the crawler surely waited for it. It is there before the first part is sent: with the last one a crawl may be over."""

    path: str
    began: float
    ended: float


class Site:
    """A web server on ``address`` in threads, on the first of ``ports`` that is free. Of ``routes``, by path, a callable gets the
    path, None is 404, ``""`` any other."""

    def __init__(
        self, routes: Mapping[str, Route] | None = None, ports: Iterable[int] = (0,), address: str = "127.0.0.1"
    ) -> None:
        self.routes: dict[str, Route] = dict(routes or {})
        self.hits: list[Hit] = []
        self.closing = threading.Event()
        self._server = self._listen(address, ports)
        self._server.daemon_threads = True
        self.url = f"http://{address}:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    def asked(self, path: str) -> int:
        """How often a path was asked for, its query left away."""
        return sum(hit.path.partition("?")[0] == path for hit in self.hits)

    def pages(self) -> list[Hit]:
        """All requests but those for robots.txt, in the order of their beginning."""
        return sorted((h for h in self.hits if h.path != "/robots.txt"), key=lambda h: h.began)

    def answer(self, path: str) -> Reply:
        route = self.routes.get(path.partition("?")[0]) or self.routes.get("")
        reply = route(path) if callable(route) else route
        return reply or Reply("nothing here", 404)

    def _listen(self, address: str, ports: Iterable[int]) -> ThreadingHTTPServer:
        for port in ports:
            with contextlib.suppress(OSError):
                return ThreadingHTTPServer((address, port), self._handler())
        raise OSError("no port is free")

    def _handler(site) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else a body waits 40 ms for the answer to its head

            def setup(self) -> None:
                super().setup()
                self.hit = Hit("", 0.0, 0.0)  # of what is no request
                write = self.wfile.write

                def noted(data: Any) -> int:
                    if data:
                        self.hit.ended = time.monotonic()
                    return write(data)

                self.wfile.write = noted  # type: ignore[method-assign]

            def do_GET(self) -> None:
                began = time.monotonic()
                reply = site.answer(self.path)
                self.hit = Hit(self.path, began, began)
                site.hits.append(self.hit)
                try:
                    if reply.raw is not None:
                        self.close_connection = True
                        reply.raw(self)
                        return
                    body = reply.body.encode() if isinstance(reply.body, str) else reply.body
                    self.send_response(reply.status)
                    if reply.content_type is not None:
                        self.send_header("Content-Type", reply.content_type)
                    for name, value in reply.headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:  # the crawler has hung up
                    self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:
                """Tests look at ``hits``."""

        return Handler


@dataclass(frozen=True)
class Crawled:
    """A crawl that ended: its exit code, its log, and the most memory it had, in bytes (its workers not added up)."""

    code: int
    log: str
    memory: int


def command(topic: Path | str, data: Path, seeds: str | None = None, spider: str = "topical", **options: object) -> list[str]:
    """The command line of a crawl; upper-case ``options`` are settings, others spider arguments."""
    settings = {"TOPICAL_DATA_DIR": data, "TOPICAL_RESOURCES": 0, "TOPICAL_CACHE_DIR": data / "cache", "CONCURRENT_REQUESTS": 1}
    settings["TOPICAL_REST_SECONDS"] = 0.05
    arguments: dict[str, object] = {"topic": topic} | ({"seeds": seeds} if seeds is not None else {})
    for name, value in options.items():
        (settings if name.isupper() else arguments)[name] = value  # type: ignore[index]
    line = [sys.executable, "-m", "scrapy", "crawl", spider]
    line += [part for name, value in arguments.items() for part in ("-a", f"{name}={value}")]
    return line + [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]


def environment(project: Path | None = None) -> dict[str, str]:
    """Variables of a crawl; ``project`` is a folder with a ``project_settings.py`` of a test's own."""
    found = {**os.environ, "COLUMNS": "160", "PYTHONPATH": str(ROOT)}
    if project is not None:
        found |= {"PYTHONPATH": f"{project}{os.pathsep}{ROOT}", "SCRAPY_SETTINGS_MODULE": "project_settings"}
    return found


def start(line: list[str], project: Path | None = None) -> Forked:
    """A crawl whose log is read by the caller; ``line`` begins with Python and has ``-m scrapy`` or the path of a script."""
    return Forked(line[1:], ROOT, environment(project))


def crawl(
    topic: Path | str, data: Path, seeds: str | None = None, project: Path | None = None, fresh: bool = False, **options: object
) -> Crawled:
    """Run a crawl to its end. A ``fresh`` process has the memory of a user's: others begin with that of the one they are forked
    from, some 60 MB more."""
    line = command(topic, data, seeds, **options)
    pipes: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    process = subprocess.Popen(line, cwd=ROOT, env=environment(project), **pipes) if fresh else start(line, project)
    peak = Peak(process.pid)
    log = process.communicate()[1]
    return Crawled(process.wait(), log, peak.ended())


class Peak(threading.Thread):
    """Watches the most memory that a process was resident with, in bytes; 0 where there is no /proc. (What ``wait4`` says
    of a child begins with the memory of its parent.)"""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._status = Path(f"/proc/{pid}/status")
        self._done = threading.Event()
        self._most = 0
        self.start()

    def run(self) -> None:
        while not self._done.wait(0.05):
            with contextlib.suppress(OSError):
                for line in self._status.read_text().splitlines():
                    if line.startswith("VmHWM"):
                        self._most = max(self._most, 1024 * int(line.split()[1]))

    def ended(self) -> int:
        self._done.set()
        self.join()
        return self._most


def crawled_urls(log: str) -> list[str]:
    """Addresses whose answer arrived, in their order, of a log of level DEBUG; robots.txt left out."""
    found = re.findall(r"DEBUG: Crawled \(\d+\) <GET (\S+)>", log)
    return [url for url in found if not url.endswith("/robots.txt")]


def rows(data: Path) -> list[Record]:
    """The rows of a corpus in the order in which they were fetched."""
    with CorpusStore(data / "corpus.sqlite", read_only=True) as store:
        return list(store.records(Filters(rejected=True)))


def interrupted(module: str, options: Iterable[object], data: Path, cwd: Path) -> str:
    """What ``python -m MODULE OPTIONS``, an experiment with ``--out out``, said when it was interrupted with more than five
    pages of its crawl in ``data``. A crawl that was over before that was seen is made again."""

    def under_way() -> bool:
        with contextlib.suppress(CorpusError):  # the crawl is still making it
            return len(rows(data)) > 5
        return False

    variables = {**os.environ, "PYTHONPATH": str(ROOT), "SCRAPY_SETTINGS_MODULE": "topical_crawler.settings"}
    for _ in range(10):
        running = Forked(["-m", module, *map(str, options)], cwd, variables)
        wait_for(lambda running=running: running.poll() is not None or under_way())
        running.send_signal(signal.SIGINT)
        _, said = running.communicate()
        if running.returncode and not data.with_name("finished.json").exists():
            break
        shutil.rmtree(cwd / "out")
    assert running.returncode == 130, said
    return said


def essence(records: list[Record]) -> list[tuple[object, ...]]:
    """What two equal crawls have in common: all but the times of the fetches."""
    names = ["url", "final_url", "keep", "reason", "text", "title", "duplicate_of", "relevance", "priority", "depth", "status"]
    return [(*(getattr(record, name) for name in names), dict(record.why)) for record in records]
