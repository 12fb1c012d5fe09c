"""A site that puts a session's number into every link, under a name that nobody knows, is not fetched again and again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from crawl_tools import Reply, Site, article, crawl, rows

PAGES = 30
IN_PATHS = ["/{}/{}.html", "/news/(S({}))/{}.aspx", "/s-{}/show/{}", "/{}/list/?id={}"]


@pytest.mark.parametrize("form", ["/show?zsessid={}&id={}", *(pytest.param(form, marks=pytest.mark.slow) for form in IN_PATHS)])
def test_a_site_under_sessions_of_an_unknown_name_is_fetched_once(form: str, topic: Path, tmp_path: Path) -> None:
    with Site() as site:

        def page(path: str) -> Reply:
            number = (re.findall(r"(\d+)\D*$", path) or [""])[-1]
            session = f"{len(site.hits):04x}c0ffee{len(site.hits):02}"
            links = {form.format(session, n): f"党建 {n}" for n in range(PAGES) if str(n) != number}
            return Reply(article(f"第{number}篇", links))

        site.routes = {"": page, "/robots.txt": Reply("", 404)}
        crawled = crawl(topic, tmp_path / "data", site.url + "/", DOWNLOAD_DELAY=0, pages=6 * PAGES)
    assert crawled.code == 0, crawled.log
    assert len([row for row in rows(tmp_path / "data") if row.keep]) == PAGES
    assert len(site.pages()) < 1.5 * PAGES and "same page" in crawled.log


@pytest.mark.slow
def test_a_parameter_that_chooses_the_page_is_none(topic: Path, tmp_path: Path) -> None:
    with Site() as site:

        def page(path: str) -> Reply:
            """Of each text there are two addresses: the number is doubled."""
            text = int(path.partition("=")[2] or 0) % PAGES
            return Reply(article(f"第{text}篇", {f"/show?id={n}": f"党建 {n}" for n in range(2 * PAGES)}))

        site.routes = {"": page, "/robots.txt": Reply("", 404)}
        crawled = crawl(topic, tmp_path / "data", site.url + "/", DOWNLOAD_DELAY=0)
    assert crawled.code == 0, crawled.log
    assert len(site.pages()) == 2 * PAGES + 1 and "same page" not in crawled.log
