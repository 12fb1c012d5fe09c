"""``topical-crawler corpus extract`` on files, standard input, a recording and a web server of this machine."""

import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from command_tools import RunScrapy
from crawl_tools import DEMO, Reply, Site
from document_tools import Typed, pdf, set_columns

REPLAY = f"TOPICAL_REPLAY={DEMO / 'demo-web.warc.gz'}"
ARTICLE = "http://www.qinghedj.example/art/2026/2/26/art_1022_30007.html"
PARAGRAPHS = "".join(
    f"<p>{text}</p>"
    for text in (
        "各级党组织扎实开展主题教育，第一党支部的党员走进社区，与群众面对面商量办法。",
        "在一座老小区的活动室里，居民们提出了停车难、照明不足和电梯维修慢等问题，支部书记逐条记下。",
        "随后召开的支部委员会决定，由三名党员分别负责，一个月内把办理结果告诉提出意见的人。",
    )
)
PAGE = (
    "<!DOCTYPE html><html><head><title>支部走进社区听民声</title></head><body><h1>支部走进社区听民声</h1>"
    f"<article><h2>一 经过</h2>{PARAGRAPHS}<pre><code>for i in range(3):\n    print(i)</code></pre></article></body></html>"
)


@pytest.fixture
def extract(call_scrapy: RunScrapy, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    return lambda *arguments: call_scrapy("corpus", "extract", *arguments, cwd=tmp_path)


def test_a_file_as_text_markdown_and_json(extract: RunScrapy, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(PAGE.encode("gb18030"))
    done = extract("page.html", "--base", "http://www.a.cn/2023/0412/c1.html")
    assert done.returncode == 0 and done.stdout.startswith("支部走进社区听民声\naddress      http://www.a.cn/2023/0412/c1.html\n")
    assert "\nday          2023-04-12\n" in done.stdout and "\nextractor    " in done.stdout and "page " not in done.stdout
    text = extract("page.html", "--text").stdout
    assert "与群众面对面商量办法。\n" in text and "for i in range(3):\n    print(i)\n" in text
    marked = extract("page.html", "--markdown").stdout
    assert marked.startswith("# 支部走进社区听民声\n\n") and "```\nfor i in range(3):\n    print(i)\n```" in marked
    fields = json.loads(extract("page.html", "--json").stdout)
    assert fields["text"] + "\n" == text and fields["markdown"] + "\n" == marked
    assert (fields["encoding"], fields["kind"], fields["language"], fields["reason"]) == ("gb18030", "article", "zh", "")
    assert fields["url"].startswith("file:///") and fields["characters"] == len(fields["text"])


def test_standard_input(extract: RunScrapy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(PAGE.encode())))
    done = extract("-", "--text")
    assert done.returncode == 0 and "支部书记逐条记下" in done.stdout


def test_a_page_without_a_text_exits_with_1_and_its_reason(extract: RunScrapy, tmp_path: Path) -> None:
    (tmp_path / "empty.html").write_text("<html><title>\x1b[31m空</title><body><p>图片</p></body></html>", "utf-8")
    for form in ((), ("--text",), ("--markdown",), ("--json",)):
        done = extract("empty.html", *form)
        assert done.returncode == 1 and "\x1b" not in done.stdout
        assert done.stderr == "topical-crawler corpus extract: empty.html has no text: no text\n"
    assert json.loads(extract("empty.html", "--json").stdout)["reason"] == "no text"
    assert extract("empty.html", "--text").stdout == ""


def test_a_recorded_page(extract: RunScrapy) -> None:
    done = extract(ARTICLE, "-s", REPLAY, "--json")
    fields = json.loads(done.stdout)
    assert (fields["date"], fields["source"], fields["kind"]) == ("2026-02-26", "青河党建网", "article")
    assert fields["title"] == "一堂党课请了三位“老师” 讲台搬到车间里"
    done = extract("http://www.qinghedj.example/", "-s", REPLAY)
    assert done.returncode == 1 and done.stderr.endswith("has no text: home page\n")


def test_a_page_of_the_web_is_fetched_once_and_politely(extract: RunScrapy) -> None:
    routes = {
        "/robots.txt": Reply("User-agent: *\nDisallow: /private/\n", content_type="text/plain"),
        "/page.html": Reply(PAGE),
        "/private/page.html": Reply(PAGE),
        "/large.html": Reply("<html>" + "x" * 30_000),
    }
    with Site(routes) as site:
        quick = ("-s", "DOWNLOAD_DELAY=0", "-s", "RETRY_TIMES=0", "-s", "DOWNLOAD_MAXSIZE=20000")
        done = extract(f"{site.url}/page.html", "--text", *quick)
        assert done.returncode == 0 and "走进社区" in done.stdout and site.asked("/page.html") == 1
        for path, reason in (("private/page.html", "robots.txt"), ("large.html", "too large"), ("gone.html", "HTTP 404")):
            done = extract(f"{site.url}/{path}", *quick)
            assert done.returncode == 1 and done.stderr.endswith(f"has no text: {reason}\n")
        assert site.asked("/private/page.html") == 0


def test_mistakes(extract: RunScrapy) -> None:
    for arguments, message in (
        (["no.html"], "no.html: No such file or directory"),
        (["a", "--base", "www.a.cn"], "--base"),
    ):
        done = extract(*arguments)
        assert done.returncode == 1 and message in done.stderr and "Traceback" not in done.stderr


def test_a_document_from_a_file_and_from_the_web(extract: RunScrapy, tmp_path: Path) -> None:
    body = pdf(set_columns(PARAGRAPHS[3:-4].split("</p><p>"), title="支部走进社区听民声"))
    (tmp_path / "a.pdf").write_bytes(body)
    (tmp_path / "scan.pdf").write_bytes(pdf([Typed()]))
    fields = json.loads(extract("a.pdf", "--json", "--base", "http://www.a.cn/2023/0412/a.pdf").stdout)
    assert (fields["title"], fields["kind"], fields["method"]) == ("支部走进社区听民声", "document", "pdf")
    assert fields["date"] == "2023-04-12" and fields["text"].startswith("各级党组织扎实开展主题教育，")
    with Site({"/a": Reply(body, content_type="application/pdf")}) as site:
        done = extract(f"{site.url}/a", "--text", "-s", "DOWNLOAD_DELAY=0")
    assert done.stdout == fields["text"] + "\n"
    failed = extract("scan.pdf")
    assert failed.returncode == 1 and failed.stderr.endswith("scan.pdf has no text: document without text\n")
