"""Without a network no name has an address: nothing is lost by it, no page of the budget is spent, and the crawl says so."""

from __future__ import annotations

from pathlib import Path

from crawl_tools import ROOT, Crawled, Reply, Site, article, crawl, environment, rows
from fork_tools import run_forked

SETTINGS = """
import socket
from topical_crawler.settings import *

asked = []


def gethostbyname(name):
    asked.append(name)
    if len(asked) <= {silent}:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
    if name.endswith(".example.cn"):
        return "127.0.0.1"
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


socket.gethostbyname = gethostbyname
"""
NOBODY = [f"http://nobody{n}.example.org/" for n in range(4)]


def run(topic: Path, folder: Path, seeds: str, silent: int, **options: object) -> Crawled:
    (folder / "project_settings.py").write_text(SETTINGS.replace("{silent}", str(silent)), encoding="utf-8")
    return crawl(topic, folder / "data", seeds, folder, DOWNLOAD_DELAY=0, TOPICAL_ALLOW_PRIVATE="all", **options)


def test_name_servers_that_do_not_answer_are_waited_for(topic: Path, tmp_path: Path) -> None:
    with Site({"": lambda path: Reply(article(path))}) as site:
        port = site.url.rpartition(":")[2]
        seeds = [f"http://www{n}.example.cn:{port}/{n}" for n in range(5)]
        crawled = run(topic, tmp_path, " ".join(seeds), 20)
    assert crawled.code == 0, crawled.log
    assert "The network seems to be down" in crawled.log and "no name server answers" in crawled.log
    assert {row.url: row.reason for row in rows(tmp_path / "data")} == dict.fromkeys(seeds, "")


def test_names_of_no_host_are_no_pages(topic: Path, tmp_path: Path) -> None:
    with Site({"": lambda path: Reply(article(path))}) as site:
        seeds = [*NOBODY, *(f"http://www.example.cn:{site.url.rpartition(':')[2]}/{n}" for n in range(3))]
        crawled = run(topic, tmp_path, " ".join(seeds), 0, pages=3, RETRY_TIMES=0)
    assert crawled.code == 0, crawled.log
    assert [row.reason for row in rows(tmp_path / "data")] == ["unknown host"] * 4 + [""] * 3


def test_a_crawl_that_reaches_nobody_has_failed(topic: Path, tmp_path: Path) -> None:
    crawled = run(topic, tmp_path, " ".join(NOBODY), 0, pages=2, RETRY_TIMES=0)
    assert crawled.code == 1
    assert "scrapy crawl topical: no host could be reached. Check the network and the seeds" in crawled.log
    assert [row.reason for row in rows(tmp_path / "data")] == ["unknown host"] * 4


def test_passwords_of_links_and_redirects_are_not_kept(topic: Path, tmp_path: Path) -> None:
    with Site() as site:
        named = site.url.replace("://", "://me:s3cret@")
        routes = {"/moved": Reply("", 302, headers={"Location": f"{named}/target"}), "/linked": Reply(article("党建 一"))}
        routes["/"] = Reply(article("首页", {f"{named}/linked": "党建", "/moved": "党建"}))
        site.routes = {**routes, "/target": Reply(article("党建 二"))}
        crawled = crawl(topic, tmp_path / "data", f"{named}/", DOWNLOAD_DELAY=0, LOG_LEVEL="DEBUG")
    assert crawled.code == 0, crawled.log
    assert {row.final_url.removeprefix(site.url) for row in rows(tmp_path / "data")} == {"/", "/linked", "/target"}
    line = ["-m", "topical_crawler", "corpus", "export", str(tmp_path / "data"), "--rejected"]
    done = run_forked(line, ROOT, environment())
    assert done.returncode == 0, done.stderr
    assert "党建 二" in done.stdout and "s3cret" not in done.stdout
    for file in (tmp_path / "data").glob("*.sqlite"):
        assert b"s3cret" not in file.read_bytes()
